/* kinds.h - enough of a kind: findings that look like one that this run has seen before are counted, and not looked
 * into again.
 *
 * What makes two look alike is the method's to say, in a text, before anything costly is done with them.  The store has
 * a cap of its own for each signature, over all runs (keep.c). */
#ifndef TRIAGE_KINDS_H
#define TRIAGE_KINDS_H

#include "base/err.h"
#include "base/map.h"

struct kinds {
	struct map counts; /* of each kind, as pointer-sized numbers */
	size_t first;      /* of a kind that are taken in any case; 0: 2 */
	int doubling;      /* after that, each time their number has doubled */
};

/* Counts one more of a kind; *take: it is to be looked into. */
int kinds_take(struct kinds *k, const char *kind, int *take, struct err *e);
void kinds_release(struct kinds *k); /* zeroed is fine */

#endif
