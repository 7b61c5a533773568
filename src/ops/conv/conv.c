/* conv.c - Conv (1, 11, 22): n-dimensional, grouped, dilated.
 *
 *   X [N, C, in…]   W [M, C/g, kernel…]   B [M]   Y [N, M, out…]
 *   Y[n, m, o] = B[m] + Σ_{c,k} W[m, c, k] · X[n, c, o·stride - pad + k·dilation]
 */
#include "ops/conv/conv.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ops/conv/samplers.h"
#include "ops/engine/gemm.h"
#include "ops/kit/domain.h"
#include "ops/noise/step.h"

#define TILE_ELEMENTS ((size_t)1 << 18)  /* of the column matrix: stays in the second-level cache */
#define CACHE_ELEMENTS ((size_t)3 << 16) /* of panels and what they are multiplied to: they share that cache */
#define TILE_LEAST ((size_t)48)          /* columns: fewer make a poor matrix product */

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static int check_channels(struct call *c, const struct type *x, const struct type *w, int b)
{
	int64_t groups = attr_int(c->node, "group");
	const struct type *bias = call_shape(c, b);

	if (groups < 1)
		return call_bad(c, "group is %lld, wanted at least 1", (long long)groups);
	if (x->dims[1] >= 0 && x->dims[1] % groups)
		return call_bad(c, "%lld channels do not divide into %lld groups", (long long)x->dims[1],
				(long long)groups);
	if (w->dims[0] >= 0 && w->dims[0] % groups)
		return call_bad(c, "%lld filters do not divide into %lld groups", (long long)w->dims[0],
				(long long)groups);
	if (x->dims[1] >= 0 && w->dims[1] >= 0 && x->dims[1] / groups != w->dims[1])
		return call_bad(c, "W has %lld channels a group, X has %lld", (long long)w->dims[1],
				(long long)(x->dims[1] / groups));
	if (bias && (bias->rank != 1 || (bias->dims[0] >= 0 && w->dims[0] >= 0 && bias->dims[0] != w->dims[0])))
		return call_bad(c, "the bias must have one element a filter (%lld)", (long long)w->dims[0]);
	return 0;
}

int conv_infer_at(struct call *c, int xi, int wi, int bi)
{
	const struct type *x = call_shape(c, xi), *w = call_shape(c, wi);
	int64_t dims[TENSOR_MAX_RANK];
	struct spatial s;
	int rc;

	if (!x || !w) {
		call_out_rank(c, 0, c->out_type[0].dtype, x ? x->rank : w ? w->rank : -1);
		return 0;
	}
	if (x->rank < 3 || x->rank - 2 > SPATIAL_MAX)
		return call_bad(c, "X has rank %d, wanted 3 to %d", x->rank, SPATIAL_MAX + 2);
	if (w->rank != x->rank)
		return call_bad(c, "W has rank %d, X has rank %d", w->rank, x->rank);
	rc = check_channels(c, x, w, bi);
	if (!rc)
		rc = spatial_init(c, &s, x->rank - 2, x->dims + 2, w->dims + 2, 0);
	if (rc)
		return rc;
	dims[0] = x->dims[0];
	dims[1] = w->dims[0];
	memcpy(dims + 2, s.out, (size_t)s.n * sizeof *dims);
	call_out(c, 0, c->out_type[0].dtype, x->rank, dims);
	return 0;
}

static int conv_infer(struct call *c)
{
	return conv_infer_at(c, 0, 1, 2);
}

static int is_pointwise(const struct spatial *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->kernel[i] != 1 || s->stride[i] != 1 || s->pad_begin[i] || s->pad_end[i])
			return 0;
	return 1;
}

int conv_plan_init(struct call *c, struct conv_plan *p, int xi, int wi)
{
	const struct tensor *x = c->in[xi], *w = c->in[wi];
	int rc = spatial_init(c, &p->spatial, x->rank - 2, x->dims + 2, w->dims + 2, 0);

	if (rc)
		return rc;
	p->batch = (size_t)x->dims[0];
	p->channels = (size_t)x->dims[1];
	p->filters = (size_t)w->dims[0];
	p->groups = (size_t)attr_int(c->node, "group");
	p->group_in = p->channels / p->groups;
	p->group_out = p->filters / p->groups;
	p->in_size = dims_product(x->dims, 2, x->rank);
	p->out_size = dims_product(p->spatial.out, 0, p->spatial.n);
	p->kernel_size = dims_product(w->dims, 2, w->rank);
	p->pointwise = is_pointwise(&p->spatial);
	conv_plan_tile(p);
	return 0;
}

void conv_plan_tile(struct conv_plan *p)
{
	size_t rows = p->group_in * p->kernel_size;

	p->tile = rows ? TILE_ELEMENTS / rows : p->out_size;
	if (p->tile < TILE_LEAST)
		p->tile = TILE_LEAST;
	if (p->tile > p->out_size || p->pointwise)
		p->tile = p->out_size ? p->out_size : 1;
}

void conv_next_offset(const struct spatial *s, int64_t *k)
{
	for (int d = s->n - 1; d >= 0; d--) {
		if (++k[d] < s->kernel[d])
			return;
		k[d] = 0;
	}
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

#define REAL double
#define GEMM gemm_f64
#define CORE(name) name##_f64
#include "ops/conv/conv_core.h"
#undef REAL
#undef GEMM
#undef CORE

size_t conv_column_count(const struct conv_plan *p)
{
	return p->pointwise ? 0 : p->group_in * p->kernel_size * p->tile;
}

void conv_sample(const struct conv_plan *p, const double *x, const double *w, double *col, double *y)
{
	conv_sample_f64(p, x, w, 1, col, y);
}

/* One row of columns into its place in each panel. */
static void row_to_panels(const double *row, size_t n, size_t rows, double *to)
{
	for (; n >= GEMM_PANEL; n -= GEMM_PANEL, row += GEMM_PANEL, to += rows * GEMM_PANEL)
		memcpy(to, row, GEMM_PANEL * sizeof *to); /* a constant size: two or four vector moves */
	if (!n)
		return;
	memcpy(to, row, n * sizeof *to);
	memset(to + n, 0, (GEMM_PANEL - n) * sizeof *to);
}

/* Row `index` of the column matrix: the channel, and the offset into the kernel. */
static size_t row_of_columns(const struct conv_plan *p, size_t index, int64_t *k)
{
	size_t rest = index % p->kernel_size;

	for (int d = p->spatial.n - 1; d >= 0; d--) {
		k[d] = (int64_t)(rest % (size_t)p->spatial.kernel[d]);
		rest /= (size_t)p->spatial.kernel[d];
	}
	return index / p->kernel_size;
}

/* A piece of the column matrix. */
struct conv_columns {
	size_t k, rows;  /* rows [k, k + rows) */
	size_t first, n; /* columns [first, first + n) */
};

/* A piece as panels; `row` has room for its columns. */
static void fill_panels(const struct conv_plan *p, const double *x, const struct conv_columns *at, double *row,
			double *panels)
{
	int64_t k[SPATIAL_MAX] = {0};

	for (size_t i = 0; i < at->rows; i++, panels += GEMM_PANEL) {
		const double *channel = x + row_of_columns(p, at->k + i, k) * p->in_size;

		if (!p->pointwise)
			fill_row_f64(&p->spatial, channel, k, at->first, at->n, 1, row);
		row_to_panels(p->pointwise ? channel + at->first : row, at->n, at->rows, panels);
	}
}

static int worth_panels(const struct conv_plan *p)
{
	return p->group_out >= 8 && p->group_in && p->kernel_size;
}

/* Output positions handled at once: the panels of GEMM_DEPTH rows and what they are multiplied to share the
 * second-level cache.  Tiles are of about the same size. */
static size_t panel_tile(const struct conv_plan *p)
{
	size_t most = CACHE_ELEMENTS / (GEMM_DEPTH + p->group_out), tiles;

	most = most < 4 * GEMM_PANEL ? 4 * GEMM_PANEL : most;
	tiles = (p->out_size + most - 1) / most;
	return tiles ? (p->out_size / tiles + GEMM_PANEL) / GEMM_PANEL * GEMM_PANEL : GEMM_PANEL;
}

/* Group i of all groups of all samples, output positions [first, first + n): bias, and what follows. */
static void finish_tile(struct call *c, const struct conv_plan *p, size_t i, size_t first, size_t n)
{
	const struct tensor *bias = c->n_in > 2 ? c->in[2] : NULL;

	for (size_t m = i * p->group_out; m < (i + 1) * p->group_out; m++) {
		double *y = c->out[0]->f + m * p->out_size + first;

		for (size_t k = 0; bias && k < n; k++)
			y[k] += bias->f[m % p->filters];
		if (c->steps)
			steps_apply(c->steps, m * p->out_size + first, n, y, NULL);
	}
}

/* Group i of all groups of all samples; `panels` has room for those of a tile and one row more. */
static void panel_group(struct call *c, const struct conv_plan *p, size_t i, double *panels)
{
	size_t rows = p->group_in * p->kernel_size, tile = panel_tile(p);
	const double *x = c->in[0]->f + i * p->group_in * p->in_size;
	double *y = c->out[0]->f + i * p->group_out * p->out_size, *row = panels + GEMM_DEPTH * tile;
	struct reals w = reals_at(reals_of(c->in[1]), i % p->groups * p->group_out * rows);

	for (size_t first = 0; first < p->out_size; first += tile) {
		size_t n = p->out_size - first < tile ? p->out_size - first : tile;

		for (size_t k = 0; k < rows; k += GEMM_DEPTH) {
			struct conv_columns at = {k, rows - k < GEMM_DEPTH ? rows - k : GEMM_DEPTH, first, n};

			fill_panels(p, x, &at, row, panels);
			gemm_panels(&(struct gemm_panels){.m = p->group_out,
							  .n = n,
							  .k = at.rows,
							  .a = reals_at(w, k),
							  .lda = rows,
							  .panels = panels,
							  .add = k > 0,
							  .c = y + first,
							  .ldc = p->out_size});
		}
		finish_tile(c, p, i, first, n);
	}
}

static int panel_samples(struct call *c, const struct conv_plan *p)
{
	size_t size = (GEMM_DEPTH + 1) * panel_tile(p);
	double *panels = mem_aligned(size * sizeof *panels);

	if (!panels)
		return call_nomem(c, size * sizeof *panels);
	for (size_t i = 0; i < p->batch * p->groups; i++)
		panel_group(c, p, i, panels);
	mem_free(panels);
	return 0;
}

static int plain_samples(struct call *c, const struct conv_plan *p)
{
	struct tensor *w = tensor_widen(c->in[1], c->err);
	double *col = mem_aligned(conv_column_count(p) * sizeof *col);
	int rc = !w ? c->err->code : col ? 0 : call_nomem(c, conv_column_count(p) * sizeof *col);

	for (size_t n = 0; n < p->batch && !rc; n++)
		conv_sample(p, c->in[0]->f + n * p->channels * p->in_size, w->f, col,
			    c->out[0]->f + n * p->filters * p->out_size);
	for (size_t i = 0; i < p->batch * p->groups && !rc; i++)
		finish_tile(c, p, i, 0, p->out_size);
	tensor_unref(w);
	mem_free(col);
	return rc;
}

static int conv_eval(struct call *c)
{
	struct conv_plan p;
	int rc = conv_plan_init(c, &p, 0, 1);

	if (!rc)
		rc = worth_panels(&p) ? panel_samples(c, &p) : plain_samples(c, &p);
	if (c->steps)
		c->steps->done = 1;
	return rc;
}

/* ---- gradient ---------------------------------------------------------------------------------------------------- */

/* Adds col back to where fill_columns_f64 read it: the transpose of that copy. */
static void scatter_columns(const struct conv_plan *p, const double *col, size_t first, size_t n, double *x)
{
	const struct spatial *s = &p->spatial;

	for (size_t c = 0; c < p->group_in; c++) {
		int64_t k[SPATIAL_MAX] = {0};

		for (size_t i = 0; i < p->kernel_size; i++, conv_next_offset(s, k))
			for (size_t j = 0; j < n; j++) {
				size_t rest = first + j, plane = 1, offset = 0;
				int inside = 1;

				for (int d = s->n - 1; d >= 0; d--) {
					int64_t at = (int64_t)(rest % (size_t)s->out[d]) * s->stride[d] -
						     s->pad_begin[d] + k[d] * s->dilation[d];

					inside &= at >= 0 && at < s->in[d];
					offset += inside ? (size_t)at * plane : 0;
					plane *= (size_t)s->in[d];
					rest /= (size_t)s->out[d];
				}
				if (inside)
					x[c * p->in_size + offset] += *col;
				col++;
			}
	}
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

static int conv_grad(struct call *c)
{
	const double *gy = c->out_grad[0]->f;
	double *gx = c->in_grad[0] ? c->in_grad[0]->f : NULL, *gw = c->in_grad[1] ? c->in_grad[1]->f : NULL;
	double *gb = c->n_in > 2 && c->in_grad[2] ? c->in_grad[2]->f : NULL, *col;
	struct conv_plan p;
	int rc = conv_plan_init(c, &p, 0, 1);
	size_t columns;

	if (rc)
		return rc;
	columns = p.group_in * p.kernel_size * p.tile;
	col = mem_aligned(columns * sizeof *col);
	if (!col)
		return call_nomem(c, columns * sizeof *col);
	for (size_t n = 0; n < p.batch; n++)
		for (size_t g = 0; g < p.groups; g++) {
			size_t at_x = (n * p.channels + g * p.group_in) * p.in_size;
			size_t at_w = g * p.group_out * p.group_in * p.kernel_size;

			conv_grad_group(&p, c->in[0]->f + at_x, c->in[1]->f + at_w,
					gy + (n * p.filters + g * p.group_out) * p.out_size, col, gx ? gx + at_x : NULL,
					gw ? gw + at_w : NULL);
		}
	for (size_t i = 0; gb && i < p.batch * p.filters; i++)
		for (size_t k = 0; k < p.out_size; k++)
			gb[i % p.filters] += gy[i * p.out_size + k];
	mem_free(col);
	return 0;
}

/* Each output is a sum over one filter. */
static double conv_work(const struct call *c)
{
	const struct type *w = &c->in_type[1];

	return w->rank > 0 && w->dims[0] > 0 ? call_elements(&c->out_type[0]) * call_elements(w) / (double)w->dims[0]
					     : 0;
}

const struct op op_conv = {
	.samples = SAMPLES({.by = &sampler_conv, .types = T_F32},
			   {.name = "Depthwise", .by = &sampler_depthwise, .types = T_F32}),
	.rules = RULES({.broken = domain_jumps}),
	.in = {{"X", T_FLOAT, 'T', 0}, {"W", T_FLOAT, 'T', PORT_PACKED}, {"B", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs =
		(const struct op_attr[]){
			OP_CONV_ATTRS,
			{0},
		},
	.infer = conv_infer,
	.eval = conv_eval,
	.flags = OP_MONOMIALS | OP_PRODUCTS,
	.grad = conv_grad,
	.scale = conv_scale,
	.delta = conv_delta,
	.work = conv_work,
};
