/* backend.c - the rounded reference with one planted defect, as a worker: fault:NAME.
 *
 * Options: fault, a name of src/faults/faults.def, or NAME@NODE for the node called NODE alone; precision, tf32, bf16
 * or f16, in which it computes.  It needs no library; its process is one that may crash or hang. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "faults/fault.h"
#include "reference/precision.h"
#include "worker/backend.h"

extern const struct backend backend_fault;

struct context {
	const struct fault *fault;
	char *node; /* NULL: in all nodes */
	enum ref_precision precision;
	struct fault_state state;
};

struct fault_session {
	struct model *model;
	struct ref *ref;
	const char **names; /* of the outputs */
};

static void backend_close(void *ctx)
{
	struct context *c = ctx;

	mem_free(c->node);
	mem_free(c);
}

static int backend_open(const char *folder, const struct backend_options *o, void **ctx, const char **version,
			struct err *e)
{
	const char *text = backend_option(o, "fault", ""), *node = strchr(text, '@');
	const char *low = backend_option(o, "precision", "");
	char name[64];
	const struct fault_row *row;
	struct context *c;

	(void)folder;
	snprintf(name, sizeof name, "%.*s", node ? (int)(node - text) : (int)strlen(text), text);
	row = fault_find(name);
	if (!row)
		return err_set(e, ERR_INPUT, "no fault '%s'%s; 'assay faults' lists them", name,
			       NEAR_HINT(name, fault_rows));
	c = mem_zalloc(sizeof *c);
	if (!c)
		return err_nomem(e, "a fault", sizeof *c);
	c->fault = row->fault;
	if (*low && !precision_find(low, &c->precision)) {
		backend_close(c);
		return err_set(e, ERR_USAGE, "precision is tf32, bf16 or f16, not '%s'", low);
	}
	if (node && !(c->node = mem_strdup(node + 1))) {
		backend_close(c);
		return err_nomem(e, "a fault", strlen(node));
	}
	*ctx = c;
	*version = ASSAY_VERSION;
	return 0;
}

static void backend_unload(void *ctx, void *session)
{
	struct fault_session *s = session;

	(void)ctx;
	if (!s)
		return;
	ref_close(s->ref);
	model_free(s->model);
	mem_free(s->names);
	mem_free(s);
}

static int expose(struct model *m, const struct backend_names *more, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < more->n && !rc; i++) {
		struct wire *w = graph_wire(m->graph, more->at[i]);

		rc = w ? graph_add_output(m->graph, w, e)
		       : err_set(e, ERR_INPUT, "the model has no tensor '%s'", more->at[i]);
	}
	return rc;
}

static int backend_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct fault_session *s = mem_zalloc(sizeof *s);
	int rc = s ? model_parse(m->bytes, m->n, "model", &s->model, e) : err_nomem(e, "a session", sizeof *s);

	if (!rc)
		rc = expose(s->model, &m->outputs, e);
	if (!rc)
		rc = ref_open(s->model, &s->ref, e);
	if (!rc && !(s->names = mem_array(s->model->graph->outputs.n, sizeof *s->names)))
		rc = err_nomem(e, "names", 0);
	if (rc) {
		backend_unload(ctx, s);
		return rc;
	}
	for (size_t i = 0; i < s->model->graph->outputs.n; i++)
		s->names[i] = s->model->graph->outputs.at[i]->name;
	*session = s;
	return 0;
}

static size_t backend_outputs(void *session, const char *const **names)
{
	struct fault_session *s = session;

	*names = s->names;
	return s->model->graph->outputs.n;
}

/* Values by name in the order of the graph's inputs; those not given stay NULL. */
static struct value **order_inputs(const struct graph *g, const struct backend_values *in, struct err *e)
{
	struct value **values = mem_array(g->inputs.n, sizeof *values);

	if (!values)
		err_nomem(e, "inputs", 0);
	for (size_t i = 0; values && i < g->inputs.n; i++)
		for (size_t k = 0; k < in->n; k++)
			if (!strcmp(in->at[k].name, g->inputs.at[i]->name))
				values[i] = in->at[k].value;
	return values;
}

static struct value *packed(struct value *v, struct err *e)
{
	struct tensor *t;

	if (v->kind != VALUE_TENSOR) {
		err_set(e, ERR_UNSUPPORTED, "only tensors come out of a fault");
		return NULL;
	}
	t = tensor_pack(v->tensor, e);
	return t ? value_tensor(t, e) : NULL;
}

static int pick_outputs(const struct ref_result *r, const struct backend_names *wanted, struct value **out,
			struct err *e)
{
	size_t made = 0;

	for (; made < wanted->n; made++) {
		size_t i = 0;

		while (i < r->n && strcmp(r->outputs[i].name, wanted->at[made]) != 0)
			i++;
		if (i == r->n)
			err_set(e, ERR_INPUT, "the model has no output '%s'", wanted->at[made]);
		if (i == r->n || !(out[made] = packed(r->outputs[i].value, e)))
			break;
	}
	if (made == wanted->n)
		return 0;
	while (made)
		value_unref(out[--made]);
	return e->code;
}

static int backend_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	struct context *c = ctx;
	struct fault_session *s = session;
	struct ref_options o = {.mode = REF_ROUNDED};
	struct ref_result result = {.n = 0};
	struct value **values = order_inputs(s->model->graph, &q->in, e);
	int rc = values ? 0 : e->code;

	fault_plant_at(c->fault, c->node, &c->state, &o);
	o.precision = c->precision;
	if (!rc)
		rc = ref_run(s->ref, values, s->model->graph->inputs.n, &o, &result, e);
	if (!rc)
		rc = pick_outputs(&result, &q->wanted, out, e);
	ref_result_release(&result);
	mem_free(values);
	return rc;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* Seeds by position of the graph's outputs, wide; the caller unrefs them. */
static int order_seeds(const struct graph *g, const struct backend_values *given, struct tensor **seeds, struct err *e)
{
	for (size_t i = 0; i < g->outputs.n; i++)
		for (size_t k = 0; k < given->n; k++)
			if (!strcmp(given->at[k].name, g->outputs.at[i]->name) && !seeds[i] &&
			    !(seeds[i] = tensor_widen(given->at[k].value->tensor, e)))
				return e->code;
	return 0;
}

/* Gradients have the type of what they are gradients of.  On failure nothing is left to unref. */
static int pack_all(struct wire *const *wires, struct tensor **t, size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		struct tensor *wide = t[i];

		wide->dtype = wires[i]->init ? wires[i]->init->dtype : wires[i]->type.dtype;
		t[i] = rc ? NULL : tensor_pack(wide, e);
		rc = t[i] ? rc : e->code;
		tensor_unref(wide);
	}
	for (size_t i = 0; rc && i < n; i++)
		tensor_unref(t[i]);
	return rc;
}

static int backend_backward(void *ctx, void *session, const struct backend_gradient *q, struct tensor **grads,
			    struct err *e)
{
	struct context *c = ctx;
	struct graph *g = ((struct fault_session *)session)->model->graph;
	struct ref_options o = {.mode = REF_ROUNDED};
	struct value **values = order_inputs(g, &q->in, e);
	struct tensor **by_output = mem_array(g->outputs.n, sizeof *by_output);
	struct wire **wires = mem_array(q->wanted.n, sizeof *wires);
	const struct ref_gradient of = {
		.inputs = values, .n = g->inputs.n, .seeds = by_output, .wanted = wires, .n_wanted = q->wanted.n};
	int rc = values && by_output && wires ? 0 : err_nomem(e, "gradients", 0);

	for (size_t i = 0; i < q->wanted.n && !rc; i++)
		if (!(wires[i] = graph_wire(g, q->wanted.at[i])))
			rc = err_set(e, ERR_INPUT, "the model has no tensor '%s'", q->wanted.at[i]);
	if (!rc)
		rc = order_seeds(g, &q->seeds, by_output, e);
	fault_plant_at(c->fault, c->node, &c->state, &o);
	if (!rc)
		rc = ref_backward(((struct fault_session *)session)->ref, &of, &o, grads, e);
	if (!rc)
		rc = pack_all(wires, grads, q->wanted.n, e);
	for (size_t i = 0; by_output && i < g->outputs.n; i++)
		tensor_unref(by_output[i]);
	mem_free(by_output);
	mem_free(values);
	mem_free(wires);
	return rc;
}

const struct backend backend_fault = {
	.api = BACKEND_API,
	.name = "fault",
	.library = "assay",
	.open = backend_open,
	.close = backend_close,
	.load = backend_load,
	.unload = backend_unload,
	.outputs = backend_outputs,
	.run = backend_run,
	.backward = backend_backward,
};
