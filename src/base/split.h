/* split.h - one part of a list of work that several machines share: "3/8" is the third of eight.
 *
 * Item i belongs to part i mod n.  So the parts of one list have no item in common, together they have all of them, and
 * their sizes differ by one at most. */
#ifndef BASE_SPLIT_H
#define BASE_SPLIT_H

#include <stdint.h>

#include "base/err.h"

#define SPLIT_MOST 1000000 /* parts */

struct split {
	int64_t at, of; /* at: from 0; of 0: not split, which is the same as one part */
};

/* "K/N", K from 1 to N; ERR_USAGE otherwise. */
int split_parse(const char *text, struct split *out, struct err *e);

/* Whether this part has item i of the whole list. */
static inline int split_has(const struct split *s, uint64_t i)
{
	return s->of < 2 || i % (uint64_t)s->of == (uint64_t)s->at;
}

/* Which item of the whole list the part's own item j is. */
static inline int64_t split_whole(const struct split *s, int64_t j)
{
	return s->of < 2 ? j : j * s->of + s->at;
}

/* … and back, for an item that the part has. */
static inline int64_t split_own(const struct split *s, int64_t i)
{
	return s->of < 2 ? i : i / s->of;
}

#endif
