/* interp.c - see interp.h. */
#include "ops/interp.h"

#include <math.h>

/* Adds axis a: every tap becomes as many as it has neighbours inside along a.  From the back, so that no tap is
 * overwritten before it is read. */
static void add_axis(struct interp *t, int a, int64_t size, int64_t low, double part)
{
	int first = low < 0, last = low + 1 < size, each = last - first + 1;

	for (size_t i = t->n * (size_t)each; i-- > 0;) {
		size_t from = i / (size_t)each;
		int up = first + (int)(i % (size_t)each);
		double w = up ? part : 1 - part;

		for (int b = 0; b < a; b++)
			t->dw[b][i] = t->dw[b][from] * w;
		t->dw[a][i] = t->w[from] * (up ? 1 : -1);
		t->at[i] = t->at[from] * (size_t)size + (size_t)(low + up);
		t->w[i] = t->w[from] * w;
	}
	t->n *= (size_t)each;
}

void interp_linear(struct interp *t, int axes, const int64_t *size, const double *coord)
{
	t->axes = axes;
	t->n = 1;
	t->at[0] = 0;
	t->w[0] = 1;
	for (int a = 0; a < axes && t->n; a++) {
		double low = floor(coord[a]);

		if (low >= -1 && low < (double)size[a] && size[a] > 0)
			add_axis(t, a, size[a], (int64_t)low, coord[a] - low);
		else
			t->n = 0;
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
