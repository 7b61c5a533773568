/* constants.c - values that are the same in every run, computed once when a reference is opened.
 *
 * Small initializers are widened once.  Large ones of float32, and folded values, stay packed when all their readers
 * can take them so (the weights of convolutions): half of the bytes to keep and to read.  Nodes that only move data (no
 * rounding, so all modes agree) and depend on constants alone are folded, as long as their results stay within a
 * budget.  An initializer that is also a graph input may be replaced by the caller: a run in which that happens does
 * not use folded nodes. */
#include <string.h>

#include "base/mem.h"
#include "ops/call.h"
#include "reference/internal.h"

#define SMALL_CONSTANT 4096           /* elements: initializers up to this size are kept wide */
#define FOLD_BUDGET ((size_t)1 << 30) /* bytes of folded results in all */

/* Large enough to matter, and nobody wants it wide. */
static int may_be_packed(const struct ref *r, const struct wire *w, const struct tensor *t)
{
	return t->dtype == DT_FLOAT && t->count > SMALL_CONSTANT && !ref_plan(r, w->graph)->unpacked[w->id];
}

/* An initializer as it is; its bytes in the file may lie anywhere. */
static int is_usable_packed(const struct ref *r, const struct wire *w)
{
	return may_be_packed(r, w, w->init) && !w->init->wide && (uintptr_t)w->init->data % _Alignof(float) == 0;
}

static int prepare_initializers(struct ref *r, struct err *e)
{
	const struct graph *g = r->model->graph;

	for (size_t i = 0; i < g->wires.n; i++) {
		struct tensor *init = g->wires.at[i]->init, *kept;
		int packed = init && is_usable_packed(r, g->wires.at[i]);

		if (!init || (init->count > SMALL_CONSTANT && !packed))
			continue;
		kept = packed ? tensor_ref(init) : tensor_widen(init, e);
		r->constants[i] = kept ? value_tensor(kept, e) : NULL;
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

/* The value of a folded wire as it is kept: packed if that loses nothing and there is memory for it. */
static struct value *kept_value(const struct ref *r, const struct wire *w, struct value *v)
{
	struct tensor *wide = v->kind == VALUE_TENSOR ? v->tensor : NULL, *packed;
	struct err ignored = ERR_INIT;
	struct value *kept;

	if (!wide || !may_be_packed(r, w, wide))
		return value_ref(v);
	for (size_t i = 0; i < wide->count; i++)
		if (!(wide->f[i] == (double)(float)wide->f[i]))
			return value_ref(v);
	packed = tensor_pack(wide, &ignored);
	kept = packed ? value_tensor(packed, &ignored) : NULL;
	return kept ? kept : value_ref(v);
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
		rc = run_eval(run, &c, 0, NULL);
	if (!rc && output_bytes(&c) <= *budget) {
		*budget -= output_bytes(&c);
		for (int i = 0; i < n->n_out; i++)
			if (n->out[i])
				r->constants[n->out[i]->id] = kept_value(r, n->out[i], c.out_value[i]);
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
	struct ref_frame f = {.plan = ref_plan(r, g)};
	struct err ignored = ERR_INIT;
	size_t budget = FOLD_BUDGET;
	struct run run;
	int rc;

	r->constants = mem_array(g->wires.n, sizeof *r->constants);
	if (!r->constants)
		return err_nomem(e, "constants", g->wires.n * sizeof *r->constants);
	rc = prepare_initializers(r, e);
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
