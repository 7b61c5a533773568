/* against.c - a float16 or quantized model beside the float32 one that it was made of: where the loss begins.
 *
 * Both run on the same data, the original exactly, the narrow one with its own types.  Then the narrow one runs again,
 * with each tensor that has a counterpart put right as soon as it is measured: what is left is its own loss.  That loss
 * alone, put into the exact run of the original, has an effect on the outputs. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/narrow/internal.h"
#include "methods/narrow/match.h"

struct comparing {
	const struct graph *g, *other; /* original, narrow */
	struct ref *ref, *other_ref;
	const struct narrow_data *data;
	const struct narrow_options *o;
	struct narrow_against *out;
	struct outputs outputs;
	struct value **values, **others; /* by wire id */
	size_t *pair_of;                 /* by wire id of the narrow model: 1 + its pair */
	struct value **seen; /* by pair: what the narrow model gives with all before it right; NULL: not now */
};

static int is_float(const struct value *v)
{
	return v && v->kind == VALUE_TENSOR && dtype_is_float(v->tensor->dtype);
}

/* ---- inputs and outputs ------------------------------------------------------------------------------------------ */

/* Where a wire of the original is in a list of the narrow model's: by name, else at the same position. */
static size_t place_of(const struct wire *w, size_t at, struct wire *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i]->name, w->name))
			return i;
	return at < n ? at : n;
}

/* An input as the original wants it: floats may be of another type there. */
static struct value *input_as(struct value *v, enum dtype want, struct err *e)
{
	struct tensor *wide, *t;

	if (!v || !is_float(v) || !want || v->tensor->dtype == want)
		return v ? value_ref(v) : NULL;
	wide = tensor_widen(v->tensor, e);
	t = wide ? tensor_copy(wide, e) : NULL;
	tensor_unref(wide);
	if (t)
		t->dtype = want;
	return t ? value_tensor(t, e) : NULL;
}

static int run_original(struct comparing *c, size_t run, const struct ref_options *o, struct ref_result *out,
			struct err *e)
{
	size_t n = c->g->inputs.n;
	struct value **in = mem_array(n + 1, sizeof *in);
	int rc = in ? 0 : err_nomem(e, "inputs", n);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct wire *w = c->g->inputs.at[i];
		size_t at = place_of(w, i, c->other->inputs.at, c->other->inputs.n);
		struct value *given = at < c->other->inputs.n ? c->data->runs[run][at] : NULL;

		in[i] = input_as(given, w->type.dtype, e);
		if (given && !in[i])
			rc = e->code;
	}
	if (!rc)
		rc = ref_run(c->ref, in, n, o, out, e);
	passes_forget(in, in ? n : 0);
	mem_free(in);
	return rc ? err_prefix(e, "the original") : 0;
}

/* All its values, and its outputs. */
static int keep_original(struct comparing *c, size_t run, struct err *e)
{
	struct passes_keeping k = {c->values};
	const struct ref_options o = {.seed = c->o->seed, .observe = passes_keep, .observe_arg = &k};
	struct ref_result out = {.n = 0};
	int rc = run_original(c, run, &o, &out, e);

	if (rc)
		return rc;
	ref_result_release(&c->outputs.exact[run]);
	c->outputs.exact[run] = out;
	return 0;
}

static int run_narrow(struct comparing *c, size_t run, ref_tamper *tamper, struct ref_result *out, struct err *e)
{
	struct passes_keeping k = {c->others};
	struct ref_options o = {.mode = REF_ROUNDED, .seed = c->o->seed, .tamper = tamper, .tamper_arg = c};

	if (!tamper) {
		o.observe = passes_keep;
		o.observe_arg = &k;
	}
	return ref_run(c->other_ref, c->data->runs[run], c->other->inputs.n, &o, out, e);
}

/* The outputs of the narrow model in the order of the original's. */
static int sort_outputs(const struct comparing *c, struct ref_result *r, struct err *e)
{
	struct ref_output *sorted;

	if (c->g->outputs.n != c->other->outputs.n)
		return err_set(e, ERR_INPUT, "the original has %zu outputs, this model %zu", c->g->outputs.n,
			       c->other->outputs.n);
	sorted = mem_array(r->n + 1, sizeof *sorted);
	if (!sorted)
		return err_nomem(e, "outputs", r->n);
	for (size_t i = 0; i < r->n; i++) {
		size_t at = place_of(c->g->outputs.at[i], i, c->other->outputs.at, r->n);

		sorted[i] = r->outputs[at];
		sorted[i].value = value_ref(r->outputs[at].value);
		sorted[i].noise = NULL;
	}
	for (size_t i = 0; i < r->n; i++)
		value_unref(r->outputs[i].value);
	mem_free(r->outputs);
	r->outputs = sorted;
	return 0;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static int make_pairs(struct comparing *c, struct err *e)
{
	const struct match_side original = {c->g, c->values}, narrow = {c->other, c->others};
	struct narrow_against *a = c->out;
	int rc;

	a->pairs = mem_array(c->g->wires.n + 1, sizeof *a->pairs);
	c->pair_of = mem_array(c->other->wires.n + 1, sizeof *c->pair_of);
	if (!a->pairs || !c->pair_of)
		return err_nomem(e, "pairs", c->g->wires.n * sizeof *a->pairs);
	for (size_t i = 0; i < c->g->nodes.n; i++) {
		const struct node *n = c->g->nodes.at[i];

		for (int k = 0; k < n->n_out && n->n_in; k++)
			if (n->out[k] && is_float(c->values[n->out[k]->id]))
				a->pairs[a->n++] = (struct narrow_pair){.node = n,
									.wire = n->out[k],
									.correlation = (double)NAN,
									.local = (double)NAN,
									.effect = (double)NAN,
									.accumulated = (double)NAN};
	}
	rc = match_pairs(&original, &narrow, a->pairs, a->n, e);
	for (size_t i = 0; i < a->n && !rc; i++)
		if (a->pairs[i].other) {
			a->pairs[i].local = a->pairs[i].accumulated = 0;
			a->n_matched++;
			c->pair_of[a->pairs[i].other->id] = i + 1;
		}
	return rc;
}

static int measure_accumulated(struct comparing *c, struct err *e)
{
	const struct match_side narrow = {c->other, c->others};

	for (size_t i = 0; i < c->out->n; i++) {
		struct narrow_pair *p = &c->out->pairs[i];
		struct value *floats = NULL;

		if (!p->other || !c->values[p->wire->id])
			continue;
		if (match_floats(&narrow, p->other, &floats, e))
			return e->code;
		p->accumulated = fmax(p->accumulated, measure_loss(floats, c->values[p->wire->id]));
		value_unref(floats);
	}
	return 0;
}

/* The loss of what a node gave, before it is put right. */
static int measure_local(struct comparing *c, struct call *call, int out, struct narrow_pair *p)
{
	struct tensor *copy = tensor_copy(call->out[out], call->err);
	struct value *own = copy ? value_tensor(copy, call->err) : NULL, *floats = NULL;
	struct value **place = &c->others[p->other->id], *kept = *place;
	const struct match_side narrow = {c->other, c->others};
	int rc;

	if (!own)
		return call->err->code;
	tensor_round(own->tensor);
	*place = own; /* scales stand in the values of the run before */
	rc = match_floats(&narrow, p->other, &floats, call->err);
	*place = kept;
	if (!rc)
		p->local = fmax(p->local, measure_loss(floats, c->values[p->wire->id]));
	if (!rc && c->seen)
		c->seen[p - c->out->pairs] = value_ref(floats);
	value_unref(floats);
	value_unref(own);
	return rc;
}

static int put_right(struct call *call, int back, void *arg)
{
	struct comparing *c = arg;
	const struct match_side narrow = {c->other, c->others};

	for (int i = 0; i < call->n_out && !back && call->node->graph == c->other; i++) {
		const struct wire *w = call->node->out[i];
		struct narrow_pair *p = w && c->pair_of[w->id] ? &c->out->pairs[c->pair_of[w->id] - 1] : NULL;
		struct value *right = NULL;
		int rc;

		if (!p || !call->out[i] || !c->values[p->wire->id])
			continue;
		rc = measure_local(c, call, i, p);
		if (!rc)
			rc = match_stored(&narrow, w, c->values[p->wire->id], &right, call->err);
		if (!rc && right)
			rc = passes_replace(call, i, right);
		value_unref(right);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- effects ----------------------------------------------------------------------------------------------------- */

/* The exact run of the original but for one tensor. */
struct planted {
	const struct wire *wire;
	struct value *value;
};

static int plant(struct call *call, int back, void *arg)
{
	const struct planted *p = arg;

	for (int i = 0; i < call->n_out && !back; i++)
		if (call->node->out[i] == p->wire)
			return passes_replace(call, i, p->value);
	return 0;
}

static int measure_effect(struct comparing *c, size_t run, struct narrow_pair *p, struct value *seen, struct err *e)
{
	struct planted planted = {p->wire, input_as(seen, c->values[p->wire->id]->tensor->dtype, e)};
	const struct ref_options o = {.seed = c->o->seed, .tamper = plant, .tamper_arg = &planted};
	struct narrow_reach reach = {.error = 0};
	struct ref_result got = {.n = 0};
	int rc = planted.value ? run_original(c, run, &o, &got, e) : e->code;

	if (!rc) {
		measure_outputs(&c->outputs, &c->o->target, run, &got, &reach);
		p->effect = reach.error / c->o->target.limit;
		ref_result_release(&got);
	}
	value_unref(planted.value);
	return rc;
}

/* The pair with the largest local loss whose effect is not known. */
static struct narrow_pair *next_pair(struct comparing *c)
{
	struct narrow_pair *next = NULL;

	for (size_t i = 0; i < c->out->n; i++) {
		struct narrow_pair *p = &c->out->pairs[i];

		if (c->seen[i] && isnan(p->effect) && p->local > (next ? next->local : 0))
			next = p;
	}
	return next;
}

/* On the run that is furthest off. */
static int measure_effects(struct comparing *c, struct err *e)
{
	size_t run = c->out->reach.run, most = c->o->runs ? c->o->runs : NARROW_RUNS;
	struct ref_result got = {.n = 0};
	struct narrow_pair *p;
	int rc = keep_original(c, run, e);

	c->seen = mem_array(c->out->n + 1, sizeof *c->seen);
	if (!rc && !c->seen)
		rc = err_nomem(e, "tensors", c->out->n);
	if (!rc)
		rc = run_narrow(c, run, NULL, &got, e);
	ref_result_release(&got);
	if (!rc)
		rc = run_narrow(c, run, put_right, &got, e);
	ref_result_release(&got);
	for (size_t i = 0; i < most && !rc && (p = next_pair(c)); i++) {
		passes_tell(c->o, "effects", i, c->out->n_matched);
		rc = measure_effect(c, run, p, c->seen[p - c->out->pairs], e);
	}
	passes_forget(c->seen, c->out->n);
	passes_forget(c->values, c->g->wires.n);
	passes_forget(c->others, c->other->wires.n);
	return rc;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int compare_run(struct comparing *c, size_t run, struct ref_result *got, struct err *e)
{
	struct ref_result again = {.n = 0};
	int rc = keep_original(c, run, e);

	if (!rc) {
		c->outputs.n = run + 1;
		rc = run_narrow(c, run, NULL, got, e);
	}
	if (!rc)
		rc = sort_outputs(c, got, e);
	if (!rc && !run)
		rc = make_pairs(c, e);
	if (!rc)
		rc = measure_accumulated(c, e);
	if (!rc)
		rc = run_narrow(c, run, put_right, &again, e);
	if (!rc)
		ref_result_release(&again);
	passes_forget(c->values, c->g->wires.n);
	passes_forget(c->others, c->other->wires.n);
	return rc;
}

static void find_beginning(struct narrow_against *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct narrow_pair *p = &a->pairs[i];

		if (!p->other)
			continue;
		if (p->effect > (a->worst ? a->worst->effect : 0))
			a->worst = p;
		if (!a->first && p->accumulated > (a->target.top ? NARROW_TARGET : a->target.limit))
			a->first = p;
	}
}

static int compare_all(struct comparing *c, struct err *e)
{
	size_t n = c->data->n;
	struct ref_result *got = mem_array(n + 1, sizeof *got);
	int rc = 0;

	c->outputs.exact = mem_array(n + 1, sizeof *c->outputs.exact);
	c->values = mem_array(c->g->wires.n + 1, sizeof *c->values);
	c->others = mem_array(c->other->wires.n + 1, sizeof *c->others);
	if (!got || !c->outputs.exact || !c->values || !c->others)
		rc = err_nomem(e, "values", c->g->wires.n * sizeof *c->values);
	for (size_t run = 0; run < n && !rc; run++) {
		passes_tell(c->o, "losses", run, n);
		rc = compare_run(c, run, &got[run], e);
	}
	if (!rc)
		rc = measure_scales(&c->outputs, e);
	for (size_t run = 0; run < n && got; run++) {
		if (!rc)
			measure_outputs(&c->outputs, &c->o->target, run, &got[run], &c->out->reach);
		ref_result_release(&got[run]);
	}
	mem_free(got);
	return rc;
}

void narrow_against_release(struct narrow_against *a)
{
	mem_free(a->pairs);
	*a = (struct narrow_against){.n = 0};
}

int narrow_against(struct model *narrow, struct model *original, const struct narrow_data *data,
		   const struct narrow_options *o, struct narrow_against *out, struct err *e)
{
	struct narrow_against a = {
		.graph = original->graph, .other = narrow->graph, .target = o->target, .n_data = data->n};
	struct comparing c = {.g = original->graph, .other = narrow->graph, .data = data, .o = o, .out = &a};
	int rc = data->n ? ref_open(original, &c.ref, e) : err_set(e, ERR_INPUT, "no data to run the models on");

	if (!rc)
		rc = ref_open(narrow, &c.other_ref, e);
	if (!rc)
		rc = compare_all(&c, e);
	if (!rc)
		rc = measure_effects(&c, e);
	if (!rc)
		find_beginning(&a);
	mem_free(c.values);
	mem_free(c.others);
	mem_free(c.pair_of);
	mem_free(c.seen);
	measure_release(&c.outputs);
	ref_close(c.ref);
	ref_close(c.other_ref);
	if (rc)
		narrow_against_release(&a);
	else
		*out = a;
	return rc;
}
