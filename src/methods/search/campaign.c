/* campaign.c - see campaign.h. */
#include "methods/search/campaign.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/place.h"
#include "case/dataset.h"
#include "case/planted.h"
#include "case/zoo_model.h"
#include "model/write.h"
#include "ops/attr.h"

#define MAX_SEEDS 64
#define MAX_STATE ((size_t)256 << 20)

/* ---- seeds ------------------------------------------------------------------------------------------------------- */

/* Words of a text may be any that the table of an embedding has. */
static void index_range(const struct graph *g, struct number_range *out)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		if (!strcmp(n->op_type, "Gather") && n->n_in == 2 && n->in[0] && n->in[0]->init && n->in[1] &&
		    n->in[1]->is_input && n->in[0]->init->rank && !attr_int(n, "axis"))
			*out = (struct number_range){1, 1, 0, (double)(n->in[0]->init->dims[0] - 1)};
	}
}

/* Gives the first dimension of the data's input, and all that have its name, a size. */
static int set_items(struct graph *g, int64_t items, struct err *e)
{
	size_t first = 0;
	int64_t open;
	int rc = dataset_first_input(g, &first, e);

	if (rc)
		return rc;
	open = g->inputs.at[first]->type.rank > 0 ? g->inputs.at[first]->type.dims[0] : items;
	if (open >= 0 && open != items)
		return err_set(e, ERR_INPUT, "input '%s' takes %" PRId64 " items at once: leave out --items",
			       g->inputs.at[first]->name, open);
	for (size_t i = first; i < g->inputs.n; i++) {
		struct type *t = &g->inputs.at[i]->type;

		if (t->rank > 0 && t->dims[0] == open && (i == first || open != DIM_UNKNOWN))
			t->dims[0] = items;
	}
	return 0;
}

/* The network for so many items at once: one of the zoo is built for them, a file must leave it open. */
static int open_network(const struct search_campaign *c, const char *name, struct buf *bytes, struct model **m,
			struct err *e)
{
	int rc = zoo_model_open_for(name, c->items ? c->items : 1, c->search.seed, bytes, m, e);

	if (rc || !c->items)
		return rc;
	if (set_items((*m)->graph, c->items, e))
		rc = err_prefix(e, "%s", name);
	bytes->len = 0;
	return rc ? rc : model_serialize(*m, bytes, e);
}

/* Items of the data, or numbers that are made up. */
static int make_inputs(const struct search_campaign *c, const struct graph *g, struct value ***out, json_t **sizes,
		       struct err *e)
{
	struct dataset_options o = {.data = c->data,
				    .preprocess = c->preprocess,
				    .limit = 1,
				    .inputs = {.dims = c->dims, .seed = c->search.seed}};
	struct dataset d = {0};
	int rc;

	index_range(g, &o.inputs.random);
	if (!c->data)
		return inputs_make(g, &o.inputs, out, sizes, e);
	rc = dataset_make(g, &o, &d, e);
	if (!rc && !(*out = mem_array(g->inputs.n + 1, sizeof **out)))
		rc = err_nomem(e, "inputs", g->inputs.n);
	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		(*out)[i] = value_ref(d.runs[0][i]);
	if (!rc)
		*sizes = json_incref(d.sizes);
	dataset_release(&d);
	return rc;
}

static int make_seed(const struct search_campaign *c, const char *name, struct trial *out, json_t **sizes,
		     struct err *e)
{
	struct value **inputs = NULL;
	struct model *m = NULL;
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = open_network(c, name, &bytes, &m, e);
	if (!rc)
		rc = planted_check(c->specs->at, c->specs->n, name, m, e);
	if (!rc && make_inputs(c, m->graph, &inputs, sizes, e))
		rc = err_prefix(e, "%s", name);
	if (!rc)
		return trial_init_bytes(out, m, &bytes, inputs, c->search.seed, e);
	model_free(m);
	buf_release(&bytes);
	return rc;
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

static int on_failure(const struct search_failure *f, void *arg, struct err *e)
{
	struct search_campaign *c = arg;

	return search_keep(&c->keeper, f, e);
}

/* DIR/lenet5-00 is the network itself, with its inputs; DIR/lenet5-01 and so on are variants. */
static int on_base(struct trial *t, size_t i, void *arg, struct err *e)
{
	const struct search_campaign *c = arg;
	const char *slash = strrchr(c->keeper.model, '/');
	char path[PLACE_PATH];
	int rc;

	if (!c->bases)
		return 0;
	rc = place_make_folders(c->bases, e);
	if (!rc)
		rc = place_path(path, e, "%s/%s-%02zu", c->bases, slash ? slash + 1 : c->keeper.model, i);
	return rc ? rc : trial_save(t, path, e);
}

static void on_nan_source(const char *op, void *arg)
{
	struct search_campaign *c = arg;
	json_int_t n = json_integer_value(json_object_get(c->nan_sources, op));

	json_object_set_new(c->nan_sources, op, json_integer(n + 1));
}

static void on_progress(enum search_level level, size_t done, size_t total, void *arg)
{
	struct search_campaign *c = arg;

	if (c->progress)
		c->progress(c, level, done, total);
}

/* Writes down a model that is done, with how much of it each backend was judged on. */
static int add_model(struct search_campaign *c, struct search_model_report *r, struct err *e)
{
	size_t n = c->specs->n;
	struct tally_row *rows = mem_array(n + 1, sizeof *rows);

	if (!rows)
		return err_nomem(e, "counts", n * sizeof *rows);
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct tally_row){c->specs->at[i].name, c->search.tallies[i]};
	r->rows = rows;
	r->n_rows = n;
	json_array_append_new(c->models, search_model_json(r));
	mem_free(rows);
	return 0;
}

/* *whole: it came to its end before the deadline. */
static int search_model(struct search_campaign *c, const char *name, int *whole, struct err *e)
{
	size_t from = json_array_size(c->keeper.findings);
	struct search_result result = {0};
	struct search_model_report report = {.model = name, .result = &result};
	struct trial seed = {0};
	int rc = make_seed(c, name, &seed, &report.sizes, e);

	if (rc)
		return rc;
	c->keeper.model = name;
	memset(c->search.tallies, 0, c->specs->n * sizeof *c->search.tallies);
	report.nan_sources = c->nan_sources = json_object();
	rc = search_run(&seed, c->rivals, &c->search, &result, e);
	if (rc == ERR_INPUT)
		rc = err_prefix(e, "%s", name);
	report.nodes = seed.model->graph->nodes.n;
	*whole = !result.out_of_time;
	if (!rc)
		rc = add_model(c, &report, e);
	if (!rc) {
		for (int i = 0; i < SEARCH_LEVELS; i++)
			c->stored.cases += (int64_t)result.levels[i].cases;
		if (c->done)
			c->done(c, &report, from);
	}
	json_decref(c->nan_sources);
	c->nan_sources = NULL; /* a screen reads it, too */
	json_decref(report.sizes);
	trial_release(&seed);
	return rc;
}

/* ---- in the store ------------------------------------------------------------------------------------------------ */

static void note_whole(struct search_campaign *c)
{
	json_decref(c->whole);
	c->whole = json_pack("{s:o, s:o, s:I}", "models", json_copy(c->models), "findings",
			     json_copy(c->keeper.findings), "cases", (json_int_t)c->stored.cases);
}

/* A run that was interrupted goes on behind the models it had done. */
static int open_stored(struct search_campaign *c, struct err *e)
{
	struct keeper *k = &c->keeper.keeper;
	const struct campaign_key key = {
		.method = "search", .command = c->key, .backends = c->backends, .seed = c->search.seed};
	json_t *state;
	int rc = keeper_open(k, e);

	if (!rc)
		rc = store_campaign_open(k->store, &key, c->resume, &c->stored, e);
	if (rc)
		return rc;
	k->campaign = c->stored.id;
	state = json_loadb(c->stored.state.p ? c->stored.state.p : "", c->stored.state.n, 0, NULL);
	if (json_is_array(json_object_get(state, "models")))
		json_array_extend(c->models, json_object_get(state, "models"));
	if (json_is_array(json_object_get(state, "findings")))
		json_array_extend(c->keeper.findings, json_object_get(state, "findings"));
	if (json_is_integer(json_object_get(
		    state, "cases"))) /* of models that the last run did not come to the end of, nothing counts */
		c->stored.cases = json_integer_value(json_object_get(state, "cases"));
	json_decref(state);
	note_whole(c);
	return 0;
}

static int save_stored(struct search_campaign *c, int done, double since, struct err *e)
{
	struct campaign now = c->stored;
	struct buf text;
	int rc;

	buf_init(&text, MAX_STATE);
	json_write(&text, c->whole, JSON_COMPACT);
	rc = buf_check(&text, e);
	if (!rc) {
		now.state = (struct bytes){text.data, text.len};
		now.done = done;
		now.seconds = c->stored.seconds + clock_now() - since;
		rc = store_campaign_save(c->keeper.keeper.store, &now, e);
	}
	buf_release(&text);
	return rc;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int prepare(struct search_campaign *c, struct err *e)
{
	char path[PLACE_PATH];
	int rc = place_data_file(c->layers, "layers.yaml", path, e);

	if (!rc)
		rc = layers_load(path, &c->table, e);
	if (!rc)
		rc = quirks_load(NULL, &c->quirks, e);
	if (!rc)
		rc = rivals_open(c->specs, c->jobs, &c->rivals, e);
	if (!rc && !(c->search.tallies = mem_array(c->specs->n + 1, sizeof *c->search.tallies)))
		rc = err_nomem(e, "counts", 0);
	c->search.judge.quirks = c->keeper.quirks = &c->quirks;
	c->search.layers = c->table;
	c->search.failure = on_failure;
	c->search.base = on_base;
	c->search.nan_source = on_nan_source;
	c->search.progress = on_progress;
	c->search.arg = c;
	c->keeper.judge = c->search.judge;
	c->keeper.layers = c->table;
	c->models = json_array();
	search_keep_init(&c->keeper);
	return rc;
}

static int is_over(const struct search_campaign *c)
{
	return c->search.deadline > 0 && clock_now() >= c->search.deadline;
}

static int run_all(struct search_campaign *c, const struct texts *names, double start, struct err *e)
{
	int rc = c->keeper.no_store ? 0 : open_stored(c, e), whole = 1;
	size_t i = json_array_size(c->models);

	c->n_models = names->n;
	for (; i < names->n && !rc && whole && !is_over(c); i++) {
		rc = search_model(c, names->at[i], &whole, e);
		if (c->search.stop && *c->search.stop)
			return rc; /* another run goes on from here, as after the deadline */
		if (!rc && whole)
			note_whole(c);
		if (!rc && !c->keeper.no_store)
			rc = save_stored(c, whole && i + 1 == names->n, start, e);
	}
	if (!rc && !names->n && !c->keeper.no_store)
		rc = save_stored(c, 1, start, e);
	return rc;
}

int search_campaign_run(struct search_campaign *c, const struct texts *names, struct err *e)
{
	struct texts seeds = {0}, own = {0};
	const char *at[MAX_SEEDS];
	double start;
	int rc = prepare(c, e);

	for (const struct zoo_row *row = zoo_rows; !names->n && row->name && seeds.n < MAX_SEEDS; row++)
		if (row->network->seed_of_papers)
			at[seeds.n++] = row->name;
	seeds.at = at;
	names = names->n ? names : &seeds;
	for (size_t i = 0; i < names->n && !rc; i++)
		if (split_has(&c->split, i) && vec_push(&own, names->at[i]))
			rc = err_nomem(e, "models", 0);
	start = clock_now();
	c->search.deadline = c->limit > 0 ? start + c->limit : 0;
	if (!rc)
		rc = run_all(c, &own, start, e);
	c->seconds = clock_now() - start;
	vec_release(&own);
	return rc;
}

struct tally search_campaign_tally(const struct search_campaign *c, size_t backend)
{
	struct tally sum = {0};
	const json_t *model;
	size_t i;

	json_array_foreach(c->models, i, model)
		tally_add_json(&sum, json_object_get(json_object_get(model, "counts"), c->specs->at[backend].name));
	return sum;
}

struct tally search_campaign_tally_now(const struct search_campaign *c, size_t backend)
{
	struct tally sum = search_campaign_tally(c, backend);

	tally_add(&sum, &c->search.tallies[backend]);
	return sum;
}

struct store_progress search_campaign_progress(const struct search_campaign *c)
{
	const struct search_keeper *k = &c->keeper;
	json_t *kinds = json_object();
	struct store_progress p = {0, (int64_t)(k->confirmed + k->flaky), (int64_t)k->confirmed};
	const json_t *model;
	size_t i;

	json_array_foreach(c->models, i, model) json_object_update(kinds, json_object_get(model, "nan_sources"));
	if (c->nan_sources)
		json_object_update(kinds, c->nan_sources);
	p.coverage = (double)json_object_size(kinds);
	json_decref(kinds);
	return p;
}

void search_campaign_release(struct search_campaign *c)
{
	mem_free(c->search.tallies);
	rivals_close(c->rivals);
	search_keep_release(&c->keeper);
	campaign_release(&c->stored);
	json_decref(c->models);
	json_decref(c->whole);
	layers_free(c->table);
	quirks_release(&c->quirks);
}
