/* verify.c - the blamed operator bound to a backend that is right: the difference must go (declared in swap.h).
 *
 * The network runs on the library that is named.  Every operator blamed in that library is bound to the other library,
 * or to the reference where the other is wrong too, and so are those it does not have; the network must then be right.
 * With the operator in question alone bound back it must be wrong. */
#include "methods/swap/swap.h"

/* Who computes an operator right in place of `side`. */
static enum swap_side stand_in(const struct swap_op *op, enum swap_side side)
{
	if (op->both)
		return SWAP_REFERENCE;
	return side == SWAP_BASE ? SWAP_TEST : op->home;
}

static int is_blamed(const struct swap_op *op, enum swap_side side)
{
	return verdict_is_finding(op->verdict) && (op->side == side || op->both);
}

static void bind_all(struct swapping *s, enum swap_side side)
{
	for (size_t i = 0; i < s->t->model->graph->nodes.n; i++) {
		const struct swap_op *op = &s->ops[i];
		int missing = side == SWAP_TEST && op->verdict == VERDICT_UNSUPPORTED;
		enum swap_side usual = side == SWAP_BASE ? op->home : side;

		mixed_rebind(s->mixed, op->node, is_blamed(op, side) || missing ? stand_in(op, side) : usual);
	}
}

/* *right: the mix as it is bound now agrees with the reference. */
static int is_right(struct swapping *s, int *right, struct err *e)
{
	struct mixed_run run = {0};
	double ratio;
	int rc = swap_run_mix(s, &run, e);

	if (rc)
		return rc;
	*right = run.report.result == WORKER_OK && !verdict_is_finding(swap_judge_run(s, &run, &ratio));
	mixed_run_release(&run);
	return 0;
}

static int verify(struct swapping *s, struct swap_op *op, struct err *e)
{
	int with = 0, without = 1, rc;

	bind_all(s, op->side);
	rc = is_right(s, &with, e);
	if (!rc && with) {
		mixed_rebind(s->mixed, op->node, op->side);
		rc = is_right(s, &without, e);
	}
	if (!rc)
		op->effect = with && !without ? SWAP_GOES : SWAP_STAYS;
	return rc;
}

int swap_verify(struct swapping *s, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < s->t->model->graph->nodes.n && i < SWAP_VERIFY && !rc; i++)
		if (verdict_is_finding(s->ops[i].verdict))
			rc = verify(s, &s->ops[i], e);
	return rc;
}
