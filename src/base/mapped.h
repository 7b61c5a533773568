/* mapped.h - files in memory without a copy: pages are read when they are needed, and the system may drop them again.
 *
 * A file that becomes shorter while it is mapped, or a disk that fails, would kill a process that reads it (SIGBUS).
 * Here such a page reads as zeros and mapped_check() says so; whoever has computed something of mapped bytes calls it
 * before the result is believed.  Faults elsewhere go to the handler that was there before. */
#ifndef BASE_MAPPED_H
#define BASE_MAPPED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MAPPED_LEAST \
	((size_t)16 << 20) /* bytes; what is smaller is read: a fault for each page costs more than a copy */

struct mapped;

/* For main(): from here on files are mapped, and the program has a handler for SIGBUS.  Before, all is read. */
void mapped_allow(void);

/* `bytes` at `offset` of an open file, which may be closed then; `name` is said in errors.  NULL, and nothing in an
 * err, where that is not possible (not allowed, too many at once): the caller reads the file. */
struct mapped *mapped_open(int fd, uint64_t offset, size_t bytes, const char *name);
const void *mapped_data(const struct mapped *m);
void mapped_close(void *m); /* a struct mapped, as owners of memory go */

/* ERR_IO when bytes of a file that is mapped now could not be read. */
int mapped_check(struct err *e);

#endif
