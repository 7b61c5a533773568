/* sample_reduce.c - operators along axes: reductions, softmax and its kin, normalizations. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/maker.h"

#define NUMBERS (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT32) | TM(DT_INT64))
#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE))

/* An axis from either end. */
static int64_t draw_axis(struct maker *m, int rank)
{
	int64_t axis = between(m, 0, rank - 1);

	return chance(m, 0.4) ? axis - rank : axis;
}

/* Exponentials of larger ones vanish in float32, and what is compared with 0 then flips. */
static struct wire *make_axis(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, ranked(m, in[0]), 16);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, m->op->onnx, &x, 1, 1);
	if (chance(m, 0.8))
		build_int(&m->b, "axis", draw_axis(m, x->type.rank));
	return set_bound(m, done(m), 2 * bound_of(m, x) + 10);
}

const struct sampler sampler_axis = {"Softmax and others along one axis", FLOATS, make_axis, 0, 0};

/* Some of the axes, in any order, from either end; none at all means all. */
static size_t draw_axes(struct maker *m, int rank, int64_t *axes)
{
	size_t n = 0;

	for (int i = 0; i < rank; i++)
		if (chance(m, 0.5))
			axes[n++] = chance(m, 0.3) ? i - rank : i;
	if (!n && rank)
		axes[n++] = draw_axis(m, rank);
	return n;
}

static struct wire *make_reduce(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, in[0], 1000), *axes = NULL;
	int64_t list[MAX_RANK];
	size_t count;

	(void)n;
	if (m->b.rc)
		return NULL;
	count = x->type.rank && !chance(m, 0.1) ? draw_axes(m, x->type.rank, list) : 0;
	if (count)
		axes = const_ints(m, count, list);
	begin(m, m->op->onnx, (struct wire *[]){x, axes}, axes ? 2 : 1, 1);
	if (chance(m, 0.7))
		build_int(&m->b, "keepdims", between(m, 0, 1));
	return set_bound(m, done(m), fmax(bound_of(m, x), 1) * (double)count_of(x) * fmax(bound_of(m, x), 1));
}

const struct sampler sampler_reduce = {"a reduction over axes", NUMBERS, make_reduce, 0, 1};

static struct wire *make_arg(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = ranked(m, in[0]);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, m->op->onnx, &x, 1, 1);
	build_int(&m->b, "axis", draw_axis(m, x->type.rank));
	build_int(&m->b, "keepdims", between(m, 0, 1));
	if (m->wide && chance(m, 0.4))
		build_int(&m->b, "select_last_index", 1);
	return set_bound(m, done(m), (double)count_of(x));
}

const struct sampler sampler_arg = {"ArgMax or ArgMin", TM(DT_FLOAT) | TM(DT_INT32), make_arg, 0, 0};

static struct wire *make_cumulate(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, ranked(m, in[0]), 1000);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, m->op->onnx, (struct wire *[]){x, const_scalar(m, DT_INT64, (double)draw_axis(m, x->type.rank))}, 2,
	      1);
	build_int(&m->b, "exclusive", between(m, 0, 1));
	build_int(&m->b, "reverse", between(m, 0, 1));
	return set_bound(m, done(m), bound_of(m, x) * (double)count_of(x));
}

const struct sampler sampler_cumulate = {"CumSum", NUMBERS, make_cumulate, 0, 0};

/* ---- normalizations ---------------------------------------------------------------------------------------------- */

static void draw_epsilon(struct maker *m)
{
	static const double some[] = {1e-5, 1e-3, 1e-2, 0.1};

	if (chance(m, 0.7))
		build_float(&m->b, "epsilon", some[between(m, 0, 3)]);
}

static struct wire *make_batch_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, in[0]->type.rank < 2 ? as_rank(m, in[0], 4) : in[0], 1000), *p[4];

	(void)n;
	if (m->b.rc)
		return NULL;
	for (int i = 0; i < 4; i++)
		p[i] = const_random(m, x->type.dtype, 1, &x->type.dims[1], i == 3 ? 0.5 : -2, 2);
	begin(m, "BatchNormalization", (struct wire *[]){x, p[0], p[1], p[2], p[3]}, 5, 1);
	draw_epsilon(m);
	return set_bound(m, done(m), 3 * bound_of(m, x) + 8);
}

const struct sampler sampler_batch_norm = {"BatchNormalization", FLOATS, make_batch_norm, 0, 0};

static struct wire *make_instance_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), 1000), *scale, *bias;

	(void)n;
	if (m->b.rc)
		return NULL;
	scale = weights(m, x->type.dtype, 1, &x->type.dims[1]);
	bias = weights(m, x->type.dtype, 1, &x->type.dims[1]);
	begin(m, "InstanceNormalization", (struct wire *[]){x, scale, bias}, 3, 1);
	draw_epsilon(m);
	return set_bound(m, done(m), 100);
}

const struct sampler sampler_instance_norm = {"InstanceNormalization", TM(DT_FLOAT), make_instance_norm, 0, 0};

static struct wire *make_layer_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, in[0]->type.rank ? in[0] : as_rank(m, in[0], 2), 1000), *scale, *bias = NULL;
	int64_t axis;

	(void)n;
	if (m->b.rc)
		return NULL;
	axis = between(m, 0, x->type.rank - 1);
	scale = weights(m, x->type.dtype, x->type.rank - (int)axis, x->type.dims + axis);
	if (chance(m, 0.5))
		bias = weights(m, x->type.dtype, x->type.rank - (int)axis, x->type.dims + axis);
	begin(m, "LayerNormalization", (struct wire *[]){x, scale, bias}, bias ? 3 : 2, 1);
	build_int(&m->b, "axis", chance(m, 0.5) ? axis : axis - x->type.rank);
	draw_epsilon(m);
	return set_bound(m, done(m), 100);
}

const struct sampler sampler_layer_norm = {"LayerNormalization", FLOATS, make_layer_norm, 0, 0};

/* Away from zero, where epsilon decides. */
static struct wire *make_rms_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, ranked(m, in[0]), 1000), *scale;
	int64_t axis;

	(void)n;
	x = m->b.rc ? NULL : op2(m, "Add", op1(m, "Abs", x), const_scalar(m, x->type.dtype, 0.5));
	if (m->b.rc)
		return NULL;
	axis = between(m, 0, x->type.rank - 1);
	scale = weights(m, x->type.dtype, x->type.rank - (int)axis, x->type.dims + axis);
	begin(m, "RMSNormalization", (struct wire *[]){x, scale}, 2, 1);
	build_int(&m->b, "axis", either_end(m, axis, x->type.rank));
	draw_epsilon(m);
	return set_bound(m, done(m), 100);
}

const struct sampler sampler_rms_norm = {"RMSNormalization", TM(DT_FLOAT), make_rms_norm, 0, 0};

static struct wire *make_lrn(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), 100);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, "LRN", &x, 1, 1);
	build_int(&m->b, "size", 2 * between(m, 0, 3) + 1);
	if (chance(m, 0.7))
		build_float(&m->b, "alpha", 0.25 * (double)between(m, 1, 4));
	if (chance(m, 0.7))
		build_float(&m->b, "beta", 0.25 * (double)between(m, 1, 4));
	if (chance(m, 0.7))
		build_float(&m->b, "bias", 0.5 * (double)between(m, 1, 4));
	return set_bound(m, done(m), 2 * bound_of(m, x));
}

const struct sampler sampler_lrn = {"LRN", TM(DT_FLOAT), make_lrn, 0, 0};

/* Version 18 has a scale for each group, later ones for each channel.  ONNX's function body has the variance as
 * E(x²) - E(x)²: small numbers, so that what rounding leaves of that where all are equal is no more than epsilon. */
static struct wire *make_group_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), 8), *scale, *bias;
	int64_t groups, count;

	(void)n;
	if (m->b.rc)
		return NULL;
	for (groups = between(m, 1, x->type.dims[1]); x->type.dims[1] % groups; groups--)
		;
	count = m->opset < 21 ? groups : x->type.dims[1];
	scale = weights(m, x->type.dtype, 1, &count);
	bias = weights(m, x->type.dtype, 1, &count);
	begin(m, "GroupNormalization", (struct wire *[]){x, scale, bias}, 3, 1);
	build_int(&m->b, "num_groups", groups);
	draw_epsilon(m);
	return set_bound(m, done(m), 100);
}

const struct sampler sampler_group_norm = {"GroupNormalization", TM(DT_FLOAT), make_group_norm, 0, 0};

/* √(E(x²) - E(x)²) is a matter of rounding where values are almost equal, and epsilon is 1e-9: small numbers, to which
 * others that differ along the last axis are added. */
static struct wire *make_mean_variance(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), 2);
	int64_t dims[4];
	struct tensor *slope;

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[3] = dims[3] > 1 ? dims[3] : 2;
	x = match(m, x, 4, dims);
	slope = m->b.rc ? NULL : tensor_new(x->type.dtype, 1, &dims[3], m->b.err);
	for (size_t i = 0; slope && i < slope->count; i++)
		slope->f[i] = i % 2 ? 4 : -4;
	x = op2(m, "Add", x, constant(m, slope, 4));
	if (m->b.rc)
		return NULL;
	begin(m, "MeanVarianceNormalization", &x, 1, 1);
	if (chance(m, 0.3)) /* said in any case: the checker of ONNX does not know the default */
		build_ints(&m->b, "axes", (int64_t[]){0, 1, 2, 3}, 4);
	else
		build_ints(&m->b, "axes", (int64_t[]){0, 2, 3}, 3);
	return set_bound(m, done(m), 100);
}

const struct sampler sampler_mean_variance = {"MeanVarianceNormalization", TM(DT_FLOAT), make_mean_variance, 0, 0};

/* Away from zero: a norm of 0 is divided by in more than one way. */
static struct wire *make_lp_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, ranked(m, in[0]), 1000);

	(void)n;
	x = m->b.rc ? NULL : op2(m, "Add", op1(m, "Abs", x), const_scalar(m, x->type.dtype, 0.5));
	if (m->b.rc)
		return NULL;
	begin(m, "LpNormalization", &x, 1, 1);
	build_int(&m->b, "axis", draw_axis(m, x->type.rank));
	if (chance(m, 0.6))
		build_int(&m->b, "p", between(m, 1, 2));
	return set_bound(m, done(m), 1);
}

const struct sampler sampler_lp_norm = {"LpNormalization", TM(DT_FLOAT), make_lp_norm, 0, 0};
