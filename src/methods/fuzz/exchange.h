/* exchange.h - what the jobs of a campaign tell each other: which cases they have made, and what was new in them.
 *
 * Each job writes into a file of its own in memory, and says how far it is in memory that all share.  Nobody waits
 * here, and a job that is killed leaves nothing behind.  Made before the processes are started. */
#ifndef METHODS_FUZZ_EXCHANGE_H
#define METHODS_FUZZ_EXCHANGE_H

#include "methods/fuzz/fuzz.h"

struct fuzz_exchange;

/* How far somebody has read; zeroed: nothing yet. */
struct exchange_reader {
	int64_t at[FUZZ_MAX_JOBS]; /* bytes */
};

int exchange_new(int jobs, struct fuzz_exchange **out, struct err *e);
void exchange_free(struct fuzz_exchange *x);
/* What was new in a case, in order of the job's cases. */
int exchange_put(struct fuzz_exchange *x, int job, int64_t index, const struct coverage_news *news, struct err *e);
/* The job has made all of its cases before `next`. */
void exchange_reach(struct fuzz_exchange *x, int job, int64_t next);
int64_t exchange_reached(const struct fuzz_exchange *x); /* by the slowest job */
/* Adds what was told of cases before `limit`, and not read before. */
int exchange_read(const struct fuzz_exchange *x, struct exchange_reader *r, int64_t limit, struct coverage *into,
		  struct err *e);

#endif
