/* rule_dtypes.c - rule 12: the same numbers in two element types, of which the wider one holds all of the narrower: the
 * first pair of the list below that a call has.  Results differ by the rounding of the narrower alone; whole numbers
 * are small, or those that do not fit are not compared.  An operation that turns on the type itself (bits of a number,
 * its largest value) shows that by a result that is no float.
 *
 * A form of floats is also called with whole numbers, all of them or the first tensor: libraries document that they
 * become floats, and then the result is that of the floats.  Where a result is a whole number as well, those that do
 * not fit its type are not compared (compare.c). */
#include "methods/equiv/equiv.h"
#include "methods/equiv/form.h"

/* Unsigned numbers stay so: a difference below 0 fits neither. */
static const struct {
	enum dtype from, to;
} wider[] = {
	{DT_FLOAT, DT_DOUBLE},   {DT_INT32, DT_INT64},   {DT_FLOAT16, DT_FLOAT},
	{DT_BFLOAT16, DT_FLOAT}, {DT_INT16, DT_INT32},   {DT_INT8, DT_INT16},
	{DT_UINT32, DT_UINT64},  {DT_UINT16, DT_UINT32}, {DT_UINT8, DT_UINT16},
};

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
	for (size_t i = 0; i < sizeof wider / sizeof *wider && !rc && !changed; i++)
		rc = equiv_widen(in_b, wider[i].from, wider[i].to, &changed, e);
	if (changed)
		*b = a;
	return rc;
}

static const struct rule_every every = {.applies = applies, .other = other, .types = 1};
const struct equiv_rule rule_dtypes = {12, "dtypes", "element types", &every};
