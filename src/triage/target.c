/* target.c - what must stay the same while a case becomes smaller (declared in reduction.h).
 *
 * The verdict; of a crash its signal, of a refusal its words; of wrong numbers what they look like and how far off they
 * are.  That is measured twice:
 *
 * - in units of the rounding noise of the element.  Where the right number is 0 and nothing is rounded on the way the
 *   unit is 0, and a single last bit is infinitely far off;
 * - in units of what rounding leaves of the largest number of the case.  That knows -14.4 for 0 from 3e-6 for 0.
 *
 * Neither may fall below a tenth of what it was at first, as far as that is not more than enough. */
#include <math.h>
#include <string.h>

#include "triage/reduction.h"

#define RATIO_MARGIN 4 /* times the limit: a case is not reduced to one that is hardly a finding … */
#define HALF 0.5       /* … unless it was hardly one at first: then it may have half of that */
#define SAME_ORDER 0.1 /* of what it was at first … */
/* … but so many units are always enough, or what is so much of the number in types with few bits: no rounding comes
 * near. */
#define FAR_OFF 1e4
#define FAR_OFF_SHARE 1e-3

/* ---- how far off ------------------------------------------------------------------------------------------------- */

/* The largest finite number of a tensor. */
static double largest_in(const struct tensor *t)
{
	double most = 0;

	if (t->dtype == DT_STRING || dtype_wide(t->dtype) == WIDE_C64)
		return 0;
	for (size_t i = 0; i < t->count; i++) {
		double x = fabs(tensor_get(t, i));

		if (isfinite(x) && x > most)
			most = x;
	}
	return most;
}

static double largest_float(const struct tensor *t)
{
	return t && dtype_is_float(t->dtype) ? largest_in(t) : 0;
}

/* Of floats that go in, and of what is right to come out. */
static double largest_of_case(const struct trial *t)
{
	const struct graph *g = t->model->graph;
	double most = 0;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (t->inputs[i] && t->inputs[i]->kind == VALUE_TENSOR)
			most = fmax(most, largest_float(t->inputs[i]->tensor));
	for (size_t i = 0; i < g->wires.n; i++)
		most = fmax(most, largest_float(g->wires.at[i]->init));
	for (size_t i = 0; i < t->truth.n; i++)
		if (t->truth.outputs[i].value->kind == VALUE_TENSOR)
			most = fmax(most, largest_in(t->truth.outputs[i].value->tensor));
	return most;
}

/* The largest difference between two tensors of numbers, of elements that are beyond rounding. */
static double largest_difference(const struct tensor *exact, const float *noise, const struct tensor *got, double limit)
{
	double most = 0;

	for (size_t i = 0; i < exact->count; i++) {
		double x = tensor_get(got, i), unit = noise ? (double)noise[i] : 0;

		if (isinf(unit) || judge_element(exact, i, unit, x) <= limit)
			continue;
		if (!isfinite(x - tensor_get(exact, i)))
			return (double)INFINITY;
		most = fmax(most, fabs(x - tensor_get(exact, i)));
	}
	return most;
}

/* The output that is the furthest off, and what is right for it; 0 where they are no tensors. */
struct worst_output {
	const struct tensor *exact, *got;
	const float *noise;
};

static int find_worst(const struct trial *t, const struct outcome *o, struct worst_output *out)
{
	size_t i = o->worst;

	if (o->grads) {
		if (i >= t->n_grads || i >= o->n)
			return 0;
		*out = (struct worst_output){t->grads[i], o->grads[i], t->grad_noise[i]};
		return out->exact && out->got;
	}
	if (!o->values || i >= t->truth.n || i >= o->n || t->truth.outputs[i].value->kind != VALUE_TENSOR ||
	    o->values[i]->kind != VALUE_TENSOR)
		return 0;
	*out = (struct worst_output){t->truth.outputs[i].value->tensor, o->values[i]->tensor,
				     t->truth.outputs[i].noise};
	return 1;
}

static double roundoff_of(const struct tensor *t)
{
	return dtype_roundoff(dtype_is_float(t->dtype) ? t->dtype : DT_FLOAT);
}

static enum target_look look_at(const struct target *t, const struct trial *trial, const struct outcome *o,
				double *coarse)
{
	struct worst_output w;
	double off, scale;

	*coarse = (double)NAN; /* not known */
	if (!find_worst(trial, o, &w))
		return LOOK_NUMBERS;
	if (w.exact->dtype != w.got->dtype || !tensor_same_shape(w.exact, w.got))
		return LOOK_SHAPE;
	if (w.exact->dtype == DT_STRING || dtype_wide(w.exact->dtype) == WIDE_C64)
		return LOOK_NUMBERS;
	off = largest_difference(w.exact, w.noise, w.got, t->limit);
	if (isinf(off))
		return LOOK_NOT_FINITE;
	scale = roundoff_of(w.exact) * largest_of_case(trial);
	*coarse = scale > 0 ? off / scale : (double)INFINITY;
	return LOOK_NUMBERS;
}

/* ---- the target -------------------------------------------------------------------------------------------------- */

void target_set(struct target *t, const struct trial *trial, const struct outcome *o, const struct judge_options *judge)
{
	struct worst_output w;
	double coarse, enough = FAR_OFF;

	if (find_worst(trial, o, &w))
		enough = fmin(enough, FAR_OFF_SHARE / roundoff_of(w.exact));
	t->verdict = o->verdict;
	t->signal = o->report.signal;
	t->limit = judge && judge->limit > 0 ? judge->limit : JUDGE_LIMIT;
	t->ratio = fmax(fmin(HALF * o->ratio, RATIO_MARGIN * t->limit), fmin(SAME_ORDER * o->ratio, enough));
	t->look = look_at(t, trial, o, &coarse);
	t->coarse = isnan(coarse) ? 0 : fmin(SAME_ORDER * coarse, enough);
	outcome_words(o, t->words, sizeof t->words);
	t->invalid = trial->invalid;
	words_of(trial->invalid ? trial->why.msg : "", t->rule, sizeof t->rule);
}

int target_breaks_rule(const struct target *t, const struct trial *trial)
{
	char rule[sizeof t->rule];

	words_of(trial->invalid ? trial->why.msg : "", rule, sizeof rule);
	return trial->invalid == t->invalid && (!t->invalid || words_alike(t->rule, rule));
}

static int has_op(const struct graph *g, const char *op)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!strcmp(g->nodes.at[i]->op_type, op))
			return 1;
	return 0;
}

int target_shows(const struct target *t, const struct trial *trial, const struct outcome *o)
{
	char words[sizeof t->words];
	double coarse;

	if (o->verdict != t->verdict || (t->op && !has_op(trial->model->graph, t->op)))
		return 0;
	if (o->verdict == VERDICT_CRASH)
		return o->report.signal == t->signal;
	if (o->verdict == VERDICT_REJECTED) {
		outcome_words(o, words, sizeof words);
		return words_alike(t->words, words);
	}
	if (o->verdict != VERDICT_WRONG)
		return 1;
	return o->ratio >= t->ratio && look_at(t, trial, o, &coarse) == t->look && !(coarse < t->coarse);
}
