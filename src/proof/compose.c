/* compose.c - what all calls of a record mean together (declared in proof.h).
 *
 * Where each call is right and the result is not, the calls were put together wrongly, which is our own defect, or the
 * roundings of many calls add up to more than is expected of them.  So the meanings are computed one after the other in
 * double, each with what the calls before it mean in the place of what they gave: without any rounding.  When that is
 * the right answer, and the library's answer is what the last of these calls gave, then nothing is wrong but by
 * rounding. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "proof/proof.h"

struct composition {
	const struct calls *calls;
	const struct meanings *meanings;
	struct value **exact; /* by number of a value; NULL: no call made it */
	size_t n;
};

static void composition_release(struct composition *k)
{
	for (size_t i = 0; k->exact && i < k->n; i++)
		value_unref(k->exact[i]);
	mem_free(k->exact);
}

/* Inputs of a meaning are named as the values of the record. */
static void replace_inputs(const struct composition *k, struct meaning *m)
{
	for (size_t i = 0; i < m->model->graph->inputs.n; i++) {
		size_t number;

		if (sscanf(m->model->graph->inputs.at[i]->name, "v%zu", &number) != 1 || number >= k->n ||
		    !k->exact[number])
			continue;
		value_unref(m->inputs[i]);
		m->inputs[i] = value_ref(k->exact[number]);
	}
}

static int compute(struct composition *k, const struct recorded_call *call, struct meaning *m, struct err *e)
{
	struct ref_options exact = {.mode = REF_EXACT, .seed = 1};
	struct ref_result result = {.n = 0};
	struct ref *ref = NULL;
	int rc = ref_open(m->model, &ref, e);

	if (!rc)
		rc = ref_run(ref, m->inputs, m->model->graph->inputs.n, &exact, &result, e);
	for (size_t i = 0; !rc && i < call->n_results && i < result.n; i++)
		if (call->results[i] < k->n) {
			value_unref(k->exact[call->results[i]]);
			k->exact[call->results[i]] = value_ref(result.outputs[i].value);
		}
	ref_result_release(&result);
	ref_close(ref);
	return rc;
}

/* ERR_UNSUPPORTED: the call has no meaning. */
static int compose_call(struct composition *k, const struct recorded_call *call, struct err *e)
{
	struct meaning m;
	int rc = meaning_of(k->meanings, k->calls, call, &m, e);

	if (rc)
		return rc;
	if (m.model) {
		replace_inputs(k, &m);
		rc = compute(k, call, &m, e);
	} else {
		rc = err_set(e, ERR_UNSUPPORTED, "%.100s has no meaning", call->name);
	}
	meaning_release(&m);
	return rc;
}

static int same_elements(const struct tensor *a, const struct tensor *b)
{
	if (a->dtype != b->dtype || !tensor_same_shape(a, b) || a->dtype == DT_STRING)
		return 0;
	for (size_t i = 0; i < a->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i);

		if (x != y && (x == x || y == y))
			return 0;
	}
	return 1;
}

/* What the calls mean that made this output; NULL: none of them did. */
static const struct value *meaning_of_output(const struct composition *k, const struct value *got)
{
	for (size_t i = k->n; got->kind == VALUE_TENSOR && i-- > 0;) {
		const struct tensor *made = k->calls->values.at[i].tensor;

		if (k->exact[i] && made && same_elements(made, got->tensor))
			return k->exact[i];
	}
	return NULL;
}

static int outputs_are_right(const struct composition *k, const struct trial *t, const struct outcome *o)
{
	for (size_t i = 0; i < o->n && i < t->truth.n; i++) {
		const struct ref_output *right = &t->truth.outputs[i];
		const struct value *meant = meaning_of_output(k, o->values[i]);
		struct judgement j;

		if (!verdict_is_finding(o->judged[i].verdict))
			continue;
		if (!meant)
			return 0;
		judge_value(right->value, right->noise, meant, JUDGE_LIMIT, &j);
		if (verdict_is_finding(j.verdict))
			return 0;
	}
	return o->n == t->truth.n;
}

int proof_compose(const struct calls *c, const struct meanings *m, const struct trial *t, const struct outcome *o,
		  int *right, struct err *e)
{
	struct composition k = {.calls = c, .meanings = m, .n = c->values.n};
	struct err trouble = ERR_INIT;
	int rc = 0;

	*right = 0;
	k.exact = mem_array(k.n, sizeof *k.exact);
	if (!k.exact)
		return err_nomem(e, "values", k.n * sizeof *k.exact);
	for (size_t i = 0; i < c->calls.n && !rc; i++)
		rc = compose_call(&k, &c->calls.at[i], &trouble);
	if (!rc && o->values && o->judged)
		*right = outputs_are_right(&k, t, o);
	composition_release(&k);
	if (rc != ERR_MEMORY && rc != ERR_INTERNAL)
		return 0; /* what cannot be composed is not shown to be right */
	*e = trouble;
	return rc;
}
