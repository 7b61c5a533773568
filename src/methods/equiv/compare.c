/* compare.c - see compare.h. */
#include "methods/equiv/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int is_number(const struct value *v)
{
	enum wide w = v->kind == VALUE_TENSOR ? dtype_wide(v->tensor->dtype) : WIDE_NONE;

	return w == WIDE_F64 || w == WIDE_I64;
}

int compare_same(const struct value *a, const struct value *b)
{
	size_t bytes;

	if (a->kind != VALUE_TENSOR || b->kind != VALUE_TENSOR)
		return a->kind == b->kind && a->n == b->n;
	if (a->tensor->dtype != b->tensor->dtype || !tensor_same_shape(a->tensor, b->tensor))
		return 0;
	bytes = (a->tensor->count * dtype_bits(a->tensor->dtype) + 7) / 8;
	return !bytes || !memcmp(a->tensor->data, b->tensor->data, bytes);
}

/* Element i, as a number of the type that both have. */
static double element(const struct tensor *t, size_t i, enum dtype as)
{
	double x = tensor_get(t, i);

	if (as == DT_FLOAT && t->dtype == DT_DOUBLE)
		return (double)(float)x;
	return x;
}

/* Also where a difference cannot be formed: NaN or an infinity on one side alone. */
static int beyond(double x, double y, const struct equiv_options *o)
{
	if ((isnan(x) && isnan(y)) || x == y)
		return 0;
	return !(fabs(x - y) <= o->atol + o->rtol * fabs(y)) || isinf(x) != isinf(y);
}

int compare_close(const struct value *a, const struct value *b, const struct equiv_options *o, char *detail,
		  size_t size)
{
	char left[128], right[128];

	if (!is_number(a) || !is_number(b))
		return -1;
	if (!tensor_same_shape(a->tensor, b->tensor)) {
		snprintf(detail, size, "side a is %s, side b %s", tensor_describe(a->tensor, left, sizeof left),
			 tensor_describe(b->tensor, right, sizeof right));
		return 1;
	}
	for (size_t i = 0; i < a->tensor->count; i++) {
		double x = element(a->tensor, i, a->tensor->dtype), y = element(b->tensor, i, a->tensor->dtype);

		if (beyond(x, y, o)) {
			snprintf(detail, size, "element %zu of %s: side a %.9g, side b %.9g", i,
				 tensor_describe(a->tensor, left, sizeof left), x, y);
			return 1;
		}
	}
	return 0;
}

/* How far element i moves in the runs; INFINITY when it becomes or stops being a number. */
static double movement(const struct value *at_rest, struct value *const *runs, size_t n, size_t i, enum dtype as)
{
	double x = element(at_rest->tensor, i, as), top = 0;

	for (size_t k = 0; k < n; k++) {
		double y;

		if (!runs[k])
			continue;
		if (!is_number(runs[k]) || !tensor_same_shape(runs[k]->tensor, at_rest->tensor))
			return (double)INFINITY;
		y = element(runs[k]->tensor, i, as);
		if (isfinite(x) != isfinite(y))
			return (double)INFINITY;
		if (isfinite(x))
			top = fmax(top, fabs(x - y));
	}
	return top;
}

double compare_ratio(const struct value *a, const struct value *b, const struct compare_noise *noise,
		     const struct equiv_options *o)
{
	enum dtype as = a->tensor->dtype;
	double worst = 0, u = fmax(dtype_roundoff(as), dtype_roundoff(b->tensor->dtype));

	if (!tensor_same_shape(a->tensor, b->tensor))
		return (double)INFINITY;
	for (size_t i = 0; i < a->tensor->count; i++) {
		double x = element(a->tensor, i, as), y = element(b->tensor, i, as), unit;

		if (!beyond(x, y, o))
			continue;
		unit = fmax(movement(a, noise->a, noise->n, i, as), movement(b, noise->b, noise->n, i, as));
		if (isinf(unit))
			continue; /* unstable: one rounding of an input decides */
		if (!isfinite(x) || !isfinite(y))
			return (double)INFINITY;
		worst = fmax(worst, fabs(x - y) / fmax(fmax(unit, u * fabs(y)), 1e-300));
	}
	return worst;
}
