/* order.h - the file of a campaign: which methods run on which backends, and how the time is shared.
 *
 *     time: 8h                      in all; what was spent before an interruption counts
 *     jobs: 16                      tasks at a time (default: one a processor)
 *     slice: 5m                     time of one task (default: 5m)
 *     seeds: [0, 1]                 (default: 0)
 *     backends: [ort, openvino]     of methods that name none
 *     methods:
 *       - method: fuzz
 *         share: 60                 of the time, against the shares of the others (default: 1)
 *         backends: [ort]
 *         shards: 1000              parts of a seed's work, one a task (default: by method)
 *         corpus: large             fuzz: --corpus
 *         options: [--gradients]    further words of the command line
 *       - method: check
 *         models: [a.onnx, b.onnx]
 *     slurm: [--partition=long]     further words for sbatch
 *
 * A line is a method of the file on one of its backends: what the time is shared between.  Its work is a row of tasks:
 * shard 1/N of the first seed, shard 2/N of it, …, then those of the next seed.  Those whose slice was not enough get
 * further ones when all have had one. */
#ifndef METHODS_CAMPAIGN_ORDER_H
#define METHODS_CAMPAIGN_ORDER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/split.h"

#define ORDER_MOST_JOBS 4096

struct order_words {
	char **at;
	unsigned n;
};

/* As it stands in the file; all but `method` may be NULL or 0. */
struct order_part {
	char *method, *corpus, *slice;
	double share;
	int shards;
	struct order_words backends, models, options;
};

struct order_file {
	char *time, *slice;
	int jobs;
	int64_t *seeds;
	unsigned seeds_count;
	struct order_words backends, slurm;
	struct order_part *methods;
	unsigned methods_count;
};

struct order_line {
	const struct order_part *part;
	const char *backend;
	double share; /* of 1, over all lines */
	double slice; /* seconds */
	int64_t shards;
};

struct campaign_order {
	struct order_file *file;
	struct order_line *lines;
	size_t n;
	double seconds; /* in all */
	size_t jobs;
	const int64_t *seeds;
	size_t n_seeds;
};

int order_read(const char *path, struct campaign_order *out, struct err *e);
void order_release(struct campaign_order *o); /* zeroed is fine */

/* How many tasks a line has; the seed and the part of its k-th. */
int64_t order_tasks(const struct campaign_order *o, size_t line);
uint64_t order_seed(const struct campaign_order *o, size_t line, int64_t k);
struct split order_split(const struct campaign_order *o, size_t line, int64_t k);

/* Whether a task of this line whose slice is over goes on in another one; the seconds of that: more where those before,
 * or the last ones (stalls), brought nothing to go on from. */
int order_goes_on(const struct campaign_order *o, size_t line);
double order_slice(const struct campaign_order *o, size_t line, int slices, int stalls);

/* "fuzz ort" */
void order_name(const struct campaign_order *o, size_t line, char *out, size_t size);

/* What the coverage of this line's tasks counts, "% OLC" say; NULL: its method has none. */
const char *order_coverage(const struct campaign_order *o, size_t line);

/* What must not change while a campaign goes on: all but the total time, the number of jobs and Slurm's words. */
uint64_t order_print(const struct campaign_order *o);

/* The command line of a task, a word each: appended with a NUL behind each word.  `folder`: of the task. */
struct order_task {
	size_t line;
	uint64_t seed;
	struct split split;
	double slice;
	const char *folder;
};
void order_command(const struct campaign_order *o, const struct order_task *t, struct buf *out);

#endif
