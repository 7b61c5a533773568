/* train_update.c - see train_update.h. */
#include "methods/swap/train_update.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* What the library does not have the reference computes; what it refuses or dies of is a finding. */
static void count_stand_ins(struct updating *u)
{
	struct train_update *out = &u->out->update;
	const struct swap_op *lacking = NULL;

	for (size_t i = 0; i < u->n; i++) {
		if (u->s.ops[i].home != SWAP_REFERENCE)
			continue;
		out->stand_ins++;
		lacking = &u->s.ops[i];
		if (lacking->base_failed)
			out->parted = 1;
	}
	out->used = out->stand_ins < u->n || out->parted;
	if (!out->used)
		snprintf(out->why_not, sizeof out->why_not, "%.60s: %.400s", u->s.parties[SWAP_TEST]->spec.name,
			 lacking->lacking);
}

/* The noise of a step, kept while the inputs change. */
static int open_noise(struct updating *u, const struct trajectory *start, struct err *e)
{
	u->noise = mem_array(u->n, sizeof *u->noise);
	if (!u->noise)
		return err_nomem(e, "noise", u->n);
	for (size_t i = 0; i < u->n; i++)
		if (!(u->noise[i] = mem_array(start->at[i]->count, sizeof **u->noise)))
			return err_nomem(e, "noise", start->at[i]->count);
	return 0;
}

int train_update_open(struct updating *u, const struct train_request *q, const struct trajectory *start,
		      struct wire *const *parameters, struct train_result *out, struct err *e)
{
	struct mixed_run run = {0};
	int rc;

	*u = (struct updating){.o = *q->swap, .t = &out->update.trial, .out = out, .n = start->n};
	u->o.gradients = 0;
	u->o.progress = NULL;
	u->s.t = u->t;
	u->s.o = &u->o;
	u->s.out = &u->scratch;
	u->s.parties[SWAP_BASE] = u->s.parties[SWAP_TEST] = q->test;
	u->s.parties[SWAP_REFERENCE] = &u->s.reference;
	rc = update_make(start, parameters, q->trial->seed, u->t, e);
	if (rc == ERR_UNSUPPORTED) {
		snprintf(out->update.why_not, sizeof out->update.why_not, "%.500s", e->msg);
		err_clear(e);
		return 0;
	}
	if (!rc)
		rc = open_noise(u, start, e);
	if (!rc)
		rc = swap_open(&u->s, e);
	if (!rc)
		rc = swap_settle(&u->s, SWAP_TEST, &run, e);
	mixed_run_release(&run);
	if (!rc)
		count_stand_ins(u);
	return rc;
}

static void free_inputs(struct value **inputs, size_t n)
{
	for (size_t i = 0; inputs && i < n; i++)
		value_unref(inputs[i]);
	mem_free(inputs);
}

void train_update_close(struct updating *u)
{
	if (u->s.mixed || u->s.ops)
		swap_shut(&u->s);
	if (u->t && u->t->model)
		free_inputs(u->parted, u->t->model->graph->inputs.n);
	for (size_t i = 0; u->noise && i < u->n; i++)
		mem_free(u->noise[i]);
	mem_free(u->noise);
	*u = (struct updating){0};
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* The step that is fed now is the first that is wrong. */
static int note_parting(struct updating *u, enum verdict v, struct err *e)
{
	size_t n = u->t->model->graph->inputs.n;

	u->out->verdict = verdict_worse(u->out->verdict, v);
	if (u->out->update.parted)
		return 0;
	u->out->update.parted = u->out->n + 1;
	u->parted = mem_array(n, sizeof *u->parted);
	if (!u->parted)
		return err_nomem(e, "a step", n);
	for (size_t i = 0; i < n; i++)
		u->parted[i] = value_ref(u->t->inputs[i]);
	return 0;
}

/* One run of the library; 0 in *ok, and why in out->stopped, when it failed. */
static int run_step(struct updating *u, struct mixed_run *run, int *ok, struct err *e)
{
	char said[400];
	double ratio;
	enum verdict v;
	int rc = swap_run_mix(&u->s, run, e);

	*ok = !rc && run->report.result == WORKER_OK;
	if (rc || *ok)
		return rc;
	snprintf(u->out->stopped, sizeof u->out->stopped, "the optimizer of %.60s fails at step %zu: %s",
		 u->s.parties[run->party]->spec.name, u->out->n + 1,
		 worker_report_text(&run->report, said, sizeof said));
	v = swap_judge_run(&u->s, run, &ratio);
	mixed_run_release(run);
	return verdict_is_finding(v) ? note_parting(u, v, e) : 0;
}

static void keep_worst(struct train_judgement *worst, const struct wire *parameter, const struct judgement *j)
{
	int worse = verdict_is_finding(j->verdict) - verdict_is_finding(worst->judged.verdict);

	if (!worst->parameter || worse > 0 || (!worse && j->ratio > worst->judged.ratio))
		*worst = (struct train_judgement){parameter, *j};
}

/* The parameters' noise in a right step; 0 where the reference knows none. */
static void keep_noise(struct updating *u, const struct trajectory *truth)
{
	for (size_t i = 0; i < u->t->truth.n; i++) {
		size_t at = update_parameter(truth, i);

		if (i && update_parameter(truth, i - 1) == at) /* a state */
			continue;
		if (u->t->truth.outputs[i].noise)
			memcpy(u->noise[at], u->t->truth.outputs[i].noise, truth->at[at]->count * sizeof **u->noise);
	}
}

static int take_truth(struct updating *u, struct trajectory *truth, struct err *e)
{
	struct value **outputs = mem_array(u->t->truth.n, sizeof *outputs);
	int rc = outputs ? 0 : err_nomem(e, "a step", u->t->truth.n);

	for (size_t i = 0; i < u->t->truth.n && !rc; i++)
		outputs[i] = u->t->truth.outputs[i].value;
	if (!rc)
		rc = update_take(truth, outputs, e);
	mem_free(outputs);
	return rc;
}

int train_update_judge(struct updating *u, struct trajectory *truth, struct tensor *const *grads,
		       struct wire *const *parameters, struct train_judgement *out, struct err *e)
{
	struct mixed_run run = {0};
	int ok = 0, rc = update_feed(u->t, truth, grads, e);

	if (!rc)
		rc = trial_truth(u->t, e);
	if (!rc && (u->t->invalid || u->t->untold))
		rc = err_set(e, ERR_INTERNAL, "the reference takes no step: %.800s", u->t->why.msg);
	if (!rc)
		rc = run_step(u, &run, &ok, e);
	for (size_t i = 0; ok && i < u->t->truth.n; i++) {
		const struct ref_output *right = &u->t->truth.outputs[i];
		struct judgement j;

		judge_value(right->value, right->noise, run.outputs[i], swap_noise_limit(&u->s), &j);
		keep_worst(out, parameters[update_parameter(truth, i)], &j);
	}
	mixed_run_release(&run);
	if (!rc && ok && verdict_is_finding(out->judged.verdict))
		rc = note_parting(u, out->judged.verdict, e);
	if (rc)
		return rc;
	keep_noise(u, truth);
	return take_truth(u, truth, e);
}

int train_update_go(struct updating *u, struct trajectory *way, struct tensor *const *grads, int *ok, struct err *e)
{
	struct mixed_run run = {0};
	int rc = update_feed(u->t, way, grads, e);

	if (!rc)
		rc = run_step(u, &run, ok, e);
	if (!rc && *ok)
		rc = update_take(way, run.outputs, e);
	mixed_run_release(&run);
	return rc;
}

/* Every element one unit of its noise up or down. */
static void shake(struct updating *u, struct trajectory *way, size_t k)
{
	struct rng root, rng;

	rng_init(&root, u->t->seed);
	rng = rng_split(&root, (uint64_t)way->step * TRAIN_WAYS + k);
	for (size_t i = 0; i < way->n; i++) {
		for (size_t j = 0; j < way->at[i]->count; j++) {
			double by = isfinite(u->noise[i][j]) ? (double)u->noise[i][j] : 0;

			way->at[i]->f[j] += rng_unit(&rng) < 0.5 ? by : -by;
		}
		tensor_round(way->at[i]);
	}
}

int train_update_move(struct updating *u, struct trajectory *way, struct tensor *const *grads, size_t k, struct err *e)
{
	const struct ref_options o = {.mode = REF_EXACT, .seed = u->t->seed};
	struct ref_result made = {0};
	struct value **outputs;
	int rc = update_feed(u->t, way, grads, e);

	if (!rc)
		rc = ref_run(u->t->ref, u->t->inputs, u->t->model->graph->inputs.n, &o, &made, e);
	if (rc)
		return rc;
	outputs = mem_array(made.n, sizeof *outputs);
	for (size_t i = 0; outputs && i < made.n; i++)
		outputs[i] = made.outputs[i].value;
	rc = outputs ? update_take(way, outputs, e) : err_nomem(e, "a step", made.n);
	mem_free(outputs);
	ref_result_release(&made);
	if (!rc)
		shake(u, way, k);
	return rc;
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

/* Of those that are wrong the worst parameter's, else the first. */
static const struct swap_op *find_culprit(const struct swap_result *r, const char *parameter)
{
	const struct swap_op *first = NULL;

	for (size_t i = 0; i < r->n; i++) {
		if (!verdict_is_finding(r->ops[i].verdict))
			continue;
		if (parameter && !strcmp(r->ops[i].node->name, parameter))
			return &r->ops[i];
		first = first ? first : &r->ops[i];
	}
	return first;
}

int train_update_blame(struct updating *u, const struct train_request *q, struct err *e)
{
	struct train_update *out = &u->out->update;
	const struct wire *worst = u->out->steps[out->parted - 1].update.parameter;
	int rc = u->parted ? trial_set_inputs(u->t, u->parted, e) : 0;

	u->parted = NULL;
	if (!rc)
		rc = swap_run(u->t, q->base, q->test, &u->o, &out->blame, e);
	if (rc)
		return rc;
	out->culprit = find_culprit(&out->blame, worst ? worst->name : NULL);
	if (out->culprit)
		u->out->verdict = verdict_worse(u->out->verdict, out->culprit->verdict);
	return 0;
}
