/* reduce.c - the smallest case that still shows a finding: the driver (see reduction.h for how passes work with it).
 *
 * Passes run in the order of their table until a whole round keeps nothing; the last row, which only tidies up, runs
 * once after that.  The result is confirmed in fresh workers, and what the library's own switches do to the case that
 * came in they must do to it too.  Should it not hold, the case after an earlier pass is taken, down to the one that
 * came in. */
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "triage/reduction.h"

#define DEFAULT_SECONDS 60
#define MAX_JOBS 64
#define MAX_ROUNDS 8
#define MAX_STAGES 16
#define SWITCH_SECONDS 60 /* less than this is said to switches.c */

static const struct pass *const passes[] = {
#define PASS(id) &pass_##id,
#include "triage/passes.def"
#undef PASS
};

#define N_PASSES (sizeof passes / sizeof *passes)

/* Cases after passes that changed something, oldest first; the case that came in is the first. */
struct stages {
	struct trial at[MAX_STAGES];
	size_t n;
};

static int stages_add(struct stages *s, const struct trial *t, struct err *e)
{
	int rc;

	if (s->n == MAX_STAGES) { /* the newest but one makes room: early ones are for safety, late ones are small */
		trial_release(&s->at[MAX_STAGES - 1]);
		s->n--;
	}
	rc = trial_copy(t, &s->at[s->n], e);
	if (!rc)
		s->n++;
	return rc;
}

static void stages_release(struct stages *s)
{
	for (size_t i = 0; i < s->n; i++)
		trial_release(&s->at[i]);
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static int run_pass(struct reduction *r, const struct pass *p, struct stages *s, struct err *e)
{
	size_t before = r->kept;
	int rc = p->run(r, e);

	return rc || r->kept == before ? rc : stages_add(s, &r->now, e);
}

static int run_passes(struct reduction *r, struct stages *s, struct err *e)
{
	size_t before = SIZE_MAX;
	int rc = 0;

	for (int round = 0; r->kept != before && round < MAX_ROUNDS && !reduce_time_is_up(r); round++) {
		before = r->kept;
		for (size_t i = 0; i + 1 < N_PASSES && !rc; i++)
			rc = run_pass(r, passes[i], s, e);
		if (rc)
			return rc;
	}
	return run_pass(r, passes[N_PASSES - 1], s, e);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* *shows: the case shows the finding, in fresh workers too. */
static int confirm(struct reduction *r, struct trial *t, const struct party *p, struct outcome *o, int *shows,
		   struct err *e)
{
	int rc = tries_judge(r, t, o, shows, e);

	if (rc || !*shows)
		return rc;
	rc = r->target.gradient ? trial_confirm_gradients(t, p, r->judge, o, e) : trial_confirm(t, p, r->judge, o, e);
	*shows = !rc && target_shows(&r->target, t, o);
	return rc;
}

/* How long passes of the optimizer may be looked for; 0: as long as is usual. */
static double switch_seconds(const struct reduction *r)
{
	double left = r->options->deadline - clock_now();

	return r->options->deadline > 0 && left < SWITCH_SECONDS ? left : 0;
}

/* Finds out what makes the case right, and whether that has to do with what came in.  A setting that made that right
 * must make this right, and passes that make this right must matter there. */
static int compare_switches(struct reduction *r, struct trial *first, struct trial *t, const struct party *p,
			    struct switches *found, int *same, struct err *e)
{
	double seconds = switch_seconds(r);
	struct switch_case whole = {first, p, r->target.verdict, r->target.gradient, seconds};
	struct switch_case small = {t, p, r->target.verdict, r->target.gradient, seconds};
	int rc = seconds < 0 ? err_set(e, ERR_LIMIT, "the time was over before the smallest case was checked")
			     : switches_find(&small, found, e);

	*same = 1;
	if (rc || t == first || r->target.verdict == VERDICT_HANG) /* a hang would take its whole time each time */
		return rc;
	if (!r->knows_switches) {
		rc = switches_alone(&whole, &r->first_alone, e);
		r->knows_switches = !rc;
	}
	*same = !(r->first_alone & ~found->alone);
	if (!rc && *same && r->first_alone)
		rc = switches_matter(&whole, found, same, e);
	return rc;
}

/* *holds: the case is as good a witness as the one that came in. */
static int check_stage(struct reduction *r, struct stages *s, size_t i, const struct party *p,
		       struct reduce_result *out, int *holds, struct err *e)
{
	int rc = confirm(r, &s->at[i], p, &out->outcome, holds, e);
	double start = clock_now();

	out->confirmed = !rc && *holds;
	if (!rc && !r->options->hasty && (*holds || !i)) {
		int same;

		rc = compare_switches(r, &s->at[0], &s->at[i], p, &out->switches, &same, e);
		*holds &= same;
	}
	out->switch_seconds += clock_now() - start;
	return rc;
}

/* Takes the newest stage that holds. */
static int choose_stage(struct reduction *r, struct stages *s, const struct party *p, struct reduce_result *out,
			struct err *e)
{
	size_t i = s->n - 1;
	int holds, rc;

	while (!(rc = check_stage(r, s, i, p, out, &holds, e)) && !holds && i) {
		outcome_release(&out->outcome);
		out->outcome = (struct outcome){0};
		out->dropped++;
		i--;
	}
	if (rc) {
		outcome_release(&out->outcome);
		return rc;
	}
	out->trial = s->at[i];
	s->at[i] = (struct trial){0};
	out->nodes_before = s->at[0].model ? s->at[0].model->graph->nodes.n : out->trial.model->graph->nodes.n;
	out->nodes_after = out->trial.model->graph->nodes.n;
	return 0;
}

static void set_target(struct reduction *r, const struct trial *t, const struct outcome *o, const char *op)
{
	r->target = (struct target){.op = op && *op ? op : NULL, .gradient = r->options->gradient};
	target_set(&r->target, t, o, r->judge);
	r->outcome = (struct outcome){.verdict = o->verdict, .ratio = o->ratio, .worst = o->worst};
}

/* What the case means at first; where the reference cannot tell, no rule holds. */
static int note_domain(struct reduction *r, struct err *e)
{
	int rc = trial_truth(&r->now, e);

	if (!rc && !r->now.invalid)
		rc = domain_broken(&r->now, &r->target.broken, e);
	if (rc == ERR_UNSUPPORTED || r->now.invalid) {
		r->target.broken.anything = 1;
		err_clear(e);
		rc = 0;
	}
	return rc;
}

static int reduce(struct reduction *r, const struct trial *t, const struct party *p, struct reduce_result *out,
		  struct err *e)
{
	struct stages s = {.n = 0};
	int jobs = r->options->jobs > 0 ? r->options->jobs : 1;
	int rc = trial_copy(t, &r->now, e);

	if (!rc)
		rc = note_domain(r, e);
	if (!rc)
		rc = stages_add(&s, t, e);
	if (!rc)
		rc = tries_open(r, p, (size_t)(jobs < MAX_JOBS ? jobs : MAX_JOBS), e);
	if (!rc)
		rc = run_passes(r, &s, e);
	if (!rc)
		rc = choose_stage(r, &s, p, out, e);
	stages_release(&s);
	tries_close(r);
	record_clear(r);
	domain_release(&r->target.broken);
	trial_release(&r->now);
	outcome_release(&r->outcome);
	map_release(&r->seen);
	return rc;
}

int reduce_trial(const struct trial *t, const struct party *p, const struct outcome *o, const char *blamed_op,
		 const struct reduce_options *options, struct reduce_result *out, struct err *e)
{
	static const struct reduce_options defaults = {0};
	double start = clock_now();
	struct reduction r = {.options = options ? options : &defaults};
	struct reduce_result result = {0};
	int rc;

	if (!verdict_is_finding(o->verdict))
		return err_set(e, ERR_USAGE, "there is nothing to reduce: the verdict is '%s'",
			       verdict_name(o->verdict));
	r.judge = r.options->judge;
	r.deadline = start + (r.options->seconds > 0 ? r.options->seconds : clock_patience(DEFAULT_SECONDS));
	set_target(&r, t, o, blamed_op);
	rc = reduce(&r, t, p, &result, e);
	if (rc)
		return rc;
	result.tries = r.tried;
	result.kept = r.kept;
	result.backend_seconds = r.backend_seconds;
	result.seconds = clock_now() - start - result.switch_seconds;
	*out = result;
	return 0;
}

void reduce_result_release(struct reduce_result *r)
{
	trial_release(&r->trial);
	outcome_release(&r->outcome);
	*r = (struct reduce_result){0};
}
