/* conv.c - Conv (1, 11, 22): n-dimensional, grouped, dilated.
 *
 *   X [N, C, in…]   W [M, C/g, kernel…]   B [M]   Y [N, M, out…]
 *   Y[n, m, o] = B[m] + Σ_{c,k} W[m, c, k] · X[n, c, o·stride - pad + k·dilation]
 */
#include "ops/conv/conv.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "ops/conv/samplers.h"
#include "ops/engine/gemm.h"
#include "ops/kit/domain.h"
#include "ops/noise/step.h"

#define TILE_ELEMENTS ((size_t)1 << 18)  /* of the column matrix: stays in the second-level cache */
#define CACHE_ELEMENTS ((size_t)3 << 16) /* of panels and what they are multiplied to: they share that cache */
#define TILE_LEAST ((size_t)48)          /* columns: fewer make a poor matrix product */
#define TILES_ENOUGH ((size_t)12)        /* for threads; of fewer they share each one */
#define PART_FILTERS ((size_t)48)        /* of a tile that they share, at most */
#define PART_COLUMNS ((size_t)160)       /* likewise */
#define CUT_LAST ((size_t)4)             /* one in so many parts, the last ones, is cut into so many pieces */
#define FILL_ROWS ((size_t)32)           /* of its columns that one fills; GEMM_DEPTH is a multiple */
#define PART_ALIGN ((size_t)12)          /* filters: what kernels multiply at once */

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
	for (size_t g = 0; g < p->groups; g++)
		conv_group_f64(p, x + g * p->group_in * p->in_size, w + g * p->group_out * p->group_in * p->kernel_size,
			       1, col, y + g * p->group_out * p->out_size);
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
	size_t depth;    /* rows of the panels that they are a part of */
};

/* Of the panels that begin at row k. */
static size_t panel_depth(const struct conv_plan *p, size_t k)
{
	size_t left = p->group_in * p->kernel_size - k;

	return left < GEMM_DEPTH ? left : GEMM_DEPTH;
}

/* A piece as panels; `row` has room for its columns. */
static void fill_panels(const struct conv_plan *p, const double *x, const struct conv_columns *at, double *row,
			double *panels)
{
	int64_t k[SPATIAL_MAX] = {0};

	for (size_t i = 0; i < at->rows; i++, panels += GEMM_PANEL) {
		const double *channel = x + row_of_columns(p, at->k + i, k) * p->in_size;

		if (!p->pointwise)
			fill_row_f64(&p->spatial, channel, k, at->first, at->n, 1, row);
		row_to_panels(p->pointwise ? channel + at->first : row, at->n, at->depth, panels);
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

static size_t up(size_t x, size_t step)
{
	return (x + step - 1) / step * step;
}

/* Tiles that are smaller, where threads then have enough of them and need not share each one: they fill and multiply
 * what is in their own cache, and do not wait for each other in between. */
static size_t tile_of_thread(const struct conv_plan *p, size_t tile)
{
	size_t groups = p->batch * p->groups, small = up(groups * p->out_size / (2 * TILES_ENOUGH) + 1, GEMM_PANEL);

	small = small < PART_COLUMNS ? PART_COLUMNS : small;
	return small < tile && groups * ((p->out_size + small - 1) / small) >= TILES_ENOUGH ? small : tile;
}

/* A part of the output: some filters of a group, at some positions. */
struct conv_part {
	size_t group;          /* of all groups of all samples */
	size_t filter, height; /* filters [filter, filter + height) of the group */
	size_t first, n;       /* output positions [first, first + n) */
};

/* Bias, and what follows. */
static void finish_part(struct call *c, const struct conv_plan *p, const struct conv_part *at)
{
	const struct tensor *bias = c->n_in > 2 ? c->in[2] : NULL;
	size_t begin = at->group * p->group_out + at->filter;

	for (size_t m = begin; m < begin + at->height; m++) {
		double *y = c->out[0]->f + m * p->out_size + at->first;

		for (size_t k = 0; bias && k < at->n; k++)
			y[k] += bias->f[m % p->filters];
		if (c->steps)
			steps_apply(c->steps, m * p->out_size + at->first, at->n, y, NULL);
	}
}

/* Rows [k, k + rows) of the column matrix; `panels` are theirs at those positions. */
static void multiply_part(struct call *c, const struct conv_plan *p, const struct conv_part *at, size_t k, size_t rows,
			  const double *panels)
{
	size_t terms = p->group_in * p->kernel_size, filter = at->group % p->groups * p->group_out + at->filter;

	gemm_panels(&(struct gemm_panels){.m = at->height,
					  .n = at->n,
					  .k = rows,
					  .a = reals_at(reals_of(c->in[1]), filter * terms + k),
					  .lda = terms,
					  .panels = panels,
					  .add = k > 0,
					  .c = c->out[0]->f + (at->group * p->group_out + at->filter) * p->out_size +
					       at->first,
					  .ldc = p->out_size});
}

/* Parts of the output of all samples. */
struct conv_parts {
	struct call *c;
	const struct conv_plan *p;
	const double *w; /* plain_groups() */
	size_t tile, tiles;
	double *panels; /* share_tile(): those of all rows of the column matrix, and */
	size_t group, first, n;
	size_t height, heights, width; /* how what they are multiplied to is cut */
	size_t whole, piece;           /* parts that are done whole; filters of a piece of the others */
	atomic_int failed;
};

/* A tile from the windows to the result; groups, and in them tiles, are counted. */
static void whole_tiles(void *arg, size_t first, size_t end)
{
	struct conv_parts *all = arg;
	const struct conv_plan *p = all->p;
	size_t rows = p->group_in * p->kernel_size;
	double *panels = mem_aligned((GEMM_DEPTH + 1) * all->tile * sizeof *panels);

	for (size_t i = first; i < end && panels; i++) {
		struct conv_part at = {.group = i / all->tiles, .height = p->group_out, .n = all->tile};
		const double *x = all->c->in[0]->f + at.group * p->group_in * p->in_size;

		at.first = i % all->tiles * all->tile;
		at.n = at.n > p->out_size - at.first ? p->out_size - at.first : at.n;
		for (size_t k = 0; k < rows; k += GEMM_DEPTH) {
			size_t depth = panel_depth(p, k);

			fill_panels(p, x, &(struct conv_columns){k, depth, at.first, at.n, depth},
				    panels + GEMM_DEPTH * all->tile, panels);
			multiply_part(all->c, p, &at, k, depth, panels);
		}
		finish_part(all->c, p, &at);
	}
	if (!panels)
		all->failed = 1;
	mem_free(panels);
}

/* FILL_ROWS rows of the columns of a tile that threads share. */
static void fill_rows(void *arg, size_t first, size_t end)
{
	struct conv_parts *all = arg;
	const struct conv_plan *p = all->p;
	size_t rows = p->group_in * p->kernel_size;
	double *row = mem_aligned(all->n * sizeof *row);

	for (size_t i = first; i < end && row; i++) {
		size_t k = i * FILL_ROWS, inside = k % GEMM_DEPTH, some = rows - k < FILL_ROWS ? rows - k : FILL_ROWS;

		fill_panels(p, all->c->in[0]->f + all->group * p->group_in * p->in_size,
			    &(struct conv_columns){k, some, all->first, all->n, panel_depth(p, k - inside)}, row,
			    all->panels + (k - inside) * up(all->n, GEMM_PANEL) + inside * GEMM_PANEL);
	}
	if (!row)
		all->failed = 1;
	mem_free(row);
}

/* Filters [from, from + height) of part i, as far as it has them. */
static void multiply_filters(const struct conv_parts *all, size_t i, size_t from, size_t height)
{
	const struct conv_plan *p = all->p;
	size_t rows = p->group_in * p->kernel_size;
	size_t column = i / all->heights * all->width, filter = i % all->heights * all->height + from;
	struct conv_part at = {all->group, filter, height, all->first + column, all->width};

	if (from >= all->height || filter >= p->group_out)
		return;
	at.height = at.height > all->height - from ? all->height - from : at.height;
	at.height = at.height > p->group_out - filter ? p->group_out - filter : at.height;
	at.n = at.n > all->n - column ? all->n - column : at.n;
	for (size_t k = 0; k < rows; k += GEMM_DEPTH) {
		size_t depth = panel_depth(p, k);

		multiply_part(all->c, p, &at, k, depth, all->panels + k * up(all->n, GEMM_PANEL) + column * depth);
	}
	finish_part(all->c, p, &at);
}

/* The first parts whole, and the last ones in pieces: threads that end together wait less for each other. */
static void multiply_parts(void *arg, size_t first, size_t end)
{
	const struct conv_parts *all = arg;

	for (size_t i = first; i < end; i++) {
		size_t behind = i < all->whole ? 0 : i - all->whole;

		if (i < all->whole)
			multiply_filters(all, i, 0, all->height);
		else
			multiply_filters(all, all->whole + behind / CUT_LAST, behind % CUT_LAST * all->piece,
					 all->piece);
	}
}

/* A tile that threads share: first its columns are filled, then they are multiplied in parts of about the same size. */
static void share_tile(struct conv_parts *all)
{
	size_t rows = all->p->group_in * all->p->kernel_size;
	size_t columns = (all->n + PART_COLUMNS - 1) / PART_COLUMNS;
	double each;

	all->heights = (all->p->group_out + PART_FILTERS - 1) / PART_FILTERS;
	all->height = up((all->p->group_out + all->heights - 1) / all->heights, PART_ALIGN);
	all->heights = (all->p->group_out + all->height - 1) / all->height;
	all->width = up((all->n + columns - 1) / columns, GEMM_PANEL);
	columns = (all->n + all->width - 1) / all->width;
	all->piece = up((all->height + CUT_LAST - 1) / CUT_LAST, PART_ALIGN);
	all->whole = columns * all->heights - columns * all->heights / CUT_LAST;
	each = (double)(all->height * all->width) * (double)rows / 8;
	if (each < parallel_steps())
		all->whole = columns * all->heights;
	parallel_for((rows + FILL_ROWS - 1) / FILL_ROWS, 2.0 * FILL_ROWS * (double)all->n, fill_rows, all);
	if (!all->failed)
		parallel_for(all->whole + (columns * all->heights - all->whole) * CUT_LAST, each, multiply_parts, all);
}

static int panel_samples(struct call *c, const struct conv_plan *p)
{
	struct conv_parts all = {.c = c, .p = p, .tile = tile_of_thread(p, panel_tile(p))};
	size_t groups = p->batch * p->groups, rows = p->group_in * p->kernel_size;
	double each = (double)(p->group_out * all.tile) * (double)rows / 8;

	all.tiles = (p->out_size + all.tile - 1) / all.tile;
	if (groups * all.tiles >= TILES_ENOUGH || (double)(groups * all.tiles) * each <= parallel_steps()) {
		parallel_for(groups * all.tiles, each, whole_tiles, &all);
	} else {
		all.panels = mem_aligned(rows * all.tile * sizeof *all.panels);
		all.failed = !all.panels;
		for (size_t i = 0; i < groups * all.tiles && !all.failed; i++) {
			all.group = i / all.tiles;
			all.first = i % all.tiles * all.tile;
			all.n = p->out_size - all.first < all.tile ? p->out_size - all.first : all.tile;
			share_tile(&all);
		}
		mem_free(all.panels);
	}
	return all.failed ? call_nomem(c, rows * all.tile * sizeof(double)) : 0;
}

static void plain_groups(void *arg, size_t first, size_t end)
{
	struct conv_parts *all = arg;
	const struct conv_plan *p = all->p;
	double *col = mem_aligned(conv_column_count(p) * sizeof *col);

	for (size_t i = first; i < end && col; i++) {
		struct conv_part at = {.group = i, .height = p->group_out, .n = p->out_size};

		conv_group_f64(p, all->c->in[0]->f + i * p->group_in * p->in_size,
			       all->w + i % p->groups * p->group_out * p->group_in * p->kernel_size, 1, col,
			       all->c->out[0]->f + i * p->group_out * p->out_size);
		finish_part(all->c, p, &at);
	}
	if (!col)
		all->failed = 1;
	mem_free(col);
}

static int plain_samples(struct call *c, const struct conv_plan *p)
{
	struct tensor *w = tensor_widen(c->in[1], c->err);
	struct conv_parts all = {.c = c, .p = p, .w = w ? w->f : NULL};
	double terms = (double)(p->group_in * p->kernel_size);

	if (!w)
		return c->err->code;
	parallel_for(p->batch * p->groups, terms * (double)(p->out_size * (p->group_out + 1)), plain_groups, &all);
	tensor_unref(w);
	return all.failed ? call_nomem(c, conv_column_count(p) * sizeof(double)) : 0;
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

/* ---- the operator ------------------------------------------------------------------------------------------------ */

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
