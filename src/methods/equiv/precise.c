/* precise.c - see precise.h. */
#include "methods/equiv/precise.h"

#include <math.h>

#include "methods/equiv/classify.h"

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

static int is_asked(const struct pair_run *r)
{
	const struct rule_every *every = r->pair->rule->every;

	return every && every->sets != PAIR_NONE &&
	       (r->registry->dialect->forms || (every->sets == PAIR_DERIVED && r->pair->unlike_kernels));
}

/* Some numbers have squares below the type's range, and none above it: products become subnormal, or 0. */
static int is_tiny(const struct bindings *b)
{
	int tiny = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct tensor *t = b->at[i].tensor ? b->at[i].tensor->tensor : NULL;
		int is_float = t && dtype_is_float(t->dtype);

		for (size_t k = 0; is_float && k < t->count; k++) {
			double x = fabs(tensor_get(t, k));

			if (!(x <= sqrt(dtype_max(t->dtype))))
				return 0;
			tiny |= x > 0 && x < sqrt(dtype_smallest(t->dtype));
		}
	}
	return tiny;
}

static int lacks_digits(const struct pair_run *r, const struct equiv_input *in, struct value *const v[2],
			const struct value *wide, double ratio)
{
	const struct compare_how how = pair_how(r, in);

	return (r->pair->rule->every->sets == PAIR_DERIVED && r->pair->unlike_kernels) || ratio < CLASS_LITTLE ||
	       (r->pair->rearranged && is_tiny(&in->in_a)) || compare_neither(v[0], v[1], wide, &how, r->o);
}

int precise_ask(struct pair_run *r, const struct equiv_input *in, struct value *const v[2], double ratio, int *agrees)
{
	struct bindings a = {0}, b = {0};
	struct value *wide[2] = {NULL, NULL};
	struct compare_how how = pair_how(r, in);
	char detail[512];
	int changed = 0, rc;

	*agrees = 0;
	if (!is_asked(r))
		return 0;
	rc = widen(&in->in_a, &a, &changed, r->err);
	if (!rc)
		rc = widen(&in->in_b, &b, &changed, r->err);
	if (!rc && changed)
		rc = pair_run_sides(r, in, &a, &b, wide);
	if (!rc && wide[0] && wide[1])
		*agrees = compare_close(wide[0], wide[1], &how, r->o, detail, sizeof detail) == COMPARE_CLOSE &&
			  lacks_digits(r, in, v, wide[1], ratio);
	pair_free_sides(wide);
	bindings_release(&a);
	bindings_release(&b);
	return rc;
}
