/* unjudged.c - see unjudged.h. */
#include "judge/unjudged.h"

#include <math.h>
#include <stdio.h>

#include "base/digits.h"
#include "base/mem.h"
#include "base/plain.h"
#include "judge/random.h"

/* ---- why there is no right answer -------------------------------------------------------------------------------- */

int unjudged_status(int rc)
{
	return rc == ERR_UNSUPPORTED || rc == ERR_LIMIT;
}

/* The first node of a domain of somebody's own; of ONNX's own operators the reference says more itself. */
static const struct node *first_unknown(const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!g->nodes.at[i]->op && *g->nodes.at[i]->domain)
			return g->nodes.at[i];
	return NULL;
}

static void say_why(const struct trial *t, const struct err *why, char *out, size_t size)
{
	const struct node *n = first_unknown(t->model->graph);

	if (n)
		snprintf(out, size, "the reference does not have %.100s/%.100s", n->domain, n->op_type);
	else
		snprintf(out, size, "the reference cannot run it: %.300s", why->msg);
}

/* ---- one answer -------------------------------------------------------------------------------------------------- */

static const struct tensor *numbers(const struct value *v)
{
	return v && v->kind == VALUE_TENSOR && v->tensor->dtype != DT_STRING ? v->tensor : NULL;
}

/* The first element that is NaN (or with `infinite` not finite); the count when there is none. */
static size_t find_odd(const struct tensor *t, int infinite)
{
	size_t i = 0;

	while (i < t->count && !(infinite ? !isfinite(tensor_get(t, i)) : isnan(tensor_get(t, i))))
		i++;
	return i;
}

static int has_finite_inputs(const struct trial *t)
{
	for (size_t i = 0; i < t->model->graph->inputs.n; i++) {
		const struct tensor *in = numbers(t->inputs[i]);

		if (in && dtype_is_float(in->dtype) && find_odd(in, 1) < in->count)
			return 0;
	}
	return 1;
}

/* The first output with NaN, and where; -1: none. */
static int find_nan(const struct outcome *o, size_t *element)
{
	for (size_t i = 0; i < o->n && o->values; i++) {
		const struct tensor *t = numbers(o->values[i]);

		*element = t && dtype_is_float(t->dtype) ? find_odd(t, 0) : 0;
		if (t && dtype_is_float(t->dtype) && *element < t->count)
			return (int)i;
	}
	return -1;
}

void outcome_leave_unjudged(const struct trial *t, const struct err *why, struct outcome *o)
{
	size_t element = 0;
	int nan = has_finite_inputs(t) ? find_nan(o, &element) : -1;
	char because[400];

	say_why(t, why, because, sizeof because);
	o->verdict = VERDICT_UNJUDGED;
	o->ratio = 0;
	o->suspicious = nan >= 0;
	if (nan >= 0)
		snprintf(o->reason, sizeof o->reason,
			 "suspicious: output '%.80s': element %zu is NaN though all inputs are finite; nothing to "
			 "judge it "
			 "by: %.300s",
			 PLAIN(t->model->graph->outputs.at[nan]->name), element, because);
	else
		snprintf(o->reason, sizeof o->reason, "ran; nothing to judge it by: %s", because);
}

void outcome_leave_refused(const struct trial *t, const struct err *why, struct outcome *o)
{
	char because[160], said[sizeof o->reason];

	say_why(t, why, because, sizeof because);
	snprintf(said, sizeof said, "%s", o->reason);
	o->verdict = VERDICT_UNJUDGED;
	o->ratio = 0;
	snprintf(o->reason, sizeof o->reason, "%.300s; nothing says that it should run it: %.160s", said, because);
}

/* ---- two answers ------------------------------------------------------------------------------------------------- */

static double magnitude(const struct tensor *t)
{
	double top = 0;

	for (size_t i = 0; i < t->count; i++) {
		double x = fabs(tensor_get(t, i));

		top = isfinite(x) && x > top ? x : top;
	}
	return top;
}

/* The first element that is not a number of the same kind, or the furthest apart; *apart: how far, against `scale`. */
static size_t furthest(const struct tensor *a, const struct tensor *b, double scale, double *apart)
{
	size_t worst = 0;

	*apart = 0;
	for (size_t i = 0; i < a->count && !isinf(*apart); i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i), d = fabs(x - y) / fmax(scale, 1e-300);

		if (x == y || (isnan(x) && isnan(y)))
			continue;
		if (!isfinite(x) || !isfinite(y))
			d = (double)INFINITY;
		if (d > *apart) {
			*apart = d;
			worst = i;
		}
	}
	return worst;
}

static double share_unequal(const struct tensor *a, const struct tensor *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->count; i++)
		n += tensor_get(a, i) != tensor_get(b, i);
	return a->count ? (double)n / (double)a->count : 0;
}

static void tell_apart(const char *name, size_t at, double a, double b, char *out, size_t size)
{
	int digits = digits_of_pair(a, b);

	snprintf(out, size, "output '%.80s': element %zu is %.*g and %.*g", name, at, digits, a, digits, b);
}

static void compare_tensors(const char *name, const struct tensor *a, const struct tensor *b, char *out, size_t size)
{
	char left[128], right[128];
	double apart;
	size_t worst;

	name = PLAIN(name);
	if (a->dtype != b->dtype || !tensor_same_shape(a, b)) {
		snprintf(out, size, "output '%.80s' is %s and %s", name, tensor_describe(a, left, sizeof left),
			 tensor_describe(b, right, sizeof right));
		return;
	}
	worst = furthest(a, b, fmax(magnitude(a), magnitude(b)), &apart);
	if (!dtype_is_float(a->dtype) && share_unequal(a, b) <= UNJUDGED_APART)
		return;
	if (apart > UNJUDGED_APART || (!dtype_is_float(a->dtype) && apart > 0))
		tell_apart(name, worst, tensor_get(a, worst), tensor_get(b, worst), out, size);
}

int unjudged_compare(const struct graph *g, const struct outcome *a, const struct outcome *b, char *out, size_t size,
		     struct err *e)
{
	unsigned char *random;
	int rc = random_wires(g, 1, &random, e);

	if (rc)
		return rc;
	*out = '\0';
	for (size_t i = 0; i < a->n && i < b->n && a->values && b->values && !*out; i++) {
		const struct tensor *x = numbers(a->values[i]), *y = numbers(b->values[i]);
		const struct wire *w = g->outputs.at[i];

		if (x && y && !(w->graph == g && random[w->id]))
			compare_tensors(w->name, x, y, out, size);
	}
	mem_free(random);
	return 0;
}
