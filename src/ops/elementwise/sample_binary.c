/* sample_binary.c - operators on elements of two tensors, or several, at the same place. */
#include <math.h>
#include <string.h>

#include "ops/elementwise/samplers.h"
#include "ops/sample/maker.h"

/* Operands of a sum of two, or of a product, made to fit: what leads in first, so that an input of the model takes
 * values that fit and no Clip. */
static void two_with_room(struct maker *m, struct wire *const *in, int n, double limit, int squared,
			  struct wire *two[2])
{
	struct wire *ready[2] = {NULL, NULL};

	for (int i = 0; i < n && i < 2 && !m->b.rc; i++)
		ready[i] = make_room(m, in[i], limit, squared ? 1 : 2, squared);
	make_match_some(m, ready, n, two);
}

/* Nothing is less than 0 for them. */
static void unsigned_difference(struct maker *m, struct wire *two[2])
{
	double half = m->b.rc ? 0 : floor(make_largest(m, two[0]->type.dtype) / 2);

	if (m->b.rc || !dtype_is_unsigned(two[0]->type.dtype))
		return;
	if (make_bound_of(m, two[1]) > 2)
		two[1] = make_within(m, two[1], 0, half / 2);
	two[0] = make_within(m, two[0], fmin(make_bound_of(m, two[1]), half), 2 * half + 1);
}

static struct wire *sample_sum(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];
	double bound;

	two_with_room(m, in, n, MAKE_LARGE, 0, two);
	bound = make_bound_of(m, two[0]) + make_bound_of(m, two[1]);
	return make_set_bound(m, make_op2(m, m->row->name, two[0], two[1]), bound);
}

const struct sampler sampler_sum = {
	.summary = "a sum",
	.types = MAKE_ALL,
	.make = sample_sum,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_difference(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];
	double bound;

	if (!dtype_is_unsigned(in[0]->type.dtype))
		return sample_sum(m, in, n);
	make_match_some(m, in, n, two);
	unsigned_difference(m, two);
	bound = make_bound_of(m, two[0]);
	return make_set_bound(m, make_op2(m, m->row->name, two[0], two[1]), bound);
}

const struct sampler sampler_difference = {
	.summary = "a difference",
	.types = MAKE_ALL,
	.make = sample_difference,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_product(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];
	double bound;

	two_with_room(m, in, n, 1000, 1, two);
	bound = make_bound_of(m, two[0]) * make_bound_of(m, two[1]);
	return make_set_bound(m, make_op2(m, m->row->name, two[0], two[1]), bound);
}

const struct sampler sampler_product = {
	.summary = "a product",
	.types = MAKE_ALL,
	.make = sample_product,
	.special = 1,
	.empty = 1,
};

/* Where ends are drawn: divisors as they come, since IEEE 754 tells all of floats; of integers those that have a
 * quotient, and now and then any, with which a process may still not die. */
static struct wire *raw_quotient(struct maker *m, struct wire *const *two)
{
	enum dtype t = two[1]->type.dtype;
	struct wire *divisor = two[1];
	double bound = make_bound_of(m, two[0]);

	if (!dtype_is_float(t) && make_chance(m, 0.7))
		divisor = !dtype_is_unsigned(t) && make_chance(m, 0.5) ? make_within(m, divisor, make_lowest(m, t), -2)
								       : make_within(m, divisor, 1, make_largest(m, t));
	return make_set_bound(m, make_op2(m, m->row->name, two[0], divisor),
			      dtype_is_float(t) ? (double)INFINITY : bound);
}

/* The divisor is at least a half away from zero. */
static struct wire *sample_quotient(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2], *divisor;
	int whole;

	make_match_some(m, in, n, two);
	if (m->b.rc)
		return NULL;
	if (m->any)
		return raw_quotient(m, two);
	two[0] = make_calm(m, two[0], MAKE_LARGE);
	whole = !dtype_is_float(two[1]->type.dtype);
	divisor = make_room(m, make_op1(m, "Abs", make_room(m, two[1], MAKE_LARGE, 1, 0)), MAKE_LARGE, 2, 0);
	divisor = m->b.rc ? NULL : make_sum(m, divisor, make_scalar(m, two[1]->type.dtype, whole ? 1 : 0.5));
	return make_set_bound(m, make_op2(m, m->row->name, two[0], divisor), 2 * make_bound_of(m, two[0]) + 1);
}

const struct sampler sampler_quotient = {
	.summary = "a quotient",
	.types = MAKE_ALL,
	.make = sample_quotient,
	.special = 1,
};

#define SEVERAL_ELEMENTS 8192 /* of all inputs, where there are many */

/* Any number of inputs, broadcast to each other, none larger than `limit`. */
static struct wire *several(struct maker *m, struct wire *const *in, int n, double limit)
{
	struct wire *all[MAKE_MANY];
	double bound = 0;

	for (int i = 0; i < n && !m->b.rc; i++) {
		all[i] = make_calm(m, in[i], limit);
		if (i && !m->b.rc)
			all[i] = make_match(m, all[i], in[0]->type.rank, in[0]->type.dims);
	}
	n = make_many(m, all, n, SEVERAL_ELEMENTS);
	for (int i = 0; i < n && !m->b.rc; i++)
		bound += make_bound_of(m, all[i]);
	make_begin(m, m->row->name, all, n, 1);
	return make_set_bound(m, make_done(m), bound);
}

static struct wire *sample_add_up(struct maker *m, struct wire *const *in, int n)
{
	return several(m, in, n, MAKE_LARGE);
}

const struct sampler sampler_add_up = {
	.summary = "the mean or sum of several",
	.types = MAKE_FLOATS,
	.make = sample_add_up,
	.empty = 1,
};

static struct wire *sample_choose(struct maker *m, struct wire *const *in, int n)
{
	return several(m, in, n, (double)INFINITY);
}

const struct sampler sampler_choose = {
	.summary = "the largest or smallest of several",
	.types = MAKE_ALL,
	.make = sample_choose,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_compare(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];

	make_match_some(m, in, n, two);
	if (!strcmp(m->row->name, "Equal"))
		for (int i = 0; i < 2; i++)
			two[i] = make_whole(m, two[i]);
	return make_set_bound(m, make_op2(m, m->row->name, two[0], two[1]), 1);
}

const struct sampler sampler_compare = {
	.summary = "a comparison",
	.types = MAKE_MOVED,
	.make = sample_compare,
	.special = 1,
	.empty = 1,
};

const struct sampler sampler_logic = {
	.summary = "an operator on two bools",
	.types = T_BOOL,
	.make = sample_compare,
	.empty = 1,
};

#define POWER_OF_ANY 12 /* the opset since which an exponent may have another type than its base */

/* An exponent, mostly of the base's type. */
static struct wire *draw_exponent(struct maker *m, enum dtype base, double x)
{
	static const enum dtype whole[] = {DT_INT8,  DT_INT16,  DT_INT32,  DT_INT64,
					   DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64};
	enum dtype t = base;

	if (m->opset >= POWER_OF_ANY && x == floor(x) && make_chance(m, 0.2))
		t = whole[make_between(m, 0, x < 0 ? 3 : 7)];
	return make_scalar(m, t, x);
}

/* Any base that is no infinity, and exponents that take it out of its range. */
static struct wire *far_power(struct maker *m, struct wire *base)
{
	static const double some[] = {0.5, 1, 2, 3, 0, -1, -0.5, -2, 1.5, 0.001, 13, 30, -30, 127};
	double exponent = some[make_between(m, 0, sizeof some / sizeof *some - 1)];

	return make_set_bound(m, make_op2(m, "Pow", base, draw_exponent(m, base->type.dtype, exponent)),
			      (double)INFINITY);
}

/* A power of integers that is still one of their type: ONNX does not say what becomes of others. */
static struct wire *whole_power(struct maker *m, struct wire *base)
{
	enum dtype t = base->type.dtype;
	double exponent = (double)make_between(m, 0, 4);
	double most = floor(pow(make_largest(m, t), 1 / fmax(exponent, 1)) * (1 - 0x1p-40));

	base = make_within(m, base, -most, most);
	return make_set_bound(m, make_op2(m, "Pow", base, draw_exponent(m, t, exponent)), make_largest(m, t));
}

/* A base that is not negative and a small exponent. */
static struct wire *sample_power(struct maker *m, struct wire *const *in, int n)
{
	static const double some[] = {0.5, 1, 2, 3, 0, -1};
	struct wire *base;

	(void)n;
	if (!dtype_is_float(in[0]->type.dtype))
		return whole_power(m, in[0]);
	if (m->fill == FILL_ENDS)
		return far_power(m, in[0]);
	base = make_clip(m, in[0], 0.25, 10);
	if (m->b.rc)
		return NULL;
	return make_set_bound(
		m, make_op2(m, "Pow", base, draw_exponent(m, base->type.dtype, some[make_between(m, 0, 5)])), 1000);
}

const struct sampler sampler_power = {
	.summary = "a power",
	.types = MAKE_NUMBERS,
	.make = sample_power,
};

/* Whether one is less than the other, or bools of a shape that broadcasts to theirs. */
static struct wire *draw_condition(struct maker *m, struct wire *const *two)
{
	const struct wire *larger = two[0]->type.rank < two[1]->type.rank ? two[1] : two[0];
	int64_t dims[TENSOR_MAX_RANK];
	int rank;

	if (larger->type.dtype == DT_BOOL && make_chance(m, 0.5))
		return make_op2(m, "Equal", two[1], two[0]);
	if (larger->type.dtype != DT_BOOL && (!m->wide || make_chance(m, 0.7)))
		return make_op2(m, "Less", two[1], two[0]);
	rank = make_part_shape(m, larger->type.rank, larger->type.dims, dims);
	return make_random(m, DT_BOOL, rank, dims, 0, 1);
}

static struct wire *sample_where(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2], *condition;

	(void)n;
	make_match_two(m, in, two);
	condition = m->b.rc ? NULL : draw_condition(m, two);
	if (m->b.rc)
		return NULL;
	make_begin(m, "Where", (struct wire *[]){condition, two[0], two[1]}, 3, 1);
	return make_set_bound(m, make_done(m), fmax(make_bound_of(m, two[0]), make_bound_of(m, two[1])));
}

const struct sampler sampler_where = {
	.summary = "Where one is less than the other",
	.types = MAKE_MOVED,
	.make = sample_where,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_prelu(struct maker *m, struct wire *const *in, int n)
{
	int64_t dims[MAKE_MAX_RANK];
	int whole = !dtype_is_float(in[0]->type.dtype);
	struct wire *x = whole ? make_room(m, in[0], MAKE_LARGE, 2, 0) : make_calm(m, in[0], MAKE_LARGE);
	int rank = m->b.rc ? 0 : x->type.rank;

	(void)n;
	if (m->b.rc)
		return NULL;
	if (m->any && !whole)
		make_admit(m, x, 1);
	rank = make_part_shape(m, rank, x->type.dims, dims);
	return make_set_bound(m, make_op2(m, "PRelu", x, make_weights(m, x->type.dtype, rank, dims)),
			      2 * make_bound_of(m, x));
}

const struct sampler sampler_prelu = {
	.summary = "PRelu",
	.types = MAKE_WORDS,
	.make = sample_prelu,
	.special = 1,
	.empty = 1,
};

/* ---- integers ---------------------------------------------------------------------------------------------------- */

/* Bits of both may stand in the result: less than twice the larger, and for negative ones as far below zero. */
static double bits_bound(const struct maker *m, struct wire *const *two)
{
	return 2 * fmax(make_bound_of(m, two[0]), make_bound_of(m, two[1])) + 2;
}

static struct wire *sample_bitwise(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];

	make_match_some(m, in, n, two);
	return m->b.rc ? NULL : make_set_bound(m, make_op2(m, m->row->name, two[0], two[1]), bits_bound(m, two));
}

const struct sampler sampler_bitwise = {
	.summary = "bits of two integers",
	.types = T_INT,
	.make = sample_bitwise,
	.empty = 1,
};

static struct wire *sample_bitwise_not(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;

	(void)n;
	return make_set_bound(m, make_op1(m, "BitwiseNot", in[0]),
			      dtype_is_unsigned(t) ? dtype_max(t) : make_bound_of(m, in[0]) + 1);
}

const struct sampler sampler_bitwise_not = {
	.summary = "BitwiseNot",
	.types = T_INT,
	.make = sample_bitwise_not,
	.empty = 1,
};

#define SHIFTS_BY_ANY 28 /* the opset since which BitShift says what all amounts give */

/* How far elements are shifted.  By the width and more, and of types with a sign by less than 0, where that is said to
 * mean something.  Before, by more now and then all the same where ends are drawn: no process may die of it. */
static struct wire *draw_shifts(struct maker *m, const struct wire *x)
{
	enum dtype t = x->type.dtype;
	int width = (int)dtype_bits(t), any = m->opset >= SHIFTS_BY_ANY, ends = m->fill == FILL_ENDS,
	    by = width < 20 || ends || any ? width : 20;
	double low = ends && make_chance(m, 0.3) ? by - 1 : 0, high = by - 1;

	if (make_chance(m, any ? 0.4 : ends ? 0.1 : 0))
		high = by + 1;
	if (any && !dtype_is_unsigned(t) && make_chance(m, 0.2))
		low = -2;
	return make_random(m, t, x->type.rank, x->type.dims, low, high);
}

static struct wire *sample_shift(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	int left = make_chance(m, 0.5);
	struct wire *amount = draw_shifts(m, in[0]);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "BitShift", (struct wire *[]){in[0], amount}, 2, 1);
	build_string(&m->b, "direction", left ? "LEFT" : "RIGHT");
	return make_set_bound(m, make_done(m), left ? fmax(dtype_max(t), -dtype_lowest(t)) : make_bound_of(m, in[0]));
}

const struct sampler sampler_shift = {
	.summary = "BitShift",
	.types = T_INT,
	.make = sample_shift,
};

/* Divisors of a remainder, all of one sign: constants that are not 0; where ends are drawn what leads in second, and
 * now and then as it comes, 0 and the other sign included. */
static struct wire *draw_divisors(struct maker *m, struct wire *const *in, int n, int sign)
{
	enum dtype t = in[0]->type.dtype;
	int64_t dims[MAKE_MAX_RANK];
	int rank = in[0]->type.rank;
	struct wire *by = m->fill == FILL_ENDS && n > 1 && !dtype_is_float(t) ? in[1] : NULL;

	for (int i = 0; i < rank; i++)
		dims[i] = make_chance(m, 0.4) ? 1 : in[0]->type.dims[i];
	if (!by)
		return make_random(m, t, rank, dims, sign < 0 ? -7 : 1, sign < 0 ? -1 : 7);
	if (make_chance(m, 0.8))
		by = sign < 0 ? make_within(m, by, make_lowest(m, t), -1) : make_within(m, by, 1, make_largest(m, t));
	return m->b.rc ? NULL : make_match(m, by, rank, dims);
}

#define FMOD_OF_INTEGERS 28

static struct wire *sample_remainder(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	struct wire *x = dtype_is_float(t) ? make_calm(m, in[0], 1000) : in[0], *by;
	/* before Mod-28 the text has fmod for floats alone */
	int fmod = dtype_is_float(t) || (make_chance(m, 0.3) && m->opset >= FMOD_OF_INTEGERS);
	int sign = !dtype_is_unsigned(t) && make_chance(m, 0.4) ? -1 : 1;
	double bound;

	by = m->b.rc ? NULL : draw_divisors(m, in, n, sign);
	if (m->b.rc)
		return NULL;
	make_begin(m, "Mod", (struct wire *[]){x, by}, 2, 1);
	if (fmod)
		build_int(&m->b, "fmod", 1);
	bound = make_bound_of(m, by);
	return make_set_bound(m, make_done(m), bound);
}

const struct sampler sampler_remainder = {
	.summary = "Mod",
	.types = T_INT | T_F32,
	.make = sample_remainder,
};
