/* back.c - see back.h.
 *
 * A case whose values are right is run backwards as well: head gradients are drawn from its seed, and what comes is
 * held against the reference's gradients in units of their noise.  Nothing promises that a library has a gradient of
 * all that it runs: a refusal is none of its faults.
 *
 * A gradient passes many calls of a library, and bindings may end it where a number is known beforehand (the ends of a
 * Range): only what a node shows that is alone, with the reference's own tensors, is a finding, and it is that case
 * which is kept. */
#include <math.h>

#include "base/mem.h"
#include "blame/cut.h"
#include "judge/unjudged.h"
#include "methods/fuzz/back.h"
#include "ops/op.h"

static int is_fault(const struct outcome *o)
{
	return verdict_is_finding(o->verdict) && o->verdict != VERDICT_REJECTED;
}

/* Whether all is finite, or, of a node alone, no NaN. */
static int is_plain_value(const struct value *v, int alone)
{
	const struct tensor *t = v && v->kind == VALUE_TENSOR ? v->tensor : NULL;

	for (size_t i = 0; t && dtype_is_float(t->dtype) && i < t->count; i++) {
		double x = tensor_get(t, i);

		if (isnan(x) || (isinf(x) && !alone))
			return 0;
	}
	return 1;
}

/* An infinity makes NaN of a zero that another way of putting it leaves out; a node alone has one formula, and a limit.
 * Of NaN nothing is said. */
static int is_plain(const struct trial *t)
{
	const struct graph *g = t->model->graph;
	int plain = 1;

	for (size_t i = 0; i < g->inputs.n && plain; i++)
		plain = is_plain_value(t->inputs[i], g->nodes.n == 1);
	for (size_t i = 0; i < t->truth.n && plain; i++)
		plain = is_plain_value(t->truth.outputs[i].value, g->nodes.n == 1);
	return plain;
}

/* A case, and a part of it that shows the finding. */
struct back_case {
	struct trial *whole;
	struct party *party;
	const struct judge_options *judge;
	unsigned char *kinds;
	struct states states; /* of the whole */
	struct trial part;
	struct outcome alone;
};

static void forget_part(struct back_case *b)
{
	outcome_release(&b->alone);
	trial_release(&b->part);
	b->part = (struct trial){0};
}

static void back_release(struct back_case *b)
{
	forget_part(b);
	states_release(&b->states);
	mem_free(b->kinds);
}

/* *found: node n alone, given the reference's own tensors, is a finding.  Its head gradients are drawn: those of the
 * whole may be 0, which hides its slopes, and makes NaN where one is infinite. */
static int try_alone(struct back_case *b, struct node *n, int *found, struct err *e)
{
	struct cut c = {0};
	int rc = cut_plan(b->whole, b->kinds, &n, 1, 1, &c, e), empty = !c.n_to;

	if (!rc && !empty)
		rc = cut_trial(b->whole, b->kinds, &c, &b->states, &b->part, e);
	cut_release(&c);
	if (!rc && !empty)
		rc = trial_truth(&b->part, e);
	if (!rc && !empty && !b->part.invalid && is_plain(&b->part))
		rc = trial_judge_gradients(&b->part, b->party, b->judge, &b->alone, e);
	if (unjudged_status(rc)) { /* nothing of it has a gradient */
		err_clear(e);
		rc = 0;
	}
	*found = !rc && is_fault(&b->alone);
	if (!*found)
		forget_part(b);
	return rc;
}

/* The last node that shows it: what comes before it may be right. */
static int isolate(struct back_case *b, int *found, struct err *e)
{
	const struct graph *g = b->whole->model->graph;
	int rc = states_init(&b->states, b->whole, e);

	*found = 0;
	b->kinds = rc ? NULL : cut_kinds(b->whole, e);
	if (!rc && !b->kinds)
		rc = e->code;
	if (!rc) {
		states_want_all(&b->states, 0);
		rc = states_take(&b->states, b->whole, e);
	}
	for (size_t i = g->nodes.n; i > 0 && !rc && !*found; i--)
		if (g->nodes.at[i - 1]->op && g->nodes.at[i - 1]->op->grad)
			rc = try_alone(b, g->nodes.at[i - 1], found, e);
	return rc;
}

/* Whether the gradients are a finding that a node alone shows. */
static int accuse(struct trial *t, struct party *p, const struct judge_options *judge, const struct outcome *back,
		  int *found, struct err *e)
{
	struct back_case b = {.whole = t, .party = p, .judge = judge};
	int rc = 0;

	*found = is_fault(back);
	if (*found && t->model->graph->nodes.n > 1)
		rc = isolate(&b, found, e);
	back_release(&b);
	return rc;
}

/* Whether values that looked wrong had to be explained, as by a square that overflows: slopes are made of such values,
 * and nothing is known of them. */
static int is_explained(const struct outcome *o, const struct judge_options *judge)
{
	return !(o->first_ratio <= judge_limit(judge));
}

int fuzz_judge_gradients(struct trial *t, struct party *p, const struct judge_options *judge, struct outcome *o,
			 struct err *e)
{
	struct outcome back = {0};
	int found = 0, rc;

	if (!o->values || t->invalid || t->untold || !is_plain(t) || is_explained(o, judge) ||
	    (p->worker && !worker_can(p->worker, "backward")))
		return 0;
	rc = trial_judge_gradients(t, p, judge, &back, e);
	if (unjudged_status(rc)) {
		err_clear(e);
		return 0;
	}
	if (!rc)
		rc = accuse(t, p, judge, &back, &found, e);
	if (!rc && found) {
		outcome_release(o);
		*o = back;
	} else {
		outcome_release(&back);
	}
	return rc;
}

int fuzz_keep_gradients(struct keeper *k, struct trial *t, struct party *p, struct outcome *o, struct kept *out,
			struct err *e)
{
	struct back_case b = {.whole = t, .party = p, .judge = k->judge};
	int found = 0, rc;

	k->gradient = o->gradient;
	if (!o->gradient || t->model->graph->nodes.n == 1)
		return keep_case(k, t, p, o, out, e);
	rc = isolate(&b, &found, e);
	out->verdict = VERDICT_FLAKY; /* it was there a moment ago */
	if (!rc && found)
		rc = keep_case(k, &b.part, p, &b.alone, out, e);
	back_release(&b);
	return rc;
}
