/* ranges.c - cases that have no range of eight bits (declared in explain.h).
 *
 * A quantizer stores a tensor in steps between its smallest and its largest number.  Where one of them is infinite, or
 * NaN is among them, there are no steps, and nobody says what it is to do. */
#include <math.h>
#include <stdio.h>

#include "judge/explain.h"
#include "reference/precision.h"
#include "reference/quantized.h"

static int is_finite(const struct value *v)
{
	if (!v || v->kind != VALUE_TENSOR || !dtype_is_float(v->tensor->dtype))
		return 1;
	for (size_t i = 0; i < v->tensor->count; i++)
		if (!isfinite(tensor_get(v->tensor, i)))
			return 0;
	return 1;
}

static int look(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		void *arg)
{
	const struct wire **found = arg;

	(void)n;
	(void)out;
	(void)noise;
	if (!*found && quantized_is_stored(w) && !is_finite(v))
		*found = w;
	return 0;
}

static int is_constant_finite(const struct wire *w)
{
	for (size_t i = 0; w->init && dtype_is_float(w->init->dtype) && i < w->init->count; i++)
		if (!isfinite(tensor_get(w->init, i)))
			return 0;
	return 1;
}

/* The first tensor that is stored and has no range; NULL: none. */
static int find_unranged(struct trial *t, const struct wire **found, struct err *e)
{
	const struct graph *g = t->model->graph;
	const struct ref_options o = {.mode = REF_EXACT, .seed = t->seed, .observe = look, .observe_arg = found};
	struct ref_result result = {.n = 0};
	int rc;

	*found = NULL;
	for (size_t i = 0; i < g->inputs.n; i++)
		look(NULL, 0, g->inputs.at[i], t->inputs[i], NULL, found);
	for (size_t i = 0; i < g->wires.n && !*found; i++)
		if (quantized_is_stored(g->wires.at[i]) && !is_constant_finite(g->wires.at[i]))
			*found = g->wires.at[i];
	if (*found)
		return 0;
	rc = ref_run(t->ref, t->inputs, g->inputs.n, &o, &result, e);
	if (!rc)
		ref_result_release(&result);
	return rc;
}

int explain_unranged(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *o,
		     struct err *e)
{
	const char *name = spec_option(&p->spec, PARTY_LOWERS);
	enum ref_precision precision;
	const struct wire *found;
	char said[sizeof o->reason];
	int rc;

	if (!name || !precision_find(name, &precision) || !precision_row(precision)->steps || !t->ref || t->invalid ||
	    (options && options->strict) || (!verdict_is_of_numbers(o->verdict) && o->verdict != VERDICT_REJECTED))
		return 0;
	rc = find_unranged(t, &found, e);
	if (rc || !found)
		return rc;
	snprintf(said, sizeof said, "%s", o->reason);
	o->verdict = VERDICT_UNSPECIFIED;
	snprintf(o->reason, sizeof o->reason,
		 "'%.100s' has infinities or NaN, for which eight bits have no steps: %.250s", found->name, said);
	return 0;
}
