/* values.c - see values.h. */
#include "ops/sample/values.h"

#include <math.h>

#define TRIES 6 /* draws, before one of the range's own ends is taken */

const struct value_range values_all = {(double)-INFINITY, (double)INFINITY, 1, 1, 1};

/* ---- floats ------------------------------------------------------------------------------------------------------ */

/* Beside the edges, not on them: next to an edge the last place of an approximation decides on which side it is. */
static const double edges[] = {
	/* steps of rounding, and where 1 + x is 1 */
	0.5, 0.49999997, 1, 1.0000001, 0.99999994, 1.5, 2.5, 1e-4, 3e-8, 1e-8, 1e-17,
	/* erf, tanh, sigmoid and softplus go flat */
	3.8, 4.1, 5.8, 6.1, 8.9, 9.2, 12, 15, 16.5, 17.5, 18.5, 19.9, 20.1, 36.5, 37.5,
	/* exp, sinh and cosh: of float32, and of float64 */
	43, 45, 87, 87.5, 88.3, 88.7, 88.73, 89.3, 89.5, 103, 104.5, 708, 709.7, 709.9, 710.4, 710.6, 744, 746,
	/* squares and roots of the ends of float32, and the ends of float16 */
	1.8e19, 1.9e19, 1e-19, 1e-23, 65504, 65536, 6e-5, 5e-8,
	/* integers that a float may hold or not */
	8388607.5, 8388609, 16777215, 16777216, 16777217, 2147483520, 2147483648.0, 4294967296.0, 9007199254740991.0,
	9007199254740993.0, 9223372036854775808.0};

static double end_of(enum dtype t, struct rng *r)
{
	double smallest = dtype_smallest(t), u = dtype_roundoff(t);
	const double ends[] = {
		0, 0, smallest, smallest / 4, 2 * u * smallest, smallest * (1 - 2 * u), dtype_max(t), dtype_max(t) / 2};

	return ends[rng_below(r, sizeof ends / sizeof *ends)];
}

static double any_magnitude(enum dtype t, struct rng *r)
{
	return exp(rng_uniform(r, log(dtype_smallest(t)) - 10, log(dtype_max(t))));
}

double values_float(enum dtype t, struct rng *r)
{
	static const double specials[] = {(double)NAN, (double)INFINITY, (double)-INFINITY};
	uint64_t kind = rng_below(r, 20);
	double x = kind < 4    ? rng_uniform(r, -4, 4)
		   : kind < 6  ? (double)rng_between(r, -4, 4)
		   : kind < 10 ? end_of(t, r)
		   : kind < 13 ? any_magnitude(t, r)
		   : kind < 18 ? edges[rng_below(r, sizeof edges / sizeof *edges)]
			       : specials[rng_below(r, 3)];

	x = rng_below(r, 2) ? -x : x;
	return isfinite(x) ? dtype_round(t, x, 1) : x;
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

static uint64_t lowest_of(enum dtype t)
{
	return dtype_is_unsigned(t) ? 0 : UINT64_MAX << (dtype_bits(t) - 1);
}

static uint64_t largest_of(enum dtype t)
{
	return UINT64_MAX >> (64 - dtype_bits(t) + !dtype_is_unsigned(t));
}

/* ±2^k, or a number next to it. */
static uint64_t near_power(enum dtype t, struct rng *r)
{
	static const unsigned char known[] = {7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 62, 63};
	unsigned bits = (unsigned)dtype_bits(t);
	unsigned k = known[rng_below(r, sizeof known)];
	uint64_t x;

	k = k < bits && rng_below(r, 2) ? k : (unsigned)rng_below(r, bits);
	x = (UINT64_C(1) << k) + rng_below(r, 3) - 1;
	return rng_below(r, 2) ? x : 0 - x;
}

int64_t values_int(enum dtype t, struct rng *r)
{
	uint64_t kind = rng_below(r, 10), near = rng_below(r, 2), x;

	if (kind < 4)
		x = (uint64_t)rng_between(r, dtype_is_unsigned(t) ? 0 : -4, 4);
	else if (kind < 7)
		x = rng_below(r, 2) ? lowest_of(t) + near : largest_of(t) - near;
	else
		x = near_power(t, r);
	return dtype_wrap(t, (int64_t)x);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static double number_of(enum dtype t, int64_t x)
{
	return t == DT_UINT64 ? (double)(uint64_t)x : (double)x;
}

static int is_within(const struct value_range *range, double x)
{
	if (isnan(x))
		return range->nan;
	return (x >= range->lo && x <= range->hi) || (isinf(x) && (x > 0 ? range->above : range->below));
}

double values_within(const struct value_range *range, double x)
{
	return is_within(range, x) ? x : fmin(fmax(isnan(x) ? 0 : x, range->lo), range->hi);
}

/* An end of the range that is a number of the type, or 0. */
static double own_end(enum dtype t, const struct value_range *range, struct rng *r)
{
	double lo = fmax(range->lo, dtype_lowest(t)), hi = fmin(range->hi, dtype_max(t));

	if (dtype_is_float(t))
		return dtype_round(t,
				   rng_below(r, 2)   ? rng_uniform(r, lo / 2, hi / 2) * 2
				   : rng_below(r, 2) ? lo
						     : hi,
				   1);
	lo = ceil(lo);
	hi = floor(hi);
	return rng_below(r, 2) ? lo : hi;
}

/* The ends themselves are told by lowest_of() and largest_of(): double has not all of them. */
static int64_t own_int(enum dtype t, const struct value_range *range, struct rng *r)
{
	double x = own_end(t, range, r);

	if (x >= number_of(t, (int64_t)largest_of(t)))
		return (int64_t)largest_of(t);
	if (x <= dtype_lowest(t))
		return (int64_t)lowest_of(t);
	return t == DT_UINT64 ? (int64_t)(uint64_t)x : (int64_t)x;
}

void values_put(struct tensor *t, size_t i, const struct value_range *range, struct rng *r)
{
	if (t->dtype == DT_BOOL) {
		t->i[i] = (int64_t)rng_below(r, 2);
		return;
	}
	for (int k = 0; k < TRIES; k++) {
		if (dtype_is_float(t->dtype)) {
			t->f[i] = values_float(t->dtype, r);
			if (is_within(range, t->f[i]))
				return;
		} else {
			t->i[i] = values_int(t->dtype, r);
			if (is_within(range, number_of(t->dtype, t->i[i])))
				return;
		}
	}
	if (dtype_is_float(t->dtype))
		t->f[i] = own_end(t->dtype, range, r);
	else
		t->i[i] = own_int(t->dtype, range, r);
}

enum end { LOWEST, LARGEST, MINUS_ONE, ZERO, ONE, LAST_BIT, WIDTH };

static int64_t int_end(enum dtype t, enum end which)
{
	const uint64_t numbers[] = {lowest_of(t), largest_of(t), UINT64_MAX, 0, 1, dtype_bits(t) - 1u, dtype_bits(t)};

	return dtype_wrap(t, (int64_t)numbers[which]);
}

void values_put_pair(struct tensor *t, size_t i, const struct value_range *range, unsigned pair, size_t operand)
{
	static const enum end pairs[VALUES_PAIRS][2] = {
		{LOWEST, MINUS_ONE}, {LOWEST, LOWEST}, {LARGEST, LARGEST}, {LARGEST, MINUS_ONE},
		{LARGEST, LAST_BIT}, {ONE, LAST_BIT},  {ZERO, ZERO},       {LARGEST, WIDTH},
	};
	int64_t x;

	if (!dtype_is_int(t->dtype))
		return;
	x = int_end(t->dtype, pairs[pair % VALUES_PAIRS][operand % 2]);
	if (is_within(range, number_of(t->dtype, x)))
		t->i[i] = x;
}
