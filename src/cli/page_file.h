/* page_file.h - a page or another report as a file. */
#ifndef CLI_PAGE_FILE_H
#define CLI_PAGE_FILE_H

#include <stdio.h>

#include "base/buf.h"

/* Writes it to `path`; "-" is standard output (`out`), as it is: a page has its own way to be safe. */
int page_file_save(const struct buf *page, const char *path, FILE *out, struct err *e);

#endif
