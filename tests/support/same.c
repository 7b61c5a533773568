/* same.c - see same.h. */
#include "support/same.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char difference[512];

static const char *__attribute__((format(printf, 1, 2))) differ(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(difference, sizeof difference, fmt, ap);
	va_end(ap);
	return difference;
}

int same_tensor(const struct tensor *a, const struct tensor *b)
{
	if (!a || !b)
		return a == b;
	if (a->dtype != b->dtype || a->rank != b->rank || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims))
		return 0;
	if (a->dtype != DT_STRING)
		return !a->count || !memcmp(a->data, b->data, dtype_packed_size(a->dtype, a->count));
	for (size_t i = 0; i < a->count; i++)
		if (a->s[i].n != b->s[i].n || memcmp(a->s[i].p, b->s[i].p, a->s[i].n))
			return 0;
	return 1;
}

static int same_type(const struct wire *a, const struct wire *b)
{
	char left[512], right[512];

	type_describe(&a->type, a->graph, left, sizeof left);
	type_describe(&b->type, b->graph, right, sizeof right);
	return !strcmp(left, right);
}

static int same_bytes(struct bytes a, struct bytes b)
{
	return a.n == b.n && !memcmp(a.p, b.p, a.n);
}

static const char *same_graph(const struct graph *a, const struct graph *b);

static int same_list(const struct attr *a, const struct attr *b)
{
	for (size_t i = 0; i < a->n; i++)
		if ((a->type == ATTR_INTS && a->ints[i] != b->ints[i]) ||
		    (a->type == ATTR_FLOATS && memcmp(&a->floats[i], &b->floats[i], sizeof(double))) ||
		    (a->type == ATTR_STRINGS && !same_bytes(a->strings[i], b->strings[i])) ||
		    (a->type == ATTR_TENSORS && !same_tensor(a->tensors[i], b->tensors[i])) ||
		    (a->type == ATTR_GRAPHS && same_graph(a->graphs[i], b->graphs[i])))
			return 0;
	return 1;
}

static int same_attr(const struct attr *a, const struct attr *b)
{
	char left[512], right[512];

	if (strcmp(a->name, b->name) || a->type != b->type || a->n != b->n)
		return 0;
	switch (a->type) {
	case ATTR_INT:
		return a->i == b->i;
	case ATTR_FLOAT:
		return !memcmp(&a->f, &b->f, sizeof a->f);
	case ATTR_STRING:
		return same_bytes(a->s, b->s);
	case ATTR_TENSOR:
	case ATTR_SPARSE:
		return same_tensor(a->t, b->t);
	case ATTR_GRAPH:
		return !same_graph(a->g, b->g);
	case ATTR_TYPE:
		return !strcmp(type_describe(a->tp, NULL, left, sizeof left),
			       type_describe(b->tp, NULL, right, sizeof right));
	default:
		return same_list(a, b);
	}
}

static int same_wires(struct wire *const *a, struct wire *const *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!a[i] != !b[i] || (a[i] && strcmp(a[i]->name, b[i]->name)))
			return 0;
	return 1;
}

static const char *same_node(const struct node *a, const struct node *b)
{
	if (strcmp(a->name, b->name) || strcmp(a->op_type, b->op_type) || strcmp(a->domain, b->domain) ||
	    a->opset != b->opset || a->n_in != b->n_in || a->n_out != b->n_out || a->n_attrs != b->n_attrs)
		return differ("node '%s' (%s) and node '%s' (%s)", a->name, a->op_type, b->name, b->op_type);
	if (!same_wires(a->in, b->in, (size_t)a->n_in) || !same_wires(a->out, b->out, (size_t)a->n_out))
		return differ("inputs or outputs of node '%s'", a->name);
	for (int i = 0; i < a->n_attrs; i++)
		if (!same_attr(&a->attrs[i], &b->attrs[i]))
			return differ("attribute '%s' of node '%s'", a->attrs[i].name, a->name);
	return NULL;
}

static const char *same_graph(const struct graph *a, const struct graph *b)
{
	const char *text = NULL;

	if (a->inputs.n != b->inputs.n || a->outputs.n != b->outputs.n || a->nodes.n != b->nodes.n ||
	    a->wires.n != b->wires.n)
		return differ("sizes of graph '%s'", a->name);
	if (!same_wires(a->inputs.at, b->inputs.at, a->inputs.n) ||
	    !same_wires(a->outputs.at, b->outputs.at, a->outputs.n))
		return differ("inputs or outputs of graph '%s'", a->name);
	for (size_t i = 0; i < a->wires.n; i++) {
		const struct wire *x = a->wires.at[i], *y = map_get(&b->by_name, x->name);

		if (!y || !same_tensor(x->init, y->init) || x->is_input != y->is_input || !same_type(x, y))
			return differ("value '%s'", x->name);
	}
	for (size_t i = 0; i < a->nodes.n && !text; i++)
		text = same_node(a->nodes.at[i], b->nodes.at[i]);
	return text;
}

const char *same_model(const struct model *a, const struct model *b)
{
	for (size_t i = 0; i < a->opsets.n; i++)
		if (model_opset(b, a->opsets.at[i].domain) != a->opsets.at[i].version)
			return differ("opset of '%s'", a->opsets.at[i].domain);
	return same_graph(a->graph, b->graph);
}

static const char *check_node(const struct graph *g, size_t at)
{
	const struct node *n = g->nodes.at[at];

	if (n->index != (int)at || n->graph != g)
		return differ("index or graph of node '%s'", n->name);
	for (int i = 0; i < n->n_in; i++)
		if (n->in[i] && n->in[i]->graph == g && n->in[i]->producer && n->in[i]->producer->index >= n->index)
			return differ("node '%s' stands before its input '%s'", n->name, n->in[i]->name);
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && (n->out[i]->producer != n || n->out[i]->producer_slot != i || n->out[i]->graph != g))
			return differ("output '%s' of node '%s'", n->out[i]->name, n->name);
	return NULL;
}

const char *check_invariants(const struct model *m)
{
	for (size_t k = 0; k < m->graphs.n; k++) {
		const struct graph *g = m->graphs.at[k];
		const char *text = NULL;

		if (map_count(&g->by_name) != g->wires.n)
			return differ("%zu names, %zu values in '%s'", map_count(&g->by_name), g->wires.n, g->name);
		for (size_t i = 0; i < g->wires.n; i++)
			if (g->wires.at[i]->id != (int)i || g->wires.at[i]->graph != g ||
			    map_get(&g->by_name, g->wires.at[i]->name) != g->wires.at[i])
				return differ("id or name of value '%s'", g->wires.at[i]->name);
		for (size_t i = 0; i < g->nodes.n && !text; i++)
			text = check_node(g, i);
		if (text)
			return text;
	}
	return NULL;
}
