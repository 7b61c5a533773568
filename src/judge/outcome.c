/* outcome.c - what a backend did with a case, and the verdict on it (declared in trial.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/mem.h"
#include "base/plain.h"
#include "judge/explain.h"
#include "judge/internal.h"
#include "judge/random.h"
#include "judge/unjudged.h"
#include "worker/parent/quirks.h"

void outcome_release(struct outcome *o)
{
	for (size_t i = 0; o->values && i < o->n; i++)
		value_unref(o->values[i]);
	for (size_t i = 0; o->grads && i < o->n; i++)
		tensor_unref(o->grads[i]);
	mem_free(o->values);
	mem_free(o->grads);
	mem_free(o->judged);
	*o = (struct outcome){0};
}

enum verdict outcome_counts_as(const struct outcome *o)
{
	for (size_t i = 0; o->verdict == VERDICT_VACUOUS && o->judged && i < o->n; i++)
		if (o->judged[i].verdict != VERDICT_VACUOUS && verdict_is_right(o->judged[i].verdict))
			return o->judged[i].verdict;
	return o->verdict;
}

/* ---- what a process did ------------------------------------------------------------------------------------------ */

static const enum verdict verdict_of[] = {
	[WORKER_OK] = VERDICT_AGREE,          [WORKER_UNSUPPORTED] = VERDICT_UNSUPPORTED,
	[WORKER_REJECTED] = VERDICT_REJECTED, [WORKER_CRASH] = VERDICT_CRASH,
	[WORKER_HANG] = VERDICT_HANG,         [WORKER_OOM] = VERDICT_OOM,
	[WORKER_PROTOCOL] = VERDICT_PROTOCOL,
};

/* Whether a library need not have a node: it is another library's own operator, or newer than its version. */
static int may_lack(const struct party *p, const struct node *n, const struct judge_options *options, char *why,
		    size_t size)
{
	const struct quirk *absent = party_absent(p, n, options);

	if (party_foreign_op(p, ops_find(n->domain, n->op_type)))
		snprintf(why, size, "%.80s is an operator of another library", n->op_type);
	else if (absent)
		snprintf(why, size, "%.80s: %.160s", n->op_type, absent->reason);
	else
		return 0;
	return 1;
}

/* A library may be strict, and need not have what another one, or a later version of it, has beside ONNX. */
static void look_at_refusal(const struct trial *t, const struct party *p, const struct judge_options *options,
			    const char *said, struct outcome *o)
{
	char why[256] = "";

	for (size_t k = 0; k < t->model->graphs.n && !*why; k++)
		for (size_t i = 0; i < t->model->graphs.at[k]->nodes.n; i++)
			if (may_lack(p, t->model->graphs.at[k]->nodes.at[i], options, why, sizeof why))
				break;
	if (!*why && t->model->complaints.n)
		snprintf(why, sizeof why, "it breaks the rules of ONNX (%.200s)", t->model->complaints.at[0]);
	if (!*why)
		return;
	o->verdict = VERDICT_UNSUPPORTED;
	snprintf(o->reason, sizeof o->reason, "%s: %.250s", why, said);
}

/* A library may refuse what ONNX leaves open, as a division of integers by 0.  Only where the right answer was made
 * already: several threads may judge one case. */
static void look_for_open(struct trial *t, const char *said, struct outcome *o)
{
	struct err ignored = ERR_INIT;
	struct open_reason why = {0};
	char *open = NULL;

	if (!t->ref || open_outputs(t, NULL, &open, &why, &ignored))
		return;
	mem_free(open);
	if (!why.text)
		return;
	o->verdict = VERDICT_UNSPECIFIED;
	snprintf(o->reason, sizeof o->reason, "ONNX leaves open what comes of this: %.100s: %.250s", why.text, said);
}

/* No values came: the report says why.  An invalid model is rightly refused. */
int outcome_without_values(struct trial *t, const struct party *p, const struct judge_options *options,
			   struct outcome *o, struct err *e)
{
	char said[sizeof o->reason];

	worker_report_text(&o->report, said, sizeof said);
	if (o->report.result == WORKER_ABSENT)
		return err_set(e, ERR_IO, "cannot start '%s': %s", p->spec.name, o->report.message);
	o->verdict = verdict_of[o->report.result];
	if (o->verdict == VERDICT_REJECTED && t->invalid) {
		o->verdict = VERDICT_AGREE;
		return 0;
	}
	snprintf(o->reason, sizeof o->reason, "%s", said);
	if (o->verdict == VERDICT_REJECTED)
		look_at_refusal(t, p, options, said, o);
	if (o->verdict == VERDICT_REJECTED)
		look_for_open(t, said, o);
	for (char *c = o->reason; *c; c++)
		if (*c == '\n' || *c == '\t') /* one sentence, however many lines the library took */
			*c = ' ';
	if (o->verdict != VERDICT_UNSUPPORTED && o->verdict != VERDICT_UNSPECIFIED)
		o->ratio = (double)INFINITY;
	if (o->verdict == VERDICT_REJECTED && t->untold)
		outcome_leave_refused(t, &t->why, o);
	return 0;
}

/* A rewriter runs nothing: what it drops, or makes a valid node of, need not be looked at first. */
static void accept_invalid(const struct trial *t, const struct party *p, struct outcome *o)
{
	if (spec_option(&p->spec, PARTY_REWRITES)) {
		o->verdict = VERDICT_UNSPECIFIED;
		snprintf(o->reason, sizeof o->reason, "it wrote a valid model of one that is not: %.400s", t->why.msg);
		return;
	}
	o->verdict = VERDICT_ACCEPTED;
	o->ratio = (double)INFINITY;
	snprintf(o->reason, sizeof o->reason, "runs what is not valid: %.400s", t->why.msg);
}

/* ---- what came out ----------------------------------------------------------------------------------------------- */

/* One sentence on output (or gradient) `name`. */
void outcome_explain(struct outcome *o, const char *what, const char *name)
{
	const struct judgement *j = &o->judged[o->worst];
	int digits = digits_of_pair(j->got, j->exact);

	name = PLAIN(name);
	if (o->verdict == VERDICT_AGREE)
		o->reason[0] = '\0';
	else if (o->verdict != VERDICT_WRONG && o->verdict != VERDICT_NAN)
		snprintf(o->reason, sizeof o->reason, "%s '%.200s': %s", what, name, j->reason);
	else if (!j->beyond || judge_is_told(j)) /* shapes, strings, kinds */
		snprintf(o->reason, sizeof o->reason, "%s '%.200s': %s", what, name, j->reason);
	else if (!isfinite(j->got) || !isfinite(j->exact))
		snprintf(o->reason, sizeof o->reason, "%s '%.200s': element %zu: got %.*g, expected %.*g", what, name,
			 j->worst, digits, j->got, digits, j->exact);
	else if (isinf(j->ratio))
		snprintf(o->reason, sizeof o->reason,
			 "%s '%.200s': element %zu: got %.*g, expected %.*g; it is off by %.3g, and nothing rounds "
			 "there",
			 what, name, j->worst, digits, j->got, digits, j->exact, fabs(j->got - j->exact));
	else if (j->exact == 0)
		snprintf(o->reason, sizeof o->reason,
			 "%s '%.200s': element %zu: got %.9g, expected 0; it is off by %.3g times the noise of "
			 "rounding, "
			 "%.3g",
			 what, name, j->worst, j->got, j->ratio, fabs(j->got) / j->ratio);
	else
		snprintf(o->reason, sizeof o->reason,
			 "%s '%.200s': element %zu: got %.*g, expected %.*g; that is %.3g times what rounding explains",
			 what, name, j->worst, digits, j->got, digits, j->exact, j->ratio);
}

void outcome_summarize(struct outcome *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct judgement *j = &o->judged[i];
		int worse = j->verdict > o->verdict || (j->verdict == o->verdict && j->ratio > o->ratio);

		if (i == 0 || worse)
			o->worst = i;
		o->verdict = verdict_worse(o->verdict, j->verdict);
		o->ratio = j->ratio > o->ratio ? j->ratio : o->ratio;
	}
	o->first_ratio = o->ratio;
	o->first_worst = o->worst;
}

int outcome_judge(const struct trial *t, const struct ref_result *truth, double limit, struct outcome *o, struct err *e)
{
	const struct graph *g = t->model->graph;
	unsigned char *random;
	int rc = random_wires(g, 1, &random, e);

	if (rc)
		return rc;
	o->judged = mem_array(o->n, sizeof *o->judged);
	if (!o->judged)
		rc = err_nomem(e, "verdicts", o->n * sizeof *o->judged);
	for (size_t i = 0; i < o->n && !rc; i++) {
		const struct ref_output *right = &truth->outputs[i];

		if (g->outputs.at[i]->graph == g && random[g->outputs.at[i]->id])
			judge_random(right->value, o->values[i], &o->judged[i]);
		else
			judge_value(right->value, right->noise, o->values[i], limit, &o->judged[i]);
	}
	mem_free(random);
	if (rc)
		return rc;
	outcome_summarize(o);
	if (o->n)
		outcome_explain(o, "output", truth->outputs[o->worst].name);
	return 0;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

double judge_limit(const struct judge_options *options)
{
	return options && options->limit > 0 ? options->limit : JUDGE_LIMIT;
}

static int conclude(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *o,
		    struct err *e)
{
	double limit = judge_limit(options);

	if (o->report.result != WORKER_OK)
		return outcome_without_values(t, p, options, o, e);
	if (t->invalid) {
		accept_invalid(t, p, o);
		return 0;
	}
	if (options && options->no_truth) {
		o->verdict = VERDICT_VACUOUS;
		snprintf(o->reason, sizeof o->reason, "only run, not compared");
		return 0;
	}
	if (t->untold) {
		outcome_leave_unjudged(t, &t->why, o);
		return 0;
	}
	return outcome_judge(t, &t->truth, limit, o, e);
}

/* The right answer, where one is wanted; that the reference has none is no failure: t->untold. */
static int ask_truth(struct trial *t, const struct judge_options *options, struct err *e)
{
	int rc = options && options->no_truth ? 0 : trial_truth(t, e);

	if (!t->untold || !unjudged_status(rc))
		return rc;
	err_clear(e);
	return 0;
}

int trial_judge_values(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *o,
		       struct err *e)
{
	int rc = ask_truth(t, options, e);

	if (!rc)
		rc = conclude(t, p, options, o, e);
	if (!rc)
		rc = explain_lowered(t, p, options, o, e);
	if (!rc)
		rc = explain_unranged(t, p, options, o, e);
	if (!rc)
		outcome_ask_quirks(t, p, options, o);
	return rc;
}

int trial_judge(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *out,
		struct err *e)
{
	struct outcome o = {0};
	int rc = ask_truth(t, options, e); /* before a worker is asked: it may not be needed */

	if (!rc)
		rc = party_run(p, t, &o, e);
	if (!rc)
		rc = trial_judge_values(t, p, options, &o, e);
	if (rc)
		outcome_release(&o);
	else
		*out = o;
	return rc;
}
