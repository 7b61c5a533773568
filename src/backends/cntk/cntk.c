/* cntk.c - the worker's backend for CNTK 2.7, through ONNX.
 *
 * Installed as lib/: the libraries of the PyPI wheel `cntk`, stubs for MPI, which one machine does not call, and the
 * shim (shim.cpp) through which ONNX comes in.  CNTK combines several outputs into one function and forgets their
 * names, so each output, of the graph or an intermediate tensor, is a model of its own: the graph, cut there.
 *
 * Three things can go wrong apart from wrong numbers, and the message says which: CNTK cannot convert the model
 * ("convert the model"), cannot load what it wrote itself, or fails while it runs. */
#include <stdlib.h>
#include <string.h>

#include "backends/cntk/cntk.h"
#include "backends/onnx/onnx.h"
#include "base/mem.h"
#include "ops/op.h"

#define KNOWN_OPSET 9 /* its reader is of ONNX 1.4 */

/* Operators that mean something else from an opset on that CNTK does not know: it would compute what they meant. */
static const struct {
	const char *op;
	int since;
} changed[] = {
	{"Gather", 11},  /* negative indices */
	{"Softmax", 13}, /* along one axis */
	{"LogSoftmax", 13},
	{"Hardmax", 13},
};

struct output {
	struct cntk_model model;
	struct type type; /* as inferred, or nothing known */
};

struct cntk_session {
	struct onnx_ports ports; /* first; of the model with its intermediate tensors */
	struct model *model;
	struct output *outputs; /* by output of `ports` */
};

static void close_context(void *ctx)
{
	struct cntk *k = ctx;

	mem_free(k);
}

static int open_context(const char *folder, const struct backend_options *options, void **ctx, const char **version,
			struct err *e)
{
	struct cntk *k = mem_zalloc(sizeof *k);
	int rc = k ? 0 : err_nomem(e, "CNTK", sizeof *k);

	if (!rc && backend_option_int(options, "threads", 1) != 1)
		rc = err_set(e, ERR_UNSUPPORTED, "CNTK runs on one thread here");
	if (!rc)
		rc = cntk_open_library(k, folder, e);
	if (rc) {
		mem_free(k);
		return rc;
	}
	*ctx = k;
	*version = "2.7"; /* it has no function that tells it; the file's name does */
	return 0;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static void unload(void *ctx, void *session)
{
	struct cntk_session *s = session;

	if (!s)
		return;
	for (size_t i = 0; s->outputs && i < s->ports.n_out; i++)
		cntk_model_release(ctx, &s->outputs[i].model);
	onnx_ports_release(&s->ports);
	model_free(s->model);
	mem_free(s->outputs);
	mem_free(s);
}

/* The graph up to one of its wires, as bytes. */
static int cut(const struct cntk_session *s, struct wire *to, struct buf *bytes, struct err *e)
{
	const struct graph *g = s->model->graph;
	struct wire **from = mem_array(g->inputs.n + 1, sizeof *from);
	struct model *part = NULL;
	size_t n = 0;
	int rc = from ? 0 : err_nomem(e, "inputs", g->inputs.n);

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		if (!g->inputs.at[i]->init)
			from[n++] = g->inputs.at[i];
	if (!rc)
		rc = graph_extract(g, from, n, &to, 1, &part, e);
	if (!rc)
		rc = model_serialize(part, bytes, e);
	model_free(part);
	mem_free(from);
	return rc;
}

/* Rows of a matrix are the same before and after.  Without the attribute CNTK takes 1, the default of its opset. */
static int is_of_rows(const struct node *n)
{
	const struct type *t = n->n_in && n->in[0] ? &n->in[0]->type : NULL;

	return strcmp(n->op_type, "Gather") && t && t->rank == 2 && node_int(n, "axis", 1) == 1;
}

static int check_meanings(const struct graph *g, struct err *e)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		for (size_t j = 0; j < sizeof changed / sizeof *changed; j++)
			if (!*n->domain && n->opset >= changed[j].since && !strcmp(n->op_type, changed[j].op) &&
			    !is_of_rows(n))
				return err_set(e, ERR_UNSUPPORTED, "%s of opset %d: CNTK knows opset %d", n->op_type,
					       n->opset, KNOWN_OPSET);
	}
	return 0;
}

static int load_output(const struct cntk *k, struct cntk_session *s, size_t i, const struct backend_model *m,
		       struct err *e)
{
	struct wire *w = s->model ? graph_wire(s->model->graph, s->ports.out[i]) : NULL;
	struct output *o = &s->outputs[i];
	struct buf bytes;
	int rc;

	o->type = (struct type)TYPE_INIT;
	if (w)
		o->type = w->type;
	if (w && o->type.kind == VALUE_TENSOR && o->type.dtype != DT_FLOAT && o->type.dtype != DT_UNDEFINED)
		return err_set(e, ERR_UNSUPPORTED, "output '%s' is of type %s: CNTK's C interface gives float32 alone",
			       s->ports.out[i], dtype_name(o->type.dtype));
	if (s->ports.n_out == 1)
		return cntk_model_load(k, m->bytes, m->n, &o->model, e);
	if (!w)
		return err_set(e, ERR_UNSUPPORTED, "output '%s' cannot be cut out", s->ports.out[i]);
	buf_init(&bytes, ONNX_MAX_MODEL);
	rc = cut(s, w, &bytes, e);
	if (!rc)
		rc = cntk_model_load(k, bytes.data, bytes.len, &o->model, e);
	buf_release(&bytes);
	return rc;
}

static int load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct cntk_session *s = mem_zalloc(sizeof *s);
	struct err ignored = ERR_INIT;
	struct buf exposed;
	int rc;

	if (!s)
		return err_nomem(e, "a session", sizeof *s);
	buf_init(&exposed, ONNX_MAX_MODEL);
	rc = onnx_expose(m, &exposed, e);
	if (!rc)
		rc = onnx_ports_read(exposed.data, exposed.len, &s->ports, e);
	/* A model that assay itself does not read still reaches the library, if it has one output. */
	if (!rc &&
	    (model_parse(exposed.data, exposed.len, "model", &s->model, &ignored) || ops_infer(s->model, &ignored))) {
		model_free(s->model);
		s->model = NULL;
	}
	if (!rc && !(s->outputs = mem_array(s->ports.n_out + 1, sizeof *s->outputs)))
		rc = err_nomem(e, "outputs", s->ports.n_out);
	if (!rc && s->model)
		rc = check_meanings(s->model->graph, e);
	for (size_t i = 0; !rc && i < s->ports.n_out; i++)
		rc = load_output(ctx, s, i, m, e);
	/* What it refuses of later opsets than it knows is nothing wrong with the model, nor with CNTK. */
	if (rc == ERR_INPUT && s->model && model_opset(s->model, "") > KNOWN_OPSET) {
		e->code = rc = ERR_UNSUPPORTED;
		err_prefix(e, "opset %d, CNTK knows %d", model_opset(s->model, ""), KNOWN_OPSET);
	}
	buf_release(&exposed);
	if (rc) {
		unload(ctx, s);
		return rc;
	}
	*session = s;
	return 0;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* CNTK adds an axis for the batch, or drops ones: where the elements are as many as inference says, its shape holds. */
static struct value *shaped(struct tensor *take, const struct type *t, struct err *e)
{
	struct tensor *x = take;
	size_t count = 1;

	for (int i = 0; type_is_static(t) && i < t->rank; i++)
		count *= (size_t)t->dims[i];
	if (type_is_static(t) && count == take->count) {
		x = tensor_new_packed(DT_FLOAT, t->rank, t->dims, e);
		if (x)
			memcpy(x->data, take->data, take->count * sizeof(float));
		tensor_unref(take);
	}
	return x ? value_tensor(x, e) : NULL;
}

static int run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	struct cntk_session *s = session;
	size_t n = 0;
	int rc = onnx_ports_check_given(&s->ports, &q->in, e);

	while (n < q->wanted.n && !rc) {
		int i = onnx_ports_find_output(&s->ports, q->wanted.at[n]);
		struct tensor *x = NULL;

		rc = i < 0 ? err_set(e, ERR_INPUT, "the session has no output '%s'", q->wanted.at[n])
			   : cntk_model_run(ctx, &s->outputs[i].model, &q->in, &x, e);
		if (!rc && !(out[n] = shaped(x, &s->outputs[i].type, e)))
			rc = e->code;
		n += !rc;
	}
	while (rc && n)
		value_unref(out[--n]);
	return rc;
}

const struct backend backend_cntk = {
	.api = BACKEND_API,
	.name = "cntk",
	.library = "cntk",
	.open = open_context,
	.close = close_context,
	.load = load,
	.unload = unload,
	.outputs = onnx_ports_outputs,
	.run = run,
};
