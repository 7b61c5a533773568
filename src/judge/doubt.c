/* doubt.c - before a difference is called a finding: what else may a correct library give? (declared in trial.h)
 *
 * - rounded: one that rounds each result once.  Where 1 + x is 1 in float32 a comparison with 1 flips, which small
 *   random roundings do not show.
 * - coarse: one whose results are what cancellation leaves of larger terms: 0, where the exact value is 1e-8 and random
 *   roundings make it anything but 0, and where it is compared with 0 then.
 * - draws: one with other roundings.  Eight runs may miss that an element is about to flip.
 * - louder: one that is as far off as is let pass.  A saturated value just below 1 is 1 to it, and 0 as an integer;
 * only what jumps is explained so, not what moves with the roundings.
 * - apart: one that computes a value again for each node that reads it, as a convolution is when each of two additions
 *   behind it is fused with it: in (conv + b1) - (conv + b2) the roundings of two do not cancel as those of one do.
 * - inside: one that computes in the type inside of an operator: the variance of 1e22 is infinite in float32, and a
 *   quotient next to a half goes to either of two quantized numbers.  What comes of that is known, and no other number
 *   is right.
 * - moved: one whose values are not the exact ones.  Where those are 0, as a determinant is, what it rounds next goes
 *   by what is left of the roundings before, and not by 0.
 * - ties: one whose quotients next to a half go either way, each as it comes: a network that is quantized has thousands
 *   of them where its scales fit together, as those of x and of x + 1 do.
 * - one pass: one that has a variance as E(x²) - E(x)², as the function bodies of ONNX have it.  Of a mean that is
 * large beside the deviations little is left then.  A stable algorithm gets it right, so this is told as loss of
 * precision.
 * - absolute: one whose functions are approximated to 1e-6 or so of their range, and not of their value.
 * - open: one in which a value overflows, or an integer is divided by 0, so that ONNX does not say what comes of it.
 *
 * An element that one of them explains is taken for right.  A wrong one stands under all. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "judge/internal.h"
#include "ops/quantize/quantize.h"

#define DRAWS 4         /* of roundings, apart and moved in turn, each beside a coarse answer: all of it, then some */
#define LOUDER 8        /* times the roundings: with the coins of several nodes up to the limit */
#define JUMP 100        /* a spread so many times as large as the roundings explain is that of a jump */
#define TIES 96         /* answers with quotients that go either way … */
#define TIES_IN_VAIN 24 /* … but no more after so many that explained nothing new … */
#define TIES_FAR 8      /* ties are 0 to 7 steps further … */
#define TIES_MANY 512 /* … where there are so many; a network has some 80 by accident, with which coins are enough */
#define TIES_REACH 4  /* times as far off as one of them, since other coins may add up to more */
#define ABSOLUTE 12.0 /* roundings that approximations are off by, of the 20 that are allowed */
#define TOLD 2        /* times the noise: what one pass loses where it is the reason */
#define COARSE 24     /* answers, where the first have explained something: several flips make many other numbers … */
#define IN_VAIN 4     /* … but quickly: no more after so many that explained nothing new */

struct doubting {
	struct trial *t;
	double limit;
	double near;           /* largest ratio to another right answer; the limit, unless its noise is made larger */
	struct value **values; /* what came, wide, with the right number where one is explained */
	size_t n;
	enum doubt_way way; /* that is tried now */
	struct doubt_found found;
	int louder;                /* the answer that is looked at is a louder one */
	struct ref_result before;  /* BY_TIES: the answer before this one … */
	const struct tensor *also; /* … and its output that is looked at; NULL: none */
	struct outcome rest;       /* what is judged of the values where explained ones are right; borrows them */
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void release_values(struct doubting *d)
{
	for (size_t i = 0; d->values && i < d->n; i++)
		value_unref(d->values[i]);
	mem_free(d->values);
}

/* A wide copy that nobody else holds. */
static struct tensor *own_copy(struct tensor *t, struct err *e)
{
	struct tensor *wide = tensor_widen(t, e), *own = wide ? tensor_copy(wide, e) : NULL;

	tensor_unref(wide);
	return own;
}

static int copy_values(struct doubting *d, const struct outcome *o, struct err *e)
{
	d->values = mem_array(o->n, sizeof *d->values);
	if (!d->values)
		return err_nomem(e, "values", o->n * sizeof *d->values);
	for (; d->n < o->n; d->n++) {
		d->values[d->n] = value_convert(o->values[d->n], own_copy, e);
		if (!d->values[d->n])
			return e->code;
	}
	return 0;
}

/* ---- one more answer --------------------------------------------------------------------------------------------- */

/* What an output, or an item of one, is held against. */
struct answer {
	const struct tensor *exact, *other;
	const float *own, *noise; /* around them; NULL: none */
};

/* Whether several quotients act on an element, so that other coins make other numbers of it: two answers differ from
 * the exact one and from each other.  One quotient gives two numbers, and none beside them. */
static int adds_up(const struct doubting *d, const struct answer *a, size_t k)
{
	double exact = tensor_get(a->exact, k), other = tensor_get(a->other, k);
	double also = d->also && k < d->also->count ? tensor_get(d->also, k) : exact;

	return other != exact && also != exact && other != also;
}

/* Whether a number is near that of another right answer; or is as far from the exact one as that: something has
 * flipped before it, and what rounding then makes of it may be this or another number.  Inside of an operator
 * nothing flips that is not known. */
static int is_explained(const struct doubting *d, const struct answer *a, size_t k, double got)
{
	double unit = a->noise ? (double)a->noise[k] : 0, other = tensor_get(a->other, k);
	double moved = fabs(other - tensor_get(a->exact, k)), own = a->own ? (double)a->own[k] : 0;

	if (d->louder && unit <= JUMP * LOUDER * own)
		return 0;
	if (d->way == BY_ONE_PASS && isfinite(other) && unit <= TOLD * own)
		return 0;
	if (isinf(unit) || judge_element(a->other, k, unit, got) <= d->near)
		return 1;
	if (judge_element(a->exact, k, unit, other) <= d->limit)
		return 0;
	if (d->way == BY_INSIDE || d->way == BY_ONE_PASS)
		return !isfinite(got) && !isfinite(other);
	if (d->way == BY_TIES)
		return adds_up(d, a, k) && judge_element(a->exact, k, moved, got) <= TIES_REACH;
	return !isfinite(moved) || judge_element(a->exact, k, moved, got) <= d->limit;
}

/* error: absolute, in numbers; ratio: in what rounding explains. */
static void note_explained(struct doubting *d, double error, double ratio)
{
	d->found.explained[d->way]++;
	if (d->way == BY_ABSOLUTE)
		d->found.error = fmax(d->found.error, error);
	if (d->way == BY_ONE_PASS)
		d->found.loss = fmax(d->found.loss, ratio);
}

/* Elements that are explained become the exact ones. */
static void explain_numbers(struct doubting *d, const struct answer *a, struct tensor *got)
{
	for (size_t k = 0; k < got->count; k++) {
		double own = a->own ? (double)a->own[k] : 0, x = tensor_get(got, k);
		double ratio = judge_element(a->exact, k, own, x);

		if (isinf(own) || ratio <= d->limit || !is_explained(d, a, k, x))
			continue;
		note_explained(d, fabs(x - tensor_get(a->exact, k)), ratio);
		if (dtype_wide(got->dtype) == WIDE_F64)
			got->f[k] = a->exact->f[k];
		else
			got->i[k] = a->exact->i[k];
	}
}

/* An index that flips gives another string. */
static int explain_strings(struct doubting *d, const struct answer *a, struct tensor *got, struct err *e)
{
	for (size_t k = 0; k < got->count; k++) {
		const struct bytes *exact = &a->exact->s[k], *other = &a->other->s[k];
		int rc;

		if (dtype_bytes_same(&got->s[k], exact) || dtype_bytes_same(other, exact))
			continue;
		rc = tensor_set_string(got, k, exact->p, exact->n, e);
		if (rc)
			return rc;
		note_explained(d, 0, 0);
	}
	return 0;
}

static void take_exact(struct doubting *d, const struct tensor *exact, struct value *got)
{
	tensor_unref(got->tensor);
	got->tensor = tensor_ref((struct tensor *)exact);
	note_explained(d, 0, 0);
}

/* Where rounding alone gives another shape (how many elements Unique finds, say) nothing can be said of the tensor. */
static int explain_tensor(struct doubting *d, const struct answer *a, struct value *got, struct err *e)
{
	struct tensor *t = got->tensor;

	if (t == a->exact)
		return 0;
	if (!tensor_same_shape(a->exact, a->other)) {
		take_exact(d, a->exact, got);
		return 0;
	}
	if (t->dtype != a->exact->dtype || !tensor_same_shape(t, a->exact) || dtype_wide(t->dtype) == WIDE_C64)
		return 0;
	if (t->dtype == DT_STRING)
		return explain_strings(d, a, t, e);
	explain_numbers(d, a, t);
	return 0;
}

/* Noise around the elements of a value, one tensor after the other. */
struct answer_noise {
	const float *own, *other; /* of the exact one, and of another right answer; NULL: none */
	size_t at;                /* elements of the tensors before */
};

/* The tensors of a value, one after the other. */
static int explain(struct doubting *d, const struct value *exact, const struct value *other, struct answer_noise *noise,
		   struct value *got, struct err *e)
{
	int rc = 0;

	if (exact->kind != other->kind || exact->kind != got->kind)
		return 0;
	if (exact->kind == VALUE_TENSOR) {
		const struct answer a = {.exact = exact->tensor,
					 .other = other->tensor,
					 .own = noise->own ? noise->own + noise->at : NULL,
					 .noise = noise->other ? noise->other + noise->at : NULL};

		noise->at += exact->tensor->count;
		return explain_tensor(d, &a, got, e);
	}
	if (exact->kind == VALUE_MAP || exact->n != other->n || exact->n != got->n)
		return 0;
	for (size_t i = 0; i < exact->n && !rc; i++)
		rc = explain(d, exact->items[i], other->items[i], noise, got->items[i], e);
	return rc;
}

/* Takes an answer, for the next to be held against. */
static void keep_before(struct doubting *d, struct ref_result *take)
{
	ref_result_release(&d->before);
	d->before = (struct ref_result){.n = 0};
	if (d->way == BY_TIES)
		d->before = *take;
	else
		ref_result_release(take);
}

/* The answer of the reference with these options; noise of its own where it has one, else that of the truth. */
static int ask(struct doubting *d, const struct ref_options *options, struct err *e)
{
	struct trial *t = d->t;
	struct ref_result right;
	int rc = ref_run(t->ref, t->inputs, t->model->graph->inputs.n, options, &right, e);

	if (rc)
		return rc;
	for (size_t i = 0; i < right.n && i < d->n && !rc; i++) {
		const struct ref_output *truth = &t->truth.outputs[i], *o = &right.outputs[i];
		struct answer_noise noise = {.own = truth->noise, .other = truth->noise};

		if (options->mode == REF_NOISY)
			noise.other = o->noise;
		d->also = i < d->before.n && d->before.outputs[i].value->kind == VALUE_TENSOR
				  ? d->before.outputs[i].value->tensor
				  : NULL;
		rc = explain(d, truth->value, o->value, &noise, d->values[i], e);
	}
	keep_before(d, &right);
	return rc;
}

/* Where nothing else explains: values just beside a jump, that a library is let to get wrong by more than a rounding.
 */
static int ask_louder(struct doubting *d, struct err *e)
{
	struct ref_options louder = {.mode = REF_NOISY, .seed = d->t->seed + RNG_STEP, .louder = LOUDER};
	int rc;

	d->louder = 1;
	rc = ask(d, &louder, e);
	d->louder = 0;
	return rc;
}

static int ask_rounding(struct doubting *d, enum doubt how, struct err *e)
{
	struct ref_options rounded = {.mode = REF_ROUNDED, .seed = d->t->seed};
	int draws = how == DOUBT_QUICK ? 1 : DRAWS, patience = how == DOUBT_QUICK ? IN_VAIN : COARSE;
	int rc = ask(d, &rounded, e), in_vain = 0;

	for (int i = 0; !rc && (i < draws || (d->found.explained[BY_ROUNDING] && i < COARSE && in_vain < patience));
	     i++) {
		size_t before = d->found.explained[BY_ROUNDING];
		uint64_t seed = d->t->seed + ((uint64_t)i + 1) * RNG_STEP;
		struct ref_options drawn = {.mode = REF_NOISY, .seed = seed, .apart = i % 2 == 0, .moved = i % 2};
		struct ref_options coarse = {.mode = REF_ROUNDED, .seed = seed};

		coarse.coarse = i ? REF_COARSE_SOME : REF_COARSE;
		if (i < draws)
			rc = ask(d, &drawn, e);
		if (!rc)
			rc = ask(d, &coarse, e);
		in_vain = d->found.explained[BY_ROUNDING] == before ? in_vain + 1 : 0;
	}
	return rc;
}

static int ask_inside(struct doubting *d, struct err *e)
{
	struct ref_options held = {.mode = REF_ROUNDED, .seed = d->t->seed, .range = OP_RANGE_ROUNDED, .ties = 1},
			   lost = held;
	int rc;

	d->way = BY_INSIDE;
	lost.range = OP_RANGE_LOST;
	lost.ties = -1;
	rc = ask(d, &held, e);
	return rc ? rc : ask(d, &lost, e);
}

/* Most are answers whose ties are some steps further, where they are quantized once more: an element jumps there that
 * is next to a jump. */
static int ask_ties(struct doubting *d, struct err *e)
{
	int rc = 0, in_vain = 0;

	d->way = BY_TIES;
	for (int i = 0; !rc && i < TIES && in_vain < TIES_IN_VAIN; i++) {
		struct ref_options o = {.mode = REF_ROUNDED, .ties = OP_TIES_CHANCE};
		size_t before = d->found.explained[BY_TIES];

		if (d->before.ties >= TIES_MANY)
			o.ties = QUANT_TIES_FAR(i % TIES_FAR);
		o.seed = d->t->seed + ((uint64_t)i + 1) * RNG_STEP;
		rc = ask(d, &o, e);
		if (!d->before.ties)
			break;
		in_vain = d->found.explained[BY_TIES] == before ? in_vain + 1 : 0;
	}
	return rc;
}

/* Twice, with the same bound: an approximation that is off by more than a rounding shows where two of them are
 * multiplied, and roundings show where none is. */
static int ask_absolute(struct doubting *d, struct err *e)
{
	struct ref_options fine = {.mode = REF_NOISY, .seed = d->t->seed, .absolute = 1}, coarse = fine;
	int rc;

	d->way = BY_ABSOLUTE;
	coarse.absolute = ABSOLUTE;
	rc = ask(d, &fine, e);
	d->near = d->limit / ABSOLUTE;
	return rc ? rc : ask(d, &coarse, e);
}

/* Variances that are lost, and have no root; then those of which something is left. */
static int ask_one_pass(struct doubting *d, struct err *e)
{
	struct ref_options lost = {.mode = REF_ROUNDED, .seed = d->t->seed, .range = OP_RANGE_LOST, .one_pass = 1};
	struct ref_options left = {.mode = REF_NOISY, .seed = d->t->seed, .one_pass = 1};
	int rc;

	d->way = BY_ONE_PASS;
	d->near = d->limit;
	rc = ask(d, &lost, e);
	return rc ? rc : ask(d, &left, e);
}

/* Nothing can be said of an output that is open. */
static int ask_open(struct doubting *d, struct err *e)
{
	char *open;
	int rc = open_outputs(d->t, d->values, &open, &d->found.open, e);

	d->way = BY_OPEN;
	for (size_t i = 0; i < d->n && !rc; i++) {
		const struct value *exact = d->t->truth.outputs[i].value;

		if (open[i] && exact->kind == VALUE_TENSOR && d->values[i]->kind == VALUE_TENSOR)
			take_exact(d, exact->tensor, d->values[i]);
	}
	mem_free(open);
	return rc;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Whether what is not explained is still a finding. */
static int judge_again(struct doubting *d, int *wrong, struct err *e)
{
	int rc;

	mem_free(d->rest.judged);
	d->rest = (struct outcome){.values = d->values, .n = d->n};
	rc = outcome_judge(d->t, &d->t->truth, d->limit, &d->rest, e);
	*wrong = verdict_is_finding(d->rest.verdict);
	return rc;
}

/* What was explained is not what is wrong: the numbers that are told are those of the others. */
static void tell_others(struct doubting *d, struct outcome *o)
{
	mem_free(o->judged);
	o->judged = d->rest.judged;
	d->rest.judged = NULL;
	o->verdict = d->rest.verdict;
	o->ratio = d->rest.ratio;
	o->worst = d->rest.worst;
	snprintf(o->reason, sizeof o->reason, "%s", d->rest.reason);
}

static int has_explained(const struct doubting *d)
{
	for (int i = 0; i < WAYS; i++)
		if (d->found.explained[i])
			return 1;
	return 0;
}

int trial_doubt(struct trial *t, const struct judge_options *options, enum doubt how, struct outcome *o, struct err *e)
{
	struct doubting d = {.t = t, .limit = judge_limit(options)};
	int rc, wrong = 1;

	if (!o->values || o->n != t->truth.n || (o->verdict != VERDICT_WRONG && o->verdict != VERDICT_NAN))
		return 0;
	d.near = d.limit;
	rc = copy_values(&d, o, e);
	if (!rc)
		rc = ask_rounding(&d, how, e);
	if (!rc)
		rc = how == DOUBT_FULL ? ask_louder(&d, e) : 0;
	if (!rc)
		rc = judge_again(&d, &wrong, e);
	if (!rc && wrong)
		rc = ask_inside(&d, e);
	if (!rc && wrong)
		rc = ask_ties(&d, e);
	if (!rc && wrong)
		rc = ask_absolute(&d, e);
	if (!rc && wrong)
		rc = judge_again(&d, &wrong, e);
	if (!rc && wrong && !(options && options->strict))
		rc = ask_one_pass(&d, e);
	if (!rc && d.found.explained[BY_ONE_PASS])
		rc = judge_again(&d, &wrong, e);
	if (!rc && wrong)
		rc = ask_open(&d, e);
	if (!rc && d.found.explained[BY_OPEN])
		rc = judge_again(&d, &wrong, e);
	if (!rc && !wrong)
		doubt_tell(&d.found, t, o);
	else if (!rc && has_explained(&d))
		tell_others(&d, o);
	mem_free(d.rest.judged);
	ref_result_release(&d.before);
	release_values(&d);
	return rc;
}
