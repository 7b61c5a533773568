/* open.c - outputs that ONNX leaves open once numbers are rounded (declared in internal.h).
 *
 * In double precision a value may be large and harmless; in its type it is infinite, what comes of that NaN, and what
 * Cast makes of NaN nobody says.  The rules of operators name such results (op_rule.open).
 *
 * Where NaN goes into an operator that chooses (domain_has_nan()) the result is open, too, but not whatever it is: one
 * of the numbers that went in, 0 or NaN; of positions, one that there is. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "judge/internal.h"
#include "ops/kit/domain.h"

struct open_watch {
	const struct graph *g;
	struct value **values; /* by wire id, of what goes into nodes with such a rule; others are NULL */
	char *wanted, *open;   /* by wire id */
	char *chosen;          /* by wire id: open, and still one of the numbers that go into its node */
	const char *why;       /* of the first that is open */
	int others;            /* nodes that are open for another reason than NaN that is ordered */
};

/* What goes into nodes with a rule; false where there is none. */
static int find_wanted(struct open_watch *x, const struct trial *t)
{
	int some = 0;

	for (size_t i = 0; i < x->g->nodes.n; i++) {
		const struct node *n = x->g->nodes.at[i];

		for (int k = 0; domain_open_rule(n) && k < n->n_in; k++)
			if (n->in[k] && n->in[k]->graph == x->g)
				x->wanted[n->in[k]->id] = some = 1;
	}
	for (size_t i = 0; i < x->g->inputs.n; i++)
		if (t->inputs[i])
			x->values[x->g->inputs.at[i]->id] = value_ref(t->inputs[i]);
	return some;
}

/* The rule by which it is open, with what goes into it as this run has it; NULL: it is not. */
static const struct op_rule *why_open(const struct open_watch *x, const struct node *n)
{
	const struct tensor *in[OP_RULE_PORTS];

	domain_inputs(n, x->g, x->values, in);
	for (const struct op_rule *r = domain_open_rule(n); r && r->broken; r++)
		if (r->open && r->broken(n, in, r))
			return r;
	return NULL;
}

static int see(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
	       void *arg)
{
	struct open_watch *x = arg;
	const struct op_rule *why = why_open(x, n);
	int before = 0;

	(void)out;
	(void)noise;
	for (int i = 0; i < n->n_in; i++)
		before |= n->in[i] && n->in[i]->graph == x->g && x->open[n->in[i]->id];
	if (!x->why && why)
		x->why = why->open;
	x->others += why && why->broken != domain_has_nan;
	x->open[w->id] = (char)(before || why);
	x->chosen[w->id] = (char)(!before && why && why->broken == domain_has_nan);
	if (x->wanted[w->id] && !x->values[w->id])
		x->values[w->id] = value_ref((struct value *)v);
	return 0;
}

/* ---- numbers that are chosen ------------------------------------------------------------------------------------- */

#define ALIKE 1e-3 /* a library's own number, of which the reference has another rounding */

static int is_among(double got, const struct tensor *const *in)
{
	for (int k = 0; k < OP_RULE_PORTS; k++)
		for (size_t i = 0; in[k] && i < in[k]->count; i++) {
			double x = tensor_get(in[k], i);

			if (x == got || fabs(x - got) <= ALIKE * fabs(x))
				return 1;
		}
	return 0;
}

/* What came of a node that chooses: floats are among those that went in, 0, NaN, or the lowest, which windows without
 * numbers have; integers are positions. */
static int is_choice(const struct open_watch *x, const struct node *n, const struct value *got)
{
	const struct tensor *in[OP_RULE_PORTS], *y = got->kind == VALUE_TENSOR ? got->tensor : NULL;

	domain_inputs(n, x->g, x->values, in);
	for (size_t i = 0; y && in[0] && i < y->count; i++) {
		double a = tensor_get(y, i);

		if (dtype_is_float(y->dtype) ? !(isnan(a) || a == 0 || a <= dtype_lowest(y->dtype) || is_among(a, in))
					     : a < 0 || a >= (double)in[0]->count)
			return 0;
	}
	return 1;
}

int open_outputs(struct trial *t, struct value *const *got, char **open, struct open_reason *why, struct err *e)
{
	struct open_watch x = {.g = t->model->graph};
	struct ref_options o = {.mode = REF_ROUNDED, .seed = t->seed, .observe = see, .observe_arg = &x};
	struct ref_result result = {.n = 0};
	size_t n = x.g->wires.n;
	int rc = 0;

	x.values = mem_array(n, sizeof *x.values);
	x.wanted = mem_array(n, 1);
	x.open = mem_array(n, 1);
	x.chosen = mem_array(n, 1);
	*open = mem_array(x.g->outputs.n, 1);
	if (!x.values || !x.wanted || !x.open || !x.chosen || !*open)
		rc = err_nomem(e, "values", n * sizeof *x.values);
	else if (find_wanted(&x, t))
		rc = ref_run(t->ref, t->inputs, x.g->inputs.n, &o, &result, e);
	for (size_t i = 0; i < x.g->outputs.n && !rc; i++) {
		const struct wire *w = x.g->outputs.at[i];

		if (w->graph == x.g)
			(*open)[i] = x.open[w->id] && (!got || !x.chosen[w->id] || is_choice(&x, w->producer, got[i]));
	}
	for (size_t i = 0; x.values && i < n; i++)
		value_unref(x.values[i]);
	ref_result_release(&result);
	mem_free(x.values);
	mem_free(x.wanted);
	mem_free(x.open);
	mem_free(x.chosen);
	*why = (struct open_reason){.text = x.why, .of_nan = x.why && !x.others};
	if (rc) {
		mem_free(*open);
		*open = NULL;
	}
	return rc;
}
