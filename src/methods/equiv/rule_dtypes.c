/* rule_dtypes.c - rule 12: the same numbers as float32 and as float64, or, where a call has no float32, as int32 and as
 * int64.  Every float32 number is a float64 number, so the two differ by the rounding of float32 alone; whole numbers
 * are small, so that nothing overflows.  An operation that turns on the type itself (bits of a number, its
 * largest value) shows that by a result that is no float.
 *
 * A form of floats is also called with whole numbers, all of them or the first tensor: libraries document that they
 * become floats, and then the result is that of the floats.  Where a result is a whole number as well, those that do
 * not fit its type are not compared (compare.c). */
#include "methods/equiv/equiv.h"
#include "methods/equiv/form.h"

static int applies(const struct registry *r, const struct api *api)
{
	(void)r;
	return equiv_has_tensors(api) && !api->random; /* other numbers are drawn of another type */
}

static int other(const struct registry *r, const struct expr *a, struct bindings *in_b, struct arena *arena,
		 const struct expr **b, struct err *e)
{
	int changed = 0, rc;

	(void)arena;
	*b = NULL;
	if (equiv_says_dtype(a)) /* it says its type itself */
		return 0;
	rc = r->dialect->forms ? form_floats(a, in_b, &changed, e) : 0;
	if (!rc && !changed)
		rc = equiv_widen(in_b, DT_FLOAT, DT_DOUBLE, &changed, e);
	if (!rc && !changed)
		rc = equiv_widen(in_b, DT_INT32, DT_INT64, &changed, e);
	if (changed)
		*b = a;
	return rc;
}

static const struct rule_every every = {.applies = applies, .other = other, .types = 1};
const struct equiv_rule rule_dtypes = {12, "dtypes", "element types", &every};
