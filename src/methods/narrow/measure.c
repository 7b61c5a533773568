/* measure.c - how far values are off, in the units of narrow.h. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/narrow/internal.h"

/* ---- sums over values -------------------------------------------------------------------------------------------- */

struct sums {
	double square, difference; /* of floats */
	size_t floats;
	size_t others, differing;
	int broken; /* another shape, or no number where there was one */
};

/* A number that is none on both sides is the same one. */
static int same_special(double got, double exact)
{
	return isnan(exact) ? isnan(got) : got == exact;
}

static void add_floats(struct sums *s, const struct tensor *got, const struct tensor *exact)
{
	for (size_t i = 0; i < exact->count; i++) {
		double x = tensor_get(exact, i), y = tensor_get(got, i);

		if (!isfinite(x) || !isfinite(y)) {
			s->broken |= !same_special(y, x);
			continue;
		}
		s->square += x * x;
		s->difference += (y - x) * (y - x);
		s->floats++;
	}
}

static void add_others(struct sums *s, const struct tensor *got, const struct tensor *exact)
{
	int strings = dtype_wide(exact->dtype) == WIDE_STR;

	for (size_t i = 0; i < exact->count; i++)
		s->differing += strings ? !dtype_bytes_same(&got->s[i], &exact->s[i])
					: tensor_get(got, i) != tensor_get(exact, i);
	s->others += exact->count;
}

static void add_value(struct sums *s, const struct value *got, const struct value *exact)
{
	if (!got || got->kind != exact->kind || got->n != exact->n) {
		s->broken = 1;
		return;
	}
	for (size_t i = 0; i < exact->n; i++)
		add_value(s, got->items[i], exact->items[i]);
	if (exact->kind != VALUE_TENSOR)
		return;
	if (!tensor_same_shape(got->tensor, exact->tensor))
		s->broken = 1;
	else if (dtype_is_float(exact->tensor->dtype) && dtype_is_float(got->tensor->dtype))
		add_floats(s, got->tensor, exact->tensor);
	else if (dtype_wide(exact->tensor->dtype) == dtype_wide(got->tensor->dtype))
		add_others(s, got->tensor, exact->tensor);
	else
		s->broken = 1;
}

/* The root mean square of the differences against `scale`. */
static double error_of(const struct sums *s, double scale)
{
	double floats = s->floats ? sqrt(s->difference / (double)s->floats) : 0;
	double others = s->others ? (double)s->differing / (double)s->others : 0;

	if (s->broken)
		return INFINITY;
	return fmax(floats > 0 ? floats / scale : 0, others);
}

double measure_loss(const struct value *got, const struct value *exact)
{
	struct sums s = {.square = 0};

	add_value(&s, got, exact);
	return error_of(&s, s.floats ? sqrt(s.square / (double)s.floats) : 0);
}

double measure_correlation(const double *a, const double *b, size_t n)
{
	double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;

	for (size_t i = 0; i < n; i++) {
		mean_a += a[i] / (double)n;
		mean_b += b[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		ab += (a[i] - mean_a) * (b[i] - mean_b);
		aa += (a[i] - mean_a) * (a[i] - mean_a);
		bb += (b[i] - mean_b) * (b[i] - mean_b);
	}
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* ---- rows and their largest entry -------------------------------------------------------------------------------- */

/* How far the entries of a row have come towards another order: 1 where one of them reaches the largest. */
static double row_turn(const struct tensor *got, const struct tensor *exact, size_t first, size_t n)
{
	size_t top = first;
	double turn = 0;

	for (size_t i = first; i < first + n; i++)
		top = tensor_get(exact, i) > tensor_get(exact, top) ? i : top;
	for (size_t i = first; i < first + n; i++) {
		double margin = tensor_get(exact, top) - tensor_get(exact, i);
		double gain =
			tensor_get(got, i) - tensor_get(exact, i) - (tensor_get(got, top) - tensor_get(exact, top));

		if (!isfinite(margin) || margin <= 0)
			continue;
		if (isnan(gain))
			return INFINITY;
		turn = fmax(turn, gain / margin);
	}
	return turn;
}

static void turn_rows(const struct value *got, const struct value *exact, struct narrow_reach *reach, double *worst)
{
	const struct tensor *x = exact->kind == VALUE_TENSOR ? exact->tensor : NULL;
	size_t n = x && x->rank ? (size_t)x->dims[x->rank - 1] : 0;

	if (n < 2 || !dtype_is_float(x->dtype) || got->kind != VALUE_TENSOR || !tensor_same_shape(got->tensor, x))
		return;
	for (size_t first = 0; first < x->count; first += n) {
		double turn = row_turn(got->tensor, x, first, n);

		reach->rows++;
		reach->moved += turn >= 1;
		*worst = fmax(*worst, turn);
	}
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

int measure_scales(struct outputs *o, struct err *e)
{
	o->n_outputs = o->n ? o->exact[0].n : 0;
	o->scale = mem_array(o->n_outputs + 1, sizeof *o->scale);
	if (!o->scale)
		return err_nomem(e, "outputs", o->n_outputs);
	for (size_t i = 0; i < o->n_outputs; i++) {
		struct sums s = {.square = 0};

		for (size_t run = 0; run < o->n; run++)
			add_value(&s, o->exact[run].outputs[i].value, o->exact[run].outputs[i].value);
		o->scale[i] = s.floats ? sqrt(s.square / (double)s.floats) : 0;
	}
	return 0;
}

void measure_outputs(const struct outputs *o, const struct narrow_target *t, size_t run, const struct ref_result *got,
		     struct narrow_reach *reach)
{
	for (size_t i = 0; i < o->n_outputs; i++) {
		const struct value *exact = o->exact[run].outputs[i].value, *value = got->outputs[i].value;
		struct sums s = {.square = 0};
		double error, turn = 0;

		add_value(&s, value, exact);
		turn_rows(value, exact, reach, &turn);
		error = error_of(&s, o->scale[i]);
		if (t->top)
			error = s.broken || s.differing ? INFINITY : turn;
		if (error > reach->error) {
			reach->error = error;
			reach->run = run;
			reach->output = i;
		}
	}
}

void measure_release(struct outputs *o)
{
	for (size_t i = 0; i < o->n; i++)
		ref_result_release(&o->exact[i]);
	mem_free(o->exact);
	mem_free(o->scale);
	*o = (struct outputs){.n = 0};
}
