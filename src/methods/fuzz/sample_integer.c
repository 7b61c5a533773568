/* sample_integer.c - operators on the bits of integers, and remainders. */
#include <math.h>

#include "methods/fuzz/maker.h"

#define BYTES (TM(DT_INT8) | TM(DT_UINT8))
#define WHOLE (BYTES | TM(DT_INT32) | TM(DT_INT64))

/* Bits of both may stand in the result: less than twice the larger, and for negative ones as far below zero. */
static double bits_bound(const struct maker *m, struct wire *const *two)
{
	return 2 * fmax(bound_of(m, two[0]), bound_of(m, two[1])) + 2;
}

static struct wire *make_bitwise(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];

	match_some(m, in, n, two);
	return m->b.rc ? NULL : set_bound(m, op2(m, m->op->onnx, two[0], two[1]), bits_bound(m, two));
}

const struct sampler sampler_bitwise = {"bits of two integers", WHOLE, make_bitwise, 0, 0};

static struct wire *make_bitwise_not(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;

	(void)n;
	return set_bound(m, op1(m, "BitwiseNot", in[0]), dtype_is_unsigned(t) ? dtype_max(t) : bound_of(m, in[0]) + 1);
}

const struct sampler sampler_bitwise_not = {"BitwiseNot", WHOLE, make_bitwise_not, 0, 0};

/* By less than the width: the specification does not say what more gives. */
static struct wire *make_shift(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	int left = chance(m, 0.5), by = t == DT_UINT8 ? 8 : 20;
	struct wire *amount = const_random(m, t, in[0]->type.rank, in[0]->type.dims, 0, by - 1);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, "BitShift", (struct wire *[]){in[0], amount}, 2, 1);
	build_string(&m->b, "direction", left ? "LEFT" : "RIGHT");
	return set_bound(m, done(m),
			 left ? fmin(dtype_max(t), ldexp(fmax(bound_of(m, in[0]), 1), by)) : bound_of(m, in[0]));
}

const struct sampler sampler_shift = {"BitShift", TM(DT_UINT8) | TM(DT_UINT32), make_shift, 0, 0};

/* Divisors are constants, none of them 0. */
static struct wire *make_remainder(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	struct wire *x = dtype_is_float(t) ? calm(m, in[0], 1000) : in[0], *by;
	int64_t dims[MAX_RANK];
	int rank = m->b.rc ? 0 : x->type.rank, fmod = dtype_is_float(t) || chance(m, 0.3);
	int sign = !dtype_is_unsigned(t) && chance(m, 0.4) ? -1 : 1;

	(void)n;
	for (int i = 0; i < rank; i++)
		dims[i] = chance(m, 0.4) ? 1 : x->type.dims[i];
	by = const_random(m, t, rank, dims, sign < 0 ? -7 : 1, sign < 0 ? -1 : 7);
	if (m->b.rc)
		return NULL;
	begin(m, "Mod", (struct wire *[]){x, by}, 2, 1);
	if (fmod)
		build_int(&m->b, "fmod", 1);
	return set_bound(m, done(m), 7);
}

const struct sampler sampler_remainder = {"Mod", WHOLE | TM(DT_FLOAT), make_remainder, 0, 0};
