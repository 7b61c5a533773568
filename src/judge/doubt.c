/* doubt.c - before a difference is called a finding: what else may a correct library give? (declared in trial.h)
 *
 *   rounded  one that rounds each result once: where 1 + x is 1 in float32 a comparison with 1 flips, which small
 * random roundings do not show coarse   one whose results are what cancellation leaves of larger terms: 0, where the
 * exact value is 1e-8 and random roundings make it anything but 0, and where it is compared with 0 then draws    one
 * with other roundings: eight runs may miss that an element is about to flip apart    one that computes a value again
 * for each node that reads it, as a convolution is when each of two additions behind it is fused with it: in (conv +
 * b1) - (conv + b2) the roundings of two convolutions do not cancel as those of one do
 *
 * An element that one of them explains is taken for right.  A wrong one stands under all. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "judge/internal.h"

/* Draws of roundings; the even ones apart. */
#define DRAWS 4

struct doubting {
	struct trial *t;
	double limit;
	struct value **values; /* what came, wide, with the right number where one is explained */
	size_t n;
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void release_values(struct doubting *d)
{
	for (size_t i = 0; d->values && i < d->n; i++)
		value_unref(d->values[i]);
	mem_free(d->values);
}

/* A copy that nobody else holds; other kinds than tensors are not changed, and need none. */
static struct value *own_copy(struct value *v, struct err *e)
{
	struct tensor *wide = v->kind == VALUE_TENSOR ? tensor_widen(v->tensor, e) : NULL, *own;

	if (v->kind != VALUE_TENSOR)
		return value_ref(v);
	own = wide ? tensor_copy(wide, e) : NULL;
	tensor_unref(wide);
	return own ? value_tensor(own, e) : NULL;
}

static int copy_values(struct doubting *d, const struct outcome *o, struct err *e)
{
	d->values = mem_array(o->n, sizeof *d->values);
	if (!d->values)
		return err_nomem(e, "values", o->n * sizeof *d->values);
	for (; d->n < o->n; d->n++) {
		d->values[d->n] = own_copy(o->values[d->n], e);
		if (!d->values[d->n])
			return e->code;
	}
	return 0;
}

/* ---- one more answer --------------------------------------------------------------------------------------------- */

static void set_element(struct tensor *to, const struct tensor *from, size_t i)
{
	if (dtype_wide(to->dtype) == WIDE_F64)
		to->f[i] = from->f[i];
	else
		to->i[i] = from->i[i];
}

/* Takes the right answer for output i. */
static void explain_all(struct doubting *d, size_t i)
{
	value_unref(d->values[i]);
	d->values[i] = value_ref(d->t->truth.outputs[i].value);
}

/* Whether a number is near that of another right answer; or is as far from the exact one as that: something has
 * flipped before it, and what rounding then makes of it may be this or another number. */
static int is_explained(const struct doubting *d, const struct tensor *exact, const struct tensor *other, size_t k,
			double unit, double got)
{
	double moved = fabs(tensor_get(other, k) - tensor_get(exact, k));

	if (isinf(unit) || judge_element(other, k, unit, got) <= d->limit)
		return 1;
	return judge_element(exact, k, unit, tensor_get(other, k)) > d->limit &&
	       (!isfinite(moved) || judge_element(exact, k, moved, got) <= d->limit);
}

/* Elements that another right answer explains become the exact ones. */
static void explain_elements(struct doubting *d, size_t i, const struct tensor *other, const float *noise)
{
	const struct tensor *exact = d->t->truth.outputs[i].value->tensor;
	struct tensor *got = d->values[i]->tensor;

	if ((dtype_wide(got->dtype) != WIDE_F64 && dtype_wide(got->dtype) != WIDE_I64) || got->dtype != exact->dtype ||
	    !tensor_same_shape(got, exact))
		return;
	for (size_t k = 0; k < got->count; k++)
		if (is_explained(d, exact, other, k, noise ? (double)noise[k] : 0, tensor_get(got, k)))
			set_element(got, exact, k);
}

/* Where rounding alone gives another shape (how many elements Unique finds, say) nothing can be said of the output. */
static void explain(struct doubting *d, size_t i, const struct value *other, const float *noise)
{
	const struct value *exact = d->t->truth.outputs[i].value, *got = d->values[i];

	if (exact->kind != VALUE_TENSOR || other->kind != VALUE_TENSOR || got->kind != VALUE_TENSOR)
		return;
	if (!tensor_same_shape(exact->tensor, other->tensor))
		explain_all(d, i);
	else if (got != exact)
		explain_elements(d, i, other->tensor, noise);
}

/* The answer of the reference with these options; noise of its own where it has one, else that of the truth. */
static int ask(struct doubting *d, const struct ref_options *options, struct err *e)
{
	struct trial *t = d->t;
	struct ref_result right;
	int rc = ref_run(t->ref, t->inputs, t->model->graph->inputs.n, options, &right, e);

	if (rc)
		return rc;
	for (size_t i = 0; i < right.n && i < d->n; i++)
		explain(d, i, right.outputs[i].value,
			options->mode == REF_NOISY ? right.outputs[i].noise : t->truth.outputs[i].noise);
	ref_result_release(&right);
	return 0;
}

static int ask_all(struct doubting *d, enum doubt how, struct err *e)
{
	uint64_t seed = d->t->seed;
	struct ref_options rounded = {.mode = REF_ROUNDED, .seed = seed},
			   coarse = {.mode = REF_ROUNDED, .seed = seed, .coarse = 1};
	int draws = how == DOUBT_QUICK ? 1 : DRAWS, rc = ask(d, &rounded, e);

	if (!rc)
		rc = ask(d, &coarse, e);
	for (int i = 0; i < draws && !rc; i++) {
		struct ref_options drawn = {.mode = REF_NOISY,
					    .seed = seed + ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15),
					    .apart = i % 2 == 0};

		rc = ask(d, &drawn, e);
	}
	return rc;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

int trial_doubt(struct trial *t, const struct judge_options *options, enum doubt how, struct outcome *o, struct err *e)
{
	struct doubting d = {.t = t, .limit = options && options->limit > 0 ? options->limit : JUDGE_LIMIT};
	struct outcome again = {0};
	int rc;

	if (!o->values || o->n != t->truth.n || (o->verdict != VERDICT_WRONG && o->verdict != VERDICT_NAN))
		return 0;
	rc = copy_values(&d, o, e);
	if (!rc)
		rc = ask_all(&d, how, e);
	again = (struct outcome){.values = d.values, .n = d.n};
	if (!rc)
		rc = outcome_judge(t, &t->truth, d.limit, &again, e);
	mem_free(again.judged);
	release_values(&d);
	if (rc || verdict_is_finding(again.verdict))
		return rc;
	o->verdict = VERDICT_ROUNDING;
	snprintf(o->reason, sizeof o->reason, "a correct library with other roundings may give this");
	return 0;
}
