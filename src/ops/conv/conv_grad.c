/* conv_grad.c - the gradient of Conv.
 *
 *   gX = Wᵀ gY laid back over the windows   gW = gY · (windows of X)ᵀ   gB = Σ gY
 */
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "ops/conv/conv.h"
#include "ops/engine/gemm.h"

#define REAL double
#define GEMM gemm_f64
#define CORE(name) name##_f64
#include "ops/conv/conv_core.h"
#undef REAL
#undef GEMM
#undef CORE

/* Where a column of some channel goes back to. */
struct scatter_back {
	const struct conv_plan *p;
	const double *col;
	size_t first, n;
	double *x;
};

/* Where output `rest`, a number of a line of outputs along the last axis, begins to read in the plane of a channel, as
 * the axes before the last say; negative: outside of it. */
static int64_t line_start(const struct spatial *s, const int64_t *k, size_t rest)
{
	int last = s->n - 1;
	int64_t plane = s->in[last], offset = 0;

	for (int d = last - 1; d >= 0; d--) {
		int64_t at =
			(int64_t)(rest % (size_t)s->out[d]) * s->stride[d] - s->pad_begin[d] + k[d] * s->dilation[d];

		if (at < 0 || at >= s->in[d])
			return -1;
		offset += at * plane;
		plane *= s->in[d];
		rest /= (size_t)s->out[d];
	}
	return offset;
}

/* One channel at one place of the kernel, line by line: to divide for each number would take longer than the products.
 */
static void scatter_lines(const struct scatter_back *of, const int64_t *k, const double *col, double *x)
{
	const struct spatial *s = &of->p->spatial;
	int last = s->n - 1;
	size_t width = (size_t)s->out[last];

	for (size_t j = 0; j < of->n;) {
		size_t column = (of->first + j) % width, left = of->n - j;
		size_t run = width - column < left ? width - column : left;
		int64_t start = line_start(s, k, (of->first + j) / width);
		int64_t at = (int64_t)column * s->stride[last] - s->pad_begin[last] + k[last] * s->dilation[last];

		for (size_t t = 0; start >= 0 && t < run; t++, at += s->stride[last])
			if (at >= 0 && at < s->in[last])
				x[start + at] += col[j + t];
		j += run;
	}
}

static void scatter_channels(void *arg, size_t begin, size_t end)
{
	const struct scatter_back *of = arg;
	const struct conv_plan *p = of->p;
	const double *col = of->col + begin * p->kernel_size * of->n;

	for (size_t c = begin; c < end; c++) {
		int64_t k[SPATIAL_MAX] = {0};

		for (size_t i = 0; i < p->kernel_size; i++, conv_next_offset(&p->spatial, k), col += of->n)
			scatter_lines(of, k, col, of->x + c * p->in_size);
	}
}

/* Adds col back to where fill_columns_f64 read it: the transpose of that copy. */
static void scatter_columns(const struct conv_plan *p, const double *col, size_t first, size_t n, double *x)
{
	struct scatter_back of = {p, col, first, n, x};

	parallel_for(p->group_in, 16.0 * (double)(p->kernel_size * n), scatter_channels, &of);
}

/* One sample and group: dX += Wᵀ dY scattered, dW += dY Xcolᵀ. */
void conv_grad_group(const struct conv_plan *p, const double *x, const double *w, const double *gy, double *col,
		     double *gx, double *gw)
{
	size_t rows = p->group_in * p->kernel_size;

	for (size_t first = 0; first < p->out_size; first += p->tile) {
		size_t n = p->out_size - first < p->tile ? p->out_size - first : p->tile;

		if (gw) {
			struct gemm_shape s = gemm_dense(p->group_out, rows, n, 0, 1);

			s.lda = p->out_size;
			s.add = 1;
			fill_columns_f64(p, x, first, n, 1, col);
			gemm_f64(&s, gy + first, col, gw);
		}
		if (gx) {
			struct gemm_shape s = gemm_dense(rows, n, p->group_out, 1, 0);

			s.ldb = p->out_size;
			gemm_f64(&s, w, gy + first, col);
			scatter_columns(p, col, first, n, gx);
		}
	}
}

struct conv_grads {
	struct call *c;
	const struct conv_plan *p;
	double *gx, *gw, *gb; /* NULL: not wanted */
	atomic_int failed;
};

/* A group of all samples, one after the other: they add to the same weights. */
static void grad_groups(void *arg, size_t first, size_t end)
{
	struct conv_grads *all = arg;
	const struct conv_plan *p = all->p;
	const struct call *c = all->c;
	double *col = mem_aligned(p->group_in * p->kernel_size * p->tile * sizeof *col);

	for (size_t g = first; g < end && col; g++)
		for (size_t n = 0; n < p->batch; n++) {
			size_t at_x = (n * p->channels + g * p->group_in) * p->in_size;
			size_t at_w = g * p->group_out * p->group_in * p->kernel_size;

			conv_grad_group(p, c->in[0]->f + at_x, c->in[1]->f + at_w,
					c->out_grad[0]->f + (n * p->filters + g * p->group_out) * p->out_size, col,
					all->gx ? all->gx + at_x : NULL, all->gw ? all->gw + at_w : NULL);
		}
	if (!col)
		all->failed = 1;
	mem_free(col);
}

static void grad_bias(void *arg, size_t first, size_t end)
{
	const struct conv_grads *all = arg;
	const struct conv_plan *p = all->p;

	for (size_t m = first; m < end; m++)
		for (size_t n = 0; n < p->batch; n++) {
			const double *gy = all->c->out_grad[0]->f + (n * p->filters + m) * p->out_size;

			for (size_t k = 0; k < p->out_size; k++)
				all->gb[m] += gy[k];
		}
}

int conv_grad(struct call *c)
{
	struct conv_plan p;
	struct conv_grads all = {.c = c, .p = &p};
	int rc = conv_plan_init(c, &p, 0, 1);
	double samples;

	if (rc)
		return rc;
	samples = (double)p.batch;
	all.gx = c->in_grad[0] ? c->in_grad[0]->f : NULL;
	all.gw = c->in_grad[1] ? c->in_grad[1]->f : NULL;
	all.gb = c->n_in > 2 && c->in_grad[2] ? c->in_grad[2]->f : NULL;
	parallel_for(p.groups, samples * (double)(p.group_in * p.kernel_size) * (double)(p.out_size * p.group_out),
		     grad_groups, &all);
	if (all.gb)
		parallel_for(p.filters, samples * (double)p.out_size, grad_bias, &all);
	return all.failed ? call_nomem(c, p.group_in * p.kernel_size * p.tile * sizeof(double)) : 0;
}
