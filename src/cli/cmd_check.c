/* cmd_check.c - assay check: one or more models on several backends, compared, judged, localized. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/place.h"
#include "cli/check_print.h"
#include "cli/cli.h"
#include "cli/model_job.h"
#include "cli/terminal.h"
#include "methods/narrow/narrow.h"
#include "report/report.h"

int cmd_check(struct cli *c);

struct cmd_check_options {
	const char *backends, *svg, *oracle, *outputs;
	struct cli_word task, blame;
	char blamers[64];
	struct check_limits limits_of_pairs;
	struct dataset_options data;
	struct check_options check;
	struct worker_limits limits;
	struct narrow_request narrow;
	int64_t seed, random;
	int all, json, no_localize, no_store, map;
};

/* What one run of the verb holds. */
struct cmd_check_job {
	struct cmd_check_options *o;
	struct model_job all;
	int many; /* models */
};

static int make_specs(struct cmd_check_job *j, struct err *e)
{
	struct buf names;
	int rc = 0;

	buf_init(&names, 65536);
	if (j->o->all)
		rc = spec_all_installed(&names, e);
	if (!rc)
		rc = spec_make_list(j->o->all ? names.data : j->o->backends, &j->all.specs, e);
	if (!rc)
		rc = spec_list_own(&j->all.specs, e);
	buf_release(&names);
	return rc;
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

/* The map of the last backend that is found wrong, else that of the first pair. */
static int write_svg(const char *path, const struct trial *t, const struct check_located *l, struct err *e)
{
	const struct blame_map *map = !l->n_blames && l->n_maps ? &l->maps[0].map : NULL;
	struct buf svg;
	int rc;

	for (size_t i = 0; i < l->n_blames; i++)
		if (l->blames[i].map.n)
			map = &l->blames[i].map;
	if (!map) {
		log_print(LOG_WARNING, "warning: '%s' is not written: nothing was localized, so there is no map", path);
		return 0;
	}
	buf_init(&svg, (size_t)256 << 20);
	rc = svg_map(t->model, map, &svg, e);
	if (!rc)
		rc = buf_write_file(svg.data, svg.len, path, e);
	buf_release(&svg);
	return rc;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of several models each has a folder of its own, by the name of its file. */
static int check_names(const struct texts *models, struct err *e)
{
	for (size_t i = 0; i < models->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(file_name(models->at[i]), file_name(models->at[k])))
				return err_set(e, ERR_USAGE, "--save-outputs: two models are called '%s'",
					       file_name(models->at[i]));
	return 0;
}

static int save_outputs(const struct cmd_check_job *j, const struct check_report *r, struct err *e)
{
	char folder[PLACE_PATH];
	int rc = 0;

	if (!j->o->outputs)
		return 0;
	if (j->many)
		rc = place_path(folder, e, "%s/%s", j->o->outputs, file_name(r->model));
	else
		rc = place_path(folder, e, "%s", j->o->outputs);
	return rc ? rc : check_save_outputs(r->result, r->graph, folder, e);
}

static void print(struct cmd_check_job *j, const struct check_report *r)
{
	if (j->o->json)
		json_array_append_new(j->all.list, check_json(r));
	else
		check_print_text(j->all.out, r, j->o->map);
	j->all.findings |= check_has_failure(r->result, &j->o->check);
}

/* Who asked for no judge knows that nothing was judged. */
static int note(struct cmd_check_job *j, const struct check_report *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < r->result->n_backends && !rc; i++) {
		const struct check_backend *b = &r->result->backends[i];

		rc = model_job_note(&j->all, r->model, i, b->verdict, b->reason,
				    j->o->check.no_judge ? NULL : &b->tally, e);
	}
	return rc;
}

static int check_model(const char *path, struct trial *t, const struct dataset *d, void *arg, struct err *e)
{
	struct cmd_check_job *j = arg;
	struct check_data data = model_job_data(d, &j->o->data);
	struct check_result result = {0};
	struct check_located located = {0};
	struct check_report report = {.model = path,
				      .oracle = j->o->check.oracle,
				      .graph = t->model->graph,
				      .result = &result,
				      .located = &located,
				      .runs = d->n,
				      .items = d->n * d->batch};
	int rc = model_job_check(&j->all, &j->o->limits, t, &data, &j->o->check, &result, e);

	if (!rc)
		rc = save_outputs(j, &report, e);
	if (!rc && !j->o->no_localize)
		rc = check_locate(t, &result, &data, &j->o->check, &located, e);
	progress_end(&j->all.bar);
	if (!rc && j->o->svg)
		rc = write_svg(j->o->svg, t, &located, e);
	if (!rc)
		rc = note(j, &report, e);
	if (!rc)
		print(j, &report);
	check_located_release(&located);
	model_job_checked(&j->all, &result);
	return rc;
}

static void print_narrow(FILE *out, const struct narrow_report *r)
{
	struct term_column columns[NARROW_COLUMNS];

	terminal_wrap(out, 0, 2, terminal_columns(out), r->text.data);
	for (size_t i = 0; i < NARROW_COLUMNS; i++)
		columns[i] = (struct term_column){r->table.heads[i], i > 2 && i < 6, i == 1 ? 10 : 0};
	terminal_table(out, columns, NARROW_COLUMNS, r->table.cells, r->table.rows, terminal_columns(out));
	if (r->table.left_out)
		fprintf(out, "and %zu more: --all\n", r->table.left_out);
}

static int narrow_model(const char *path, struct trial *t, const struct dataset *d, void *arg, struct err *e)
{
	struct cmd_check_job *j = arg;
	struct narrow_report r = {.beyond = 0};
	int rc = narrow_report_make(&j->o->narrow, path, t->model, &(struct narrow_data){d->runs, d->n}, &r, e);

	if (!rc && j->o->json)
		json_array_append(j->all.list, r.json);
	else if (!rc)
		print_narrow(j->all.out, &r);
	j->all.findings |= r.beyond;
	narrow_report_release(&r);
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

/* Those that were chosen, as a list; none: the usual ones. */
static void name_blamers(struct cmd_check_options *o)
{
	size_t used = 0;

	for (size_t i = 0; blamer_names[i] && used < sizeof o->blamers; i++)
		if (o->blame.chosen & 1u << i)
			used += (size_t)snprintf(o->blamers + used, sizeof o->blamers - used, "%s%s", used ? "," : "",
						 blamer_names[i]);
	o->check.blamers = used ? o->blamers : NULL;
}

static int run(const struct texts *models, void *arg, struct err *e)
{
	struct cmd_check_job *j = arg;
	struct cmd_check_options *o = j->o;
	int rc = 0;

	if (o->data.items < 0 || o->data.items > DATASET_MAX_ITEMS)
		return err_set(e, ERR_USAGE, "--items takes 1 to %d", DATASET_MAX_ITEMS);
	if (o->data.items && !o->data.data)
		return err_set(e, ERR_USAGE, "--items needs --data");
	o->data.random = o->random;
	o->data.inputs.seed = o->check.seed = o->narrow.seed = (uint64_t)o->seed;
	o->narrow.all = o->all;
	o->narrow.svg = o->svg;
	if (o->narrow.precision || o->narrow.against) {
		j->all.no_store = 1;
		return model_job_each(&j->all, models, &o->data, (uint64_t)o->seed, narrow_model, j, e);
	}
	o->check.task = (enum check_task)o->task.at;
	o->data.column_is_target = o->check.task == CHECK_REGRESSION;
	j->many = models->n > 1;
	if (o->outputs && check_names(models, e))
		return e->code;
	o->check.limits = &o->limits_of_pairs;
	if (o->check.share > 1)
		return err_set(e, ERR_USAGE, "--share takes 0 to 1");
	o->check.oracle = o->oracle ? oracle_find(o->oracle) : NULL;
	if (o->check.oracle && !strcmp(o->oracle, "cradle")) /* it is what check does, with its patterns and limits */
		o->check.oracle = NULL;
	o->check.pairs_decide = o->oracle != NULL;
	name_blamers(o);
	rc = quirks_load(NULL, &j->all.quirks, e);
	o->check.judge.quirks = &j->all.quirks;
	j->all.keeper.method = "check";
	j->all.keeper.judge = &o->check.judge;
	o->check.keeper = o->no_store ? NULL : &j->all.keeper;
	j->all.no_store = o->no_store;
	if (!rc)
		rc = make_specs(j, e);
	if (!rc && j->all.specs.n < 2 && o->check.no_judge && !o->data.expect.n)
		rc = err_set(e, ERR_USAGE, "one backend and no reference: nothing to compare");
	return rc ? rc : model_job_each(&j->all, models, &o->data, (uint64_t)o->seed, check_model, j, e);
}

int cmd_check(struct cli *c)
{
	struct cmd_check_options o = {.backends = "reference,ort",
				      .limits_of_pairs = {CHECK_CLASS_LIMIT, CHECK_MAD_LIMIT},
				      .task = {.words = check_task_names},
				      .blame = {.words = blamer_names},
				      .data = {.random = 0}};
	struct cmd_check_job j = {.o = &o};
	struct cli_word oracle = CLI_NAMES(oracle_rows, &o.oracle);
	struct cli_word precision = {.words = narrow_type_words, .text = &o.narrow.precision};
	int status;
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends, "backends (default: reference,ort)"},
		{0, "all", NULL, CLI_FLAG, &o.all, "the reference and the newest version of every installed library"},
		{0, "data", "FILE", CLI_STRING, &o.data.data, "inputs: .npy, .npz, .csv, images, or a folder of those"},
		{'i', "input", "[NAME=]FILE", CLI_LIST, &o.data.inputs.files,
		 "inputs of a run; FILE is .npy, .npz or .pb"},
		{0, "expect", "[NAME=]FILE", CLI_LIST, &o.data.expect, "expected outputs: .npz, .npy, .pb or a folder"},
		{0, "random", "N", CLI_COUNT, &o.random, "make up N inputs (default: 1 without --data)"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &o.data.inputs.dims, "size of an open dimension"},
		{0, "seed", "N", CLI_INT, &o.seed, "for made-up inputs and for the noise (default: 0)"},
		{0, "precision", "TYPE", CLI_WORD, &precision, "which nodes can be computed in f16, bf16 or int8"},
		{0, "timeout", "SECONDS", CLI_ABOVE0, &o.limits.run_seconds,
		 "a run that takes longer is a hang (default: 30)"},
		{0, "localize-time", "TIME", CLI_TIME, &o.check.localize_seconds,
		 "time for localizing and reducing, for each model"},
		{0, "no-localize", NULL, CLI_FLAG, &o.no_localize, "only verdicts: do not look for the guilty node"},
		{0, "map", NULL, CLI_FLAG, &o.map, "print the localization map"},
		{0, "svg", "FILE", CLI_STRING, &o.svg, "write the localization map as a picture"},
		{0, "strict", NULL, CLI_FLAG, &o.check.judge.strict, "call wrong what only a lower precision explains"},
		{0, "oracle", "NAME", CLI_WORD, &oracle,
		 "what calls a pair inconsistent: cradle (default), audee, eagle, meta, gbft, rounding"},
		{0, "db", "FILE", CLI_STRING, &j.all.keeper.db, "store for findings (default: assay.db)"},
		{0, "no-store", NULL, CLI_FLAG, &o.no_store, "do not record findings"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		CLI_RARE,
		{0, "shard", "K/N", CLI_SPLIT, &j.all.split, "only every N-th model, from the K-th on"},
		{0, "blame", "LIST", CLI_WORDS, &o.blame,
		 "who localizes: map, isolated, causal (Audee's Algorithm 2), swap (default: by the verdict)"},
		{0, "rtol", "X", CLI_FLOAT, &o.check.rtol,
		 "relative tolerance of expected outputs, instead of rounding noise"},
		{0, "atol", "X", CLI_FLOAT, &o.check.atol,
		 "absolute tolerance (both 1e-3 and 1e-7 where there is no noise)"},
		{0, "task", "NAME", CLI_WORD, &o.task,
		 "what the first output is: class, binary, regression, segmentation, sequence, detection "
		 "(default: auto)"},
		{0, "labels", "FILE", CLI_STRING, &o.data.labels, ".npy or .csv with the right class of each item"},
		{0, "targets", "FILE", CLI_STRING, &o.data.targets,
		 ".npy or .csv with what the first output should be, of each item (regression)"},
		{0, "save-outputs", "DIR", CLI_STRING, &o.outputs,
		 "write what each backend gave to DIR/BACKEND.npz, of several models to DIR/MODEL/BACKEND.npz"},
		{0, "preprocess", "LIST", CLI_STRING, &o.data.preprocess, "what to do to images; see below"},
		{0, "limit", "N", CLI_COUNT, &o.data.limit, "at most N runs: inputs of the data, or batches of them"},
		{0, "items", "N", CLI_COUNT, &o.data.items,
		 "run N items of the data at once (default: the model's batch)"},
		{0, "class-limit", "X", CLI_FLOAT, &o.limits_of_pairs.class,
		 "CRADLE's T_C: class distance from which it is inconsistent (default: 8)"},
		{0, "mad-limit", "X", CLI_FLOAT, &o.limits_of_pairs.mad,
		 "CRADLE's T_M: MAD distance from which it is inconsistent (default: 0.2)"},
		{0, "share", "P", CLI_FLOAT, &o.check.share,
		 "share of inputs that must be inconsistent, 0 to 1 (default: 0, one input is enough)"},
		{0, "noise-limit", "X", CLI_FLOAT, &o.check.judge.limit,
		 "largest noise ratio of a right answer (default: 20)"},
		{0, "judge-all", NULL, CLI_FLAG, &o.check.judge_all,
		 "judge every input by the reference, not only the worst"},
		{0, "no-judge", NULL, CLI_FLAG, &o.check.no_judge,
		 "do not ask the reference: only compare pairs, as CRADLE does"},
		{0, "against", "MODEL", CLI_STRING, &o.narrow.against,
		 "where a narrow model departs from this original"},
		{0, "target", "X", CLI_STRING, &o.narrow.target,
		 "error that the outputs tolerate, or top1 (default: 0.01, int8 0.1)"},
		{0, "effort", "N", CLI_INT, &o.narrow.runs,
		 "with --precision: at most N runs to measure effects (default: 200)"},
		{0},
	};

	status = model_job_main(&j.all, c, options, run, &j, &o.json);
	dataset_options_release(&o.data);
	return status;
}
