/* trials.h - cases, backends and verdicts for tests.  What fails ends the test. */
#ifndef TESTS_SUPPORT_TRIALS_H
#define TESTS_SUPPORT_TRIALS_H

#include "judge/trial.h"

/* A line of model/case.h as a trial, with inputs of a seed. */
struct trial trials_line(const char *line, uint64_t seed);

struct party trials_open(const char *name);
/* The worker of support/workers.h, told what RUN is to do. */
struct party trials_open_faulty(const char *run, const struct worker_limits *limits);

/* The verdict must be the one that is wanted; outcome_release(). */
void trials_judge(struct trial *t, struct party *p, enum verdict wanted, struct outcome *o);

#endif
