/* ml_transform.c - see ml_transform.h. */
#include "ops/ml/ml_transform.h"

#include <math.h>
#include <string.h>

static const char *const names[ML_TRANSFORM_COUNT] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

int ml_rows(struct call *c, int64_t *rows, int64_t *features)
{
	const struct type *x = call_shape(c, 0);

	*rows = *features = DIM_UNKNOWN;
	if (!x)
		return 0;
	if (x->rank < 1 || x->rank > 2)
		return call_bad(c, "X has rank %d, wanted 1 or 2", x->rank);
	*rows = x->rank == 2 ? x->dims[0] : 1;
	*features = x->dims[x->rank - 1];
	return 0;
}

int ml_transform_read(struct call *c, enum ml_transform *t)
{
	const char *name = attr_string(c->node, "post_transform");

	for (int i = 0; i < ML_TRANSFORM_COUNT; i++)
		if (!strcmp(name, names[i])) {
			*t = (enum ml_transform)i;
			return 0;
		}
	return call_bad(c, "post_transform '%s' is not known", name);
}

/* exp(x - max) / Σ; with `keep_zeros`, scores that are 0 take no part and stay 0. */
static void softmax(double *x, size_t n, int keep_zeros)
{
	double highest = -INFINITY, sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!keep_zeros || x[i] != 0)
			highest = fmax(highest, x[i]);
	for (size_t i = 0; i < n; i++) {
		if (keep_zeros && x[i] == 0)
			continue;
		x[i] = exp(x[i] - highest);
		sum += x[i];
	}
	for (size_t i = 0; i < n && sum != 0; i++)
		x[i] /= sum;
}

/* The inverse of the normal distribution function, by bisection: slow, but right to the last bits for every p. */
static double probit(double p)
{
	double low = -40, high = 40, z;

	if (!(p > 0 && p < 1))
		return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
	for (int i = 0; i < 60; i++) {
		z = (low + high) / 2;
		if (0.5 * erfc(-z * M_SQRT1_2) < p)
			low = z;
		else
			high = z;
	}
	return (low + high) / 2;
}

void ml_transform_row(enum ml_transform t, double *x, size_t n)
{
	if (t == ML_SOFTMAX || t == ML_SOFTMAX_ZERO) {
		softmax(x, n, t == ML_SOFTMAX_ZERO);
		return;
	}
	for (size_t i = 0; i < n && t != ML_NONE; i++)
		x[i] = t == ML_LOGISTIC ? 1 / (1 + exp(-x[i])) : probit(x[i]);
}

double ml_transform_noise(enum ml_transform t, double y)
{
	return t == ML_NONE ? 0 : t == ML_LOGISTIC ? fabs(y) + 0.5 : 4 * fabs(y);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

int ml_labels_read(struct call *c, const char *ints, struct ml_labels *l)
{
	l->strings = node_attr(c->node, "classlabels_strings");
	l->ints = node_attr(c->node, ints);
	if (l->strings && !l->strings->n && l->ints)
		l->strings = NULL;
	if (l->ints && !l->ints->n && l->strings)
		l->ints = NULL;
	if (!l->strings == !l->ints)
		return call_bad(c, "wanted either classlabels_strings or %s", ints);
	l->n = l->strings ? l->strings->n : l->ints->n;
	return l->n ? 0 : call_bad(c, "there are no class labels");
}

enum dtype ml_labels_dtype(const struct ml_labels *l)
{
	return l->strings ? DT_STRING : DT_INT64;
}

int ml_labels_store(struct call *c, const struct ml_labels *l, size_t i, const double *scores)
{
	size_t best = 0;

	for (size_t k = 1; k < l->n; k++)
		if (scores[k] > scores[best])
			best = k;
	if (!call_wants(c, 0))
		return 0;
	if (l->strings)
		return tensor_set_string(c->out[0], i, l->strings->strings[best].p, l->strings->strings[best].n,
					 c->err);
	c->out[0]->i[i] = l->ints->ints[best];
	return 0;
}
