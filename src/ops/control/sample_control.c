/* sample_control.c - If, Loop and Scan, with small bodies of elementwise operators.
 *
 * What decides how often a body runs is exact: constants, sizes, inputs of bools, counters. */
#include <math.h>

#include "ops/control/samplers.h"
#include "ops/sample/maker.h"

#define CALM 1000
#define MAX_TRIPS 4
#define MAX_STEPS 2
#define MAX_OF_ANY 12 /* the opset since which Max and Min take all integers */

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* From here on nodes go into a graph inside the one at hand, until end_body(). */
static struct graph *begin_body(struct maker *m, const char *name)
{
	struct graph *g = m->b.rc ? NULL : graph_new(m->b.model, m->b.graph, name);

	if (!g) {
		m->b.rc = m->b.rc ? m->b.rc : err_nomem(m->b.err, "a graph", 0);
		return NULL;
	}
	m->b.graph = g;
	return g;
}

static void end_body(struct maker *m, struct graph *g)
{
	if (g)
		m->b.graph = g->parent;
}

/* Whether bodies compute in its type; numbers of the others are moved and chosen. */
static int computes(const struct wire *w)
{
	return (MAKE_NUMBERS & TM(w->type.dtype)) != 0;
}

static void set_body(struct maker *m, const char *name, struct graph *g)
{
	if (!m->b.rc)
		m->b.rc = node_set_graph(m->b.last, name, g, m->b.err);
}

/* Of types that few operators compute in: what no value can leave the type by. */
static struct wire *narrow_step(struct maker *m, struct wire *w)
{
	enum dtype t = w->type.dtype;

	if (t == DT_BOOL)
		return make_chance(m, 0.6) ? make_op1(m, "Not", w) : make_op2(m, "Or", w, make_scalar(m, t, 0));
	if (m->opset < MAX_OF_ANY || make_chance(m, 0.2))
		return make_op1(m, "Identity", w);
	return make_op2(m, make_chance(m, 0.5) ? "Max" : "Min", w, make_scalar(m, t, (double)make_between(m, 0, 4)));
}

/* Some operators on w, one after the other, at least one; `outer` (NULL: none) is of w's type and shape.  Each makes
 * values larger by at most what `outer` holds, or 4. */
static struct wire *steps(struct maker *m, struct wire *w, struct wire *outer)
{
	static const char *const plain[] = {"Neg", "Abs"}, *const floats[] = {"Neg", "Abs", "Relu", "Tanh"};

	for (int64_t left = make_between(m, 1, MAX_STEPS); left > 0 && !m->b.rc; left--) {
		int is_float = dtype_is_float(w->type.dtype);

		if (!computes(w))
			w = narrow_step(m, w);
		else if (outer && make_chance(m, 0.3))
			w = make_op2(m, "Add", w, outer);
		else if (make_chance(m, 0.5))
			w = make_op2(m, make_chance(m, 0.5) ? "Add" : "Sub", w,
				     make_scalar(m, w->type.dtype, (double)make_between(m, -4, 4)));
		else if (is_float && make_chance(m, 0.3))
			w = make_op2(m, "Mul", w, make_scalar(m, w->type.dtype, 0.5));
		else
			w = make_op1(m, is_float ? floats[make_between(m, 0, 3)] : plain[make_between(m, 0, 1)], w);
	}
	return m->b.rc ? NULL : w;
}

static double bound_after(double bound, double trips)
{
	return bound + trips * MAX_STEPS * fmax(bound, 4);
}

/* ---- If ---------------------------------------------------------------------------------------------------------- */

static struct wire *condition(struct maker *m, struct wire *x)
{
	int64_t kind = make_between(m, 0, 3);

	if (kind == 0)
		return make_scalar(m, DT_BOOL, (double)make_between(m, 0, 1));
	if (kind == 1)
		return make_less(m, make_op1(m, "Size", x), (double)make_between(m, 1, 100));
	return make_flag(m, make_chance(m, 0.3));
}

static struct graph *branch(struct maker *m, const char *name, struct wire *x, int outputs)
{
	struct graph *g = begin_body(m, name);

	for (int i = 0; i < outputs; i++)
		build_output(&m->b, steps(m, x, x));
	end_body(m, g);
	return g;
}

static struct wire *sample_if(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, in[0], CALM), *cond;
	int outputs = make_chance(m, 0.3) ? 2 : 1;
	struct graph *yes, *no;

	(void)n;
	cond = m->b.rc ? NULL : condition(m, x);
	yes = branch(m, "then", x, outputs);
	no = branch(m, "else", x, outputs);
	make_begin(m, "If", &cond, 1, outputs);
	set_body(m, "then_branch", yes);
	set_body(m, "else_branch", no);
	make_done(m);
	if (m->b.rc)
		return NULL;
	if (outputs > 1)
		build_output(&m->b, m->b.last->out[1]);
	return make_set_bound(m, m->b.last->out[0], bound_after(make_bound_of(m, x), 1));
}

const struct sampler sampler_if = {
	.summary = "If, with branches of the same shape",
	.types = MAKE_MOVED,
	.make = sample_if,
};

/* ---- Loop -------------------------------------------------------------------------------------------------------- */

enum loop_kind { LOOP_FOR, LOOP_FOR_AND_WHILE, LOOP_WHILE, LOOP_KINDS };

/* The state, and by chance what it was in each iteration. */
static struct graph *loop_body(struct maker *m, const struct wire *x, enum loop_kind kind, int scans)
{
	struct graph *g = begin_body(m, "body");
	struct wire *count = make_body_input(m, DT_INT64, 0, NULL), *going = make_body_input(m, DT_BOOL, 0, NULL);
	struct wire *state = m->b.rc ? NULL : make_body_input(m, x->type.dtype, x->type.rank, x->type.dims), *next,
		    *number;

	if (kind == LOOP_FOR)
		build_output(&m->b, make_op1(m, "Identity", going));
	else
		build_output(&m->b, make_less(m, count, (double)make_between(m, 0, 2)));
	next = m->b.rc ? NULL : steps(m, state, NULL);
	if (!m->b.rc && computes(x) && make_chance(m, 0.4)) {
		number = x->type.dtype == DT_INT64 ? count : make_cast(m, count, x->type.dtype);
		next = make_op2(m, "Add", next, number);
	}
	build_output(&m->b, next);
	if (scans && !m->b.rc)
		build_output(&m->b, make_op1(m, computes(x) && make_chance(m, 0.5) ? "Neg" : "Identity", next));
	end_body(m, g);
	return g;
}

static struct wire *sample_loop(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_calm(m, in[0], CALM), 256), *limit = NULL, *going = NULL;
	enum loop_kind kind = (enum loop_kind)make_between(m, 0, LOOP_KINDS - 1);
	int scans = make_chance(m, 0.5);
	struct graph *body;
	double bound;

	(void)n;
	if (m->b.rc)
		return NULL;
	bound = bound_after(make_bound_of(m, x), 2 * MAX_TRIPS);
	if (kind != LOOP_WHILE)
		limit = make_scalar(m, DT_INT64, (double)make_between(m, make_chance(m, 0.2) ? 0 : 1, MAX_TRIPS));
	if (kind != LOOP_FOR)
		going = make_chance(m, 0.3) ? make_flag(m, 0) : make_scalar(m, DT_BOOL, 1);
	body = loop_body(m, x, kind, scans);
	make_begin(m, "Loop", (struct wire *[]){limit, going, x}, 3, 1 + scans);
	set_body(m, "body", body);
	make_done_open(m);
	if (m->b.rc)
		return NULL;
	make_set_bound(m, m->b.last->out[0], bound);
	if (!scans)
		return m->b.last->out[0];
	if (make_chance(m, 0.5))
		build_output(&m->b, m->b.last->out[0]);
	return make_sum_open(m, m->b.last->out[1], 0, MAX_TRIPS * bound);
}

const struct sampler sampler_loop = {
	.summary = "Loop: counted, while, or both",
	.types = MAKE_MOVED,
	.make = sample_loop,
};

/* ---- Scan -------------------------------------------------------------------------------------------------------- */

/* What joins a slice and the state: their sum, or the larger one of types without. */
static const char *running(const struct wire *slice)
{
	if (computes(slice))
		return "Add";
	return slice->type.dtype == DT_BOOL ? "Or" : "Max";
}

/* A slice of x, and by chance a running sum that it is added to. */
static struct graph *scan_body(struct maker *m, enum dtype t, int rank, const int64_t *dims, int states)
{
	struct graph *g = begin_body(m, "body");
	struct wire *state = states ? make_body_input(m, t, rank, dims) : NULL,
		    *slice = make_body_input(m, t, rank, dims);

	if (states && !m->b.rc) {
		slice = make_op2(m, running(slice), state, slice);
		build_output(&m->b, slice);
	}
	build_output(&m->b, m->b.rc ? NULL : steps(m, slice, NULL));
	end_body(m, g);
	return g;
}

static void scan_list(struct maker *m, const char *name, int64_t value)
{
	if (value || make_chance(m, 0.3))
		build_ints(&m->b, name, &value, 1);
}

static struct wire *sample_scan(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[TENSOR_MAX_RANK];
	struct wire *x = make_axis(m, make_shrink(m, make_calm(m, in[0], CALM), 512), &axis), *all[2];
	int states = make_chance(m, 0.7), rank = 0;
	struct graph *body;
	double bound;

	(void)n;
	for (int i = 0; x && i < x->type.rank; i++)
		if (i != axis)
			dims[rank++] = x->type.dims[i];
	if (!x)
		return NULL;
	states = states && (m->opset >= MAX_OF_ANY || computes(x) || x->type.dtype == DT_BOOL);
	all[0] = states ? make_weights(m, x->type.dtype, rank, dims) : x;
	all[1] = x;
	bound = bound_after((double)x->type.dims[axis] * make_bound_of(m, x) + 2, 1);
	body = scan_body(m, x->type.dtype, rank, dims, states);
	make_begin(m, "Scan", all, 1 + states, 1 + states);
	set_body(m, "body", body);
	build_int(&m->b, "num_scan_inputs", 1);
	scan_list(m, "scan_input_axes", make_either_end(m, axis, rank + 1));
	scan_list(m, "scan_input_directions", make_between(m, 0, 1));
	scan_list(m, "scan_output_axes", make_between(m, 0, rank));
	scan_list(m, "scan_output_directions", make_between(m, 0, 1));
	make_done(m);
	if (m->b.rc)
		return NULL;
	if (states && make_chance(m, 0.5))
		build_output(&m->b, m->b.last->out[0]);
	return make_set_bound(m, m->b.last->out[states], bound);
}

const struct sampler sampler_scan = {
	.summary = "Scan along an axis",
	.types = MAKE_MOVED,
	.since = 9, /* that of 8 has a batch in front, and lengths */
	.make = sample_scan,
};
