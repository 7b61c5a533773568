/* progress.h - how far a run has come, beside its counts: coverage, and how many failures came again. */
#ifndef STORE_PROGRESS_H
#define STORE_PROGRESS_H

#include <math.h>

#include "store/store.h"

/* Coverage is what the method's screen calls so: `assay fuzz` has OLC in percent, `equiv` the percentage of operations
 * with a valid call, `search` the number of kinds of operators where NaN begins. */
struct store_progress {
	double coverage;         /* NAN: none is known */
	int64_t repeats, agreed; /* failures that were run again; of those, it was the same */
};

#define STORE_NO_PROGRESS ((struct store_progress){.coverage = NAN})

/* What a campaign of the store has come to after so many seconds: points of its curves. */
int store_add_progress(struct store *s, int64_t campaign, double seconds, const struct store_progress *p,
		       struct err *e);
/* What was added last. */
int store_last_progress(struct store *s, int64_t campaign, struct store_progress *out, struct err *e);

/* Two parts of one work: the better coverage, since what they have covered may be the same; all repeats. */
void store_join_progress(struct store_progress *p, const struct store_progress *more);

#endif
