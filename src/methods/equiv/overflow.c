/* overflow.c - see overflow.h. */
#include "methods/equiv/overflow.h"

/* Signed all of them: what goes below 0 does not fit an unsigned type. */
static const struct {
	enum dtype from, to;
} wider[] = {{DT_INT32, DT_INT64}, {DT_INT8, DT_INT32},   {DT_UINT8, DT_INT32},
	     {DT_INT16, DT_INT32}, {DT_UINT16, DT_INT32}, {DT_UINT32, DT_INT64}};

/* The same numbers, each whole one in a wider type.  On failure nothing is left. */
static int widen(const struct bindings *from, struct bindings *to, int *changed, struct err *e)
{
	int rc = 0;

	bindings_copy(from, to);
	for (size_t i = 0; i < sizeof wider / sizeof *wider && !rc; i++)
		rc = equiv_widen(to, wider[i].from, wider[i].to, changed, e);
	if (rc)
		bindings_release(to);
	return rc;
}

int overflow_ask(struct pair_run *r, const struct equiv_input *in, struct value *const v[2], int *overflows)
{
	struct bindings a = {0}, b = {0};
	struct value *wide[2] = {NULL, NULL};
	int changed = 0, rc;

	*overflows = 0;
	rc = widen(&in->in_a, &a, &changed, r->err);
	if (!rc)
		rc = widen(&in->in_b, &b, &changed, r->err);
	if (!rc && changed)
		rc = pair_run_sides(r, in, &a, &b, wide);
	for (int i = 0; i < 2 && !rc; i++)
		*overflows |= wide[i] && !compare_fits(v[i], wide[i]);
	pair_free_sides(wide);
	bindings_release(&a);
	bindings_release(&b);
	return rc;
}
