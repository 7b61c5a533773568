/* rounded.c - see rounded.h. */
#include "backends/onnx/rounded.h"

#include <string.h>

#include "base/mem.h"

void rounded_close(struct rounded *r)
{
	if (!r)
		return;
	ref_close(r->ref);
	model_free(r->model);
	mem_free(r->names);
	mem_free(r);
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

int rounded_open(const void *bytes, size_t n, const struct backend_names *more, struct rounded **out, struct err *e)
{
	struct rounded *r = mem_zalloc(sizeof *r);
	int rc = r ? model_parse(bytes, n, "model", &r->model, e) : err_nomem(e, "a session", sizeof *r);

	if (!rc)
		rc = expose(r->model, more, e);
	if (!rc)
		rc = ref_open(r->model, &r->ref, e);
	if (!rc && !(r->names = mem_array(r->model->graph->outputs.n, sizeof *r->names)))
		rc = err_nomem(e, "names", 0);
	if (rc) {
		rounded_close(r);
		return rc;
	}
	for (size_t i = 0; i < r->model->graph->outputs.n; i++)
		r->names[i] = r->model->graph->outputs.at[i]->name;
	*out = r;
	return 0;
}

size_t rounded_outputs(void *session, const char *const **names)
{
	struct rounded *r = session;

	*names = r->names;
	return r->model->graph->outputs.n;
}

struct value **rounded_inputs(const struct rounded *r, const struct backend_values *in, struct err *e)
{
	const struct graph *g = r->model->graph;
	struct value **values = mem_array(g->inputs.n, sizeof *values);

	if (!values)
		err_nomem(e, "inputs", 0);
	for (size_t i = 0; values && i < g->inputs.n; i++)
		for (size_t k = 0; k < in->n; k++)
			if (!strcmp(in->at[k].name, g->inputs.at[i]->name))
				values[i] = in->at[k].value;
	return values;
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
		if (i == r->n || !(out[made] = value_convert(r->outputs[i].value, tensor_pack, e)))
			break;
	}
	if (made == wanted->n)
		return 0;
	while (made)
		value_unref(out[--made]);
	return e->code;
}

int rounded_run(struct rounded *r, const struct backend_run *q, const struct ref_options *o, struct value **out,
		struct err *e)
{
	struct ref_result result = {.n = 0};
	struct value **values = rounded_inputs(r, &q->in, e);
	int rc = values ? ref_run(r->ref, values, r->model->graph->inputs.n, o, &result, e) : e->code;

	if (!rc)
		rc = pick_outputs(&result, &q->wanted, out, e);
	ref_result_release(&result);
	mem_free(values);
	return rc;
}
