/* cmd_check.c - assay check: one or more models on several backends, compared, judged, localized. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/backends.h"
#include "cli/check_print.h"
#include "cli/cli.h"
#include "cli/model_job.h"
#include "judge/parties.h"
#include "report/report.h"

int cmd_check(struct cli *c);

struct options {
	const char *backends, *svg, *oracle;
	struct dataset_options data;
	struct check_options check;
	struct worker_limits limits;
	int64_t seed, random;
	int all, json, no_localize, no_store, map;
};

/* What one run of the verb holds. */
struct job {
	struct options *o;
	struct model_job all;
};

/* ---- backends ---------------------------------------------------------------------------------------------------- */

/* --all: the reference and the newest installed version of every library that this machine has the device for. */
static int all_installed(struct buf *names, struct err *e)
{
	struct spec_installed_list l = {0};
	const char *last = "";
	int rc = spec_find_installed(NULL, &l, e);

	buf_puts(names, "reference");
	for (size_t i = 0; i < l.n && !rc; i++) {
		struct err absent = ERR_INIT;

		if (strcmp(l.at[i].name, last) != 0 && !backends_absent(l.at[i].name, &absent))
			buf_printf(names, ",%s", l.at[i].name);
		last = l.at[i].name;
	}
	if (!rc)
		rc = buf_check(names, e);
	spec_installed_release(&l);
	return rc;
}

static int make_specs(struct job *j, struct err *e)
{
	struct buf names;
	int rc = 0;

	buf_init(&names, 65536);
	if (j->o->all)
		rc = all_installed(&names, e);
	if (!rc)
		rc = spec_make_list(j->o->all ? names.data : j->o->backends, &j->all.specs, e);
	buf_release(&names);
	return rc;
}

/* ---- localization ------------------------------------------------------------------------------------------------ */

static int write_svg(const struct job *j, const struct trial *t, const struct blame_map *map, struct err *e)
{
	struct buf svg;
	int rc;

	buf_init(&svg, (size_t)256 << 20);
	rc = svg_map(t->model, map, &svg, e);
	if (!rc)
		rc = buf_write_file(svg.data, svg.len, j->o->svg, e);
	buf_release(&svg);
	return rc;
}

static int localize(struct job *j, struct trial *t, struct check_result *r, size_t i, const struct check_data *data,
		    struct check_blame *out, struct err *e)
{
	struct check_backend *b = &r->backends[i];
	struct keeper k = {.method = "check", .judge = &j->o->check.judge};
	int rc = 0;

	out->backend = i;
	log_print(LOG_INFO, "localizing in %s", b->party.spec.name);
	rc = check_localize(t, r, i, data, &j->o->check, &out->blame, &out->map, e);
	if (!rc && j->o->svg && out->map.n)
		rc = write_svg(j, t, &out->map, e);
	if (!rc && !j->o->no_store)
		rc = model_job_keep(&j->all, &k, t, &b->party, &b->runs[b->worst_run], &out->kept, e);
	return rc;
}

/* One map for each pattern of inconsistency that no wrong backend explains.  What the reference cannot compute has no
 * map: the pair stays reported. */
static int map_pairs(struct job *j, struct trial *t, struct check_result *r, const struct check_data *data,
		     struct check_report *report, struct err *e)
{
	int rc = 0;

	report->maps = mem_array(r->n_unique + 1, sizeof *report->maps);
	if (!report->maps)
		return err_nomem(e, "maps", r->n_unique);
	for (size_t i = 1; i <= r->n_unique && !rc; i++) {
		const struct check_pair *p = check_unexplained(r, (int)i);
		struct check_pair_map *m = &report->maps[report->n_maps];

		if (!p)
			continue;
		m->pair = p;
		rc = check_map_pair(t, r, p, data, &j->o->check, &m->map, e);
		if (rc == ERR_UNSUPPORTED) {
			log_print(LOG_WARNING, "no localization map: %s", e->msg);
			err_clear(e);
			rc = 0;
			continue;
		}
		if (!rc && j->o->svg && !report->n_blames && !report->n_maps)
			rc = write_svg(j, t, &m->map, e);
		report->n_maps += !rc;
	}
	return rc;
}

static int localize_all(struct job *j, struct trial *t, struct check_result *r, const struct check_data *data,
			struct check_report *report, struct err *e)
{
	double start = clock_now();
	int rc = 0;

	report->blames = mem_array(r->n_backends + 1, sizeof *report->blames);
	if (!report->blames)
		return err_nomem(e, "blame", 0);
	for (size_t i = 0; i < r->n_backends && !rc; i++) {
		if (!verdict_is_finding(r->backends[i].verdict))
			continue;
		j->all.findings = 1;
		if (!j->o->no_localize)
			rc = localize(j, t, r, i, data, &report->blames[report->n_blames++], e);
	}
	if (!rc && !j->o->no_localize)
		rc = map_pairs(j, t, r, data, report, e);
	report->localize_seconds = clock_now() - start;
	return rc;
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

static void print(struct job *j, const struct check_report *r)
{
	if (j->o->json)
		json_array_append_new(j->all.list, check_print_json(r));
	else
		check_print_text(j->all.out, r, j->o->map);
	for (size_t i = 0; i < r->result->n_pairs; i++)
		j->all.findings |= r->result->pairs[i].inconsistent;
}

static int check_model(const char *path, struct trial *t, const struct dataset *d, void *arg, struct err *e)
{
	struct job *j = arg;
	struct check_data data = {d->runs, d->n, d->batch, d->labels};
	struct check_options o = j->o->check;
	struct check_report report = {
		.model = path, .oracle = o.oracle, .graph = t->model->graph, .runs = d->n, .items = d->n * d->batch};
	struct check_result result = {0};
	struct party *parties = NULL;
	struct progress p;
	int rc = parties_open(&j->all.specs, &j->o->limits, &parties, e);

	if (rc)
		return rc;
	progress_start(&p, "inputs", d->n);
	o.progress = model_job_progress;
	o.progress_arg = &p;
	rc = check_run(t, parties, j->all.specs.n, &data, &o, &result, e);
	progress_end(&p);
	mem_free(parties);
	report.result = &result;
	if (!rc)
		rc = localize_all(j, t, &result, &data, &report, e);
	if (!rc)
		print(j, &report);
	for (size_t i = 0; i < report.n_blames; i++) {
		blame_release(&report.blames[i].blame);
		blame_map_release(&report.blames[i].map);
	}
	mem_free(report.blames);
	for (size_t i = 0; i < report.n_maps; i++)
		blame_map_release(&report.maps[i].map);
	mem_free(report.maps);
	check_result_release(&result);
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int run(const struct texts *models, void *arg, struct err *e)
{
	struct job *j = arg;
	struct options *o = j->o;
	int rc = 0;

	o->data.random = o->random;
	o->data.inputs.seed = o->check.seed = (uint64_t)o->seed;
	if (o->check.share < 0 || o->check.share > 1)
		return err_set(e, ERR_USAGE, "--share takes 0 to 1");
	if (!(o->limits.run_seconds >= 0))
		return err_set(e, ERR_USAGE, "--timeout takes a number of seconds");
	if (o->oracle && !(o->check.oracle = oracle_find(o->oracle)))
		return err_set(e, ERR_USAGE, "no oracle '%s'; there are cradle, audee, eagle, meta, gbft and rounding",
			       o->oracle);
	if (o->check.oracle && !strcmp(o->oracle, "cradle")) /* it is what check does, with its patterns and limits */
		o->check.oracle = NULL;
	rc = quirks_load(NULL, &j->all.quirks, e);
	o->check.judge.quirks = &j->all.quirks;
	if (!rc)
		rc = make_specs(j, e);
	if (!rc && j->all.specs.n < 2 && o->check.no_judge)
		rc = err_set(e, ERR_USAGE, "one backend and no reference: nothing to compare");
	return rc ? rc : model_job_each(models, &o->data, (uint64_t)o->seed, check_model, j, e);
}

int cmd_check(struct cli *c)
{
	struct options o = {.backends = "reference,ort", .data = {.random = 0}};
	struct job j = {.o = &o};
	int status;
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends, "backends (default: reference,ort)"},
		{0, "all", NULL, CLI_FLAG, &o.all, "the reference and every library installed, newest versions"},
		{0, "data", "FILE", CLI_STRING, &o.data.data, "inputs; see below"},
		{0, "labels", "FILE", CLI_STRING, &o.data.labels, ".npy or .csv with the class of each item"},
		{0, "preprocess", "LIST", CLI_STRING, &o.data.preprocess, "what is done to images; see below"},
		{0, "random", "N", CLI_INT, &o.random, "make up N inputs (default: 1 without --data)"},
		{0, "limit", "N", CLI_INT, &o.data.limit, "at most N runs of the data"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &o.data.inputs.dims, "size of an open dimension"},
		{0, "seed", "N", CLI_INT, &o.seed, "of made-up inputs and of the noise (default: 0)"},
		{0, "class-limit", "X", CLI_FLOAT, &o.check.class_limit, "T_C (default: 8)"},
		{0, "mad-limit", "X", CLI_FLOAT, &o.check.mad_limit, "T_M (default: 0.2)"},
		{0, "share", "P", CLI_FLOAT, &o.check.share, "share of inputs that must be beyond (default: 0)"},
		{0, "oracle", "NAME", CLI_STRING, &o.oracle,
		 "who decides on pairs: cradle (default), audee, eagle, meta, gbft, rounding"},
		{0, "timeout", "SECONDS", CLI_FLOAT, &o.limits.run_seconds,
		 "a run that takes longer hangs (default: 30)"},
		{0, "noise-limit", "X", CLI_FLOAT, &o.check.judge.limit, "largest noise ratio of a right answer"},
		{0, "judge-all", NULL, CLI_FLAG, &o.check.judge_all, "the reference on every input, not on the worst"},
		{0, "no-judge", NULL, CLI_FLAG, &o.check.no_judge, "without the reference: only what CRADLE does"},
		{0, "no-localize", NULL, CLI_FLAG, &o.no_localize, "verdicts only"},
		{0, "map", NULL, CLI_FLAG, &o.map, "print the localization map as well"},
		{0, "svg", "FILE", CLI_STRING, &o.svg, "write the localization map as a picture"},
		{0, "db", "FILE", CLI_STRING, &j.all.db, "store for findings (default: assay.db)"},
		{0, "no-store", NULL, CLI_FLAG, &o.no_store, "do not record findings"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		{0},
	};

	status = model_job_main(&j.all, c, options, run, &j, &o.json);
	vec_release(&o.data.inputs.dims);
	return status;
}
