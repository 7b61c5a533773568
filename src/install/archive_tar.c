/* archive_tar.c - tar archives compressed by gzip, as npm packs them; see archive.h.
 *
 * Read are the ustar format and, of pax headers, the path of the next member.  Whatever else a header may say of a
 * member (owners, times, devices) is of no use here.  Links and devices come out as such by their modes. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/mem.h"
#include "install/archive.h"

#define BLOCK 512
#define MAX_PAX 65536
#define MAX_NAME 4096
#define MAX_SIZE (UINT64_C(1) << 40)

/* Of a header: where its fields are. */
enum { AT_NAME = 0, AT_MODE = 100, AT_SIZE = 124, AT_SUM = 148, AT_TYPE = 156, AT_MAGIC = 257, AT_PREFIX = 345 };
enum { NAME_BYTES = 100, MODE_BYTES = 8, SIZE_BYTES = 12, SUM_BYTES = 8, PREFIX_BYTES = 155 };

struct tar_reader {
	gzFile file;
	uint64_t left, padding; /* bytes of the member that are not read yet, and behind it */
	uint64_t total;         /* bytes of the compressed file */
	char name[MAX_NAME];
	char pax[MAX_PAX + 1];
};

static void *open_tar(const char *path, struct err *e)
{
	struct tar_reader *r = mem_zalloc(sizeof *r);
	struct stat st;

	if (!r) {
		err_nomem(e, "an archive", sizeof *r);
		return NULL;
	}
	r->file = gzopen(path, "rb");
	if (!r->file || stat(path, &st)) {
		err_set(e, ERR_IO, "cannot open '%s'", path);
		if (r->file)
			gzclose(r->file);
		mem_free(r);
		return NULL;
	}
	r->total = (uint64_t)st.st_size;
	return r;
}

/* Exactly n bytes. */
static int read_bytes(struct tar_reader *r, void *to, size_t n, struct err *e)
{
	int code, got = gzread(r->file, to, (unsigned)n);

	if (got == (int)n)
		return 0;
	return got < 0 ? err_set(e, ERR_INPUT, "%s", gzerror(r->file, &code))
		       : err_set(e, ERR_INPUT, "the archive ends inside of a member");
}

static int skip_bytes(struct tar_reader *r, uint64_t n, struct err *e)
{
	char block[BLOCK];
	int rc = 0;

	for (size_t step; n && !rc; n -= step) {
		step = n < sizeof block ? (size_t)n : sizeof block;
		rc = read_bytes(r, block, step, e);
	}
	return rc;
}

/* An octal number of a header; blanks may stand before it, a blank or a zero byte behind it. */
static int octal(const unsigned char *field, size_t n, uint64_t *out)
{
	size_t i = 0;

	*out = 0;
	while (i < n && field[i] == ' ')
		i++;
	for (; i < n && field[i] >= '0' && field[i] <= '7'; i++)
		*out = *out << 3 | (uint64_t)(field[i] - '0');
	return i == n || !field[i] || field[i] == ' ';
}

/* The sum of all bytes, those of the sum itself taken as blanks. */
static int sum_is_right(const unsigned char *h)
{
	uint64_t wanted, sum = 0;

	for (int i = 0; i < BLOCK; i++)
		sum += i >= AT_SUM && i < AT_SUM + SUM_BYTES ? ' ' : h[i];
	return octal(h + AT_SUM, SUM_BYTES, &wanted) && wanted == sum;
}

static int is_zero(const unsigned char *h)
{
	for (int i = 0; i < BLOCK; i++)
		if (h[i])
			return 0;
	return 1;
}

/* "prefix/name", each of which may fill its field without a zero byte. */
static void set_name(struct tar_reader *r, const unsigned char *h)
{
	char prefix[PREFIX_BYTES + 1] = "", name[NAME_BYTES + 1] = "";

	if (!memcmp(h + AT_MAGIC, "ustar", 5))
		memcpy(prefix, h + AT_PREFIX, PREFIX_BYTES);
	memcpy(name, h + AT_NAME, NAME_BYTES);
	snprintf(r->name, sizeof r->name, "%s%s%s", prefix, *prefix ? "/" : "", name);
}

/* Of the records "LENGTH KEY=VALUE\n" the path, if there is one, as the next member's name. */
static int read_path(struct tar_reader *r, size_t n, struct err *e)
{
	static const char key[] = "path=";

	for (size_t at = 0; at < n;) {
		size_t length = 0, digits = 0;

		for (; at + digits < n && r->pax[at + digits] >= '0' && r->pax[at + digits] <= '9' && digits < 6;
		     digits++)
			length = length * 10 + (size_t)(r->pax[at + digits] - '0');
		if (!digits || length < digits + 2 || length > n - at || r->pax[at + digits] != ' ' ||
		    r->pax[at + length - 1] != '\n')
			return err_set(e, ERR_INPUT, "a pax header that makes no sense");
		if (!strncmp(r->pax + at + digits + 1, key, sizeof key - 1)) {
			size_t value = digits + sizeof key, size = length - value - 1;

			if (length < value + 1 || size >= sizeof r->name || memchr(r->pax + at + value, '\0', size))
				return err_set(e, ERR_INPUT, "a path that is too long, or has a zero byte in it");
			memcpy(r->name, r->pax + at + value, size);
			r->name[size] = '\0';
		}
		at += length;
	}
	return 0;
}

static int read_pax(struct tar_reader *r, struct err *e)
{
	size_t n = (size_t)r->left;
	int rc = r->left > MAX_PAX ? err_set(e, ERR_LIMIT, "a pax header of more than %d bytes", MAX_PAX) : 0;

	if (!rc)
		rc = read_bytes(r, r->pax, n, e);
	if (!rc)
		rc = skip_bytes(r, r->padding, e);
	r->pax[rc ? 0 : n] = '\0';
	r->left = r->padding = 0;
	return rc ? rc : read_path(r, n, e);
}

/* Type and permissions as stat() would say them; what is neither a file nor a folder counts as a link, which nobody
 * unpacks. */
static unsigned mode_of(char type, uint64_t permissions)
{
	unsigned kind = S_IFLNK;

	if (type == '0' || !type || type == '7')
		kind = S_IFREG;
	if (type == '5')
		kind = S_IFDIR;
	return kind | (unsigned)(permissions & 07777);
}

static int read_header(struct tar_reader *r, unsigned char h[BLOCK], uint64_t *permissions, struct err *e)
{
	uint64_t size;

	if (!sum_is_right(h) || !octal(h + AT_SIZE, SIZE_BYTES, &size) ||
	    !octal(h + AT_MODE, MODE_BYTES, permissions) || size > MAX_SIZE)
		return err_set(e, ERR_INPUT, "not a tar archive, or a damaged one");
	r->left = size;
	r->padding = (BLOCK - size % BLOCK) % BLOCK;
	return 0;
}

/* A folder's name ends in '/', as it does in a zip archive. */
static int end_folder_name(struct tar_reader *r, struct err *e)
{
	size_t n = strlen(r->name);

	if (n && r->name[n - 1] == '/')
		return 0;
	if (n + 1 >= sizeof r->name)
		return err_set(e, ERR_LIMIT, "a name of more than %zu bytes", sizeof r->name - 2);
	memcpy(r->name + n, "/", 2);
	return 0;
}

static enum archive_next next(void *a, struct archive_member *out, struct err *e)
{
	struct tar_reader *r = a;
	unsigned char h[BLOCK];
	uint64_t permissions = 0;
	int named = 0; /* by a pax header */

	if (skip_bytes(r, r->left + r->padding, e))
		return ARCHIVE_FAILED;
	r->left = r->padding = 0;
	for (;;) {
		char type;

		if (read_bytes(r, h, BLOCK, e))
			return ARCHIVE_FAILED;
		if (is_zero(h))
			return ARCHIVE_END;
		if (read_header(r, h, &permissions, e))
			return ARCHIVE_FAILED;
		type = (char)h[AT_TYPE];
		if (type != 'x' && type != 'g') {
			if (!named)
				set_name(r, h);
			out->name = r->name;
			out->mode = mode_of(type, permissions);
			return type == '5' && end_folder_name(r, e) ? ARCHIVE_FAILED : ARCHIVE_MEMBER;
		}
		*r->name = '\0';
		if (read_pax(r, e))
			return ARCHIVE_FAILED;
		named = type == 'x' && *r->name; /* 'g' is about all members: no path makes sense there */
	}
}

static int read_member(void *a, void *to, size_t size, size_t *got, struct err *e)
{
	struct tar_reader *r = a;
	size_t n = r->left < size ? (size_t)r->left : size;
	int rc = n ? read_bytes(r, to, n, e) : 0;

	if (rc)
		return rc;
	r->left -= n;
	*got = n;
	return 0;
}

static void tell(void *a, uint64_t *done, uint64_t *total)
{
	const struct tar_reader *r = a;
	z_off_t at = gzoffset(r->file);

	*done = at > 0 ? (uint64_t)at : 0;
	*total = r->total;
}

static void close_tar(void *a)
{
	struct tar_reader *r = a;

	gzclose(r->file);
	mem_free(r);
}

const struct archive_reader archive_tar = {open_tar, next, read_member, tell, close_tar};
