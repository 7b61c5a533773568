/* model_job.h - what verbs over models share: models with their data, findings that are kept, and a list of reports. */
#ifndef CLI_MODEL_JOB_H
#define CLI_MODEL_JOB_H

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/progress.h"
#include "base/split.h"
#include "base/tally.h"
#include "case/dataset.h"
#include "cli/cli.h"
#include "methods/check/check.h"
#include "triage/triage.h"
#include "worker/parent/quirks.h"

/* A line of the summary: what came of a model on a backend, or of a model that could not be run at all. */
struct model_line {
	const char *model, *backend, *verdict, *note; /* the job's own copies */
	int judges;                                   /* `tally` counts */
	struct tally tally;
};

struct model_job {
	struct keeper keeper; /* of findings; the verb sets method and judge */
	struct buf command;   /* as it was typed */
	struct spec_list specs;
	struct party *parties; /* by specs, between two models: a library is started once for all of them */
	struct quirks quirks;
	FILE *out;
	struct progress bar; /* of the model at hand; to be ended before anything is printed */
	json_t *list;
	int no_store, json;
	uint64_t seed;
	struct split split;    /* which of the models */
	int findings, failed;  /* a model that failed does not keep the others from being run */
	struct tally *tallies; /* by specs; model_job_note() makes them */
	VEC(struct model_line) lines;
	struct arena arena;
};

/* A verb from its options to its exit status: parses, runs with the models that were named, prints the reports as JSON
 * when *json (one as an object, several as an array). */
typedef int model_job_run(const struct texts *models, void *arg, struct err *e);
int model_job_main(struct model_job *j, struct cli *c, const struct cli_option *options, model_job_run *run, void *arg,
		   const int *json);

/* What came of a model on backend number i of the specs, for the tables at the end; t NULL: nothing was to be judged.
 */
int model_job_note(struct model_job *j, const char *model, size_t i, enum verdict v, const char *note,
		   const struct tally *t, struct err *e);

/* One model after the other.  Of several, one that fails is reported, and the others are run. */
typedef int model_job_fn(const char *name, struct trial *t, const struct dataset *data, void *arg, struct err *e);
int model_job_each(struct model_job *j, const struct texts *models, const struct dataset_options *o, uint64_t seed,
		   model_job_fn *fn, void *arg, struct err *e);

/* A data set as check takes it; d and o are borrowed. */
struct check_data model_job_data(const struct dataset *d, const struct dataset_options *o);

/* A model on all backends of the specs, with a bar, which goes on behind it: j->bar.  The result is released by
 * model_job_checked(), which keeps its backends for the next model. */
int model_job_check(struct model_job *j, const struct worker_limits *limits, struct trial *t,
		    const struct check_data *data, const struct check_options *o, struct check_result *out,
		    struct err *e);
void model_job_checked(struct model_job *j, struct check_result *r); /* zeroed is fine */

/* For a method's progress: arg is a struct progress. */
void model_job_progress(const char *backend, size_t done, size_t total, void *arg);

#endif
