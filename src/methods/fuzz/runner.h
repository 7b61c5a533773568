/* runner.h - runs cases on backends in a thread of its own, so that the next case is made meanwhile.
 *
 * One case at a time is with the runner; until runner_wait() it belongs to the runner's thread, and so do the parties.
 */
#ifndef METHODS_FUZZ_RUNNER_H
#define METHODS_FUZZ_RUNNER_H

#include "judge/trial.h"

struct runner;

/* Opens a party for each backend. */
int runner_new(const struct worker_spec *specs, size_t n, struct runner **out, struct err *e);
void runner_free(struct runner *r); /* NULL is fine; waits for the case at hand */
void runner_start(struct runner *r, struct trial *t);
/* The outcomes of the case that was started, one a party, not judged: trial_judge_values() does.  The caller releases
 * each; the array is the runner's. */
int runner_wait(struct runner *r, struct outcome **out, struct err *e);
struct party *runner_party(struct runner *r, size_t i); /* while no case is with the runner */

#endif
