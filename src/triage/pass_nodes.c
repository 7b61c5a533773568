/* pass_nodes.c - nodes taken out, in groups that become smaller: what they computed is fed from outside instead. */
#include "base/mem.h"
#include "triage/reduction.h"

struct groups {
	int *nodes;
	size_t n, size; /* nodes in all, nodes of a group */
};

/* Candidate i lacks the i-th group from the end: what comes last is needed least often. */
static int without_group(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	const struct groups *g = arg;
	size_t to = g->n - i * g->size, from = to > g->size ? to - g->size : 0;
	char *keep = mem_array(r->now.model->graph->nodes.n, 1);
	int rc;

	if (!keep)
		return err_nomem(e, "a group", r->now.model->graph->nodes.n);
	for (size_t k = 0; k < g->n; k++)
		keep[g->nodes[k]] = k < from || k >= to;
	rc = part_extract(r, keep, 0, out, e);
	mem_free(keep);
	return rc;
}

static int run(struct reduction *r, struct err *e)
{
	struct groups g = {.size = SIZE_MAX};
	enum reduce_step step = REDUCE_NOTHING;

	while (step != REDUCE_FAILED && g.size) {
		int rc = part_list(r, &g.nodes, &g.n, e);

		if (rc)
			return rc;
		if (g.size > g.n / 2)
			g.size = g.n / 2;
		step = g.size ? reduce_first(r, (g.n + g.size - 1) / g.size, without_group, &g, e) : REDUCE_NOTHING;
		mem_free(g.nodes);
		if (step == REDUCE_NOTHING)
			g.size /= 2;
	}
	return step == REDUCE_FAILED ? e->code : 0;
}

const struct pass pass_nodes = {.summary = "leave nodes out and feed what they computed", .run = run};
