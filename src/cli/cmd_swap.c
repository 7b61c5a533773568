/* cmd_swap.c - assay swap: operators change from one library to another one by one; which of them makes a difference,
 * and who is wrong. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/dataset.h"
#include "cli/parties.h"
#include "cli/swap_print.h"
#include "judge/remote.h"

int cmd_swap(struct cli *c);

struct options {
	const char *backends, *db;
	struct dataset_options data;
	struct swap_options swap;
	int64_t seed;
	int json, no_store, all;
};

/* What one run of the verb holds. */
struct job {
	const struct options *o;
	const char *command;
	struct spec_list specs;
	struct party *parties; /* by specs: the base, and those under test */
	struct quirks quirks;
	struct store *store; /* opened with the first finding */
	FILE *out;
	json_t *list;
	int findings;
};

/* ---- findings ---------------------------------------------------------------------------------------------------- */

/* Was the same kind of finding kept for an operator of a higher rank? */
static int is_known(const struct swap_result *r, size_t i)
{
	const struct swap_op *op = &r->ops[i];

	for (size_t k = 0; k < i; k++)
		if (r->ops[k].verdict == op->verdict && r->ops[k].side == op->side &&
		    r->ops[k].gradient == op->gradient && !strcmp(r->ops[k].node->op_type, op->node->op_type))
			return 1;
	return 0;
}

static int keep_op(struct job *j, struct party *p, struct swap_op *op, struct kept *kept, struct err *e)
{
	struct keeper k = {
		.method = "swap", .command = j->command, .judge = &j->o->swap.judge, .gradient = op->gradient};
	int rc = j->store ? 0 : store_open(j->o->db ? j->o->db : "", 1, &j->store, e);

	k.store = j->store;
	return rc ? rc : keep_finding(&k, &op->part, p, &op->outcome, kept, e);
}

static int keep(struct job *j, size_t test, struct swap_result *r, struct kept *kept, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++) {
		struct swap_op *op = &r->ops[i];

		if (!verdict_is_finding(op->verdict))
			continue;
		j->findings = 1;
		if (!j->o->no_store && !is_known(r, i))
			rc = keep_op(j, &j->parties[op->side == SWAP_BASE ? 0 : test], op, &kept[i], e);
	}
	return rc;
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

static void show_progress(const char *backend, size_t done, size_t total, void *arg)
{
	struct progress *p = arg;

	p->total = total;
	progress_step(p, done, backend);
}

static int swap_pair(struct job *j, const char *path, struct trial *t, size_t test, struct err *e)
{
	struct swap_options o = j->o->swap;
	struct swap_result result = {0};
	struct kept *kept = NULL;
	struct progress p;
	int rc;

	progress_start(&p, "operators", t->model->graph->nodes.n);
	o.progress = show_progress;
	o.progress_arg = &p;
	rc = swap_run(t, &j->parties[0], &j->parties[test], &o, &result, e);
	progress_end(&p);
	if (!rc && !(kept = mem_array(result.n + 1, sizeof *kept)))
		rc = err_nomem(e, "findings", result.n);
	if (!rc)
		rc = keep(j, test, &result, kept, e);
	if (!rc) {
		struct swap_report report = {path,    &j->parties[0], &j->parties[test],
					     &result, kept,           j->o->all ? 0 : 10};

		if (j->o->json)
			json_array_append_new(j->list, swap_print_json(&report));
		else
			swap_print_text(j->out, &report);
	}
	mem_free(kept);
	swap_result_release(&result);
	return rc;
}

static int swap_model(struct job *j, const char *path, struct err *e)
{
	struct value **inputs = NULL;
	struct dataset data = {0};
	struct model *m = NULL;
	struct trial t = {0};
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = remote_read_model(path, &bytes, &m, e);
	if (!rc)
		rc = dataset_make(m->graph, &j->o->data, &data, e);
	if (!rc) {
		inputs = mem_array(m->graph->inputs.n + 1, sizeof *inputs);
		for (size_t i = 0; inputs && i < m->graph->inputs.n; i++)
			inputs[i] = value_ref(data.runs[0][i]);
		rc = inputs ? trial_init_bytes(&t, m, &bytes, inputs, (uint64_t)j->o->seed, e)
			    : err_nomem(e, "inputs", 0);
		m = NULL;
	}
	for (size_t i = 1; i < j->specs.n && !rc; i++)
		rc = swap_pair(j, path, &t, i, e);
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
		return err_set(e, ERR_USAGE, "swap needs at least one model; see 'assay help swap'");
	rc = spec_make_list(o->backends, &j->specs, e);
	if (!rc && j->specs.n < 2)
		rc = err_set(e, ERR_USAGE, "swap needs two backends: -b BASE,LIBRARY");
	if (!rc)
		rc = parties_quirks(&j->quirks, e);
	o->swap.judge.quirks = &j->quirks;
	if (!rc)
		rc = parties_open(&j->specs, &j->parties, e);
	for (size_t i = 0; i < models->n && !rc; i++)
		rc = swap_model(j, models->at[i], e);
	parties_close(j->parties, j->specs.n);
	return rc;
}

/* One model on one pair as an object, several as an array. */
static void print_list(const struct job *j)
{
	json_dumpf(json_array_size(j->list) == 1 ? json_array_get(j->list, 0) : j->list, j->out, JSON_INDENT(1));
	fputc('\n', j->out);
}

static void finish(struct job *j, struct options *o, struct cli_list *models, struct buf *command)
{
	json_decref(j->list);
	store_close(j->store);
	quirks_release(&j->quirks);
	spec_list_release(&j->specs);
	buf_release(command);
	cli_list_release(&o->data.inputs.dims);
	cli_list_release(models);
}

int cmd_swap(struct cli *c)
{
	struct options o = {.backends = "reference,ort", .data = {.limit = 1}};
	struct cli_list models = {0};
	struct job j = {.o = &o, .out = c->out, .list = json_array()};
	struct err e = ERR_INIT;
	struct buf command;
	int rc, status;
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends,
		 "the base library, then those under test (default: reference,ort)"},
		{'g', "gradients", NULL, CLI_FLAG, &o.swap.gradients, "gradients as well as outputs"},
		{0, "data", "FILE", CLI_STRING, &o.data.data, "inputs, of which the first is taken; see below"},
		{0, "preprocess", "LIST", CLI_STRING, &o.data.preprocess, "what is done to images; see below"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &o.data.inputs.dims, "size of an open dimension"},
		{0, "seed", "N", CLI_INT, &o.seed, "of made-up inputs, gradients and noise (default: 0)"},
		{0, "limit-c", "X", CLI_FLOAT, &o.swap.limit_c, "T_C (default: 1.5e-4)"},
		{0, "limit-g", "X", CLI_FLOAT, &o.swap.limit_g, "T_G (default: 1.5e-4)"},
		{0, "noise-limit", "X", CLI_FLOAT, &o.swap.judge.limit, "largest noise ratio of a right answer"},
		{0, "no-verify", NULL, CLI_FLAG, &o.swap.no_verify, "without verification"},
		{0, "all", NULL, CLI_FLAG, &o.all, "print every operator, not the first ten"},
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
	o.data.inputs.seed = (uint64_t)o.seed;
	buf_init(&command, 65536);
	buf_puts(&command, "assay swap");
	for (int i = 0; i < c->argc; i++)
		buf_printf(&command, " %s", c->argv[i]);
	j.command = command.data ? command.data : "";
	rc = run(&j, &models, &o, &e);
	status = rc ? cli_fail(&e) : j.findings ? CLI_FINDINGS : CLI_OK;
	if (!rc && o.json)
		print_list(&j);
	finish(&j, &o, &models, &command);
	return status;
}
