/* archive.h - the members of an archive, one after the other: zip (wheels, jars), or tar compressed by gzip (npm).
 *
 * Archives come from outside.  What is said here of a member is what the archive says: whoever uses it checks names,
 * modes and sizes. */
#ifndef INSTALL_ARCHIVE_H
#define INSTALL_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct archive_member {
	const char *name; /* until the next one; of a folder it ends in '/' */
	unsigned mode;    /* Unix, with the type (S_IFLNK, …); 0 where the archive was made elsewhere */
};

enum archive_next { ARCHIVE_FAILED = -1, ARCHIVE_END, ARCHIVE_MEMBER };

/* One kind of archive.  Every function may be called after the open() of the same row alone. */
struct archive_reader {
	void *(*open)(const char *path, struct err *e); /* NULL on failure */
	enum archive_next (*next)(void *a, struct archive_member *out, struct err *e);
	/* The next bytes of the member; *got is 0 at its end, where its checksum, if it has one, was compared. */
	int (*read)(void *a, void *to, size_t size, size_t *got, struct err *e);
	void (*tell)(void *a, uint64_t *done, uint64_t *total); /* how far it is read, in whatever unit */
	void (*close)(void *a);
};

extern const struct archive_reader archive_zip, archive_tar;

#endif
