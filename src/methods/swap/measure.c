/* measure.c - what changes with an operator, in the paper's measure and in units of rounding noise (declared in
 * swap.h). */
#include <math.h>

#include "judge/distance.h"
#include "methods/swap/swap.h"

double swap_noise_limit(const struct swapping *s)
{
	return judge_limit(&s->o->judge);
}

static int is_numbers(const struct value *v)
{
	return v && v->kind == VALUE_TENSOR && v->tensor->dtype != DT_STRING;
}

/* Is output i to be compared at all? */
static int counts(const struct swapping *s, size_t i)
{
	return !s->random[s->t->model->graph->outputs.at[i]->id];
}

/* ---- against the reference --------------------------------------------------------------------------------------- */

static enum verdict process_verdict(enum worker_result r)
{
	static const enum verdict verdicts[] = {
		[WORKER_UNSUPPORTED] = VERDICT_UNSUPPORTED,
		[WORKER_REJECTED] = VERDICT_REJECTED,
		[WORKER_CRASH] = VERDICT_CRASH,
		[WORKER_HANG] = VERDICT_HANG,
		[WORKER_OOM] = VERDICT_OOM,
		[WORKER_PROTOCOL] = VERDICT_WRONG,
		[WORKER_ABSENT] = VERDICT_CRASH,
	};

	return verdicts[r];
}

static void take_judgement(const struct judgement *j, enum verdict *v, double *ratio)
{
	*v = verdict_worse(*v, j->verdict);
	if (j->ratio > *ratio)
		*ratio = j->ratio;
}

enum verdict swap_judge_run(const struct swapping *s, const struct mixed_run *run, double *ratio)
{
	const struct trial *t = s->t;
	enum verdict v = VERDICT_AGREE;
	struct judgement j;

	*ratio = 0;
	if (run->report.result != WORKER_OK)
		return process_verdict(run->report.result);
	for (size_t i = 0; i < run->n_outputs; i++) {
		if (!counts(s, i))
			continue;
		judge_value(t->truth.outputs[i].value, t->truth.outputs[i].noise, run->outputs[i], swap_noise_limit(s),
			    &j);
		take_judgement(&j, &v, ratio);
	}
	for (size_t i = 0; i < run->n_grads; i++) {
		judge_tensor(t->grads[i], t->grad_noise[i], run->grads[i], swap_noise_limit(s), &j);
		take_judgement(&j, &v, ratio);
	}
	return v;
}

/* ---- against the run before -------------------------------------------------------------------------------------- */

/* The change of one tensor: its mean absolute deviation, and the largest in units of `noise`. */
static int change(const struct tensor *before, const struct tensor *after, const float *noise, double limit,
		  double *delta, double *ratio, struct err *e)
{
	struct tensor *wide;
	struct judgement j;

	*delta = (double)INFINITY;
	*ratio = (double)INFINITY;
	if (!tensor_same_shape(before, after) || before->dtype != after->dtype)
		return 0;
	wide = tensor_widen((struct tensor *)before, e);
	if (!wide)
		return e->code;
	judge_tensor(wide, noise, after, limit, &j);
	*ratio = j.verdict == VERDICT_NAN ? (double)INFINITY : j.ratio;
	*delta = distance_mad(before, after);
	if (isnan(*delta)) /* NaN on both sides is no change */
		*delta = verdict_is_finding(j.verdict) ? (double)INFINITY : 0;
	tensor_unref(wide);
	return 0;
}

/* Equation 1; several outputs as one vector. */
static int measure_outputs(const struct swapping *s, const struct mixed_run *before, const struct mixed_run *after,
			   struct swap_op *op, struct err *e)
{
	double sum = 0, elements = 0;

	op->ratio = 0;
	for (size_t i = 0; i < after->n_outputs; i++) {
		const struct value *a = before->outputs[i], *b = after->outputs[i];
		double delta, ratio;
		const float *noise;
		int rc;

		if (!counts(s, i) || !is_numbers(a) || !is_numbers(b))
			continue;
		noise = judge_noise_for(s->t->truth.outputs[i].noise, value_elements(s->t->truth.outputs[i].value),
					a->tensor->count);
		rc = change(a->tensor, b->tensor, noise, swap_noise_limit(s), &delta, &ratio, e);
		if (rc)
			return rc;
		sum += delta * (double)(a->tensor->count ? a->tensor->count : 1);
		elements += (double)(a->tensor->count ? a->tensor->count : 1);
		op->ratio = ratio > op->ratio ? ratio : op->ratio;
	}
	op->delta_c = elements > 0 ? sum / elements : 0;
	return 0;
}

/* Equation 2. */
static int measure_gradients(const struct swapping *s, const struct mixed_run *before, const struct mixed_run *after,
			     struct swap_op *op, struct err *e)
{
	double sum = 0;

	for (size_t i = 0; i < after->n_grads; i++) {
		double delta, ratio;
		const struct tensor *b = before->grads[i];
		const float *noise = judge_noise_for(s->t->grad_noise[i], s->t->grads[i]->count, b->count);
		int rc = change(b, after->grads[i], noise, swap_noise_limit(s), &delta, &ratio, e);

		if (rc)
			return rc;
		sum += delta;
		op->ratio = ratio > op->ratio ? ratio : op->ratio;
	}
	op->delta_g = after->n_grads ? sum / (double)after->n_grads : 0;
	return 0;
}

int swap_measure(const struct swapping *s, const struct mixed_run *before, const struct mixed_run *after,
		 struct swap_op *op, struct err *e)
{
	double limit_c = s->o->limit_c > 0 ? s->o->limit_c : SWAP_LIMIT;
	double limit_g = s->o->limit_g > 0 ? s->o->limit_g : SWAP_LIMIT;
	int rc = 0;

	if (before->outputs && after->outputs)
		rc = measure_outputs(s, before, after, op, e);
	if (!rc && before->grads && after->grads)
		rc = measure_gradients(s, before, after, op, e);
	op->beyond = op->delta_c > limit_c || op->delta_g > limit_g;
	return rc;
}
