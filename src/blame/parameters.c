/* parameters.c - which parameters of a guilty node matter (Audee, Algorithm 2, lines 7 to 16).
 *
 * Each attribute goes to its default (an attribute that has none: to a neutral value), each optional input is left out,
 * one at a time, everything else as it was; then all values that the caller knows of (blame_causal.value).  A change
 * that the reference refuses is no test.  The parameter is a source when the failure goes with it; when the changed
 * node crashes or gives NaN, that is said too, and of the caller's values the caller is told (blame_causal.fails).
 *
 * All parameters with which the failure goes are named, those first that leave the least of it: with initial_h at 0 the
 * peepholes P of an LSTM are not read either, so that both are conditions of a wrong P.
 *
 * Audee takes a difference as gone when the change rate stays below t2 = 2 although a search tries to amplify it.  In
 * a network of one layer δ_pre is 0, so the rate is δ / ε: on large values correct libraries are above that, and on
 * small ones any failure is below.  So it is gone when rounding explains what is left, and only then, unless the caller
 * gives a t2 (blame_causal.consistent). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "blame/internal.h"
#include "judge/distance.h"
#include "ops/attr.h"

#define CONSISTENT 2.0 /* t2 */
#define AMPLIFICATIONS 6

struct parameter_change {
	const char *attribute; /* NULL: an input, or … */
	int input;
	const struct blame_causal *causal; /* … value number `number` of those that it knows */
	size_t number;
	int is_last; /* there is no such number */
	struct blame_value value;
};

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static int is_required(const struct node *n, const char *attribute)
{
	const struct op_attr *row = n->op ? attr_row(n->op, attribute, n->version) : NULL;

	return row && row->required;
}

/* For attributes without a default. */
static int set_neutral(struct node *n, const struct attr *a, struct err *e)
{
	int64_t ones[TENSOR_MAX_RANK];

	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		ones[i] = 1;
	if (a->type == ATTR_INT)
		return node_set_int(n, a->name, a->i == 0, e);
	if (a->type == ATTR_FLOAT)
		return node_set_float(n, a->name, 1, e);
	if (a->type == ATTR_INTS && a->n <= TENSOR_MAX_RANK)
		return node_set_ints(n, a->name, ones, a->n, e);
	return err_set(e, ERR_UNSUPPORTED, "attribute '%s' has no neutral value", a->name);
}

static int change_node(struct node *n, struct parameter_change *c, struct err *e)
{
	if (c->causal) {
		int rc = c->causal->value(n, c->number, &c->value, c->causal->arg, e);

		c->is_last = !rc && !c->value.parameter;
		return c->is_last ? err_set(e, ERR_UNSUPPORTED, "no more values") : rc;
	}
	if (!c->attribute) {
		n->in[c->input] = NULL;
		return 0;
	}
	if (is_required(n, c->attribute))
		return set_neutral(n, node_attr(n, c->attribute), e);
	node_remove_attr(n, c->attribute);
	return 0;
}

static int apply(struct model *m, void *arg, struct err *e)
{
	struct node *n = m->graph->nodes.at[0];
	int rc = change_node(n, arg, e);

	for (int i = 0; i < n->n_out && !rc; i++) /* its shape may be another now */
		if (n->out[i])
			n->out[i]->type = (struct type)TYPE_INIT;
	if (!rc)
		rc = ops_bind(m, e);
	return rc ? rc : ops_infer(m, e);
}

/* ---- what comes of them ------------------------------------------------------------------------------------------ */

/* R_L of a network of this one layer: δ / ε. */
static double layer_rate(const struct trial *t, const struct outcome *o)
{
	double delta = 0;

	for (size_t i = 0; o->values && i < t->truth.n; i++) {
		const struct value *x = t->truth.outputs[i].value, *y = o->values[i];

		if (x->kind != VALUE_TENSOR || y->kind != VALUE_TENSOR || x->dtype == DT_STRING)
			continue;
		if (!tensor_same_shape(x->tensor, y->tensor))
			return (double)INFINITY;
		delta = fmax(delta, distance_mad(x->tensor, y->tensor));
	}
	return o->values ? delta / BLAME_EPSILON : (double)NAN;
}

struct result {
	enum verdict verdict;
	double rate, ratio;
	int valid;
};

static int measure(struct blaming *b, struct trial *t, struct result *r, struct err *e)
{
	struct outcome o = {0};
	int guilty, rc = trial_truth(t, e);

	*r = (struct result){.rate = NAN};
	if (rc == ERR_UNSUPPORTED || rc == ERR_LIMIT || (!rc && t->invalid)) {
		err_clear(e);
		return 0;
	}
	if (!rc)
		rc = blaming_judge(b, t, &o, &guilty, e);
	if (!rc)
		*r = (struct result){o.verdict, layer_rate(t, &o), blaming_ratio(&o), 1};
	outcome_release(&o);
	return rc;
}

/* Inputs moved by Cauchy noise, as Audee's search mutates them; references that the caller drops. */
static int move_inputs(struct value *const *in, size_t n, struct rng *rng, struct value **out, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct tensor *wide, *moved;

		out[i] = value_ref(in[i]);
		if (!in[i] || in[i]->kind != VALUE_TENSOR || !dtype_is_float(in[i]->tensor->dtype))
			continue;
		wide = tensor_widen(in[i]->tensor, e);
		moved = wide ? tensor_copy(wide, e) : NULL;
		tensor_unref(wide);
		if (!moved)
			return e->code;
		for (size_t k = 0; k < moved->count; k++)
			moved->f[k] += 0.1 * tan(3.14159265358979 * (rng_unit(rng) - 0.5));
		tensor_round(moved);
		value_unref(out[i]);
		out[i] = value_tensor(moved, e);
		if (!out[i])
			return e->code;
	}
	return 0;
}

static void drop_inputs(struct value **in, size_t n)
{
	for (size_t i = 0; in && i < n; i++)
		value_unref(in[i]);
	mem_free(in);
}

static double limit_of(const struct blaming *b)
{
	return b->r->causal && b->r->causal->consistent > 0 ? b->r->causal->consistent : CONSISTENT;
}

/* Audee, Algorithm 1 at input level with a population of one: the larger difference survives. */
static int amplify(struct blaming *b, struct trial *t, struct result *best, struct err *e)
{
	size_t n = t->model->graph->inputs.n;
	struct value *const *now = t->inputs;
	struct value **kept = NULL;
	struct rng rng;
	const struct blame_causal *causal = b->r->causal;
	size_t steps = causal && causal->steps ? causal->steps : AMPLIFICATIONS;
	int rc = 0;

	rng_init(&rng, t->seed);
	for (size_t i = 0; i < steps && !rc && best->rate < limit_of(b) && !blaming_is_over(b); i++) {
		struct value **moved = mem_array(n, sizeof *moved);
		struct trial next = {0};
		struct result r = {0};

		rc = moved ? move_inputs(now, n, &rng, moved, e) : err_nomem(e, "inputs", n);
		if (!rc)
			rc = blame_variant(t, NULL, NULL, moved, &next, e);
		if (!rc)
			rc = measure(b, &next, &r, e);
		if (!rc && r.valid && !(r.rate <= best->rate)) {
			struct value **old = kept;

			*best = r;
			now = kept = moved;
			moved = old;
		}
		drop_inputs(moved, n);
		trial_release(&next);
	}
	drop_inputs(kept, n);
	return rc;
}

/* What says nothing (an output that is the same everywhere) cures nothing, but a process that comes back is cured. */
static int is_gone(const struct blaming *b, const struct result *r)
{
	if (b->r->causal && b->r->causal->consistent > 0 && !blaming_is_process(b))
		return r->valid && r->rate < b->r->causal->consistent;
	return r->valid && verdict_is_right(r->verdict) && (r->verdict != VERDICT_VACUOUS || blaming_is_process(b));
}

/* The replaced value makes the layer fail in a way that needs no search for its source. */
static int tell_failure(struct blaming *b, const struct trial *t, const struct parameter_change *c,
			const struct result *r, struct err *e)
{
	int fails = verdict_is_of_process(r->verdict) || r->verdict == VERDICT_NAN;

	if (!c->causal->fails || !fails || r->verdict == b->r->outcome->verdict)
		return 0;
	return c->causal->fails(t, t->model->graph->nodes.at[0], &c->value, c->causal->arg, e);
}

static int try_change(struct blaming *b, const struct trial *alone, struct parameter_change *c, int amplified,
		      struct result *result, struct err *e)
{
	struct trial t = {0};
	int rc = blame_variant(alone, apply, c, NULL, &t, e);

	*result = (struct result){.rate = NAN};
	if (rc == ERR_UNSUPPORTED || rc == ERR_INPUT) {
		err_clear(e);
		return 0;
	}
	if (!rc)
		rc = measure(b, &t, result, e);
	if (!rc && result->valid && c->causal)
		rc = tell_failure(b, &t, c, result, e);
	if (!rc && result->valid && amplified && is_gone(b, result))
		rc = amplify(b, &t, result, e);
	trial_release(&t);
	return rc;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static int is_optional(const struct node *n, int i)
{
	return n->op && i < OP_MAX_PORTS && n->op->in[i].name && n->op->in[i].flags & PORT_OPTIONAL &&
	       !(n->op->in[i].flags & PORT_VARIADIC);
}

static const char *result_name(const struct blaming *b, const struct result *r)
{
	if (is_gone(b, r))
		return "gone";
	return blame_same_kind(b->r->outcome->verdict, r->verdict) ? "stays" : "fails otherwise";
}

static json_t *say(const struct blaming *b, const char *name, const struct result *r)
{
	if (!r->valid)
		return json_pack("{s:s, s:s}", "parameter", name, "result", "not valid without it");
	return json_pack("{s:s, s:s, s:s, s:o}", "parameter", name, "result", result_name(b, r), "verdict",
			 verdict_name(r->verdict), "rate", json_number_or_null(r->rate));
}

/* Those that leave less come first; of equals those that were tried first. */
static void add_guilty(struct guilty_parameters *out, const char *name, double ratio)
{
	size_t i = 0;

	while (i < out->n && strcmp(out->names[i], name) != 0)
		i++;
	if (i < out->n || i == BLAME_MAX_PARAMETERS) /* another value of it cures, too */
		return;
	if (isnan(ratio)) /* a process has none */
		ratio = 0;
	for (; i > 0 && out->left[i - 1] > ratio; i--) {
		out->names[i] = out->names[i - 1];
		out->left[i] = out->left[i - 1];
	}
	out->names[i] = name;
	out->left[i] = ratio;
	out->n++;
}

const char *blaming_parameters(struct blaming *b, const struct guilty_parameters *p, struct err *e)
{
	const char *all = "";

	for (size_t i = 0; i < p->n && all; i++)
		all = arena_printf(&b->out->texts, "%s%s%s", all, i ? ", " : "", p->names[i]);
	if (!all)
		err_nomem(e, "parameters", 0);
	return all;
}

/* The values that the caller knows, of all parameters that the node may have. */
static int try_values(struct blaming *b, const struct trial *alone, int amplified, struct guilty_parameters *out,
		      struct err *e)
{
	struct parameter_change c = {.causal = b->r->causal};
	int rc = 0;

	for (; c.causal && c.causal->value && !rc && !blaming_is_over(b); c.number++) {
		struct result r;

		rc = try_change(b, alone, &c, amplified, &r, e);
		if (rc || c.is_last)
			break;
		json_array_append_new(out->said, say(b, c.value.said, &r));
		if (is_gone(b, &r))
			add_guilty(out, c.value.parameter, r.ratio);
	}
	return rc;
}

int blame_parameters(struct blaming *b, struct trial *alone, const struct node *n, int amplified,
		     struct guilty_parameters *out, struct err *e)
{
	int rc = 0;

	out->n = 0;
	if (alone->model->graph->nodes.n != 1)
		return 0;
	for (int i = 0; i < n->n_attrs + n->n_in && !rc && !blaming_is_over(b); i++) {
		int input = i - n->n_attrs;
		struct parameter_change c = {.attribute = input < 0 ? n->attrs[i].name : NULL, .input = input};
		const char *name = c.attribute;
		struct result r;

		if (input >= 0 && (!n->in[input] || !is_optional(n, input)))
			continue;
		if (!name)
			name = n->op->in[input].name;
		rc = try_change(b, alone, &c, amplified, &r, e);
		if (rc)
			break;
		json_array_append_new(out->said, say(b, name, &r));
		if (is_gone(b, &r))
			add_guilty(out, name, r.ratio);
	}
	return rc || !amplified ? rc : try_values(b, alone, amplified, out, e);
}
