/* settle.c - a network on one library that may lack some of its operators (declared in swap.h).
 *
 * The whole network is tried first.  Only when it fails is every operator tried alone, and what fails alone is bound to
 * the reference: the others can then be compared. */
#include <stdio.h>

#include "methods/swap/swap.h"

static void bind_home(struct swapping *s)
{
	for (size_t i = 0; i < s->t->model->graph->nodes.n; i++)
		mixed_rebind(s->mixed, s->ops[i].node, s->ops[i].home);
}

/* What a library makes of an operator alone, and of its gradient; o->report says how it failed. */
static int try_alone(struct swapping *s, struct trial *part, struct party *p, struct outcome *o, struct err *e)
{
	const struct judge_options only_run = {.no_truth = 1};
	int rc = trial_judge(part, p, &only_run, o, e);

	if (rc || o->report.result != WORKER_OK || !s->out->gradients)
		return rc;
	outcome_release(o);
	rc = trial_judge_gradients(part, p, &only_run, o, e);
	if (rc != ERR_UNSUPPORTED)
		return rc;
	err_clear(e); /* nothing in it has a gradient */
	return 0;
}

static int settle_one(struct swapping *s, struct swap_op *op, struct party *p, struct err *e)
{
	struct outcome o = {0};
	struct trial part = {0};
	int empty, rc = mixed_part(s->mixed, (size_t)op->node->index, 1, &part, &empty, e);

	if (rc || empty)
		return rc;
	rc = try_alone(s, &part, p, &o, e);
	if (!rc && o.report.result != WORKER_OK) {
		op->home = SWAP_REFERENCE;
		op->base_failed = o.report.result != WORKER_UNSUPPORTED;
		worker_report_text(&o.report, op->lacking, sizeof op->lacking);
	}
	outcome_release(&o);
	trial_release(&part);
	return rc;
}

int swap_settle(struct swapping *s, enum swap_side side, struct mixed_run *run, struct err *e)
{
	size_t n = s->t->model->graph->nodes.n;
	int rc;

	for (size_t i = 0; i < n; i++)
		s->ops[i].home = side;
	bind_home(s);
	rc = swap_run_mix(s, run, e);
	if (rc || run->report.result == WORKER_OK)
		return rc;
	mixed_run_release(run);
	for (size_t i = 0; i < n && !rc; i++)
		rc = settle_one(s, &s->ops[i], s->parties[side], e);
	if (rc)
		return rc;
	bind_home(s);
	return swap_run_mix(s, run, e);
}
