/* binary.c - arithmetic of two inputs: Add, Sub, Mul, Div, Pow, Mod.
 *
 * Integers are computed modulo 2^64; the caller wraps them to their type, which gives two's complement for all.
 * ONNX leaves division by zero of integers open; here x / 0 = 0 and x mod 0 = 0, so that nothing traps. */
#include <math.h>
#include <string.h>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/samplers.h"
#include "ops/kit/convert.h"
#include "ops/kit/domain.h"

static const struct op_attr legacy_attrs[] = {
	OP_ATTR("axis", ATTR_INT),
	OP_INT("broadcast", 0),
	OP_ATTR("consumed_inputs", ATTR_INTS),
	{0},
};

SAMPLE_OF(add, .by = &sampler_sum, .in = 1, .in_max = 2);
SAMPLE_OF(sub, .by = &sampler_difference, .in = 1, .in_max = 2);
SAMPLE_OF(mul, .by = &sampler_product, .in = 1, .in_max = 2);
SAMPLE_OF(div, .by = &sampler_quotient, .in = 1, .in_max = 2);

/* An operator on all numbers; further members follow. */
#define ARITHMETIC(id, ...)                                         \
	static int id##_eval(struct call *c)                        \
	{                                                           \
		return binary_eval(c, &id##_rows);                  \
	}                                                           \
	static int id##_grad(struct call *c)                        \
	{                                                           \
		return binary_grad(c, id##_slopes);                 \
	}                                                           \
	const struct op op_##id = {                                 \
		.samples = id##_samples,                            \
		.in = {{"A", T_NUM, 'T', 0}, {"B", T_NUM, 'T', 0}}, \
		.out = {{"C", T_NUM, 'T', 0}},                      \
		.attrs = legacy_attrs,                              \
		.infer = binary_infer,                              \
		.eval = id##_eval,                                  \
		.grad = id##_grad,                                  \
		.ulps = 1,                                          \
		__VA_ARGS__,                                        \
	}

/* ---- Add, Sub ---------------------------------------------------------------------------------------------------- */

BINARY_ROW(add_floats, double, double, x + y)
BINARY_ROW(add_ints, int64_t, int64_t, (int64_t)((uint64_t)x + (uint64_t)y))
BINARY_GRAD_ROW(add_slopes, 1, 1)
static const struct binary add_rows = {.floats = add_floats, .ints = add_ints};

static enum delta_result add_delta(struct call *c)
{
	return linear_delta(c, NULL, 1);
}

ARITHMETIC(add, .delta = add_delta, .step = &add_step, .flags = OP_IN_PLACE | OP_MONOMIALS);

BINARY_ROW(sub_floats, double, double, x - y)
BINARY_ROW(sub_ints, int64_t, int64_t, (int64_t)((uint64_t)x - (uint64_t)y))
BINARY_GRAD_ROW(sub_slopes, 1, -1)
static const struct binary sub_rows = {.floats = sub_floats, .ints = sub_ints};

static enum delta_result sub_delta(struct call *c)
{
	return linear_delta(c, (const double[]){1, -1}, 0);
}

ARITHMETIC(sub, .delta = sub_delta, .flags = OP_IN_PLACE | OP_MONOMIALS);

/* ---- Mul --------------------------------------------------------------------------------------------------------- */

BINARY_ROW(mul_floats, double, double, (x * y))
BINARY_ROW(mul_ints, int64_t, int64_t, (int64_t)((uint64_t)x *(uint64_t)y))
BINARY_GRAD_ROW(mul_slopes, y, x)
static const struct binary mul_rows = {.floats = mul_floats, .ints = mul_ints};

/* (x + dx)(y + dy) - x y = dx y + x dy + dx dy, for the lanes of one element; dx or dy may be NULL. */
static void mul_delta_lanes(double x, const float *dx, double y, const float *dy, float *out, int lanes)
{
	for (int l = 0; l < lanes; l++) {
		double mx = dx ? (double)dx[l] : 0, my = dy ? (double)dy[l] : 0, d = mx * y + x * my + mx * my;

		out[l] = d == d ? (float)d : moved_by((x + mx) * (y + my), x * y);
	}
}

struct mul_loop {
	struct call *c;
	struct bcast plan;
};

static void mul_delta_piece(void *arg, size_t first, size_t end)
{
	const struct mul_loop *l = arg;
	const struct call *c = l->c;
	const float *dx = c->in_delta[0], *dy = c->in_delta[1];
	size_t lanes = (size_t)c->lanes;
	struct bcast b = l->plan;

	bcast_range(&b, first, end);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			size_t at_x = b.at[0] + k * b.stride[0], at_y = b.at[1] + k * b.stride[1];

			mul_delta_lanes(c->in[0]->f[at_x], dx ? dx + at_x * lanes : NULL, c->in[1]->f[at_y],
					dy ? dy + at_y * lanes : NULL, c->out_delta[0] + (b.out + k) * lanes, c->lanes);
		}
}

static enum delta_result mul_delta(struct call *c)
{
	struct mul_loop l = {.c = c};

	binary_plan(c, &l.plan);
	parallel_for(l.plan.left, 2 * (double)c->lanes, mul_delta_piece, &l);
	return DELTA_DONE;
}

ARITHMETIC(mul, .delta = mul_delta, .flags = OP_IN_PLACE | OP_MONOMIALS);

/* ---- Div --------------------------------------------------------------------------------------------------------- */

/* Toward zero.  INT64_MIN / -1 would trap: negation in uint64_t wraps back to INT64_MIN. */
static inline int64_t divide(int64_t x, int64_t y)
{
	if (y == 0)
		return 0;
	return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static inline int64_t divide_u64(uint64_t x, uint64_t y)
{
	return y ? (int64_t)(x / y) : 0;
}

BINARY_ROW(div_floats, double, double, x / y)
BINARY_ROW(div_ints, int64_t, int64_t, divide(x, y))
BINARY_ROW(div_u64, int64_t, int64_t, divide_u64((uint64_t)x, (uint64_t)y))
BINARY_GRAD_ROW(div_slopes, 1 / y, -x / (y * y))
static const struct binary div_rows = {.floats = div_floats, .ints = div_ints, .u64 = div_u64};

/* The lowest integer over -1, which its type does not have. */
static int div_overflows(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	int lowest = 0, minus = 0;

	(void)n;
	(void)r;
	if (!in[0] || !in[1] || !dtype_is_int(in[0]->dtype) || dtype_is_unsigned(in[0]->dtype))
		return 0;
	for (size_t i = 0; i < in[0]->count && !lowest; i++)
		lowest = tensor_get(in[0], i) <= dtype_lowest(in[0]->dtype);
	for (size_t i = 0; i < in[1]->count && !minus; i++)
		minus = tensor_get(in[1], i) == -1;
	return lowest && minus;
}

ARITHMETIC(div,
	   .rules = RULES({.broken = domain_has_zero, .port = 1},
			  {.broken = domain_whole_zero, .port = 1, .open = "an integer is divided by 0"},
			  {.broken = div_overflows, .open = "the lowest integer is divided by -1"}),
	   .flags = OP_MONOMIALS | OP_DIVIDES);

/* ---- Mod --------------------------------------------------------------------------------------------------------- */

/* The remainder of truncating division has the sign of x (fmod=1); that of flooring division the sign of y (fmod=0). */
static inline int64_t mod_trunc(int64_t x, int64_t y)
{
	return y == 0 || y == -1 ? 0 : x % y;
}

static inline int64_t mod_floor(int64_t x, int64_t y)
{
	int64_t r = mod_trunc(x, y);

	return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static inline int64_t mod_u64(uint64_t x, uint64_t y)
{
	return y ? (int64_t)(x % y) : 0;
}

/* Mod-28, fmod=0: x - floor(x/y) y; a zero result has the sign of y, and x mod ±inf is x or y by their signs. */
static inline double mod_floor_float(double x, double y)
{
	double r = fmod(x, y);

	if (r == 0)
		return copysign(0, y);
	return (r < 0) != (y < 0) ? r + y : r;
}

BINARY_ROW(mod_fmod_floats, double, double, fmod(x, y))
BINARY_ROW(mod_fmod_ints, int64_t, int64_t, mod_trunc(x, y))
BINARY_ROW(mod_u64_row, int64_t, int64_t, mod_u64((uint64_t)x, (uint64_t)y))
BINARY_ROW(mod_floats, double, double, mod_floor_float(x, y))
BINARY_ROW(mod_ints, int64_t, int64_t, mod_floor(x, y))
BINARY_GRAD_ROW(mod_fmod_slopes, 1, -trunc(x / y))
BINARY_GRAD_ROW(mod_slopes, 1, -floor(x / y))
static const struct binary mod_fmod_rows = {.floats = mod_fmod_floats, .ints = mod_fmod_ints, .u64 = mod_u64_row};
static const struct binary mod_rows = {.floats = mod_floats, .ints = mod_ints, .u64 = mod_u64_row};

static int mod_infer(struct call *c)
{
	int64_t like_c = attr_int(c->node, "fmod");

	if (like_c != 0 && like_c != 1)
		return call_bad(c, "attribute fmod is %lld, wanted 0 or 1", (long long)like_c);
	if (!like_c && c->version < 28 && dtype_is_float(c->in_type[0].dtype))
		return call_bad(c, "fmod=0 is for integers, the inputs are %s", dtype_name(c->in_type[0].dtype));
	return binary_infer(c);
}

static int mod_eval(struct call *c)
{
	return binary_eval(c, attr_int(c->node, "fmod") ? &mod_fmod_rows : &mod_rows);
}

static int mod_grad(struct call *c)
{
	return binary_grad(c, attr_int(c->node, "fmod") ? mod_fmod_slopes : mod_slopes);
}

static const struct op_attr mod_attrs[] = {OP_INT("fmod", 0), {0}};

const struct op op_mod = {
	.samples = SAMPLES({.by = &sampler_remainder, .in = 1, .in_max = 2}),
	.rules = RULES({.broken = domain_has_zero, .port = 1},
		       {.broken = domain_whole_zero, .port = 1, .open = "an integer is divided by 0"}),
	.in = {{"A", T_NUM, 'T', 0}, {"B", T_NUM, 'T', 0}},
	.out = {{"C", T_NUM, 'T', 0}},
	.attrs = mod_attrs,
	.infer = mod_infer,
	.eval = mod_eval,
	.grad = mod_grad,
	.ulps = 1,
};

/* ---- Pow --------------------------------------------------------------------------------------------------------- */

/* x^y modulo 2^64.  Negative exponents: 1/x^|y| truncated, 0 unless x is 1 or -1 (and 0^-1, which ONNX leaves open). */
static int64_t pow_int(int64_t x, int64_t y, int y_is_u64)
{
	uint64_t base = (uint64_t)x, power = 1, n = (uint64_t)y;

	if (y < 0 && !y_is_u64) {
		if (x == 1 || x == -1)
			return y & 1 ? x : 1;
		return 0;
	}
	for (; n; n >>= 1) {
		if (n & 1)
			power *= base;
		base *= base;
	}
	return (int64_t)power;
}

static double wide_double(const struct tensor *t, size_t i)
{
	return dtype_is_float(t->dtype) ? t->f[i] : convert_int_to_double(t->dtype, t->i[i]);
}

/* Base and exponent may differ in type; the result has the base's. */
static int pow_eval(struct call *c)
{
	const struct tensor *x = c->in[0], *y = c->in[1];
	int to_float = dtype_is_float(x->dtype), by_float = dtype_is_float(y->dtype);
	int y_is_u64 = y->dtype == DT_UINT64;
	struct bcast b;

	binary_plan(c, &b);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			size_t i = b.at[0] + k * b.stride[0], j = b.at[1] + k * b.stride[1];

			if (to_float)
				c->out[0]->f[b.out + k] = pow(x->f[i], wide_double(y, j));
			else if (by_float)
				c->out[0]->i[b.out + k] = convert_float_to_int(pow(wide_double(x, i), y->f[j]));
			else
				c->out[0]->i[b.out + k] = pow_int(x->i[i], y->i[j], y_is_u64);
		}
	return 0;
}

/* dz/dx = y x^(y-1), 0 for y = 0; dz/dy = x^y log x, 0 where x^y is flat or not real in y (x <= 0). */
static int pow_grad(struct call *c)
{
	const struct tensor *x = c->in[0], *y = c->in[1];
	double *gx = c->in_grad[0] ? c->in_grad[0]->f : NULL;
	double *gy = c->in_grad[1] && dtype_is_float(y->dtype) ? c->in_grad[1]->f : NULL;
	struct bcast b;

	if (!c->out_grad[0])
		return 0;
	binary_plan(c, &b);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			size_t i = b.at[0] + k * b.stride[0], j = b.at[1] + k * b.stride[1];
			double g = c->out_grad[0]->f[b.out + k], base = wide_double(x, i), p = wide_double(y, j);

			if (gx && g != 0 && p != 0)
				gx[i] += g * p * pow(base, p - 1);
			if (gy && g != 0 && base > 0)
				gy[j] += g * pow(base, p) * log(base);
		}
	return 0;
}

/* Integers to a power that is no integer of their type: 2^-1, -2^0.5, 10^30. */
static int pow_is_open(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *x = in[0], *y = in[1];
	double most = 0, least = 0, power = 0;

	(void)n;
	(void)r;
	if (!x || !y || !dtype_is_int(x->dtype))
		return 0;
	for (size_t i = 0; i < x->count; i++) {
		most = fmax(most, fabs(tensor_get(x, i)));
		least = fmin(least, tensor_get(x, i));
	}
	for (size_t i = 0; i < y->count; i++) {
		double p = tensor_get(y, i);

		if (!(p >= 0) || (least < 0 && p != floor(p)))
			return 1;
		power = fmax(power, p);
	}
	return pow(most, power) > dtype_max(x->dtype);
}

const struct op op_pow = {
	.samples = SAMPLES({.by = &sampler_power, .types = T_F32 | T_INDEX}),
	.rules = RULES({.broken = pow_is_open, .open = "a power of integers is not an integer of their type"}),
	.in = {{"X", T_FLOAT | T_INDEX, 'T', 0}, {"Y", T_NUM, 0, 0}},
	.out = {{"Z", T_FLOAT | T_INDEX, 'T', 0}},
	.attrs = legacy_attrs,
	.infer = binary_infer,
	.eval = pow_eval,
	.grad = pow_grad,
	.ulps = 4,
};
