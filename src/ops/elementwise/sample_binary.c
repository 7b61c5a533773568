/* sample_binary.c - operators on elements of two tensors, or several, at the same place. */
#include <math.h>
#include <string.h>

#include "ops/elementwise/samplers.h"
#include "ops/sample/maker.h"

#define BYTES (TM(DT_INT8) | TM(DT_UINT8))
#define WHOLE (BYTES | T_INDEX)

static struct wire *sample_sum(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];
	double bound;

	make_match_some(m, in, n, two);
	two[0] = make_calm(m, two[0], MAKE_LARGE);
	two[1] = make_calm(m, two[1], MAKE_LARGE);
	bound = make_bound_of(m, two[0]) + make_bound_of(m, two[1]);
	return make_set_bound(m, make_op2(m, m->row->name, two[0], two[1]), bound);
}

const struct sampler sampler_sum = {
	.summary = "a sum or difference",
	.types = MAKE_NUMBERS,
	.make = sample_sum,
	.special = 1,
};

static struct wire *sample_product(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];
	double bound;

	make_match_some(m, in, n, two);
	two[0] = make_calm(m, two[0], 1000);
	two[1] = make_calm(m, two[1], 1000);
	bound = make_bound_of(m, two[0]) * make_bound_of(m, two[1]);
	return make_set_bound(m, make_op2(m, m->row->name, two[0], two[1]), bound);
}

const struct sampler sampler_product = {
	.summary = "a product",
	.types = MAKE_NUMBERS,
	.make = sample_product,
	.special = 1,
};

/* The divisor is at least a half away from zero. */
static struct wire *sample_quotient(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2], *divisor;
	int whole;

	make_match_some(m, in, n, two);
	if (m->b.rc)
		return NULL;
	two[0] = make_calm(m, two[0], MAKE_LARGE);
	whole = !dtype_is_float(two[1]->type.dtype);
	divisor = make_calm(m, make_op1(m, "Abs", two[1]), MAKE_LARGE);
	divisor = m->b.rc ? NULL : make_op2(m, "Add", divisor, make_scalar(m, two[1]->type.dtype, whole ? 1 : 0.5));
	return make_set_bound(m, make_op2(m, m->row->name, two[0], divisor), 2 * make_bound_of(m, two[0]) + 1);
}

const struct sampler sampler_quotient = {
	.summary = "a quotient",
	.types = MAKE_NUMBERS,
	.make = sample_quotient,
	.special = 1,
};

/* Any number of inputs, broadcast to each other. */
static struct wire *sample_choose(struct maker *m, struct wire *const *in, int n)
{
	struct wire *all[MAKE_MAX_IN];
	double bound = 0;

	all[0] = in[0];
	for (int i = 1; i < n && !m->b.rc; i++)
		all[i] = make_match(m, in[i], in[0]->type.rank, in[0]->type.dims);
	for (int i = 0; i < n && !m->b.rc; i++) {
		all[i] = make_calm(m, all[i], MAKE_LARGE);
		bound += make_bound_of(m, all[i]);
	}
	make_begin(m, m->row->name, all, n, 1);
	return make_set_bound(m, make_done(m), bound);
}

const struct sampler sampler_choose = {
	.summary = "the largest, smallest, mean or sum of several",
	.types = MAKE_NUMBERS,
	.make = sample_choose,
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
	.types = MAKE_NUMBERS,
	.make = sample_compare,
	.special = 1,
};

const struct sampler sampler_logic = {
	.summary = "an operator on two bools",
	.types = T_BOOL,
	.make = sample_compare,
};

/* A base that is not negative and a small exponent. */
static struct wire *sample_power(struct maker *m, struct wire *const *in, int n)
{
	static const double some[] = {0.5, 1, 2, 3, 0, -1};
	struct wire *base = make_clip(m, in[0], 0.25, 10);

	(void)n;
	if (m->b.rc)
		return NULL;
	return make_set_bound(
		m, make_op2(m, "Pow", base, make_scalar(m, base->type.dtype, some[make_between(m, 0, 5)])), 1000);
}

const struct sampler sampler_power = {
	.summary = "a power",
	.types = MAKE_FLOATS,
	.make = sample_power,
};

static struct wire *sample_where(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2], *condition;

	(void)n;
	make_match_two(m, in, two);
	if (m->b.rc)
		return NULL;
	condition = make_op2(m, "Less", two[1], two[0]);
	make_begin(m, "Where", (struct wire *[]){condition, two[0], two[1]}, 3, 1);
	return make_set_bound(m, make_done(m), fmax(make_bound_of(m, two[0]), make_bound_of(m, two[1])));
}

const struct sampler sampler_where = {
	.summary = "Where one is less than the other",
	.types = MAKE_NUMBERS,
	.make = sample_where,
	.special = 1,
};

static struct wire *sample_prelu(struct maker *m, struct wire *const *in, int n)
{
	int64_t dims[MAKE_MAX_RANK];
	struct wire *x = make_calm(m, in[0], MAKE_LARGE);
	int rank = m->b.rc ? 0 : x->type.rank;

	(void)n;
	for (int i = 0; i < rank; i++)
		dims[i] = make_chance(m, 0.5) ? 1 : x->type.dims[i];
	return m->b.rc ? NULL
		       : make_set_bound(m, make_op2(m, "PRelu", x, make_weights(m, x->type.dtype, rank, dims)),
					2 * make_bound_of(m, x));
}

const struct sampler sampler_prelu = {
	.summary = "PRelu",
	.types = MAKE_FLOATS,
	.make = sample_prelu,
	.special = 1,
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
	.types = WHOLE,
	.make = sample_bitwise,
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
	.types = WHOLE,
	.make = sample_bitwise_not,
};

/* By less than the width: the specification does not say what more gives. */
static struct wire *sample_shift(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	int left = make_chance(m, 0.5), by = t == DT_UINT8 ? 8 : 20;
	struct wire *amount = make_random(m, t, in[0]->type.rank, in[0]->type.dims, 0, by - 1);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "BitShift", (struct wire *[]){in[0], amount}, 2, 1);
	build_string(&m->b, "direction", left ? "LEFT" : "RIGHT");
	return make_set_bound(m, make_done(m),
			      left ? fmin(dtype_max(t), ldexp(fmax(make_bound_of(m, in[0]), 1), by))
				   : make_bound_of(m, in[0]));
}

const struct sampler sampler_shift = {
	.summary = "BitShift",
	.types = TM(DT_UINT8) | TM(DT_UINT32),
	.make = sample_shift,
};

/* Divisors are constants, none of them 0. */
static struct wire *sample_remainder(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	struct wire *x = dtype_is_float(t) ? make_calm(m, in[0], 1000) : in[0], *by;
	int64_t dims[MAKE_MAX_RANK];
	int rank = m->b.rc ? 0 : x->type.rank, fmod = dtype_is_float(t) || make_chance(m, 0.3);
	int sign = !dtype_is_unsigned(t) && make_chance(m, 0.4) ? -1 : 1;

	(void)n;
	for (int i = 0; i < rank; i++)
		dims[i] = make_chance(m, 0.4) ? 1 : x->type.dims[i];
	by = make_random(m, t, rank, dims, sign < 0 ? -7 : 1, sign < 0 ? -1 : 7);
	if (m->b.rc)
		return NULL;
	make_begin(m, "Mod", (struct wire *[]){x, by}, 2, 1);
	if (fmod)
		build_int(&m->b, "fmod", 1);
	return make_set_bound(m, make_done(m), 7);
}

const struct sampler sampler_remainder = {
	.summary = "Mod",
	.types = WHOLE | T_F32,
	.make = sample_remainder,
};
