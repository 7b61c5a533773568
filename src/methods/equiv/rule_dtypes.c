/* rule_dtypes.c - rule 12: the same numbers in two element types, of which the wider one holds all of the narrower: one
 * pair of the list below that a call has.  Results differ by the rounding of the narrower alone; whole numbers
 * are small, or those that do not fit are not compared.  An operation that turns on the type itself (bits of a number,
 * its largest value) shows that by a result that is no float.
 *
 * A form of floats is also called with whole numbers, all of them or the first tensor: libraries document that they
 * become floats, and then the result is that of the floats.  Where a result is a whole number as well, those that do
 * not fit its type are not compared (compare.c). */
#include "base/hash.h"
#include "methods/equiv/equiv.h"
#include "methods/equiv/form.h"

/* Unsigned numbers stay so: a difference below 0 fits neither. */
static const struct {
	enum dtype from, to;
} wider[] = {
	{DT_FLOAT, DT_DOUBLE}, {DT_INT32, DT_INT64},          {DT_FLOAT16, DT_FLOAT}, {DT_BFLOAT16, DT_FLOAT},
	{DT_INT16, DT_INT32},  {DT_INT8, DT_INT16},           {DT_UINT32, DT_UINT64}, {DT_UINT16, DT_UINT32},
	{DT_UINT8, DT_UINT16}, {DT_COMPLEX64, DT_COMPLEX128},
};

#define N_WIDER (sizeof wider / sizeof *wider)

static int has_type(const struct bindings *b, enum dtype t)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].tensor && b->at[i].tensor->tensor->dtype == t)
			return 1;
	return 0;
}

/* Which of n: by the bits of the tensors, which a seed decides and a stored finding has, so that both give the same
 * again. */
static size_t choose(const struct bindings *b, size_t n)
{
	uint64_t h = HASH_BEGIN;

	for (size_t i = 0; i < b->n; i++) {
		const struct tensor *t = b->at[i].tensor ? b->at[i].tensor->tensor : NULL;

		if (t) /* texts have no bits of their own, and are left out */
			h = hash_bytes(h, t->data, t->count * (dtype_bits(t->dtype) / 8));
	}
	return (size_t)(rng_mix(h) % n);
}

/* Of index and data both types are tried, not only that which stands first. */
static int widen_one(struct bindings *b, int *changed, struct err *e)
{
	size_t fits[N_WIDER], n = 0, i;

	for (i = 0; i < N_WIDER; i++)
		if (has_type(b, wider[i].from))
			fits[n++] = i;
	if (!n)
		return 0;
	i = fits[choose(b, n)];
	return equiv_widen(b, wider[i].from, wider[i].to, changed, e);
}

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
		rc = widen_one(in_b, &changed, e);
	if (changed)
		*b = a;
	return rc;
}

static const struct rule_every every = {.applies = applies, .other = other, .types = 1};
const struct equiv_rule rule_dtypes = {12, "dtypes", "element types", &every};
