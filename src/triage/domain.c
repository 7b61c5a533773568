/* domain.c - what a smaller case must not come to mean (declared in reduction.h).
 *
 * Numbers that were chosen with care become 0 and 1 while a case is reduced, nodes that kept values in range go.  What
 * is left may be valid and still say nothing: a scale of 0, a cast of what does not fit, a window in the padding alone,
 * a place that is as far from one pixel as from the next.  ONNX leaves open what becomes of it, so that no library is
 * wrong there.  Each operator has its rules (struct op_rule).  A rule that the case kept at first must be kept to the
 * end; one that it broke from the start, because its author wanted it so, does not count. */
#include <string.h>

#include "base/mem.h"
#include "ops/kit/domain.h"
#include "triage/reduction.h"

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static int has_rule(const struct domain *d, const struct op_rule *r)
{
	for (size_t i = 0; i < d->rules.n; i++)
		if (d->rules.at[i] == r)
			return 1;
	return 0;
}

int domain_within(const struct domain *a, const struct domain *b)
{
	if (b->anything)
		return 1;
	for (size_t i = 0; i < a->rules.n; i++)
		if (!has_rule(b, a->rules.at[i]))
			return 0;
	return a->not_finite <= b->not_finite && a->empty <= b->empty;
}

void domain_release(struct domain *d)
{
	vec_release(&d->rules);
}

/* ---- a case ------------------------------------------------------------------------------------------------------ */

struct domain_watch {
	const struct graph *g;
	char *wanted;          /* by wire id */
	struct value **values; /* by wire id: of those that are wanted */
	struct domain broken;
};

static const struct op_rule *rules_of(const struct node *n)
{
	return n->op ? n->op->rules : NULL;
}

static int see(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
	       void *arg)
{
	struct domain_watch *x = arg;

	(void)n;
	(void)out;
	(void)noise;
	if (!value_is_finite(v))
		x->broken.not_finite = 1;
	if (v->kind == VALUE_TENSOR && !v->tensor->count)
		x->broken.empty = 1;
	if (x->wanted[w->id] && !x->values[w->id])
		x->values[w->id] = value_ref((struct value *)v);
	return 0;
}

static int ask_rules(struct domain_watch *x, const struct node *n, struct err *e)
{
	const struct tensor *in[OP_RULE_PORTS];

	domain_inputs(n, x->g, x->values, in);
	for (const struct op_rule *r = rules_of(n); r && r->broken; r++)
		if (r->broken(n, in, r) && !has_rule(&x->broken, r) && vec_push(&x->broken.rules, r))
			return err_nomem(e, "rules", 0);
	return 0;
}

/* The inputs of nodes that rules are about. */
static void want(struct domain_watch *x, const struct trial *t)
{
	for (size_t i = 0; i < x->g->nodes.n; i++) {
		const struct node *n = x->g->nodes.at[i];

		for (int k = 0; k < n->n_in && rules_of(n); k++)
			if (n->in[k] && n->in[k]->graph == x->g)
				x->wanted[n->in[k]->id] = 1;
	}
	for (size_t i = 0; i < x->g->inputs.n; i++) {
		if (!value_is_finite(t->inputs[i]))
			x->broken.not_finite = 1;
		if (t->inputs[i])
			x->values[x->g->inputs.at[i]->id] = value_ref(t->inputs[i]);
	}
}

int domain_broken(struct trial *t, struct domain *out, struct err *e)
{
	struct domain_watch x = {.g = t->model->graph};
	struct ref_options o = {.mode = REF_EXACT, .seed = t->seed, .observe = see, .observe_arg = &x};
	struct ref_result result = {.n = 0};
	size_t n = x.g->wires.n;
	int rc;

	*out = (struct domain){VEC_INIT, 0, 0, 0};
	if (!t->ref)
		return 0;
	x.wanted = mem_array(n, 1);
	x.values = mem_array(n, sizeof *x.values);
	rc = x.wanted && x.values ? 0 : err_nomem(e, "values", n * sizeof *x.values);
	if (!rc) {
		want(&x, t);
		rc = ref_run(t->ref, t->inputs, x.g->inputs.n, &o, &result, e);
	}
	for (size_t i = 0; i < x.g->nodes.n && !rc; i++)
		rc = ask_rules(&x, x.g->nodes.at[i], e);
	for (size_t i = 0; x.values && i < n; i++)
		value_unref(x.values[i]);
	ref_result_release(&result);
	mem_free(x.wanted);
	mem_free(x.values);
	if (rc)
		domain_release(&x.broken);
	else
		*out = x.broken;
	return rc;
}

int domain_why_open(struct trial *t, const struct node *n, const char **why, struct err *e)
{
	const struct op_rule *first = domain_open_rule(n);
	struct domain broken;
	int rc;

	*why = NULL;
	if (!first) /* of most operators nothing is open: the reference need not be asked */
		return 0;
	rc = domain_broken(t, &broken, e);
	if (rc)
		return rc;
	for (const struct op_rule *r = first; r->broken && !*why; r++)
		if (r->open && has_rule(&broken, r))
			*why = r->open;
	domain_release(&broken);
	return 0;
}
