/* gradient_doubt.c - wrong gradients that are losses of precision (declared in internal.h).
 *
 * A library may compute a slope in a way that loses what another would keep: 1 - tanh(x)^2 where tanh is saturated,
 * 1 / sqrt(x^2 + 1) where the square overflows, a product over one of its elements where it is subnormal.  What comes
 * is then off by roundings of 1, or by what a subnormal product leaves of the quotient, and not by roundings of the
 * slope (ref_options.absolute).  A gradient that is not further off is told as that, with its figure; it is no finding,
 * as an approximated function is none. */
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

/* Whether what came of gradient i is within the wider noise, counting what is not within its own. */
static int is_loss(const struct trial *t, size_t i, const float *wider, const struct tensor *got, double limit,
		   struct losses *l)
{
	const struct tensor *right = t->grads[i];

	if (got->dtype != right->dtype || !tensor_same_shape(got, right))
		return 0;
	for (size_t k = 0; k < right->count; k++) {
		double x = tensor_get(got, k), ratio = judge_element(right, k, (double)t->grad_noise[i][k], x);

		if (ratio <= limit || isinf(t->grad_noise[i][k]))
			continue;
		if (!(judge_element(right, k, (double)wider[k], x) <= limit))
			return 0;
		l->elements++;
		l->error = fmax(l->error, fabs(x - tensor_get(right, k)));
		l->ratio = fmax(l->ratio, ratio);
	}
	return 1;
}

static void tell(const struct trial *t, const struct losses *l, struct outcome *o)
{
	const char *name = PLAIN(t->grad_wires[o->worst]->name);

	for (size_t i = 0; i < o->n; i++)
		if (verdict_is_finding(o->judged[i].verdict))
			o->judged[i].verdict = VERDICT_PRECISION;
	o->verdict = VERDICT_PRECISION;
	snprintf(o->reason, sizeof o->reason,
		 "precision loss: gradient of '%.200s': %zu element%s off by %.2g%s, %.3g times (%.1f bits) more than "
		 "what rounding explains; a slope that is computed from parts as large as 1, or a product that is "
		 "divided by an element, loses as much",
		 name, l->elements, l->elements == 1 ? " is" : "s are", l->error, l->elements == 1 ? "" : " at most",
		 l->ratio, log2(l->ratio));
}

int gradients_doubt(struct trial *t, double limit, struct outcome *o, struct err *e)
{
	const struct ref_gradient of = trial_gradient_request(t);
	const struct ref_options options = {.seed = t->seed, .absolute = 1};
	struct tensor **grads = mem_array(t->n_grads, sizeof *grads);
	float **wider = mem_array(t->n_grads, sizeof *wider);
	struct losses l = {0};
	int lost = 1, rc = grads && wider ? 0 : err_nomem(e, "gradients", t->n_grads * sizeof *grads);

	if (!rc)
		rc = ref_backward_noisy(t->ref, &of, &options, grads, wider, e);
	for (size_t i = 0; !rc && i < t->n_grads; i++) {
		if (verdict_is_finding(o->judged[i].verdict))
			lost = lost && is_loss(t, i, wider[i], o->grads[i], limit, &l);
		tensor_unref(grads[i]);
		mem_free(wider[i]);
	}
	if (!rc && lost && l.elements)
		tell(t, &l, o);
	mem_free(grads);
	mem_free(wider);
	return rc;
}
