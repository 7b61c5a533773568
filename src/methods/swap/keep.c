/* keep.c - what swapping found, on its way to the store (declared in swap.h). */
#include <stdio.h>

#include "base/mem.h"
#include "methods/swap/swap.h"

/* One of each kind: the same operator wrong in the same way is told once, by its highest rank. */
static int is_new(struct kinds *kinds, const struct swap_op *op, int *take, struct err *e)
{
	char kind[320];

	snprintf(kind, sizeof kind, "%.200s|%s|%d|%d", op->node->op_type, verdict_name(op->verdict), (int)op->side,
		 op->gradient);
	return kinds_take(kinds, kind, take, e);
}

size_t swap_findings(const struct swap_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += (size_t)verdict_is_finding(r->ops[i].verdict);
	return n;
}

static int gave_an_answer(enum verdict v)
{
	return v != VERDICT_UNSUPPORTED && v != VERDICT_REJECTED && !verdict_is_of_process(v);
}

struct tally swap_tally(const struct swap_result *r, enum swap_side side)
{
	struct tally t = {0};

	for (size_t i = 0; i < r->n; i++) {
		const struct swap_op *op = &r->ops[i];
		int told = op->side == side || op->both;
		int lacks = side == SWAP_BASE && op->home == SWAP_REFERENCE && !op->base_failed;
		enum verdict v = lacks ? VERDICT_UNSUPPORTED : told ? op->verdict : VERDICT_AGREE;

		tally_note(&t, gave_an_answer(v), v);
	}
	return t;
}

int swap_keep(struct swap_keeper *k, struct swap_result *r, struct kept **out, struct err *e)
{
	struct kept *kept = mem_array(r->n + 1, sizeof *kept);
	int rc = kept ? 0 : err_nomem(e, "findings", r->n);

	for (size_t i = 0; i < r->n && !rc && k->keeper; i++) {
		struct swap_op *op = &r->ops[i];
		int take = 0;

		if (verdict_is_finding(op->verdict))
			rc = is_new(&k->kinds, op, &take, e);
		k->keeper->gradient = op->gradient;
		if (!rc && take)
			rc = keep_case(k->keeper, &op->part, op->side == SWAP_BASE ? k->base : k->test, &op->outcome,
				       &kept[i], e);
	}
	if (rc)
		mem_free(kept);
	else
		*out = kept;
	return rc;
}
