/* interp.c - see interp.h. */
#include "ops/kit/interp.h"

#include <math.h>

void interp_begin(struct interp *t)
{
	t->axes = 0;
	t->n = 1;
	t->at[0] = 0;
	t->w[0] = 1;
}

void interp_add(struct interp *t, int64_t size, const struct interp_axis *a)
{
	int axis = t->axes++;

	/* from the back, so that no tap is overwritten before it is read */
	for (size_t i = t->n * (size_t)a->n; i-- > 0;) {
		size_t from = i / (size_t)a->n, k = i % (size_t)a->n;

		for (int b = 0; b < axis; b++)
			t->dw[b][i] = t->dw[b][from] * a->w[k];
		t->dw[axis][i] = t->w[from] * a->dw[k];
		t->at[i] = t->at[from] * (size_t)size + (size_t)a->at[k];
		t->w[i] = t->w[from] * a->w[k];
	}
	t->n *= (size_t)a->n;
}

void interp_linear(struct interp *t, int axes, const int64_t *size, const double *coord)
{
	interp_begin(t);
	for (int a = 0; a < axes; a++) {
		struct interp_axis axis = {0};
		double low = floor(coord[a]);

		for (int up = 0; up < 2 && low >= -1 && low < (double)size[a]; up++) {
			int64_t at = (int64_t)low + up;

			if (at < 0 || at >= size[a])
				continue;
			axis.at[axis.n] = at;
			axis.w[axis.n] = up ? coord[a] - low : 1 - (coord[a] - low);
			axis.dw[axis.n++] = up ? 1 : -1;
		}
		interp_add(t, size[a], &axis);
	}
}

double interp_value(const struct interp *t, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->w[i] * x[t->at[i]];
	return sum;
}

double interp_slope(const struct interp *t, int axis, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->dw[axis][i] * x[t->at[i]];
	return sum;
}

void interp_scatter(const struct interp *t, double g, double *x)
{
	for (size_t i = 0; i < t->n; i++)
		x[t->at[i]] += t->w[i] * g;
}
