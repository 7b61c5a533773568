/* backend.c - the rounded reference with one planted defect, as a worker: fault:NAME.
 *
 * Options: fault, a name of src/faults/faults.def, or NAME@NODE for the node called NODE alone; precision, tf32, bf16
 * or f16, in which it computes.  It needs no library; its process is one that may crash or hang. */
#include <stdio.h>
#include <string.h>

#include "backends/onnx/rounded.h"
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
	(void)ctx;
	rounded_close(session);
}

static int backend_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct rounded *r;
	int rc = rounded_open(m->bytes, m->n, &m->outputs, &r, e);

	(void)ctx;
	if (!rc)
		*session = r;
	return rc;
}

static int backend_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	struct context *c = ctx;
	struct ref_options o = {.mode = REF_ROUNDED};

	fault_plant_at(c->fault, c->node, &c->state, &o);
	o.precision = c->precision;
	return rounded_run(session, q, &o, out, e);
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
	struct rounded *r = session;
	struct graph *g = r->model->graph;
	struct ref_options o = {.mode = REF_ROUNDED};
	struct value **values = rounded_inputs(r, &q->in, e);
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
		rc = ref_backward(r->ref, &of, &o, grads, e);
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
	.outputs = rounded_outputs,
	.run = backend_run,
	.backward = backend_backward,
};
