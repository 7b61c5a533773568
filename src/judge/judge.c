/* judge.c - see judge.h. */
#include "judge/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_LENGTH 60 /* of a string in a sentence */

static const char no_elements[] = "there are no elements";
static const char rounding_explains[] = "float rounding explains the difference";

/* ---- one element ------------------------------------------------------------------------------------------------- */

/* What the type makes of the exact value: a float32 library cannot answer 1e300. */
static double representable(const struct tensor *exact, size_t i)
{
	double x = tensor_get(exact, i);

	return dtype_is_float(exact->dtype) ? dtype_round(exact->dtype, x, 0) : x;
}

static int same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* Many libraries have the processor take such numbers for zero, and ONNX does not say that they may not. */
static int is_subnormal(enum dtype t, double x)
{
	return dtype_is_float(t) && fabs(x) < dtype_smallest(t);
}

double judge_element(const struct tensor *exact, size_t i, double noise, double got)
{
	double x = tensor_get(exact, i), unit = noise;

	if (same_number(got, representable(exact, i)))
		return 0;
	if (dtype_is_float(exact->dtype))
		unit = fmax(noise, dtype_roundoff(exact->dtype) * fabs(x));
	if (!isfinite(got) || !isfinite(x))
		return (double)INFINITY;
	if (is_subnormal(exact->dtype, x) && is_subnormal(exact->dtype, got))
		return 1;
	return unit > 0 ? fabs(got - x) / unit : (double)INFINITY;
}

/* Integers that differ where a double has not enough places to say so.  Packed or wide, those of 64 bits are the same.
 */
static int differs_in_last_places(const struct tensor *exact, const struct tensor *got, size_t i)
{
	size_t size = sizeof(int64_t);

	return (exact->dtype == DT_INT64 || exact->dtype == DT_UINT64) &&
	       memcmp((const char *)exact->data + i * size, (const char *)got->data + i * size, size) != 0;
}

double judge_element_of(const struct tensor *exact, const struct tensor *got, size_t i, double noise)
{
	double ratio = judge_element(exact, i, noise, tensor_get(got, i));

	return ratio == 0 && noise == 0 && differs_in_last_places(exact, got, i) ? (double)INFINITY : ratio;
}

/* ---- one tensor -------------------------------------------------------------------------------------------------- */

static void set_verdict(struct judgement *j, enum verdict v, const char *reason)
{
	j->verdict = v;
	snprintf(j->reason, sizeof j->reason, "%s", reason);
}

/* Rounding alone can give this tensor another shape: the reference marks all of its elements. */
static int is_shape_unstable(const struct tensor *exact, const float *noise)
{
	for (size_t i = 0; noise && i < exact->count; i++)
		if (!isinf(noise[i]))
			return 0;
	return noise && exact->count;
}

static int judge_shape(const struct tensor *exact, const float *noise, const struct tensor *got, struct judgement *out)
{
	char a[160], b[160];

	if (exact->dtype == got->dtype && tensor_same_shape(exact, got))
		return 1;
	if (exact->dtype == got->dtype && exact->rank == got->rank && is_shape_unstable(exact, noise)) {
		set_verdict(out, VERDICT_VACUOUS, "rounding alone decides the shape");
		out->unstable = exact->count;
		return 0;
	}
	out->verdict = VERDICT_WRONG;
	out->ratio = (double)INFINITY;
	snprintf(out->reason, sizeof out->reason, "got %.100s, expected %.100s", tensor_describe(got, b, sizeof b),
		 tensor_describe(exact, a, sizeof a));
	return 0;
}

static int shown_length(const struct bytes *s)
{
	return s->n < SHOWN_LENGTH ? (int)s->n : SHOWN_LENGTH;
}

static void judge_strings(const struct tensor *exact, const float *noise, const struct tensor *got,
			  struct judgement *out)
{
	for (size_t i = 0; i < exact->count; i++)
		if (noise && isinf(noise[i]))
			out->unstable++;
		else if (!dtype_bytes_same(&exact->s[i], &got->s[i])) {
			out->beyond++;
			out->worst = i;
		}
	if (!out->beyond)
		return;
	out->verdict = VERDICT_WRONG;
	out->ratio = (double)INFINITY;
	out->exact = out->got = (double)NAN;
	snprintf(out->reason, sizeof out->reason, "element %zu: got '%.*s', expected '%.*s'", out->worst,
		 shown_length(&got->s[out->worst]), got->s[out->worst].p, shown_length(&exact->s[out->worst]),
		 exact->s[out->worst].p);
}

static int is_constant(const struct tensor *t)
{
	for (size_t i = 1; i < t->count; i++)
		if (!same_number(tensor_get(t, i), tensor_get(t, 0)))
			return 0;
	return t->count > 1;
}

/* What stands at the worst element of integers of 64 bits, of which a double has not all. */
static void tell_integers(const struct tensor *exact, const struct tensor *got, struct judgement *out)
{
	uint64_t right, came;

	memcpy(&right, (const char *)exact->data + out->worst * sizeof right, sizeof right);
	memcpy(&came, (const char *)got->data + out->worst * sizeof came, sizeof came);
	if (exact->dtype == DT_UINT64)
		snprintf(out->reason, sizeof out->reason,
			 "element %zu: got %" PRIu64 ", expected %" PRIu64 "; it is off by %" PRIu64
			 ", and nothing rounds there",
			 out->worst, came, right, came > right ? came - right : right - came);
	else
		snprintf(out->reason, sizeof out->reason,
			 "element %zu: got %" PRId64 ", expected %" PRId64 "; it is off by %" PRIu64
			 ", and nothing rounds there",
			 out->worst, (int64_t)came, (int64_t)right,
			 (int64_t)came > (int64_t)right ? came - right : right - came);
}

static void measure(const struct tensor *exact, const float *noise, const struct tensor *got, double limit,
		    struct judgement *out)
{
	for (size_t i = 0; i < exact->count; i++) {
		double unit = noise ? (double)noise[i] : 0, ratio;

		if (isinf(unit)) {
			out->unstable++;
			continue;
		}
		ratio = judge_element_of(exact, got, i, unit);
		out->beyond += !(ratio <= limit);
		if (ratio > out->ratio) {
			out->ratio = ratio;
			out->worst = i;
		}
	}
	out->exact = tensor_get(exact, out->worst);
	out->got = tensor_get(got, out->worst);
}

int judge_is_told(const struct judgement *j)
{
	return j->beyond && (j->exact == j->got || (isnan(j->exact) && isnan(j->got)));
}

static void condemn(const struct tensor *exact, const struct tensor *got, struct judgement *out)
{
	if (isfinite(out->exact) && !isfinite(out->got))
		set_verdict(out, VERDICT_NAN, "not a finite number where the reference has one");
	else
		set_verdict(out, VERDICT_WRONG, "further from the reference than float rounding explains");
	if (judge_is_told(out))
		tell_integers(exact, got, out);
}

const float *judge_noise_for(const float *noise, size_t right, size_t other)
{
	return right == other ? noise : NULL;
}

void judge_tensor(const struct tensor *exact, const float *noise, const struct tensor *got, double limit,
		  struct judgement *out)
{
	int constant;

	*out = (struct judgement){.verdict = VERDICT_AGREE};
	if (!judge_shape(exact, noise, got, out))
		return;
	if (!exact->count) {
		set_verdict(out, VERDICT_VACUOUS, no_elements);
		return;
	}
	if (exact->dtype == DT_STRING) {
		judge_strings(exact, noise, got, out);
		return;
	}
	constant = is_constant(exact);
	measure(exact, noise, got, limit, out);
	if (out->beyond)
		condemn(exact, got, out);
	else if (out->unstable == exact->count)
		set_verdict(out, VERDICT_VACUOUS, "rounding alone decides every element");
	else if (constant)
		set_verdict(out, VERDICT_VACUOUS, "all elements are equal");
	else if (out->ratio > 0)
		set_verdict(out, VERDICT_ROUNDING, rounding_explains);
}

/* ---- one value --------------------------------------------------------------------------------------------------- */

static int judge_kind(const struct value *exact, const struct value *got, struct judgement *out)
{
	if (exact->kind == got->kind && (exact->kind == VALUE_TENSOR || exact->n == got->n))
		return 1;
	out->ratio = (double)INFINITY;
	out->verdict = VERDICT_WRONG;
	if (exact->kind == got->kind)
		snprintf(out->reason, sizeof out->reason, "%zu items where %zu are right", got->n, exact->n);
	else
		snprintf(out->reason, sizeof out->reason, "another kind of value than expected");
	return 0;
}

/* Adds what was found in an item whose elements begin at `first`. */
static void add_item(struct judgement *all, const struct judgement *item, size_t first)
{
	int first_item = all->verdict == VERDICT_AGREE && all->ratio == 0;

	if (item->ratio > all->ratio || first_item) {
		all->ratio = item->ratio;
		all->worst = first + item->worst;
		all->exact = item->exact;
		all->got = item->got;
	}
	if (item->verdict > all->verdict)
		set_verdict(all, item->verdict, item->reason);
	all->beyond += item->beyond;
	all->unstable += item->unstable;
}

/* Returns how many elements the exact value has.  *telling: how many items are right, and that says something. */
static size_t judge_items(const struct value *exact, const float *noise, const struct value *got, double limit,
			  size_t first, size_t *telling, struct judgement *out)
{
	size_t at = 0;

	if (exact->kind == VALUE_TENSOR) {
		struct judgement one;

		judge_tensor(exact->tensor, noise, got->tensor, limit, &one);
		add_item(out, &one, first);
		*telling += one.verdict == VERDICT_AGREE || one.verdict == VERDICT_ROUNDING;
		return exact->tensor->count;
	}
	for (size_t i = 0; i < exact->n; i++) {
		if (!judge_kind(exact->items[i], got->items[i], out))
			break;
		at += judge_items(exact->items[i], noise ? noise + at : NULL, got->items[i], limit, first + at, telling,
				  out);
	}
	return at;
}

/* One vacuous item does not undo another that was judged. */
static void conclude_items(size_t telling, struct judgement *out)
{
	if (out->verdict == VERDICT_AGREE && !telling)
		set_verdict(out, VERDICT_VACUOUS, no_elements);
	else if (out->verdict == VERDICT_VACUOUS && telling && out->ratio > 0)
		set_verdict(out, VERDICT_ROUNDING, rounding_explains);
	else if (out->verdict == VERDICT_VACUOUS && telling)
		set_verdict(out, VERDICT_AGREE, "");
}

void judge_value(const struct value *exact, const float *noise, const struct value *got, double limit,
		 struct judgement *out)
{
	size_t telling = 0;

	*out = (struct judgement){.verdict = VERDICT_AGREE};
	if (!judge_kind(exact, got, out))
		return;
	if (exact->kind == VALUE_TENSOR) {
		judge_tensor(exact->tensor, noise, got->tensor, limit, out);
		return;
	}
	judge_items(exact, noise, got, limit, 0, &telling, out);
	conclude_items(telling, out);
}

void judge_random(const struct value *exact, const struct value *got, struct judgement *out)
{
	*out = (struct judgement){.verdict = VERDICT_AGREE};
	if (exact->kind == VALUE_TENSOR && got->kind == VALUE_TENSOR &&
	    (exact->tensor->dtype != got->tensor->dtype || exact->tensor->rank != got->tensor->rank))
		judge_shape(exact->tensor, NULL, got->tensor, out);
	else if (exact->kind != got->kind)
		judge_kind(exact, got, out);
	else
		set_verdict(out, VERDICT_VACUOUS, "random by specification");
}
