/* pass_constants.c - constants instead of nodes that compute them, and instead of inputs: one input is enough. */
#include <string.h>

#include "base/mem.h"
#include "triage/reduction.h"

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int fold(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	size_t n = r->now.model->graph->nodes.n;
	char *keep = mem_alloc(n);
	int rc;

	(void)i;
	(void)arg;
	if (!keep)
		return err_nomem(e, "constants", n);
	memset(keep, 1, n);
	rc = part_extract(r, keep, 1, out, e);
	mem_free(keep);
	return rc;
}

static int fold_nodes(struct reduction *r, struct err *e)
{
	const struct graph *g = r->now.model->graph;
	char *constant = part_constant_nodes(g, r->now.inputs, e);
	int any;

	if (!constant)
		return ERR_MEMORY;
	any = memchr(constant, 1, g->nodes.n) != NULL;
	mem_free(constant);
	return any && reduce_first(r, 1, fold, NULL, e) == REDUCE_FAILED ? e->code : 0;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static size_t count_of(const struct value *v)
{
	return v && v->kind == VALUE_TENSOR ? v->tensor->count : 0;
}

static size_t largest_input(const struct reduction *r)
{
	size_t best = 0;

	for (size_t i = 1; i < r->now.model->graph->inputs.n; i++)
		if (count_of(r->now.inputs[i]) > count_of(r->now.inputs[best]))
			best = i;
	return best;
}

/* Candidate 0: only the largest stays an input; candidate i: input i - 1 becomes a constant. */
static int fix_inputs(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	size_t stays = largest_input(r);
	int rc = candidate_copy(r, out, e);

	(void)arg;
	for (size_t k = r->now.model->graph->inputs.n; k-- > 0 && !rc;)
		if (i ? k == i - 1 : k != stays && r->now.inputs[k])
			rc = candidate_make_constant(out, k, e);
	if (rc)
		candidate_release(out);
	return rc;
}

static int run(struct reduction *r, struct err *e)
{
	enum reduce_step step = REDUCE_KEPT;
	int rc = fold_nodes(r, e);

	while (!rc && step == REDUCE_KEPT && r->now.model->graph->inputs.n > 1)
		step = reduce_first(r, r->now.model->graph->inputs.n + 1, fix_inputs, NULL, e);
	return step == REDUCE_FAILED ? e->code : rc;
}

const struct pass pass_constants = {.summary = "constants in place of nodes and inputs", .run = run};
