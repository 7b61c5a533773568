/* expose.c - intermediate tensors as graph outputs; see onnx.h. */
#include "backends/onnx/onnx.h"
#include "model/model.h"
#include "ops/op.h"

/* Some libraries want a type on every graph output: what can be inferred is written down, the rest is left open. */
static int add_outputs(struct model *m, const struct backend_names *outputs, struct err *e)
{
	struct err ignored = ERR_INIT;
	int rc = 0;

	if (ops_bind(m, &ignored) || ops_infer(m, &ignored))
		err_clear(&ignored);
	for (size_t i = 0; i < outputs->n && !rc; i++) {
		struct wire *w = map_get(&m->graph->by_name, outputs->at[i]);

		if (!w)
			rc = err_set(e, ERR_INPUT, "the model has no tensor '%s' to expose", outputs->at[i]);
		else if (!graph_has_output(m->graph, w))
			rc = graph_add_output(m->graph, w, e);
	}
	return rc;
}

int onnx_expose(const struct backend_model *m, struct buf *out, struct err *e)
{
	struct model *model = NULL;
	int rc = m->path ? model_load(m->path, &model, e) : model_parse(m->bytes, m->n, "", &model, e);

	if (!rc)
		rc = add_outputs(model, &m->outputs, e);
	if (!rc)
		rc = model_serialize(model, out, e);
	model_free(model);
	return rc;
}

int onnx_exposed(const struct backend_model *m, struct buf *store, struct backend_model *out, struct err *e)
{
	int rc = m->outputs.n ? onnx_expose(m, store, e) : 0;

	*out = *m;
	if (!rc && m->outputs.n) {
		out->bytes = store->data;
		out->n = store->len;
		out->path = NULL; /* it has all now */
	}
	return rc;
}
