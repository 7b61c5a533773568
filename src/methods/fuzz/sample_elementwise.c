/* sample_elementwise.c - operators on one element, or on elements of two tensors at the same place. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/maker.h"

#define NUMBERS (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT32) | TM(DT_INT64))
/* Small ones come out of Cast and of comparisons; no block computes in them. */
#define PLAIN (NUMBERS | T_BOOL | TM(DT_FLOAT16) | TM(DT_INT8) | TM(DT_UINT8) | TM(DT_INT16) | TM(DT_UINT16))
#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE))

/* ---- one input --------------------------------------------------------------------------------------------------- */

static struct wire *make_unary(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return op1(m, m->op->onnx, in[0]);
}

const struct sampler sampler_unary = {"an operator without parameters", PLAIN, make_unary, 0, 1};

static struct wire *make_alpha(struct maker *m, struct wire *const *in, int n)
{
	static const double some[] = {0.25, 0.5, 1, 1.5, 2, -0.5, -2};

	(void)n;
	begin(m, m->op->onnx, in, 1, 1);
	if (chance(m, 0.7))
		build_float(&m->b, "alpha", some[between(m, 0, m->wide ? 6 : 4)]);
	return set_bound(m, done(m), 2 * bound_of(m, in[0]) + 2);
}

const struct sampler sampler_alpha = {"an activation with alpha", FLOATS, make_alpha, 0, 1};

static struct wire *make_clip(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	int64_t lo = between(m, -3, 1), hi = between(m, m->wide ? -3 : 1, 4);
	struct wire *low = chance(m, 0.7) ? const_scalar(m, t, (double)lo) : NULL;
	struct wire *high = chance(m, 0.7) ? const_scalar(m, t, (double)(hi > lo ? hi : lo)) : NULL;

	(void)n;
	begin(m, "Clip", (struct wire *[]){in[0], low, high}, high ? 3 : low ? 2 : 1, 1);
	return set_bound(m, done(m), fmax(bound_of(m, in[0]), 4));
}

const struct sampler sampler_clip = {"Clip", NUMBERS, make_clip, 0, 0};

static struct wire *make_relu6(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;

	(void)n;
	begin(m, "Clip", (struct wire *[]){in[0], const_scalar(m, t, 0), const_scalar(m, t, 6)}, 3, 1);
	return set_bound(m, done(m), 6);
}

const struct sampler sampler_relu6 = {"Relu6: Clip from 0 to 6", FLOATS, make_relu6, 0, 0};

static struct wire *make_square(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, in[0], 1000);
	double bound = bound_of(m, x);

	(void)n;
	return set_bound(m, op2(m, "Mul", x, x), bound * bound);
}

const struct sampler sampler_square = {"the square: Mul with itself", NUMBERS, make_square, 0, 1};

static struct wire *make_rsqrt(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return op1(m, "Reciprocal", op1(m, "Sqrt", in[0]));
}

const struct sampler sampler_rsqrt = {"1 / √x", FLOATS, make_rsqrt, 0, 0};

static struct wire *make_cast(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return cast(m, in[0],
		    (enum dtype)ONE_OF(m, DT_FLOAT, DT_DOUBLE, DT_INT32, DT_INT64, DT_BOOL, DT_FLOAT16, DT_INT8,
				       DT_UINT8, DT_INT16, DT_UINT16));
}

const struct sampler sampler_cast = {"Cast to another type", PLAIN, make_cast, 0, 0};

/* … of another tensor, of which only the type counts. */
static struct wire *make_cast_like(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = (enum dtype)ONE_OF(m, DT_FLOAT, DT_DOUBLE, DT_INT32, DT_INT64, DT_INT8, DT_UINT8);
	struct wire *x = clip(m, in[0], dtype_is_unsigned(t) ? 0 : -100, 100);

	(void)n;
	return op2(m, "CastLike", x, const_scalar(m, t, 1));
}

const struct sampler sampler_cast_like = {"CastLike", NUMBERS, make_cast_like, 0, 0};

/* There and back: the bits in between are a matter of rounding where x is. */
static struct wire *make_bit_cast(struct maker *m, struct wire *const *in, int n)
{
	static const struct {
		enum dtype from, to;
	} pairs[] = {{DT_FLOAT, DT_INT32}, {DT_DOUBLE, DT_INT64}, {DT_INT32, DT_UINT32}, {DT_INT64, DT_UINT64}};
	struct wire *x = in[0];
	enum dtype from = x->type.dtype;
	int i = 0;

	(void)n;
	while (pairs[i].from != from)
		i++;
	begin(m, "BitCast", &x, 1, 1);
	build_int(&m->b, "to", pairs[i].to);
	x = done(m);
	begin(m, "BitCast", &x, 1, 1);
	build_int(&m->b, "to", from);
	return set_bound(m, done(m), bound_of(m, in[0]));
}

const struct sampler sampler_bit_cast = {"BitCast, there and back", NUMBERS, make_bit_cast, 0, 1};

/* One number a channel. */
static struct wire *make_bias(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, in[0], LARGE), *bias;
	int64_t dims[3] = {1, 1, 1};
	int rank;

	(void)n;
	if (m->b.rc)
		return NULL;
	x = x->type.rank < 2 ? as_rank(m, x, 2) : x;
	if (m->b.rc)
		return NULL;
	rank = x->type.rank - 1 < 3 ? x->type.rank - 1 : 3;
	dims[0] = x->type.dims[x->type.rank - rank];
	bias = weights(m, x->type.dtype, rank, dims);
	return set_bound(m, op2(m, "Add", x, bias), bound_of(m, x) + 2);
}

const struct sampler sampler_bias = {"BiasAdd: Add of one number a channel", FLOATS, make_bias, 0, 1};

/* ---- two inputs -------------------------------------------------------------------------------------------------- */

static struct wire *make_sum(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];
	double bound;

	match_some(m, in, n, two);
	two[0] = calm(m, two[0], LARGE);
	two[1] = calm(m, two[1], LARGE);
	bound = bound_of(m, two[0]) + bound_of(m, two[1]);
	return set_bound(m, op2(m, m->op->onnx, two[0], two[1]), bound);
}

const struct sampler sampler_sum = {"a sum or difference", NUMBERS, make_sum, 0, 1};

static struct wire *make_product(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];
	double bound;

	match_some(m, in, n, two);
	two[0] = calm(m, two[0], 1000);
	two[1] = calm(m, two[1], 1000);
	bound = bound_of(m, two[0]) * bound_of(m, two[1]);
	return set_bound(m, op2(m, m->op->onnx, two[0], two[1]), bound);
}

const struct sampler sampler_product = {"a product", NUMBERS, make_product, 0, 1};

/* The divisor is at least a half away from zero. */
static struct wire *make_quotient(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2], *divisor;
	int whole;

	match_some(m, in, n, two);
	if (m->b.rc)
		return NULL;
	two[0] = calm(m, two[0], LARGE);
	whole = !dtype_is_float(two[1]->type.dtype);
	divisor = calm(m, op1(m, "Abs", two[1]), LARGE);
	divisor = m->b.rc ? NULL : op2(m, "Add", divisor, const_scalar(m, two[1]->type.dtype, whole ? 1 : 0.5));
	return set_bound(m, op2(m, m->op->onnx, two[0], divisor), 2 * bound_of(m, two[0]) + 1);
}

const struct sampler sampler_quotient = {"a quotient", NUMBERS, make_quotient, 0, 1};

/* Any number of inputs, broadcast to each other. */
static struct wire *make_choose(struct maker *m, struct wire *const *in, int n)
{
	struct wire *all[FUZZ_MAX_DEGREE];
	double bound = 0;

	all[0] = in[0];
	for (int i = 1; i < n && !m->b.rc; i++)
		all[i] = match(m, in[i], in[0]->type.rank, in[0]->type.dims);
	for (int i = 0; i < n && !m->b.rc; i++) {
		all[i] = calm(m, all[i], LARGE);
		bound += bound_of(m, all[i]);
	}
	begin(m, m->op->onnx, all, n, 1);
	return set_bound(m, done(m), bound);
}

const struct sampler sampler_choose = {"the largest, smallest, mean or sum of several", NUMBERS, make_choose, 0, 0};

static struct wire *make_compare(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2];

	match_some(m, in, n, two);
	if (!strcmp(m->op->onnx, "Equal"))
		for (int i = 0; i < 2; i++)
			two[i] = settled(m, two[i]);
	return set_bound(m, op2(m, m->op->onnx, two[0], two[1]), 1);
}

const struct sampler sampler_compare = {"a comparison", NUMBERS, make_compare, 0, 1};
const struct sampler sampler_logic = {"an operator on two bools", T_BOOL, make_compare, 0, 0};

/* A base that is not negative and a small exponent. */
static struct wire *make_power(struct maker *m, struct wire *const *in, int n)
{
	static const double some[] = {0.5, 1, 2, 3, 0, -1};
	struct wire *base = clip(m, in[0], 0.25, 10);

	(void)n;
	if (m->b.rc)
		return NULL;
	return set_bound(m, op2(m, "Pow", base, const_scalar(m, base->type.dtype, some[between(m, 0, 5)])), 1000);
}

const struct sampler sampler_power = {"a power", FLOATS, make_power, 0, 0};

static struct wire *make_where(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2], *condition;

	(void)n;
	match_two(m, in, two);
	if (m->b.rc)
		return NULL;
	condition = op2(m, "Less", two[1], two[0]);
	begin(m, "Where", (struct wire *[]){condition, two[0], two[1]}, 3, 1);
	return set_bound(m, done(m), fmax(bound_of(m, two[0]), bound_of(m, two[1])));
}

const struct sampler sampler_where = {"Where one is less than the other", NUMBERS, make_where, 0, 1};

static struct wire *make_prelu(struct maker *m, struct wire *const *in, int n)
{
	int64_t dims[MAX_RANK];
	struct wire *x = calm(m, in[0], LARGE);
	int rank = m->b.rc ? 0 : x->type.rank;

	(void)n;
	for (int i = 0; i < rank; i++)
		dims[i] = chance(m, 0.5) ? 1 : x->type.dims[i];
	return m->b.rc ? NULL
		       : set_bound(m, op2(m, "PRelu", x, weights(m, x->type.dtype, rank, dims)), 2 * bound_of(m, x));
}

const struct sampler sampler_prelu = {"PRelu", FLOATS, make_prelu, 0, 1};

static struct wire *make_shrink(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	begin(m, "Shrink", in, 1, 1);
	if (chance(m, 0.7))
		build_float(&m->b, "lambd", 0.25 * (double)between(m, 0, 6));
	if (chance(m, 0.7))
		build_float(&m->b, "bias", 0.5 * (double)between(m, -2, 3));
	return set_bound(m, done(m), bound_of(m, in[0]) + 2);
}

const struct sampler sampler_shrink = {"Shrink", FLOATS, make_shrink, 0, 1};
