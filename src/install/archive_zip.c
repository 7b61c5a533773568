/* archive_zip.c - zip archives; see archive.h. */
#include <zip.h>

#include "base/mem.h"
#include "install/archive.h"

struct zip_reader {
	zip_t *zip;
	zip_file_t *member; /* that is being read, or NULL */
	zip_uint64_t next, n;
};

static void *open_zip(const char *path, struct err *e)
{
	struct zip_reader *r = mem_zalloc(sizeof *r);
	int code = 0;

	if (!r) {
		err_nomem(e, "an archive", sizeof *r);
		return NULL;
	}
	r->zip = zip_open(path, ZIP_RDONLY, &code);
	if (!r->zip) {
		zip_error_t ze;

		zip_error_init_with_code(&ze, code);
		err_set(e, ERR_INPUT, "%s", zip_error_strerror(&ze));
		zip_error_fini(&ze);
		mem_free(r);
		return NULL;
	}
	r->n = (zip_uint64_t)zip_get_num_entries(r->zip, 0);
	return r;
}

static void close_member(struct zip_reader *r)
{
	if (r->member)
		zip_fclose(r->member);
	r->member = NULL;
}

static unsigned mode_of(zip_t *z, zip_uint64_t i)
{
	zip_uint32_t attributes = 0;
	zip_uint8_t system = 0;

	if (zip_file_get_external_attributes(z, i, 0, &system, &attributes) || system != ZIP_OPSYS_UNIX)
		return 0;
	return attributes >> 16;
}

static enum archive_next next(void *a, struct archive_member *out, struct err *e)
{
	struct zip_reader *r = a;

	close_member(r);
	if (r->next == r->n)
		return ARCHIVE_END;
	out->name = zip_get_name(r->zip, r->next, ZIP_FL_ENC_RAW);
	out->mode = mode_of(r->zip, r->next);
	r->next++;
	if (out->name)
		return ARCHIVE_MEMBER;
	err_set(e, ERR_INPUT, "a member without a name");
	return ARCHIVE_FAILED;
}

static int read_member(void *a, void *to, size_t size, size_t *got, struct err *e)
{
	struct zip_reader *r = a;
	zip_int64_t n;

	if (!r->member)
		r->member = zip_fopen_index(r->zip, r->next - 1, 0);
	if (!r->member)
		return err_set(e, ERR_INPUT, "%s", zip_strerror(r->zip));
	n = zip_fread(r->member, to, size);
	if (n < 0)
		return err_set(e, ERR_INPUT, "%s", zip_file_strerror(r->member));
	*got = (size_t)n;
	return 0;
}

static void tell(void *a, uint64_t *done, uint64_t *total)
{
	const struct zip_reader *r = a;

	*done = r->next;
	*total = r->n;
}

static void close_zip(void *a)
{
	struct zip_reader *r = a;

	close_member(r);
	zip_discard(r->zip);
	mem_free(r);
}

const struct archive_reader archive_zip = {open_zip, next, read_member, tell, close_zip};
