/* cmd_zoo.c - assay zoo: networks that assay builds itself. */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/place.h"
#include "base/progress.h"
#include "case/zoo_model.h"
#include "case/zoo_worker.h"
#include "cli/cli.h"

int cmd_zoo(struct cli *c);

struct cmd_zoo_options {
	const char *output, *data, *weights, *backend;
	int64_t opset, batch, seed, epochs, held_out;
	double rate;
	int json, random;
};

/* ---- list -------------------------------------------------------------------------------------------------------- */

/* {"Conv": 3, …} */
static json_t *operators_json(const struct graph *g)
{
	json_t *counts = json_object();

	for (size_t i = 0; i < g->nodes.n; i++) {
		const char *op = g->nodes.at[i]->op_type;
		json_int_t before = json_integer_value(json_object_get(counts, op));

		json_object_set_new(counts, op, json_integer(before + 1));
	}
	return counts;
}

static json_t *row_json(const struct zoo_row *row, const struct model *m)
{
	return json_pack("{s:s, s:s, s:b, s:b, s:I, s:o}", "name", row->name, "summary", row->network->summary, "seed",
			 row->network->seed_of_papers, "trained", zoo_model_is_trained(row->name), "nodes",
			 (json_int_t)m->graph->nodes.n, "operators", operators_json(m->graph));
}

static int name_width(void)
{
	size_t width = 0;

	for (const struct zoo_row *row = zoo_rows; row->name; row++)
		width = strlen(row->name) > width ? strlen(row->name) : width;
	return (int)width;
}

static int list(struct cli *c, const struct texts *none, void *arg, struct err *e)
{
	const struct cmd_zoo_options *o = arg;
	json_t *networks = json_array();
	int width = name_width(), rc = none->n ? err_set(e, ERR_USAGE, "zoo list takes no '%s'", none->at[0]) : 0;

	for (const struct zoo_row *row = zoo_rows; row->name && !rc; row++) {
		struct model *m = NULL;

		rc = zoo_build(row, 1, 0, NULL, &m, e);
		if (!rc && o->json)
			json_array_append_new(networks, row_json(row, m));
		else if (!rc)
			fprintf(c->out, "%-*s %4zu nodes  %s%s\n", width, row->name, m->graph->nodes.n,
				row->network->summary, zoo_model_is_trained(row->name) ? ", trained" : "");
		model_free(m);
	}
	if (!rc && o->json)
		rc = cli_print_json(c->out, json_pack("{s:O}", "networks", networks));
	json_decref(networks);
	return rc;
}

/* ---- get --------------------------------------------------------------------------------------------------------- */

static int find(const char *name, const struct zoo_row **row, struct err *e)
{
	*row = zoo_find(name);
	return *row ? 0
		    : err_set(e, ERR_USAGE, "no network '%s'%s; 'assay zoo list' shows those there are", name,
			      NEAR_HINT(name, zoo_rows));
}

/* The network with the weights of a file that 'zoo train' wrote. */
static int build_with(const struct zoo_row *row, const struct cmd_zoo_options *o, struct model **out, struct err *e)
{
	struct tensor_set weights = TENSOR_SET_INIT;
	int rc = npz_load(o->weights, &weights, e);

	if (rc)
		return rc;
	rc = zoo_build_at(row, (int)o->opset, o->batch, (uint64_t)o->seed, &weights, out, e);
	tensor_set_release(&weights);
	return rc ? err_prefix(e, "'%s'", o->weights) : 0;
}

static int get(struct cli *c, const struct texts *words, void *arg, struct err *e)
{
	const struct cmd_zoo_options *o = arg;
	const char *name = words->at[0];
	int trained = o->weights || (!o->random && zoo_model_is_trained(name));
	const struct zoo_row *row;
	char path[PLACE_PATH];
	struct model *m = NULL;
	int rc = find(name, &row, e);

	if (!rc && o->weights)
		rc = build_with(row, o, &m, e);
	else if (!rc)
		rc = zoo_model_make(row, (int)o->opset, o->batch, (uint64_t)o->seed, trained, &m, e);
	if (!rc)
		rc = place_path(path, e, "%s%s", o->output ? o->output : name, o->output ? "" : ".onnx");
	if (!rc)
		rc = model_save(m, path, e);
	if (!rc && o->json)
		rc = cli_print_json(c->out, json_pack("{s:s, s:b, s:I}", "network", name, "trained", trained, "nodes",
						      (json_int_t)m->graph->nodes.n));
	else if (!rc)
		fprintf(c->out, "%s: %zu nodes, %s weights\n", path, m->graph->nodes.n, trained ? "trained" : "random");
	model_free(m);
	return rc;
}

/* ---- fill -------------------------------------------------------------------------------------------------------- */

static int fill(struct cli *c, const struct texts *words, void *arg, struct err *e)
{
	const struct cmd_zoo_options *o = arg;
	const char *name = words->at[0];
	struct model *m = NULL;
	size_t filled = 0;
	int rc = o->output ? 0 : err_set(e, ERR_USAGE, "zoo fill needs -o FILE");

	if (!rc)
		rc = model_load(name, &m, e);
	if (!rc)
		rc = zoo_fill(m, (uint64_t)o->seed, &filled, e);
	if (!rc && !filled)
		rc = err_set(e, ERR_INPUT, "'%s' has no weights that are one number", name);
	if (!rc)
		rc = model_save(m, o->output, e);
	if (!rc && o->json)
		rc = cli_print_json(c->out, json_pack("{s:I}", "filled", (json_int_t)filled));
	else if (!rc)
		fprintf(c->out, "%s: %zu tensors of random weights\n", o->output, filled);
	model_free(m);
	return rc;
}

/* ---- train ------------------------------------------------------------------------------------------------------- */

struct cmd_zoo_watch {
	struct progress bar;
	int epochs;
};

static int show_progress(int epoch, size_t step, size_t steps, double loss, void *arg)
{
	struct cmd_zoo_watch *w = arg;
	char now[64];

	snprintf(now, sizeof now, "epoch %d, loss %.4f", epoch + 1, loss);
	progress_step(&w->bar, (size_t)epoch * steps + step, now);
	return 0;
}

/* The data set of a network, from a file of the user or as it was fetched. */
static int load_data(const struct zoo_row *row, const char *path, struct zoo_data *out, struct err *e)
{
	const struct zoo_source *source = zoo_source_find(row->network->dataset);

	if (!source)
		return err_set(e, ERR_USAGE, "network '%s' has no data to be trained on", row->name);
	return zoo_data_load(source, path, 0, out, e);
}

static int print_trained(struct cli *c, const struct cmd_zoo_options *o, const struct zoo_row *row, const char *path,
			 const struct zoo_train_result *r)
{
	enum zoo_kind kind = row->network->kind;
	const char *what =
		kind == ZOO_CLASSIFIES || kind == ZOO_DECIDES ? "labels right" : "of the targets' variance explained";

	if (o->json)
		return cli_print_json(c->out, json_pack("{s:s, s:f, s:f, s:f, s:I}", "network", row->name, "loss",
							r->loss, "train_accuracy", r->train_accuracy, "accuracy",
							r->accuracy, "tested", (json_int_t)r->tested));
	fprintf(c->out, "%s: loss %.4f; %s: %.2f %% of %zu training items, %.2f %% of %zu items held out\n", path,
		r->loss, what, 100 * r->train_accuracy, r->train_tested, 100 * r->accuracy, r->tested);
	return 0;
}

/* The library that computes the gradients. */
static int open_library(const char *backend, struct zoo_worker **out, struct err *e)
{
	struct worker_spec spec = {0};
	int rc = spec_make(backend, &spec, e);

	if (!rc)
		rc = zoo_worker_new(&spec, out, e);
	spec_release(&spec);
	return rc;
}

/* Items that are kept for testing: as many as were asked for, or the data set's own number. */
static int choose_held_out(const struct cmd_zoo_options *o, const struct zoo_data *d, size_t *out, struct err *e)
{
	if (o->held_out >= 0 && (size_t)o->held_out >= d->n)
		return err_set(e, ERR_USAGE, "--held-out: %lld is not below the %zu items that there are",
			       (long long)o->held_out, d->n);
	*out = o->held_out >= 0 ? (size_t)o->held_out : d->source->held_out;
	return 0;
}

static int train(struct cli *c, const struct texts *words, void *arg, struct err *e)
{
	const struct cmd_zoo_options *o = arg;
	const char *name = words->at[0];
	struct zoo_train_options t = {
		.epochs = (int)o->epochs, .rate = o->rate, .seed = (uint64_t)o->seed, .progress = show_progress};
	struct zoo_train_result r = {.weights = TENSOR_SET_INIT};
	struct zoo_data data = {0};
	struct zoo_worker *library = NULL;
	const struct zoo_row *row;
	char path[PLACE_PATH];
	struct cmd_zoo_watch w;
	int rc = find(name, &row, e);

	if (!rc)
		rc = load_data(row, o->data, &data, e);
	if (!rc && o->backend)
		rc = open_library(o->backend, &library, e);
	if (!rc)
		rc = choose_held_out(o, &data, &t.held_out, e);
	if (!rc) {
		int epochs = t.epochs > 0 ? t.epochs : row->network->epochs;

		progress_start(&w.bar, "steps", (size_t)epochs * ((data.n - t.held_out) / 32));
		t.progress_arg = &w;
		t.engine = library ? &zoo_worker_engine : NULL;
		t.engine_arg = library;
		rc = zoo_train(row, &data, &t, &r, e);
		progress_end(&w.bar);
	}
	if (!rc)
		rc = place_path(path, e, "%s%s", o->output ? o->output : name, o->output ? "" : ".npz");
	if (!rc)
		rc = place_make_parents(path, e);
	if (!rc)
		rc = npz_save(&r.weights, path, e);
	if (!rc)
		rc = print_trained(c, o, row, path, &r);
	tensor_set_release(&r.weights);
	zoo_data_release(&data);
	zoo_worker_free(library);
	return rc;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* Items in the order that they are written in: those held out first, so that the first of them are new to a network. */
static size_t item_at(const struct zoo_data *d, size_t held_out, size_t i)
{
	return (i + d->n - held_out) % d->n;
}

/* The rows of a table in that order, under the dimensions of one item behind the first. */
static int save_rows(const struct zoo_data *d, size_t held_out, const struct tensor *table, const struct type *as,
		     const char *path, struct err *e)
{
	int64_t dims[TENSOR_MAX_RANK] = {(int64_t)d->n, (int64_t)(table->count / d->n)};
	int rank = as ? as->rank : 2, rc = 0;
	size_t each = table->count / d->n;
	struct tensor *t;

	for (int i = 1; as && i < rank; i++)
		dims[i] = as->dims[i];
	t = tensor_new_packed(as ? as->dtype : DT_FLOAT, rank, dims, e);
	for (size_t i = 0; t && i < d->n; i++)
		if (table == d->items)
			zoo_data_copy(d, item_at(d, held_out, i), t, i);
		else
			memcpy((float *)t->data + i * each, (const float *)table->data + item_at(d, held_out, i) * each,
			       each * sizeof(float));
	rc = t ? npy_save(t, path, e) : e->code;
	tensor_unref(t);
	return rc;
}

static int write_data(struct cli *c, const struct texts *words, void *arg, struct err *e)
{
	const struct cmd_zoo_options *o = arg;
	const char *name = words->at[0], *folder = o->output ? o->output : name;
	struct zoo_data d = {0};
	const struct zoo_row *row;
	const struct type *in = NULL;
	struct model *m = NULL;
	char path[2][PLACE_PATH];
	size_t held_out = 0;
	int classes, rc = find(name, &row, e);

	if (!rc)
		rc = zoo_build(row, 1, 0, NULL, &m, e);
	if (!rc)
		rc = load_data(row, o->data, &d, e);
	if (!rc)
		rc = zoo_data_check(&d, row, m, e);
	if (!rc)
		rc = place_make_folder(folder, e);
	classes = !rc && (row->network->kind == ZOO_CLASSIFIES || row->network->kind == ZOO_DECIDES);
	if (!rc)
		rc = place_path(path[0], e, "%s/inputs.npy", folder);
	if (!rc)
		rc = place_path(path[1], e, "%s/%s.npy", folder, classes ? "labels" : "targets");
	if (!rc) {
		in = &m->graph->inputs.at[0]->type;
		rc = choose_held_out(o, &d, &held_out, e);
	}
	if (!rc) {
		rc = save_rows(&d, held_out, d.items, in, path[0], e);
	}
	if (!rc && row->network->kind == ZOO_RESTORES)
		rc = save_rows(&d, held_out, d.items, in, path[1], e);
	else if (!rc)
		rc = save_rows(&d, held_out, d.truth, NULL, path[1], e);
	if (!rc && o->json)
		rc = cli_print_json(c->out, json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s}", "network", name, "dataset",
						      d.source->name, "package", d.source->from, "items",
						      (json_int_t)d.n, "held_out", (json_int_t)held_out, "inputs",
						      path[0], classes ? "labels" : "targets", path[1]));
	else if (!rc)
		fprintf(c->out, "%s, %s: %zu items of '%s' (%s), the first %zu held out\n", path[0], path[1], d.n,
			d.source->name, d.source->from, held_out);
	zoo_data_release(&d);
	model_free(m);
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int check_numbers(const struct cmd_zoo_options *o, struct err *e)
{
	if (o->batch < 1 || o->batch > 4096)
		return err_set(e, ERR_USAGE, "--batch takes 1 to 4096");
	if (o->opset < 0 || o->opset > 1000)
		return err_set(e, ERR_USAGE, "--opset takes the number of an opset");
	if (o->epochs < 0 || o->epochs > 10000 || o->held_out < -1 || !(o->rate >= 0))
		return err_set(e, ERR_USAGE, "--epochs, --held-out and --rate are not negative");
	return 0;
}

static const struct cli_action actions[] = {
	{"list", list, 0, NULL, "the networks there are (the default)"},
	{"get", get, 1, "the name of a network", "write one as a model"},
	{"fill", fill, 1, "a model", "give random weights to a model whose weights are one number"},
	{"train", train, 1, "the name of a network", "train one on its data, and write its weights"},
	{"data", write_data, 1, "the name of a network", "write its data, with what is right, for 'check'"},
	{0},
};

static const char notes[] =
	"subcommands:\n"
	"  list                       the networks there are (the default)\n"
	"  get NAME                   write one as a model\n"
	"  fill FILE                  give random weights to a model whose weight tensors each hold one number only\n"
	"  train NAME                 train one on its data, and write its weights\n"
	"  data NAME                  write its data and labels, for 'check --data' and '--labels'\n"
	"\n"
	"Wherever a verb takes a model file, it takes the name of a network, too.  See docs/zoo.md.\n";

static int act(struct cli *c, const struct texts *words, void *all, struct err *e)
{
	const struct cli_actions *a = all;
	int rc = check_numbers(a->arg, e);

	if (!rc && words->n > 2)
		rc = err_set(e, ERR_USAGE,
			     "zoo takes list, get NAME, fill FILE, train NAME or data NAME; see 'assay help zoo'");
	return rc ? rc : cli_act(c, words, all, e);
}

int cmd_zoo(struct cli *c)
{
	struct cmd_zoo_options o = {.batch = 1, .held_out = -1};
	struct cli_actions all = {actions, &o};
	const struct cli_option options[] = {
		{'o', "output", "FILE", CLI_STRING, &o.output,
		 "where to write (default: NAME.onnx, NAME.npz, a folder NAME)"},
		{0, "batch", "N", CLI_INT, &o.batch, "items in a batch (default: 1)"},
		{0, "opset", "N", CLI_INT, &o.opset, "get: an older opset, 7 and up (default: the network's own)"},
		{0, "seed", "N", CLI_INT, &o.seed, "of random weights and of training (default: 0)"},
		{0, "random", NULL, CLI_FLAG, &o.random, "random weights, even where trained ones are there"},
		{0, "weights", "FILE", CLI_STRING, &o.weights, "get: weights that 'zoo train' wrote"},
		{0, "epochs", "N", CLI_COUNT, &o.epochs, "train: passes over the data (default: the network's own)"},
		{0, "rate", "X", CLI_FLOAT, &o.rate, "train: step size (default: the network's own)"},
		{'b', "backend", "NAME", CLI_STRING, &o.backend,
		 "train: the library that computes the gradients (default: the reference, in double)"},
		{0, "held-out", "N", CLI_INT, &o.held_out,
		 "train, data: items kept for testing (default: the data set's own)"},
		{0, "data", "FILE", CLI_STRING, &o.data,
		 "train, data: csv, csv.gz or npy in place of the data fetched, a label last in a line"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		{0},
	};

	c->notes = notes;
	if (c->complete) {
		cli_complete_actions(c, actions);
		if (c->argc == 1 &&
		    (!strcmp(c->argv[0], "get") || !strcmp(c->argv[0], "train") || !strcmp(c->argv[0], "data")))
			cli_complete_networks(c);
	}
	return cli_main(c, options, act, &all);
}
