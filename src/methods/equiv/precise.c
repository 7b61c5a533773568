/* precise.c - see precise.h. */
#include "methods/equiv/precise.h"

static int widen(const struct bindings *from, struct bindings *to, int *changed, struct err *e)
{
	int rc;

	bindings_copy(from, to);
	rc = equiv_widen(to, DT_FLOAT16, DT_DOUBLE, changed, e);
	if (!rc)
		rc = equiv_widen(to, DT_FLOAT, DT_DOUBLE, changed, e);
	if (rc)
		bindings_release(to);
	return rc;
}

int precise_ask(struct pair_run *r, const struct equiv_input *in, int *agrees)
{
	const struct rule_every *every = r->pair->rule->every;
	struct bindings a = {0}, b = {0};
	struct value *v[2] = {NULL, NULL};
	struct compare_how how = pair_how(r, in);
	char detail[512];
	int changed = 0, rc;

	*agrees = 0;
	if (!every || every->sets != PAIR_DERIVED || !r->pair->unlike_kernels)
		return 0;
	rc = widen(&in->in_a, &a, &changed, r->err);
	if (!rc)
		rc = widen(&in->in_b, &b, &changed, r->err);
	if (!rc && changed)
		rc = pair_run_sides(r, in, &a, &b, v);
	if (!rc && v[0] && v[1])
		*agrees = compare_close(v[0], v[1], &how, r->o, detail, sizeof detail) == COMPARE_CLOSE;
	pair_free_sides(v);
	bindings_release(&a);
	bindings_release(&b);
	return rc;
}
