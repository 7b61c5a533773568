/* shards.h - who makes which case, and what it knows of the others by then.
 *
 * Case i belongs to shard i mod n, in its round i / n.  A shard has a search tree and a coverage of its own; jobs share
 * the shards among them, and make the cases of theirs.  At set rounds each shard learns what all shards covered before:
 * up to one round ago at first (0, 1, 2 …), later, at rounds an eighth of their number apart, up to a quarter of all
 * rounds ago.  That is the same for any number of jobs, and a job waits only for one that has made less than three
 * quarters of the rounds that it has.
 *
 * A shard alone (n = 1) knows all that was before. */
#ifndef METHODS_FUZZ_SHARDS_H
#define METHODS_FUZZ_SHARDS_H

#include "methods/fuzz/fuzz.h"

struct shard {
	struct coverage *seen;
	struct chooser *chooser;
	struct coverage_figures figures; /* as it knows them */
};

struct shards; /* of one job */

/* o: shards, job, jobs, exchange and how shards search. */
int shards_new(const struct corpus *c, const struct fuzz_options *o, int max_spc, struct shards **out, struct err *e);
void shards_free(struct shards *s);
int64_t shards_index(const struct shards *s); /* of the job's next case */
struct shard *shards_of(struct shards *s, int64_t index);
int shards_are_ready(const struct shards *s); /* the next case can be made */
/* What is known before the first case. */
int shards_learn(struct shards *s, const char *notes, struct err *e);
/* Around the making of each case, once they are ready. */
int shards_begin(struct shards *s, struct err *e);
int shards_end(struct shards *s, struct err *e);

#endif
