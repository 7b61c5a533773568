/* buf.h - a growing byte buffer with a mandatory cap. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>

#include "base/err.h"

struct buf {
	char *data;  /* NUL-terminated whenever it is not NULL */
	size_t len;  /* without the NUL */
	size_t size; /* allocated */
	size_t cap;  /* most bytes it may hold */
	int failed;  /* sticky: a write was refused, later ones are ignored; check once at the end with buf_check() */
};

void buf_init(struct buf *b, size_t cap);
void buf_release(struct buf *b);
void buf_clear(struct buf *b); /* empty, keeps the memory */

int buf_add(struct buf *b, const void *p, size_t n);
int buf_puts(struct buf *b, const char *s);
int buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A word for a shell: in quotes where it needs them. */
void buf_quote(struct buf *b, const char *s);

/* 0, or ERR_LIMIT / ERR_MEMORY with a message when any write to b failed. */
int buf_check(const struct buf *b, struct err *e);

/* Reads a whole regular file of at most cap bytes.  b must be initialised; its cap is replaced. */
int buf_read_file(struct buf *b, const char *path, size_t cap, struct err *e);

/* Writes all of it to a descriptor; 0, or -1 with errno. */
int buf_write_fd(int fd, const void *p, size_t n);

/* Writes a whole file through a temporary name in the same folder, then renames it: never half a file. */
int buf_write_file(const void *p, size_t n, const char *path, struct err *e);

/* The ending of a word that is counted: "%zu node%s", n, PLURAL(n). */
#define PLURAL(n) ((n) == 1 ? "" : "s")

#endif
