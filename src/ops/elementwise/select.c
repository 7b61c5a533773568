/* select.c - operators that choose: Where, Clip, Shrink. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/samplers.h"
#include "ops/kit/convert.h"
#include "ops/kit/domain.h"

/* ---- Where: y = condition ? a : b, all three broadcast ----------------------------------------------------------- */

#define T_WHERE (T_NUM | T_BOOL | T_STRING | T_COMPLEX)

static void where_plan(const struct call *c, struct bcast *b)
{
	const struct tensor *in[] = {c->in[0], c->in[1], c->in[2]};

	bcast_tensors(b, c->out[0], in, 3);
}

static int where_strings(struct call *c)
{
	struct bcast b;

	where_plan(c, &b);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			int side = c->in[0]->i[b.at[0] + k * b.stride[0]] ? 1 : 2;
			struct bytes s = c->in[side]->s[b.at[side] + k * b.stride[side]];
			int rc = tensor_set_string(c->out[0], b.out + k, s.p, s.n, c->err);

			if (rc)
				return rc;
		}
	return 0;
}

/* Elements are moved as words of 64 bits, whatever they mean; complex ones are two. */
static void where_words(const struct call *c, size_t words)
{
	const int64_t *test = c->in[0]->i, *yes = c->in[1]->i, *no = c->in[2]->i;
	struct bcast b;

	where_plan(c, &b);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			const int64_t *from = test[b.at[0] + k * b.stride[0]]
						      ? yes + words * (b.at[1] + k * b.stride[1])
						      : no + words * (b.at[2] + k * b.stride[2]);
			int64_t *to = c->out[0]->i + words * (b.out + k);

			to[0] = from[0];
			if (words > 1)
				to[1] = from[1];
		}
}

static int where_eval(struct call *c)
{
	if (c->out[0]->dtype == DT_STRING)
		return where_strings(c);
	where_words(c, dtype_wide_size(c->out[0]->dtype) / sizeof(int64_t));
	return 0;
}

static int where_grad(struct call *c)
{
	const struct tensor *g = c->out_grad[0];
	struct bcast b;

	if (!g)
		return 0;
	where_plan(c, &b);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			int side = c->in[0]->i[b.at[0] + k * b.stride[0]] ? 1 : 2;

			if (c->in_grad[side])
				c->in_grad[side]->f[b.at[side] + k * b.stride[side]] += g->f[b.out + k];
		}
	return 0;
}

const struct op op_where = {
	.samples = SAMPLES({.by = &sampler_where, .in = 2}),
	.in = {{"condition", T_BOOL, 0, 0}, {"X", T_WHERE, 'T', 0}, {"Y", T_WHERE, 'T', 0}},
	.out = {{"output", T_WHERE, 'T', 0}},
	.infer = broadcast_infer,
	.eval = where_eval,
	.grad = where_grad,
};

/* ---- Clip: y = min(max(x, low), high) ---------------------------------------------------------------------------- */

/* Bounds are attributes before version 11 and inputs from then on.  They default to the type's own limits, so an
 * infinite x becomes the largest finite value.  NaN stays NaN. */
#define CLIP(x, low, high) nan_min(nan_max(x, low), high)

static int clip_infer(struct call *c)
{
	for (int i = 1; i <= 2; i++) {
		const struct type *t = call_shape(c, i);

		if (t && c->version < 11)
			return call_bad(c, "bounds are attributes in this version, input %d is too many", i);
		for (int d = 0; t && d < t->rank; d++)
			if (t->dims[d] >= 0 && t->dims[d] != 1)
				return call_bad(c, "input %d must be a scalar", i);
	}
	if (c->version >= 11 && (node_has(c->node, "min") || node_has(c->node, "max")))
		return call_bad(c, "bounds are inputs in this version, not attributes");
	return same_infer(c);
}

void clip_attributes(const struct node *n, double *low, double *high)
{
	/* Clip-1 has no defaults: a bound that is left out is none. */
	*low = n->version < 6 ? node_float(n, "min", -INFINITY) : attr_float(n, "min");
	*high = n->version < 6 ? node_float(n, "max", INFINITY) : attr_float(n, "max");
}

static void clip_bounds(const struct call *c, double *low, double *high)
{
	*low = dtype_lowest(c->in[0]->dtype);
	*high = dtype_max(c->in[0]->dtype);
	if (c->version < 11)
		clip_attributes(c->node, low, high);
	if (c->n_in > 1 && c->in[1])
		*low = c->in[1]->f[0];
	if (c->n_in > 2 && c->in[2])
		*high = c->in[2]->f[0];
}

/* A flipped top bit turns the order of uint64 into that of int64. */
static void clip_ints(struct call *c)
{
	int64_t flip = c->in[0]->dtype == DT_UINT64 ? INT64_MIN : 0;
	int64_t low = c->n_in > 1 && c->in[1] ? c->in[1]->i[0] ^ flip : INT64_MIN;
	int64_t high = c->n_in > 2 && c->in[2] ? c->in[2]->i[0] ^ flip : INT64_MAX;

	for (size_t k = 0; k < c->in[0]->count; k++) {
		int64_t x = c->in[0]->i[k] ^ flip;

		x = x < low ? low : x;
		c->out[0]->i[k] = (x > high ? high : x) ^ flip;
	}
}

static int clip_eval(struct call *c)
{
	double low, high;

	if (!dtype_is_float(c->in[0]->dtype)) {
		clip_ints(c);
		return 0;
	}
	clip_bounds(c, &low, &high);
	for (size_t k = 0; k < c->in[0]->count; k++)
		c->out[0]->f[k] = CLIP(c->in[0]->f[k], low, high);
	return 0;
}

/* The gradient goes to whichever of x, low and high the output is. */
static int clip_grad(struct call *c)
{
	const struct tensor *g = c->out_grad[0];
	double low, high;

	if (!g)
		return 0;
	clip_bounds(c, &low, &high);
	for (size_t k = 0; k < g->count; k++) {
		double x = c->in[0]->f[k];

		if (nan_max(x, low) > high) {
			if (c->n_in > 2 && c->in_grad[2])
				c->in_grad[2]->f[0] += g->f[k];
		} else if (x < low) {
			if (c->n_in > 1 && c->in_grad[1])
				c->in_grad[1]->f[0] += g->f[k];
		} else if (c->in_grad[0]) {
			c->in_grad[0]->f[k] += g->f[k];
		}
	}
	return 0;
}

static enum delta_result clip_delta(struct call *c)
{
	const float *d = c->in_delta[0];
	float *out = c->out_delta[0];
	double low, high;

	if ((c->n_in > 1 && c->in_delta[1]) || (c->n_in > 2 && c->in_delta[2]))
		return DELTA_DECLINED;
	clip_bounds(c, &low, &high);
	for (size_t k = 0; k < c->in[0]->count; k++) {
		double x = c->in[0]->f[k], y = CLIP(x, low, high);

		for (int lane = 0; lane < c->lanes; lane++)
			*out++ = moved_by(CLIP(x + (double)*d++, low, high), y);
	}
	return DELTA_DONE;
}

static const struct op_attr clip_attrs[] = {
	OP_ATTR("min", ATTR_FLOAT),        OP_FLOAT_SINCE(6, "min", -FLT_MAX),    OP_ATTR("max", ATTR_FLOAT),
	OP_FLOAT_SINCE(6, "max", FLT_MAX), OP_ATTR("consumed_inputs", ATTR_INTS), {0},
};

/* Bounds, the lower above the upper. */
static int clip_crossed(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *low = in[1], *high = in[2];

	(void)n;
	(void)r;
	return low && high && low->count == 1 && high->count == 1 && tensor_get(low, 0) > tensor_get(high, 0);
}

/* What comes of it is said from version 13 on. */
static int clip_is_open(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	if (n->version >= 11)
		return n->version < 13 && clip_crossed(n, in, r);
	return node_has(n, "min") && node_has(n, "max") && attr_float(n, "min") > attr_float(n, "max");
}

const struct op op_clip = {
	.samples = SAMPLES({.by = &sampler_clip, .ordered = 1}),
	.rules = RULES({.broken = clip_crossed},
		       {.broken = clip_is_open, .open = "the lower bound is above the upper one"}, DOMAIN_NAN),
	.in = {{"input", T_NUM, 'T', 0}, {"min", T_NUM, 'T', PORT_OPTIONAL}, {"max", T_NUM, 'T', PORT_OPTIONAL}},
	.out = {{"output", T_NUM, 'T', 0}},
	.attrs = clip_attrs,
	.infer = clip_infer,
	.eval = clip_eval,
	.grad = clip_grad,
	.delta = clip_delta,
	.flags = OP_IN_PLACE,
};

/* ---- Shrink: y = x + bias below -lambda, x - bias above lambda, else 0 ------------------------------------------- */

UNARY_ROWS(shrink, x < -a ? x + b : (x > a ? x - b : 0), x<-a || x> a)
UNARY_DRIVERS(shrink_floats, .value = shrink_value, .slope = shrink_slope, .attrs = {"lambd", "bias"})

/* For integers both attributes are cast to the type of x first.  uint64 is never below -lambda. */
static void shrink_ints(struct call *c)
{
	enum dtype t = c->in[0]->dtype;
	int64_t lambda = convert_float_to(attr_float(c->node, "lambd"), t);
	uint64_t bias = (uint64_t)convert_float_to(attr_float(c->node, "bias"), t);

	for (size_t k = 0; k < c->in[0]->count; k++) {
		int64_t x = c->in[0]->i[k], y = 0;

		if (t == DT_UINT64 ? (uint64_t)x > (uint64_t)lambda : x > lambda)
			y = (int64_t)((uint64_t)x - bias);
		else if (t != DT_UINT64 && x < (int64_t)(0 - (uint64_t)lambda))
			y = (int64_t)((uint64_t)x + bias);
		c->out[0]->i[k] = y;
	}
}

static int shrink_eval(struct call *c)
{
	if (dtype_is_float(c->in[0]->dtype))
		return shrink_floats_eval(c);
	shrink_ints(c);
	return 0;
}

static const struct op_attr shrink_attrs[] = {OP_FLOAT("lambd", 0.5f), OP_FLOAT("bias", 0), {0}};

const struct op op_shrink = {
	.samples = SAMPLES({.by = &sampler_shrink, .types = T_F32 | T_INT}),
	.in = {{"input", T_NUM, 'T', 0}},
	.out = {{"output", T_NUM, 'T', 0}},
	.attrs = shrink_attrs,
	.infer = same_infer,
	.eval = shrink_eval,
	.grad = shrink_floats_grad,
	.ulps = 1,
};
