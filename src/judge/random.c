/* random.c - see random.h. */
#include "judge/random.h"

#include <string.h>

#include "base/mem.h"
#include "ops/attr.h"
#include "ops/op.h"

static int draws(const struct node *n, int dropout);

static int graph_draws(const struct graph *g, int dropout)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (draws(g->nodes.at[i], dropout))
			return 1;
	return 0;
}

/* Dropout draws when its input `training_mode` says so; one that is computed might.  That of opset 1 and 6 draws unless
 * the attribute `is_test` is set. */
static int trains(const struct node *n)
{
	if (!strcmp(n->op_type, "Dropout") && attr_is_of_version(n, "is_test"))
		return !attr_int(n, "is_test");
	for (int i = 0; i < n->n_in && i < OP_MAX_PORTS && n->op->in[i].name; i++)
		if (n->in[i] && !strcmp(n->op->in[i].name, "training_mode"))
			return !n->in[i]->init || !n->in[i]->init->count || tensor_get(n->in[i]->init, 0) != 0;
	return 0;
}

/* A random operator, or one with a random operator in its subgraphs. */
static int draws(const struct node *n, int dropout)
{
	if (n->op && (n->op->flags & OP_RANDOM || (dropout && trains(n))))
		return 1;
	for (int i = 0; i < n->n_attrs; i++) {
		const struct attr *a = &n->attrs[i];

		if (a->type == ATTR_GRAPH && graph_draws(a->g, dropout))
			return 1;
		for (size_t k = 0; a->type == ATTR_GRAPHS && k < a->n; k++)
			if (graph_draws(a->graphs[k], dropout))
				return 1;
	}
	return 0;
}

struct captures {
	const struct graph *graph;
	const unsigned char *ids;
	int random;
};

static int note_capture(struct wire *w, void *arg)
{
	struct captures *c = arg;

	c->random |= w->graph == c->graph && c->ids[w->id];
	return 0;
}

/* A subgraph reads a random wire of the graph around it. */
static int captures_random(const struct node *n, const unsigned char *ids)
{
	struct captures c = {n->graph, ids, 0};

	for (int i = 0; i < n->n_attrs; i++) {
		const struct attr *a = &n->attrs[i];

		if (a->type == ATTR_GRAPH && graph_for_each_capture(a->g, note_capture, &c))
			return 1; /* out of memory: rather not compared than wrongly */
		for (size_t k = 0; a->type == ATTR_GRAPHS && k < a->n; k++)
			if (graph_for_each_capture(a->graphs[k], note_capture, &c))
				return 1;
	}
	return c.random;
}

int random_wires(const struct graph *g, int dropout, unsigned char **out, struct err *e)
{
	unsigned char *ids = mem_array(g->wires.n, sizeof *ids);

	if (!ids)
		return err_nomem(e, "a graph's wires", g->wires.n);
	for (size_t i = 0; i < g->nodes.n; i++) { /* in topological order */
		const struct node *n = g->nodes.at[i];
		int random = draws(n, dropout) || captures_random(n, ids);

		for (int k = 0; k < n->n_in; k++)
			random |= n->in[k] && n->in[k]->graph == g && ids[n->in[k]->id];
		for (int k = 0; k < n->n_out; k++)
			if (n->out[k])
				ids[n->out[k]->id] = (unsigned char)random;
	}
	*out = ids;
	return 0;
}
