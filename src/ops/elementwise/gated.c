/* gated.c - activations with a second input: PRelu, SwiGLU. */
#include <math.h>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/samplers.h"

/* ---- PRelu: y = slope x below 0, x above; slope is broadcast to x ------------------------------------------------ */

/* The slope's shape against x.  Before version 7 a slope of one axis runs along x's channels (axis 1); later it is
 * broadcast as numpy does, but never beyond x. */
static struct bcast_shape slope_shape(const struct call *c, int rank_x, const struct type *slope, int64_t *dims)
{
	struct bcast_shape s = {slope->rank, slope->dims};

	if (c->version >= 7 || slope->rank != 1 || rank_x < 2 || slope->dims[0] == 1)
		return s;
	for (int i = 0; i < rank_x; i++)
		dims[i] = 1;
	dims[1] = slope->dims[0];
	return (struct bcast_shape){rank_x, dims};
}

static int prelu_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *slope = call_shape(c, 1);
	int64_t dims[TENSOR_MAX_RANK];
	struct bcast_shape s;

	call_out_like(c, 0, 0);
	if (!x || !slope)
		return 0;
	s = slope_shape(c, x->rank, slope, dims);
	if (s.rank > x->rank)
		return call_bad(c, "slope of rank %d does not broadcast to rank %d", s.rank, x->rank);
	for (int i = 0; i < s.rank; i++) {
		int64_t want = x->dims[x->rank - s.rank + i];

		if (s.dims[i] >= 0 && s.dims[i] != 1 && want >= 0 && s.dims[i] != want)
			return call_bad(c, "slope has dimension %lld where the input has %lld", (long long)s.dims[i],
					(long long)want);
	}
	return 0;
}

static void prelu_plan(const struct call *c, struct bcast *b)
{
	int64_t dims[TENSOR_MAX_RANK];
	struct bcast_shape x = bcast_shape_of(c->in[0]);
	struct bcast_shape both[] = {x, slope_shape(c, x.rank, &c->in_type[1], dims)};

	bcast_init(b, x, both, 2);
}

BINARY_ROW(prelu_floats, double, double, x < 0 ? y * x : x)
BINARY_ROW(prelu_ints, int64_t, int64_t, x < 0 ? (int64_t)((uint64_t)y * (uint64_t)x) : x)
BINARY_GRAD_ROW(prelu_slopes, x < 0 ? y : 1, x < 0 ? x : 0)

static int prelu_eval(struct call *c)
{
	const struct tensor *x = c->in[0], *slope = c->in[1];
	struct tensor *y = c->out[0];
	struct bcast b;

	if (x->dtype == DT_UINT64) { /* never below 0 */
		for (size_t k = 0; k < x->count; k++)
			y->i[k] = x->i[k];
		return 0;
	}
	prelu_plan(c, &b);
	while (bcast_next(&b))
		if (dtype_is_float(x->dtype))
			prelu_floats(x->f + b.at[0], b.stride[0], slope->f + b.at[1], b.stride[1], y->f + b.out,
				     b.inner);
		else
			prelu_ints(x->i + b.at[0], b.stride[0], slope->i + b.at[1], b.stride[1], y->i + b.out, b.inner);
	return 0;
}

static int prelu_grad(struct call *c)
{
	struct bcast b;

	if (!c->out_grad[0])
		return 0;
	prelu_plan(c, &b);
	binary_grad_rows(c, &b, prelu_slopes);
	return 0;
}

#define T_PRELU (T_FLOAT | TM(DT_INT32) | TM(DT_INT64) | TM(DT_UINT32) | TM(DT_UINT64))

static const struct op_attr prelu_attrs[] = {OP_ATTR("consumed_inputs", ATTR_INTS), {0}};

const struct op op_prelu = {
	.samples = SAMPLES({.by = &sampler_prelu, .types = T_F32 | T_WIDE}),
	.in = {{"X", T_PRELU, 'T', 0}, {"slope", T_PRELU, 'T', 0}},
	.out = {{"Y", T_PRELU, 'T', 0}},
	.attrs = prelu_attrs,
	.infer = prelu_infer,
	.eval = prelu_eval,
	.grad = prelu_grad,
	.ulps = 1,
};

/* ---- SwiGLU: y = a sigmoid(alpha a) b; both inputs have the same shape ------------------------------------------- */

static int swiglu_infer(struct call *c)
{
	const struct type *a = call_shape(c, 0), *b = call_shape(c, 1);

	call_out_like(c, 0, 0);
	if (!a || !b)
		return 0;
	if (a->rank != b->rank)
		return call_bad(c, "inputs have rank %d and %d, wanted equal shapes", a->rank, b->rank);
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] >= 0 && b->dims[i] >= 0 && a->dims[i] != b->dims[i])
			return call_bad(c, "dimension %d is %lld and %lld, wanted equal shapes", i,
					(long long)a->dims[i], (long long)b->dims[i]);
	return 0;
}

static int swiglu_eval(struct call *c)
{
	double alpha = attr_float(c->node, "alpha");

	for (size_t k = 0; k < c->out[0]->count; k++) {
		double a = c->in[0]->f[k];

		c->out[0]->f[k] = a / (1 + exp(-alpha * a)) * c->in[1]->f[k];
	}
	return 0;
}

/* with s = sigmoid(alpha a): dy/da = s (1 + alpha a (1 - s)) b, dy/db = a s */
static int swiglu_grad(struct call *c)
{
	double alpha = attr_float(c->node, "alpha");
	const struct tensor *g = c->out_grad[0];

	for (size_t k = 0; g && k < g->count; k++) {
		double a = c->in[0]->f[k], b = c->in[1]->f[k];
		double s = 1 / (1 + exp(-alpha * a));

		if (c->in_grad[0])
			c->in_grad[0]->f[k] += g->f[k] * s * (1 + alpha * a * (1 - s)) * b;
		if (c->in_grad[1])
			c->in_grad[1]->f[k] += g->f[k] * a * s;
	}
	return 0;
}

/* As for Sigmoid: an error of 1/2 ulp of 1/2 in s, times |a b|. */
static int swiglu_scale(struct call *c, int out, double *s)
{
	for (size_t k = 0; k < c->out[out]->count; k++)
		s[k] = 0.5 * fabs(c->in[0]->f[k] * c->in[1]->f[k]) + 3 * fabs(c->out[out]->f[k]);
	return 0;
}

static const struct op_attr swiglu_attrs[] = {OP_FLOAT("alpha", 1), {0}};

const struct op op_swiglu = {
	.in = {{"A", T_FLOAT, 'T', 0}, {"B", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = swiglu_attrs,
	.infer = swiglu_infer,
	.eval = swiglu_eval,
	.grad = swiglu_grad,
	.scale = swiglu_scale,
};
