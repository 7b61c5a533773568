/* rule_dtypes.c - rule 12: the same numbers as float32 and as float64, or, where a call has no float32, as int32 and as
 * int64.  Every float32 number is a float64 number, so the two differ by the rounding of float32 alone; whole numbers
 * are small, so that nothing overflows.  An operation that turns on the type itself (bits of a number, its
 * largest value) shows that by a result that is no float. */
#include <string.h>

#include "methods/equiv/equiv.h"

static int applies(const struct registry *r, const struct api *api)
{
	(void)r;
	if (api->why_not)
		return 0;
	for (size_t i = 0; i < api->op->n_parameters; i++)
		if (api->kinds[i] == PARAMETER_TENSOR || api->kinds[i] == PARAMETER_TENSORS)
			return 1;
	return 0;
}

static struct value *widened(const struct value *v, enum dtype to, struct err *e)
{
	struct tensor *wide = tensor_widen(v->tensor, e), *copy = wide ? tensor_copy(wide, e) : NULL, *packed = NULL;

	tensor_unref(wide);
	if (copy) {
		copy->dtype = to;
		packed = tensor_pack(copy, e);
	}
	tensor_unref(copy);
	return packed ? value_tensor(packed, e) : NULL;
}

/* All tensors of type `from` become `to`; *changed: there were some. */
static int widen_all(struct bindings *b, enum dtype from, enum dtype to, int *changed, struct err *e)
{
	for (size_t i = 0; i < b->n; i++) {
		struct value *v = b->at[i].tensor, *w;

		if (!v || v->tensor->dtype != from)
			continue;
		w = widened(v, to, e);
		if (!w)
			return e->code;
		value_unref(v);
		b->at[i].tensor = w;
		*changed = 1;
	}
	return 0;
}

static int has_dtype(const struct expr *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->items[i]->kind == EXPR_DTYPE)
			return 1;
	return 0;
}

static int other(const struct registry *r, const struct expr *a, struct bindings *in_b, struct arena *arena,
		 const struct expr **b, struct err *e)
{
	int changed = 0, rc;

	(void)r, (void)arena;
	*b = NULL;
	if (has_dtype(a)) /* it says its type itself */
		return 0;
	rc = widen_all(in_b, DT_FLOAT, DT_DOUBLE, &changed, e);
	if (!rc && !changed)
		rc = widen_all(in_b, DT_INT32, DT_INT64, &changed, e);
	if (changed)
		*b = a;
	return rc;
}

static const struct rule_every every = {applies, other, NULL, 0};
const struct rule rule_dtypes = {12, "dtypes", "element types", &every};
