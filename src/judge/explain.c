/* explain.c - see explain.h; trial_explain() is declared in trial.h. */
#include "judge/explain.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/rng.h"
#include "judge/internal.h"
#include "reference/precision.h"

#define LIMIT 6.0      /* roundings of the precision that one element may be off by: correct libraries stay below 4 */
#define TOGETHER 1.25  /* … and in the root of the mean square, where correct libraries have some 0.4 */
#define SPREAD 8       /* roundings of its own type that an element must be off by to be one that deviates … */
#define SPREAD_SHARE 4 /* … as every fourth does of those that do in the rounded reference, */
#define SPREAD_FEW 16  /* where there are so many */
#define LANES 8        /* of noise; */
#define LANES_MORE 32  /* where that does not do: eight may miss what flips … */
#define CLOSE 4        /* … unless an element is so many times too far off */
#define STEP_RUNS 16   /* answers in which some numbers go to the neighbouring quantized one … */
#define STEP_NEAR 0.03125 /* … which are so near to a half, in steps */
#define STEP_TOGETHER 2.0 /* times the mean square of those, */
#define STEP_MOST 1.5     /* and times the furthest */
#define SHOWN_NUMBERS 16  /* different ones that only a lower precision would give */

const struct explanation explanations[] = {
	{.name = "TF32", .precision = REF_TF32},
	{.name = "float16", .precision = REF_F16},
	{.name = "bfloat16", .precision = REF_BF16, .products = 1},
	{.name = "bfloat16", .precision = REF_BF16},
	{.name = "one quantization step", .step = 1},
	{.name = "sums in float16", .precision = REF_F16, .reduced = 1},
	{.name = "sums in bfloat16", .precision = REF_BF16, .reduced = 1},
	{0},
};

/* ---- what is held against what ----------------------------------------------------------------------------------- */

/* One output: what is right, how far it moves, another answer that is right in that precision, what came. */
struct explained {
	const struct tensor *exact, *other, *got;
	const float *noise; /* NULL: nothing moves */
	const float *own;   /* the same in the type that the tensor has */
	double roundoff;
	int divides; /* in steps, a number next to 0 was 0, and something went by it: an output of `other` is infinite
		      */
	int spreads; /* all that is computed is in that precision; a quantizer leaves alone what it likes */
};

static const struct tensor *tensor_of(const struct value *v)
{
	return v && v->kind == VALUE_TENSOR ? v->tensor : NULL;
}

static int is_number(const struct tensor *t)
{
	return dtype_wide(t->dtype) == WIDE_F64 || dtype_wide(t->dtype) == WIDE_I64;
}

/* Output i as a pair of tensors that can be compared; 0: it cannot be. */
static int pair_of(const struct trial *t, const struct outcome *o, size_t i, const struct tensor **exact,
		   const struct tensor **got)
{
	*exact = tensor_of(t->truth.outputs[i].value);
	*got = tensor_of(o->values[i]);
	return *exact && *got && is_number(*exact) && (*exact)->dtype == (*got)->dtype &&
	       tensor_same_shape(*exact, *got);
}

/* Random outputs are not compared; those that are right already need no explanation, unless they are wide enough to
 * speak against one.  Texts never do. */
static int is_compared(const struct trial *t, const struct outcome *o, size_t i)
{
	const struct tensor *exact = tensor_of(t->truth.outputs[i].value);
	int is_text = exact && exact->dtype == DT_STRING;

	return o->judged && o->judged[i].verdict != VERDICT_VACUOUS &&
	       (!is_text || verdict_is_finding(o->judged[i].verdict));
}

/* ---- size and spread --------------------------------------------------------------------------------------------- */

struct fit {
	double worst, squares;
	size_t n, noisy, moved;
};

static double unit_of(const struct explained *x, size_t k)
{
	double noise = x->noise ? (double)x->noise[k] : 0;

	return dtype_is_float(x->exact->dtype) ? fmax(noise, x->roundoff * fabs(tensor_get(x->exact, k))) : noise;
}

/* Which numbers a library's steps make 0 is as good as chance where half a step is as large as the number. */
static int is_divided(const struct explained *x, size_t k, double unit, double got)
{
	return x->divides && !isfinite(got) && 2 * unit >= fabs(tensor_get(x->exact, k));
}

static void fit_element(const struct explained *x, size_t k, struct fit *f)
{
	double unit = unit_of(x, k), got = tensor_get(x->got, k), own = x->own ? (double)x->own[k] : 0, ratio;

	if (isinf(unit) || is_divided(x, k, unit, got))
		return;
	ratio = judge_element_of(x->exact, x->got, k, unit);
	if (ratio > LIMIT && x->other)
		ratio = fmin(ratio, judge_element_of(x->other, x->got, k, unit));
	f->worst = fmax(f->worst, ratio);
	f->squares += ratio * ratio;
	f->n++;
	if (x->spreads && x->other && judge_element(x->exact, k, own, tensor_get(x->other, k)) >= SPREAD) {
		f->noisy++;
		f->moved += judge_element(x->exact, k, own, got) >= SPREAD;
	}
}

static int is_fit(const struct fit *f)
{
	if (!(f->worst <= LIMIT) || f->squares > TOGETHER * TOGETHER * (double)f->n)
		return 0;
	return f->noisy < SPREAD_FEW || f->moved * SPREAD_SHARE >= f->noisy;
}

static int ask(struct trial *t, const struct ref_options *o, struct ref_result *out, struct err *e)
{
	return ref_run(t->ref, t->inputs, t->model->graph->inputs.n, o, out, e);
}

static int has_infinity(const struct tensor *t)
{
	for (size_t k = 0; k < t->count; k++)
		if (isinf(tensor_get(t, k)))
			return 1;
	return 0;
}

/* What the precision makes, to the last bit, is right in it: so is how many elements are not 0, say, or differ from
 * each other, which sizes hang on. */
static int is_made_by(const struct value *other, const struct value *got)
{
	const struct tensor *a = tensor_of(other), *b = tensor_of(got);

	if (!a || !b || !is_number(a) || a->dtype != b->dtype || !tensor_same_shape(a, b))
		return 0;
	for (size_t k = 0; k < a->count; k++)
		if (judge_element_of(a, b, k, 0) > 0)
			return 0;
	return 1;
}

/* With so many lanes of noise. */
static int fit_lanes(struct trial *t, const struct explanation *x, int lanes, const struct outcome *o, int *fits,
		     double *ratio, struct err *e)
{
	const struct ref_options noisy = {.mode = REF_NOISY,
					  .precision = x->precision,
					  .products = x->products,
					  .reduced = x->reduced,
					  .noise_runs = lanes,
					  .seed = t->seed + (uint64_t)lanes};
	const struct ref_options rounded = {
		.mode = REF_ROUNDED, .precision = x->precision, .products = x->products, .seed = t->seed};
	struct ref_result noise, other;
	int rc = ask(t, &noisy, &noise, e);

	if (rc)
		return rc;
	rc = ask(t, &rounded, &other, e);
	*fits = !rc;
	*ratio = 0;
	for (size_t i = 0; i < o->n && !rc && *fits; i++) {
		struct explained one = {.noise = noise.outputs[i].noise,
					.own = t->truth.outputs[i].noise,
					.other = tensor_of(other.outputs[i].value),
					.roundoff = precision_roundoff(x->precision),
					.spreads = !precision_row(x->precision)->steps};
		struct fit f = {0};

		if (!is_compared(t, o, i) || is_made_by(other.outputs[i].value, o->values[i]))
			continue;
		*fits = pair_of(t, o, i, &one.exact, &one.got);
		if (!one.other || (*fits && !tensor_same_shape(one.other, one.exact)))
			one.other = NULL;
		one.divides = one.other && !one.spreads && has_infinity(one.other);
		for (size_t k = 0; *fits && k < one.exact->count; k++)
			fit_element(&one, k, &f);
		*fits = *fits && is_fit(&f);
		*ratio = fmax(*ratio, f.worst);
	}
	if (!rc)
		ref_result_release(&other);
	ref_result_release(&noise);
	return rc;
}

/* ---- one quantization step --------------------------------------------------------------------------------------- */

/* How far answers are off: of the reference with steps, and of the library. */
struct steps_off {
	double squares, most;
	size_t n;
};

static void add_steps(const struct tensor *exact, const struct tensor *got, const float *noise, struct steps_off *s)
{
	for (size_t k = 0; k < exact->count; k++) {
		double d = fabs(tensor_get(got, k) - tensor_get(exact, k));

		if (noise && isinf(noise[k]))
			continue;
		s->squares += d * d;
		s->most = fmax(s->most, isnan(d) ? (double)INFINITY : d);
		s->n++;
	}
}

/* One answer in which some numbers go the other way, against the right one. */
static int step_once(struct trial *t, int run, struct steps_off *by_output, size_t *ties, struct err *e)
{
	const struct ref_options o = {.mode = REF_ROUNDED,
				      .ties = OP_TIES_CHANCE,
				      .near = STEP_NEAR,
				      .seed = t->seed + ((uint64_t)run + 1) * RNG_STEP};
	struct ref_result r;
	int rc = ask(t, &o, &r, e);

	if (rc)
		return rc;
	*ties = r.ties;
	for (size_t i = 0; i < r.n; i++) {
		const struct tensor *exact = tensor_of(t->truth.outputs[i].value), *y = tensor_of(r.outputs[i].value);

		if (exact && y && is_number(exact) && tensor_same_shape(exact, y))
			add_steps(exact, y, t->truth.outputs[i].noise, &by_output[i]);
	}
	ref_result_release(&r);
	return 0;
}

/* What came is held against all answers together: a step is rare, and eight lanes show it in few elements. */
static int is_step(const struct steps_off *right, const struct steps_off *got)
{
	double mean = right->n ? right->squares / (double)right->n : 0;

	return got->most <= STEP_MOST * right->most && got->squares <= STEP_TOGETHER * mean * (double)got->n;
}

/* Runs of the whole model: made for the first backend that is off. */
static int make_steps(struct trial *t, struct err *e)
{
	size_t n = t->truth.n, ties = 1;
	struct steps_off *steps = mem_array(n, sizeof *steps);
	int rc = steps ? 0 : err_nomem(e, "outputs", n * sizeof *steps);

	for (int i = 0; i < STEP_RUNS && ties && !rc; i++)
		rc = step_once(t, i, steps, &ties, e);
	if (rc) {
		mem_free(steps);
		return rc;
	}
	t->steps = steps;
	t->step_ties = ties;
	return 0;
}

static int fit_step(struct trial *t, const struct outcome *o, int *fits, double *ratio, struct err *e)
{
	int rc = t->steps ? 0 : make_steps(t, e);
	const struct steps_off *right = t->steps;

	*fits = !rc && t->step_ties;
	*ratio = 0;
	for (size_t i = 0; i < o->n && *fits; i++) {
		const struct tensor *exact, *got;
		struct steps_off s = {0};

		if (!is_compared(t, o, i))
			continue;
		*fits = pair_of(t, o, i, &exact, &got);
		if (*fits)
			add_steps(exact, got, t->truth.outputs[i].noise, &s);
		*fits = *fits && (s.most == 0 || is_step(&right[i], &s));
		*ratio = fmax(*ratio, right[i].most > 0 ? s.most / right[i].most : 0);
	}
	return rc;
}

/* More lanes may tell another thing.  Half a step goes to either side and no further, so that two of them may be
 * nothing in all of a few lanes: then an element is far off only in units of what is left. */
static int ask_again(const struct explanation *x, double ratio)
{
	return !x->step && ratio > LIMIT && (ratio <= LIMIT * CLOSE || precision_row(x->precision)->steps);
}

int explain_fits(struct trial *t, const struct explanation *x, const struct outcome *o, int *fits, double *ratio,
		 struct err *e)
{
	int rc = x->step ? fit_step(t, o, fits, ratio, e) : fit_lanes(t, x, LANES, o, fits, ratio, e);

	if (!rc && !*fits && ask_again(x, *ratio))
		rc = fit_lanes(t, x, LANES_MORE, o, fits, ratio, e);
	return rc;
}

/* ---- seen in the answer ------------------------------------------------------------------------------------------ */

int explain_shows(const struct trial *t, const struct explanation *x, const struct outcome *o)
{
	const struct precision *row = precision_row(x->precision);
	size_t told = 0;

	for (size_t i = 0; row && !row->products && i < o->n; i++) {
		const struct tensor *exact, *got;
		double last = 0;

		if (!is_compared(t, o, i) || !pair_of(t, o, i, &exact, &got) || !precision_lowers(got->dtype))
			continue;
		for (size_t k = 0; k < got->count; k++) {
			double g = tensor_get(got, k), right = dtype_round(got->dtype, tensor_get(exact, k), 0);

			if (precision_round(x->precision, g) != g && !isnan(g))
				return 0;
			told += isfinite(g) && g != last && precision_round(x->precision, right) != right;
			last = g;
		}
	}
	return told >= SHOWN_NUMBERS;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Sums in a lower precision are looked for where no precision alone is seen: their roundings are larger, and those of a
 * coarser one would pass for them.  *seen: one was. */
static int is_plausible(const struct trial *t, struct party *p, const struct explanation *x, const struct outcome *o,
			int *seen, int *plausible, struct err *e)
{
	int rc = 0;

	*plausible = x->step || (!x->reduced && explain_shows(t, x, o));
	if (!*plausible && !(x->reduced && *seen))
		rc = explain_is_seen(p, x, plausible, e);
	*seen |= *plausible && !x->step && !x->reduced;
	return rc;
}

static void conclude(const struct explanation *x, double ratio, struct outcome *o)
{
	o->verdict = VERDICT_EXPLAINED;
	o->explained_by = x->name;
	o->ratio = ratio;
	if (x->step)
		snprintf(o->reason, sizeof o->reason,
			 "one quantization step: numbers that lie next to a half went to the neighbouring quantized "
			 "one, and nothing else is off");
	else if (ratio == 0)
		snprintf(o->reason, sizeof o->reason,
			 "explained by %s: in that precision rounding alone decides every element", x->name);
	else if (precision_row(x->precision)->steps)
		snprintf(o->reason, sizeof o->reason,
			 "explained by %s: no element is further off than %.3g times what half a step of each tensor "
			 "does",
			 x->name, ratio);
	else
		snprintf(o->reason, sizeof o->reason,
			 "explained by %s: no element is further off than %.3g roundings of that precision", x->name,
			 ratio);
}

/* Wrong numbers, for which an explanation may be looked for. */
static int is_open(const struct trial *t, const struct judge_options *options, const struct outcome *o)
{
	return o->values && o->n == t->truth.n && !(options && options->strict) && !o->stands &&
	       verdict_is_of_numbers(o->verdict);
}

int explain_lowered(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *o,
		    struct err *e)
{
	const char *name = spec_option(&p->spec, PARTY_LOWERS);
	struct explanation x = {0};
	int rc, fits = 0;
	double ratio;

	if (!name || !precision_find(name, &x.precision) || !is_open(t, options, o))
		return 0;
	x.name = precision_row(x.precision)->words;
	rc = explain_fits(t, &x, o, &fits, &ratio, e);
	if (rc || !fits)
		return rc;
	conclude(&x, ratio, o);
	o->verdict = VERDICT_ROUNDING;
	o->explained_by = NULL;
	return 0;
}

int trial_explain(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *o,
		  struct err *e)
{
	int rc = 0, fits = 0, seen = 0, plausible;
	double ratio;

	if (!is_open(t, options, o) || spec_option(&p->spec, PARTY_LOWERS))
		return 0;
	for (const struct explanation *x = explanations; x->name && !rc && !fits; x++) {
		rc = is_plausible(t, p, x, o, &seen, &plausible, e);
		if (!rc && plausible)
			rc = explain_fits(t, x, o, &fits, &ratio, e);
		if (!rc && fits)
			conclude(x, ratio, o);
	}
	return rc;
}
