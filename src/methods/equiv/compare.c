/* compare.c - see compare.h.  Complex numbers are compared part by part, and each part by the size of the number: one
 * rounding of the larger part is what a smaller one may be off by. */
#include "methods/equiv/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"

#define MAX_LEAVES 64 /* tensors of one value that are looked at */

/* The tensors of a value in order: of several outputs, of lists. */
struct flat {
	const struct tensor *at[MAX_LEAVES];
	size_t n;
};

static void flatten(const struct value *v, struct flat *out)
{
	if (v->kind == VALUE_TENSOR && out->n < MAX_LEAVES)
		out->at[out->n++] = v->tensor;
	for (size_t i = 0; v->kind != VALUE_TENSOR && v->kind != VALUE_NONE && i < v->n; i++)
		flatten(v->items[i], out);
}

static struct flat flat_of(const struct value *v)
{
	struct flat f = {{NULL}, 0};

	flatten(v, &f);
	return f;
}

static int is_complex(const struct tensor *t)
{
	return dtype_wide(t->dtype) == WIDE_C64;
}

static int is_number(const struct tensor *t)
{
	enum wide w = dtype_wide(t->dtype);

	return w == WIDE_F64 || w == WIDE_I64 || w == WIDE_C64;
}

static int can_compare(const struct tensor *a, const struct tensor *b)
{
	return is_number(a) && is_number(b) && is_complex(a) == is_complex(b);
}

static int is_unspecified(uint64_t mask, size_t output)
{
	return output < 64 && (mask >> output & 1);
}

int compare_same(const struct value *a, const struct value *b, uint64_t unspecified)
{
	struct flat x = flat_of(a), y = flat_of(b);

	for (size_t i = 0; i < x.n && i < y.n; i++)
		if (!is_unspecified(unspecified, i) && !tensor_same_bits(x.at[i], y.at[i]))
			return 0;
	return x.n == y.n;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static double part(const struct tensor *t, size_t i)
{
	double both[2];

	if (!is_complex(t))
		return tensor_get(t, i);
	if (t->wide)
		return t->f[i];
	dtype_unpack(t->dtype, t->data, i / 2, 1, both);
	return both[i % 2];
}

/* Part i, as a number of the type that both have. */
static double element(const struct tensor *t, size_t i, enum dtype as)
{
	double x = part(t, i);
	int narrow = (as == DT_FLOAT && t->dtype == DT_DOUBLE) || (as == DT_COMPLEX64 && t->dtype == DT_COMPLEX128);

	return narrow ? (double)(float)x : x;
}

/* What an error of part i is measured by: |number|. */
static double size_of(const struct tensor *t, size_t i, enum dtype as)
{
	size_t first = i - i % 2;

	return is_complex(t) ? hypot(element(t, first, as), element(t, first + 1, as)) : fabs(element(t, i, as));
}

/* What does not fit a type becomes one of its ends, or NaN on the way there: nothing to compare with a type that it
 * fits. */
static int outside(double x, const struct tensor *a, double y, const struct tensor *b)
{
	enum dtype t = is_complex(a) ? DT_FLOAT : a->dtype;

	if (a->dtype == b->dtype)
		return 0;
	if (!dtype_is_float(t)) /* where b is a wider whole number, the other has wrapped around */
		return !(y >= dtype_lowest(t) && y <= dtype_max(t));
	return (dtype_is_float(t) && fabs(y) > dtype_max(t)) || (x <= dtype_lowest(t) && y <= dtype_lowest(t)) ||
	       (x >= dtype_max(t) && y >= dtype_max(t));
}

/* Also where a difference cannot be formed: NaN or an infinity on one side alone. */
static int beyond(double x, double y, double size, const struct compare_how *how, const struct equiv_options *o)
{
	if ((isnan(x) && isnan(y)) || x == y || (how->zero_times_inf && isnan(x) != isnan(y)))
		return 0;
	return !(fabs(x - y) <= o->atol + o->rtol * size) || isinf(x) != isinf(y);
}

/* A complex number with a part that is not finite is one infinity, or none at all: which parts it has no library
 * promises, and formulas that mean the same give others. */
static int is_endless(const struct tensor *t, size_t i)
{
	return is_complex(t) && !(isfinite(part(t, i - i % 2)) && isfinite(part(t, i - i % 2 + 1)));
}

/* What a processor and XLA make of a NaN that becomes a whole number, which has no defined result: the smallest of the
 * type, and 0. */
static int is_converted_nan(double x, double y, const struct tensor *a, const struct tensor *b)
{
	return a->dtype == b->dtype && (a->dtype == DT_INT32 || a->dtype == DT_INT64) &&
	       fmin(x, y) <= dtype_lowest(a->dtype) && fmax(x, y) == 0;
}

/* An infinity beside a number at the end of the type: an intermediate result may have overflowed, as exp(x) does in
 * cosh(x) = exp(x) / 2.  Only some libraries document that the end result may then, too (how->overflows); of others it
 * is a wrong value.  The end itself is another answer: some kernels have it where minus infinity belongs. */
static int is_at_end(double x, double y, enum dtype t)
{
	double finite = isinf(x) ? y : x, infinite = isinf(x) ? x : y;

	return isinf(infinite) && isfinite(finite) && fabs(finite) >= dtype_max(t) / 4 &&
	       fabs(finite) < 0.99 * dtype_max(t) && signbit(finite) == signbit(infinite);
}

/* Part i is not within the tolerance, and is one that both sides promise. */
static int differs(const struct tensor *a, const struct tensor *b, size_t i, const struct compare_how *how,
		   const struct equiv_options *o)
{
	double x = element(a, i, a->dtype), y = element(b, i, a->dtype);

	if (how->whole_apart && !dtype_is_float(a->dtype) && dtype_is_float(b->dtype))
		return 0;
	if ((how->converts && is_converted_nan(x, y, a, b)) || (how->derived && !isfinite(x) && !isfinite(y)))
		return 0;
	if (how->overflows && dtype_is_float(a->dtype) && a->dtype == b->dtype && is_at_end(x, y, a->dtype))
		return 0;
	return beyond(x, y, size_of(b, i, a->dtype), how, o) && !outside(x, a, y, b) &&
	       !(is_endless(a, i) && is_endless(b, i));
}

static int tensor_fits(const struct tensor *narrow, const struct tensor *wide)
{
	enum dtype t = narrow->dtype;

	if (dtype_wide(t) != WIDE_I64 || is_complex(wide) || !is_number(wide))
		return 1;
	for (size_t i = 0; i < wide->count; i++) {
		double x = tensor_get(wide, i);

		if (x < dtype_lowest(t) || x > dtype_max(t))
			return 0;
	}
	return 1;
}

int compare_fits(const struct value *narrow, const struct value *wide)
{
	struct flat x = flat_of(narrow), y = flat_of(wide);

	for (size_t i = 0; i < x.n && i < y.n; i++)
		if (!tensor_fits(x.at[i], y.at[i]))
			return 0;
	return 1;
}

/* ---- tolerance --------------------------------------------------------------------------------------------------- */

static int tensors_differ(const struct tensor *a, const struct tensor *b, const struct compare_how *how,
			  const struct equiv_options *o, char *detail, size_t size)
{
	char left[128], right[128];

	if (!tensor_same_shape(a, b)) {
		snprintf(detail, size, "side a is %s, side b %s", tensor_describe(a, left, sizeof left),
			 tensor_describe(b, right, sizeof right));
		return 1;
	}
	for (size_t i = 0; i < tensor_parts(a); i++) {
		double x = element(a, i, a->dtype), y = element(b, i, a->dtype);

		if (!differs(a, b, i, how, o))
			continue;
		snprintf(detail, size, "element %zu of %s: side a %.*g, side b %.*g", is_complex(a) ? i / 2 : i,
			 tensor_describe(a, left, sizeof left), digits_of_pair(x, y), x, digits_of_pair(x, y), y);
		return 1;
	}
	return 0;
}

static int is_compared(const struct flat *x, const struct flat *y, size_t i, const struct compare_how *how)
{
	return can_compare(x->at[i], y->at[i]) && !(how->same_type && x->at[i]->dtype != y->at[i]->dtype) &&
	       !is_unspecified(how->unspecified, i);
}

enum compare_result compare_close(const struct value *a, const struct value *b, const struct compare_how *how,
				  const struct equiv_options *o, char *detail, size_t size)
{
	struct flat x = flat_of(a), y = flat_of(b);
	int compared = 0;

	if (x.n != y.n) {
		snprintf(detail, size, "side a gives %zu tensors, side b %zu", x.n, y.n);
		return COMPARE_BEYOND;
	}
	for (size_t i = 0; i < x.n; i++) {
		if (!is_compared(&x, &y, i, how))
			continue;
		compared = 1;
		if (tensors_differ(x.at[i], y.at[i], how, o, detail, size)) {
			size_t used = strlen(detail);

			if (x.n > 1)
				snprintf(detail + used, size - used, " (output %zu)", i);
			return COMPARE_BEYOND;
		}
	}
	return compared ? COMPARE_CLOSE : COMPARE_NOTHING;
}

static int is_end(double x, double y, int nan)
{
	return nan ? !isfinite(x) || !isfinite(y) : (isinf(x) && isfinite(y)) || (isinf(y) && isfinite(x));
}

/* *n: parts that differ. */
static int tensors_end(const struct tensor *a, const struct tensor *b, const struct compare_how *how,
		       const struct equiv_options *o, int nan, size_t *n)
{
	if (!tensor_same_shape(a, b))
		return 0;
	for (size_t i = 0; i < tensor_parts(a); i++) {
		if (!differs(a, b, i, how, o))
			continue;
		++*n;
		if (!is_end(element(a, i, a->dtype), element(b, i, a->dtype), nan))
			return 0;
	}
	return 1;
}

int compare_ends(const struct value *a, const struct value *b, const struct compare_how *how,
		 const struct equiv_options *o, int nan)
{
	struct flat x = flat_of(a), y = flat_of(b);
	size_t n = 0;

	for (size_t i = 0; i < x.n && i < y.n; i++)
		if (is_compared(&x, &y, i, how) && !tensors_end(x.at[i], y.at[i], how, o, nan, &n))
			return 0;
	return x.n == y.n && n > 0;
}

/* *n: parts that differ. */
static int both_off(const struct tensor *a, const struct tensor *b, const struct tensor *right,
		    const struct compare_how *how, const struct equiv_options *o, size_t *n)
{
	if (!tensor_same_shape(a, b) || !tensor_same_shape(a, right) || !can_compare(a, right))
		return 0;
	for (size_t i = 0; i < tensor_parts(a); i++) {
		double is = element(right, i, a->dtype), size = size_of(right, i, a->dtype);

		if (!differs(a, b, i, how, o))
			continue;
		++*n;
		if (!beyond(element(a, i, a->dtype), is, size, how, o) ||
		    !beyond(element(b, i, a->dtype), is, size, how, o))
			return 0;
	}
	return 1;
}

int compare_neither(const struct value *a, const struct value *b, const struct value *right,
		    const struct compare_how *how, const struct equiv_options *o)
{
	struct flat x = flat_of(a), y = flat_of(b), z = flat_of(right);
	size_t n = 0;

	for (size_t i = 0; i < x.n && i < y.n && i < z.n; i++)
		if (is_compared(&x, &y, i, how) && !both_off(x.at[i], y.at[i], z.at[i], how, o, &n))
			return 0;
	return x.n == y.n && x.n == z.n && n > 0;
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

/* NaN, an infinity of either sign, or a number: 0 for all of these. */
static int kind_of(double x)
{
	return isnan(x) ? 2 : isinf(x) ? (x > 0 ? 1 : -1) : 0;
}

/* How far part i of tensor k moves in the runs; INFINITY when it becomes or stops being a number, or NaN becomes an
 * infinity: log of a negative subnormal number is one or the other, as that is taken for 0 or not. */
static double movement(const struct tensor *at_rest, size_t k, struct value *const *runs, size_t n, size_t i,
		       enum dtype as)
{
	double x = element(at_rest, i, as), top = 0;

	for (size_t r = 0; r < n; r++) {
		struct flat f;
		double y;

		if (!runs[r])
			continue;
		f = flat_of(runs[r]);
		if (k >= f.n || !can_compare(f.at[k], at_rest) || !tensor_same_shape(f.at[k], at_rest))
			return (double)INFINITY;
		y = element(f.at[k], i, as);
		if (kind_of(x) != kind_of(y))
			return (double)INFINITY;
		if (isfinite(x))
			top = fmax(top, fabs(x - y));
	}
	return top;
}

static double tensors_ratio(const struct tensor *a, const struct tensor *b, size_t k, const struct compare_how *how,
			    const struct compare_noise *noise, const struct equiv_options *o)
{
	enum dtype as = a->dtype;
	double worst = 0, u = fmax(dtype_roundoff(dtype_part(as)), dtype_roundoff(dtype_part(b->dtype)));

	u = fmax(u, how->roundoff);
	if (!tensor_same_shape(a, b))
		return (double)INFINITY;
	for (size_t i = 0; i < tensor_parts(a); i++) {
		double x = element(a, i, as), y = element(b, i, as), unit;

		if (!differs(a, b, i, how, o))
			continue;
		unit = fmax(movement(a, k, noise->a, noise->n, i, as), movement(b, k, noise->b, noise->n, i, as));
		if (isinf(unit))
			continue; /* unstable: one rounding of an input decides */
		if (!isfinite(x) || !isfinite(y))
			return (double)INFINITY;
		unit = fmax(unit, u * size_of(b, i, as));
		worst = fmax(worst, fabs(x - y) / fmax(unit * fmax(how->steps, 1), 1e-300));
	}
	return worst;
}

double compare_ratio(const struct value *a, const struct value *b, const struct compare_how *how,
		     const struct compare_noise *noise, const struct equiv_options *o)
{
	struct flat x = flat_of(a), y = flat_of(b);
	double worst = 0;

	if (x.n != y.n)
		return (double)INFINITY;
	for (size_t i = 0; i < x.n; i++)
		if (is_compared(&x, &y, i, how))
			worst = fmax(worst, tensors_ratio(x.at[i], y.at[i], i, how, noise, o));
	return worst;
}
