/* page_file.c - see page_file.h. */
#include "cli/page_file.h"

#include <string.h>
#include <unistd.h>

int page_file_save(const struct buf *page, const char *path, FILE *out, struct err *e)
{
	if (strcmp(path, "-") != 0)
		return buf_write_file(page->data, page->len, path, e);
	if (fflush(out) || buf_write_fd(STDOUT_FILENO, page->data, page->len))
		return err_set(e, ERR_IO, "cannot write to standard output");
	return 0;
}
