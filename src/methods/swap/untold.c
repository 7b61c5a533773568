/* untold.c - a network that the reference cannot run: whole, on both libraries (declared in swap.h). */
#include "base/err.h"
#include "judge/unjudged.h"
#include "methods/swap/swap.h"

/* *same: the library gives again what it gave; else chance decides. */
static int repeats(struct trial *t, struct party *p, const struct outcome *first, int *same, struct err *e)
{
	static const struct judge_options only_run = {.no_truth = 1};
	struct outcome again = {0};
	char how[256] = "";
	int rc = trial_judge(t, p, &only_run, &again, e);

	if (!rc)
		rc = unjudged_compare(t->model->graph, first, &again, how, sizeof how, e);
	*same = !rc && again.values && !*how;
	outcome_release(&again);
	return rc;
}

/* How the two differ; only what comes again is told. */
static int compare(struct trial *t, struct party *const parties[2], struct swap_untold *r, struct err *e)
{
	int same = 1, rc = unjudged_compare(t->model->graph, &r->outcomes[SWAP_BASE], &r->outcomes[SWAP_TEST],
					    r->differ, sizeof r->differ, e);

	for (int i = SWAP_BASE; i <= SWAP_TEST && !rc && *r->differ; i++) {
		rc = repeats(t, parties[i], &r->outcomes[i], &same, e);
		if (!same)
			*r->differ = '\0';
	}
	return rc;
}

int swap_untold_run(struct trial *t, struct party *const parties[2], const struct judge_options *judge,
		    struct swap_untold *out, struct err *e)
{
	struct swap_untold r = {.verdict = VERDICT_AGREE};
	int rc = 0;

	for (int i = SWAP_BASE; i <= SWAP_TEST && !rc; i++) {
		rc = trial_judge(t, parties[i], judge, &r.outcomes[i], e);
		if (rc)
			break;
		r.verdict = verdict_worse(r.verdict, r.outcomes[i].verdict);
		for (size_t k = 0; k < t->model->graph->nodes.n; k++) /* its operators are the cases */
			tally_note(&r.tallies[i], r.outcomes[i].values != NULL, r.outcomes[i].verdict);
	}
	if (!rc)
		rc = compare(t, parties, &r, e);
	if (rc)
		swap_untold_release(&r);
	else
		*out = r;
	return rc;
}

void swap_untold_release(struct swap_untold *r)
{
	outcome_release(&r->outcomes[SWAP_BASE]);
	outcome_release(&r->outcomes[SWAP_TEST]);
}
