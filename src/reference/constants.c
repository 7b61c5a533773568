/* constants.c - values that are the same in every run, computed once when a reference is opened.
 *
 * Small initializers are widened once.  Nodes that only move data (no rounding, so all modes agree) and depend on
 * constants alone are folded, as long as their results stay within a budget.  An initializer that is also a graph input
 * may be replaced by the caller: a run in which that happens does not use folded nodes. */
#include <string.h>

#include "base/mem.h"
#include "ops/call.h"
#include "reference/internal.h"

#define SMALL_CONSTANT 4096           /* elements: initializers up to this size are kept wide */
#define FOLD_BUDGET ((size_t)1 << 30) /* bytes of folded results in all */

static int widen_initializers(struct ref *r, struct err *e)
{
	const struct graph *g = r->model->graph;

	for (size_t i = 0; i < g->wires.n; i++) {
		struct tensor *init = g->wires.at[i]->init, *wide;

		if (!init || init->count > SMALL_CONSTANT)
			continue;
		wide = tensor_widen(init, e);
		r->constants[i] = wide ? value_tensor(wide, e) : NULL;
		if (!r->constants[i])
			return e->code;
	}
	return 0;
}

/* Only moves data, the same in every mode and every run. */
static int is_foldable(const struct ref *r, const struct node *n)
{
	if (n->op->ulps != 0.0f || n->op->scale || (n->op->flags & (OP_RANDOM | OP_CONTROL)))
		return 0;
	for (int i = 0; i < n->n_in; i++)
		if (n->in[i] && (n->in[i]->graph != r->model->graph || !r->constants[n->in[i]->id]))
			return 0;
	return 1;
}

static size_t output_bytes(const struct call *c)
{
	size_t bytes = 0;

	for (int i = 0; i < c->n_out; i++)
		if (c->out[i])
			bytes += c->out[i]->count * dtype_wide_size(c->out[i]->dtype);
	return bytes;
}

/* Runs one node; whatever goes wrong will be said again, with its context, when the model runs. */
static void fold_node(struct run *run, struct node *n, size_t *budget)
{
	struct ref *r = run->ref;
	struct call c;
	int rc = run_call_begin(run, n, &c);

	for (int i = 0; i < n->n_in && !rc; i++)
		if (n->in[i])
			c.in_value[i] = value_ref(r->constants[n->in[i]->id]);
	if (!rc)
		rc = run_eval(run, &c, 0);
	if (!rc && output_bytes(&c) <= *budget) {
		*budget -= output_bytes(&c);
		for (int i = 0; i < n->n_out; i++)
			if (n->out[i])
				r->constants[n->out[i]->id] = value_ref(c.out_value[i]);
		r->folded = 1;
	}
	run_call_end(&c);
}

int constants_cover(const struct ref *r, const struct node *n)
{
	if (!n->n_out || n->graph != r->model->graph)
		return 0;
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && !r->constants[n->out[i]->id])
			return 0;
	return 1;
}

int constants_prepare(struct ref *r, struct err *e)
{
	const struct graph *g = r->model->graph;
	struct ref_options o = {.mode = REF_EXACT};
	struct frame f = {.plan = ref_plan(r, g)};
	struct err ignored = ERR_INIT;
	size_t budget = FOLD_BUDGET;
	struct run run;
	int rc;

	r->constants = mem_array(g->wires.n, sizeof *r->constants);
	if (!r->constants)
		return err_nomem(e, "constants", g->wires.n * sizeof *r->constants);
	rc = widen_initializers(r, e);
	if (rc)
		return rc;
	run_start(&run, r, &o, &ignored);
	run.frame = &f;
	for (size_t i = 0; i < g->nodes.n; i++)
		if (is_foldable(r, g->nodes.at[i]))
			fold_node(&run, g->nodes.at[i], &budget);
	return 0;
}

void constants_release(struct ref *r)
{
	for (size_t i = 0; r->constants && i < r->model->graph->wires.n; i++)
		value_unref(r->constants[i]);
	mem_free(r->constants);
}
