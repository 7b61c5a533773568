/* edit.c - taking things out of a graph, and putting one wire in the place of another.
 *
 * Memory of what was taken out stays in the model's arena, and its tensors with the model, until model_free(); a
 * model_copy() has only what is in use. */
#include <string.h>

#include "base/mem.h"
#include "model/internal.h"

/* ---- one node ---------------------------------------------------------------------------------------------------- */

static int discard(struct graph *g, void *arg)
{
	(void)arg;
	graph_discard(g);
	return 0;
}

static int is_made_by(struct wire **slot, const struct node *user, void *arg)
{
	(void)user;
	return *slot && (*slot)->producer == arg;
}

/* Drops the wires that keep[id] does not name, and numbers the rest anew. */
static void drop_wires(struct graph *g, const char *keep)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->wires.n; i++) {
		struct wire *w = g->wires.at[i];

		if (keep[i])
			g->wires.at[kept++] = w;
		else
			map_remove(&g->by_name, w->name);
	}
	g->wires.n = kept;
	graph_renumber(g);
}

int graph_remove_node(struct graph *g, struct node *n, struct err *e)
{
	char *keep;

	if (graph_for_each_slot(g, is_made_by, n))
		return err_set(e, ERR_INPUT, "node '%s' (%s) cannot be removed: its outputs are in use", n->name,
			       n->op_type);
	keep = mem_alloc(g->wires.n);
	if (!keep)
		return err_nomem(e, "removing a node", g->wires.n);
	for (size_t i = 0; i < g->wires.n; i++)
		keep[i] = g->wires.at[i]->producer != n;
	node_for_each_graph(n, discard, NULL);
	vec_remove(&g->nodes, (size_t)n->index);
	drop_wires(g, keep);
	mem_free(keep);
	return 0;
}

/* ---- uses -------------------------------------------------------------------------------------------------------- */

struct replacement {
	struct wire *from, *to;
	VEC(struct wire **) done;
};

/* The node that makes `to` keeps using `from`: that is how a node is put into a wire. */
static int replace_slot(struct wire **slot, const struct node *user, void *arg)
{
	struct replacement *r = arg;

	if (*slot != r->from || (user && user == r->to->producer))
		return 0;
	if (vec_push(&r->done, slot))
		return ERR_MEMORY;
	*slot = r->to;
	return 0;
}

int graph_replace_uses(struct graph *g, struct wire *from, struct wire *to)
{
	struct replacement r = {.from = from, .to = to};
	struct err e = ERR_INIT;
	int rc = 0;

	if (from == to)
		return 0;
	if (!graph_is_inside(g, to->graph))
		return ERR_INPUT;
	rc = graph_for_each_slot(g, replace_slot, &r);
	if (!rc)
		rc = graph_sort(g, &e);
	for (size_t i = 0; rc && i < r.done.n; i++)
		*r.done.at[i] = from;
	vec_release(&r.done);
	return rc;
}

/* ---- what nobody needs ------------------------------------------------------------------------------------------- */

struct liveness {
	struct graph *g;
	char *needed; /* by wire id */
	int removed;  /* nodes, subgraphs' included */
};

static int need(struct wire *w, void *arg)
{
	struct liveness *l = arg;

	if (w && w->graph == l->g)
		l->needed[w->id] = 1;
	return 0;
}

/* Cleans a subgraph of a live node, then needs what is left of its captures. */
static int need_captures(struct graph *inner, void *arg)
{
	struct liveness *l = arg;
	int n = graph_remove_dead(inner);

	if (n < 0)
		return n;
	l->removed += n;
	return graph_for_each_outer_use(inner, need, l);
}

static int is_live(const struct liveness *l, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && l->needed[n->out[i]->id])
			return 1;
	return 0;
}

/* Marks what is needed, from the last node to the first; nodes that are not get index -1. */
static int mark_live(struct liveness *l)
{
	struct graph *g = l->g;
	int rc = 0;

	for (size_t i = 0; i < g->outputs.n; i++)
		need(g->outputs.at[i], l);
	for (size_t i = g->nodes.n; i-- > 0 && !rc;) {
		struct node *n = g->nodes.at[i];

		if (!is_live(l, n)) {
			n->index = -1;
			continue;
		}
		for (int k = 0; k < n->n_in; k++)
			need(n->in[k], l);
		rc = node_for_each_graph(n, need_captures, l);
	}
	return rc;
}

static void sweep(struct liveness *l)
{
	struct graph *g = l->g;
	size_t kept = 0;

	for (size_t i = 0; i < g->wires.n; i++) {
		const struct wire *w = g->wires.at[i];

		if (w->is_input || (w->producer && w->producer->index >= 0))
			l->needed[i] = 1;
	}
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];

		if (n->index >= 0) {
			g->nodes.at[kept++] = n;
			continue;
		}
		node_for_each_graph(n, discard, NULL);
		l->removed++;
	}
	g->nodes.n = kept;
	drop_wires(g, l->needed);
}

int graph_remove_dead(struct graph *g)
{
	struct liveness l = {.g = g, .needed = mem_array(g->wires.n, 1)};
	int rc;

	if (!l.needed)
		return ERR_MEMORY;
	rc = mark_live(&l);
	if (rc)
		graph_renumber(g);
	else
		sweep(&l);
	mem_free(l.needed);
	return rc ? rc : l.removed;
}
