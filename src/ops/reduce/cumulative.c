/* cumulative.c - CumSum and CumProd along one axis, which is input 1.
 *
 *     y_i = x_0 ∘ … ∘ x_i          exclusive: … ∘ x_{i-1}          reverse: x_i ∘ … ∘ x_{n-1}
 *
 * Walking a line backwards turns `reverse` into the plain case, so kernels only see positions in walking order. */
#include <math.h>

#include "ops/kit/lines.h"
#include "ops/noise/drift.h"
#include "ops/reduce/samplers.h"

struct cumulative {
	int exclusive, reverse;
};

/* Place of the i-th element in walking order. */
static size_t at(const struct cumulative *w, size_t n, size_t i)
{
	return w->reverse ? n - 1 - i : i;
}

static int cumulative_axis(struct call *c, int rank, int *axis)
{
	const struct tensor *t = c->in[1];

	if (t->count != 1 || t->rank > 1)
		return call_bad(c, "input 1 ('axis') must be one integer");
	return call_axis(c, t->i[0], rank, axis);
}

static int cumulative_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int axis, rc = x && c->in[1] ? cumulative_axis(c, x->rank, &axis) : 0;

	return rc ? rc : same_infer(c);
}

static int cumulative_map(struct call *c, lines_fn *fn, const void *second, void *out, int add)
{
	const struct tensor *x = c->in[0];
	struct cumulative w = {attr_int(c->node, "exclusive") != 0, attr_int(c->node, "reverse") != 0};
	struct lines_job job = {.in = {x->data, second}, .out = out, .add = add, .fn = fn, .arg = &w};
	struct lines l;
	int axis, rc = cumulative_axis(c, x->rank, &axis);

	if (rc)
		return rc;
	lines_init(&l, x->rank, x->dims, UINT32_C(1) << axis);
	return lines_map(c, &l, &job);
}

static int cumulative_map_grad(struct call *c, lines_fn *fn)
{
	if (!c->out_grad[0] || !c->in_grad[0])
		return 0;
	return cumulative_map(c, fn, c->out_grad[0]->f, c->in_grad[0]->f, 1);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void sum_line(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct cumulative *w = arg;
	const double *x = in[0];
	double *y = out, sum = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = at(w, n, i);

		y[k] = w->exclusive ? sum : sum + x[k];
		sum += x[k];
	}
}

static void sum_line_int(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct cumulative *w = arg;
	const int64_t *x = in[0];
	int64_t *y = out;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = at(w, n, i);

		y[k] = (int64_t)(w->exclusive ? sum : sum + (uint64_t)x[k]);
		sum += (uint64_t)x[k];
	}
}

/* dx = the same cumulative sum of g, walked the other way. */
static void sum_line_grad(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct cumulative *w = arg, back = {w->exclusive, !w->reverse};

	sum_line(in + 1, n, out, &back);
}

/* s_i = Σ|x_j| growth(i + 1), or what is left of the roundings of all sums up to here, since nearly every library adds
 * one element after the other: see sum_noise() of the reductions. */
static void sum_line_scale(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct cumulative *w = arg;
	const double *x = in[0];
	double *s = out, size = 0, sum = 0, squares = 0, last = 0;
	size_t changes = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = at(w, n, i);
		double before = size, squares_before = squares;

		changes += i > 0 && x[k] != last;
		last = x[k];
		size += fabs(x[k]);
		sum += x[k];
		squares += sum * sum;
		s[k] = fmax((w->exclusive ? before : size) * drift_growth_runs(i + 1, changes),
			    sqrt((w->exclusive ? squares_before : squares) / 3));
	}
}

static void prod_line(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct cumulative *w = arg;
	const double *x = in[0];
	double *y = out, prod = 1;

	for (size_t i = 0; i < n; i++) {
		size_t k = at(w, n, i);

		y[k] = w->exclusive ? prod : prod * x[k];
		prod *= x[k];
	}
}

static void prod_line_int(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct cumulative *w = arg;
	const int64_t *x = in[0];
	int64_t *y = out;
	uint64_t prod = 1;

	for (size_t i = 0; i < n; i++) {
		size_t k = at(w, n, i);

		y[k] = (int64_t)(w->exclusive ? prod : prod * (uint64_t)x[k]);
		prod *= (uint64_t)x[k];
	}
}

/* dx_k = (product before k) * Σ_{i ≥ k} g_i (product of what lies between k and i): no division, so zeros are right.
 * Horner's rule gathers the sum from the end: T_k = g_k + x_{k+1} T_{k+1} (exclusive: T_k = g_{k+1} + x_{k+1} T_{k+1}).
 */
static void prod_line_grad(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct cumulative *w = arg;
	const struct cumulative before = {1, w->reverse};
	const double *x = in[0], *g = in[1];
	double *dx = out, tail = 0;

	prod_line(in, n, dx, &before);
	for (size_t i = n; i-- > 0;) {
		size_t k = at(w, n, i), next = i + 1 < n ? at(w, n, i + 1) : k;

		tail = i + 1 < n ? tail * x[next] : 0;
		if (!w->exclusive)
			tail += g[k];
		else if (i + 1 < n)
			tail += g[next];
		dx[k] *= tail;
	}
}

/* The roundings of a product are relative and add up like a random walk. */
static void prod_line_scale(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct cumulative *w = arg;
	double *s = out;

	prod_line(in, n, s, arg);
	for (size_t i = 0; i < n; i++)
		s[at(w, n, i)] = fabs(s[at(w, n, i)]) * sqrt((double)i + 1);
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static int cum_sum_eval(struct call *c)
{
	int real = dtype_is_float(c->in[0]->dtype);

	return cumulative_map(c, real ? sum_line : sum_line_int, NULL, c->out[0]->data, 0);
}

static int cum_sum_grad(struct call *c)
{
	return cumulative_map_grad(c, sum_line_grad);
}

static int cum_sum_scale(struct call *c, int out, double *s)
{
	(void)out;
	return cumulative_map(c, sum_line_scale, NULL, s, 0);
}

static int cum_prod_eval(struct call *c)
{
	int real = dtype_is_float(c->in[0]->dtype);

	return cumulative_map(c, real ? prod_line : prod_line_int, NULL, c->out[0]->data, 0);
}

static int cum_prod_grad(struct call *c)
{
	return cumulative_map_grad(c, prod_line_grad);
}

static int cum_prod_scale(struct call *c, int out, double *s)
{
	(void)out;
	return cumulative_map(c, prod_line_scale, NULL, s, 0);
}

#define T_CUMULATIVE (T_FLOAT | TM(DT_UINT32) | TM(DT_UINT64) | TM(DT_INT32) | TM(DT_INT64))

static const struct op_attr cumulative_attrs[] = {OP_INT("exclusive", 0), OP_INT("reverse", 0), {0}};

const struct op op_cum_sum = {
	.samples = SAMPLES({.by = &sampler_cumulate}),
	.in = {{"x", T_CUMULATIVE, 'T', 0}, {"axis", T_INDEX, 0, 0}},
	.out = {{"y", T_CUMULATIVE, 'T', 0}},
	.attrs = cumulative_attrs,
	.infer = cumulative_infer,
	.eval = cum_sum_eval,
	.grad = cum_sum_grad,
	.scale = cum_sum_scale,
};

const struct op op_cum_prod = {
	.samples = SAMPLES({.by = &sampler_cumulate, .types = T_F32, .low = -1, .high = 1, .bound = 1},
			   {.name = "CumProdWhole", .by = &sampler_cumulate_whole}),
	.in = {{"x", T_CUMULATIVE, 'T', 0}, {"axis", T_INDEX, 0, 0}},
	.out = {{"y", T_CUMULATIVE, 'T', 0}},
	.attrs = cumulative_attrs,
	.infer = cumulative_infer,
	.eval = cum_prod_eval,
	.grad = cum_prod_grad,
	.scale = cum_prod_scale,
	.flags = OP_MULTIPLIES,
};
