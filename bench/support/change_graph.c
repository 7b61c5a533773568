/* change_graph.c - see change.h: which wires nodes read, nodes more or less, opsets, graphs inside of nodes. */
#include <stdio.h>
#include <string.h>

#include "ops/op.h"
#include "support/change.h"

#define TRIES 20

#define ONE_OF(r, list) (list)[rng_below(r, sizeof(list) / sizeof *(list))]

/* A name that no wire has: they are counted. */
static const char *fresh(struct model *m, const char *what)
{
	size_t n = strlen(what) + 32;
	char *name = arena_alloc(&m->arena, n);

	for (size_t i = 0; name; i++) {
		int used = 0;

		snprintf(name, n, "%s-%zu", what, i);
		for (size_t g = 0; g < m->graphs.n; g++)
			used |= map_get(&m->graphs.at[g]->by_name, name) != NULL;
		if (!used)
			break;
	}
	return name;
}

static int same_dims(const struct type *a, const struct type *b)
{
	return a->rank == b->rank && (a->rank <= 0 || !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims));
}

/* A wire that is there before a node runs, of the type of `like` but not that one; NULL: none was found. */
static struct wire *wire_like(const struct node *before, const struct wire *like, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		struct graph *g = before->graph;
		struct wire *w;

		while (g->parent && rng_below(r, 2))
			g = g->parent;
		if (!g->wires.n)
			continue;
		w = g->wires.at[rng_below(r, g->wires.n)];
		if (w == like || w->type.kind != like->type.kind || w->type.dtype != like->type.dtype)
			continue;
		/* of an outer graph only what no node makes: which node this graph belongs to is not known here */
		if (w->producer && (g != before->graph || w->producer->index >= before->index))
			continue;
		if (same_dims(&w->type, &like->type) || i > TRIES / 2)
			return w;
	}
	return NULL;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static int change_edge(struct model *m, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		struct node *n = change_any_node(m, r);
		struct wire **slot = n && n->n_in ? &n->in[rng_below(r, (uint64_t)n->n_in)] : NULL;
		struct wire *w = slot && *slot ? wire_like(n, *slot, r) : NULL;

		if (w) {
			*slot = w;
			return 1;
		}
	}
	return 0;
}

static const struct op_port *port_of(const struct node *n, int i)
{
	int k = 0;

	while (k < OP_MAX_PORTS && n->op && n->op->in[k].name && k < i && !(n->op->in[k].flags & PORT_VARIADIC))
		k++;
	return k < OP_MAX_PORTS && n->op && n->op->in[k].name ? &n->op->in[k] : NULL;
}

static int drop_optional(struct model *m, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		struct node *n = change_any_node(m, r);
		int k = n && n->n_in ? (int)rng_below(r, (uint64_t)n->n_in) : 0;
		const struct op_port *p = n && n->n_in ? port_of(n, k) : NULL;

		if (!p || !n->in[k] || !(p->flags & (PORT_OPTIONAL | PORT_VARIADIC)))
			continue;
		if (k + 1 == n->n_in)
			n->n_in--;
		else
			n->in[k] = NULL;
		return 1;
	}
	return 0;
}

/* A wire of the node's graph of a type that the port takes. */
static struct wire *wire_for(const struct node *n, const struct op_port *p, struct rng *r)
{
	const struct graph *g = n->graph;

	for (int i = 0; i < TRIES && g->wires.n; i++) {
		struct wire *w = g->wires.at[rng_below(r, g->wires.n)];

		if (w->type.kind == VALUE_TENSOR && w->type.dtype != DT_UNDEFINED && (p->types & TM(w->type.dtype)) &&
		    (!w->producer || w->producer->index < n->index))
			return w;
	}
	return NULL;
}

static int add_optional(struct model *m, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		struct node *n = change_any_node(m, r);
		int at = n ? n->n_in : 0;
		const struct op_port *p = n ? port_of(n, at) : NULL;
		struct wire *w, **in;

		for (int k = 0; n && k < n->n_in; k++)
			if (!n->in[k]) {
				at = k;
				p = port_of(n, k);
			}
		w = p ? wire_for(n, p, r) : NULL;
		if (!w)
			continue;
		in = arena_array(&m->arena, (size_t)n->n_in + 1, sizeof *in);
		if (!in)
			return 0;
		memcpy(in, n->in, (size_t)n->n_in * sizeof *in);
		in[at] = w;
		n->n_in += at == n->n_in;
		n->in = in;
		return 1;
	}
	return 0;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int has_graphs(const struct node *n)
{
	for (int i = 0; i < n->n_attrs; i++)
		if (n->attrs[i].type == ATTR_GRAPH || n->attrs[i].type == ATTR_GRAPHS)
			return 1;
	return 0;
}

/* The node a second time; one of those that read what it makes reads the second. */
static int duplicate(struct model *m, struct rng *r)
{
	struct node *n = change_any_node(m, r), *twin;
	struct graph *g = n ? n->graph : NULL;
	const char *outs[OP_MAX_PORTS];
	struct err e = ERR_INIT;

	if (!n || has_graphs(n) || n->n_out > OP_MAX_PORTS)
		return 0;
	for (int i = 0; i < n->n_out; i++) {
		char what[32];

		snprintf(what, sizeof what, "twin-%d", i);
		outs[i] = n->out[i] ? fresh(m, what) : NULL;
	}
	{
		const struct node_spec spec = {.op_type = n->op_type,
					       .domain = n->domain,
					       .in = n->in,
					       .n_in = n->n_in,
					       .out = outs,
					       .n_out = n->n_out};

		if (graph_add_node(g, (size_t)n->index + 1, &spec, &twin, &e) || node_copy_attrs(twin, n, &e))
			return 0;
	}
	twin->opset = n->opset;
	twin->op = n->op;
	for (size_t i = (size_t)twin->index + 1; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_in; k++)
			if (g->nodes.at[i]->in[k] == n->out[0] && twin->out[0] && rng_below(r, 2))
				g->nodes.at[i]->in[k] = twin->out[0];
	return twin->out[0] && !g->parent && rng_below(r, 2) ? !graph_add_output(g, twin->out[0], &e) : 1;
}

/* What it makes is what it got. */
static int remove_node(struct model *m, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		struct node *n = change_any_node(m, r);
		struct wire *from = n && n->n_out ? n->out[0] : NULL,
			    *to = n && n->n_in ? n->in[rng_below(r, (uint64_t)n->n_in)] : NULL;

		if (!from || !to || from->type.dtype != to->type.dtype || from->type.kind != to->type.kind)
			continue;
		if (!same_dims(&from->type, &to->type) && rng_below(r, 3))
			continue;
		if (graph_has_output(n->graph, from) && graph_has_output(n->graph, to))
			continue; /* it would be an output twice */
		return !graph_replace_uses(n->graph, from, to) && graph_remove_dead(m->graph) >= 0;
	}
	return 0;
}

/* A node put into a wire: most give what they got, some what nobody expects. */
static int insert_node(struct model *m, struct rng *r)
{
	static const char *const ops[] = {"Identity", "Neg", "Abs", "Relu", "Sqrt", "Log", "Exp", "Reciprocal", "Tanh"};
	struct node *at = change_any_node(m, r), *n;
	struct wire *w = at && at->n_in ? at->in[rng_below(r, (uint64_t)at->n_in)] : NULL;
	const char *op = w && dtype_is_float(w->type.dtype) ? ONE_OF(r, ops) : "Identity";
	struct err e = ERR_INIT;

	if (!w || w->graph != at->graph || w->type.kind != VALUE_TENSOR)
		return 0;
	if (graph_append_node(w->graph, op, &w, 1, fresh(m, "put"), &n, &e))
		return 0;
	n->out[0]->type = w->type;
	return !graph_replace_uses(w->graph, w, n->out[0]);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static int all_have(const struct model *m, int opset)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++) {
			const struct node *n = m->graphs.at[g]->nodes.at[i];
			const struct op_row *row = ops_find(n->domain, n->op_type);

			if (!*n->domain && (!row || !ops_version(row, opset)))
				return 0;
		}
	return 1;
}

static int change_opset(struct model *m, struct rng *r)
{
	int had = m->graph->nodes.n ? m->graph->nodes.at[0]->opset : 0, to;

	if (!had || *m->graph->nodes.at[0]->domain)
		return 0;
	to = rng_below(r, 2) ? had + (int)rng_between(r, -2, 2) : (int)rng_between(r, 7, OP_NEWEST_OPSET);
	if (to == had || to < 1 || (!all_have(m, to) && rng_below(r, 4)))
		return 0;
	for (size_t i = 0; i < m->opsets.n; i++)
		if (!*m->opsets.at[i].domain)
			m->opsets.at[i].version = to;
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++)
			if (!*m->graphs.at[g]->nodes.at[i]->domain)
				m->graphs.at[g]->nodes.at[i]->opset = to;
	return 1;
}

static int add_output(struct model *m, struct rng *r)
{
	struct graph *g = m->graph;
	struct wire *w = g->wires.n ? g->wires.at[rng_below(r, g->wires.n)] : NULL;
	struct err e = ERR_INIT;

	return w && !graph_has_output(g, w) && !graph_add_output(g, w, &e);
}

/* A constant that is an input from now on, or the other way around. */
static int exchange_input(struct model *m, struct rng *r)
{
	struct graph *g = m->graph;
	struct wire *w = g->wires.n ? g->wires.at[rng_below(r, g->wires.n)] : NULL;
	struct err e = ERR_INIT;
	struct tensor *zeros, *packed;
	size_t count;

	if (w && w->init && !w->is_input) {
		type_set(&w->type, w->init->dtype, w->init->rank, w->init->dims);
		w->init = NULL; /* the model keeps the reference */
		w->is_input = 1;
		return !vec_push(&g->inputs, w);
	}
	if (!w || !w->is_input || w->init || !type_is_static(&w->type) ||
	    tensor_shape_count(w->type.rank, w->type.dims, &count, &e) || count > 10000)
		return 0;
	zeros = tensor_zeros(w->type.dtype, w->type.rank, w->type.dims, &e);
	packed = zeros ? tensor_pack(zeros, &e) : NULL;
	tensor_unref(zeros);
	return packed && !graph_set_init(w, packed, &e);
}

/* Two graphs inside of nodes of the same graph: what they capture both have. */
static int exchange_graphs(struct model *m, struct rng *r)
{
	struct attr *first = NULL;

	for (int i = 0; i < 4 * TRIES && m->graphs.n > 1; i++) {
		struct node *n = change_any_node(m, r);
		struct attr *a = n && n->n_attrs ? &n->attrs[rng_below(r, (uint64_t)n->n_attrs)] : NULL;
		struct graph *g;

		if (!a || a->type != ATTR_GRAPH)
			continue;
		if (!first || first->g->parent != a->g->parent) {
			first = a;
			continue;
		}
		if (first->g == a->g)
			continue;
		g = first->g;
		first->g = a->g;
		a->g = g;
		return !graph_sort(m->graph, &(struct err)ERR_INIT);
	}
	return 0;
}

const struct change change_edges[] = {
	{"edge", change_edge, 5},
	{"drop input", drop_optional, 3},
	{"add input", add_optional, 3},
	{"twin", duplicate, 3},
	{"remove node", remove_node, 4},
	{"put node", insert_node, 4},
	{"opset", change_opset, 2},
	{"output", add_output, 3},
	{"input", exchange_input, 3},
	{"graphs", exchange_graphs, 6},
	{.name = NULL},
};
