/* softmax.c - Softmax, LogSoftmax, Hardmax: each maps a line to a line of the same length.
 *
 * Up to version 12 the input is coerced to a matrix at `axis` (default 1): a line is everything from that axis on. From
 * 13 on a line runs along `axis` (default -1) alone. */
#include "ops/reduce/softmax.h"
#include "ops/kit/domain.h"

#include <math.h>

#include "ops/kit/dims.h"
#include "ops/noise/drift.h"
#include "ops/noise/noisy.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/samplers.h"

static int softmax_axes(struct call *c, int rank, uint32_t *axes)
{
	int coerced = c->version < 13, axis, rc;
	int64_t wanted = attr_int(c->node, "axis");

	/* Coercion at the rank leaves lines of one element, and a matrix of a scalar is 1 by 1. */
	if (coerced && wanted == rank) {
		*axes = 0;
		return 0;
	}
	rc = call_axis(c, wanted, rank, &axis);
	if (rc)
		return rc;
	*axes = coerced ? dims_first(rank) & ~dims_first(axis) : UINT32_C(1) << axis;
	return 0;
}

static int softmax_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	uint32_t axes;
	int rc = x ? softmax_axes(c, x->rank, &axes) : 0;

	return rc ? rc : same_infer(c);
}

/* Runs fn over the lines of x (and of a second tensor of the same shape, or NULL). */
static int softmax_map(struct call *c, lines_fn *fn, const double *second, double *out, int add)
{
	const struct tensor *x = c->in[0];
	struct lines_job job = {.in = {x->f, second}, .out = out, .add = add, .fn = fn};
	struct lines l;
	uint32_t axes;
	int rc = softmax_axes(c, x->rank, &axes);

	if (rc)
		return rc;
	lines_init(&l, x->rank, x->dims, axes);
	return lines_map(c, &l, &job);
}

static int softmax_map_grad(struct call *c, lines_fn *fn)
{
	if (!c->out_grad[0] || !c->in_grad[0])
		return 0;
	return softmax_map(c, fn, c->out_grad[0]->f, c->in_grad[0]->f, 1);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* y_i = exp(x_i - m); returns Σ y.  m, the maximum, keeps exp from overflowing and cancels out. */
static double exponentials(const double *x, size_t n, double *y, double *max)
{
	double m = x[extremum_real(x, n, 1, 0)], sum = 0;

	for (size_t i = 0; i < n; i++) {
		y[i] = exp(x[i] - m);
		sum += y[i];
	}
	*max = m;
	return sum;
}

/* y_i = exp(x_i) / Σ exp(x_j) */
void softmax_line(const void *const *in, size_t n, void *out, const void *arg)
{
	double *y = out, m, sum = exponentials(in[0], n, y, &m);

	(void)arg;
	for (size_t i = 0; i < n; i++)
		y[i] /= sum;
}

/* y_i = x_i - log Σ exp(x_j) */
void log_softmax_line(const void *const *in, size_t n, void *out, const void *arg)
{
	const double *x = in[0];
	double *y = out, m, sum = exponentials(x, n, y, &m);

	(void)arg;
	for (size_t i = 0; i < n; i++)
		y[i] = x[i] - m - log(sum);
}

/* 1 for the first maximum, 0 for all others. */
static void hardmax_line(const void *const *in, size_t n, void *out, const void *arg)
{
	double *y = out;
	size_t best = extremum_real(in[0], n, 1, 0);

	(void)arg;
	for (size_t i = 0; i < n; i++)
		y[i] = i == best;
}

/* dx_i = y_i (g_i - Σ y_j g_j) */
void softmax_line_grad(const void *const *in, size_t n, void *out, const void *arg)
{
	const double *g = in[1];
	double *dx = out, dot = 0;

	softmax_line(in, n, dx, arg);
	for (size_t i = 0; i < n; i++)
		dot += dx[i] * g[i];
	for (size_t i = 0; i < n; i++)
		dx[i] *= g[i] - dot;
}

/* dx_i = g_i - softmax_i Σ g_j */
void log_softmax_line_grad(const void *const *in, size_t n, void *out, const void *arg)
{
	const double *g = in[1];
	double *dx = out, sum = 0;

	softmax_line(in, n, dx, arg);
	for (size_t i = 0; i < n; i++)
		sum += g[i];
	for (size_t i = 0; i < n; i++)
		dx[i] = g[i] - dx[i] * sum;
}

/* Error of the sum of exponentials, relative, in roundoffs: each x_j - m is rounded before exp magnifies it, each exp
 * is good to about two, then they are added.  y holds the softmax of x. */
static double sum_noise(const double *x, const double *y, size_t n, double m)
{
	double moved = 0;

	for (size_t i = 0; i < n; i++)
		if (y[i] > 0)
			moved += y[i] * (m - x[i]);
	return moved + drift_growth_of(y, n);
}

/* s_i = y_i (2 + |x_i - m| + error of the sum) */
void softmax_line_scale(const void *const *in, size_t n, void *out, const void *arg)
{
	const double *x = in[0];
	double *s = out, m = x[extremum_real(x, n, 1, 0)], noise;

	softmax_line(in, n, s, arg);
	noise = sum_noise(x, s, n, m);
	for (size_t i = 0; i < n; i++)
		s[i] = s[i] > 0 ? s[i] * (2 + (m - x[i]) + noise) : 0;
}

/* y_i = (x_i - m) - log Σ: both are rounded, and so is their difference; libraries that take the logarithm of a softmax
 * round no worse. */
void log_softmax_line_scale(const void *const *in, size_t n, void *out, const void *arg)
{
	const double *x = in[0];
	double *s = out, m, sum, noise;

	softmax_line(in, n, s, arg);
	m = x[extremum_real(x, n, 1, 0)];
	noise = sum_noise(x, s, n, m);
	sum = exponentials(x, n, s, &m);
	for (size_t i = 0; i < n; i++) {
		double shifted = m - x[i], y = shifted + log(sum);

		s[i] = isfinite(y) ? fabs(y) + shifted + log(sum) + noise + 1 : 0;
	}
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static int softmax_eval(struct call *c)
{
	return softmax_map(c, softmax_line, NULL, c->out[0]->f, 0);
}

/* y_i (|g_i| + Σ y_j |g_j|): how far rounding moves the bracket of the gradient, which may vanish. */
static void softmax_line_grad_noise(const void *const *in, size_t n, void *out, const void *arg)
{
	const double *g = in[1];
	double *s = out, dot = 0;

	softmax_line(in, n, s, arg);
	for (size_t i = 0; i < n; i++)
		dot += s[i] * fabs(g[i]);
	for (size_t i = 0; i < n; i++)
		s[i] *= fabs(g[i]) + dot;
}

/* |g_i| + softmax_i Σ |g_j| */
static void log_softmax_line_grad_noise(const void *const *in, size_t n, void *out, const void *arg)
{
	const double *g = in[1];
	double *s = out, sum = 0;

	softmax_line(in, n, s, arg);
	for (size_t i = 0; i < n; i++)
		sum += fabs(g[i]);
	for (size_t i = 0; i < n; i++)
		s[i] = fabs(g[i]) + s[i] * sum;
}

/* The gradient, and when c->noisy asks for it what rounding inside does to it. */
static int grad_with_noise(struct call *c, lines_fn *fn, lines_fn *noise)
{
	int rc = softmax_map_grad(c, fn);
	size_t n = !rc && c->noisy && c->out_grad[0] && c->in_grad[0] ? c->in_grad[0]->count : 0;
	double *size = n ? call_scratch(c, n, sizeof *size) : NULL;

	if (rc || !n)
		return rc;
	rc = size ? softmax_map(c, noise, c->out_grad[0]->f, size, 0) : ERR_MEMORY;
	for (size_t i = 0; i < n && !rc; i++)
		c->in_grad[0]->f[i] = noisy_move(c->noisy, c->in_grad[0]->f[i], size[i]);
	return rc;
}

static int softmax_grad(struct call *c)
{
	return grad_with_noise(c, softmax_line_grad, softmax_line_grad_noise);
}

static int softmax_scale(struct call *c, int out, double *s)
{
	(void)out;
	return softmax_map(c, softmax_line_scale, NULL, s, 0);
}

static int log_softmax_eval(struct call *c)
{
	return softmax_map(c, log_softmax_line, NULL, c->out[0]->f, 0);
}

static int log_softmax_grad(struct call *c)
{
	return grad_with_noise(c, log_softmax_line_grad, log_softmax_line_grad_noise);
}

static int log_softmax_scale(struct call *c, int out, double *s)
{
	(void)out;
	return softmax_map(c, log_softmax_line_scale, NULL, s, 0);
}

static int hardmax_eval(struct call *c)
{
	return softmax_map(c, hardmax_line, NULL, c->out[0]->f, 0);
}

/* Constant almost everywhere: the gradient is zero, as in the libraries that have one. */
static int hardmax_grad(struct call *c)
{
	(void)c;
	return 0;
}

static const struct op_attr softmax_attrs[] = {OP_INT("axis", 1), OP_INT_SINCE(13, "axis", -1), {0}};

const struct op op_softmax = {
	.samples = SAMPLES({.by = &sampler_axis, .types = T_F32 | T_F64, .bound = 1}),
	.in = {{"input", T_FLOAT, 'T', 0}},
	.out = {{"output", T_FLOAT, 'T', 0}},
	.attrs = softmax_attrs,
	.infer = softmax_infer,
	.eval = softmax_eval,
	.grad = softmax_grad,
	.scale = softmax_scale,
	.floor = 0x1p-105f, /* e^x is cut off at the least normal number: 3e-38 with the limit of the judge */
};

const struct op op_log_softmax = {
	.samples = SAMPLES({.by = &sampler_axis, .types = T_F32 | T_F64}),
	.in = {{"input", T_FLOAT, 'T', 0}},
	.out = {{"output", T_FLOAT, 'T', 0}},
	.attrs = softmax_attrs,
	.infer = softmax_infer,
	.eval = log_softmax_eval,
	.grad = log_softmax_grad,
	.scale = log_softmax_scale,
};

const struct op op_hardmax = {
	.samples = SAMPLES({.by = &sampler_axis, .types = T_F32, .bound = 1}),
	.rules = RULES(DOMAIN_NAN_IN),
	.in = {{"input", T_FLOAT, 'T', 0}},
	.out = {{"output", T_FLOAT, 'T', 0}},
	.attrs = softmax_attrs,
	.infer = softmax_infer,
	.eval = hardmax_eval,
	.grad = hardmax_grad,
};
