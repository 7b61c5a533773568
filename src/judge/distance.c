/* distance.c - see distance.h. */
#include "judge/distance.h"

#include <math.h>

double distance_mad(const struct tensor *a, const struct tensor *b)
{
	double sum = 0;

	for (size_t i = 0; i < a->count; i++)
		sum += fabs(tensor_get(a, i) - tensor_get(b, i));
	return a->count ? sum / (double)a->count : 0;
}

double distance_mad_based(const struct tensor *a, const struct tensor *b, const struct tensor *truth)
{
	double da = distance_mad(a, truth), db = distance_mad(b, truth);

	return da == 0 && db == 0 ? 0 : fabs(da - db) / (da + db);
}

size_t distance_rank(const struct tensor *y, size_t first, size_t n, size_t label)
{
	double score = tensor_get(y, first + label);
	size_t rank = 1;

	for (size_t i = 0; i < n; i++) {
		double other = tensor_get(y, first + i);

		rank += other > score || (other == score && i < label);
	}
	return rank;
}

static double score_of_rank(size_t rank, int k)
{
	return rank <= (size_t)k ? ldexp(1.0, k - (int)rank) : 0.0;
}

double distance_class(const struct tensor *a, const struct tensor *b, size_t first, size_t n, size_t label, int k)
{
	if (isnan(tensor_get(a, first + label)) || isnan(tensor_get(b, first + label)))
		return (double)NAN;
	return fabs(score_of_rank(distance_rank(a, first, n, label), k) -
		    score_of_rank(distance_rank(b, first, n, label), k));
}

double distance_beyond_tolerance(const struct tensor *a, const struct tensor *b, double atol, double rtol)
{
	double worst = -INFINITY;

	for (size_t i = 0; i < a->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i), beyond;

		if (x == y || (isnan(x) && isnan(y)))
			beyond = -(atol + rtol * (isfinite(y) ? fabs(y) : 0));
		else
			beyond = fabs(x - y) - (atol + rtol * fabs(y));
		if (isnan(beyond))
			return (double)INFINITY; /* a number against NaN, or opposite infinities */
		worst = beyond > worst ? beyond : worst;
	}
	return a->count ? worst : -atol;
}

double distance_relative_share(const struct tensor *a, const struct tensor *b, double limit)
{
	size_t above = 0;

	for (size_t i = 0; i < a->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i);
		int same = x == y || (isnan(x) && isnan(y));

		above += !same && !(fabs(x - y) <= limit * fabs(y));
	}
	return a->count ? (double)above / (double)a->count : 0;
}

size_t distance_argmax(const struct tensor *t, size_t first, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (tensor_get(t, first + i) > tensor_get(t, first + best))
			best = i;
	return best;
}

int distance_argmax_differs(const struct tensor *a, const struct tensor *b, size_t first, size_t n)
{
	return n && distance_argmax(a, first, n) != distance_argmax(b, first, n);
}
