/* cmd_extract.c - assay extract: the operations and recurring subgraphs of models as a corpus of small cases. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "methods/extract/extract.h"

int cmd_extract(struct cli *c);

#define TOP 10 /* of each kind that are printed */
#define COLUMNS 4

struct cmd_extract_options {
	struct extract_options extract;
	int64_t seed, chain, subgraphs;
	int json;
};

struct cmd_extract_bar {
	struct progress bar;
	int pass; /* of the bar; -1: there is none yet */
};

static void show_progress(const char *model, int pass, size_t done, size_t total, void *arg)
{
	struct cmd_extract_bar *b = arg;

	if (b->pass != pass) {
		if (b->pass >= 0)
			progress_end(&b->bar);
		progress_start(&b->bar, pass ? "models, writing cases" : "models, counting", total);
		b->pass = pass;
	}
	progress_step(&b->bar, done, model);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

/* "Conv+Relu" and "f32.4d,f32.4d,f32.1d". */
static void describe(const struct extract_pattern *p, struct buf *ops, struct buf *types)
{
	json_t *nodes = json_object_get(p->json, "nodes");

	for (size_t i = 0; i < json_array_size(nodes); i++)
		buf_printf(ops, "%s%s", i ? "+" : "", json_text_at(json_array_get(nodes, i), "op"));
	for (size_t i = 0; i < p->n_ports; i++)
		buf_printf(types, "%s%s", i ? "," : "", p->ports[i].word);
}

static int fill_row(const struct extract_pattern *p, struct arena *a, const char **cells)
{
	struct buf ops, types;

	buf_init(&ops, 4096);
	buf_init(&types, 4096);
	describe(p, &ops, &types);
	cells[0] = arena_strdup(a, ops.data ? ops.data : "");
	cells[1] = arena_strdup(a, types.data ? types.data : "");
	cells[2] = arena_printf(a, "%zu", p->count);
	cells[3] = arena_printf(a, "%zu", p->uses.n);
	buf_release(&ops);
	buf_release(&types);
	return cells[0] && cells[1] && cells[2] && cells[3] ? 0 : -1;
}

/* The most used of `total` kept patterns, which begin at `first`. */
static void print_top(FILE *out, const struct extract *x, const char *head, size_t first, size_t total)
{
	const struct term_column columns[COLUMNS] = {{head, 0, 12}, {"reads", 0, 12}, {"uses", 1, 0}, {"models", 1, 0}};
	size_t n = total < TOP ? total : TOP;
	const char **cells = mem_array(n * COLUMNS + 1, sizeof *cells);
	struct arena a = ARENA_INIT;
	int failed = !cells;

	for (size_t i = 0; i < n && !failed; i++)
		failed = fill_row(x->patterns.at[first + i], &a, cells + i * COLUMNS);
	if (n && !failed) {
		terminal_table(out, columns, COLUMNS, cells, n, terminal_columns(out));
		if (total > n)
			fprintf(out, "… and %zu more\n", total - n);
		fputc('\n', out);
	}
	arena_release(&a);
	mem_free(cells);
}

static void print_text(FILE *out, const struct extract *x)
{
	print_top(out, x, "operation", 0, x->operations);
	print_top(out, x, "subgraph", x->operations, x->subgraphs);
	fprintf(out, "%zu operations and %zu recurring subgraphs of %zu model%s: %zu cases in '%s'\n", x->operations,
		x->subgraphs, x->models.n - x->failed, PLURAL(x->models.n - x->failed), x->written, x->o->folder);
	if (x->too_large)
		fprintf(out, "%zu have no case, only their ranges: they read more than --max-bytes %lld\n",
			x->too_large, (long long)x->o->max_bytes);
	if (x->other)
		fprintf(out, "%zu have no case for other reasons; index.json says why\n", x->other);
	if (x->left_out)
		fprintf(out, "%zu more recurring subgraphs are left out: --subgraphs %zu\n", x->left_out,
			x->o->subgraphs);
	for (size_t i = 0; i < x->models.n; i++)
		if (x->models.at[i].chains_cut)
			fprintf(out, "%s: has too many chains of nodes; only the first %zu were counted\n",
				x->models.at[i].name, EXTRACT_MAX_CHAINS);
}

static json_t *summary(const struct extract *x)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "folder", json_text(x->o->folder), "operations",
			 (json_int_t)x->operations, "subgraphs", (json_int_t)x->subgraphs, "cases",
			 (json_int_t)x->written, "too_large", (json_int_t)x->too_large, "without_case",
			 (json_int_t)x->other, "subgraphs_left_out", (json_int_t)x->left_out, "failed_models",
			 (json_int_t)x->failed);
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int check_options(struct cmd_extract_options *o, const struct texts *models, struct err *e)
{
	struct extract_options *x = &o->extract;

	if (!models->n)
		return err_set(e, ERR_USAGE, "extract needs at least one model; see 'assay help extract'");
	if (!x->folder)
		return err_set(e, ERR_USAGE, "extract needs -o DIR, the folder of the corpus");
	if (o->chain < 1 || o->chain > EXTRACT_MAX_CHAIN)
		return err_set(e, ERR_USAGE, "--nodes takes 1 to %d", EXTRACT_MAX_CHAIN);
	if (o->subgraphs < 0 || x->max_bytes < 0)
		return err_set(e, ERR_USAGE, "--subgraphs and --max-bytes take numbers from 0 on");
	x->seed = x->data.inputs.seed = (uint64_t)o->seed;
	x->chain = (int)o->chain;
	x->subgraphs = (size_t)o->subgraphs;
	return 0;
}

/* Models that failed, each in a line of its own. */
static int tell_failed(const struct extract *x)
{
	for (size_t i = 0; i < x->models.n; i++)
		if (x->models.at[i].error) {
			struct err e = ERR_INIT;

			err_set(&e, ERR_INPUT, "%s", x->models.at[i].error);
			cli_fail(&e);
		}
	return x->failed ? CLI_BAD_INPUT : CLI_OK;
}

static int run(struct cli *c, const struct texts *models, void *options, struct err *e)
{
	struct cmd_extract_options *o = options;
	struct cmd_extract_bar bar = {.pass = -1};
	struct extract x = {0};
	int rc = check_options(o, models, e);

	o->extract.progress = show_progress;
	o->extract.progress_arg = &bar;
	if (!rc)
		rc = extract_run(&x, &o->extract, models, e);
	if (bar.pass >= 0)
		progress_end(&bar.bar);
	if (!rc && o->json)
		cli_print_json(c->out, summary(&x));
	else if (!rc)
		print_text(c->out, &x);
	if (!rc)
		rc = tell_failed(&x);
	extract_release(&x);
	return rc;
}

int cmd_extract(struct cli *c)
{
	struct cmd_extract_options o = {
		.extract = {.max_bytes = EXTRACT_BYTES}, .chain = EXTRACT_CHAIN, .subgraphs = EXTRACT_SUBGRAPHS};
	struct dataset_options *d = &o.extract.data;
	int status;
	const struct cli_option options[] = {
		{'o', "output", "DIR", CLI_STRING, &o.extract.folder, "folder of the corpus"},
		{0, "data", "FILE", CLI_STRING, &d->data, "inputs of the models; see below"},
		{'i', "input", "[NAME=]FILE", CLI_LIST, &d->inputs.files, "inputs of a run, as 'run' takes them"},
		{0, "preprocess", "LIST", CLI_STRING, &d->preprocess, "what is done to images; see below"},
		{0, "limit", "N", CLI_COUNT, &d->limit, "at most N runs of the data"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &d->inputs.dims, "size of an open dimension"},
		{0, "nodes", "N", CLI_INT, &o.chain, "nodes of a subgraph at most (default: 4; 1: operations only)"},
		{0, "subgraphs", "N", CLI_INT, &o.subgraphs, "recurring subgraphs that are kept (default: 200)"},
		{0, "max-bytes", "N", CLI_INT, &o.extract.max_bytes,
		 "largest case (default: 4 MiB); of larger ones only ranges are kept"},
		{0, "seed", "N", CLI_INT, &o.seed, "of made-up inputs and of the noise (default: 0)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the counts as JSON"},
		{0},
	};

	c->notes = dataset_notes;
	status = cli_main(c, options, run, &o);
	dataset_options_release(d);
	return status;
}
