/* trial_truth.c - the right answer to a case, made once (declared in trial.h). */
#include "base/mem.h"
#include "judge/internal.h"
#include "judge/unjudged.h"

/* What the reference cannot run now it cannot run later: it is asked once. */
static int untold(struct trial *t, int rc, const struct err *e)
{
	if (!unjudged_status(rc))
		return rc;
	t->untold = 1;
	t->why = *e;
	return rc;
}

/* ERR_INPUT is the reference's word on the model or its inputs; all else is a failure. */
static int refused(struct trial *t, int rc, struct err *e)
{
	if (rc != ERR_INPUT)
		return rc;
	t->invalid = 1;
	t->why = *e;
	err_clear(e);
	return 0;
}

int trial_open_ref(struct trial *t, struct err *e)
{
	int rc = t->ref || t->invalid ? 0 : ref_open(t->model, &t->ref, e);

	return refused(t, rc, e);
}

int trial_truth(struct trial *t, struct err *e)
{
	struct ref_options o = {.mode = REF_NOISY, .seed = t->seed};
	int rc;

	if (t->truth.outputs || t->invalid)
		return 0;
	if (t->untold) {
		*e = t->why;
		return t->why.code;
	}
	rc = trial_open_ref(t, e);
	if (rc || t->invalid)
		return untold(t, rc, e);
	rc = ref_run(t->ref, t->inputs, t->model->graph->inputs.n, &o, &t->truth, e);
	return untold(t, refused(t, rc, e), e);
}
