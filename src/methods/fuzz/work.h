/* work.h - what one process of a campaign has at hand; for work.c and conclude.c. */
#ifndef METHODS_FUZZ_WORK_H
#define METHODS_FUZZ_WORK_H

#include "methods/fuzz/campaign.h"
#include "methods/fuzz/known.h"
#include "methods/fuzz/later.h"
#include "methods/fuzz/runner.h"
#include "triage/triage.h"

struct work {
	const struct campaign_options *o;
	struct fuzz_exchange *exchange; /* with the other processes */
	int job, fd;
	struct fuzzer *fuzzer;
	struct runner *runner;
	struct flight flights[RUNNER_DEPTH + 1]; /* a ring: those with the runner, and the one that is made */
	size_t made, landed;                     /* ever growing; flight k is in place k % (RUNNER_DEPTH + 1) */
	struct keeper keeper;
	struct known known;
	struct later later;
	struct fusion fusion;
	const char *fused; /* the next line of o->fused */
	int64_t next;      /* the first of this process's cases behind all that have landed */
	double start;
};

/* conclude.c: judges what one backend made of a case, and says what it comes to.  `joined`: it was run together with
 * others, so that all but a right answer is asked for again, alone. */
int work_judge(struct work *w, struct trial *t, struct party *p, int joined, struct outcome *o, struct err *e);
int work_conclude(struct work *w, struct flight *f, struct outcome *all, size_t i, struct err *e);

#endif
