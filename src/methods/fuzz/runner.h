/* runner.h - runs cases on backends in a thread of its own, so that others are made and judged meanwhile.
 *
 * Up to RUNNER_DEPTH cases are with the runner; until runner_take() they belong to its thread, and so do the parties,
 * unless it is held. */
#ifndef METHODS_FUZZ_RUNNER_H
#define METHODS_FUZZ_RUNNER_H

#include "judge/trial.h"

#define RUNNER_BATCH 8                  /* cases that a library which compiles long is given at once (judge/batch.h) */
#define RUNNER_DEPTH (2 * RUNNER_BATCH) /* most: one batch is run, and the next is at hand when it ends */

struct runner;

/* Opens a party for each backend.  `joins`: libraries that take long to compile (library.blocks) are given several
 * cases as one model. */
int runner_new(const struct worker_spec *specs, size_t n, int joins, struct runner **out, struct err *e);
size_t runner_depth(const struct runner *r); /* cases that may be with it */
void runner_free(struct runner *r);          /* NULL is fine; waits for the case at hand */
size_t runner_count(const struct runner *r); /* cases that are with the runner */
/* Of those, cases that wait for others of their batch.  To take one of them sends the batch as it is. */
size_t runner_unsent(const struct runner *r);
void runner_give(struct runner *r, struct trial *t); /* fewer than runner_depth() are */
/* The outcomes of the case that was given first, one a party, not judged: trial_judge_values() does.  The caller
 * releases each, unless it failed; the array is the runner's, until the next runner_take(). */
int runner_take(struct runner *r, struct outcome **out, struct err *e);
/* Whether party i ran the case that was taken last together with others. */
int runner_joined(const struct runner *r, size_t i);
/* Waits for the case that is being run and lets no other begin: the parties are the caller's until the release. */
void runner_hold(struct runner *r);
void runner_release(struct runner *r);
/* While it is held, or no case is with it; what does not change, as its name, at any time. */
struct party *runner_party(struct runner *r, size_t i);

#endif
