/* culprit.c - an operator changed more than rounding explains: who is wrong? (declared in swap.h)
 *
 * Each library computes the operator alone from the reference's own tensors, and is judged.  When both are right, the
 * operator's change of hands has changed two segments: each is judged in the same way with it and without it. */
#include <stdio.h>

#include "methods/swap/swap.h"

/* One library on a part of the network.  *o is what it made of it: the gradient when only that is wrong. */
static int judge_part(struct swapping *s, struct trial *part, enum swap_side side, struct outcome *o, int *gradient,
		      struct err *e)
{
	struct outcome back = {0};
	int rc = trial_judge(part, s->parties[side], &s->o->judge, o, e);

	*gradient = 0;
	if (rc || !s->out->gradients || verdict_is_finding(o->verdict) || o->verdict == VERDICT_UNSUPPORTED)
		return rc;
	rc = trial_judge_gradients(part, s->parties[side], &s->o->judge, &back, e);
	if (rc == ERR_UNSUPPORTED) { /* nothing in it has a gradient */
		err_clear(e);
		return 0;
	}
	if (rc || verdict_worse(o->verdict, back.verdict) != back.verdict) {
		outcome_release(&back);
		return rc;
	}
	outcome_release(o);
	*o = back;
	*gradient = 1;
	return 0;
}

/* Blames a side, with the case that shows it; takes the outcome. */
static void blame(struct swap_op *op, enum swap_side side, struct outcome *take, int gradient)
{
	op->side = side;
	op->verdict = take->verdict;
	op->gradient = gradient;
	snprintf(op->reason, sizeof op->reason, "%s", take->reason);
	op->outcome = *take;
	*take = (struct outcome){0};
}

static void drop_case(struct swap_op *op)
{
	outcome_release(&op->outcome);
	trial_release(&op->part);
	op->outcome = (struct outcome){0};
}

/* ---- alone ------------------------------------------------------------------------------------------------------- */

static int judge_alone(struct swapping *s, struct swap_op *op, struct err *e)
{
	struct outcome o[2] = {{0}, {0}};
	int gradient[2] = {0, 0}, rc = 0;
	enum swap_side wrong = SWAP_TEST;

	for (int i = SWAP_BASE; i <= SWAP_TEST && !rc; i++)
		rc = judge_part(s, &op->part, (enum swap_side)i, &o[i], &gradient[i], e);
	op->both = verdict_is_finding(o[SWAP_BASE].verdict) && verdict_is_finding(o[SWAP_TEST].verdict);
	if (verdict_is_finding(o[SWAP_BASE].verdict) && !op->both)
		wrong = SWAP_BASE;
	if (!rc)
		blame(op, wrong, &o[wrong], gradient[wrong]);
	outcome_release(&o[SWAP_BASE]);
	outcome_release(&o[SWAP_TEST]);
	return rc;
}

/* ---- among its neighbours ---------------------------------------------------------------------------------------- */

/* A segment that the change has made longer or shorter, as it was on either side of it. */
struct sight {
	size_t first, n;
	struct trial part;
	struct outcome outcome;
	int gradient, wrong;
};

static int look(struct swapping *s, enum swap_side side, struct sight *x, struct err *e)
{
	int empty = 1, rc = x->n ? mixed_part(s->mixed, x->first, x->n, &x->part, &empty, e) : 0;

	if (rc || empty)
		return rc;
	rc = judge_part(s, &x->part, side, &x->outcome, &x->gradient, e);
	x->wrong = !rc && verdict_is_finding(x->outcome.verdict);
	return rc;
}

static void sight_release(struct sight *x)
{
	outcome_release(&x->outcome);
	trial_release(&x->part);
}

/* Blames the side when its segment is right with the operator and wrong without it, or the other way round: a segment
 * that is wrong in both is so for another operator. */
static int compare_sights(struct swapping *s, struct swap_op *op, enum swap_side side, struct sight *with,
			  struct sight *without, struct err *e)
{
	int rc = look(s, side, with, e);

	if (!rc)
		rc = look(s, side, without, e);
	if (!rc && with->wrong != without->wrong) {
		struct sight *x = with->wrong ? with : without;

		blame(op, side, &x->outcome, x->gradient);
		op->together = x->n;
		op->part = x->part;
		x->part = (struct trial){0};
	}
	sight_release(with);
	sight_release(without);
	return rc;
}

static int judge_segments(struct swapping *s, struct swap_op *op, struct err *e)
{
	size_t at = (size_t)op->node->index, first, n, party;
	int rc = 0;

	snprintf(op->reason, sizeof op->reason,
		 "right alone and in its segment: the change comes of what it reads, or of rounding that grows");
	op->verdict = VERDICT_ROUNDING;
	for (size_t i = 0; !rc && !op->together && mixed_segment(s->mixed, i, &first, &n, &party); i++) {
		struct sight with = {.first = first, .n = n}, without = with;

		if (party == SWAP_TEST && first == at) { /* the operator has come to its front */
			without.first++;
			without.n--;
		} else if (party == SWAP_BASE && first + n == at) { /* … or has gone from its end */
			with.n++;
		} else {
			continue;
		}
		rc = compare_sights(s, op, (enum swap_side)party, &with, &without, e);
	}
	return rc;
}

int swap_judge_op(struct swapping *s, struct swap_op *op, struct err *e)
{
	int empty, rc = mixed_part(s->mixed, (size_t)op->node->index, 1, &op->part, &empty, e);

	op->verdict = VERDICT_VACUOUS;
	if (rc || empty)
		return rc;
	rc = judge_alone(s, op, e);
	if (!rc && verdict_is_finding(op->verdict))
		return 0;
	drop_case(op);
	if (rc || op->verdict > VERDICT_VACUOUS)
		return rc;
	return judge_segments(s, op, e);
}
