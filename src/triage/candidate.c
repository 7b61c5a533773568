/* candidate.c - variants of a case: copied, edited, and brought back into order (declared in reduction.h). */
#include "base/mem.h"
#include "ops/op.h"
#include "triage/reduction.h"

void candidate_release(struct candidate *c)
{
	for (size_t i = 0; c->inputs && i < c->model->graph->inputs.n; i++)
		value_unref(c->inputs[i]);
	mem_free(c->inputs);
	model_free(c->model);
	*c = (struct candidate){0};
}

int candidate_copy(const struct reduction *r, struct candidate *out, struct err *e)
{
	size_t n = r->now.model->graph->inputs.n;
	struct candidate c = {0};
	int rc = model_copy(r->now.model, &c.model, e);

	if (rc)
		return rc;
	c.inputs = mem_array(n, sizeof *c.inputs);
	if (!c.inputs) {
		model_free(c.model);
		return err_nomem(e, "inputs", n * sizeof *c.inputs);
	}
	for (size_t i = 0; i < n; i++)
		c.inputs[i] = value_ref(r->now.inputs[i]);
	*out = c;
	return 0;
}

/* Closes the gap in the list of values after the graph's list has lost entry i. */
static void forget_value(struct candidate *c, size_t i)
{
	value_unref(c->inputs[i]);
	for (; i < c->model->graph->inputs.n; i++)
		c->inputs[i] = c->inputs[i + 1];
}

void candidate_drop_input(struct candidate *c, size_t i)
{
	struct graph *g = c->model->graph;

	g->inputs.at[i]->is_input = 0;
	vec_remove(&g->inputs, i);
	forget_value(c, i);
}

int candidate_set_input(struct candidate *c, size_t i, struct tensor *take, struct err *e)
{
	struct value *v = value_tensor(take, e);

	if (!v)
		return e->code;
	value_unref(c->inputs[i]);
	c->inputs[i] = v;
	return 0;
}

struct tensor *candidate_tensor(const struct model *m, struct value *const *inputs, const struct wire *w)
{
	for (size_t i = 0; w->is_input && i < m->graph->inputs.n; i++)
		if (m->graph->inputs.at[i] == w && inputs[i])
			return inputs[i]->kind == VALUE_TENSOR ? inputs[i]->tensor : NULL;
	return w->init;
}

int candidate_set_default(struct candidate *c, size_t i, struct tensor *take, struct err *e)
{
	struct graph *g = c->model->graph;
	struct wire *w = g->inputs.at[i];
	int rc = graph_set_init(w, take, e); /* takes it off the list */

	if (!rc && vec_insert(&g->inputs, i, w))
		rc = err_nomem(e, "inputs", g->inputs.n);
	w->is_input = !rc;
	return rc;
}

int candidate_set_tensor(struct candidate *c, struct wire *w, struct tensor *take, struct err *e)
{
	const struct graph *g = c->model->graph;
	size_t i = 0;

	while (i < g->inputs.n && g->inputs.at[i] != w)
		i++;
	if (i == g->inputs.n)
		return graph_set_init(w, take, e);
	return c->inputs[i] ? candidate_set_input(c, i, take, e) : candidate_set_default(c, i, take, e);
}

int candidate_make_constant(struct candidate *c, size_t i, struct err *e)
{
	struct value *v = c->inputs[i];
	int rc;

	if (!v || v->kind != VALUE_TENSOR)
		return err_set(e, ERR_UNSUPPORTED, "only tensors can be initializers");
	rc = graph_set_init(c->model->graph->inputs.at[i], tensor_ref(v->tensor), e);
	if (!rc)
		forget_value(c, i);
	return rc;
}

/* ---- bringing it into order -------------------------------------------------------------------------------------- */

static int note_use(struct wire *w, void *arg)
{
	char *used = arg;

	if (!w->graph->parent)
		used[w->id] = 1;
	return 0;
}

static int drop_unused_inputs(struct candidate *c, struct err *e)
{
	struct graph *g = c->model->graph;
	char *used = mem_array(g->wires.n, 1);

	if (!used)
		return err_nomem(e, "inputs", g->wires.n);
	for (size_t i = 0; i < g->nodes.n; i++)
		node_for_each_read(g->nodes.at[i], note_use, used);
	for (size_t i = 0; i < g->outputs.n; i++)
		note_use(g->outputs.at[i], used);
	for (size_t i = g->inputs.n; i-- > 0;)
		if (!used[g->inputs.at[i]->id])
			candidate_drop_input(c, i);
	mem_free(used);
	return 0;
}

/* Dimensions that were declared as numbers become those of the value; symbols and unknown ones stay. */
static void fit_input(struct wire *w, const struct value *v)
{
	const struct tensor *t = v && v->kind == VALUE_TENSOR ? v->tensor : NULL;

	if (!t)
		return;
	if (w->type.rank != t->rank) {
		type_set(&w->type, t->dtype, t->rank, t->dims);
		return;
	}
	for (int i = 0; i < t->rank; i++)
		if (w->type.dims[i] >= 0)
			w->type.dims[i] = t->dims[i];
}

/* What is known of a value that is computed may be wrong after an edit.  Inputs of a body keep their ranks: nobody
 * infers them, and the ONNX checker wants a shape there. */
static void forget_types(struct graph *g)
{
	for (size_t i = 0; i < g->wires.n; i++)
		if (g->wires.at[i]->producer)
			g->wires.at[i]->type = (struct type)TYPE_INIT;
	for (size_t i = 0; g->parent && i < g->inputs.n; i++) {
		struct type *t = &g->inputs.at[i]->type;

		for (int axis = 0; axis < t->rank; axis++)
			t->dims[axis] = DIM_UNKNOWN;
	}
}

/* Infers anew; an output of which nothing comes out keeps its declared element type: readers want one. */
static int infer_again(struct model *m, struct err *e)
{
	struct graph *g = m->graph;
	struct type *declared = mem_array(g->outputs.n, sizeof *declared);
	int rc = declared ? 0 : err_nomem(e, "types", 0);

	for (size_t i = 0; i < g->outputs.n && !rc; i++)
		declared[i] = g->outputs.at[i]->type;
	for (size_t i = 0; i < m->graphs.n && !rc; i++)
		forget_types(m->graphs.at[i]);
	if (!rc)
		rc = ops_bind(m, e);
	if (!rc)
		rc = ops_infer(m, e);
	for (size_t i = 0; declared && i < g->outputs.n; i++) {
		struct type *t = &g->outputs.at[i]->type;

		if (t->kind != VALUE_NONE)
			continue;
		*t = declared[i];
		t->rank = -1;
	}
	mem_free(declared);
	return rc;
}

int candidate_finish(struct candidate *c, int lenient, struct err *e)
{
	struct graph *g = c->model->graph;
	int rc = graph_remove_dead(g);

	if (rc < 0)
		return err_set(e, rc, "cannot clean the graph");
	rc = drop_unused_inputs(c, e);
	if (rc)
		return rc;
	if (graph_remove_dead(g) < 0) /* the wires of dropped inputs */
		return err_nomem(e, "a graph", 0);
	if (!g->nodes.n)
		return err_set(e, ERR_INPUT, "no node is left");
	for (size_t i = 0; i < g->inputs.n; i++)
		fit_input(g->inputs.at[i], c->inputs[i]);
	rc = infer_again(c->model, e);
	if (rc == ERR_INPUT && lenient)
		rc = 0;
	return rc;
}

int candidate_same_type(const struct type *a, const struct type *b)
{
	return a->kind == VALUE_TENSOR && b->kind == VALUE_TENSOR && a->dtype == b->dtype && a->rank == b->rank &&
	       (a->rank <= 0 || !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims));
}
