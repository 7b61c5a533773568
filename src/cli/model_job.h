/* model_job.h - what verbs over models share: models with their data, findings that are kept, and a list of reports. */
#ifndef CLI_MODEL_JOB_H
#define CLI_MODEL_JOB_H

#include <jansson.h>

#include "base/buf.h"
#include "case/dataset.h"
#include "cli/cli.h"
#include "triage/triage.h"
#include "worker/parent/quirks.h"

struct model_job {
	struct keeper keeper; /* of findings; the verb sets method and judge */
	struct buf command;   /* as it was typed */
	struct spec_list specs;
	struct quirks quirks;
	FILE *out;
	json_t *list;
	int findings;
};

/* A verb from its options to its exit status: parses, runs with the models that were named, prints the reports as JSON
 * when *json (one as an object, several as an array). */
typedef int model_job_run(const struct texts *models, void *arg, struct err *e);
int model_job_main(struct model_job *j, struct cli *c, const struct cli_option *options, model_job_run *run, void *arg,
		   const int *json);

/* One model after the other. */
typedef int model_job_fn(const char *name, struct trial *t, const struct dataset *data, void *arg, struct err *e);
int model_job_each(const struct texts *models, const struct dataset_options *o, uint64_t seed, model_job_fn *fn,
		   void *arg, struct err *e);

/* For a method's progress: arg is a struct progress. */
void model_job_progress(const char *backend, size_t done, size_t total, void *arg);

#endif
