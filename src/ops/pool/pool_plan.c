/* pool_plan.c - windows of pools: shapes, tables, the walk. */
#include "ops/pool/pool_plan.h"

#include <stdatomic.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "ops/attr.h"
#include "ops/kit/domain.h"

int pool_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t in[SPATIAL_MAX], dims[TENSOR_MAX_RANK] = {DIM_UNKNOWN, DIM_UNKNOWN};
	struct spatial s;
	size_t count;
	int n, rc;

	node_ints(c->node, "kernel_shape", &count);
	if (!count || count > SPATIAL_MAX)
		return call_bad(c, "attribute 'kernel_shape' has %zu numbers, wanted 1 to %d", count, SPATIAL_MAX);
	n = (int)count;
	if (x && x->rank != n + 2)
		return call_bad(c, "input has rank %d, 'kernel_shape' asks for %d", x->rank, n + 2);
	for (int i = 0; i < n; i++)
		in[i] = x ? x->dims[2 + i] : DIM_UNKNOWN;
	rc = spatial_init(c, &s, n, in, NULL, attr_int(c->node, "ceil_mode") != 0);
	if (rc)
		return rc;
	for (int i = 0; i < n + 2; i++)
		dims[i] = i >= 2 ? s.out[i - 2] : x ? x->dims[i] : DIM_UNKNOWN;
	for (int i = 0; i < c->n_out; i++)
		call_out(c, i, i ? DT_INT64 : c->in_type[0].dtype, n + 2, dims);
	return 0;
}

int pool_global_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK];

	if (!x) {
		call_out_rank(c, 0, c->in_type[0].dtype, -1);
		return 0;
	}
	if (x->rank < 2)
		return call_bad(c, "input has rank %d, wanted at least 2", x->rank);
	for (int i = 0; i < x->rank; i++)
		dims[i] = i < 2 ? x->dims[i] : 1;
	call_out(c, 0, c->in_type[0].dtype, x->rank, dims);
	return 0;
}

/* One axis of `plane` elements under one window. */
static void whole_plane(struct spatial *s, size_t plane)
{
	*s = (struct spatial){.n = 1};
	s->in[0] = s->kernel[0] = (int64_t)plane;
	s->stride[0] = s->dilation[0] = s->out[0] = 1;
}

/* Positions of window o along axis i that lie in front of the end of the padding. */
static int64_t padded_count(const struct spatial *s, int i, int64_t o)
{
	int64_t room = s->in[i] + s->pad_begin[i] + s->pad_end[i] - o * s->stride[i];
	int64_t n = room > 0 ? (room + s->dilation[i] - 1) / s->dilation[i] : 0;

	return n < s->kernel[i] ? n : s->kernel[i];
}

int pool_plan(struct call *c, struct pool *p, int global)
{
	const struct tensor *x = c->in[0];
	struct spatial *s = &p->s;
	int last, rc = 0;
	size_t width;

	p->planes = dims_product(x->dims, 0, 2);
	p->in_plane = dims_product(x->dims, 2, x->rank);
	if (global)
		whole_plane(s, p->in_plane);
	else
		rc = spatial_init(c, s, x->rank - 2, x->dims + 2, NULL, attr_int(c->node, "ceil_mode") != 0);
	if (rc)
		return rc;
	p->out_plane = dims_product(s->out, 0, s->n);
	last = s->n - 1;
	width = (size_t)s->out[last];
	p->rows = 1;
	for (int i = 0; i < last; i++) /* no more rows than the window and the input have */
		p->rows *= (size_t)(s->kernel[i] < s->in[i] ? s->kernel[i] : s->in[i]);
	p->first = call_scratch(c, width, sizeof *p->first);
	p->count = call_scratch(c, width, sizeof *p->count);
	p->padded = call_scratch(c, width, sizeof *p->padded);
	if (!p->first || !p->count || !p->padded)
		return ERR_MEMORY;
	for (size_t o = 0; o < width; o++) {
		int64_t first, end;

		spatial_clip(s, last, (int64_t)o, &first, &end);
		p->first[o] = (int64_t)o * s->stride[last] - s->pad_begin[last] + first * s->dilation[last];
		p->count[o] = end - first;
		p->padded[o] = padded_count(s, last, (int64_t)o);
	}
	return 0;
}

/* Offsets `start` of the input rows under the windows at outer position o[0 … n-2]: all combinations of the rows that
 * each outer axis has inside the input. */
static void find_rows(const struct pool *p, const int64_t *o, int64_t *start, struct pool_row *row)
{
	const struct spatial *s = &p->s;
	size_t n = 1;

	start[0] = 0;
	row->padded_rows = 1;
	for (int i = 0; i < s->n - 1; i++)
		row->padded_rows *= padded_count(s, i, o[i]);
	for (int i = 0; i < s->n - 1; i++) {
		int64_t first, end, step = (int64_t)dims_product(s->in, i + 1, s->n);
		size_t inside;

		spatial_clip(s, i, o[i], &first, &end);
		inside = (size_t)(end - first);
		/* from the back, so that what is read has not been overwritten */
		for (size_t j = n * inside; j-- > 0;) {
			int64_t k = first + (int64_t)(j % inside);
			int64_t at = o[i] * s->stride[i] - s->pad_begin[i] + k * s->dilation[i];

			start[j] = start[j / inside] + at * step;
		}
		n *= inside;
	}
	row->start = start;
	row->n_start = n;
}

struct walk {
	const struct pool *p;
	pool_row_fn *fn;
	void *arg;
	atomic_int failed;
};

static void walk_planes(void *arg, size_t first, size_t end)
{
	struct walk *w = arg;
	const struct pool *p = w->p;
	const struct spatial *s = &p->s;
	int last = s->n - 1;
	struct pool_row row = {.width = s->out[last],
			       .first = p->first,
			       .count = p->count,
			       .step = s->dilation[last],
			       .padded = p->padded};
	int64_t *start = mem_array(p->rows + 1, sizeof *start);

	for (size_t plane = first; plane < end && start; plane++) {
		int64_t o[SPATIAL_MAX] = {0};

		row.in = plane * p->in_plane;
		for (size_t at = 0; at < p->out_plane; at += (size_t)row.width) {
			row.out = plane * p->out_plane + at;
			find_rows(p, o, start, &row);
			w->fn(&row, w->arg);
			for (int i = last - 1; i >= 0 && ++o[i] == s->out[i]; i--)
				o[i] = 0;
		}
	}
	if (!start)
		w->failed = 1;
	mem_free(start);
}

int pool_walk(struct call *c, const struct pool *p, pool_row_fn *fn, void *arg)
{
	struct walk w = {.p = p, .fn = fn, .arg = arg};
	double window = (double)p->rows;

	if (!p->out_plane)
		return 0;
	window *= (double)p->s.kernel[p->s.n - 1];
	parallel_for(p->planes, (double)p->out_plane * (window + 4) * (c->lanes ? c->lanes : 1), walk_planes, &w);
	return w.failed ? call_nomem(c, (p->rows + 1) * sizeof(int64_t)) : 0;
}

/* ---- what a smaller case must not come to mean ------------------------------------------------------------------- */

/* A window that begins in the padding at the end, or has nothing in it but padding. */
static int is_outside(const struct spatial *s, int i, int ceil_mode)
{
	int64_t room = s->in[i] + s->pad_begin[i] + s->pad_end[i] - domain_extent(s, i), first, end;
	int64_t last = room > 0 ? (room + s->stride[i] - 1) / s->stride[i] * s->stride[i] : 0;

	if (ceil_mode && last >= s->in[i] + s->pad_begin[i])
		return 1;
	for (int64_t o = 0; o < s->out[i]; o++) {
		spatial_clip(s, i, o, &first, &end);
		if (first >= end)
			return 1;
	}
	return 0;
}

int pool_window_empty(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	struct spatial s;
	int64_t first, end;

	(void)in;
	if ((r->attr && attr_int(n, r->attr)) || !domain_windows(n, attr_int(n, "ceil_mode") != 0, &s))
		return 0;
	for (int i = 0; i < s.n; i++)
		for (int64_t o = 0; o < s.out[i]; o++) {
			spatial_clip(&s, i, o, &first, &end);
			if (first >= end)
				return 1;
		}
	return 0;
}

int pool_window_outside(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	int ceil_mode = attr_int(n, "ceil_mode") != 0;
	struct spatial s;

	(void)in;
	(void)r;
	if (!domain_windows(n, ceil_mode, &s))
		return 0;
	for (int i = 0; i < s.n; i++)
		if (is_outside(&s, i, ceil_mode))
			return 1;
	return 0;
}
