/* agree.c - does a library agree with itself where ONNX leaves open what becomes of NaN?  (declared in proof.h)
 *
 * Which number an operator chooses that is given NaN nobody says.  It must be the same when the case is run again, and
 * when the library's optimizer leaves it alone: a user who changes a setting expects no other number. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "judge/session.h"
#include "libraries/libraries.h"
#include "proof/proof.h"

#define ROUNDING 1e-3 /* more than an optimizer's other order of steps makes */

/* The option set that must give the same; NULL: there is none. */
static const char *other_set(const struct party *p)
{
	const struct library *l = library_find(p->spec.backend);

	for (const struct library_pair *s = l ? l->pairs : NULL; s && s->kind != PAIR_NONE; s++)
		if (s->kind == PAIR_OPTIMIZED && !s->a && !s->unlike_kernels)
			return s->b;
	return NULL;
}

/* Starting a library takes long: the other one stays open as long as the first. */
static int open_twin(struct party *p, const char *set, struct err *e)
{
	struct worker_spec spec;
	char name[512];
	struct party *twin;
	int rc;

	if (p->twin)
		return 0;
	twin = mem_alloc(sizeof *twin);
	if (!twin)
		return err_nomem(e, "a backend", sizeof *twin);
	spec_name_set(p->spec.name, set, name, sizeof name);
	rc = spec_make_found(name, &spec, e);
	if (!rc) {
		rc = party_open_spec(twin, &spec, &p->limits, e);
		spec_release(&spec);
	}
	if (rc)
		mem_free(twin);
	else
		p->twin = twin;
	return rc;
}

/* The verdict before it was found that ONNX leaves the result open. */
static enum verdict first_verdict(const struct outcome *o)
{
	enum verdict v = VERDICT_AGREE;

	for (size_t i = 0; o->judged && i < o->n; i++)
		v = verdict_worse(v, o->judged[i].verdict);
	return v;
}

/* Where the reference has NaN its noise has no end, so that numbers are compared here. */
static int numbers_differ(const struct tensor *exact, const struct tensor *a, const struct tensor *b)
{
	if (dtype_wide(exact->dtype) != WIDE_F64 || !tensor_same_shape(exact, a) || !tensor_same_shape(exact, b))
		return 0;
	for (size_t i = 0; i < exact->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i);

		if (isnan(tensor_get(exact, i)) && x != y && !(isnan(x) && isnan(y)) &&
		    !(fabs(x - y) <= ROUNDING * fmax(fabs(x), fabs(y))))
			return 1;
	}
	return 0;
}

static int any_differ(const struct trial *t, const struct outcome *a, const struct outcome *b)
{
	for (size_t i = 0; i < a->n && i < b->n && i < t->truth.n; i++) {
		const struct value *exact = t->truth.outputs[i].value, *x = a->values[i], *y = b->values[i];

		if (exact->kind == VALUE_TENSOR && x && y && x->kind == VALUE_TENSOR && y->kind == VALUE_TENSOR &&
		    numbers_differ(exact->tensor, x->tensor, y->tensor))
			return 1;
	}
	return 0;
}

static int compare(struct trial *t, struct party *p, const struct outcome *o, int *differ, struct err *e)
{
	struct outcome again = {0};
	int rc = party_run(p, t, &again, e);

	*differ = !rc && again.values && (any_differ(t, o, &again) || outcome_values_differ(t, o, &again, JUDGE_LIMIT));
	outcome_release(&again);
	return rc;
}

int proof_agree(struct trial *t, struct party *p, struct outcome *o, struct err *e)
{
	const char *set = other_set(p);
	int differ = 0, rc;

	if (o->verdict != VERDICT_UNSPECIFIED || !o->of_nan || !o->values || !p->worker || proof_is_needed(&p->spec))
		return 0;
	rc = compare(t, p, o, &differ, e);
	if (!rc && differ) {
		o->verdict = VERDICT_WRONG;
		o->stands = o->unstable = 1;
		snprintf(o->reason, sizeof o->reason,
			 "what becomes of NaN is open, but it must be the same when it is run again; other numbers "
			 "each time");
	}
	if (rc || differ || !set)
		return rc;
	if (open_twin(p, set, e)) { /* one that is given as a file has no other set: nothing is asked of it */
		err_clear(e);
		return 0;
	}
	rc = compare(t, p->twin, o, &differ, e);
	if (rc || !differ)
		return rc;
	o->verdict = first_verdict(o);
	o->stands = 1;
	snprintf(o->reason, sizeof o->reason, "what becomes of NaN is open, but it must be the same with %s: it is not",
		 p->twin->spec.name);
	return 0;
}
