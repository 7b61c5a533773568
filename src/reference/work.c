/* work.c - what a run may cost: see ref_set_max_work(). */
#include "ops/call.h"
#include "reference/internal.h"

static _Atomic double max_work = REF_MAX_WORK;

void ref_set_max_work(double most)
{
	max_work = most;
}

int run_spend(struct run *r, const struct call *c)
{
	double times = !r->frame->lockstep ? 1 : r->lane < 0 ? 1 + r->lanes : 0, work = times * call_work(c);

	if (r->work + work > max_work)
		return err_set(
			r->err, ERR_LIMIT,
			"costs %.2g steps, after %.2g that were made; a run may take %.2g (--max-work raises it)", work,
			r->work, max_work);
	r->work += work;
	return 0;
}
