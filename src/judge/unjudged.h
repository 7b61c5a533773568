/* unjudged.h - what can be said of an answer where the reference has none: it may be suspicious, and two libraries may
 * differ by more than any rounding.  Nobody is called wrong. */
#ifndef JUDGE_UNJUDGED_H
#define JUDGE_UNJUDGED_H

#include "judge/trial.h"

/* Two answers differ from each other when some element is further apart than this share of the largest magnitude on
 * either side (integers and bools: when a larger share of the elements is not equal).  No rounding of a sound network
 * moves a whole output that far, whatever the types inside. */
#define UNJUDGED_APART 0.1

/* Whether the reference cannot run a case: the status that trial_truth() then has. */
int unjudged_status(int rc);

/* The verdict `unjudged` on values that came; why: the reference's words.  NaN where all inputs are finite makes it
 * suspicious, and the reason names the element. */
void outcome_leave_unjudged(const struct trial *t, const struct err *why, struct outcome *o);

/* The same where it refused a case (o->reason has its words): whether that is valid, nobody knows. */
void outcome_leave_refused(const struct trial *t, const struct err *why, struct outcome *o);

/* One sentence on how two answers to one case differ from each other beyond any tolerance; "" when they do not.  What
 * is random by specification is not compared. */
int unjudged_compare(const struct graph *g, const struct outcome *a, const struct outcome *b, char *out, size_t size,
		     struct err *e);

#endif
