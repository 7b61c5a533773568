/* expose.c - intermediate tensors as graph outputs; see onnx.h. */
#include "backends/onnx/onnx.h"
#include "model/model.h"
#include "ops/op.h"

static int is_output(const struct graph *g, const struct wire *w)
{
	for (size_t i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i] == w)
			return 1;
	return 0;
}

/* Some libraries want a type on every graph output: what can be inferred is written down, the rest is left open. */
static int add_outputs(struct model *m, const char *const *outputs, size_t n_outputs, struct err *e)
{
	struct err ignored = ERR_INIT;
	int rc = 0;

	if (ops_bind(m, &ignored) || ops_infer(m, &ignored))
		err_clear(&ignored);
	for (size_t i = 0; i < n_outputs && !rc; i++) {
		struct wire *w = map_get(&m->graph->by_name, outputs[i]);

		if (!w)
			rc = err_set(e, ERR_INPUT, "the model has no tensor '%s' to expose", outputs[i]);
		else if (!is_output(m->graph, w))
			rc = graph_add_output(m->graph, w, e);
	}
	return rc;
}

int onnx_expose(const void *model, size_t n, const char *const *outputs, size_t n_outputs, struct buf *out,
		struct err *e)
{
	struct model *m = NULL;
	int rc = model_parse(model, n, "", &m, e);

	if (!rc)
		rc = add_outputs(m, outputs, n_outputs, e);
	if (!rc)
		rc = model_serialize(m, out, e);
	model_free(m);
	return rc;
}
