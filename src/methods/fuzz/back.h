/* back.h - gradients of a campaign's cases: `fuzz --gradients`. */
#ifndef METHODS_FUZZ_BACK_H
#define METHODS_FUZZ_BACK_H

#include "judge/trial.h"
#include "triage/triage.h"

/* Where a backend's values are right its gradients are asked for; when these are a finding *o is theirs, else it stays
 * as it is.  The parties must be the caller's (runner_hold()). */
int fuzz_judge_gradients(struct trial *t, struct party *p, const struct judge_options *judge, struct outcome *o,
			 struct err *e);

/* As keep_case(); of gradients the node that shows them is kept, alone. */
int fuzz_keep_gradients(struct keeper *k, struct trial *t, struct party *p, struct outcome *o, struct kept *out,
			struct err *e);

#endif
