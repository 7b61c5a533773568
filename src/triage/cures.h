/* cures.h - sets of settings with which a finding is gone, none of them with a needless member.
 *
 * Settings are numbers here; whoever asks knows what they stand for.  A set that is enough is not the cause: a fusion
 * that is computed wrong goes with its own pass, and as well with the pass that makes room for it. */
#ifndef TRIAGE_CURES_H
#define TRIAGE_CURES_H

#include <stddef.h>

#include "base/err.h"

#define CURE_ITEMS 128 /* settings there may be */
#define CURES_MAX 6    /* sets that are looked for */

struct cure {
	unsigned char at[CURE_ITEMS]; /* in ascending order */
	size_t n;
};

struct cures {
	struct cure at[CURES_MAX]; /* smaller sets first */
	size_t n;
};

/* *gone: the finding is gone with all settings of the set. */
typedef int cure_fn(void *arg, const struct cure *set, int *gone, struct err *e);

/* For few settings: every one that is enough alone; without such a one every pair; without a pair a set out of all. */
int cures_of_few(size_t n, cure_fn *ask, void *arg, struct cures *out, struct err *e);
/* For many: sets that share nothing, by halves, until what is left does not do.  Every one that is enough alone is
 * among them, for a set without needless members has no such one in it. */
int cures_of_many(size_t n, cure_fn *ask, void *arg, struct cures *out, struct err *e);

/* *there: the finding is there with the settings of the set alone, all others changed. */
typedef int maker_fn(void *arg, const struct cure *set, int *there, struct err *e);

/* What makes it, from the members of the cures: one setting that does so alone, or without such a one a pair, or
 * without a pair a set without needless members.  All members together make it where the cures are all there are; *out
 * is empty where they do not. */
int cures_maker(const struct cures *cures, maker_fn *ask, void *arg, struct cure *out, struct err *e);

#endif
