/* graph.c - building graphs: wires, inputs, initializers, outputs, nodes.
 *
 * Two layers: wire_new(), node_new() and node_append() only keep the tables right and serve the reader and the copier;
 * the graph_add_*() functions also check what a caller gives them. */
#include <stdio.h>
#include <string.h>

#include "model/internal.h"

struct graph *graph_new(struct model *m, struct graph *parent, const char *name)
{
	struct graph *g = model_carve(m, 1, sizeof *g, "a graph", NULL);
	char *copy = g ? model_strdup(m, name, NULL) : NULL;

	if (!copy)
		return NULL;
	g->model = m;
	g->parent = parent;
	g->name = copy;
	return vec_push(&m->graphs, g) ? NULL : g;
}

int graph_is_inside(const struct graph *g, const struct graph *outer)
{
	while (g && g != outer)
		g = g->parent;
	return g != NULL;
}

void graph_renumber(struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->index = (int)i;
	for (size_t i = 0; i < g->wires.n; i++)
		g->wires.at[i]->id = (int)i;
}

/* ---- wires ------------------------------------------------------------------------------------------------------- */

struct wire *wire_new(struct graph *g, const char *name, struct err *e)
{
	struct wire *w;

	if (map_get(&g->by_name, name)) {
		err_set(e, ERR_INPUT, "'%s' is defined twice", name);
		return NULL;
	}
	w = model_carve(g->model, 1, sizeof *w, "a value", e);
	if (!w)
		return NULL;
	w->name = model_strdup(g->model, name, e);
	if (!w->name)
		return NULL;
	w->graph = g;
	w->type = (struct type)TYPE_INIT;
	w->id = (int)g->wires.n;
	if (vec_push(&g->wires, w)) {
		err_nomem(e, "a list of values", g->wires.n * sizeof w);
		return NULL;
	}
	if (map_put(&g->by_name, w->name, w)) {
		g->wires.n--;
		err_nomem(e, "a table of names", strlen(name));
		return NULL;
	}
	return w;
}

struct wire *graph_wire(const struct graph *g, const char *name)
{
	struct wire *w = NULL;

	for (; g && !w; g = g->parent)
		w = map_get(&g->by_name, name);
	return w;
}

/* A name that hides nothing and is hidden by nothing: new in g, in the graphs around it and in those inside it. */
static int check_new_name(const struct graph *g, const char *name, struct err *e)
{
	if (!*name)
		return err_set(e, ERR_INPUT, "a value needs a name");
	if (graph_wire(g, name))
		return err_set(e, ERR_INPUT, "'%s' is defined twice", name);
	for (size_t i = 0; i < g->model->graphs.n; i++) {
		const struct graph *inner = g->model->graphs.at[i];

		if (inner != g && graph_is_inside(inner, g) && map_get(&inner->by_name, name))
			return err_set(e, ERR_INPUT, "'%s' is defined in graph '%s' already", name, inner->name);
	}
	return 0;
}

struct wire *graph_add_wire(struct graph *g, const char *name, struct err *e)
{
	return check_new_name(g, name, e) ? NULL : wire_new(g, name, e);
}

int graph_rename_wire(struct wire *w, const char *name, struct err *e)
{
	struct graph *g = w->graph;
	char *copy;
	int rc;

	if (!strcmp(w->name, name))
		return 0;
	rc = check_new_name(g, name, e);
	if (rc)
		return rc;
	copy = model_strdup(g->model, name, e);
	if (!copy)
		return status_of(e);
	if (map_put(&g->by_name, copy, w))
		return err_nomem(e, "a table of names", strlen(name));
	map_remove(&g->by_name, w->name);
	w->name = copy;
	return 0;
}

int graph_add_input(struct graph *g, const char *name, const struct type *t, struct wire **out, struct err *e)
{
	struct wire *w = graph_add_wire(g, name, e);

	if (!w)
		return status_of(e);
	if (vec_push(&g->inputs, w)) {
		map_remove(&g->by_name, name);
		g->wires.n--;
		return err_nomem(e, "a list of inputs", g->inputs.n * sizeof w);
	}
	w->is_input = 1;
	if (t)
		w->type = *t;
	if (out)
		*out = w;
	return 0;
}

int graph_add_init(struct graph *g, const char *name, struct tensor *take, struct wire **out, struct err *e)
{
	struct tensor *packed = tensor_pack(take, e);
	struct wire *w;

	tensor_unref(take);
	if (!packed || model_hold(g->model, packed, e))
		return status_of(e);
	w = graph_add_wire(g, name, e);
	if (!w)
		return status_of(e);
	w->init = packed;
	type_set(&w->type, packed->dtype, packed->rank, packed->dims);
	if (out)
		*out = w;
	return 0;
}

int graph_set_init(struct wire *w, struct tensor *take, struct err *e)
{
	struct graph *g = w->graph;
	struct tensor *packed;

	if (w->producer) {
		tensor_unref(take);
		return err_set(e, ERR_INPUT, "'%s' is the output of a node and cannot be an initializer", w->name);
	}
	packed = tensor_pack(take, e);
	tensor_unref(take);
	if (!packed || model_hold(g->model, packed, e))
		return status_of(e);
	for (size_t i = g->inputs.n; i-- > 0;)
		if (g->inputs.at[i] == w)
			vec_remove(&g->inputs, i);
	w->is_input = 0;
	w->init = packed;
	type_set(&w->type, packed->dtype, packed->rank, packed->dims);
	return 0;
}

int graph_has_output(const struct graph *g, const struct wire *w)
{
	for (size_t i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i] == w)
			return 1;
	return 0;
}

static int is_it(struct wire *w, void *arg)
{
	return w == arg;
}

int graph_reads(const struct graph *g, const struct wire *w)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (node_for_each_read(g->nodes.at[i], is_it, (void *)w))
			return 1;
	return 0;
}

int graph_add_output(struct graph *g, struct wire *w, struct err *e)
{
	if (!graph_is_inside(g, w->graph))
		return err_set(e, ERR_INPUT, "'%s' cannot be an output of graph '%s' which does not see it", w->name,
			       g->name);
	if (graph_has_output(g, w))
		return err_set(e, ERR_INPUT, "'%s' is an output already", w->name);
	if (vec_push(&g->outputs, w))
		return err_nomem(e, "a list of outputs", g->outputs.n * sizeof w);
	return 0;
}

void graph_remove_output(struct graph *g, struct wire *w)
{
	for (size_t i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i] == w) {
			vec_remove(&g->outputs, i);
			return;
		}
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

struct node *node_new(struct graph *g, const struct node_spec *spec, int n_attrs, struct err *e)
{
	const char *domain = spec->domain ? spec->domain : "";
	struct model *m = g->model;
	struct node *n = model_carve(m, 1, sizeof *n, "a node", e);

	if (!n)
		return NULL;
	n->graph = g;
	n->n_in = spec->n_in;
	n->n_out = spec->n_out;
	n->n_attrs = n_attrs;
	n->name = model_strdup(m, spec->name, e);
	n->op_type = n->name ? model_strdup(m, spec->op_type, e) : NULL;
	n->domain = n->op_type ? model_strdup(m, domain, e) : NULL;
	n->in = n->domain ? model_carve(m, (size_t)n->n_in, sizeof(struct wire *), "a node's inputs", e) : NULL;
	n->out = n->in ? model_carve(m, (size_t)n->n_out, sizeof(struct wire *), "a node's outputs", e) : NULL;
	n->attrs = n->out ? model_carve(m, (size_t)n_attrs, sizeof *n->attrs, "a node's attributes", e) : NULL;
	return n->attrs ? n : NULL;
}

int node_append(struct node *n, struct err *e)
{
	struct graph *g = n->graph;

	n->index = (int)g->nodes.n;
	if (vec_push(&g->nodes, n))
		return err_nomem(e, "a list of nodes", g->nodes.n * sizeof n);
	return 0;
}

void node_set_output(struct node *n, int slot, struct wire *w)
{
	n->out[slot] = w;
	if (!w)
		return;
	w->producer = n;
	w->producer_slot = slot;
}

static int name_is_taken(const struct graph *g, const char *name)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!strcmp(g->nodes.at[i]->name, name))
			return 1;
	return 0;
}

/* Inputs must be seen by g and be made before position `at`. */
static int check_inputs(const struct graph *g, size_t at, struct wire *const *in, int n_in, struct err *e)
{
	for (int i = 0; i < n_in; i++) {
		const struct wire *w = in[i];

		if (!w)
			continue;
		if (!graph_is_inside(g, w->graph))
			return err_set(e, ERR_INPUT, "input '%s' is not visible in graph '%s'", w->name, g->name);
		if (w->graph == g && w->producer && (size_t)w->producer->index >= at)
			return err_set(e, ERR_INPUT, "input '%s' is made after the place of the new node", w->name);
	}
	return 0;
}

/* The outputs of a new node, as wires that no node makes yet.  On failure the caller takes back those made. */
static int make_outputs(struct graph *g, struct node *n, const char *const *names, struct err *e)
{
	for (int i = 0; i < n->n_out; i++) {
		if (!names[i])
			continue;
		n->out[i] = graph_add_wire(g, names[i], e);
		if (!n->out[i])
			return status_of(e);
	}
	return 0;
}

static void take_back_wires(struct graph *g, size_t n)
{
	while (g->wires.n > n) {
		g->wires.n--;
		map_remove(&g->by_name, g->wires.at[g->wires.n]->name);
	}
}

/* Adds a node that has a name. */
static int add_named(struct graph *g, size_t at, const struct node_spec *spec, struct node **out, struct err *e)
{
	const char *domain = spec->domain ? spec->domain : "";
	int opset = model_opset(g->model, domain), rc = check_inputs(g, at, spec->in, spec->n_in, e);
	size_t wires = g->wires.n;
	struct node *n;

	if (rc)
		return rc;
	if (!opset)
		return err_set(e, ERR_INPUT, "the model imports no opset of domain '%s'", domain);
	n = node_new(g, spec, 0, e);
	if (!n)
		return status_of(e);
	n->opset = opset;
	for (int i = 0; i < n->n_in; i++)
		n->in[i] = spec->in[i];
	rc = make_outputs(g, n, spec->out, e);
	if (!rc && vec_insert(&g->nodes, at, n))
		rc = err_nomem(e, "a list of nodes", g->nodes.n * sizeof n);
	if (rc) {
		take_back_wires(g, wires);
		return rc;
	}
	for (int i = 0; i < n->n_out; i++)
		node_set_output(n, i, n->out[i]);
	for (size_t i = at; i < g->nodes.n; i++)
		g->nodes.at[i]->index = (int)i;
	if (out)
		*out = n;
	return 0;
}

int graph_add_node(struct graph *g, size_t at, const struct node_spec *spec, struct node **out, struct err *e)
{
	struct node_spec named = *spec;
	size_t k = g->nodes.n;
	char name[256];

	if (spec->name)
		return add_named(g, at, spec, out, e);
	do
		snprintf(name, sizeof name, "%.200s_%zu", spec->op_type, k++);
	while (name_is_taken(g, name));
	named.name = name;
	return add_named(g, at, &named, out, e);
}

int graph_append_node(struct graph *g, const char *op_type, struct wire *const *in, int n_in, const char *out_name,
		      struct node **out, struct err *e)
{
	const struct node_spec spec = {.op_type = op_type, .in = in, .n_in = n_in, .out = &out_name, .n_out = 1};

	return graph_add_node(g, g->nodes.n, &spec, out, e);
}
