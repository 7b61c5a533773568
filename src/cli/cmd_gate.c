/* cmd_gate.c - assay gate: models on backends, and what of it is new against a baseline. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/model_job.h"
#include "cli/terminal.h"
#include "methods/check/verdict_of.h"
#include "report/gate.h"
#include "report/paint.h"

int cmd_gate(struct cli *c);

struct cmd_gate_options {
	const char *backends, *baseline, *expected, *write, *write_expected, *junit;
	struct dataset_options data;
	struct check_options check;
	struct worker_limits limits;
	int64_t seed;
	int json, strict, no_localize;
};

/* What one run of the verb holds. */
struct cmd_gate_job {
	struct cmd_gate_options *o;
	struct model_job all; /* specs: those under test, then the baseline's */
	size_t n;             /* under test */
	struct gate gate;
};

/* ---- one model --------------------------------------------------------------------------------------------------- */

/* The baseline of backend i: the same library in another version, or the only one there is; NULL: a file. */
static const struct worker_spec *baseline_of(const struct cmd_gate_job *j, size_t i)
{
	const struct spec_list *l = &j->all.specs;

	for (size_t k = j->n; k < l->n; k++)
		if (l->n == j->n + 1 || !strcmp(l->at[k].backend, l->at[i].backend))
			return &l->at[k];
	return NULL;
}

static int add_row(struct cmd_gate_job *j, const struct check_report *r, size_t i, struct err *e)
{
	const struct worker_spec *base = baseline_of(j, i);
	size_t other = base ? (size_t)(base - j->all.specs.at) : i;
	struct check_verdict now, before;
	char name[256];
	struct gate_row row = {.model = r->model, .backend = spec_plain_name(&j->all.specs.at[i], name, sizeof name)};
	int rc = 0;

	check_verdict_of(r, other, other, &before);
	row.verdict = before.verdict;
	row.op = before.op;
	row.signature = before.signature;
	row.note = before.note;
	if (base)
		rc = gate_add(&j->gate, &row, 1, e);
	check_verdict_of(r, i, other, &now);
	row.verdict = now.verdict;
	row.op = now.op;
	row.signature = now.signature;
	row.note = now.note;
	return rc ? rc : gate_add(&j->gate, &row, 0, e);
}

static int gate_model(const char *path, struct trial *t, const struct dataset *d, void *arg, struct err *e)
{
	struct cmd_gate_job *j = arg;
	struct check_data data = model_job_data(d, &j->o->data);
	struct check_result result = {0};
	struct check_located located = {0};
	const struct check_report report = {
		.model = path, .graph = t->model->graph, .result = &result, .located = &located};
	int rc = gate_count_operators(&j->gate, t->model, e);

	if (!rc)
		rc = model_job_check(&j->all, &j->o->limits, t, &data, &j->o->check, &result, e);
	if (!rc && !j->o->no_localize)
		rc = check_locate(t, &result, &data, &j->o->check, &located, e);
	for (size_t i = 0; i < result.n_backends && !rc; i++)
		rc = model_job_note(&j->all, path, i, result.backends[i].verdict, result.backends[i].reason,
				    &result.backends[i].tally, e);
	for (size_t i = 0; i < j->n && !rc; i++)
		rc = add_row(j, &report, i, e);
	check_located_release(&located);
	model_job_checked(&j->all, &result);
	return rc;
}

/* ---- what came of it --------------------------------------------------------------------------------------------- */

static void print_row(FILE *out, const struct gate_row *r)
{
	char line[2048];

	if (r->state == GATE_RIGHT)
		return;
	snprintf(line, sizeof line, "%-8s %.200s on %.200s: %s%s%s%s%s%s%s", gate_state_names[r->state], r->model,
		 r->backend, r->verdict, *r->op ? " at " : "", r->op, *r->before ? ", before " : "", r->before,
		 *r->reason ? "; " : "", r->reason);
	terminal_wrap(out, 0, 9, terminal_columns(out), line);
	if (r->state == GATE_NEW && *r->note)
		terminal_wrap(out, 9, 0, terminal_columns(out), r->note);
}

static void print_text(const struct cmd_gate_job *j)
{
	const struct gate *g = &j->gate;
	const char *state = gate_is_red(g, j->o->strict) ? "red" : "green";
	FILE *out = j->all.out;

	for (size_t i = 0; i < g->rows.n; i++)
		print_row(out, &g->rows.at[i]);
	for (size_t i = 0; i < g->expected.n; i++) {
		const struct gate_expected *x = &g->expected.at[i];

		if (x->tried && !x->met)
			fprintf(out,
				"fixed    expected '%s' of %s (%s on %s) does not fail any more: take the line out\n",
				x->verdict, x->op, x->model, x->backend);
	}
	if (g->not_run)
		fprintf(out, "%zu row%s of the baseline not run\n", g->not_run, PLURAL(g->not_run));
	fprintf(out, "%s%s%s: %zu new, %zu fixed, %zu as expected, %zu as before, %zu without a failure\n",
		paint_before(state), state, paint_after(state), g->counts[GATE_NEW], g->counts[GATE_FIXED] + g->stale,
		g->counts[GATE_EXPECTED], g->counts[GATE_STILL], g->counts[GATE_RIGHT]);
}

static json_t *job_json(const struct cmd_gate_job *j)
{
	json_t *root = gate_json(&j->gate, j->o->strict), *counts = json_object();

	for (size_t i = 0; i < j->all.specs.n && j->all.tallies; i++)
		json_object_set_new(counts, j->all.specs.at[i].name, tally_json(&j->all.tallies[i]));
	json_object_set_new(root, "counts", counts);
	json_object_set_new(root, "errors", json_copy(j->all.list));
	return root;
}

static int finish(struct cmd_gate_job *j, struct err *e)
{
	const struct cmd_gate_options *o = j->o;
	int rc = gate_save(&j->gate, gate_write_baseline, o->write, e);

	if (!rc)
		rc = gate_save(&j->gate, gate_write_expected, o->write_expected, e);
	if (!rc)
		rc = gate_save(&j->gate, gate_junit, o->junit, e);
	if (rc)
		return rc;
	/* who only writes a baseline has nothing to compare with yet */
	j->all.findings = (o->baseline || o->expected) && gate_is_red(&j->gate, o->strict);
	if (o->json) {
		json_t *root = job_json(j);

		json_array_clear(j->all.list);
		json_array_append_new(j->all.list, root);
	} else {
		print_text(j);
	}
	return 0;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int open_baseline(struct cmd_gate_job *j, struct err *e)
{
	const char *baseline = j->o->baseline;
	struct spec_list more = VEC_INIT;
	int rc;

	if (!baseline)
		return 0;
	if (!access(baseline, F_OK))
		return gate_read_baseline(&j->gate, baseline, e);
	rc = spec_make_list(baseline, &more, e);
	if (rc)
		return err_prefix(e, "--baseline: no such file, and as a backend");
	for (size_t i = 0; i < more.n && !rc; i++) {
		rc = vec_push(&j->all.specs, more.at[i]) ? err_nomem(e, "backends", 0) : 0;
		if (!rc)
			more.at[i] = (struct worker_spec){0};
	}
	spec_list_release(&more);
	for (size_t i = 0; i < j->n && !rc; i++)
		if (!baseline_of(j, i))
			rc = err_set(e, ERR_USAGE, "--baseline has no '%s' to hold '%s' against",
				     j->all.specs.at[i].backend, j->all.specs.at[i].name);
	return rc;
}

static int run(const struct texts *models, void *arg, struct err *e)
{
	struct cmd_gate_job *j = arg;
	struct cmd_gate_options *o = j->o;
	int rc = 0;

	if (!o->baseline && !o->expected && !o->write && !o->write_expected)
		return err_set(e, ERR_USAGE, "gate needs --baseline, --expected or --write");
	o->data.inputs.seed = o->check.seed = (uint64_t)o->seed;
	rc = quirks_load(NULL, &j->all.quirks, e);
	o->check.judge.quirks = &j->all.quirks;
	o->check.keeper = &j->all.keeper;
	j->all.keeper.method = "gate";
	j->all.keeper.judge = &o->check.judge;
	if (!rc)
		rc = spec_make_list(o->backends, &j->all.specs, e);
	j->n = j->all.specs.n;
	if (!rc)
		rc = open_baseline(j, e);
	if (!rc)
		rc = spec_list_own(&j->all.specs, e); /* as check runs them */
	if (!rc && o->expected)
		rc = gate_read_expected(&j->gate, o->expected, e);
	if (!rc)
		rc = model_job_each(&j->all, models, &o->data, (uint64_t)o->seed, gate_model, j, e);
	if (rc)
		return rc;
	gate_compare(&j->gate);
	return finish(j, e);
}

int cmd_gate(struct cli *c)
{
	struct cmd_gate_options o = {.backends = "ort"};
	struct cmd_gate_job j = {.o = &o};
	int status;
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends, "backends under test (default: ort)"},
		{0, "baseline", "LIST|FILE", CLI_STRING, &o.baseline,
		 "what to compare with: another version, or a file that --write wrote"},
		{0, "write", "FILE", CLI_STRING, &o.write, "write the results as a baseline"},
		{0, "expected", "FILE", CLI_STRING, &o.expected, "known failures, with reasons"},
		{0, "write-expected", "FILE", CLI_STRING, &o.write_expected, "write all failures as such a file"},
		{0, "strict", NULL, CLI_FLAG, &o.strict, "fail when an expected failure is gone"},
		{0, "junit", "FILE", CLI_STRING, &o.junit, "write JUnit XML: a failure for each new one"},
		{0, "data", "FILE", CLI_STRING, &o.data.data, "inputs: .npy, .npz, .csv, images, or a folder of those"},
		{'i', "input", "[NAME=]FILE", CLI_LIST, &o.data.inputs.files,
		 "inputs of a run; FILE is .npy, .npz or .pb"},
		{0, "random", "N", CLI_COUNT, &o.data.random, "make up N inputs (default: 1 without --data)"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &o.data.inputs.dims, "size of an open dimension"},
		{0, "seed", "N", CLI_INT, &o.seed, "for made-up inputs and for the noise (default: 0)"},
		{0, "no-localize", NULL, CLI_FLAG, &o.no_localize, "only verdicts: do not look for the guilty node"},
		{0, "db", "FILE", CLI_STRING, &j.all.keeper.db, "store for findings (default: assay.db)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		CLI_RARE,
		{0, "expect", "[NAME=]FILE", CLI_LIST, &o.data.expect, "expected outputs: .npz, .npy, .pb or a folder"},
		{0, "rtol", "X", CLI_FLOAT, &o.check.rtol,
		 "relative tolerance of expected outputs, instead of rounding noise"},
		{0, "atol", "X", CLI_FLOAT, &o.check.atol,
		 "absolute tolerance (both 1e-3 and 1e-7 where there is no noise)"},
		{0, "preprocess", "LIST", CLI_STRING, &o.data.preprocess, "what to do to images; see below"},
		{0, "limit", "N", CLI_COUNT, &o.data.limit, "run at most N inputs of the data"},
		{0, "timeout", "SECONDS", CLI_ABOVE0, &o.limits.run_seconds,
		 "a run that takes longer is a hang (default: 30)"},
		{0, "noise-limit", "X", CLI_FLOAT, &o.check.judge.limit,
		 "largest noise ratio of a right answer (default: 20)"},
		{0},
	};

	c->status = "0 green, 1 red; 2 bad usage, or a model could not be run; 3 a failure of assay itself;\n"
		    "4 green, but some backend was judged on nothing; 5 green, but a lower precision, or one\n"
		    "quantization step, explains a difference.";
	status = model_job_main(&j.all, c, options, run, &j, &o.json);
	gate_release(&j.gate);
	dataset_options_release(&o.data);
	return status;
}
