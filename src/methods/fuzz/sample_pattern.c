/* sample_pattern.c - what exporters write out of several operators, and libraries fuse into one: with the usual
 * parameters and with others, for which a fusion would be wrong. */
#include <math.h>

#include "methods/fuzz/samplers.h"

#define ROOT_HALF 0.70710678118654752

static struct wire *times(struct maker *m, struct wire *x, double by)
{
	return m->b.rc ? NULL
		       : make_set_bound(m, make_op2(m, "Mul", x, make_scalar(m, x->type.dtype, by)),
					fabs(by) * make_bound_of(m, x));
}

static struct wire *plus(struct maker *m, struct wire *x, double by)
{
	return m->b.rc ? NULL
		       : make_set_bound(m, make_op2(m, "Add", x, make_scalar(m, x->type.dtype, by)),
					fabs(by) + make_bound_of(m, x));
}

static struct wire *product(struct maker *m, struct wire *a, struct wire *b)
{
	return m->b.rc ? NULL : make_set_bound(m, make_op2(m, "Mul", a, b), make_bound_of(m, a) * make_bound_of(m, b));
}

/* Mostly the usual number. */
static double usual(struct maker *m, double number, double other)
{
	return make_chance(m, 0.85) ? number : other;
}

/* The mean along an axis, mostly the last, which stays there. */
static struct wire *mean(struct maker *m, struct wire *x, int64_t axis)
{
	if (m->b.rc)
		return NULL;
	make_begin(m, "ReduceMean", (struct wire *[]){x, make_ints(m, 1, &axis)}, 2, 1);
	build_int(&m->b, "keepdims", 1);
	return make_done(m);
}

static struct wire *power(struct maker *m, struct wire *x, double exponent)
{
	return m->b.rc ? NULL
		       : make_set_bound(m, make_op2(m, "Pow", x, make_scalar(m, x->type.dtype, exponent)),
					pow(make_bound_of(m, x), exponent));
}

/* One number for each place of the last axis, mostly. */
static struct wire *row(struct maker *m, const struct wire *x)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = m->b.rc ? 0 : make_row_shape(m, x, dims);

	return m->b.rc ? NULL : make_weights(m, x->type.dtype, rank, dims);
}

/* x / √(mean(x²) + ε) · g, and with a mean taken off before a layer normalization.  The third power of numbers that
 * are not negative is another thing, and no such norm. */
static struct wire *norm(struct maker *m, struct wire *x, int centered)
{
	double exponent = usual(m, 2, 3), bound;
	int64_t axis =
		make_chance(m, 0.85) ? -1 : make_either_end(m, make_between(m, 0, x->type.rank - 1), x->type.rank);
	struct wire *spread, *g;

	if (exponent == 3)
		x = make_set_bound(m, make_op1(m, "Abs", x), make_bound_of(m, x));
	bound = make_bound_of(m, x);
	if (centered)
		x = make_set_bound(m, make_op2(m, "Sub", x, mean(m, x, axis)), 2 * bound);
	if (centered && exponent == 3)
		exponent = 4;
	spread = mean(m, power(m, x, exponent), axis);
	spread = make_op1(m, "Sqrt", plus(m, spread, usual(m, 1e-5, 0.5)));
	x = make_set_bound(m, make_op2(m, "Div", x, spread), 200 * bound);
	g = row(m, x);
	x = product(m, x, g);
	if (centered && make_chance(m, 0.7) && x)
		x = make_set_bound(m, make_op2(m, "Add", x, row(m, x)), make_bound_of(m, x) + 2);
	return x;
}

static struct wire *sample_rms(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_ranked(m, in[0]), 16);

	(void)n;
	return m->b.rc ? NULL : norm(m, x, 0);
}

const struct sampler sampler_rms_parts = {
	.summary = "a root mean square norm, written out",
	.types = T_F32,
	.make = sample_rms,
};

static struct wire *sample_layer(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_ranked(m, in[0]), 16);

	(void)n;
	return m->b.rc ? NULL : norm(m, x, 1);
}

const struct sampler sampler_layer_norm_parts = {
	.summary = "a layer normalization, written out",
	.types = T_F32,
	.make = sample_layer,
};

/* x · (1 + erf(x / √2)) / 2, or the approximation by tanh; factors in any of their usual places. */
static struct wire *sample_gelu(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, in[0], 10), *t;

	(void)n;
	if (m->b.rc)
		return NULL;
	if (make_chance(m, 0.6)) {
		double by = usual(m, ROOT_HALF, 0.5);

		t = make_chance(m, 0.5)
			    ? times(m, x, by)
			    : make_op2(m, "Div", x, make_scalar(m, x->type.dtype, usual(m, 1 / ROOT_HALF, 2)));
		t = make_set_bound(m, make_op1(m, "Erf", t), 1);
	} else {
		t = make_op2(m, "Add", x, times(m, power(m, x, 3), usual(m, 0.044715, 0.05)));
		t = make_set_bound(m, make_op1(m, "Tanh", times(m, t, usual(m, 0.7978845608028654, 0.8))), 1);
	}
	t = plus(m, t, usual(m, 1, 2));
	if (make_chance(m, 0.5))
		return times(m, product(m, x, t), usual(m, 0.5, 0.25));
	return product(m, times(m, x, usual(m, 0.5, 0.25)), t);
}

const struct sampler sampler_gelu_parts = {
	.summary = "Gelu, written out",
	.types = T_F32,
	.since = 9,
	.make = sample_gelu,
};

/* x · sigmoid(α x), or x · make_clip(x + 3) / 6. */
static struct wire *sample_swish(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, in[0], 10), *t;

	(void)n;
	if (m->b.rc)
		return NULL;
	if (make_chance(m, 0.5)) {
		t = make_chance(m, 0.5) ? x : times(m, x, 1.5);
		return product(m, x, make_set_bound(m, make_op1(m, "Sigmoid", t), 1));
	}
	t = make_clip(m, plus(m, x, usual(m, 3, 2)), 0, usual(m, 6, 4));
	t = times(m, t, usual(m, 1.0 / 6, 0.25));
	return product(m, make_chance(m, 0.5) ? x : t, make_chance(m, 0.5) ? t : x);
}

const struct sampler sampler_swish_parts = {
	.summary = "Swish or HardSwish, written out",
	.types = T_F32,
	.make = sample_swish,
};

/* softmax(Q Kᵀ / √d + mask) V over one input. */
static struct wire *sample_attention(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_calm(m, make_rank(m, in[0], 3), 4), 256), *q, *k, *v, *t;
	int64_t d, wide = make_between(m, 1, 4), square[2];

	(void)n;
	if (m->b.rc)
		return NULL;
	d = x->type.dims[2];
	square[0] = d;
	square[1] = wide;
	q = make_op2(m, "MatMul", x, make_weights(m, DT_FLOAT, 2, square));
	k = make_op2(m, "MatMul", x, make_weights(m, DT_FLOAT, 2, square));
	v = make_set_bound(m, make_op2(m, "MatMul", x, make_weights(m, DT_FLOAT, 2, square)),
			   2 * (double)d * make_bound_of(m, x));
	if (m->b.rc)
		return NULL;
	make_begin(m, "Transpose", &k, 1, 1);
	build_ints(&m->b, "perm", (int64_t[]){0, 2, 1}, 3);
	k = make_done(m);
	t = make_op2(m, "MatMul", q, k);
	t = make_clip(m, make_set_bound(m, t, MAKE_LARGE), -16, 16);
	if (make_chance(m, 0.5))
		t = make_chance(m, 0.5) ? times(m, t, 0.5) : make_op2(m, "Div", t, make_scalar(m, DT_FLOAT, 2));
	if (make_chance(m, 0.4) && t)
		t = make_op2(m, "Add", t, make_weights(m, DT_FLOAT, 2, t->type.dims + 1));
	if (m->b.rc)
		return NULL;
	make_begin(m, "Softmax", &t, 1, 1);
	build_int(&m->b, "axis", make_chance(m, 0.85) ? -1 : 1);
	t = make_set_bound(m, make_done(m), 1);
	return make_set_bound(m, make_op2(m, "MatMul", t, v), make_bound_of(m, v));
}

const struct sampler sampler_attention_parts = {
	.summary = "attention, written out",
	.types = T_F32,
	.make = sample_attention,
};
