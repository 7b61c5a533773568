/* attr.c - attributes of nodes: reading them, and setting them while a graph is built or edited. */
#include <string.h>

#include "model/internal.h"

const struct attr *node_attr(const struct node *n, const char *name)
{
	for (int i = 0; i < n->n_attrs; i++)
		if (!strcmp(n->attrs[i].name, name))
			return &n->attrs[i];
	return NULL;
}

int node_has(const struct node *n, const char *name)
{
	return node_attr(n, name) != NULL;
}

/* The attribute when it is there and of that type: ops_bind() reports wrong types, readers need not care. */
static const struct attr *typed(const struct node *n, const char *name, enum attr_type type)
{
	const struct attr *a = node_attr(n, name);

	return a && a->type == type ? a : NULL;
}

int64_t node_int(const struct node *n, const char *name, int64_t otherwise)
{
	const struct attr *a = typed(n, name, ATTR_INT);

	return a ? a->i : otherwise;
}

double node_float(const struct node *n, const char *name, double otherwise)
{
	const struct attr *a = typed(n, name, ATTR_FLOAT);

	return a ? a->f : otherwise;
}

const char *node_string(const struct node *n, const char *name, const char *otherwise)
{
	const struct attr *a = typed(n, name, ATTR_STRING);

	return a ? a->s.p : otherwise;
}

const int64_t *node_ints(const struct node *n, const char *name, size_t *count)
{
	const struct attr *a = typed(n, name, ATTR_INTS);

	*count = a ? a->n : 0;
	return a ? a->ints : NULL;
}

const double *node_floats(const struct node *n, const char *name, size_t *count)
{
	const struct attr *a = typed(n, name, ATTR_FLOATS);

	*count = a ? a->n : 0;
	return a ? a->floats : NULL;
}

struct graph *node_graph(const struct node *n, const char *name)
{
	const struct attr *a = typed(n, name, ATTR_GRAPH);

	return a ? a->g : NULL;
}

int node_for_each_graph(const struct node *n, node_graph_fn *fn, void *arg)
{
	int rc = 0;

	for (int i = 0; i < n->n_attrs && !rc; i++) {
		const struct attr *a = &n->attrs[i];

		if (a->type == ATTR_GRAPH)
			rc = fn(a->g, arg);
		else if (a->type == ATTR_GRAPHS)
			for (size_t k = 0; k < a->n && !rc; k++)
				rc = fn(a->graphs[k], arg);
	}
	return rc;
}

struct attr *node_add_attr(struct node *n, const char *name, struct err *e)
{
	struct model *m = n->graph->model;
	struct attr *grown = model_carve(m, (size_t)n->n_attrs + 1, sizeof *grown, "attributes", e);
	char *copy = grown ? model_strdup(m, name, e) : NULL;

	if (!copy)
		return NULL;
	if (n->n_attrs)
		memcpy(grown, n->attrs, (size_t)n->n_attrs * sizeof *grown);
	n->attrs = grown;
	grown[n->n_attrs].name = copy;
	return &grown[n->n_attrs++];
}

/* Graphs that go with an attribute's value; `kept` stays (NULL: none does). */
static void discard_graphs(const struct attr *a, const struct graph *kept)
{
	if (a->type == ATTR_GRAPH && a->g != kept)
		graph_discard(a->g);
	for (size_t i = 0; a->type == ATTR_GRAPHS && i < a->n; i++)
		if (a->graphs[i] != kept)
			graph_discard(a->graphs[i]);
}

int node_set(struct node *n, const char *name, const struct attr *value, struct err *e)
{
	struct attr *a = (struct attr *)node_attr(n, name);
	const char *kept;

	if (a)
		discard_graphs(a, value->type == ATTR_GRAPH ? value->g : NULL);
	else
		a = node_add_attr(n, name, e);
	if (!a)
		return status_of(e);
	kept = a->name;
	*a = *value;
	a->name = kept;
	return 0;
}

int node_set_int(struct node *n, const char *name, int64_t x, struct err *e)
{
	return node_set(n, name, &(struct attr){.type = ATTR_INT, .n = 1, .i = x}, e);
}

int node_set_float(struct node *n, const char *name, double x, struct err *e)
{
	/* as the file would keep it */
	return node_set(n, name, &(struct attr){.type = ATTR_FLOAT, .n = 1, .f = (float)x}, e);
}

int node_set_string(struct node *n, const char *name, const char *x, struct err *e)
{
	char *copy = model_strdup(n->graph->model, x, e);

	if (!copy)
		return status_of(e);
	return node_set(n, name, &(struct attr){.type = ATTR_STRING, .n = 1, .s = {copy, strlen(copy)}}, e);
}

int node_set_ints(struct node *n, const char *name, const int64_t *x, size_t count, struct err *e)
{
	int64_t *copy = model_carve(n->graph->model, count, sizeof *copy, "an attribute", e);

	if (!copy)
		return status_of(e);
	if (count)
		memcpy(copy, x, count * sizeof *copy);
	return node_set(n, name, &(struct attr){.type = ATTR_INTS, .n = count, .ints = copy}, e);
}

int node_set_floats(struct node *n, const char *name, const double *x, size_t count, struct err *e)
{
	double *copy = model_carve(n->graph->model, count, sizeof *copy, "an attribute", e);

	if (!copy)
		return status_of(e);
	for (size_t i = 0; i < count; i++)
		copy[i] = (float)x[i];
	return node_set(n, name, &(struct attr){.type = ATTR_FLOATS, .n = count, .floats = copy}, e);
}

int node_set_strings(struct node *n, const char *name, const char *const *x, size_t count, struct err *e)
{
	struct bytes *list = model_carve(n->graph->model, count, sizeof *list, "an attribute", e);

	if (!list)
		return status_of(e);
	for (size_t i = 0; i < count; i++) {
		char *copy = model_strdup(n->graph->model, x[i], e);

		if (!copy)
			return status_of(e);
		list[i] = (struct bytes){copy, strlen(copy)};
	}
	return node_set(n, name, &(struct attr){.type = ATTR_STRINGS, .n = count, .strings = list}, e);
}

int node_set_tensor(struct node *n, const char *name, struct tensor *take, struct err *e)
{
	struct tensor *packed = tensor_pack(take, e);
	int rc;

	tensor_unref(take);
	if (!packed)
		return status_of(e);
	rc = model_hold(n->graph->model, packed, e);
	return rc ? rc : node_set(n, name, &(struct attr){.type = ATTR_TENSOR, .n = 1, .t = packed}, e);
}

int node_set_graph(struct node *n, const char *name, struct graph *g, struct err *e)
{
	if (g->parent != n->graph)
		return err_set(e, ERR_INPUT, "graph '%s' does not lie in the graph of node '%s'", g->name, n->name);
	return node_set(n, name, &(struct attr){.type = ATTR_GRAPH, .n = 1, .g = g}, e);
}

void node_remove_attr(struct node *n, const char *name)
{
	const struct attr *a = node_attr(n, name);
	size_t i;

	if (!a)
		return;
	i = (size_t)(a - n->attrs);
	discard_graphs(a, NULL);
	memmove(n->attrs + i, n->attrs + i + 1, ((size_t)n->n_attrs - i - 1) * sizeof *n->attrs);
	n->n_attrs--;
}
