/* spread.c - the answer of the noisy mode: how far the lanes of a value lie apart (declared in internal.h). */
#include <math.h>

#include "base/mem.h"
#include "reference/internal.h"

/* Root mean square of the lanes' differences from the exact value; in double, since squares of small floats vanish. */
static void spread(const float *d, size_t n, int lanes, float *out)
{
	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (int l = 0; l < lanes; l++)
			sum += (double)d[i * (size_t)lanes + (size_t)l] * (double)d[i * (size_t)lanes + (size_t)l];
		out[i] = (float)sqrt(sum / lanes);
	}
}

static int is_constant(const struct tensor *y)
{
	for (size_t i = 1; i < y->count; i++)
		if (y->f[i] != y->f[0])
			return 0;
	return y->count > 1;
}

/* Equal elements stand for each other: any of them may move as far as the one that moved most.  A Softmax of equal
 * numbers that are large gives 1/n each, or 1 to whichever rounding lifts above the others: eight lanes show that for
 * eight elements at most, and are no estimate for one of a thousand. */
static void spread_together(const float *d, size_t n, int lanes, float *out)
{
	double sum = 0;

	for (int l = 0; l < lanes; l++) {
		double most = 0;

		for (size_t i = 0; i < n; i++)
			most = fmax(most, fabs((double)d[i * (size_t)lanes + (size_t)l]));
		sum += most * most;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = (float)sqrt(sum / lanes);
}

/* b - a; whole numbers beyond 2^53 as they are, which as doubles would be equal. */
static double difference(const struct tensor *b, const struct tensor *a, size_t i)
{
	int above;

	if (!a->wide || !b->wide || dtype_wide(a->dtype) != WIDE_I64 || dtype_wide(b->dtype) != WIDE_I64)
		return tensor_get(b, i) - tensor_get(a, i);
	above = a->dtype == DT_UINT64 ? (uint64_t)b->i[i] >= (uint64_t)a->i[i] : b->i[i] >= a->i[i];
	return above ? (double)((uint64_t)b->i[i] - (uint64_t)a->i[i])
		     : -(double)((uint64_t)a->i[i] - (uint64_t)b->i[i]);
}

/* Adds the squares of one lane's differences; infinite where the lane has another shape. */
static void add_squares(const struct value *x, const struct value *y, double *sum)
{
	const struct tensor *a = x->kind == VALUE_TENSOR ? x->tensor : NULL;
	const struct tensor *b = y && y->kind == VALUE_TENSOR ? y->tensor : NULL;

	for (size_t i = 0; !a && i < x->n; i++) {
		add_squares(x->items[i], y && y->kind == x->kind && y->n == x->n ? y->items[i] : NULL, sum);
		sum += value_elements(x->items[i]);
	}
	for (size_t i = 0; a && i < a->count; i++) {
		double d = b && tensor_same_shape(a, b) ? difference(b, a, i) : (double)INFINITY;

		sum[i] += d * d;
	}
}

static int spread_of_values(struct run *r, const struct cell *cell, size_t n, float *out)
{
	double *sum = mem_array(n, sizeof *sum);

	if (!sum)
		return err_nomem(r->err, "noise", n * sizeof *sum);
	for (int l = 0; l < r->lanes; l++)
		add_squares(cell->value, cell->lane[l], sum);
	for (size_t i = 0; i < n; i++)
		out[i] = (float)sqrt(sum[i] / r->lanes);
	mem_free(sum);
	return 0;
}

static int holds_numbers(const struct value *v)
{
	return v->kind != VALUE_TENSOR || dtype_wide(v->tensor->dtype) == WIDE_F64 ||
	       dtype_wide(v->tensor->dtype) == WIDE_I64;
}

static int is_strings(const struct value *v)
{
	return v->kind == VALUE_TENSOR && v->tensor->dtype == DT_STRING;
}

/* A string has no distance: those that are others in a lane, because an index flipped, are infinitely far. */
static void spread_of_strings(struct run *r, const struct cell *cell, float *out)
{
	const struct tensor *x = cell->value->tensor;

	for (int l = 0; l < r->lanes; l++) {
		const struct tensor *y = is_strings(cell->lane[l]) ? cell->lane[l]->tensor : NULL;
		int same_shape = y && tensor_same_shape(x, y);

		for (size_t i = 0; i < x->count; i++)
			if (!same_shape || !dtype_bytes_same(&x->s[i], &y->s[i]))
				out[i] = INFINITY;
	}
}

int noise_of_cell(struct run *r, const struct cell *cell, float **out)
{
	size_t n = cell->value ? value_elements(cell->value) : 0;
	float *noise;
	int rc = 0;

	*out = NULL;
	if (!cell->value || (!holds_numbers(cell->value) && !(is_strings(cell->value) && cell->lane)))
		return 0;
	noise = mem_array(n, sizeof *noise);
	if (!noise)
		return err_nomem(r->err, "noise", n * sizeof *noise);
	if (is_strings(cell->value))
		spread_of_strings(r, cell, noise);
	else if (cell->lane)
		rc = spread_of_values(r, cell, n, noise);
	else if (cell->delta && is_constant(cell->value->tensor))
		spread_together(cell->delta, n, r->lanes, noise);
	else if (cell->delta)
		spread(cell->delta, n, r->lanes, noise);
	for (size_t i = 0; i < n; i++)
		if (cell->unstable || isnan(noise[i]))
			noise[i] = INFINITY;
	if (rc)
		mem_free(noise);
	else
		*out = noise;
	return rc;
}
