/* norm.c - see norm.h. */
#include "ops/norm/norm.h"

#include <math.h>
#include <string.h>

#include "ops/noise/noisy.h"

struct line_stats {
	double mean, var, sigma, inv;
	double size; /* Σ |x| / n */
};

void norm_init(struct norm *n, int rank, const int64_t *dims, uint32_t axes, double epsilon)
{
	memset(n, 0, sizeof *n);
	n->rank = rank;
	memcpy(n->dims, dims, (size_t)rank * sizeof *dims);
	n->axes = axes;
	n->centred = 1;
	n->epsilon = epsilon;
	n->widen = 1;
	lines_init(&n->lines, rank, dims, axes);
}

/* Σ i_a * strides[a] over the axes in `axes`, for all their indices in row-major order. */
static size_t *index_table(struct call *c, const struct norm *n, uint32_t axes, size_t count, const int64_t *strides)
{
	size_t *table = call_scratch(c, count ? count : 1, sizeof *table);
	size_t filled = 1;

	if (!table || !count)
		return table;
	for (int a = 0; a < n->rank; a++) {
		size_t size = (size_t)n->dims[a];

		if (!(axes >> a & 1))
			continue;
		for (size_t j = filled * size; j-- > 0;)
			table[j] = table[j / size] + j % size * (size_t)strides[a];
		filled *= size;
	}
	return table;
}

int norm_set_param(struct call *c, const struct norm *n, struct norm_param *p, const double *at, const int64_t *strides)
{
	p->at = at;
	p->across = index_table(c, n, ~n->axes, n->lines.count, strides);
	p->along = index_table(c, n, n->axes, n->lines.length, strides);
	return p->across && p->along ? 0 : ERR_MEMORY;
}

static enum dtype inside_of(const struct call *c, const struct norm *n)
{
	return n->inside ? n->inside : c->out_type[0].dtype;
}

/* What the squares of a line lose when they are added up, in roundoffs of the sum. */
static double lost_by_squares(const struct norm *n)
{
	double length = (double)n->lines.length;

	return fmax(noise_growth(length), noise_growth_in_order(length));
}

/* Whether rounding may take all of a variance: below 0 it has no root.  E(x²) - E(x)² loses it where it is small beside
 * the mean's square; any algorithm does where numbers differ by their own roundings alone. */
static int is_lost(const struct call *c, const struct norm *n, const struct line_stats *s)
{
	double u = dtype_roundoff(inside_of(c, n)), share = c->one_pass ? 4 * lost_by_squares(n) * u : 16 * u * u;

	return s->var + n->epsilon < share * (s->var + s->mean * s->mean);
}

static struct line_stats line_stats(const struct call *c, const struct norm *n, const double *x)
{
	struct line_stats s = {0};
	enum dtype inside = inside_of(c, n);
	size_t count = n->lines.length;
	double sum = 0, size = 0, squares = 0;

	for (size_t j = 0; j < count; j++) {
		sum += x[j];
		size += fabs(x[j]);
	}
	s.mean = n->centred ? call_held(c, inside, sum) / (double)count : 0;
	s.size = size / (double)count;
	for (size_t j = 0; j < count; j++)
		squares += (x[j] - s.mean) * (x[j] - s.mean);
	s.var = call_held(c, inside, squares) / (double)count;
	if (c->range == OP_RANGE_LOST && is_lost(c, n, &s))
		s.var = (double)NAN;
	s.sigma = sqrt(s.var + n->epsilon);
	s.inv = 1 / (s.sigma + n->outside);
	return s;
}

static double param(const struct norm_param *p, size_t k, size_t j, double otherwise)
{
	return p->at ? p->at[p->across[k] + p->along[j]] : otherwise;
}

static void store(const struct norm_moments *m, size_t k, double mean, double var, double inv)
{
	if (!m)
		return;
	if (m->mean)
		m->mean[k] = mean;
	if (m->var)
		m->var[k] = var;
	if (m->inv)
		m->inv[k] = inv;
}

struct norm_pass {
	struct call *c;
	const struct norm *n;
	const double *x;
	double *y; /* NULL: not wanted */
	const struct norm_moments *m;
};

static void forward_line(void *arg, size_t k, double *buf)
{
	const struct norm_pass *p = arg;
	const struct norm *n = p->n;
	const double *line = lines_read(&n->lines, p->x, k, buf);
	struct line_stats s = line_stats(p->c, n, line);
	double *out = buf + n->lines.length;

	store(p->m, k, s.mean, s.var, s.inv);
	if (!p->y)
		return;
	for (size_t j = 0; j < n->lines.length; j++)
		out[j] = (line[j] - s.mean) * s.inv * param(&n->scale, k, j, 1) + param(&n->bias, k, j, 0);
	lines_write(&n->lines, p->y, k, out);
}

int norm_forward(struct call *c, const struct norm *n, const double *x, double *y, const struct norm_moments *m)
{
	return lines_each(c, &n->lines, 2, forward_line, &(struct norm_pass){c, n, x, y, m});
}

/* How far rounding moves a variance, in roundoffs.  Two passes: each square is rounded, and the mean is off by `off`,
 * which is squared.  Welford's recurrence is off by √(1 + mean²/var) such roundings, and is as good.  One pass: both
 * terms of E(x²) - E(x)² are rounded, however little is left of them. */
static double off_of_variance(const struct call *c, const struct norm *n, const struct line_stats *s, double off)
{
	double growth = noise_growth((double)n->lines.length), u = dtype_roundoff(inside_of(c, n));
	double stable = growth * s->var + 2 * growth * sqrt(s->var) * s->size + u * off * off;

	return c->one_pass ? stable + lost_by_squares(n) * s->mean * s->mean : stable;
}

/* The same of 1 / sigma, as a share of it.  A variance that is lost may be 0. */
static double off_of_inverse(const struct call *c, const struct norm *n, const struct line_stats *s, double var_off)
{
	double off = var_off / (2 * s->sigma * s->sigma + 1e-300), u = dtype_roundoff(inside_of(c, n));

	return c->one_pass && is_lost(c, n, s)
		       ? fmax(off, (s->sigma + n->outside) / ((sqrt(n->epsilon) + n->outside) * u))
		       : off;
}

static void noise_line(void *arg, size_t k, double *buf)
{
	const struct norm_pass *p = arg;
	const struct norm *n = p->n;
	size_t length = n->lines.length;
	const double *line = lines_read(&n->lines, p->x, k, buf);
	struct line_stats s = line_stats(p->c, n, line);
	double growth = noise_growth((double)length), in_order = noise_growth_in_order((double)length), w = n->widen;
	double off = n->centred ? fmax(growth * s.size, in_order * fabs(s.mean)) : 0;
	double var_off = off_of_variance(p->c, n, &s, off), inv_off = off_of_inverse(p->c, n, &s, var_off);
	double *out = buf + length;

	store(p->m, k, w * off, w * var_off, w * s.inv * (2 + inv_off));
	if (!p->y)
		return;
	for (size_t j = 0; j < length; j++) {
		double centred = fabs(line[j] - s.mean);
		double moved = fabs(line[j]) + fabs(s.mean) + off + (2 + growth + inv_off) * centred;

		out[j] = w * (moved * s.inv * fabs(param(&n->scale, k, j, 1)) + fabs(param(&n->bias, k, j, 0)));
	}
	lines_write(&n->lines, p->y, k, out);
}

/* The mean is off by growth(n) * Σ|x|/n, or as a sum in order is; the variance as that of a stable algorithm is, though
 * ONNX's own function bodies (of layer, group and mean-variance normalization) have it as E(x²) - E(x)²: what that
 * loses is told apart (c->one_pass); y inherits both beside its own terms. */
int norm_noise(struct call *c, const struct norm *n, const double *x, double *y, const struct norm_moments *m)
{
	return lines_each(c, &n->lines, 2, noise_line, &(struct norm_pass){c, n, x, y, m});
}

/* With h = dL/dy * scale, xc = x - mean and n elements:
 *
 *     dL/dx = inv * (h - mean(h)) - xc * inv^2 / sigma * mean(h * xc)      (no mean(h) when not centred)
 *           + dL/dmean / n + 2 * xc / n * dL/dvar - xc * inv^2 / (n * sigma) * dL/dinv */
static void backward_x(const struct norm *n, const struct line_stats *s, const struct norm_grads *g, size_t k,
		       const double *x, const double *h, double *out)
{
	double count = (double)n->lines.length, sum = 0, dot = 0, linear, constant;

	for (size_t j = 0; j < n->lines.length; j++) {
		sum += h[j];
		dot += h[j] * (x[j] - s->mean);
	}
	linear = s->sigma > 0 ? -(dot + (g->inv ? g->inv[k] : 0)) * s->inv * s->inv / (s->sigma * count) : 0;
	linear += g->var ? 2 * g->var[k] / count : 0;
	constant = n->centred ? ((g->mean ? g->mean[k] : 0) - s->inv * sum) / count : 0;
	for (size_t j = 0; j < n->lines.length; j++)
		out[j] = s->inv * h[j] + constant + linear * (x[j] - s->mean);
}

/* The terms of dL/dx cancel, all of them in a line of two elements: libraries round each. */
static void round_terms(struct noisy *noisy, const struct norm *n, const struct line_stats *s, const double *x,
			const double *h, double *out)
{
	double count = (double)n->lines.length, sum = 0, dot = 0, linear;

	for (size_t j = 0; j < n->lines.length; j++) {
		sum += fabs(h[j]);
		dot += fabs(h[j] * (x[j] - s->mean));
	}
	linear = s->sigma > 0 ? dot * s->inv * s->inv / (s->sigma * count) : 0;
	for (size_t j = 0; j < n->lines.length; j++)
		out[j] = noisy_move(noisy, out[j], s->inv * (fabs(h[j]) + sum / count) + linear * fabs(x[j] - s->mean));
}

int norm_backward(struct call *c, const struct norm *n, const double *x, const struct norm_grads *g)
{
	size_t length = n->lines.length;
	double *x_buf = call_scratch(c, length, sizeof *x_buf), *g_buf = call_scratch(c, length, sizeof *g_buf);
	double *h = call_scratch(c, length, sizeof *h), *out = call_scratch(c, length, sizeof *out);

	if (!x_buf || !g_buf || !h || !out)
		return ERR_MEMORY;
	for (size_t k = 0; k < n->lines.count; k++) {
		const double *line = lines_read(&n->lines, x, k, x_buf);
		const double *gy = g->y ? lines_read(&n->lines, g->y, k, g_buf) : g_buf;
		struct line_stats s = line_stats(c, n, line);
		double mean = c->noisy ? noisy_round(c->noisy, s.mean, 1) : s.mean;

		for (size_t j = 0; j < length; j++) {
			h[j] = gy[j] * param(&n->scale, k, j, 1);
			if (g->scale)
				g->scale[n->scale.across[k] + n->scale.along[j]] += gy[j] * (line[j] - mean) * s.inv;
			if (g->bias)
				g->bias[n->bias.across[k] + n->bias.along[j]] += gy[j];
		}
		if (!g->x)
			continue;
		backward_x(n, &s, g, k, line, h, out);
		if (c->noisy)
			round_terms(c->noisy, n, &s, line, h, out);
		lines_add(&n->lines, g->x, k, out);
	}
	return 0;
}
