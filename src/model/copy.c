/* copy.c - deep copies of models.  Names, types and attributes are copied, tensors are shared. */
#include "model/copy.h"

#include <string.h>

#include "base/mem.h"

int copy_frame_init(struct copy_frame *f, const struct graph *from, struct graph *to, struct copy_frame *outer,
		    struct err *e)
{
	*f = (struct copy_frame){.from = from, .to = to, .outer = outer};
	f->wires = mem_array(from->wires.n, sizeof *f->wires);
	return f->wires ? 0 : err_nomem(e, "copying a graph", from->wires.n * sizeof *f->wires);
}

static struct wire *copied(const struct copy_frame *f, const struct wire *w)
{
	while (f && w && f->from != w->graph)
		f = f->outer;
	return f && w ? f->wires[w->id] : NULL;
}

static int hold(struct model *m, struct tensor *t, struct err *e)
{
	return model_hold(m, tensor_ref(t), e);
}

static int copy_type(struct model *m, const struct type *t, struct type *out, struct err *e)
{
	struct type *elem;
	int rc;

	*out = *t;
	if (!t->elem)
		return 0;
	elem = model_carve(m, 1, sizeof *elem, "a type", e);
	if (!elem)
		return status_of(e);
	rc = copy_type(m, t->elem, elem, e);
	out->elem = elem;
	return rc;
}

int copy_wire(struct copy_frame *f, const struct wire *w, const char *name, struct err *e)
{
	struct wire *copy = wire_new(f->to, name, e);

	if (!copy || copy_type(f->to->model, &w->type, &copy->type, e))
		return status_of(e);
	if (w->init && hold(f->to->model, w->init, e))
		return status_of(e);
	copy->init = w->init;
	copy->is_input = w->is_input;
	f->wires[w->id] = copy;
	return 0;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static int copy_graph(const struct graph *g, struct graph *parent, struct copy_frame *outer, struct model *m,
		      struct graph **out, struct err *e);

static void *copy_bytes(struct model *m, const void *p, size_t count, size_t size, struct err *e)
{
	void *copy = model_carve(m, count, size, "an attribute", e);

	return copy && count ? memcpy(copy, p, count * size) : copy;
}

static int copy_string(struct model *m, struct bytes *s, struct err *e)
{
	s->p = copy_bytes(m, s->p, s->n + 1, 1, e);
	return s->p ? 0 : status_of(e);
}

static int copy_strings(struct model *m, struct attr *a, struct err *e)
{
	int rc = 0;

	a->strings = copy_bytes(m, a->strings, a->n, sizeof *a->strings, e);
	if (!a->strings)
		return status_of(e);
	for (size_t i = 0; i < a->n && !rc; i++)
		rc = copy_string(m, &a->strings[i], e);
	return rc;
}

static int copy_tensors(struct model *m, struct attr *a, struct err *e)
{
	int rc = 0;

	a->tensors = copy_bytes(m, a->tensors, a->n, sizeof(struct tensor *), e);
	if (!a->tensors)
		return status_of(e);
	for (size_t i = 0; i < a->n && !rc; i++)
		rc = hold(m, a->tensors[i], e);
	return rc;
}

static int copy_graphs(struct copy_frame *f, struct attr *a, struct err *e)
{
	int rc = 0;

	a->graphs = copy_bytes(f->to->model, a->graphs, a->n, sizeof(struct graph *), e);
	if (!a->graphs)
		return status_of(e);
	for (size_t i = 0; i < a->n && !rc; i++)
		rc = copy_graph(a->graphs[i], f->to, f, f->to->model, &a->graphs[i], e);
	return rc;
}

static int copy_type_attr(struct model *m, struct attr *a, struct err *e)
{
	struct type *t = model_carve(m, 1, sizeof *t, "a type", e);
	int rc = t ? copy_type(m, a->tp, t, e) : status_of(e);

	a->tp = t;
	return rc;
}

/* Replaces what *a, a plain copy, points at by copies in f's model. */
static int deepen(struct copy_frame *f, struct attr *a, struct err *e)
{
	struct model *m = f->to->model;

	switch (a->type) {
	case ATTR_STRING:
		return copy_string(m, &a->s, e);
	case ATTR_TENSOR:
	case ATTR_SPARSE:
		return hold(m, a->t, e);
	case ATTR_GRAPH:
		return copy_graph(a->g, f->to, f, m, &a->g, e);
	case ATTR_FLOATS:
		a->floats = copy_bytes(m, a->floats, a->n, sizeof *a->floats, e);
		return a->floats ? 0 : status_of(e);
	case ATTR_INTS:
		a->ints = copy_bytes(m, a->ints, a->n, sizeof *a->ints, e);
		return a->ints ? 0 : status_of(e);
	case ATTR_STRINGS:
		return copy_strings(m, a, e);
	case ATTR_TENSORS:
		return copy_tensors(m, a, e);
	case ATTR_GRAPHS:
		return copy_graphs(f, a, e);
	case ATTR_TYPE:
		return copy_type_attr(m, a, e);
	case ATTR_NONE:
	case ATTR_FLOAT:
	case ATTR_INT:
		break;
	}
	return 0;
}

/* Of a tensor its elements too: counts of references are not for two threads. */
static int copy_apart(struct node *to, const struct attr *a, struct err *e)
{
	struct copy_frame f = {.to = to->graph};
	struct attr copy = *a;
	struct tensor *t;
	int rc;

	switch (a->type) {
	case ATTR_TENSOR:
		t = tensor_copy(a->t, e);
		return t ? node_set_tensor(to, a->name, t, e) : status_of(e);
	case ATTR_GRAPH:
	case ATTR_GRAPHS:
	case ATTR_TENSORS:
	case ATTR_SPARSE:
		return err_set(e, ERR_UNSUPPORTED, "attribute '%s' is of a type that is not copied", a->name);
	default:
		rc = deepen(&f, &copy, e);
		return rc ? rc : node_set(to, a->name, &copy, e);
	}
}

int node_copy_attrs(struct node *to, const struct node *from, struct err *e)
{
	int rc = 0;

	for (int i = 0; i < from->n_attrs && !rc; i++)
		rc = copy_apart(to, &from->attrs[i], e);
	return rc;
}

/* ---- nodes and graphs -------------------------------------------------------------------------------------------- */

int copy_node(struct copy_frame *f, const struct node *n, struct err *e)
{
	const struct node_spec same = {
		.name = n->name, .op_type = n->op_type, .domain = n->domain, .n_in = n->n_in, .n_out = n->n_out};
	struct node *copy = node_new(f->to, &same, n->n_attrs, e);

	if (!copy)
		return status_of(e);
	copy->opset = n->opset;
	copy->op = n->op;
	copy->version = n->version;
	for (int i = 0; i < n->n_in; i++)
		copy->in[i] = copied(f, n->in[i]);
	for (int i = 0; i < n->n_out; i++)
		node_set_output(copy, i, copied(f, n->out[i]));
	for (int i = 0; i < n->n_attrs; i++) {
		copy->attrs[i] = n->attrs[i];
		copy->attrs[i].name = model_strdup(f->to->model, n->attrs[i].name, e);
		if (!copy->attrs[i].name || deepen(f, &copy->attrs[i], e))
			return status_of(e);
	}
	return node_append(copy, e);
}

static int copy_contents(struct copy_frame *f, struct err *e)
{
	const struct graph *g = f->from;
	int rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++)
		rc = copy_wire(f, g->wires.at[i], g->wires.at[i]->name, e);
	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		if (vec_push(&f->to->inputs, copied(f, g->inputs.at[i])))
			rc = err_nomem(e, "a list of inputs", g->inputs.n);
	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		rc = copy_node(f, g->nodes.at[i], e);
	for (size_t i = 0; i < g->outputs.n && !rc; i++)
		if (vec_push(&f->to->outputs, copied(f, g->outputs.at[i])))
			rc = err_nomem(e, "a list of outputs", g->outputs.n);
	return rc;
}

static int copy_graph(const struct graph *g, struct graph *parent, struct copy_frame *outer, struct model *m,
		      struct graph **out, struct err *e)
{
	struct graph *to = graph_new(m, parent, g->name);
	struct copy_frame f;
	int rc;

	if (!to)
		return err_nomem(e, "a graph", sizeof *to);
	rc = copy_frame_init(&f, g, to, outer, e);
	if (rc)
		return rc;
	rc = copy_contents(&f, e);
	mem_free(f.wires);
	*out = to;
	return rc;
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

static int copy_lists(const struct model *m, struct model *to, struct err *e)
{
	to->ir_version = m->ir_version;
	to->producer = model_strdup(to, m->producer, e);
	if (!to->producer)
		return status_of(e);
	for (size_t i = 0; i < m->opsets.n; i++) {
		struct opset o = {model_strdup(to, m->opsets.at[i].domain, e), m->opsets.at[i].version};

		if (!o.domain || vec_push(&to->opsets, o))
			return err_nomem(e, "opsets", sizeof o);
	}
	for (size_t i = 0; i < m->symbols.n; i++) {
		const char *name = model_strdup(to, m->symbols.at[i], e);

		if (!name || vec_push(&to->symbols, name))
			return err_nomem(e, "symbols", sizeof name);
	}
	return 0;
}

int copy_head(const struct model *m, struct model **out, struct err *e)
{
	struct model *to = model_blank(m->path, e);
	int rc = to ? copy_lists(m, to, e) : status_of(e);

	if (rc)
		model_free(to);
	else
		*out = to;
	return rc;
}

int model_copy(const struct model *m, struct model **out, struct err *e)
{
	struct model *to = NULL;
	int rc = copy_head(m, &to, e);

	if (rc)
		return rc;
	rc = copy_graph(m->graph, NULL, NULL, to, &to->graph, e);
	if (rc)
		model_free(to);
	else
		*out = to;
	return rc;
}
