/* sample_unary.c - operators on one element. */
#include <math.h>

#include "ops/elementwise/samplers.h"
#include "ops/sample/maker.h"

static struct wire *sample_unary(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return make_op1(m, m->row->name, in[0]);
}

const struct sampler sampler_unary = {
	.summary = "an operator without parameters",
	.types = MAKE_PLAIN,
	.make = sample_unary,
	.special = 1,
	.empty = 1,
};

/* Abs and Neg: the lowest integer has no negative. */
static struct wire *sample_mirror(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = dtype_is_float(in[0]->type.dtype) ? in[0] : make_room(m, in[0], MAKE_LARGE, 1, 0);

	(void)n;
	return m->b.rc ? NULL : make_op1(m, m->row->name, x);
}

const struct sampler sampler_mirror = {
	.summary = "numbers with another sign",
	.types = MAKE_ALL,
	.make = sample_mirror,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_alpha(struct maker *m, struct wire *const *in, int n)
{
	static const double some[] = {0.25, 0.5, 1, 1.5, 2, -0.5, -2};

	(void)n;
	make_begin(m, m->row->name, in, 1, 1);
	if (make_chance(m, 0.7))
		build_float(&m->b, "alpha", some[make_between(m, 0, m->wide ? 6 : 4)]);
	return make_set_bound(m, make_done(m), 2 * make_bound_of(m, in[0]) + 2);
}

const struct sampler sampler_alpha = {
	.summary = "an activation with alpha",
	.types = MAKE_FLOATS,
	.make = sample_alpha,
	.special = 1,
	.empty = 1,
};

/* One of the numbers that values.h has; not NaN, which is no bound. */
static double draw_end(struct maker *m, enum dtype t)
{
	double x = dtype_is_float(t) ? values_float(t, &m->rng) : (double)values_int(t, &m->rng);

	x = isnan(x) ? 0 : dtype_is_unsigned(t) ? fabs(x) : x;
	return dtype_is_float(t) ? x : fmin(fmax(x, make_lowest(m, t)), make_largest(m, t));
}

static struct wire *sample_clip(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	double lo = (double)make_between(m, -3, 1), hi = (double)make_between(m, m->wide ? -3 : 1, 4);
	struct wire *low, *high;
	int both;

	if (m->fill == FILL_ENDS && make_chance(m, 0.7)) {
		lo = draw_end(m, t);
		hi = draw_end(m, t);
	}
	both = m->any &&
	       dtype_is_float(t); /* what is left out stands for the type's end, which infinities are beyond */
	low = both || make_chance(m, 0.7) ? make_scalar(m, t, lo) : NULL;
	high = both || make_chance(m, 0.7) ? make_scalar(m, t, hi > lo ? hi : lo) : NULL;

	(void)n;
	make_begin(m, "Clip", (struct wire *[]){in[0], low, high}, high ? 3 : low ? 2 : 1, 1);
	return make_set_bound(m, make_done(m), fmax(make_bound_of(m, in[0]), fmax(4, fmax(fabs(lo), fabs(hi)))));
}

const struct sampler sampler_clip = {
	.summary = "Clip",
	.types = MAKE_ALL,
	.make = sample_clip,
	.special = 1,
	.empty = 1,
};

/* Of integers the border and what is taken off are integers too: ONNX does not say what becomes of halves, nor of
 * numbers below 0 in types that have none. */
static void draw_whole_shrink(struct maker *m, enum dtype t)
{
	build_float(&m->b, "lambd", (double)make_between(m, 1, 3));
	if (make_chance(m, 0.7))
		build_float(&m->b, "bias", (double)make_between(m, dtype_is_unsigned(t) ? 0 : -1, 1));
}

static struct wire *sample_shrink(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	struct wire *x = dtype_is_float(t) ? in[0] : make_room(m, in[0], MAKE_LARGE, 2, 0);

	(void)n;
	make_begin(m, "Shrink", &x, 1, 1);
	if (!dtype_is_float(t)) {
		draw_whole_shrink(m, t);
		return make_set_bound(m, make_done(m), make_bound_of(m, x) + 1);
	}
	if (make_chance(m, 0.7))
		build_float(&m->b, "lambd", 0.25 * (double)make_between(m, 0, 6));
	if (make_chance(m, 0.7))
		build_float(&m->b, "bias", 0.5 * (double)make_between(m, -2, 3));
	return make_set_bound(m, make_done(m), make_bound_of(m, x) + 2);
}

const struct sampler sampler_shrink = {
	.summary = "Shrink",
	.types = MAKE_ALL,
	.make = sample_shrink,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_cast(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return make_cast(m, in[0],
			 (enum dtype)MAKE_ONE_OF(m, DT_FLOAT, DT_DOUBLE, DT_INT32, DT_INT64, DT_BOOL, DT_FLOAT16,
						 DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_UINT32, DT_UINT64));
}

const struct sampler sampler_cast = {
	.summary = "Cast to another type",
	.types = MAKE_PLAIN,
	.make = sample_cast,
	.special = 1,
	.empty = 1,
};

/* … of another tensor, of which only the type counts. */
static struct wire *sample_cast_like(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = (enum dtype)MAKE_ONE_OF(m, DT_FLOAT, DT_DOUBLE, DT_INT32, DT_INT64, DT_INT8, DT_UINT8, DT_INT16,
					       DT_UINT16, DT_UINT32, DT_UINT64, DT_BOOL);
	struct wire *x =
		make_within(m, t == DT_BOOL ? make_whole(m, in[0]) : in[0], dtype_is_unsigned(t) ? 0 : -100, 100);

	(void)n;
	x = make_op2(m, "CastLike", x, make_scalar(m, t, 1));
	return t == DT_BOOL ? make_set_bound(m, x, 1) : x;
}

const struct sampler sampler_cast_like = {
	.summary = "CastLike",
	.types = MAKE_MOVED,
	.make = sample_cast_like,
};

/* There and back: the bits in between are a matter of rounding where x is. */
static struct wire *sample_bit_cast(struct maker *m, struct wire *const *in, int n)
{
	static const struct {
		enum dtype from, to;
	} pairs[] = {{DT_FLOAT, DT_INT32},  {DT_DOUBLE, DT_INT64}, {DT_INT32, DT_UINT32}, {DT_INT64, DT_UINT64},
		     {DT_UINT32, DT_INT32}, {DT_UINT64, DT_INT64}, {DT_INT8, DT_UINT8},   {DT_UINT8, DT_INT8},
		     {DT_INT16, DT_UINT16}, {DT_UINT16, DT_INT16}};
	struct wire *x = in[0];
	enum dtype from = x->type.dtype;
	int i = 0;

	(void)n;
	while (pairs[i].from != from)
		i++;
	make_begin(m, "BitCast", &x, 1, 1);
	build_int(&m->b, "to", pairs[i].to);
	x = make_done(m);
	make_begin(m, "BitCast", &x, 1, 1);
	build_int(&m->b, "to", from);
	return make_set_bound(m, make_done(m), make_bound_of(m, in[0]));
}

const struct sampler sampler_bit_cast = {
	.summary = "BitCast, there and back",
	.types = MAKE_ALL,
	.make = sample_bit_cast,
	.special = 1,
};

static struct wire *sample_dropout(struct maker *m, struct wire *const *in, int n)
{
	struct wire *ratio = make_chance(m, 0.5) ? make_scalar(m, DT_FLOAT, 0.5) : NULL;

	(void)n;
	make_begin(m, "Dropout", (struct wire *[]){in[0], ratio}, ratio ? 2 : 1, 1);
	return make_done(m);
}

const struct sampler sampler_dropout = {
	.summary = "Dropout, which does nothing in inference",
	.types = T_F32,
	.make = sample_dropout,
};
