/* graph.c - a model as a graph of TensorFlow and the session that runs it; its gradients are in gradient.c.
 *
 * Graphs have static shapes, so that bindings can ask for them: a graph is built for the shapes of one run's inputs and
 * kept while they stay the same.  Graph inputs become placeholders, initializers constants, which leaves TensorFlow's
 * optimizer something to fold.  A graph whose building needed the value of an input (a shape given at run time) is
 * built anew for every run. */
#include <stdio.h>
#include <string.h>

#include "backends/tf/graph.h"

#include "backends/bind/record.h"
#include "base/mem.h"

/* ConfigProto: intra_op_parallelism_threads (2) = 1, inter_op_parallelism_threads (5) = 1; and, to switch the
 * optimizers off, graph_options (10) { optimizer_options (3) { opt_level (3): L0 = -1 }
 * rewrite_options (10) { disable_meta_optimizer (19): true } }.  Where they are on, Grappler leaves graphs of fewer
 * than four nodes alone, unless graph_options (10) { rewrite_options (10) { min_graph_nodes (17): -1 } }.  Releases
 * older than the field skip it. */
static const uint8_t one_thread[] = {0x10, 1, 0x28, 1};
static const uint8_t any_size[] = {0x10, 1,    0x28, 1,    0x52, 14,   0x52, 12,   0x88, 0x01,
				   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
static const uint8_t no_optimizer[] = {0x10, 1,    0x28, 1,    0x52, 18,   0x1a, 11,   0x18, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x52, 3,    0x98, 0x01, 0x01};

const void *tf_config(enum tf_mode mode, size_t *n)
{
	switch (mode) {
	case TF_GRAPH:
		*n = sizeof any_size;
		return any_size;
	case TF_NOOPT:
		*n = sizeof no_optimizer;
		return no_optimizer;
	default:
		*n = sizeof one_thread;
		return one_thread;
	}
}

int tf_graph_open(struct tf *t, struct bind_session *s, enum tf_mode mode, struct tf_graph **out, struct err *e)
{
	struct tf_graph *g = mem_zalloc(sizeof *g);

	if (!g)
		return err_nomem(e, "a graph", sizeof *g);
	g->t = t;
	g->s = s;
	g->mode = mode;
	*out = g;
	return 0;
}

void tf_graph_clear(struct tf_graph *g)
{
	const struct tf_api *api = &g->t->api;

	tf_session_close(g->t, g->session);
	for (size_t i = 0; i < g->feeds.n; i++)
		tf_value_release(g->t, g->feeds.at[i].value);
	if (g->graph)
		api->TF_DeleteGraph(g->graph);
	vec_release(&g->feeds);
	mem_free(g->fetches);
	mem_free(g->asked);
	mem_free(g->slots);
	g->session = NULL;
	g->graph = NULL;
	g->fetches = NULL;
	g->asked = NULL;
	g->slots = NULL;
}

void tf_graph_close(struct tf_graph *g)
{
	if (!g)
		return;
	tf_graph_clear(g);
	mem_free(g);
}

static int same_type(const struct tf_value *v, const struct tensor *t)
{
	return v->dtype == t->dtype && v->rank == t->rank &&
	       !memcmp(v->dims, t->dims, (size_t)t->rank * sizeof *t->dims);
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static int watch_source(void *arg, const struct wire *w, void *handle, struct err *e)
{
	struct tf_build *b = arg;
	struct tf_value *v = handle;
	struct tf_feed f = {.name = w->name, .value = v};

	if (backend_value(&b->in, w->name)) {
		v->is_input = 1;
		if (vec_push(&b->g->feeds, f))
			return err_nomem(e, "inputs", sizeof f);
		v->refs++;
	}
	for (size_t i = 0; i < b->wanted.n; i++) {
		if (strcmp(b->wanted.at[i], w->name) || b->wanted_values[i])
			continue;
		b->wanted_values[i] = v;
		v->refs++;
	}
	return 0;
}

/* The place of an output in the graph.  One that is an input is copied: a tensor cannot be both fed and fetched.  So is
 * one that is seeded: TF_AddGradients does not go through one of its y to those that depend on it. */
static int fetch_of(struct tf *t, struct tf_value *v, int seeded, struct TF_Output *out, struct err *e)
{
	struct TF_OperationDescription *d;
	char name[32];
	int rc = tf_value_output(t, v, out, e);

	if (rc || !(v->is_input || seeded))
		return rc;
	snprintf(name, sizeof name, "v%zu", t->next_name++);
	d = t->api.TF_NewOperation(t->graph, "Identity", name);
	t->api.TF_AddInput(d, *out);
	out->oper = t->api.TF_FinishOperation(d, t->status);
	out->index = 0;
	return tf_check(t, "copy an output", e);
}

int tf_graph_build(struct tf_build *b, const struct backend_names *names, struct TF_Output *places, struct err *e)
{
	const struct backend_run run = {b->in, *names};
	struct tf_graph *g = b->g;
	struct tf *t = g->t;
	struct tf_value **out = mem_array(names->n, sizeof *out);
	int rc;

	if (!out)
		return err_nomem(e, "outputs", names->n * sizeof *out);
	g->graph = t->api.TF_NewGraph();
	t->graph = g->graph;
	g->generation = t->generation = ++t->generations;
	t->next_name = 0;
	t->read_input = 0;
	rc = bind_run(g->s, &run, (void **)out, watch_source, b, e);
	for (size_t i = 0; i < names->n && !rc; i++)
		rc = fetch_of(t, out[i], b->wanted.n > 0, &places[i], e);
	for (size_t i = 0; i < names->n; i++)
		tf_value_release(t, out[i]);
	g->read_input = t->read_input;
	mem_free(out);
	return rc;
}

int tf_session_start(struct tf *t, struct TF_Graph *graph, enum tf_mode mode, struct TF_Session **out, struct err *e)
{
	struct TF_SessionOptions *o = t->api.TF_NewSessionOptions();
	size_t n;
	const void *config = tf_config(mode, &n);
	int rc;

	t->api.TF_SetConfig(o, config, n, t->status);
	rc = tf_check(t, "configure a session", e);
	if (!rc) {
		*out = t->api.TF_NewSession(graph, o, t->status);
		rc = tf_check(t, "start a session", e);
	}
	t->api.TF_DeleteSessionOptions(o);
	return rc;
}

void tf_session_close(struct tf *t, struct TF_Session *session)
{
	if (!session)
		return;
	t->api.TF_CloseSession(session, t->status);
	t->api.TF_DeleteSession(session, t->status);
}

int tf_graph_start(struct tf_graph *g, struct err *e)
{
	return tf_session_start(g->t, g->graph, g->mode, &g->session, e);
}

/* ---- writing it down --------------------------------------------------------------------------------------------- */

static void record_place(struct tf *t, const char *function, const char *name, const struct TF_Output *at)
{
	char place[256];

	snprintf(place, sizeof place, "%s:%d", t->api.TF_OperationName(at->oper), at->index);
	record_statement(t->record, function);
	record_string(t->record, name);
	record_string(t->record, place);
	record_run(t->record);
}

/* The graph as a file, and what goes in and out of it. */
void tf_graph_record(struct tf_graph *g, const struct TF_Output *places, const char *const *names, size_t n)
{
	struct tf *t = g->t;
	struct TF_Buffer *b = t->record ? t->api.TF_NewBuffer() : NULL;
	struct err ignored = ERR_INIT;

	if (!b)
		return;
	t->api.TF_GraphToGraphDef(g->graph, b, t->status);
	if (!tf_check(t, "write the graph", &ignored)) {
		record_begin(t->record);
		record_file(t->record, "graph.pb", b->data, b->length);
	}
	t->api.TF_DeleteBuffer(b);
	for (size_t i = 0; i < g->feeds.n; i++)
		if (g->feeds.at[i].value->generation == g->generation)
			record_place(t, g->feeds.at[i].seed ? "feed_seed" : "feed", g->feeds.at[i].name,
				     &g->feeds.at[i].value->output);
	for (size_t i = 0; i < n; i++)
		record_place(t, "fetch", names[i], &places[i]);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

int tf_graph_fetch(struct tf_graph *g, const struct TF_Output *places, size_t n, struct tensor **out, struct err *e)
{
	struct tf *t = g->t;
	struct TF_Tensor **results = mem_array(n, sizeof *results);
	struct TF_Output *at = mem_array(g->feeds.n, sizeof *at);
	struct TF_Tensor **fed = mem_array(g->feeds.n, sizeof *fed);
	struct tf_value **literals = mem_array(g->feeds.n, sizeof *literals);
	size_t n_fed = 0, done = 0;
	int rc = results && at && fed && literals ? 0 : err_nomem(e, "a run", 0);

	for (size_t i = 0; i < g->feeds.n && !rc; i++) {
		if (g->feeds.at[i].value->generation != g->generation)
			continue; /* nothing reads it */
		literals[n_fed] = tf_value_from_tensor(t, g->feeds.at[i].given, e);
		rc = literals[n_fed] ? 0 : e->code;
		if (rc)
			break;
		at[n_fed] = g->feeds.at[i].value->output;
		fed[n_fed] = literals[n_fed]->literal;
		n_fed++;
	}
	if (!rc) {
		t->api.TF_SessionRun(g->session, NULL, at, fed, (int)n_fed, places, results, (int)n, NULL, 0, NULL,
				     t->status);
		rc = tf_check(t, "run the graph", e);
	}
	while (done < n && !rc) {
		rc = tf_tensor_from_literal(t, results[done], &out[done], e);
		done += !rc;
	}
	while (rc && done)
		tensor_unref(out[--done]);
	for (size_t i = 0; results && i < n; i++)
		if (results[i])
			t->api.TF_DeleteTensor(results[i]);
	for (size_t i = 0; i < n_fed; i++)
		tf_value_release(t, literals[i]);
	mem_free(results);
	mem_free(at);
	mem_free(fed);
	mem_free(literals);
	return rc;
}

/* True when a default value that the graph has as a constant is given another value now. */
static int overrides(const struct tf_graph *g, const struct backend_values *in)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct wire *w = graph_wire(bind_model(g->s)->graph, in->at[i].name);
		size_t j = 0;

		while (j < g->feeds.n && strcmp(g->feeds.at[j].name, in->at[i].name))
			j++;
		if (w && w->init && j == g->feeds.n)
			return 1;
	}
	return 0;
}

int tf_graph_give(struct tf_graph *g, const struct backend_values *in, const struct backend_values *seeds)
{
	for (size_t i = 0; i < g->feeds.n; i++) {
		struct tf_feed *f = &g->feeds.at[i];
		const struct named_value *v = backend_value(f->seed ? seeds : in, f->name);

		if (!v || !v->value || v->value->kind != VALUE_TENSOR || !same_type(f->value, v->value->tensor))
			return 0;
		f->given = v->value->tensor;
	}
	return 1;
}

int tf_graph_ready(struct tf_graph *g, const struct backend_values *in, const struct backend_values *seeds)
{
	return g->session && !g->read_input && !overrides(g, in) && tf_graph_give(g, in, seeds);
}

static const struct backend_values no_seeds = {NULL, 0};

static int build_forward(struct tf_graph *g, const struct backend_values *in, struct err *e)
{
	struct tf_build b = {.g = g, .in = *in};
	struct backend_names all;
	int rc;

	all.n = bind_outputs(g->s, &all.at);
	tf_graph_clear(g);
	g->fetches = mem_array(all.n, sizeof *g->fetches);
	rc = g->fetches ? tf_graph_build(&b, &all, g->fetches, e) : err_nomem(e, "outputs", all.n * sizeof *g->fetches);
	g->t->graph = NULL;
	if (!rc)
		rc = tf_graph_start(g, e);
	if (!rc && !tf_graph_give(g, in, &no_seeds))
		rc = err_set(e, ERR_INTERNAL, "an input of the graph was not given");
	if (rc)
		tf_graph_clear(g);
	return rc;
}

int tf_graph_run(struct tf_graph *g, const struct backend_run *q, struct value **out, struct err *e)
{
	const char *const *names = q->wanted.at;
	size_t n_out = q->wanted.n;
	struct TF_Output *places = mem_array(n_out, sizeof *places);
	struct tensor **tensors = mem_array(n_out, sizeof *tensors);
	const char *const *all;
	size_t n_all = bind_outputs(g->s, &all), done = 0;
	int rc = places && tensors ? 0 : err_nomem(e, "outputs", 0);

	if (!rc && !tf_graph_ready(g, &q->in, &no_seeds))
		rc = build_forward(g, &q->in, e);
	for (size_t i = 0; i < n_out && !rc; i++) {
		size_t j = 0;

		while (j < n_all && strcmp(all[j], names[i]))
			j++;
		if (j == n_all)
			rc = err_set(e, ERR_INPUT, "'%s' is not an output of the session", names[i]);
		else
			places[i] = g->fetches[j];
	}
	if (!rc) {
		tf_graph_record(g, places, names, n_out);
		rc = tf_graph_fetch(g, places, n_out, tensors, e);
	}
	for (; done < n_out && !rc; done++)
		if (!(out[done] = value_tensor(tensors[done], e)))
			rc = e->code;
	mem_free(places);
	mem_free(tensors);
	return rc;
}
