/* compare.c - see compare.h. */
#include "methods/conform/compare.h"

#include <math.h>

#include "base/digits.h"
#include "base/mem.h"
#include "judge/random.h"

int compare_start(struct compare *c, const struct graph *g, struct err *e)
{
	return random_wires(g, 0, &c->random_ids, e);
}

void compare_end(struct compare *c)
{
	mem_free(c->random_ids);
	c->random_ids = NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* `more` is what rounding explains beyond the tolerances. */
static int close_enough(const struct compare *c, double got, double want, double more)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (isinf(want) || isinf(got))
		return want == got;
	return fabs(got - want) <= c->atol + c->rtol * fabs(want) + more;
}

static int same_element(const struct compare *c, const struct tensor *got, const struct tensor *want,
			const float *noise, size_t i)
{
	double g = tensor_get(got, i), w = tensor_get(want, i);
	double more = noise && isfinite(noise[i]) ? COMPARE_NOISE * (double)noise[i] : 0.0;

	if (want->dtype == DT_STRING)
		return dtype_bytes_same(&got->s[i], &want->s[i]);
	if (dtype_is_float(want->dtype))
		return close_enough(c, g, w, more);
	return g == w || fabs(g - w) <= more;
}

static int differs(const struct wire *w, const struct tensor *got, const struct tensor *want, size_t i, struct err *e)
{
	int digits;

	if (want->dtype == DT_STRING)
		return err_set(e, ERR_INPUT, "output '%s' element %zu is '%.80s', expected '%.80s'", w->name, i,
			       got->s[i].p, want->s[i].p);
	digits = digits_of_pair(tensor_get(got, i), tensor_get(want, i));
	return err_set(e, ERR_INPUT, "output '%s' element %zu is %.*g, expected %.*g", w->name, i, digits,
		       tensor_get(got, i), digits, tensor_get(want, i));
}

static int compare_tensors(struct compare *c, const struct tensor *got, const struct tensor *want, const float *noise,
			   const struct wire *w, struct err *e)
{
	char a[256], b[256];

	if (got->dtype != want->dtype || !tensor_same_shape(got, want))
		return err_set(e, ERR_INPUT, "output '%s' is %s, expected %s", w->name,
			       tensor_describe(got, a, sizeof a), tensor_describe(want, b, sizeof b));
	if (w->graph->parent == NULL && c->random_ids[w->id]) {
		c->random = 1;
		return 0;
	}
	for (size_t i = 0; i < want->count; i++)
		if (!same_element(c, got, want, noise, i)) {
			c->values_differ = 1;
			return differs(w, got, want, i, e);
		}
	return 0;
}

static int compare_values(struct compare *c, const struct value *got, const struct value *want, const float *noise,
			  const struct wire *w, struct err *e)
{
	struct tensor *packed;
	int rc = 0;

	if (got->kind != want->kind || (got->kind != VALUE_TENSOR && got->n != want->n))
		return err_set(e, ERR_INPUT,
			       "output '%s' is another kind of value, or has another length, than expected", w->name);
	if (got->kind != VALUE_TENSOR) {
		for (size_t i = 0; i < want->n && !rc; i++)
			rc = compare_values(c, got->items[i], want->items[i], NULL, w, e);
		return rc;
	}
	packed = tensor_pack(got->tensor, e); /* to the dtype's own precision */
	if (!packed)
		return e->code;
	rc = compare_tensors(c, packed, want->tensor, noise, w, e);
	tensor_unref(packed);
	return rc;
}

int compare_output(struct compare *c, const struct wire *w, const struct ref_output *got, const struct value *want,
		   struct err *e)
{
	return compare_values(c, got->value, want, got->noise, w, e);
}
