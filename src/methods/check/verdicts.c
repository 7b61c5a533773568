/* verdicts.c - who is wrong: the reference on the inputs where backends differ most.
 *
 * The right answer with its noise costs more than a run of a library, so it is computed for few inputs: the first, the
 * worst of every pair, and then, as long as a backend is found wrong or pairs differ on an input by more than the noise
 * of the judged ones explains, the next in order of difference.  An input on which all backends agree to a fraction of
 * the noise cannot make one of them wrong alone; that all of them are wrong alike is what judge_all is for.
 *
 * What the reference cannot run has no right answer: then every input is unjudged, and backends are only compared with
 * each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/plain.h"
#include "base/progress.h"
#include "judge/unjudged.h"
#include "methods/check/check.h"

#define CLOSER_SECONDS 30 /* for the nodes of a network that is explained as a whole */
#define MAX_JUDGED 8      /* inputs, unless all are wanted */

/* ---- which inputs ------------------------------------------------------------------------------------------------ */

struct verdict_candidate {
	size_t run;
	double spread; /* largest difference between two backends there, relative to the output's magnitude */
};

static double spread_between(const struct tensor *a, const struct tensor *b)
{
	double top = 0, scale = 0;

	if (!tensor_same_shape(a, b))
		return (double)INFINITY;
	for (size_t i = 0; i < a->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i), d = fabs(x - y);

		if (isnan(x) && isnan(y))
			continue;
		if (!(d <= top)) /* also NaN on one side only */
			top = isnan(d) ? (double)INFINITY : d;
		scale = fmax(scale, isfinite(x) ? fabs(x) : 0);
	}
	return top > 0 ? top / fmax(scale, 1e-30) : 0;
}

static double spread_of_output(const struct check_result *r, size_t run, size_t output)
{
	const struct tensor *first = NULL;
	double spread = 0;

	for (size_t i = 0; i < r->n_backends; i++) {
		const struct tensor *t = check_output(&r->backends[i], run, output);

		if (t && first)
			spread = fmax(spread, spread_between(first, t));
		else if (t)
			first = t;
	}
	return spread;
}

static double spread_of(const struct check_result *r, size_t run)
{
	double spread = 0;

	for (size_t i = 0; i < r->n_tasks; i++)
		spread = fmax(spread, spread_of_output(r, run, i));
	return spread;
}

static int by_spread(const void *a, const void *b)
{
	const struct verdict_candidate *x = a, *y = b;

	if (x->spread != y->spread)
		return x->spread < y->spread ? 1 : -1;
	return x->run < y->run ? -1 : x->run > y->run;
}

/* ---- judging one input ------------------------------------------------------------------------------------------- */

static void note_verdict(struct check_backend *b, size_t run)
{
	const struct outcome *o = &b->runs[run];
	int worse = o->verdict > b->verdict || (o->verdict == b->verdict && o->ratio > b->ratio);

	if (!b->n_seen || worse) {
		b->verdict = o->verdict;
		b->ratio = o->ratio;
		b->worst_run = run;
		b->explained_by = o->explained_by;
		snprintf(b->reason, sizeof b->reason, "%s", o->reason);
	}
	b->n_seen++;
	b->n_findings += (size_t)verdict_is_finding(o->verdict);
	b->n_suspicious += (size_t)o->suspicious;
}

/* What is explained as a whole must be so in its nodes, too: a fault may hide in it. */
static int look_closer(struct trial *t, struct check_backend *b, const struct check_options *o,
		       const struct outcome *before, struct outcome *out, struct err *e)
{
	const struct blame_request q = {.trial = t,
					.accused = &b->party,
					.outcome = out,
					.options = &o->judge,
					.seconds = clock_patience(CLOSER_SECONDS)};
	const struct node *guilty = NULL;
	int rc = b->n_closer++ ? 0 : blame_alone(&q, &guilty, e);

	if (rc || !guilty)
		return rc;
	out->stands = 1;
	out->verdict = before->verdict;
	out->ratio = before->ratio;
	out->explained_by = NULL;
	snprintf(out->reason, sizeof out->reason, "%.330s; %.40s '%.100s' is wrong alone", before->reason,
		 guilty->op_type, PLAIN(guilty->name));
	return 0;
}

static int doubt(struct trial *t, struct check_backend *b, const struct check_options *o, struct outcome *out,
		 struct err *e)
{
	const struct outcome before = *out;
	int rc = trial_doubt(t, &o->judge, DOUBT_QUICK, out, e);

	if (!rc)
		rc = trial_explain(t, &b->party, &o->judge, out, e);
	if (!rc && (out->verdict == VERDICT_EXPLAINED || out->doubtful))
		rc = look_closer(t, b, o, &before, out, e);
	return rc;
}

/* *found: some backend is wrong here. */
static int judge_run(struct trial *t, struct check_result *r, size_t run, const struct check_data *data,
		     const struct check_options *o, int *found, struct err *e)
{
	int rc = check_set_run(t, data, run, e);

	*found = 0;
	for (size_t i = 0; i < r->n_backends && !rc; i++) {
		struct check_backend *b = &r->backends[i];

		if (run >= b->n || b->runs[run].report.result != WORKER_OK)
			continue;
		progress_phase("judging", i + 1, r->n_backends, b->party.spec.name);
		b->runs[run].verdict = VERDICT_AGREE;
		rc = trial_judge_values(t, &b->party, &o->judge, &b->runs[run], e);
		if (!rc)
			rc = doubt(t, b, o, &b->runs[run], e);
		if (rc)
			break;
		note_verdict(b, run);
		*found |= verdict_is_finding(b->runs[run].verdict);
	}
	return rc ? rc : check_hold(t, r, run, data, o, e);
}

/* Without a judge: all there is to hold an answer against is what is known of it. */
static int hold_all(struct trial *t, struct check_result *r, const struct check_data *data,
		    const struct check_options *o, struct err *e)
{
	int rc = 0;

	for (size_t run = 0; run < data->n && !rc; run++) {
		rc = check_set_run(t, data, run, e);
		if (!rc)
			rc = check_hold(t, r, run, data, o, e);
	}
	return rc;
}

/* What a backend's process did, where it gave no values.  A refusal is judged by the reference: it must know that the
 * model is valid. */
static int judge_failures(struct trial *t, struct check_result *r, const struct check_data *data,
			  const struct check_options *o, struct err *e)
{
	struct judge_options how = o->judge;
	int rc = 0;

	for (size_t i = 0; i < r->n_backends && !rc; i++) {
		struct check_backend *b = &r->backends[i];
		size_t last = b->n ? b->n - 1 : 0;

		if (!b->n || b->runs[last].report.result == WORKER_OK)
			continue;
		progress_phase("judging", i + 1, r->n_backends, b->party.spec.name);
		how.no_truth = o->no_judge || b->runs[last].report.result != WORKER_REJECTED;
		rc = check_set_run(t, data, last, e);
		if (!rc)
			rc = trial_judge_values(t, &b->party, &how, &b->runs[last], e);
		if (!rc)
			note_verdict(b, last);
	}
	return rc;
}

/* Nobody runs a model or input that is not valid: what is wrong is what the user gave. */
static int refuse_invalid(const struct trial *t, const struct check_result *r, struct err *e)
{
	size_t refused = 0;

	for (size_t i = 0; i < r->n_backends; i++) {
		const struct check_backend *b = &r->backends[i];

		refused += b->n && b->runs[b->n - 1].report.result == WORKER_REJECTED;
	}
	return t->invalid && refused == r->n_backends ? err_set(e, ERR_INPUT, "%s", t->why.msg) : 0;
}

/* ---- what cannot be judged --------------------------------------------------------------------------------------- */

/* The inputs from all[first] on: no more is known of them than of those before, which the reference could not run. */
static int leave_unjudged(struct trial *t, struct check_result *r, const struct check_data *data,
			  const struct verdict_candidate *all, size_t first, struct err *e)
{
	const struct err why = t->why;
	int rc = 0;

	for (size_t i = first; i < data->n && !rc; i++) {
		size_t run = all[i].run;

		rc = check_set_run(t, data, run, e);
		for (size_t k = 0; k < r->n_backends && !rc; k++) {
			struct check_backend *b = &r->backends[k];

			if (run >= b->n || b->runs[run].report.result != WORKER_OK)
				continue;
			outcome_leave_unjudged(t, &why, &b->runs[run]);
			note_verdict(b, run);
		}
	}
	return rc;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int is_judged(const struct check_backend *b, size_t run)
{
	return run < b->n && b->runs[run].judged;
}

/* Where two backends are most inconsistent, the reference says whether that is more than chance. */
static int judge_pairs(struct trial *t, struct check_result *r, const struct check_data *data,
		       const struct check_options *o, struct err *e)
{
	int rc = 0, found;

	for (size_t i = 0; i < r->n_pairs && !rc; i++) {
		const struct check_pair *p = &r->pairs[i];
		size_t run = p->worst_item / data->batch;

		if (p->inconsistent && !is_judged(&r->backends[p->a], run) && !is_judged(&r->backends[p->b], run))
			rc = judge_run(t, r, run, data, o, &found, e);
	}
	return rc;
}

void check_explain_pairs(struct check_result *r, const struct check_data *data)
{
	for (size_t i = 0; i < r->n_pairs; i++) {
		struct check_pair *p = &r->pairs[i];
		const struct check_backend *a = &r->backends[p->a], *b = &r->backends[p->b];
		size_t run = p->worst_item / data->batch;

		p->explained = p->inconsistent && is_judged(a, run) && is_judged(b, run) &&
			       verdict_is_right(a->verdict) && verdict_is_right(b->verdict);
	}
}

static int judge_inputs(struct trial *t, struct check_result *r, const struct check_data *data,
			const struct check_options *o, struct err *e)
{
	struct verdict_candidate *all = mem_array(data->n + 1, sizeof *all);
	int rc = all ? 0 : err_nomem(e, "inputs", data->n * sizeof *all);
	double explained = 0; /* largest spread of an input on which every backend was right */
	int untold = 1;       /* the reference could not run one of the inputs so far */
	size_t i = 0;

	for (; i < data->n && !rc; i++)
		all[i] = (struct verdict_candidate){i, spread_of(r, i)};
	if (!rc && data->n > 1)
		qsort(all, data->n, sizeof *all, by_spread);
	for (i = 0; i < data->n && !rc; i++) {
		int found = 0;

		if (!o->judge_all && !data->expected &&
		    (i >= MAX_JUDGED || (i > 0 && !untold && all[i].spread <= explained)))
			break;
		rc = judge_run(t, r, all[i].run, data, o, &found, e);
		untold &= t->untold;
		if (!found && !t->untold)
			explained = fmax(explained, all[i].spread);
	}
	if (!rc && i && untold)
		rc = leave_unjudged(t, r, data, all, i, e);
	if (!rc && !untold)
		rc = judge_pairs(t, r, data, o, e);
	mem_free(all);
	return rc;
}

/* After a process that ended, or a library that refuses the model, the other inputs were not tried; what it does not
 * have it has for none of them. */
static void count(struct check_backend *b, size_t given)
{
	for (size_t i = 0; i < given; i++) {
		const struct outcome *o = &b->runs[i < b->n ? i : b->n - 1];
		int ran = i < b->n && o->report.result == WORKER_OK;
		int seen = ran ? o->judged || o->verdict != VERDICT_AGREE
			       : i < b->n || o->verdict == VERDICT_UNSUPPORTED || o->verdict == VERDICT_UNJUDGED;

		if (seen) {
			tally_note(&b->tally, ran, outcome_counts_as(o));
		} else {
			b->tally.given++;
			b->tally.ran += (size_t)ran;
		}
	}
}

/* What the reference cannot run is judged by outputs that are known. */
static void count_held(struct tally *t, const struct check_held *h)
{
	size_t n = h->verdict == VERDICT_VACUOUS || h->n_runs < t->unjudged ? 0 : t->unjudged;

	t->unjudged -= n;
	t->judged += n;
}

int check_judge(struct trial *t, struct check_result *r, const struct check_data *data, const struct check_options *o,
		struct err *e)
{
	int rc = check_expect_start(r, data, e);

	if (!rc)
		rc = o->no_judge ? hold_all(t, r, data, o, e) : judge_inputs(t, r, data, o, e);
	if (!rc)
		rc = judge_failures(t, r, data, o, e);
	if (!rc)
		rc = refuse_invalid(t, r, e);
	r->verdict = VERDICT_AGREE;
	for (size_t i = 0; i < r->n_backends && !rc; i++) {
		r->verdict = verdict_worse(r->verdict, r->backends[i].verdict);
		if (r->backends[i].n)
			count(&r->backends[i], data->n);
		if (r->held)
			count_held(&r->backends[i].tally, &r->held[i]);
	}
	return rc;
}
