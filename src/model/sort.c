/* sort.c - the order of nodes.
 *
 * A node depends on the producers of its inputs and of the wires its subgraphs capture.  Sorting emits nodes in their
 * present order, each after what it depends on (a depth-first walk with a stack of its own, since a chain may be a
 * million nodes long): a sorted graph stays as it is. */
#include <string.h>

#include "base/mem.h"
#include "model/internal.h"

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

/* deps.at[first[i] … first[i + 1] - 1] are the nodes that node i needs. */
struct sorter {
	struct graph *g;
	VEC(int) deps;
	size_t *first;
	size_t *next; /* how far each open node's dependencies were looked at */
	char *mark;
	int *stack;
	struct node **sorted;
	size_t n_sorted;
	struct node *reader;     /* whose dependencies are being collected */
	struct graph_late *late; /* the first that reads what a later node makes */
};

static int add_dependency(struct wire *w, void *arg)
{
	struct sorter *s = arg;

	if (!w || w->graph != s->g || !w->producer)
		return 0;
	if (!s->late->reader && w->producer->index > s->reader->index)
		*s->late = (struct graph_late){s->reader, w};
	return vec_push(&s->deps, w->producer->index) ? ERR_MEMORY : 0;
}

static int add_captures(struct graph *inner, void *arg)
{
	return graph_for_each_outer_use(inner, add_dependency, arg);
}

static int collect(struct sorter *s)
{
	for (size_t i = 0; i < s->g->nodes.n; i++) {
		struct node *n = s->reader = s->g->nodes.at[i];

		s->first[i] = s->next[i] = s->deps.n;
		for (int k = 0; k < n->n_in; k++)
			if (add_dependency(n->in[k], s))
				return ERR_MEMORY;
		if (node_for_each_graph(n, add_captures, s))
			return ERR_MEMORY;
	}
	s->first[s->g->nodes.n] = s->deps.n;
	return 0;
}

/* Emits node `root` after everything it needs. */
static int emit(struct sorter *s, int root, struct err *e)
{
	size_t depth = 0;

	if (s->mark[root] == MARK_DONE)
		return 0;
	s->mark[root] = MARK_OPEN;
	s->stack[depth++] = root;
	while (depth) {
		int i = s->stack[depth - 1], d;

		if (s->next[i] == s->first[i + 1]) {
			s->mark[i] = MARK_DONE;
			s->sorted[s->n_sorted++] = s->g->nodes.at[i];
			depth--;
			continue;
		}
		d = s->deps.at[s->next[i]++];
		if (s->mark[d] == MARK_OPEN)
			return err_set(e, ERR_INPUT, "node '%s' (%s) depends on its own output: the graph has a cycle",
				       s->g->nodes.at[d]->name, s->g->nodes.at[d]->op_type);
		if (s->mark[d] == MARK_NEW) {
			s->mark[d] = MARK_OPEN;
			s->stack[depth++] = d;
		}
	}
	return 0;
}

int graph_sort_noting(struct graph *g, struct graph_late *late, struct err *e)
{
	size_t n = g->nodes.n;
	struct sorter s = {.g = g, .late = late};
	int rc = 0;

	graph_renumber(g);
	s.first = mem_array(n + 1, sizeof *s.first);
	s.next = mem_array(n, sizeof *s.next);
	s.mark = mem_array(n, 1);
	s.stack = mem_array(n, sizeof *s.stack);
	s.sorted = mem_array(n, sizeof *s.sorted);
	if (!s.first || !s.next || !s.mark || !s.stack || !s.sorted || collect(&s))
		rc = err_nomem(e, "sorting nodes", n * sizeof *s.sorted);
	for (size_t i = 0; i < n && !rc; i++)
		rc = emit(&s, (int)i, e);
	if (!rc && n) {
		memcpy(g->nodes.at, s.sorted, n * sizeof *s.sorted);
		graph_renumber(g);
	}
	vec_release(&s.deps);
	mem_free(s.first);
	mem_free(s.next);
	mem_free(s.mark);
	mem_free(s.stack);
	mem_free(s.sorted);
	return rc;
}

int graph_sort(struct graph *g, struct err *e)
{
	struct graph_late ignored = {NULL, NULL};

	return graph_sort_noting(g, &ignored, e);
}
