/* conv_noise.c - rounding noise of Conv: sizes of roundings, and differences through the convolution.
 *
 * Both are convolutions in float, of magnitudes or of all lanes at once; on processors with AMX in bfloat16. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clones.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "ops/conv/conv.h"
#include "ops/engine/engine.h"
#include "ops/engine/gemm.h"
#include "ops/engine/panel.h"
#include "ops/noise/drift.h"
#include "ops/noise/rounding.h"
#include "ops/noise/step.h"

#define REAL float
#define GEMM gemm_f32
#define CORE(name) name##_f32
#include "ops/conv/conv_core.h"
#undef REAL
#undef GEMM
#undef CORE

#define REAL uint32_t /* two channels in bfloat16 */
#define CORE(name) name##_pair
#include "ops/conv/conv_core.h"
#undef REAL
#undef CORE

#define LEAST_COLUMNS ((size_t)512) /* of a tile: the weights are read once for each */
#define TILES_ENOUGH ((size_t)8)    /* for threads; of fewer the parts are shared */
#define TILES_MANY ((size_t)64)     /* of more, several make a piece */

/* What a convolution of floats works with. */
struct float_conv {
	struct conv_plan plan;
	size_t unit;       /* floats of an element: 1, or the lanes */
	int use_panels;    /* bfloat16 tiles instead of float */
	int use_pairs;     /* and columns made of pairs of channels */
	float *w;          /* float weights, or */
	uint16_t *a;       /* packed ones of all groups */
	uint32_t *pairs;   /* one group of X */
	struct call *call; /* whose lanes are rounded, a block of rows after the other; NULL: none */
	const float *x;    /* all samples */
	float *y;
	atomic_int failed; /* no memory for a tile */
};

/* What one tile is computed in. */
struct tile_space {
	float *col;  /* its columns, and */
	uint16_t *b; /* packed ones */
};

static void float_conv_release(struct float_conv *f)
{
	mem_free(f->w);
	mem_free(f->a);
	mem_free(f->pairs);
}

static void choose_tile(struct conv_plan *p, size_t unit)
{
	p->tile = (p->tile + unit - 1) / unit;
	if (p->tile * unit < LEAST_COLUMNS)
		p->tile = (LEAST_COLUMNS + unit - 1) / unit;
	if (p->tile > p->out_size)
		p->tile = p->out_size ? p->out_size : 1;
}

struct weights {
	const struct float_conv *f;
	struct reals from;
	int absolute;
	size_t blocks; /* of PANEL_ROWS filters in a group */
};

static void pack_weights(void *arg, size_t first, size_t end)
{
	const struct weights *w = arg;
	const struct conv_plan *p = &w->f->plan;
	size_t rows = p->group_in * p->kernel_size;

	for (size_t i = first; i < end; i++) {
		size_t group = i / w->blocks, m = i % w->blocks * PANEL_ROWS;
		size_t filters = p->group_out - m < PANEL_ROWS ? p->group_out - m : PANEL_ROWS;
		struct reals from = reals_at(w->from, (group * p->group_out + m) * rows);
		uint16_t *to = w->f->a + i * panel_size_a(PANEL_ROWS, rows);

		if (w->f->use_pairs)
			panel_pack_weights(filters, p->group_in, p->kernel_size, from.f32, w->absolute, to);
		else
			panel_pack_a(filters, rows, from, w->absolute, to);
	}
}

static int prepare_panels(struct float_conv *f, struct reals w, int absolute)
{
	const struct conv_plan *p = &f->plan;
	size_t rows = p->group_in * p->kernel_size, size_a = panel_size_a(p->group_out, rows);
	struct weights all = {f, w, absolute, (p->group_out + PANEL_ROWS - 1) / PANEL_ROWS};

	f->use_pairs = !p->pointwise && w.f32 && p->group_in % PANEL_K == 0 && p->kernel_size < INT16_MAX;
	f->a = mem_aligned(p->groups * size_a * sizeof *f->a);
	if (f->use_pairs)
		f->pairs = mem_aligned(p->group_in / 2 * p->in_size * f->unit * sizeof *f->pairs);
	if (!f->a || (f->use_pairs && !f->pairs))
		return -1;
	parallel_for(p->groups * all.blocks, (double)(PANEL_ROWS * rows), pack_weights, &all);
	return 0;
}

static int prepare_floats(struct float_conv *f, struct reals w, size_t count, int absolute)
{
	f->w = gemm_narrow(w, count, absolute);
	return f->w ? 0 : -1;
}

static int float_conv_init(struct call *c, struct float_conv *f, size_t unit, int absolute)
{
	struct conv_plan *p = &f->plan;
	struct reals w = reals_of(c->in[1]);
	int rc;

	*f = (struct float_conv){.unit = unit};
	rc = conv_plan_init(c, p, 0, 1);
	if (rc)
		return rc;
	choose_tile(p, unit);
	f->use_panels = engine_init()->tiles && p->group_out >= PANEL_ROWS &&
			p->group_in * p->kernel_size >= PANEL_K; /* smaller ones are mostly edge */
	rc = f->use_panels ? prepare_panels(f, w, absolute) : prepare_floats(f, w, c->in[1]->count, absolute);
	if (!rc)
		return 0;
	float_conv_release(f);
	return call_nomem(c, conv_column_count(p) * unit * sizeof(float));
}

/* Roundings of n output elements, and what follows. */
static void finish_row(struct call *c, size_t first, size_t n)
{
	size_t lanes = (size_t)c->lanes;
	float *d = c->out_delta[0] + first * lanes;

	rounding_move(&c->rounding[0], d, first, n, lanes, 1);
	if (c->steps)
		steps_apply(c->steps, first, n, c->out[0]->f + first, d);
}

/* ---- a tile ------------------------------------------------------------------------------------------------------ */

/* Output positions [first, first + n) of a group; x: the group's input. */
struct tile {
	struct float_conv *f;
	struct tile_space space;
	const float *x;
	size_t group, first, n; /* group: of all groups of all samples */
};

/* Columns of the windows over pairs of channels. */
static void fill_pairs(void *arg, size_t first, size_t end)
{
	const struct tile *t = arg;
	const struct conv_plan *p = &t->f->plan;
	size_t plane = p->in_size * t->f->unit, wide = t->n * t->f->unit;
	uint32_t *row = mem_aligned(wide * sizeof *row);
	int64_t k[SPATIAL_MAX] = {0};

	for (size_t i = 0; row && i < p->kernel_size; i++, conv_next_offset(&p->spatial, k))
		for (size_t c = first; c < end; c++) {
			fill_row_pair(&p->spatial, t->f->pairs + c * plane, k, t->first, t->n, t->f->unit, row);
			panel_put_pairs(wide, p->kernel_size * p->group_in, i * p->group_in + 2 * c, row, t->space.b);
		}
	if (!row)
		t->f->failed = 1;
	mem_free(row);
}

/* Columns that lie in X or in t->space.col into panels [first, end). */
static void fill_panels(void *arg, size_t first, size_t end)
{
	const struct tile *t = arg;
	const struct conv_plan *p = &t->f->plan;
	size_t rows = p->group_in * p->kernel_size, unit = t->f->unit, from = first * PANEL_COLS;
	size_t to = end * PANEL_COLS < t->n * unit ? end * PANEL_COLS : t->n * unit;

	panel_pack_b(to - from, rows, p->pointwise ? t->x + t->first * unit + from : t->space.col + from,
		     p->pointwise ? p->in_size * unit : t->n * unit, t->space.b + panel_size_b(from, rows));
}

/* The columns of a tile as panels. */
static void pack_columns(struct tile *t)
{
	const struct conv_plan *p = &t->f->plan;
	size_t wide = t->n * t->f->unit;

	if (t->f->use_pairs) {
		parallel_for(p->group_in / 2, (double)(p->kernel_size * wide), fill_pairs, t);
		return;
	}
	if (!p->pointwise)
		fill_columns_f32(p, t->x, t->first, t->n, t->f->unit, t->space.col);
	parallel_for((wide + PANEL_COLS - 1) / PANEL_COLS, (double)(p->group_in * p->kernel_size * PANEL_COLS),
		     fill_panels, t);
}

/* Blocks of filters of a tile, through bfloat16 tiles. */
static void panel_blocks(void *arg, size_t first, size_t end)
{
	const struct tile *t = arg;
	struct float_conv *f = t->f;
	const struct conv_plan *p = &f->plan;
	size_t rows = p->group_in * p->kernel_size, block = panel_size_a(PANEL_ROWS, rows);
	const uint16_t *a = f->a + t->group % p->groups * panel_size_a(p->group_out, rows);

	for (size_t i = first; i < end; i++) {
		size_t m = i * PANEL_ROWS, filters = p->group_out - m < PANEL_ROWS ? p->group_out - m : PANEL_ROWS;
		size_t at = (t->group * p->group_out + m) * p->out_size + t->first;

		panel_gemm(filters, t->n * f->unit, rows, a + i * block, t->space.b, f->y + at * f->unit,
			   p->out_size * f->unit);
		for (; f->call && filters; filters--, at += p->out_size)
			finish_row(f->call, at, t->n);
	}
}

static void float_tile(struct tile *t)
{
	const struct conv_plan *p = &t->f->plan;
	size_t rows = p->group_in * p->kernel_size, unit = t->f->unit;
	struct gemm_shape s = gemm_dense(p->group_out, t->n * unit, rows, 0, 0);

	s.ldc = p->out_size * unit;
	if (p->pointwise)
		s.ldb = p->in_size * unit;
	else
		fill_columns_f32(p, t->x, t->first, t->n, unit, t->space.col);
	gemm_f32(&s, t->f->w + t->group % p->groups * p->group_out * rows,
		 p->pointwise ? t->x + t->first * unit : t->space.col,
		 t->f->y + (t->group * p->group_out * p->out_size + t->first) * unit);
}

static void panel_tile(struct tile *t)
{
	const struct conv_plan *p = &t->f->plan;
	double each = (double)(p->group_in * p->kernel_size) + 16 * (t->f->call != NULL);

	pack_columns(t);
	parallel_for((p->group_out + PANEL_ROWS - 1) / PANEL_ROWS, each * (double)(t->n * t->f->unit), panel_blocks, t);
}

/* ---- all tiles --------------------------------------------------------------------------------------------------- */

static size_t tiles_of(const struct conv_plan *p)
{
	return (p->out_size + p->tile - 1) / p->tile;
}

/* Some tiles of groups `from` and on. */
struct tiles {
	struct float_conv *f;
	size_t from;
};

static void do_tiles(void *arg, size_t first, size_t end)
{
	const struct tiles *all = arg;
	struct float_conv *f = all->f;
	const struct conv_plan *p = &f->plan;
	size_t rows = p->group_in * p->kernel_size, col = f->use_pairs ? 0 : conv_column_count(p) * f->unit;
	struct tile t = {.f = f, .space = {.col = mem_aligned(col * sizeof(float))}};

	if (f->use_panels)
		t.space.b = mem_aligned(panel_size_b(p->tile * f->unit, rows) * sizeof *t.space.b);
	if (!t.space.col || (f->use_panels && !t.space.b))
		f->failed = 1;
	for (size_t i = first; i < end && !f->failed; i++) {
		t.group = all->from + i / tiles_of(p);
		t.first = i % tiles_of(p) * p->tile;
		t.n = p->out_size - t.first < p->tile ? p->out_size - t.first : p->tile;
		t.x = f->x + t.group * p->group_in * p->in_size * f->unit;
		if (f->use_panels)
			panel_tile(&t);
		else
			float_tile(&t);
	}
	mem_free(t.space.col);
	mem_free(t.space.b);
}

/* Threads share tiles where there are enough, else the parts of each. */
static void share_tiles(struct float_conv *f, size_t from, size_t groups)
{
	size_t n = groups * tiles_of(&f->plan);
	struct tiles all = {f, from};

	parallel_pieces(n, n < TILES_ENOUGH ? n + !n : 1 + n / TILES_MANY, do_tiles, &all);
}

static void pair_channels(void *arg, size_t first, size_t end)
{
	const struct tile *t = arg;
	size_t plane = t->f->plan.in_size * t->f->unit;

	panel_pairs(2 * (end - first), plane, t->x + 2 * first * plane, t->f->pairs + first * plane);
}

/* All samples of x to y. */
static int float_conv_run(struct call *c, struct float_conv *f, const float *x, float *y)
{
	const struct conv_plan *p = &f->plan;
	size_t groups = p->batch * p->groups, plane = p->in_size * f->unit;

	f->x = x;
	f->y = y;
	if (!f->use_pairs)
		share_tiles(f, 0, groups);
	for (size_t g = 0; f->use_pairs && g < groups; g++) { /* they share room for pairs */
		struct tile t = {.f = f, .x = x + g * p->group_in * plane};

		parallel_for(p->group_in / 2, 2 * (double)plane, pair_channels, &t);
		share_tiles(f, g, 1);
	}
	return f->failed ? call_nomem(c, conv_column_count(p) * f->unit * sizeof(float)) : 0;
}

/* ---- sizes of roundings ------------------------------------------------------------------------------------------ */

struct growth {
	double tree, in_order; /* against Σ|terms| and |Σ terms|: see noise_growth_in_order() */
};

/* size: Σ|w x|; y: the output, b with it. */
CLONES static void finish_scale(const float *size, const double *y, size_t n, double bias, struct growth g, double *s)
{
	for (size_t i = 0; i < n; i++) {
		double tree = g.tree * ((double)size[i] + fabs(bias)), in_order = g.in_order * fabs(y[i] - bias);

		s[i] = tree > in_order ? tree : in_order;
	}
}

/* Channels that are alike, under weights that are: sums of equal terms. */
static double conv_growth(struct call *c, const struct conv_plan *p)
{
	size_t terms = p->group_in * p->kernel_size, most = drift_limit(p->group_in);
	size_t changes = drift_changes(reals_of(c->in[0]), p->batch * p->groups, p->group_in, p->in_size, most);

	if (changes <= most)
		changes += drift_changes(reals_of(c->in[1]), p->filters, p->group_in, p->kernel_size, most);
	return changes <= most ? drift_growth(c, terms, (changes + 1) * p->kernel_size - 1)
			       : noise_growth((double)terms);
}

struct scales {
	const struct call *c;
	const struct conv_plan *p;
	struct growth growth;
	const float *size;
	const double *y;
	double *s;
};

static void finish_scales(void *arg, size_t first, size_t end)
{
	const struct scales *all = arg;
	const struct tensor *b = all->c->n_in > 2 ? all->c->in[2] : NULL;

	for (size_t m = first; m < end; m++) {
		size_t n = all->p->out_size, at = m * n;

		finish_scale(all->size + at, all->y + at, n, b ? b->f[m % all->p->filters] : 0.0, all->growth,
			     all->s + at);
	}
}

/* s = (|W| * |X| + |B|) · growth, or |W * X| · the growth of sums in order */
int conv_scale(struct call *c, int out, double *s)
{
	const struct tensor *x = c->in[0];
	struct float_conv f;
	struct scales all = {.c = c, .p = &f.plan, .y = c->out[out]->f, .s = s};
	float *xa, *size;
	int rc = float_conv_init(c, &f, 1, 1);

	if (rc)
		return rc;
	all.growth = (struct growth){conv_growth(c, &f.plan),
				     noise_growth_in_order((double)(f.plan.group_in * f.plan.kernel_size))};
	xa = gemm_narrow(reals_of(x), x->count, 1);
	all.size = size = mem_aligned(c->out[out]->count * sizeof *size);
	rc = xa && size ? float_conv_run(c, &f, xa, size) : call_nomem(c, x->count * sizeof *xa);
	if (!rc)
		parallel_for(f.plan.batch * f.plan.filters, 2 * (double)f.plan.out_size, finish_scales, &all);
	mem_free(xa);
	mem_free(size);
	float_conv_release(&f);
	return rc;
}

/* Linear in X: the differences are convolved like X itself. */
enum delta_result conv_delta(struct call *c)
{
	size_t lanes = (size_t)c->lanes;
	struct float_conv f;
	int rc;

	if (!c->in_delta[0] || c->in_delta[1] || (c->n_in > 2 && c->in_delta[2]))
		return DELTA_DECLINED;
	if (float_conv_init(c, &f, lanes, 0))
		return DELTA_FAILED;
	if (f.use_panels && c->rounding && c->rounding[0].sizes) {
		f.call = c;
		c->rounding[0].done = 1;
		if (c->steps)
			c->steps->done = 1;
	}
	rc = float_conv_run(c, &f, c->in_delta[0], c->out_delta[0]);
	float_conv_release(&f);
	return rc ? DELTA_FAILED : DELTA_DONE;
}
