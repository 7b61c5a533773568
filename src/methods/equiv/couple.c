/* couple.c - see couple.h. */
#include "methods/equiv/couple.h"

#include "ops/sample/values.h"

#define LOWEST_BY_MINUS_ONE 0 /* of VALUES_PAIRS */

/* Element i of both becomes what goes together. */
static int put_pair(struct bindings *b, const size_t at[2], size_t i, unsigned pair, struct err *e)
{
	for (size_t k = 0; k < 2; k++) {
		struct tensor *wide = tensor_widen(b->at[at[k]].tensor->tensor, e), *own = NULL, *packed = NULL;
		struct value *v;

		if (wide)
			own = tensor_copy(wide, e);
		tensor_unref(wide);
		if (own) {
			values_put_pair(own, i, &values_all, pair, k);
			packed = tensor_pack(own, e);
		}
		tensor_unref(own);
		v = packed ? value_tensor(packed, e) : NULL;
		if (!v)
			return e->code;
		bindings_replace(b, b->at[at[k]].name, v);
	}
	return 0;
}

/* Half of them the lowest number and -1, whose quotient alone does not fit: processors end a process there. */
static unsigned choose_pair(struct rng *r)
{
	return rng_below(r, 2) ? LOWEST_BY_MINUS_ONE : (unsigned)rng_below(r, VALUES_PAIRS);
}

int couple_numbers(struct bindings *b, enum dtype type, const struct rng *r, struct err *e)
{
	struct rng own = rng_split(r, VALUES_PAIRS);
	size_t at[2], n = 0, least = 0, i;

	for (i = 0; i < b->n && n < 2; i++) {
		const struct tensor *t = b->at[i].tensor ? b->at[i].tensor->tensor : NULL;

		if (!t || !t->count || !dtype_is_int(t->dtype) || t->dtype == DT_BOOL ||
		    (type != DT_UNDEFINED && t->dtype != type))
			continue;
		type = t->dtype;
		least = n && least < t->count ? least : t->count;
		at[n++] = i;
	}
	if (n < 2 || rng_below(&own, 2))
		return 0;
	i = rng_below(&own, least);
	return put_pair(b, at, i, choose_pair(&own), e);
}
