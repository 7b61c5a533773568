/* batch.h - several small cases run as one model, for libraries that take long to compile whatever they are given.
 *
 * Answers are told apart again.  A batch that is refused is halved, down to single cases, and one that kills its
 * process is run case by case, so that a refusal or a death is that of a case alone.  What was run in a batch and does
 * not look right is to be run alone before anything is said of it: batch_holds() tells. */
#ifndef JUDGE_BATCH_H
#define JUDGE_BATCH_H

#include "judge/trial.h"

#define BATCH_NODES 3 /* most of a case: others take longer than what is saved */

/* Whether two cases may be in one batch; a case and itself: whether it may be in any. */
int batch_fits(const struct trial *a, const struct trial *b);

/* As party_run() for each of n cases that fit together: outcomes[i] is that of cases[i], zeroed before.  joined[i]: 1
 * where it came from a batch of several. */
int batch_run(struct party *p, struct trial *const *cases, size_t n, struct outcome *const *outcomes,
	      unsigned char *joined, struct err *e);

/* Whether what a batch gave for a case, once it was judged by trial_judge_values(), is as good as what the case gives
 * alone: it is right, and nothing had to be explained. */
int batch_holds(const struct outcome *o);

#endif
