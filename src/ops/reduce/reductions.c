/* reductions.c - the Reduce* operators: what each does to a line x of n elements.
 *
 * An empty line gives the identity of the reduction, as the newest text of the specification says: 0 for sums, 1 for
 * products, -inf and +inf (integers: the least and greatest value) for Max and Min, log(0) = -inf for LogSum and
 * LogSumExp; the mean of nothing is undefined (NaN here, 0 for integers).
 *
 * Rounding: a sum moves by Σ|terms| * noise_growth(n), or as a sum from left to right does, whichever is more (see
 * sum_noise()); a product of n factors always has n - 1 roundings, each of them
 * relative, which add up like a random walk. */
#include <float.h>
#include <math.h>

#include "ops/kit/domain.h"
#include "ops/noise/drift.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/samplers.h"

/* ---- sums: Σ term(x_i) ------------------------------------------------------------------------------------------- */

static double sum_real(const double *x, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += x[i];
	return s;
}

static double l1_real(const double *x, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += fabs(x[i]);
	return s;
}

static double sum_square_real(const double *x, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += x[i] * x[i];
	return s;
}

static double mean_rest(double sum, size_t n)
{
	return sum / (double)n;
}

static double l2_rest(double sum, size_t n)
{
	(void)n;
	return sqrt(sum);
}

static double log_sum_rest(double sum, size_t n)
{
	(void)n;
	return log(sum);
}

static double mean_real(const double *x, size_t n)
{
	return mean_rest(sum_real(x, n), n);
}

static double l2_real(const double *x, size_t n)
{
	return l2_rest(sum_square_real(x, n), n);
}

static double log_sum_real(const double *x, size_t n)
{
	return log_sum_rest(sum_real(x, n), n);
}

/* log Σ exp(x_i) = m + log Σ exp(x_i - m), m the maximum, so that nothing overflows. */
static double log_sum_exp_real(const double *x, size_t n)
{
	double m, s = 0;

	if (!n)
		return -INFINITY;
	m = x[extremum_real(x, n, 1, 0)];
	if (isinf(m))
		return m;
	for (size_t i = 0; i < n; i++)
		s += exp(x[i] - m);
	return m + log(s);
}

/* Integer sums wrap: the arithmetic is modulo 2^64, so signedness does not matter but for |x| and division. */
static int64_t sum_integer(const int64_t *x, size_t n, enum dtype t)
{
	uint64_t s = 0;

	(void)t;
	for (size_t i = 0; i < n; i++)
		s += (uint64_t)x[i];
	return (int64_t)s;
}

static int64_t l1_integer(const int64_t *x, size_t n, enum dtype t)
{
	uint64_t s = 0;

	for (size_t i = 0; i < n; i++)
		s += x[i] < 0 && t != DT_UINT64 ? -(uint64_t)x[i] : (uint64_t)x[i];
	return (int64_t)s;
}

static int64_t sum_square_integer(const int64_t *x, size_t n, enum dtype t)
{
	uint64_t s = 0;

	(void)t;
	for (size_t i = 0; i < n; i++)
		s += (uint64_t)x[i] * (uint64_t)x[i];
	return (int64_t)s;
}

static int64_t mean_integer(const int64_t *x, size_t n, enum dtype t)
{
	int64_t s = sum_integer(x, n, t);

	if (!n)
		return 0;
	return t == DT_UINT64 ? (int64_t)((uint64_t)s / n) : s / (int64_t)n;
}

static void sum_grad(const double *x, size_t n, double g, double *dx)
{
	(void)x;
	for (size_t i = 0; i < n; i++)
		dx[i] = g;
}

static void mean_grad(const double *x, size_t n, double g, double *dx)
{
	sum_grad(x, n, g / (double)n, dx);
}

/* d|x| = sign x, 0 at 0. */
static void l1_grad(const double *x, size_t n, double g, double *dx)
{
	for (size_t i = 0; i < n; i++)
		dx[i] = g * ((x[i] > 0) - (x[i] < 0));
}

static void sum_square_grad(const double *x, size_t n, double g, double *dx)
{
	for (size_t i = 0; i < n; i++)
		dx[i] = g * 2 * x[i];
}

/* d‖x‖ = x / ‖x‖; at the origin, where there is none, 0. */
static void l2_grad(const double *x, size_t n, double g, double *dx)
{
	double y = l2_real(x, n);

	for (size_t i = 0; i < n; i++)
		dx[i] = y > 0 ? g * x[i] / y : 0;
}

static void log_sum_grad(const double *x, size_t n, double g, double *dx)
{
	sum_grad(x, n, g / sum_real(x, n), dx);
}

static void log_sum_exp_grad(const double *x, size_t n, double g, double *dx)
{
	double y = log_sum_exp_real(x, n);

	for (size_t i = 0; i < n; i++)
		dx[i] = g * exp(x[i] - y);
}

/* Noise of Σ term(x_i).  Some libraries do add long lines from left to right, where every partial sum is rounded: the
 * errors are independent, each uniform within half a unit of its partial sum, so they add up in squares.  Where terms
 * have one sign that grows with sqrt(n) and passes the growth of blocked sums at a few hundred terms. */
static double sum_noise(const double *x, size_t n, double (*term)(double x))
{
	double size = 0, partial = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		size += fabs(term(x[i]));
		partial += term(x[i]);
		squares += partial * partial;
	}
	return fmax(size * drift_growth_of(x, n), sqrt(squares / 3));
}

static double itself(double x)
{
	return x;
}

static double square(double x)
{
	return x * x;
}

static double sum_scale(const double *x, size_t n)
{
	return sum_noise(x, n, itself);
}

static double l1_scale(const double *x, size_t n)
{
	return sum_noise(x, n, fabs);
}

static double mean_scale(const double *x, size_t n)
{
	return n ? sum_scale(x, n) / (double)n + fabs(mean_real(x, n)) : 0;
}

static double sum_square_scale(const double *x, size_t n)
{
	return sum_noise(x, n, square) + sum_square_real(x, n);
}

/* The root halves the relative error of the sum of squares and adds one rounding. */
static double l2_scale(const double *x, size_t n)
{
	double y = l2_real(x, n),
	       vanished = y * y < (double)FLT_MIN ? y * 0x1p24 : 0; /* squares that float32 has not */

	return y > 0 ? y + sum_square_scale(x, n) / (2 * y) + vanished : 0;
}

/* d log s = ds / s */
static double log_sum_scale(const double *x, size_t n)
{
	double s = sum_real(x, n);

	return s > 0 ? 2 * fabs(log(s)) + sum_scale(x, n) / s : 0;
}

/* Rounding of m, of each x_i - m (weighted by its share p_i of the sum), of the sum and of the logarithm. */
static double log_sum_exp_scale(const double *x, size_t n)
{
	double y = log_sum_exp_real(x, n), m, moved = 0;

	if (!isfinite(y))
		return 0;
	m = x[extremum_real(x, n, 1, 0)];
	for (size_t i = 0; i < n; i++)
		if (isfinite(x[i]))
			moved += exp(x[i] - y) * (m - x[i]);
	return fabs(y) + 2 * (y - m) + moved + 2 + noise_growth((double)n);
}

/* ---- product ----------------------------------------------------------------------------------------------------- */

static double prod_real(const double *x, size_t n)
{
	double p = 1;

	for (size_t i = 0; i < n; i++)
		p *= x[i];
	return p;
}

/* Libraries multiply in an order of their own.  None comes closer to the ends of the range than this: the product of
 * all numbers below 1, which may be 0 then, times that of the others, which may be an infinity. */
static double prod_held(const struct call *c, const double *x, size_t n)
{
	enum dtype t = c->out_type[0].dtype;
	double small = 1, large = 1;

	for (size_t i = 0; i < n; i++)
		*(fabs(x[i]) < 1 ? &small : &large) *= x[i];
	return call_held(c, t, small) * (c->range == OP_RANGE_LOST ? call_held(c, t, large) : large);
}

static int64_t prod_integer(const int64_t *x, size_t n, enum dtype t)
{
	uint64_t p = 1;

	(void)t;
	for (size_t i = 0; i < n; i++)
		p *= (uint64_t)x[i];
	return (int64_t)p;
}

/* ∂y/∂x_i is the product of the others: products from the left times products from the right, right also at zeros. */
static void prod_grad(const double *x, size_t n, double g, double *dx)
{
	double left = g, right = 1;

	for (size_t i = 0; i < n; i++) {
		dx[i] = left;
		left *= x[i];
	}
	for (size_t i = n; i-- > 0;) {
		dx[i] *= right;
		right *= x[i];
	}
}

static double prod_scale(const double *x, size_t n)
{
	return fabs(prod_real(x, n)) * sqrt((double)n);
}

/* ---- maximum and minimum ----------------------------------------------------------------------------------------- */

static double max_real(const double *x, size_t n)
{
	return n ? x[extremum_real(x, n, 1, 0)] : -INFINITY;
}

static double min_real(const double *x, size_t n)
{
	return n ? x[extremum_real(x, n, -1, 0)] : INFINITY;
}

/* Greatest (sign 1) or least value of an integer type, uint64 as its bit pattern. */
static int64_t int_limit(enum dtype t, int sign)
{
	int bits = t == DT_BOOL ? 1 : (int)dtype_bits(t);
	uint64_t ones = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

	if (dtype_is_unsigned(t))
		return sign > 0 ? (int64_t)ones : 0;
	return sign > 0 ? (int64_t)(ones >> 1) : -(int64_t)(ones >> 1) - 1;
}

static int64_t max_integer(const int64_t *x, size_t n, enum dtype t)
{
	return n ? x[extremum_int(x, n, t, 1, 0)] : int_limit(t, -1);
}

static int64_t min_integer(const int64_t *x, size_t n, enum dtype t)
{
	return n ? x[extremum_int(x, n, t, -1, 0)] : int_limit(t, 1);
}

/* The whole gradient goes to the first extremum: one of the subgradients where several elements are equal. */
static void extremum_grad(const double *x, size_t n, double g, double *dx, int sign)
{
	for (size_t i = 0; i < n; i++)
		dx[i] = 0;
	if (n)
		dx[extremum_real(x, n, sign, 0)] = g;
}

static void max_grad(const double *x, size_t n, double g, double *dx)
{
	extremum_grad(x, n, g, dx, 1);
}

static void min_grad(const double *x, size_t n, double g, double *dx)
{
	extremum_grad(x, n, g, dx, -1);
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static const struct op_attr reduce_attrs[] = {
	OP_ATTR("axes", ATTR_INTS),
	OP_INT("keepdims", 1),
	OP_INT("noop_with_empty_axes", 0),
	{0},
};

/* An operator over the reduction in braces. */
#define REDUCE(id, data_types, rules_, flags_, ...)                                      \
	static const struct reduce_line id##_kernels = __VA_ARGS__;                      \
	static int id##_infer(struct call *c)                                            \
	{                                                                                \
		return reduce_infer(c, &id##_kernels);                                   \
	}                                                                                \
	static int id##_eval(struct call *c)                                             \
	{                                                                                \
		return reduce_eval(c, &id##_kernels);                                    \
	}                                                                                \
	static int id##_backward(struct call *c)                                         \
	{                                                                                \
		return reduce_grad(c, &id##_kernels);                                    \
	}                                                                                \
	static int id##_rounding(struct call *c, int out, double *s)                     \
	{                                                                                \
		(void)out;                                                               \
		return reduce_scale(c, &id##_kernels, s);                                \
	}                                                                                \
	const struct op op_##id = {                                                      \
		.samples = id##_samples,                                                 \
		.rules = rules_,                                                         \
		.flags = flags_,                                                         \
		.in = {{"data", data_types, 'T', 0}, {"axes", T_I64, 0, PORT_OPTIONAL}}, \
		.out = {{"reduced", data_types, 'T', 0}},                                \
		.attrs = reduce_attrs,                                                   \
		.infer = id##_infer,                                                     \
		.eval = id##_eval,                                                       \
		.grad = id##_backward,                                                   \
		.scale = id##_rounding,                                                  \
	}

#define T_REDUCE (T_FLOAT | TM(DT_UINT32) | TM(DT_UINT64) | TM(DT_INT32) | TM(DT_INT64))
#define T_ORDERED (T_REDUCE | TM(DT_UINT8) | TM(DT_INT8) | T_BOOL)

static const struct op_rule ordered_rules[] = {DOMAIN_NAN, {.broken = NULL}};
static const struct op_rule mean_rules[] = {
	{.broken = domain_reduces_nothing, .open = "the mean of no numbers is taken"},
	{.broken = NULL},
};
static const struct op_rule log_rules[] = {
	{.broken = domain_reduces_nothing, .port = 1, .open = "the logarithm of no integers is taken"},
	{.broken = NULL},
};

/* What the fuzzer gives them, and how large the result is then. */
/* clang-format off */
SAMPLE_OF(reduce_sum,         .by = &sampler_reduce_sum);
SAMPLE_OF(reduce_mean,        .by = &sampler_reduce, .types = T_F32);
SAMPLE_OF(reduce_prod,        .by = &sampler_reduce, .low = -1, .high = 1, .bound = 1);
SAMPLE_OF(reduce_max,         .by = &sampler_extremum, .ordered = 1);
SAMPLE_OF(reduce_min,         .by = &sampler_extremum, .ordered = 1);
SAMPLE_OF(reduce_l1,          .by = &sampler_reduce_sum);
SAMPLE_OF(reduce_l2,          .by = &sampler_reduce, .types = T_F32);
SAMPLE_OF(reduce_sum_square,  .by = &sampler_reduce);
SAMPLE_OF(reduce_log_sum,     .by = &sampler_reduce, .types = T_F32, .low = 0.125, .high = 1000, .bound = 30);
SAMPLE_OF(reduce_log_sum_exp, .by = &sampler_reduce, .types = T_F32, .low = -20, .high = 20, .far = 1000, .bound = 30);
/* clang-format on */

REDUCE(reduce_sum, T_REDUCE, NULL, 0, {13, sum_real, sum_integer, sum_grad, .scale = sum_scale});
REDUCE(reduce_mean, T_REDUCE, mean_rules, 0,
       {18, mean_real, mean_integer, mean_grad, .scale = mean_scale, .sum = sum_real, .rest = mean_rest});
REDUCE(reduce_prod, T_REDUCE, NULL, OP_MULTIPLIES,
       {18, prod_real, prod_integer, prod_grad, .scale = prod_scale, .held = prod_held});
REDUCE(reduce_max, T_ORDERED, ordered_rules, OP_PICKS, {18, max_real, max_integer, max_grad, .scale = NULL});
REDUCE(reduce_min, T_ORDERED, ordered_rules, OP_PICKS, {18, min_real, min_integer, min_grad, .scale = NULL});
REDUCE(reduce_l1, T_REDUCE, NULL, 0, {18, l1_real, l1_integer, l1_grad, .scale = l1_scale});
REDUCE(reduce_l2, T_REDUCE, NULL, 0,
       {18, l2_real, NULL, l2_grad, .scale = l2_scale, .sum = sum_square_real, .rest = l2_rest});
REDUCE(reduce_sum_square, T_REDUCE, NULL, 0,
       {18, sum_square_real, sum_square_integer, sum_square_grad, .scale = sum_square_scale});
REDUCE(reduce_log_sum, T_REDUCE, log_rules, 0,
       {18, log_sum_real, NULL, log_sum_grad, .scale = log_sum_scale, .sum = sum_real, .rest = log_sum_rest});
REDUCE(reduce_log_sum_exp, T_REDUCE, log_rules, 0,
       {18, log_sum_exp_real, NULL, log_sum_exp_grad, .scale = log_sum_exp_scale});
