/* pass_sizes.c - smaller dimensions: batches, channels, images and kernels.
 *
 * Which dimensions hang together is a matter of every operator on the way, so it is guessed and then checked by shape
 * inference, which costs little.  A guess takes a size d that occurs and makes it smaller
 *
 *     everywhere   on all axes, in integer attributes (group, kernel_shape) and in small integer initializers (shapes)
 *     scaled       the same, and multiples of d in proportion: what a Flatten made of d channels
 *     channels     on the first two axes and in single integers among the attributes (group)
 *     axes         on all axes, nowhere else
 *     proportion   the same, and multiples of d
 *     one axis     on the same axis of all tensors
 *     its share    the same, and multiples of d: what channels and groups have in common
 *     inputs       on the axes of graph inputs
 *     single       on one axis of one tensor
 *
 * Tensors keep their leading elements. */
#include <string.h>

#include "base/mem.h"
#include "triage/reduction.h"

#define SHAPE_MAX 16 /* elements of an integer tensor that may be a shape */

enum size_rule {
	RULE_EVERYWHERE,
	RULE_SCALED,
	RULE_CHANNELS,
	RULE_AXES,
	RULE_PROPORTION,
	RULE_AXIS,
	RULE_SHARE,
	RULE_INPUTS,
	RULE_SINGLE,
	N_RULES
};

/* What a rule reaches beside size d on an axis. */
static const struct {
	unsigned multiples : 1, numbers : 1, lists : 1, per_axis : 1;
} reach[N_RULES] = {
	[RULE_EVERYWHERE] = {.numbers = 1, .lists = 1},
	[RULE_SCALED] = {.multiples = 1, .numbers = 1, .lists = 1},
	[RULE_CHANNELS] = {.numbers = 1},
	[RULE_PROPORTION] = {.multiples = 1},
	[RULE_AXIS] = {.per_axis = 1},
	[RULE_SHARE] = {.multiples = 1, .per_axis = 1},
};

#define AXES 5 /* that are tried one by one */

struct guess {
	enum size_rule rule;
	int64_t from, to;
	int axis;         /* RULE_AXIS, RULE_SHARE, RULE_SINGLE */
	const char *name; /* RULE_SINGLE: of the wire; borrowed from r->now */
};

struct guesses {
	VEC(struct guess) at;
	VEC(int64_t) sizes; /* that occur, largest first */
};

/* ---- what there is ----------------------------------------------------------------------------------------------- */

static int is_shape(const struct wire *w, const struct tensor *t)
{
	return !w->is_input && t->dtype == DT_INT64 && t->rank <= 1 && t->count <= SHAPE_MAX;
}

static int add_size(struct guesses *g, int64_t d)
{
	size_t i = 0;

	if (d < 2)
		return 0;
	while (i < g->sizes.n && g->sizes.at[i] > d)
		i++;
	if (i < g->sizes.n && g->sizes.at[i] == d)
		return 0;
	return vec_insert(&g->sizes, i, d);
}

static int list_sizes(const struct reduction *r, struct guesses *g)
{
	const struct graph *graph = r->now.model->graph;
	int rc = 0;

	for (size_t i = 0; i < graph->wires.n; i++) {
		const struct tensor *t = candidate_tensor(r->now.model, r->now.inputs, graph->wires.at[i]);

		for (int a = 0; t && a < t->rank && !rc; a++)
			rc = add_size(g, t->dims[a]);
	}
	return rc;
}

static int add_singles(const struct reduction *r, struct guesses *g, int64_t from, int64_t to)
{
	const struct graph *graph = r->now.model->graph;
	int rc = 0;

	for (size_t i = 0; i < graph->wires.n; i++) {
		const struct tensor *t = candidate_tensor(r->now.model, r->now.inputs, graph->wires.at[i]);

		for (int a = 0; t && a < t->rank && !rc; a++) {
			struct guess x = {RULE_SINGLE, from, to, a, graph->wires.at[i]->name};

			if (t->dims[a] == from)
				rc = vec_push(&g->at, x);
		}
	}
	return rc;
}

static int add_guesses(const struct reduction *r, struct guesses *g, int64_t from, int64_t to)
{
	int rc = 0;

	for (int rule = RULE_EVERYWHERE; rule < RULE_SINGLE && !rc; rule++)
		for (int axis = 0; axis < (reach[rule].per_axis ? AXES : 1) && !rc; axis++) {
			struct guess x = {(enum size_rule)rule, from, to, axis, NULL};

			rc = vec_push(&g->at, x);
		}
	return rc ? rc : add_singles(r, g, from, to);
}

/* Sizes to try for d: 1, 2, 3, then half of it. */
static int list_guesses(const struct reduction *r, struct guesses *g)
{
	int rc = list_sizes(r, g);

	for (size_t i = 0; i < g->sizes.n && !rc; i++) {
		int64_t d = g->sizes.at[i], half = d / 2;

		for (int64_t to = 1; to < d && to <= 3 && !rc; to++)
			rc = add_guesses(r, g, d, to);
		if (half > 3 && !rc)
			rc = add_guesses(r, g, d, half);
	}
	return rc;
}

/* ---- making a guess come true ------------------------------------------------------------------------------------ */

/* What size `d` becomes. */
static int64_t shrunk(const struct guess *x, int64_t d)
{
	if (d == x->from)
		return x->to;
	if (reach[x->rule].multiples && d > x->from && d % x->from == 0)
		return d / x->from * x->to;
	return d;
}

static int applies(const struct guess *x, const struct wire *w, const struct tensor *t, int axis)
{
	switch (x->rule) {
	case RULE_AXIS:
	case RULE_SHARE:
		return axis == x->axis;
	case RULE_CHANNELS:
		return axis < 2 && !is_shape(w, t);
	case RULE_INPUTS:
		return w->is_input;
	case RULE_SINGLE:
		return axis == x->axis && !strcmp(w->name, x->name);
	default:
		return !is_shape(w, t);
	}
}

/* The leading part of t with dimensions `dims`. */
static struct tensor *cut(struct tensor *t, const int64_t *dims, struct err *e)
{
	struct tensor *wide = tensor_widen(t, e), *out = wide ? tensor_new(t->dtype, t->rank, dims, e) : NULL;
	struct tensor *packed = NULL;
	size_t size = dtype_wide_size(t->dtype);
	int64_t at[TENSOR_MAX_RANK] = {0};

	for (size_t i = 0; out && i < out->count; i++) {
		size_t from = 0;

		for (int a = 0; a < t->rank; a++)
			from = from * (size_t)t->dims[a] + (size_t)at[a];
		memcpy((char *)out->data + i * size, (const char *)wide->data + from * size, size);
		for (int a = t->rank; a-- > 0 && ++at[a] == dims[a];)
			at[a] = 0;
	}
	if (out)
		packed = tensor_pack(out, e);
	tensor_unref(out);
	tensor_unref(wide);
	return packed;
}

/* Shapes among the initializers: the numbers in them change. */
static struct tensor *shrink_shape(const struct guess *x, struct tensor *t, struct err *e)
{
	struct tensor *wide = tensor_widen(t, e), *copy = wide ? tensor_copy(wide, e) : NULL, *packed = NULL;
	int changed = 0;

	for (size_t i = 0; copy && i < copy->count; i++) {
		int64_t to = shrunk(x, copy->i[i]);

		changed |= to != copy->i[i];
		copy->i[i] = to;
	}
	if (copy)
		packed = changed ? tensor_pack(copy, e) : tensor_ref(t);
	tensor_unref(copy);
	tensor_unref(wide);
	return packed;
}

/* t as the guess wants it: a new reference, t itself when nothing changes. */
static struct tensor *shrink_tensor(const struct guess *x, const struct wire *w, struct tensor *t, struct err *e)
{
	int64_t dims[TENSOR_MAX_RANK] = {0};
	int changed = 0;

	if (is_shape(w, t) && reach[x->rule].lists)
		return shrink_shape(x, t, e);
	for (int a = 0; a < t->rank; a++) {
		dims[a] = applies(x, w, t, a) ? shrunk(x, t->dims[a]) : t->dims[a];
		changed |= dims[a] != t->dims[a];
	}
	if (!changed || t->dtype == DT_STRING)
		return tensor_ref(t);
	return cut(t, dims, e);
}

/* An input that is given a value may have a default as well, which must keep the shape of the value. */
static int shrink_default(const struct guess *x, struct candidate *c, struct wire *w, struct err *e)
{
	const struct graph *g = c->model->graph;
	struct tensor *to;
	size_t i = 0;

	if (!w->is_input || !w->init)
		return 0;
	while (g->inputs.at[i] != w)
		i++;
	if (!c->inputs[i])
		return 0;
	to = shrink_tensor(x, w, w->init, e);
	return to ? candidate_set_default(c, i, to, e) : e->code;
}

static int shrink_wires(const struct guess *x, struct candidate *c, int *changed, struct err *e)
{
	const struct graph *g = c->model->graph;
	int rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++) {
		struct wire *w = g->wires.at[i];
		struct tensor *t = candidate_tensor(c->model, c->inputs, w), *to = t ? shrink_tensor(x, w, t, e) : NULL;

		if (t && !to)
			return e->code;
		if (t == to) {
			tensor_unref(to);
			continue;
		}
		*changed = 1;
		rc = shrink_default(x, c, w, e);
		if (rc)
			tensor_unref(to);
		else
			rc = candidate_set_tensor(c, w, to, e);
	}
	return rc;
}

static void shrink_attributes(const struct guess *x, const struct node *n)
{
	for (int i = 0; i < n->n_attrs; i++) {
		struct attr *a = &n->attrs[i];

		if (a->type == ATTR_INT && reach[x->rule].numbers)
			a->i = shrunk(x, a->i);
		for (size_t k = 0; a->type == ATTR_INTS && reach[x->rule].lists && k < a->n; k++)
			a->ints[k] = shrunk(x, a->ints[k]);
	}
}

static int shrink(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	const struct guesses *g = arg;
	const struct guess *x = &g->at.at[i];
	int changed = 0, rc = candidate_copy(r, out, e);

	if (rc)
		return rc;
	rc = shrink_wires(x, out, &changed, e);
	for (size_t k = 0; k < out->model->graph->nodes.n; k++)
		shrink_attributes(x, out->model->graph->nodes.at[k]);
	if (rc || !changed)
		candidate_release(out);
	return rc;
}

static int run(struct reduction *r, struct err *e)
{
	enum reduce_step step = REDUCE_KEPT;
	int rc = 0;

	while (!rc && step == REDUCE_KEPT) {
		struct guesses g = {VEC_INIT, VEC_INIT};

		if (list_guesses(r, &g))
			rc = err_nomem(e, "sizes", 0);
		else
			step = reduce_first(r, g.at.n, shrink, &g, e);
		vec_release(&g.at);
		vec_release(&g.sizes);
	}
	return step == REDUCE_FAILED ? e->code : rc;
}

const struct pass pass_sizes = {.summary = "smaller dimensions", .run = run};
