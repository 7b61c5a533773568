/* overflow.c - sums of RNN, GRU and LSTM that float32 does not hold (see struct op_rule).
 *
 * The reference adds in double, where a gate is open or shut.  A library that adds in float32 meets infinities of both
 * signs, hence NaN, and what its activations make of NaN is its own affair. */
#include "ops/recurrent/recurrent.h"

#include <math.h>

#include "base/mem.h"

/* The largest magnitude of each feature of x, of all steps and rows; NULL: no memory. */
static double *largest_features(const struct tensor *x, size_t features)
{
	double *top = mem_array(features, sizeof *top);

	for (size_t k = 0; top && k < features; k++)
		top[k] = 0;
	for (size_t i = 0; top && i < x->count; i++)
		top[i % features] = fmax(top[i % features], fabs(tensor_get(x, i)));
	return top;
}

int recurrent_overflows(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *x = in[0], *w = in[1];
	size_t features = x && x->rank ? (size_t)x->dims[x->rank - 1] : 0;
	int found = 0;
	double *top;

	(void)n;
	(void)r;
	if (!features || !w || w->rank != 3 || (size_t)w->dims[2] != features)
		return 0;
	top = largest_features(x, features);
	for (size_t row = 0; top && row < w->count && !found; row += features) {
		double sum = 0;

		for (size_t k = 0; k < features; k++)
			sum += fabs(tensor_get(w, row + k)) * top[k];
		found = isfinite(sum) && sum > dtype_max(x->dtype);
	}
	mem_free(top);
	return found;
}
