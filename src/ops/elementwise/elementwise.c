/* elementwise.c - drivers of the elementwise operators: they walk rows, the operators' files have the formulas. */
#include "ops/elementwise/elementwise.h"

#include <math.h>

#include <string.h>

/* ---- one input --------------------------------------------------------------------------------------------------- */

void unary_attrs(const struct call *c, const struct unary *u, double *a, double *b)
{
	*a = u->attrs[0] ? attr_float(c->node, u->attrs[0]) : 0;
	*b = u->attrs[1] ? attr_float(c->node, u->attrs[1]) : 0;
}

void unary_share(struct unary_loop *l, parallel_fn *fn, double cost)
{
	unary_attrs(l->c, l->u, &l->a, &l->b);
	parallel_for(l->c->in[0]->count, cost, fn, l);
}

static void eval_piece(void *arg, size_t first, size_t end)
{
	const struct unary_loop *l = arg;
	const struct tensor *x = l->c->in[0];
	struct tensor *y = l->c->out[0];

	if (dtype_is_float(x->dtype))
		l->u->value(x->f + first, y->f + first, end - first, l->a, l->b);
	else
		l->u->ints(x->i + first, y->i + first, end - first, x->dtype == DT_UINT64);
}

int unary_eval(struct call *c, const struct unary *u)
{
	if (!dtype_is_float(c->in[0]->dtype) && !u->ints)
		return call_unsupported(c, "elements of type %s", dtype_name(c->in[0]->dtype));
	unary_share(&(struct unary_loop){.c = c, .u = u}, eval_piece, 4);
	return 0;
}

static void slope_piece(void *arg, size_t first, size_t end)
{
	const struct unary_loop *l = arg;
	const struct call *c = l->c;

	l->u->slope(c->in[0]->f + first, c->out_grad[0]->f + first, c->in_grad[0]->f + first, end - first, l->a, l->b);
}

int unary_grad(struct call *c, const struct unary *u)
{
	if (!c->out_grad[0] || !c->in_grad[0])
		return 0;
	unary_share(&(struct unary_loop){.c = c, .u = u}, slope_piece, 4);
	return 0;
}

/* ---- two inputs: shapes ------------------------------------------------------------------------------------------ */

/* Below opset 7, B is laid over A beginning at `axis`, or at the end; 1-element tensors fit everywhere.  Gives B's
 * shape as numpy would have to see it: of A's rank, filled up with ones.  -1 when B does not fit below A from there. */
static int legacy_align(const struct node *n, int rank_a, int rank_b, const int64_t *b, int64_t *dims)
{
	int64_t axis = node_int(n, "axis", rank_a - rank_b); /* no constant, so not in the table */
	int single = 1;

	for (int i = 0; i < rank_b; i++)
		single = single && b[i] == 1;
	for (int i = 0; i < rank_a; i++)
		dims[i] = 1;
	if (single)
		return 0;
	if (axis < 0)
		axis += rank_a;
	if (axis < 0 || rank_b > rank_a || axis > rank_a - rank_b)
		return -1;
	for (int i = 0; i < rank_b; i++)
		dims[axis + i] = b[i];
	return 0;
}

static int legacy_infer(struct call *c)
{
	const struct type *a = call_shape(c, 0), *b = call_shape(c, 1);
	int64_t dims[TENSOR_MAX_RANK];
	int broadcast = attr_int(c->node, "broadcast") != 0;

	call_out_shape_of(c, 0, 0);
	if (!a || !b)
		return 0;
	if (!broadcast && a->rank != b->rank)
		return call_bad(c, "inputs of rank %d and %d without broadcast=1", a->rank, b->rank);
	if (legacy_align(c->node, a->rank, b->rank, b->dims, dims))
		return call_bad(c, "input 1 of rank %d does not fit below input 0 of rank %d", b->rank, a->rank);
	if (!broadcast)
		memcpy(dims, b->dims, (size_t)b->rank * sizeof *dims);
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] >= 0 && dims[i] >= 0 && dims[i] != a->dims[i] && (dims[i] != 1 || !broadcast))
			return call_bad(c, "inputs do not fit: dimension %d is %lld in one and %lld in another", i,
					(long long)a->dims[i], (long long)dims[i]);
	return 0;
}

int binary_infer(struct call *c)
{
	const int inputs[] = {0, 1};

	return c->version < 7 ? legacy_infer(c) : call_broadcast(c, 0, inputs, 2);
}

int binary_bool_infer(struct call *c)
{
	c->out_type[0].dtype = DT_BOOL;
	return binary_infer(c);
}

void binary_plan(const struct call *c, struct bcast *b)
{
	const struct tensor *in[] = {c->in[0], c->in[1]};
	struct bcast_shape shapes[2] = {bcast_shape_of(in[0]), bcast_shape_of(in[1])};
	struct bcast_shape out = shapes[0];
	int64_t dims[TENSOR_MAX_RANK], out_dims[TENSOR_MAX_RANK];

	if (c->version < 7) {
		BUG_ON(legacy_align(c->node, in[0]->rank, in[1]->rank, in[1]->dims, dims));
		shapes[1] = (struct bcast_shape){in[0]->rank, dims};
	} else {
		out = bcast_union(shapes, 2, out_dims);
	}
	bcast_init(b, out, shapes, 2);
}

/* ---- two inputs: values ------------------------------------------------------------------------------------------ */

struct binary_loop {
	struct call *c;
	const struct binary *f;
	struct bcast plan;
};

static void binary_piece(void *arg, size_t first, size_t end)
{
	const struct binary_loop *l = arg;
	const struct tensor *x = l->c->in[0], *y = l->c->in[1];
	struct tensor *z = l->c->out[0];
	row_ii *ints = x->dtype == DT_UINT64 && l->f->u64 ? l->f->u64 : l->f->ints;
	int is_float = dtype_is_float(x->dtype);
	struct bcast b = l->plan;

	bcast_range(&b, first, end);
	while (bcast_next(&b)) {
		if (!is_float)
			ints(x->i + b.at[0], b.stride[0], y->i + b.at[1], b.stride[1], z->i + b.out, b.inner);
		else if (l->f->test)
			l->f->test(x->f + b.at[0], b.stride[0], y->f + b.at[1], b.stride[1], z->i + b.out, b.inner);
		else
			l->f->floats(x->f + b.at[0], b.stride[0], y->f + b.at[1], b.stride[1], z->f + b.out, b.inner);
	}
}

int binary_eval(struct call *c, const struct binary *f)
{
	struct binary_loop l = {.c = c, .f = f};
	enum dtype t = c->in[0]->dtype;

	if (dtype_is_float(t) ? !f->floats && !f->test : !f->ints && !(t == DT_UINT64 && f->u64))
		return call_unsupported(c, "elements of type %s", dtype_name(t));
	binary_plan(c, &l.plan);
	parallel_for(l.plan.left, 2, binary_piece, &l);
	return 0;
}

void binary_grad_rows(struct call *c, struct bcast *b, row_grad *row)
{
	const struct tensor *x = c->in[0], *y = c->in[1], *g = c->out_grad[0];
	double *gx = c->in_grad[0] ? c->in_grad[0]->f : NULL;
	double *gy = c->in_grad[1] ? c->in_grad[1]->f : NULL;

	while (bcast_next(b)) {
		const struct grad_row r = {.x = x->f + b->at[0],
					   .y = y->f + b->at[1],
					   .g = g->f + b->out,
					   .sx = b->stride[0],
					   .sy = b->stride[1],
					   .gx = gx ? gx + b->at[0] : NULL,
					   .gy = gy ? gy + b->at[1] : NULL,
					   .n = b->inner};

		row(&r);
	}
}

int binary_grad(struct call *c, row_grad *row)
{
	struct bcast b;

	if (!c->out_grad[0] || !dtype_is_float(c->in[0]->dtype) || !dtype_is_float(c->in[1]->dtype))
		return 0;
	binary_plan(c, &b);
	binary_grad_rows(c, &b, row);
	return 0;
}

/* ---- deltas ------------------------------------------------------------------------------------------------------ */

/* One row: out = factor * d, or out += factor * d; an element is `lanes` floats, d's step is 0 or 1 elements. */
CLONES static void add_scaled_row(const float *d, size_t step, float factor, int add, float *out, size_t n,
				  size_t lanes)
{
	if (d == out && factor == 1 && !add) /* in place: it is there already */
		return;
	if (step == 1) { /* one long run */
		n *= lanes;
		lanes = 1;
	}
	for (size_t k = 0; lanes == 1 && k < n; k++)
		out[k] = (add ? out[k] : 0) + factor * d[k];
	for (size_t k = 0; lanes > 1 && k < n; k++, out += lanes)
		for (size_t l = 0; l < lanes; l++)
			out[l] = (add ? out[l] : 0) + factor * d[l];
}

struct scaled_loop {
	const struct call *c;
	int input, add;
	float factor;
	struct bcast plan;
};

static void scaled_piece(void *arg, size_t first, size_t end)
{
	const struct scaled_loop *l = arg;
	const struct call *c = l->c;
	size_t lanes = (size_t)c->lanes;
	struct bcast b = l->plan;

	bcast_range(&b, first, end);
	while (bcast_next(&b))
		add_scaled_row(c->in_delta[l->input] + b.at[0] * lanes, b.stride[0], l->factor, l->add,
			       c->out_delta[0] + b.out * lanes, b.inner, lanes);
}

/* out = (or +=) factor * d, d broadcast. */
static void add_scaled(const struct call *c, int input, float factor, int add)
{
	struct bcast_shape shape = bcast_shape_of(c->in[input]);
	struct scaled_loop l = {.c = c, .input = input, .add = add, .factor = factor};

	bcast_init(&l.plan, bcast_shape_of(c->out[0]), &shape, 1);
	parallel_for(l.plan.left, (double)c->lanes, scaled_piece, &l);
}

enum delta_result linear_delta(struct call *c, const double *coefficient, double otherwise)
{
	int add = 0;

	/* opsets below 7 align shapes in their own way: rare enough for the slow path */
	if (c->version < 7 || !dtype_is_float(c->out[0]->dtype))
		return DELTA_DECLINED;
	for (int i = 0; i < c->n_in; i++)
		if (c->in_delta[i]) { /* input 0 first: its lanes may be those of the output */
			add_scaled(c, i, (float)(coefficient ? coefficient[i] : otherwise), add);
			add = 1;
		}
	return DELTA_DONE;
}

/* ---- a sum as a step --------------------------------------------------------------------------------------------- */

static int add_prepare(struct step *s)
{
	const struct call *c = s->call;

	return c->n_in == 2 && c->version >= 7 && dtype_is_float(c->in[0]->dtype) &&
	       tensor_same_shape(c->in[0], c->in[1]);
}

CLONES static void add_piece(const struct step *s, size_t first, size_t n, const double *x, double *y)
{
	const double *other = s->call->in[1 - s->from]->f + first;

	for (size_t k = 0; k < n; k++)
		y[k] = x[k] + other[k];
}

CLONES static void add_scale_piece(const struct step *s, size_t first, size_t n, const double *x, double *scale)
{
	const double *other = s->call->in[1 - s->from]->f + first;

	for (size_t k = 0; k < n; k++)
		scale[k] = fabs(x[k] + other[k]);
}

CLONES static void add_lanes(float *d, const float *other, size_t n)
{
	for (size_t k = 0; k < n; k++)
		d[k] += other[k];
}

static void add_delta_piece(const struct step *s, size_t first, size_t n, const double *x, float *d)
{
	const float *other = s->call->in_delta[1 - s->from];
	size_t lanes = (size_t)s->call->lanes;

	(void)x;
	if (other)
		add_lanes(d, other + first * lanes, n * lanes);
}

const struct op_step add_step = {add_prepare, add_piece, add_scale_piece, add_delta_piece};
