/* gradient.c - gradients of a graph by TF_AddGradients (declared in tf.h).
 *
 * Deriving a graph takes longer than running it: the derived one is kept with its session, and serves again while it is
 * asked for the same gradients of inputs of the same shapes. */
#include <string.h>

#include "backends/tf/graph.h"
#include "base/mem.h"

/* ---- deriving ---------------------------------------------------------------------------------------------------- */

/* The name of request i: of an output with a seed, or of what a gradient is wanted of. */
static const char *asked_name(const struct backend_gradient *q, size_t i)
{
	return i < q->seeds.n ? q->seeds.at[i].name : q->wanted.at[i - q->seeds.n];
}

static int is_asked_again(const struct tf_graph *g, const struct backend_gradient *q)
{
	if (!g->asked || g->n_seeds != q->seeds.n || g->n_wanted != q->wanted.n)
		return 0;
	for (size_t i = 0; i < q->seeds.n + q->wanted.n; i++)
		if (strcmp(g->asked[i]->name, asked_name(q, i)) != 0)
			return 0;
	return 1;
}

static int note_request(struct tf_graph *g, const struct backend_gradient *q, struct err *e)
{
	size_t n = q->seeds.n + q->wanted.n;

	g->asked = mem_array(n, sizeof *g->asked);
	g->slots = mem_array(n, sizeof *g->slots);
	g->fetches = mem_array(n, sizeof *g->fetches);
	g->n_seeds = q->seeds.n;
	g->n_wanted = q->wanted.n;
	g->n_fetches = 0;
	if (!g->asked || !g->slots || !g->fetches)
		return err_nomem(e, "gradients", n);
	for (size_t i = 0; i < n; i++) {
		g->asked[i] = graph_wire(bind_model(g->s)->graph, asked_name(q, i));
		if (!g->asked[i])
			return err_set(e, ERR_INPUT, "the model has no tensor '%s'", asked_name(q, i));
	}
	return 0;
}

/* Seeds become placeholders and feeds. */
static int add_seeds(struct tf_graph *g, const struct backend_gradient *q, struct TF_Output *places, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < q->seeds.n && !rc; i++) {
		struct tf_feed f = {.name = g->asked[i]->name, .seed = 1};
		const struct value *v = q->seeds.at[i].value;

		if (!v || v->kind != VALUE_TENSOR)
			return err_set(e, ERR_INPUT, "the gradient of '%s' is not a tensor", f.name);
		f.value = tf_value_from_tensor(g->t, v->tensor, e);
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

/* The places of all arrays that deriving needs. */
struct tf_places {
	struct TF_Output *y, *dy, *x, *dx;
	const char **names;
};

static int add_gradients(struct tf_build *b, struct tf_places *p, struct err *e)
{
	struct tf_graph *g = b->g;
	struct tf *t = g->t;
	size_t n_x = 0;
	int rc = 0;

	for (size_t i = 0; i < b->wanted.n && !rc; i++) {
		if (!b->wanted_values[i])
			continue;
		rc = tf_value_output(t, b->wanted_values[i], &p->x[n_x], e);
		g->slots[n_x++] = i;
	}
	if (rc || !n_x)
		return rc;
	t->api.TF_AddGradients(t->graph, p->y, (int)g->n_seeds, p->x, (int)n_x, p->dy, t->status, p->dx);
	rc = tf_check(t, "derive", e);
	for (size_t i = 0; i < n_x && !rc; i++) {
		if (!p->dx[i].oper)
			continue;
		g->slots[g->n_fetches] = g->slots[i];
		g->fetches[g->n_fetches++] = p->dx[i];
	}
	return rc;
}

static int derive(struct tf_build *b, const struct backend_gradient *q, struct tf_places *p, struct err *e)
{
	struct tf_graph *g = b->g;
	int rc = note_request(g, q, e);

	for (size_t i = 0; i < q->seeds.n && !rc; i++)
		p->names[i] = q->seeds.at[i].name;
	if (!rc)
		rc = tf_graph_build(b, &(struct backend_names){p->names, q->seeds.n}, p->y, e);
	if (!rc)
		rc = add_seeds(g, q, p->dy, e);
	if (!rc)
		rc = add_gradients(b, p, e);
	g->t->graph = NULL;
	if (!rc)
		rc = tf_graph_start(g, e);
	if (!rc && !tf_graph_give(g, &q->in, &q->seeds))
		rc = err_set(e, ERR_INTERNAL, "an input of the graph was not given");
	return rc;
}

/* The graph for a request, with what it is to be fed. */
static int prepare(struct tf_graph *g, const struct backend_gradient *q, struct err *e)
{
	size_t n = q->seeds.n + q->wanted.n;
	struct tf_build b = {g, q->in, q->wanted, mem_array(q->wanted.n, sizeof *b.wanted_values)};
	struct tf_places p = {mem_array(n, sizeof *p.y), mem_array(n, sizeof *p.dy), mem_array(n, sizeof *p.x),
			      mem_array(n, sizeof *p.dx), mem_array(n, sizeof *p.names)};
	int rc = b.wanted_values && p.y && p.dy && p.x && p.dx && p.names ? 0 : err_nomem(e, "gradients", n);

	tf_graph_clear(g);
	if (!rc)
		rc = derive(&b, q, &p, e);
	for (size_t i = 0; b.wanted_values && i < q->wanted.n; i++)
		tf_value_release(g->t, b.wanted_values[i]);
	if (rc)
		tf_graph_clear(g);
	mem_free(b.wanted_values);
	mem_free(p.y);
	mem_free(p.dy);
	mem_free(p.x);
	mem_free(p.dx);
	mem_free(p.names);
	return rc;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* A zero gradient, for what no seed depends on. */
static struct tensor *zero_gradient(const struct tf_graph *g, const struct backend_gradient *q, const char *name,
				    struct err *e)
{
	const struct named_value *v = backend_value(&q->in, name);
	const struct wire *w = graph_wire(bind_model(g->s)->graph, name);
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

static int fetch_gradients(struct tf_graph *g, const struct backend_gradient *q, struct tensor **grads, struct err *e)
{
	struct tensor **got = mem_array(g->n_fetches, sizeof *got);
	const char **names = mem_array(g->n_fetches, sizeof *names);
	int rc = got && names ? 0 : err_nomem(e, "gradients", g->n_fetches);

	for (size_t i = 0; i < g->n_fetches && !rc; i++)
		names[i] = q->wanted.at[g->slots[i]];
	if (!rc && g->n_fetches) {
		tf_graph_record(g, g->fetches, names, g->n_fetches);
		rc = tf_graph_fetch(g, g->fetches, g->n_fetches, got, e);
	}
	for (size_t i = 0; i < g->n_fetches && !rc; i++)
		grads[g->slots[i]] = got[i];
	mem_free(names);
	mem_free(got);
	for (size_t i = 0; i < q->wanted.n && !rc; i++)
		if (!grads[i] && !(grads[i] = zero_gradient(g, q, q->wanted.at[i], e)))
			rc = e->code;
	return rc;
}

int tf_graph_backward(struct tf_graph *g, const struct backend_gradient *q, struct tensor **grads, struct err *e)
{
	int rc = 0;

	memset(grads, 0, q->wanted.n * sizeof *grads);
	if (!is_asked_again(g, q) || !tf_graph_ready(g, &q->in, &q->seeds))
		rc = prepare(g, q, e);
	if (!rc)
		rc = fetch_gradients(g, q, grads, e);
	for (size_t i = 0; i < q->wanted.n && rc; i++)
		tensor_unref(grads[i]);
	return rc;
}

/* ---- one operation ----------------------------------------------------------------------------------------------- */

int tf_graph_derive(struct tf *t, struct tf_derived *of, struct TF_Output *x, size_t n_x, struct tensor **grads,
		    struct err *e)
{
	struct tf_graph g = {.t = t, .mode = TF_GRAPH, .graph = t->graph, .generation = t->generation};
	struct TF_Output *dx = mem_array(n_x, sizeof *dx), *fetch = mem_array(n_x, sizeof *fetch);
	struct tensor **got = mem_array(n_x, sizeof *got);
	size_t n = 0;
	int rc = dx && fetch && got ? 0 : err_nomem(e, "gradients", 0);

	if (!rc) {
		t->api.TF_AddGradients(t->graph, of->y, (int)of->n, x, (int)n_x, of->dy, t->status, dx);
		rc = tf_check(t, "derive", e);
	}
	for (size_t i = 0; i < n_x && !rc; i++)
		if (dx[i].oper)
			fetch[n++] = dx[i];
	if (!rc)
		rc = tf_graph_start(&g, e);
	if (!rc && n)
		rc = tf_graph_fetch(&g, fetch, n, got, e);
	n = 0;
	for (size_t i = 0; i < n_x && !rc; i++)
		grads[i] = dx[i].oper ? got[n++] : NULL;
	g.graph = NULL; /* the caller's */
	tf_graph_clear(&g);
	mem_free(dx);
	mem_free(fetch);
	mem_free(got);
	return rc;
}
