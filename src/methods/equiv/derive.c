/* derive.c - see derive.h. */
#include "methods/equiv/derive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEP 1.2345e-4 /* h: its square is below the rounding of float32, y / h far above that of float64 */
#define SMOOTH 1e-3    /* by how much slopes may differ, relative to 1 + the slope */

/* The direction's entry for element k of tensor i. */
static double toward(size_t i, size_t k)
{
	static const double pattern[] = {1, -0.5, 0.75, -1, 0.5};

	return pattern[(3 * i + k) % (sizeof pattern / sizeof *pattern)];
}

static int no_answer(struct eval *v, const char *why)
{
	v->report = (struct worker_report){.result = WORKER_UNSUPPORTED};
	snprintf(v->report.message, sizeof v->report.message, "%s", why);
	return 0;
}

/* NULL: ERR_INPUT. */
static const struct expr *the_call(const struct expr *x, struct err *e)
{
	if (x->n >= 1 && x->n <= 2 && x->items[0]->kind == EXPR_CALL)
		return x->items[0];
	err_set(e, ERR_INPUT, "%s() takes a call, and a number", x->text);
	return NULL;
}

uint32_t derive_heads(const struct expr *x, const struct bindings *b)
{
	struct err ignored = ERR_INIT;
	int64_t n = 0;

	return x->n == 2 && !bindings_int(b, x->items[1], &n, &ignored) && n > 0 ? (uint32_t)n : 0;
}

static int give(double y, enum dtype t, struct value **out, struct err *e)
{
	struct tensor *wide = tensor_scalar_f(t, y, e), *packed = NULL;

	if (wide) {
		tensor_round(wide);
		packed = tensor_pack(wide, e);
	}
	tensor_unref(wide);
	*out = packed ? value_tensor(packed, e) : NULL;
	return *out ? 0 : e->code;
}

/* The one float tensor of what a call gave; NULL: none, or several, which not all have gradients. */
static const struct tensor *result_of(const struct value *v)
{
	const struct tensor *found = NULL;

	if (v->kind == VALUE_TENSOR)
		return dtype_is_float(v->tensor->dtype) ? v->tensor : NULL;
	for (size_t i = 0; v->kind == VALUE_SEQUENCE && i < v->n; i++) {
		const struct tensor *t = v->items[i]->kind == VALUE_TENSOR ? v->items[i]->tensor : NULL;

		if (!t || !dtype_is_float(t->dtype))
			continue;
		if (found)
			return NULL;
		found = t;
	}
	return found;
}

/* Runs the call while the library records: some compute differently then (normalization, dropout). */
static int run_call(struct eval *v, const struct expr *x, const struct bindings *b, struct value **out, struct err *e)
{
	int rc;

	v->derive = 1;
	v->heads = derive_heads(x, b);
	rc = eval_expr(v, x->items[0], b, out, e);
	v->derive = 0;
	v->heads = 0;
	if (!rc && *out && !result_of(*out)) {
		value_unref(*out);
		*out = NULL;
		eval_forget_gradients(v);
		rc = no_answer(v, "not one float tensor");
	}
	return rc;
}

/* ---- by the library ---------------------------------------------------------------------------------------------- */

/* Which of the tensors of `b` a variable is; b->n: none. */
static size_t tensor_number(const struct bindings *b, const struct expr *x)
{
	size_t number = 0;

	for (size_t i = 0; i < b->n && x->kind == EXPR_VARIABLE; i++) {
		if (b->at[i].tensor && !strcmp(b->at[i].name, x->text))
			return number;
		number += b->at[i].tensor != NULL;
	}
	return b->n;
}

/* Adds Σ d · gradient for each tensor of the arguments; *next: the gradient of the next one. */
static int add_slopes(const struct eval *v, const struct expr *x, const struct bindings *b, size_t *next, double *sum)
{
	for (size_t i = 0; i < x->n; i++) {
		size_t at = tensor_number(b, x->items[i]);
		const struct tensor *g;

		if (x->items[i]->kind == EXPR_CALL)
			return -1;
		if (x->items[i]->kind == EXPR_LIST && add_slopes(v, x->items[i], b, next, sum))
			return -1;
		if (at == b->n)
			continue;
		if (*next == v->n_grads)
			return -1;
		g = v->grads[(*next)++];
		for (size_t k = 0; g && dtype_is_float(g->dtype) && k < g->count; k++)
			*sum += toward(at, k) * tensor_get(g, k);
	}
	return 0;
}

static int derivative(struct eval *v, const struct expr *x, const struct bindings *b, struct value **out, struct err *e)
{
	const struct expr *call = the_call(x, e);
	struct value *y = NULL;
	double sum = 0;
	size_t next = 0;
	int known, rc = call ? run_call(v, x, b, &y, e) : e->code;

	if (rc || !y)
		return rc;
	known = !add_slopes(v, call, b, &next, &sum) && next == v->n_grads;
	eval_forget_gradients(v);
	value_unref(y);
	return known ? give(sum, DT_FLOAT, out, e) : no_answer(v, "not a gradient for each tensor");
}

/* ---- from differences -------------------------------------------------------------------------------------------- */

static struct value *moved(const struct value *from, size_t number, double t, struct err *e)
{
	struct tensor *wide = tensor_widen(from->tensor, e), *copy = wide ? tensor_copy(wide, e) : NULL, *packed = NULL;

	tensor_unref(wide);
	for (size_t k = 0; copy && k < copy->count; k++)
		copy->f[k] += t * toward(number, k);
	if (copy) {
		tensor_round(copy);
		packed = tensor_pack(copy, e);
	}
	tensor_unref(copy);
	return packed ? value_tensor(packed, e) : NULL;
}

static int move_all(const struct bindings *from, double t, struct bindings *to, struct err *e)
{
	size_t number = 0;

	*to = *from;
	for (size_t i = 0; i < to->n; i++) {
		struct value *x = to->at[i].tensor;

		if (x)
			to->at[i].tensor = dtype_is_float(x->tensor->dtype) ? moved(x, number, t, e) : value_ref(x);
		if (x && !to->at[i].tensor) {
			to->n = i;
			bindings_release(to);
			return e->code;
		}
		number += x != NULL;
	}
	return 0;
}

struct total {
	double y, size; /* and the sum of what it consists of without signs, which it is rounded by */
};

/* y(x + td); *known 0: the library gives none. */
static int total_at(struct eval *v, const struct expr *x, const struct bindings *b, double t, struct total *y,
		    int *known, struct err *e)
{
	struct value *out = NULL;
	struct bindings at;
	int rc = move_all(b, t, &at, e);

	if (rc)
		return rc;
	rc = run_call(v, x, &at, &out, e);
	bindings_release(&at);
	*known = !rc && out && result_of(out)->dtype == DT_DOUBLE; /* steps of another type are not small */
	*y = (struct total){0};
	for (size_t k = 0; *known && k < result_of(out)->count; k++) {
		double part = backend_head(derive_heads(x, b), k) * tensor_get(result_of(out), k);

		y->y += part;
		y->size += fabs(part);
	}
	if (!rc && out && !*known)
		no_answer(v, "the result is not float64");
	eval_forget_gradients(v);
	value_unref(out);
	return rc;
}

/* Whether an element lies so close to 0 that a step passes it.  fmod(a, b) with a = b = 1e-39 looks smooth from further
 * away, along any line through 0, and is not. */
static int passes_zero(const struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct tensor *t = b->at[i].tensor ? b->at[i].tensor->tensor : NULL;

		for (size_t k = 0; t && dtype_is_float(t->dtype) && k < t->count; k++) {
			double x = fabs(tensor_get(t, k));

			if (x > 0 && x < 4 * STEP)
				return 1;
		}
	}
	return 0;
}

/* y[2 + i] = y(x + ihd), i = -2 … 2. */
static int is_smooth(const struct total y[5], double slope)
{
	double before = (y[2].y - y[1].y) / STEP, behind = (y[3].y - y[2].y) / STEP;
	double near = (y[3].y - y[1].y) / (2 * STEP), far = (y[4].y - y[0].y) / (4 * STEP);
	double most = SMOOTH * (1 + fabs(slope));

	return fabs(before - behind) <= most && fabs(near - far) <= most; /* not of NaN */
}

/* Steps are lost in the rounding of y: the maximum of no elements is the lowest number of the type, and a sum with it
 * moves with nothing else. */
static int is_absorbed(const struct total *y, double slope)
{
	return !(y->size * dtype_roundoff(DT_DOUBLE) / STEP <= SMOOTH * (1 + fabs(slope)));
}

static int difference(struct eval *v, const struct expr *x, const struct bindings *b, struct value **out, struct err *e)
{
	struct total y[5] = {{0}};
	double slope;
	int known = 1, rc = the_call(x, e) ? 0 : e->code;

	if (!rc && passes_zero(b))
		return no_answer(v, "next to 0");
	for (int i = 0; i < 5 && known && !rc; i++)
		rc = total_at(v, x, b, (i - 2) * STEP, &y[i], &known, e);
	if (rc || !known)
		return rc;
	slope = (8 * (y[3].y - y[1].y) - (y[4].y - y[0].y)) / (12 * STEP);
	if (is_absorbed(&y[2], slope))
		return no_answer(v, "too large for differences");
	return is_smooth(y, slope) ? give(slope, DT_DOUBLE, out, e) : no_answer(v, "not smooth here");
}

/* ---- by an option set of the library ---------------------------------------------------------------------------- */

static int weighed(struct eval *v, const struct expr *x, const struct bindings *b, struct value **out, struct err *e)
{
	const struct expr *call = the_call(x, e);
	int rc;

	if (!call)
		return e->code;
	v->heads = derive_heads(x, b);
	rc = eval_expr(v, call, b, out, e);
	v->heads = 0;
	return rc;
}

derive_fn *derive_find(const char *name)
{
	static const struct {
		const char *name;
		derive_fn *fn;
	} functions[] = {{"derivative", derivative}, {"difference", difference}, {DERIVE_WEIGHED, weighed}};

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].fn;
	return NULL;
}
