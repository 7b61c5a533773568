/* extract.c - a part of a main graph as a model of its own.
 *
 * Nodes are walked from the last to the first: one is wanted when somebody wants an output of it that is not given
 * from outside. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/copy.h"

enum { WANTED = 1, GIVEN = 2, CHOSEN = 4 };

struct extraction {
	const struct graph *g;
	char *flags; /* by wire id */
	char *nodes; /* by index: wanted */
};

static int mark_ends(struct extraction *x, struct wire *const *list, size_t n, int flag, const char *what,
		     struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i]->graph != x->g)
			return err_set(e, ERR_INPUT, "%s '%s' is not in the main graph", what, list[i]->name);
		if (x->flags[list[i]->id] & flag)
			return err_set(e, ERR_INPUT, "%s '%s' is listed twice", what, list[i]->name);
		x->flags[list[i]->id] |= (char)flag;
	}
	return 0;
}

static int want(struct wire *w, void *arg)
{
	struct extraction *x = arg;

	if (w && w->graph == x->g)
		x->flags[w->id] |= WANTED;
	return 0;
}

static int want_captures(struct graph *inner, void *arg)
{
	return graph_for_each_outer_use(inner, want, arg);
}

static int is_wanted(const struct extraction *x, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && (x->flags[n->out[i]->id] & (WANTED | GIVEN)) == WANTED)
			return 1;
	return 0;
}

static void mark_nodes(struct extraction *x)
{
	for (size_t i = x->g->nodes.n; i-- > 0;) {
		const struct node *n = x->g->nodes.at[i];

		x->nodes[i] = (char)is_wanted(x, n);
		if (!x->nodes[i])
			continue;
		for (int k = 0; k < n->n_in; k++)
			want(n->in[k], x);
		node_for_each_graph(n, want_captures, x);
	}
}

/* A given wire: an input of the new graph, whatever it was before. */
static int add_given(struct copy_frame *f, const struct wire *w, struct err *e)
{
	struct wire plain = *w;

	plain.init = NULL;
	plain.is_input = 1;
	if (copy_wire(f, &plain, w->name, e))
		return status_of(e);
	if (vec_push(&f->to->inputs, f->wires[w->id]))
		return err_nomem(e, "a list of inputs", f->to->inputs.n);
	return 0;
}

/* Wires that come along without being given: initializers and outputs of wanted nodes. */
static int add_wires(const struct extraction *x, struct copy_frame *f, struct err *e)
{
	for (size_t i = 0; i < x->g->wires.n; i++) {
		struct wire plain = *x->g->wires.at[i];
		int made = plain.producer && x->nodes[plain.producer->index];

		if (x->flags[i] & GIVEN || (!made && !(x->flags[i] & WANTED)))
			continue;
		if (!made && !plain.init)
			return err_set(e, ERR_INPUT, "'%s' is needed, but is not among the inputs", plain.name);
		plain.is_input = 0;
		if (copy_wire(f, &plain, plain.name, e))
			return status_of(e);
	}
	return 0;
}

/* A name for a value that nobody uses, new in the old graph and in the new one. */
static void unused_name(const struct extraction *x, const struct graph *to, char *out, size_t size)
{
	size_t k = to->wires.n;

	do
		snprintf(out, size, "unused_%zu", k++);
	while (graph_wire(to, out) || graph_wire(x->g, out));
}

/* An output may be given from outside although its node runs, for another output of it: then the node's own value of
 * it goes to a wire that nobody uses. */
static int copy_wanted_node(const struct extraction *x, struct copy_frame *f, const struct node *n, struct err *e)
{
	int rc = copy_node(f, n, e);
	struct node *copy;
	char name[64];

	if (rc)
		return rc;
	copy = f->to->nodes.at[f->to->nodes.n - 1];
	for (int i = 0; i < n->n_out; i++) {
		struct wire *unused;

		if (!n->out[i] || !(x->flags[n->out[i]->id] & GIVEN))
			continue;
		copy->out[i]->producer = NULL;
		unused_name(x, f->to, name, sizeof name);
		unused = wire_new(f->to, name, e);
		if (!unused)
			return status_of(e);
		node_set_output(copy, i, unused);
	}
	return 0;
}

static int build(const struct extraction *x, struct copy_frame *f, struct wire *const *from, size_t n_from,
		 struct wire *const *to, size_t n_to, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n_from && !rc; i++)
		rc = add_given(f, from[i], e);
	if (!rc)
		rc = add_wires(x, f, e);
	for (size_t i = 0; i < x->g->nodes.n && !rc; i++)
		if (x->nodes[i])
			rc = copy_wanted_node(x, f, x->g->nodes.at[i], e);
	for (size_t i = 0; i < n_to && !rc; i++)
		rc = graph_add_output(f->to, f->wires[to[i]->id], e);
	return rc;
}

static int extract(struct extraction *x, struct wire *const *from, size_t n_from, struct wire *const *to, size_t n_to,
		   struct model *m, struct err *e)
{
	struct copy_frame f;
	int rc = mark_ends(x, from, n_from, GIVEN, "input", e);

	if (!rc)
		rc = mark_ends(x, to, n_to, CHOSEN, "output", e);
	if (rc)
		return rc;
	for (size_t i = 0; i < n_to; i++)
		want(to[i], x);
	mark_nodes(x);
	m->graph = graph_new(m, NULL, x->g->name);
	if (!m->graph)
		return err_nomem(e, "a graph", sizeof *m->graph);
	rc = copy_frame_init(&f, x->g, m->graph, NULL, e);
	if (rc)
		return rc;
	rc = build(x, &f, from, n_from, to, n_to, e);
	mem_free(f.wires);
	return rc;
}

int graph_extract(const struct graph *g, struct wire *const *from, size_t n_from, struct wire *const *to, size_t n_to,
		  struct model **out, struct err *e)
{
	struct extraction x = {.g = g, .flags = mem_array(g->wires.n, 1), .nodes = mem_array(g->nodes.n, 1)};
	struct model *m = NULL;
	int rc = x.flags && x.nodes ? copy_head(g->model, &m, e) : err_nomem(e, "extracting a graph", g->wires.n);

	if (!rc && g->parent)
		rc = err_set(e, ERR_INPUT, "graph '%s' is not the main graph", g->name);
	if (!rc)
		rc = extract(&x, from, n_from, to, n_to, m, e);
	mem_free(x.flags);
	mem_free(x.nodes);
	if (rc)
		model_free(m);
	else
		*out = m;
	return rc;
}
