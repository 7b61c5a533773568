/* cmd_check.c - assay check: one or more models on several backends, compared, judged, localized. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/check_print.h"
#include "cli/cli.h"
#include "cli/dataset.h"
#include "cli/parties.h"
#include "judge/remote.h"
#include "report/report.h"
#include "worker/quirks.h"

int cmd_check(struct cli *c);

struct options {
	const char *backends, *svg, *db, *oracle;
	struct dataset_options data;
	struct check_options check;
	int64_t seed, random;
	int all, json, no_localize, no_store, map;
};

/* What one run of the verb holds. */
struct job {
	const struct options *o;
	const char *command;
	struct spec_list specs;
	struct quirks quirks;
	struct store *store; /* opened with the first finding */
	FILE *out;
	json_t *list;
	int findings;
};

/* ---- backends ---------------------------------------------------------------------------------------------------- */

/* --all: the reference and the newest installed version of every library. */
static int all_installed(struct buf *names, struct err *e)
{
	struct spec_installed_list l = {0};
	const char *last = "";
	int rc = spec_find_installed(NULL, &l, e);

	buf_puts(names, "reference");
	for (size_t i = 0; i < l.n && !rc; i++) {
		if (strcmp(l.at[i].name, last) != 0)
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
		rc = spec_make_list(j->o->all ? names.data : j->o->backends, &j->specs, e);
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

/* Records what was found; a store that cannot be written is a failure, not a reason to say nothing. */
static int keep(struct job *j, struct trial *t, struct check_backend *b, struct kept *kept, struct err *e)
{
	struct keeper k = {.method = "check", .command = j->command, .judge = &j->o->check.judge};
	int rc = j->store ? 0 : store_open(j->o->db ? j->o->db : "", 1, &j->store, e);

	k.store = j->store;
	return rc ? rc : keep_finding(&k, t, &b->party, &b->runs[b->worst_run], kept, e);
}

static int localize(struct job *j, struct trial *t, struct check_result *r, size_t i, const struct check_data *data,
		    struct check_blame *out, struct err *e)
{
	struct check_backend *b = &r->backends[i];
	int rc = 0;

	out->backend = i;
	log_print(LOG_INFO, "localizing in %s", b->party.spec.name);
	rc = check_localize(t, r, i, data, &j->o->check, &out->blame, &out->map, e);
	if (!rc && j->o->svg && out->map.n)
		rc = write_svg(j, t, &out->map, e);
	if (!rc && !j->o->no_store)
		rc = keep(j, t, b, &out->kept, e);
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
		j->findings = 1;
		if (!j->o->no_localize)
			rc = localize(j, t, r, i, data, &report->blames[report->n_blames++], e);
	}
	if (!rc && !j->o->no_localize)
		rc = map_pairs(j, t, r, data, report, e);
	report->localize_seconds = clock_now() - start;
	return rc;
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

static void show_progress(const char *backend, size_t done, size_t total, void *arg)
{
	struct progress *p = arg;

	p->total = total;
	progress_step(p, done, backend);
}

static void print(struct job *j, const struct check_report *r)
{
	if (j->o->json)
		json_array_append_new(j->list, check_print_json(r));
	else
		check_print_text(j->out, r, j->o->map);
	for (size_t i = 0; i < r->result->n_pairs; i++)
		j->findings |= r->result->pairs[i].inconsistent;
}

static int check_with_data(struct job *j, const char *path, struct trial *t, const struct dataset *d, struct err *e)
{
	struct check_data data = {d->runs, d->n, d->batch, d->labels};
	struct check_options o = j->o->check;
	struct check_report report = {
		.model = path, .oracle = o.oracle, .graph = t->model->graph, .runs = d->n, .items = d->n * d->batch};
	struct check_result result = {0};
	struct party *parties = NULL;
	struct progress p;
	int rc = parties_open(&j->specs, &parties, e);

	if (rc)
		return rc;
	progress_start(&p, "inputs", d->n);
	o.progress = show_progress;
	o.progress_arg = &p;
	rc = check_run(t, parties, j->specs.n, &data, &o, &result, e);
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

static int check_model(struct job *j, const char *path, struct err *e)
{
	struct value **none = NULL;
	struct dataset data = {0};
	struct model *m = NULL;
	struct trial t = {0};
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = remote_read_model(path, &bytes, &m, e);
	if (!rc)
		rc = dataset_make(m->graph, &j->o->data, &data, e);
	if (!rc && data.left_out)
		log_print(LOG_WARNING, "%zu items fill no whole batch of %zu and are left out", data.left_out,
			  data.batch);
	if (!rc) {
		none = mem_array(m->graph->inputs.n + 1, sizeof *none);
		rc = none ? trial_init_bytes(&t, m, &bytes, none, (uint64_t)j->o->seed, e) : err_nomem(e, "inputs", 0);
		m = NULL;
	}
	if (!rc)
		rc = check_with_data(j, path, &t, &data, e);
	trial_release(&t);
	model_free(m);
	buf_release(&bytes);
	dataset_release(&data);
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int run(struct job *j, const struct cli_list *models, struct options *o, struct err *e)
{
	int rc = 0;

	if (!models->n)
		return err_set(e, ERR_USAGE, "check needs at least one model; see 'assay help check'");
	if (o->check.share < 0 || o->check.share > 1)
		return err_set(e, ERR_USAGE, "--share takes 0 to 1");
	if (o->oracle && !(o->check.oracle = oracle_find(o->oracle)))
		return err_set(e, ERR_USAGE, "no oracle '%s'; there are cradle, audee, eagle, meta, gbft and rounding",
			       o->oracle);
	if (o->check.oracle && !strcmp(o->oracle, "cradle")) /* it is what check does, with its patterns and limits */
		o->check.oracle = NULL;
	rc = parties_quirks(&j->quirks, e);
	o->check.judge.quirks = &j->quirks;
	if (!rc)
		rc = make_specs(j, e);
	if (!rc && j->specs.n < 2 && o->check.no_judge)
		rc = err_set(e, ERR_USAGE, "one backend and no reference: nothing to compare");
	for (size_t i = 0; i < models->n && !rc; i++)
		rc = check_model(j, models->at[i], e);
	return rc;
}

static void print_list(const struct job *j, size_t models)
{
	json_dumpf(models == 1 ? json_array_get(j->list, 0) : j->list, j->out, JSON_INDENT(1));
	fputc('\n', j->out);
}

int cmd_check(struct cli *c)
{
	struct options o = {.backends = "reference,ort", .data = {.random = 0}};
	struct cli_list models = {0};
	struct job j = {.o = &o, .out = c->out, .list = json_array()};
	struct err e = ERR_INIT;
	struct buf command;
	int rc, status;
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
		{0, "noise-limit", "X", CLI_FLOAT, &o.check.judge.limit, "largest noise ratio of a right answer"},
		{0, "judge-all", NULL, CLI_FLAG, &o.check.judge_all, "the reference on every input, not on the worst"},
		{0, "no-judge", NULL, CLI_FLAG, &o.check.no_judge, "without the reference: only what CRADLE does"},
		{0, "no-localize", NULL, CLI_FLAG, &o.no_localize, "verdicts only"},
		{0, "map", NULL, CLI_FLAG, &o.map, "print the localization map as well"},
		{0, "svg", "FILE", CLI_STRING, &o.svg, "write the localization map as a picture"},
		{0, "db", "FILE", CLI_STRING, &o.db, "store for findings (default: assay.db)"},
		{0, "no-store", NULL, CLI_FLAG, &o.no_store, "do not record findings"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		{0},
	};

	c->notes = dataset_notes;
	rc = cli_parse(c, options, &models, &e);
	if (rc) {
		json_decref(j.list);
		return cli_parse_status(rc, &e);
	}
	o.data.random = o.random;
	o.data.inputs.seed = o.check.seed = (uint64_t)o.seed;
	buf_init(&command, 65536);
	buf_puts(&command, "assay check");
	for (int i = 0; i < c->argc; i++)
		buf_printf(&command, " %s", c->argv[i]);
	j.command = command.data ? command.data : "";
	rc = run(&j, &models, &o, &e);
	status = rc ? cli_fail(&e) : j.findings ? CLI_FINDINGS : CLI_OK;
	if (!rc && o.json)
		print_list(&j, models.n);
	json_decref(j.list);
	store_close(j.store);
	quirks_release(&j.quirks);
	spec_list_release(&j.specs);
	buf_release(&command);
	cli_list_release(&o.data.inputs.dims);
	cli_list_release(&models);
	return status;
}
