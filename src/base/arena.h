/* arena.h - memory that dies together.
 *
 * A graph owns one arena: nodes, names and attributes are carved from it and are never freed one by one.  An arena has
 * a cap, since what fills it comes from files. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t used;                /* bytes handed out */
	size_t cap;                 /* most bytes to hand out; 0: no cap */
};

#define ARENA_INIT         \
	{                  \
		NULL, 0, 0 \
	}

void arena_init(struct arena *a, size_t cap);
void arena_release(struct arena *a); /* frees everything; the arena is usable again */

/* Keeps the newest block and forgets what was carved: for scratch memory that is used again and again. */
void arena_reset(struct arena *a);

/* NULL when the cap or the heap is exhausted.  16-byte aligned. */
void *arena_alloc(struct arena *a, size_t n);                  /* uninitialised */
void *arena_zalloc(struct arena *a, size_t n);                 /* zeroed */
void *arena_array(struct arena *a, size_t count, size_t size); /* zeroed; NULL on overflow */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n); /* copies n bytes, adds a NUL */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
