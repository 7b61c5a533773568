/* uses.c - who mentions a wire: walks over nodes, subgraphs and outputs. */
#include <stdio.h>

#include "model/internal.h"

struct slot_walk {
	slot_fn *fn;
	void *arg;
};

static int walk_graph(struct graph *g, void *arg)
{
	const struct slot_walk *walk = arg;
	int rc = 0;

	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		struct node *n = g->nodes.at[i];

		for (int k = 0; k < n->n_in && !rc; k++)
			rc = walk->fn(&n->in[k], n, walk->arg);
		if (!rc)
			rc = node_for_each_graph(n, walk_graph, arg);
	}
	for (size_t i = 0; i < g->outputs.n && !rc; i++)
		rc = walk->fn(&g->outputs.at[i], NULL, walk->arg);
	return rc;
}

int graph_for_each_slot(const struct graph *g, slot_fn *fn, void *arg)
{
	struct slot_walk walk = {fn, arg};

	return walk_graph((struct graph *)g, &walk);
}

/* ---- captures ---------------------------------------------------------------------------------------------------- */

struct outer_walk {
	const struct graph *top; /* wires outside of this one count */
	graph_capture_fn *fn;
	void *arg;
};

static int visit_outer(struct wire **slot, const struct node *user, void *arg)
{
	const struct outer_walk *walk = arg;

	(void)user;
	if (!*slot || graph_is_inside((*slot)->graph, walk->top))
		return 0;
	return walk->fn(*slot, walk->arg);
}

int graph_for_each_outer_use(const struct graph *g, graph_capture_fn *fn, void *arg)
{
	struct outer_walk walk = {g, fn, arg};

	return graph_for_each_slot(g, visit_outer, &walk);
}

struct once {
	struct map seen; /* wires, by address */
	graph_capture_fn *fn;
	void *arg;
};

static int call_once(struct wire *w, void *arg)
{
	struct once *o = arg;
	char key[32];

	snprintf(key, sizeof key, "%p", (void *)w);
	if (map_get(&o->seen, key))
		return 0;
	return map_put(&o->seen, key, o) ? ERR_MEMORY : o->fn(w, o->arg);
}

int graph_for_each_capture(const struct graph *g, graph_capture_fn *fn, void *arg)
{
	struct once o = {MAP_INIT, fn, arg};
	int rc = graph_for_each_outer_use(g, call_once, &o);

	map_release(&o.seen);
	return rc;
}

int node_for_each_read(const struct node *n, graph_capture_fn *fn, void *arg)
{
	int rc = 0;

	for (int i = 0; i < n->n_in && !rc; i++)
		if (n->in[i])
			rc = fn(n->in[i], arg);
	for (int i = 0; i < n->n_attrs && !rc; i++) {
		const struct attr *a = &n->attrs[i];

		if (a->type == ATTR_GRAPH)
			rc = graph_for_each_capture(a->g, fn, arg);
		for (size_t k = 0; a->type == ATTR_GRAPHS && k < a->n && !rc; k++)
			rc = graph_for_each_capture(a->graphs[k], fn, arg);
	}
	return rc;
}
