/* tf_graph.c - a model as a graph of TensorFlow and the session that runs it; gradients by TF_AddGradients.
 *
 * Graphs have static shapes, so that bindings can ask for them: a graph is built for the shapes of one run's inputs and
 * kept while they stay the same.  Graph inputs become placeholders, initializers constants, which leaves TensorFlow's
 * optimizer something to fold.  A graph whose building needed the value of an input (a shape given at run time) is
 * built anew for every run. */
#include <stdio.h>
#include <string.h>

#include "backends/tf/tf.h"
#include "base/mem.h"
#include "worker/backend.h"

/* A graph input, or the gradient of an output. */
struct feed {
	const char *name; /* borrowed from the model */
	struct tf_value *value;
	struct tensor *given; /* borrowed, during one run */
};

struct tf_graph {
	struct tf *t;
	struct bind_session *s;
	enum tf_mode mode;
	struct TF_Graph *graph;
	struct TF_Session *session;
	int read_input;
	VEC(struct feed) feeds;
	struct TF_Output *fetches; /* by index of bind_outputs() */
	size_t generation;
};

/* ConfigProto: intra_op_parallelism_threads (2) = 1, inter_op_parallelism_threads (5) = 1; and, to switch the
 * optimizers off, graph_options (10) { optimizer_options (3) { opt_level (3): L0 = -1 }
 * rewrite_options (10) { disable_meta_optimizer (19): true } } */
static const uint8_t one_thread[] = {0x10, 1, 0x28, 1};
static const uint8_t no_optimizer[] = {0x10, 1,    0x28, 1,    0x52, 18,   0x1a, 11,   0x18, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x52, 3,    0x98, 0x01, 0x01};

const void *tf_config(enum tf_mode mode, size_t *n)
{
	*n = mode == TF_NOOPT ? sizeof no_optimizer : sizeof one_thread;
	return mode == TF_NOOPT ? no_optimizer : one_thread;
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

/* Forgets the built graph. */
static void clear(struct tf_graph *g)
{
	const struct tf_api *api = &g->t->api;

	if (g->session) {
		api->TF_CloseSession(g->session, g->t->status);
		api->TF_DeleteSession(g->session, g->t->status);
	}
	for (size_t i = 0; i < g->feeds.n; i++)
		tf_value_release(g->t, g->feeds.at[i].value);
	if (g->graph)
		api->TF_DeleteGraph(g->graph);
	vec_release(&g->feeds);
	mem_free(g->fetches);
	g->session = NULL;
	g->graph = NULL;
	g->fetches = NULL;
}

void tf_graph_close(struct tf_graph *g)
{
	if (!g)
		return;
	clear(g);
	mem_free(g);
}

static int same_type(const struct tf_value *v, const struct tensor *t)
{
	return v->dtype == t->dtype && v->rank == t->rank &&
	       !memcmp(v->dims, t->dims, (size_t)t->rank * sizeof *t->dims);
}

static const struct named_value *find_value(const struct named_value *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return &v[i];
	return NULL;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* What the watcher of one build knows. */
struct build {
	struct tf_graph *g;
	const struct named_value *in;
	size_t n_in;
	const char *const *wanted; /* of gradients */
	size_t n_wanted;
	struct tf_value **wanted_values;
};

static int watch_source(void *arg, const struct wire *w, void *handle, struct err *e)
{
	struct build *b = arg;
	struct tf_value *v = handle;
	struct feed f = {w->name, v, NULL};

	if (find_value(b->in, b->n_in, w->name)) {
		v->is_input = 1;
		if (vec_push(&b->g->feeds, f))
			return err_nomem(e, "inputs", sizeof f);
		v->refs++;
	}
	for (size_t i = 0; i < b->n_wanted; i++) {
		if (strcmp(b->wanted[i], w->name) || b->wanted_values[i])
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

/* Builds the graph for `names`; their places go to `places`.  Leaves g->t->graph set for what is added after. */
static int build(struct build *b, const char *const *names, size_t n_names, struct TF_Output *places, struct err *e)
{
	struct tf_graph *g = b->g;
	struct tf *t = g->t;
	struct tf_value **out = mem_array(n_names, sizeof *out);
	int rc;

	if (!out)
		return err_nomem(e, "outputs", n_names * sizeof *out);
	g->graph = t->api.TF_NewGraph();
	t->graph = g->graph;
	g->generation = t->generation = ++t->generations;
	t->next_name = 0;
	t->read_input = 0;
	rc = bind_run(g->s, b->in, b->n_in, names, (void **)out, n_names, watch_source, b, e);
	for (size_t i = 0; i < n_names && !rc; i++)
		rc = fetch_of(t, out[i], b->n_wanted > 0, &places[i], e);
	for (size_t i = 0; i < n_names; i++)
		tf_value_release(t, out[i]);
	g->read_input = t->read_input;
	mem_free(out);
	return rc;
}

static int start_session(struct tf_graph *g, struct err *e)
{
	struct tf *t = g->t;
	struct TF_SessionOptions *o = t->api.TF_NewSessionOptions();
	size_t n;
	const void *config = tf_config(g->mode, &n);
	int rc;

	t->api.TF_SetConfig(o, config, n, t->status);
	rc = tf_check(t, "configure a session", e);
	if (!rc) {
		g->session = t->api.TF_NewSession(g->graph, o, t->status);
		rc = tf_check(t, "start a session", e);
	}
	t->api.TF_DeleteSessionOptions(o);
	return rc;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Runs the session with what the feeds were given; out[i] for places[i] are new packed tensors. */
static int run_session(struct tf_graph *g, const struct TF_Output *places, size_t n, struct tensor **out, struct err *e)
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
static int overrides(const struct tf_graph *g, const struct named_value *in, size_t n_in)
{
	for (size_t i = 0; i < n_in; i++) {
		const struct wire *w = graph_wire(bind_model(g->s)->graph, in[i].name);
		size_t j = 0;

		while (j < g->feeds.n && strcmp(g->feeds.at[j].name, in[i].name))
			j++;
		if (w && w->init && j == g->feeds.n)
			return 1;
	}
	return 0;
}

/* Hands the values of this run to the feeds; 0 when the graph was built for other ones. */
static int give(struct tf_graph *g, const struct named_value *in, size_t n_in)
{
	for (size_t i = 0; i < g->feeds.n; i++) {
		const struct named_value *v = find_value(in, n_in, g->feeds.at[i].name);

		if (!v || !v->value || v->value->kind != VALUE_TENSOR ||
		    !same_type(g->feeds.at[i].value, v->value->tensor))
			return 0;
		g->feeds.at[i].given = v->value->tensor;
	}
	return 1;
}

static int build_forward(struct tf_graph *g, const struct named_value *in, size_t n_in, struct err *e)
{
	struct build b = {.g = g, .in = in, .n_in = n_in};
	const char *const *names;
	size_t n = bind_outputs(g->s, &names);
	int rc;

	clear(g);
	g->fetches = mem_array(n, sizeof *g->fetches);
	rc = g->fetches ? build(&b, names, n, g->fetches, e) : err_nomem(e, "outputs", n * sizeof *g->fetches);
	g->t->graph = NULL;
	if (!rc)
		rc = start_session(g, e);
	if (!rc && !give(g, in, n_in))
		rc = err_set(e, ERR_INTERNAL, "an input of the graph was not given");
	if (rc)
		clear(g);
	return rc;
}

int tf_graph_run(struct tf_graph *g, const struct named_value *in, size_t n_in, const char *const *names,
		 struct value **out, size_t n_out, struct err *e)
{
	struct TF_Output *places = mem_array(n_out, sizeof *places);
	struct tensor **tensors = mem_array(n_out, sizeof *tensors);
	const char *const *all;
	size_t n_all = bind_outputs(g->s, &all), done = 0;
	int rc = places && tensors ? 0 : err_nomem(e, "outputs", 0);

	if (!rc && (!g->session || g->read_input || overrides(g, in, n_in) || !give(g, in, n_in)))
		rc = build_forward(g, in, n_in, e);
	for (size_t i = 0; i < n_out && !rc; i++) {
		size_t j = 0;

		while (j < n_all && strcmp(all[j], names[i]))
			j++;
		if (j == n_all)
			rc = err_set(e, ERR_INPUT, "'%s' is not an output of the session", names[i]);
		else
			places[i] = g->fetches[j];
	}
	if (!rc)
		rc = run_session(g, places, n_out, tensors, e);
	for (; done < n_out && !rc; done++)
		if (!(out[done] = value_tensor(tensors[done], e)))
			rc = e->code;
	mem_free(places);
	mem_free(tensors);
	return rc;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* Seeds become placeholders and feeds. */
static int add_seeds(struct tf_graph *g, const struct named_value *seeds, size_t n, struct TF_Output *places,
		     struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct feed f = {seeds[i].name, NULL, NULL};

		if (!seeds[i].value || seeds[i].value->kind != VALUE_TENSOR)
			return err_set(e, ERR_INPUT, "the gradient of '%s' is not a tensor", seeds[i].name);
		f.given = seeds[i].value->tensor;
		f.value = tf_value_from_tensor(g->t, f.given, e);
		if (!f.value)
			return e->code;
		f.value->is_input = 1;
		if (vec_push(&g->feeds, f)) {
			tf_value_release(g->t, f.value);
			return err_nomem(e, "seeds", sizeof f);
		}
		rc = tf_value_output(g->t, f.value, &places[i], e);
	}
	return rc;
}

/* A zero gradient, for what no seed depends on. */
static struct tensor *zero_gradient(const struct build *b, const char *name, struct err *e)
{
	const struct named_value *v = find_value(b->in, b->n_in, name);
	const struct wire *w = graph_wire(bind_model(b->g->s)->graph, name);
	const struct tensor *like = v && v->value->kind == VALUE_TENSOR ? v->value->tensor : w ? w->init : NULL;
	struct tensor *zero, *packed;

	if (!like) {
		err_set(e, ERR_INPUT, "the model has no input or initializer '%s'", name);
		return NULL;
	}
	zero = tensor_zeros(like->dtype, like->rank, like->dims, e);
	packed = zero ? tensor_pack(zero, e) : NULL;
	tensor_unref(zero);
	return packed;
}

/* The places of all arrays that one backward pass needs. */
struct places {
	struct TF_Output *y, *dy, *x, *dx, *fetch;
	size_t *slot; /* of each fetch: index into wanted */
	struct tensor **got;
};

static int add_gradients(struct build *b, struct places *p, size_t n_seeds, size_t *n_fetch, struct err *e)
{
	struct tf *t = b->g->t;
	size_t n_x = 0;
	int rc = 0;

	for (size_t i = 0; i < b->n_wanted && !rc; i++) {
		if (!b->wanted_values[i])
			continue;
		rc = tf_value_output(t, b->wanted_values[i], &p->x[n_x], e);
		p->slot[n_x++] = i;
	}
	if (rc || !n_x)
		return rc;
	t->api.TF_AddGradients(t->graph, p->y, (int)n_seeds, p->x, (int)n_x, p->dy, t->status, p->dx);
	rc = tf_check(t, "derive", e);
	for (size_t i = 0; i < n_x && !rc; i++) {
		if (!p->dx[i].oper)
			continue;
		p->slot[*n_fetch] = p->slot[i];
		p->fetch[(*n_fetch)++] = p->dx[i];
	}
	return rc;
}

static int backward(struct build *b, struct places *p, const struct named_value *seeds, size_t n_seeds,
		    struct tensor **grads, struct err *e)
{
	const char **names = mem_array(n_seeds, sizeof *names);
	size_t n_fetch = 0;
	int rc = names ? 0 : err_nomem(e, "names", 0);

	for (size_t i = 0; i < n_seeds && !rc; i++)
		names[i] = seeds[i].name;
	if (!rc)
		rc = build(b, names, n_seeds, p->y, e);
	mem_free(names);
	if (!rc && !give(b->g, b->in, b->n_in))
		rc = err_set(e, ERR_INTERNAL, "an input of the graph was not given");
	if (!rc)
		rc = add_seeds(b->g, seeds, n_seeds, p->dy, e);
	if (!rc)
		rc = add_gradients(b, p, n_seeds, &n_fetch, e);
	b->g->t->graph = NULL;
	if (!rc)
		rc = start_session(b->g, e);
	if (!rc && n_fetch)
		rc = run_session(b->g, p->fetch, n_fetch, p->got, e);
	for (size_t i = 0; i < n_fetch && !rc; i++)
		grads[p->slot[i]] = p->got[i];
	for (size_t i = 0; i < b->n_wanted && !rc; i++)
		if (!grads[i] && !(grads[i] = zero_gradient(b, b->wanted[i], e)))
			rc = e->code;
	return rc;
}

int tf_graph_backward(struct tf_graph *g, const struct named_value *in, size_t n_in, const struct named_value *seeds,
		      size_t n_seeds, const char *const *wanted, size_t n_wanted, struct tensor **grads, struct err *e)
{
	size_t n = n_seeds + n_wanted;
	struct build b = {g, in, n_in, wanted, n_wanted, mem_array(n_wanted, sizeof *b.wanted_values)};
	struct places p = {mem_array(n, sizeof *p.y),  mem_array(n, sizeof *p.dy),    mem_array(n, sizeof *p.x),
			   mem_array(n, sizeof *p.dx), mem_array(n, sizeof *p.fetch), mem_array(n, sizeof *p.slot),
			   mem_array(n, sizeof *p.got)};
	int rc = b.wanted_values && p.y && p.dy && p.x && p.dx && p.fetch && p.slot && p.got
			 ? 0
			 : err_nomem(e, "gradients", 0);

	clear(g);
	memset(grads, 0, n_wanted * sizeof *grads);
	if (!rc)
		rc = backward(&b, &p, seeds, n_seeds, grads, e);
	for (size_t i = 0; i < n_wanted && rc; i++)
		tensor_unref(grads[i]);
	for (size_t i = 0; b.wanted_values && i < n_wanted; i++)
		tf_value_release(g->t, b.wanted_values[i]);
	clear(g);
	mem_free(b.wanted_values);
	mem_free(p.y);
	mem_free(p.dy);
	mem_free(p.x);
	mem_free(p.dx);
	mem_free(p.fetch);
	mem_free(p.slot);
	mem_free(p.got);
	return rc;
}

/* ---- one operation ----------------------------------------------------------------------------------------------- */

int tf_graph_derive(struct tf *t, struct TF_Output *y, size_t n_y, struct TF_Output *x, size_t n_x,
		    struct tensor **grads, struct err *e)
{
	struct tf_graph g = {.t = t, .mode = TF_GRAPH, .graph = t->graph, .generation = t->generation};
	struct TF_Output *dx = mem_array(n_x, sizeof *dx), *fetch = mem_array(n_x, sizeof *fetch);
	struct tensor **got = mem_array(n_x, sizeof *got);
	size_t n = 0;
	int rc = dx && fetch && got ? 0 : err_nomem(e, "gradients", 0);

	if (!rc) {
		t->api.TF_AddGradients(t->graph, y, (int)n_y, x, (int)n_x, NULL, t->status, dx);
		rc = tf_check(t, "derive", e);
	}
	for (size_t i = 0; i < n_x && !rc; i++)
		if (dx[i].oper)
			fetch[n++] = dx[i];
	if (!rc)
		rc = start_session(&g, e);
	if (!rc && n)
		rc = run_session(&g, fetch, n, got, e);
	n = 0;
	for (size_t i = 0; i < n_x && !rc; i++)
		grads[i] = dx[i].oper ? got[n++] : NULL;
	g.graph = NULL; /* the caller's */
	clear(&g);
	mem_free(dx);
	mem_free(fetch);
	mem_free(got);
	return rc;
}
