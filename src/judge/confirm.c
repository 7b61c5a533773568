/* confirm.c - a finding counts when it comes again (declared in trial.h).
 *
 * - what hangs: with ten times as much time, since a machine with other work to do is slow;
 * - all else: in the same worker (state that earlier cases left behind), then in a fresh one (state that this worker
 *   had: where that decides, the worker's process is replaced), then in a fresh one whose allocations are filled with a
 *   pattern (uninitialised memory).  Numbers may be others each time, as long as they are wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/internal.h"

#define POISON "MALLOC_PERTURB_=165"

typedef int judge_fn(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *out,
		     struct err *e);

/* What is judged again, and how. */
struct repeat {
	struct trial *t;
	const struct judge_options *options;
	judge_fn *judge;
};

/* Two runs of one library may round differently, but not more than that. */
int outcome_values_differ(const struct trial *t, const struct outcome *a, const struct outcome *b, double limit)
{
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		struct judgement j = {.verdict = VERDICT_AGREE};
		const float *noise;

		if (a->values && b->values && i < t->truth.n) {
			noise = judge_noise_for(t->truth.outputs[i].noise, value_elements(t->truth.outputs[i].value),
						value_elements(a->values[i]));
			judge_value(a->values[i], noise, b->values[i], limit, &j);
		} else if (a->grads && b->grads) {
			noise = judge_noise_for(t->grad_noise[i], t->grads[i]->count, a->grads[i]->count);
			judge_tensor(a->grads[i], noise, b->grads[i], limit, &j);
		}
		if (verdict_is_finding(j.verdict) && a->judged && a->judged[i].verdict != VERDICT_VACUOUS)
			return 1;
	}
	return 0;
}

/* "" when both are the same finding, else how they differ. */
static void compare(const struct trial *t, const struct outcome *a, const struct outcome *b, double limit, char *out,
		    size_t size)
{
	double low = fmin(a->first_ratio, b->first_ratio), high = fmax(a->first_ratio, b->first_ratio);

	*out = '\0';
	if (a->verdict != b->verdict)
		snprintf(out, size, "%s, then %s", verdict_name(a->verdict), verdict_name(b->verdict));
	else if (a->first_worst != b->first_worst)
		snprintf(out, size, "output %zu is the worst, then output %zu", a->first_worst, b->first_worst);
	else if (low != high && !(high <= 2 * low))
		snprintf(out, size, "%.3g times the noise, then %.3g times", a->first_ratio, b->first_ratio);
	else if (outcome_values_differ(t, a, b, limit))
		snprintf(out, size, "other values, beyond what rounding explains");
}

/* Wrong both times, with other numbers: memory that was never set is as wrong as anything else, and comes again in
 * its own way.  What doubt explains of the second one is no second time. */
static int is_wrong_again(const struct repeat *r, const struct outcome *first, struct outcome *second, int *out,
			  struct err *e)
{
	int rc = 0;

	*out = verdict_is_of_numbers(first->verdict) && verdict_is_of_numbers(second->verdict);
	if (*out && r->judge == trial_judge)
		rc = trial_doubt(r->t, r->options, DOUBT_FULL, second, e);
	*out = *out && verdict_is_of_numbers(second->verdict);
	return rc;
}

static void set_unstable(struct outcome *out)
{
	size_t n = strlen(out->reason);

	if (!out->unstable)
		snprintf(out->reason + n, sizeof out->reason - n, "; other numbers each time");
	out->unstable = 1;
}

/* What becomes of NaN is open, and the library gives other numbers from run to run (proof/agree.c): a run that differs
 * is what was found, and one that does not refutes nothing. */
static int is_about_runs(const struct outcome *first, const struct outcome *second)
{
	return first->stands && first->unstable && second->values;
}

/* Judges once more; a difference makes the outcome flaky, unless it is wrong each time. */
static int again(const struct repeat *r, struct party *p, const char *where, struct outcome *out, struct err *e)
{
	double limit = judge_limit(r->options);
	struct outcome second = {0};
	char difference[256];
	int rc = r->judge(r->t, p, r->options, &second, e), wrong = 0;

	if (rc)
		return rc;
	if (is_about_runs(out, &second)) {
		outcome_release(&second);
		return 0;
	}
	compare(r->t, out, &second, limit, difference, sizeof difference);
	if (*difference)
		rc = is_wrong_again(r, out, &second, &wrong, e);
	if (*difference && wrong) {
		set_unstable(out);
	} else if (*difference) {
		out->verdict = VERDICT_FLAKY;
		out->unstable = 0;
		snprintf(out->reason, sizeof out->reason, "did not reproduce %s: %s", where, difference);
	}
	outcome_release(&second);
	return rc;
}

/* env NULL: with the environment as it is. */
static int again_in_fresh(const struct repeat *r, const struct party *p, const char *env, const char *where,
			  struct outcome *out, struct err *e)
{
	struct worker_spec spec;
	struct party fresh = {0};
	int rc = spec_copy(&p->spec, &spec, e);

	if (rc)
		return rc;
	if (env)
		rc = spec_set_env(&spec, env, e);
	if (!rc)
		rc = party_open_spec(&fresh, &spec, &p->limits, e);
	spec_release(&spec);
	if (!rc)
		rc = again(r, &fresh, where, out, e);
	party_close(&fresh);
	return rc;
}

static int wait_longer(const struct repeat *r, const struct party *p, struct outcome *out, struct err *e)
{
	struct party fresh = {0};
	char where[64];
	int rc = party_open_spec(&fresh, &p->spec, &p->limits, e);

	if (!rc) {
		snprintf(where, sizeof where, "when it is given %.3g seconds",
			 worker_set_patience(fresh.worker, WORKER_PATIENCE));
		rc = again(r, &fresh, where, out, e);
	}
	party_close(&fresh);
	return rc;
}

static int confirm(const struct repeat *r, const struct party *p, struct outcome *out, struct err *e)
{
	struct party same = *p;
	int rc;

	if (p->worker && out->verdict == VERDICT_HANG)
		return wait_longer(r, p, out, e);
	rc = again(r, &same, "in the same worker", out, e);

	if (!p->worker) /* the reference: no process to be fresh, and nothing it could have forgotten to set */
		return rc;
	if (rc || out->verdict == VERDICT_FLAKY)
		return rc;
	rc = again_in_fresh(r, p, NULL, "in a fresh worker", out, e);
	if (!rc && out->verdict == VERDICT_FLAKY)
		worker_renew(p->worker); /* an earlier case has spoilt its process, and would spoil all that come */
	else if (!rc)
		rc = again_in_fresh(r, p, POISON, "in a fresh worker whose allocations are filled with a pattern", out,
				    e);
	return rc;
}

/* What needs no other process: other roundings, a lower precision. */
static int doubt_and_explain(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *out,
			     struct err *e)
{
	int rc = out->stands ? 0 : trial_doubt(t, options, DOUBT_FULL, out, e);

	return rc ? rc : trial_explain(t, p, options, out, e);
}

int trial_confirm(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *out,
		  struct err *e)
{
	const struct repeat r = {t, options, trial_judge};
	struct party same = *p;
	int rc = doubt_and_explain(t, &same, options, out, e);

	return rc || !verdict_is_finding(out->verdict) ? rc : confirm(&r, p, out, e);
}

int trial_repeat(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *out,
		 struct err *e)
{
	const struct repeat r = {t, options, trial_judge};
	struct party same = *p;
	int rc = doubt_and_explain(t, &same, options, out, e);

	if (rc || !verdict_is_finding(out->verdict))
		return rc;
	return out->verdict == VERDICT_HANG ? confirm(&r, p, out, e) : again(&r, &same, "in the same worker", out, e);
}

int trial_confirm_gradients(struct trial *t, const struct party *p, const struct judge_options *options,
			    struct outcome *out, struct err *e)
{
	return confirm(&(struct repeat){t, options, trial_judge_gradients}, p, out, e);
}
