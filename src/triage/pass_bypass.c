/* pass_bypass.c - nodes whose output can be replaced by one of their inputs of the same type. */
#include <string.h>

#include "triage/reduction.h"

/* Pair number i of (node, input), counted from the last node. */
static int find_pair(const struct graph *g, size_t i, size_t *node, int *input)
{
	for (size_t k = g->nodes.n; k-- > 0;) {
		size_t n = (size_t)g->nodes.at[k]->n_in;

		if (i < n) {
			*node = k;
			*input = (int)i;
			return 1;
		}
		i -= n;
	}
	return 0;
}

static size_t count_pairs(const struct graph *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nodes.n; i++)
		n += (size_t)g->nodes.at[i]->n_in;
	return n;
}

static int around(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	struct node *n;
	size_t index;
	int input, rc;

	(void)arg;
	if (!find_pair(r->now.model->graph, i, &index, &input))
		return 0;
	n = r->now.model->graph->nodes.at[index];
	if (n->n_out < 1 || !n->out[0] || !n->in[input] ||
	    !candidate_same_type(&n->in[input]->type, &n->out[0]->type) || graph_has_output(n->graph, n->in[input]))
		return 0;
	rc = candidate_copy(r, out, e);
	if (rc)
		return rc;
	n = out->model->graph->nodes.at[index];
	rc = graph_replace_uses(out->model->graph, n->out[0], n->in[input]);
	if (rc) {
		err_set(e, rc, "node '%s' cannot be bypassed", n->name);
		candidate_release(out);
	}
	return rc;
}

static int run(struct reduction *r, struct err *e)
{
	enum reduce_step step;

	do
		step = reduce_first(r, count_pairs(r->now.model->graph), around, NULL, e);
	while (step == REDUCE_KEPT);
	return step == REDUCE_FAILED ? e->code : 0;
}

const struct pass pass_bypass = {.summary = "go around nodes whose input and output have one type", .run = run};
