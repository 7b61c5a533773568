/* model_job.c - see model_job.h. */
#include "cli/model_job.h"

#include "base/progress.h"

static void print_list(const struct model_job *j)
{
	cli_print_json(j->out, json_incref(json_array_size(j->list) == 1 ? json_array_get(j->list, 0) : j->list));
}

int model_job_main(struct model_job *j, struct cli *c, const struct cli_option *options, model_job_run *run, void *arg,
		   const int *json)
{
	struct texts models = {0};
	struct err e = ERR_INIT;
	int rc, status;

	c->notes = dataset_notes;
	rc = cli_parse(c, options, &models, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	j->out = c->out;
	j->list = json_array();
	buf_init(&j->command, 65536);
	cli_command(c, NULL, &j->command);
	j->keeper.command = j->command.data ? j->command.data : "";
	if (!models.n)
		rc = err_set(&e, ERR_USAGE, "%s needs at least one model; see 'assay help %s'", c->verb, c->verb);
	if (!rc)
		rc = run(&models, arg, &e);
	status = rc ? cli_fail(&e) : j->findings ? CLI_FINDINGS : CLI_OK;
	if (!rc && *json)
		print_list(j);
	json_decref(j->list);
	keeper_close(&j->keeper);
	quirks_release(&j->quirks);
	spec_list_release(&j->specs);
	buf_release(&j->command);
	vec_release(&models);
	return status;
}

int model_job_each(const struct texts *models, const struct dataset_options *o, uint64_t seed, model_job_fn *fn,
		   void *arg, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < models->n && !rc; i++) {
		struct dataset data = {0};
		struct trial t = {0};

		rc = dataset_open(models->at[i], o, seed, &data, &t, e);
		if (!rc)
			cli_warn_of(t.model);
		if (!rc)
			rc = fn(models->at[i], &t, &data, arg, e);
		trial_release(&t);
		dataset_release(&data);
	}
	return rc;
}

void model_job_progress(const char *backend, size_t done, size_t total, void *arg)
{
	struct progress *p = arg;

	p->total = total;
	progress_step(p, done, backend);
}
