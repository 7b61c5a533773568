/* sample_norm.c - normalizations. */
#include <string.h>

#include "ops/norm/samplers.h"
#include "ops/sample/maker.h"
#include "ops/sample/windows.h"

#define EQUAL 0.25 /* share of models of one operator */

/* Numbers that are all the same, in a model of this operator alone: nothing deviates from the mean, and 0, which half
 * of them are, has no norm.  They are whole, so that sums of their squares are exact. */
static int is_equal(struct maker *m, const struct wire *x)
{
	double all = make_chance(m, 0.5) ? 0 : (double)make_between(m, -2, 2);

	return m->alone && make_chance(m, EQUAL) && make_narrow(m, x, all, all);
}

/* Away from zero: epsilon decides there, and on lines of which only some numbers are almost 0. */
static struct wire *make_above_zero(struct maker *m, struct wire *x)
{
	if (m->b.rc || is_equal(m, x) || (m->alone && make_narrow(m, x, 0.5, 1000)))
		return x;
	return make_op2(m, "Add", make_op1(m, "Abs", x), make_scalar(m, x->type.dtype, 0.5));
}

static void draw_epsilon(struct maker *m)
{
	static const double some[] = {1e-5, 1e-3, 1e-2, 0.1};

	if (make_chance(m, 0.7))
		build_float(&m->b, "epsilon", some[make_between(m, 0, 3)]);
}

static struct wire *sample_batch_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, in[0]->type.rank < 2 ? make_rank(m, in[0], 4) : in[0], 1000), *p[4];

	(void)n;
	if (m->b.rc)
		return NULL;
	for (int i = 0; i < 4; i++)
		p[i] = make_random(m, x->type.dtype, 1, &x->type.dims[1], i == 3 ? 0.5 : -2, 2);
	make_begin(m, "BatchNormalization", (struct wire *[]){x, p[0], p[1], p[2], p[3]}, 5, 1);
	draw_epsilon(m);
	return make_set_bound(m, make_done(m), 3 * make_bound_of(m, x) + 8);
}

const struct sampler sampler_batch_norm = {
	.summary = "BatchNormalization",
	.types = MAKE_FLOATS,
	.make = sample_batch_norm,
};

static struct wire *sample_instance_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], 1000), *scale, *bias;

	(void)n;
	if (m->b.rc)
		return NULL;
	scale = make_weights(m, x->type.dtype, 1, &x->type.dims[1]);
	bias = make_weights(m, x->type.dtype, 1, &x->type.dims[1]);
	make_begin(m, "InstanceNormalization", (struct wire *[]){x, scale, bias}, 3, 1);
	draw_epsilon(m);
	return make_set_bound(m, make_done(m), 100);
}

const struct sampler sampler_instance_norm = {
	.summary = "InstanceNormalization",
	.types = T_F32,
	.make = sample_instance_norm,
};

/* Of the axes that are normalized; in wide models of any shape that broadcasts to them. */
static struct wire *draw_parameter(struct maker *m, const struct wire *x, int64_t axis)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = x->type.rank - (int)axis;

	if (!m->wide || make_chance(m, 0.5))
		return make_weights(m, x->type.dtype, rank, x->type.dims + axis);
	rank = make_part_shape(m, rank, x->type.dims + axis, dims);
	return make_weights(m, x->type.dtype, rank, dims);
}

static struct wire *sample_layer_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, in[0]->type.rank ? in[0] : make_rank(m, in[0], 2), 1000), *scale, *bias = NULL;
	int64_t axis;

	(void)n;
	if (m->b.rc)
		return NULL;
	axis = make_between(m, 0, x->type.rank - 1);
	scale = draw_parameter(m, x, axis);
	if (make_chance(m, 0.5))
		bias = draw_parameter(m, x, axis);
	make_begin(m, "LayerNormalization", (struct wire *[]){x, scale, bias}, bias ? 3 : 2,
		   m->wide && make_chance(m, 0.3) ? (int)make_between(m, 2, 3) : 1);
	build_int(&m->b, "axis", make_chance(m, 0.5) ? axis : axis - x->type.rank);
	draw_epsilon(m);
	return make_set_bound(m, make_done(m), 100);
}

const struct sampler sampler_layer_norm = {
	.summary = "LayerNormalization",
	.types = MAKE_FLOATS,
	.make = sample_layer_norm,
};

static struct wire *sample_rms_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_ranked(m, in[0]), 1000), *scale;
	int64_t axis;

	(void)n;
	x = make_above_zero(m, x);
	if (m->b.rc)
		return NULL;
	axis = make_between(m, 0, x->type.rank - 1);
	scale = draw_parameter(m, x, axis);
	make_begin(m, "RMSNormalization", (struct wire *[]){x, scale}, 2, 1);
	build_int(&m->b, "axis", make_either_end(m, axis, x->type.rank));
	draw_epsilon(m);
	return make_set_bound(m, make_done(m), 100);
}

const struct sampler sampler_rms_norm = {
	.summary = "RMSNormalization",
	.types = T_F32,
	.make = sample_rms_norm,
};

static struct wire *sample_lrn(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_rank(m, in[0], 4), 100);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "LRN", &x, 1, 1);
	build_int(&m->b, "size", 2 * make_between(m, 0, 3) + 1);
	if (make_chance(m, 0.7))
		build_float(&m->b, "alpha", 0.25 * (double)make_between(m, 1, 4));
	if (make_chance(m, 0.7))
		build_float(&m->b, "beta", 0.25 * (double)make_between(m, 1, 4));
	if (make_chance(m, 0.7))
		build_float(&m->b, "bias", 0.5 * (double)make_between(m, 1, 4));
	return make_set_bound(m, make_done(m), 2 * make_bound_of(m, x));
}

const struct sampler sampler_lrn = {
	.summary = "LRN",
	.types = T_F32,
	.make = sample_lrn,
};

/* ONNX's function body has the variance as
 * E(x²) - E(x)²: small numbers, so that what rounding leaves of that where all are equal is no more than epsilon. */
static struct wire *sample_group_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], 8), *scale, *bias;
	int64_t groups;

	(void)n;
	if (m->b.rc)
		return NULL;
	for (groups = make_between(m, 1, x->type.dims[1]); x->type.dims[1] % groups; groups--)
		;
	scale = make_weights(m, x->type.dtype, 1, &x->type.dims[1]);
	bias = make_weights(m, x->type.dtype, 1, &x->type.dims[1]);
	make_begin(m, "GroupNormalization", (struct wire *[]){x, scale, bias}, 3, 1);
	build_int(&m->b, "num_groups", groups);
	draw_epsilon(m);
	return make_set_bound(m, make_done(m), 100);
}

const struct sampler sampler_group_norm = {
	.summary = "GroupNormalization",
	.types = T_F32,
	.since = 21, /* ONNX took version 18 back */
	.make = sample_group_norm,
};

/* Adds numbers that differ along the last axis. */
static struct wire *add_slope(struct maker *m, struct wire *x)
{
	struct tensor *slope = tensor_new(x->type.dtype, 1, &x->type.dims[3], m->b.err);

	for (size_t i = 0; slope && i < slope->count; i++)
		slope->f[i] = i % 2 ? 4 : -4;
	return make_op2(m, "Add", x, make_const(m, slope, 4));
}

/* √(E(x²) - E(x)²) is a matter of rounding where values are almost equal, and epsilon is 1e-9: small numbers, either
 * with a slope or all the same. */
static struct wire *sample_mean_variance(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_rank(m, in[0], 4), 2);
	int64_t dims[4];

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[3] = dims[3] > 1 ? dims[3] : 2;
	x = make_match(m, x, 4, dims);
	if (!m->b.rc && !is_equal(m, x))
		x = add_slope(m, x);
	if (m->b.rc)
		return NULL;
	make_begin(m, "MeanVarianceNormalization", &x, 1, 1);
	if (make_chance(m, 0.3)) /* said in any case: the checker of ONNX does not know the default */
		build_ints(&m->b, "axes", (int64_t[]){0, 1, 2, 3}, 4);
	else
		build_ints(&m->b, "axes", (int64_t[]){0, 2, 3}, 3);
	return make_set_bound(m, make_done(m), 100);
}

const struct sampler sampler_mean_variance = {
	.summary = "MeanVarianceNormalization",
	.types = T_F32,
	.make = sample_mean_variance,
};

/* Lines of zeros stay as they are. */
static struct wire *sample_lp_norm(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_ranked(m, in[0]), 1000);

	(void)n;
	x = make_above_zero(m, x);
	if (m->b.rc)
		return NULL;
	make_begin(m, "LpNormalization", &x, 1, 1);
	build_int(&m->b, "axis", make_any_axis(m, x->type.rank));
	if (make_chance(m, 0.6))
		build_int(&m->b, "p", make_between(m, 1, 2));
	return make_set_bound(m, make_done(m), 1);
}

const struct sampler sampler_lp_norm = {
	.summary = "LpNormalization",
	.types = T_F32,
	.make = sample_lp_norm,
};
