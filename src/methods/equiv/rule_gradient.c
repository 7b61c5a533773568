/* rule_gradient.c - a rule of assay's own: a library's gradient of a call against differences of the call's results
 * (derive.h).  The gradient is of the type that was drawn, differences are of float64. */
#include "methods/equiv/derive.h"
#include "methods/equiv/equiv.h"

static int applies(const struct registry *r, const struct api *api)
{
	return r->dialect->gradients && equiv_has_tensors(api) && !api->random;
}

static int other(const struct registry *r, const struct expr *a, struct bindings *in_b, struct arena *arena,
		 const struct expr **b, struct err *e)
{
	struct expr *x;
	int wide = 0, narrow = 0, changed = 0, rc;

	(void)r;
	*b = NULL;
	for (size_t i = 0; i < in_b->n; i++) {
		enum dtype t = in_b->at[i].tensor ? in_b->at[i].tensor->tensor->dtype : DT_INT64;

		wide |= t == DT_DOUBLE;
		narrow |= dtype_is_float(t) && t != DT_DOUBLE && t != DT_FLOAT; /* steps in it are too large */
	}
	if (narrow || equiv_says_dtype(a->items[0]))
		return 0;
	rc = equiv_widen(in_b, DT_FLOAT, DT_DOUBLE, &changed, e);
	if (rc || (!wide && !changed))
		return rc;
	rc = equiv_function_of("difference", a->items[0], derive_heads(a, in_b), arena, &x, e);
	*b = rc ? NULL : x;
	return rc;
}

static const struct rule_every every = {.applies = applies, .other = other, .of_call = "derivative", .zeros = 1};
const struct equiv_rule rule_gradient = {18, "gradient", "gradients against differences", &every};
