/* gradient_doubt.c - wrong gradients that are losses of precision (declared in internal.h).
 *
 * A library may compute a slope in a way that loses what another would keep: 1 - tanh(x)^2 where tanh is saturated,
 * 1 / sqrt(x^2 + 1) where the square overflows, a product over one of its elements where it is subnormal.  What comes
 * is then off by roundings of 1, or by what a subnormal product leaves of the quotient, and not by roundings of the
 * slope (ref_options.absolute).  A gradient that is not further off is told as that, with its figure; it is no finding,
 * as an approximated function is none.  Nor is one that is right where subnormal numbers of the inputs are 0: a library
 * that flushes them has another slope there, that of a square root is infinite. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/plain.h"
#include "judge/internal.h"

struct losses {
	size_t elements;
	double error; /* the largest, absolute */
	double ratio; /* the largest, in what rounding explains */
};

/* Whether what came of gradient i is within the wider noise of `near`, counting what is not within its own. */
static int is_loss(const struct trial *t, size_t i, const struct tensor *near, const float *wider,
		   const struct tensor *got, double limit, struct losses *l)
{
	const struct tensor *right = t->grads[i];

	if (got->dtype != right->dtype || !tensor_same_shape(got, right) || !tensor_same_shape(near, right))
		return 0;
	for (size_t k = 0; k < right->count; k++) {
		double x = tensor_get(got, k), ratio = judge_element(right, k, (double)t->grad_noise[i][k], x);

		if (ratio <= limit || isinf(t->grad_noise[i][k]))
			continue;
		if (!(judge_element(near, k, (double)wider[k], x) <= limit))
			return 0;
		l->elements++;
		l->error = fmax(l->error, fabs(x - tensor_get(right, k)));
		l->ratio = fmax(l->ratio, ratio);
	}
	return 1;
}

static void tell(const struct trial *t, const struct losses *l, int flushed, struct outcome *o)
{
	const char *name = PLAIN(t->grad_wires[o->worst]->name), *s = l->elements == 1 ? " is" : "s are";

	for (size_t i = 0; i < o->n; i++)
		if (verdict_is_finding(o->judged[i].verdict))
			o->judged[i].verdict = VERDICT_PRECISION;
	o->verdict = VERDICT_PRECISION;
	if (flushed)
		snprintf(o->reason, sizeof o->reason,
			 "precision loss: gradient of '%.200s': %zu element%s right where subnormal numbers of the "
			 "inputs are taken for 0, and not as they are",
			 name, l->elements, s);
	else
		snprintf(o->reason, sizeof o->reason,
			 "precision loss: gradient of '%.200s': %zu element%s off by %.2g%s, %.3g times (%.1f bits) "
			 "more than what rounding explains; a slope that is computed from parts as large as 1, a "
			 "square that overflows, or a product that is divided by an element, loses as much",
			 name, l->elements, s, l->error, l->elements == 1 ? "" : " at most", l->ratio, log2(l->ratio));
}

/* Holds what came against the gradients of such inputs, with the wider noise. */
static int doubt_of(struct trial *t, struct value *const *inputs, double limit, struct outcome *o, struct err *e)
{
	struct ref_gradient of = trial_gradient_request(t);
	const struct ref_options options = {.seed = t->seed, .absolute = 1};
	struct tensor **grads = mem_array(t->n_grads, sizeof *grads);
	float **wider = mem_array(t->n_grads, sizeof *wider);
	struct losses l = {0};
	int lost = 1, rc = grads && wider ? 0 : err_nomem(e, "gradients", t->n_grads * sizeof *grads);

	of.inputs = inputs;
	if (!rc)
		rc = ref_backward_noisy(t->ref, &of, &options, grads, wider, e);
	for (size_t i = 0; !rc && i < t->n_grads; i++) {
		grads[i]->dtype = t->grads[i]->dtype;
		if (verdict_is_finding(o->judged[i].verdict))
			lost = lost && is_loss(t, i, grads[i], wider[i], o->grads[i], limit, &l);
		tensor_unref(grads[i]);
		mem_free(wider[i]);
	}
	if (!rc && lost && l.elements)
		tell(t, &l, inputs != t->inputs, o);
	mem_free(grads);
	mem_free(wider);
	return rc;
}

/* An input without subnormal numbers; the same one where it has none. */
static struct value *flush(struct value *v, int *changed, struct err *e)
{
	struct tensor *t = v && v->kind == VALUE_TENSOR ? v->tensor : NULL, *wide, *packed;
	int any = 0;

	for (size_t k = 0; t && dtype_is_float(t->dtype) && k < t->count && !any; k++) {
		double x = fabs(tensor_get(t, k));

		any = x > 0 && x < dtype_smallest(t->dtype);
	}
	if (!any)
		return value_ref(v);
	*changed = 1;
	wide = tensor_widen_flushed(t, e);
	packed = wide ? tensor_pack(wide, e) : NULL;
	tensor_unref(wide);
	return packed ? value_tensor(packed, e) : NULL;
}

static int doubt_subnormals(struct trial *t, double limit, struct outcome *o, struct err *e)
{
	size_t n = t->model->graph->inputs.n;
	struct value **flushed = mem_array(n, sizeof *flushed);
	int changed = 0, rc = flushed ? 0 : err_nomem(e, "inputs", n * sizeof *flushed);

	for (size_t i = 0; i < n && !rc; i++) {
		flushed[i] = flush(t->inputs[i], &changed, e);
		rc = t->inputs[i] && !flushed[i] ? e->code : 0;
	}
	if (!rc && changed)
		rc = doubt_of(t, flushed, limit, o, e);
	for (size_t i = 0; flushed && i < n; i++)
		value_unref(flushed[i]);
	mem_free(flushed);
	return rc;
}

int gradients_doubt(struct trial *t, double limit, struct outcome *o, struct err *e)
{
	int rc = doubt_of(t, t->inputs, limit, o, e);

	return !rc && verdict_is_finding(o->verdict) ? doubt_subnormals(t, limit, o, e) : rc;
}
