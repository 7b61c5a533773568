/* pass_outputs.c - one output is enough: the one that is farthest off, else the first that shows the finding. */
#include "triage/reduction.h"

/* Candidate i keeps output (worst + i) mod n alone. */
static int keep_one(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	size_t n = r->now.model->graph->outputs.n, worst = r->target.gradient ? 0 : r->outcome.worst;
	size_t keep = ((worst < n ? worst : 0) + i) % n;
	int rc = candidate_copy(r, out, e);
	struct graph *g;

	(void)arg;
	if (rc)
		return rc;
	g = out->model->graph;
	for (size_t k = n; k-- > 0;)
		if (k != keep)
			graph_remove_output(g, g->outputs.at[k]);
	return 0;
}

static int run(struct reduction *r, struct err *e)
{
	size_t n = r->now.model->graph->outputs.n;

	return n > 1 && reduce_first(r, n, keep_one, NULL, e) == REDUCE_FAILED ? e->code : 0;
}

const struct pass pass_outputs = {.summary = "keep one output", .run = run};
