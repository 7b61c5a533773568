/* measure.c - see measure.h. */
#include "methods/equiv/measure.h"

#include <math.h>

#include "methods/equiv/precise.h"

#define NUDGES 6 /* runs that show how far rounding of inputs moves outputs */

/* What rounding may make of a tensor.  Nudge 0 of documented functions takes subnormal numbers for 0: compiled programs
 * may do that.  Both sides move alike: by the rounding of float32 also where the same numbers are float64, and by that
 * of a lower type where one side rounds to it. */
static struct value *nudged(const struct pair_run *r, const struct value *v, uint64_t label, struct rng *rng)
{
	enum dtype t = v->tensor->dtype;
	double type = dtype_roundoff(t == DT_FLOAT16 || t == DT_BFLOAT16 ? t : DT_FLOAT);
	double u = fmax(type, r->pair->lower ? dtype_roundoff(r->pair->lower) : 0);

	if (r->registry->dialect->forms && !label)
		return draw_flushed(v, r->err);
	if (r->pair->api && r->pair->api->matrix)
		return draw_shaken(v, u, rng, r->err);
	return draw_nudged(v, u, rng, r->err);
}

/* How results round: 0 where some are whole numbers, which do not. */
static double roundoff_of(const struct value *v)
{
	double u = 0;

	if (v->kind == VALUE_TENSOR)
		return dtype_roundoff(dtype_part(v->tensor->dtype));
	for (size_t i = 0; i < v->n; i++) {
		double one = roundoff_of(v->items[i]);

		if (!(one > 0))
			return 0;
		u = fmax(u, one);
	}
	return u;
}

/* Whole numbers move where they become floats without the digits for them; `whole`: those floats' roundoff, or 0. */
static int nudge(const struct pair_run *run, const struct bindings *from, struct bindings *to, double whole,
		 uint64_t label)
{
	struct rng r;

	bindings_copy(from, to);
	rng_init(&r, label);
	for (size_t i = 0; i < to->n; i++) {
		struct value *v = to->at[i].tensor;
		struct rng own = rng_split(&r, i); /* floats move as without whole numbers beside them */

		if (!v)
			continue;
		to->at[i].tensor = dtype_is_int(v->tensor->dtype) ? draw_nudged_whole(v, whole, &own, run->err)
								  : nudged(run, v, label, &r);
		value_unref(v);
		if (!to->at[i].tensor) {
			bindings_release(to);
			return run->err->code;
		}
	}
	return 0;
}

/* The ratio of a difference to what rounding of the inputs does. */
int measure_ratio(struct pair_run *r, const struct equiv_input *in, struct value *const v[2], double *ratio)
{
	struct value *runs[2][NUDGES] = {{NULL}};
	struct compare_noise noise = {runs[0], runs[1], NUDGES};
	struct compare_how how = pair_how(r, in);
	double of_a = roundoff_of(v[0]), of_b = roundoff_of(v[1]);
	double whole = of_a > 0 && of_b > 0 ? fmax(of_a, of_b) : 0;
	int precise = 0, rc = 0;

	for (uint64_t k = 0; k < NUDGES && !rc; k++) {
		struct bindings a = {0}, b = {0};
		struct value *got[2] = {NULL, NULL};

		rc = nudge(r, &in->in_a, &a, whole, k);
		if (!rc)
			rc = nudge(r, &in->in_b, &b, whole, k);
		if (!rc)
			rc = pair_run_sides(r, in, &a, &b, got);
		runs[0][k] = got[0];
		runs[1][k] = got[1];
		bindings_release(&a);
		bindings_release(&b);
	}
	if (!rc)
		*ratio = compare_ratio(v[0], v[1], &how, &noise, r->o);
	if (!rc && *ratio > JUDGE_LIMIT)
		rc = precise_ask(r, in, v, *ratio, &precise);
	if (precise)
		*ratio = 0;
	for (size_t k = 0; k < NUDGES; k++) {
		value_unref(runs[0][k]);
		value_unref(runs[1][k]);
	}
	return rc;
}
