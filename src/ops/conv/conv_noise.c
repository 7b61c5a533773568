/* conv_noise.c - rounding noise of Conv: sizes of roundings, and differences through the convolution.
 *
 * Both are convolutions in float, of magnitudes or of all lanes at once; on processors with AMX in bfloat16. */
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/mem.h"
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

/* What a convolution of floats works with. */
struct float_conv {
	struct conv_plan plan;
	size_t unit;       /* floats of an element: 1, or the lanes */
	int use_panels;    /* bfloat16 tiles instead of float */
	int use_pairs;     /* and columns made of pairs of channels */
	float *w, *col;    /* float weights; columns of one tile */
	uint16_t *a, *b;   /* packed weights of all groups; packed columns of one tile */
	uint32_t *pairs;   /* one group of X, and behind it a row of columns */
	struct call *call; /* whose lanes are rounded, a block of rows after the other; NULL: none */
};

static void float_conv_release(struct float_conv *f)
{
	mem_free(f->w);
	mem_free(f->col);
	mem_free(f->a);
	mem_free(f->b);
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

/* Room for columns of one tile, and the weights of all groups. */
static int prepare_panels(struct float_conv *f, struct reals w, int absolute)
{
	const struct conv_plan *p = &f->plan;
	size_t rows = p->group_in * p->kernel_size, size_a = panel_size_a(p->group_out, rows);

	f->use_pairs = !p->pointwise && w.f32 && p->group_in % PANEL_K == 0 && p->kernel_size < INT16_MAX;
	f->a = mem_aligned(p->groups * size_a * sizeof *f->a);
	f->b = mem_aligned(panel_size_b(p->tile * f->unit, rows) * sizeof *f->b);
	if (f->use_pairs)
		f->pairs = mem_aligned((p->group_in / 2 * p->in_size + p->tile) * f->unit * sizeof *f->pairs);
	else
		f->col = mem_aligned(conv_column_count(p) * f->unit * sizeof *f->col);
	if (!f->a || !f->b || (f->use_pairs ? !f->pairs : !f->col))
		return -1;
	for (size_t g = 0; g < p->groups; g++) {
		struct reals from = reals_at(w, g * p->group_out * rows);

		if (f->use_pairs)
			panel_pack_weights(p->group_out, p->group_in, p->kernel_size, from.f32, absolute,
					   f->a + g * size_a);
		else
			panel_pack_a(p->group_out, rows, from, absolute, f->a + g * size_a);
	}
	return 0;
}

static int prepare_floats(struct float_conv *f, struct reals w, size_t count, int absolute)
{
	f->w = gemm_narrow(w, count, absolute);
	f->col = mem_aligned(conv_column_count(&f->plan) * f->unit * sizeof *f->col);
	return f->w && f->col ? 0 : -1;
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
	return call_nomem(c, conv_column_count(p) * unit * sizeof *f->col);
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

/* Columns [first, first + n) of the windows over f->pairs. */
static void fill_pairs(struct float_conv *f, size_t first, size_t n)
{
	const struct conv_plan *p = &f->plan;
	size_t half = p->group_in / 2, plane = p->in_size * f->unit;
	uint32_t *row = f->pairs + half * plane;
	int64_t k[SPATIAL_MAX] = {0};

	for (size_t i = 0; i < p->kernel_size; i++, conv_next_offset(&p->spatial, k))
		for (size_t c = 0; c < half; c++) {
			fill_row_pair(&p->spatial, f->pairs + c * plane, k, first, n, f->unit, row);
			panel_put_pairs(n * f->unit, p->kernel_size * p->group_in, i * p->group_in + 2 * c, row, f->b);
		}
}

/* The columns of one tile as panels. */
static void pack_columns(struct float_conv *f, const float *x, size_t first, size_t n)
{
	const struct conv_plan *p = &f->plan;
	size_t rows = p->group_in * p->kernel_size, unit = f->unit;

	if (f->use_pairs) {
		fill_pairs(f, first, n);
	} else if (p->pointwise) {
		panel_pack_b(n * unit, rows, x + first * unit, p->in_size * unit, f->b);
	} else {
		fill_columns_f32(p, x, first, n, unit, f->col);
		panel_pack_b(n * unit, rows, f->col, n * unit, f->b);
	}
}

/* One group of one sample through bfloat16 tiles; its outputs are elements y_first … of y. */
static void panel_group(struct float_conv *f, const float *x, const uint16_t *a, float *y, size_t y_first)
{
	const struct conv_plan *p = &f->plan;
	size_t rows = p->group_in * p->kernel_size, unit = f->unit, block = panel_size_a(PANEL_ROWS, rows);

	if (f->use_pairs)
		panel_pairs(p->group_in, p->in_size * unit, x, f->pairs);
	for (size_t first = 0; first < p->out_size; first += p->tile) {
		size_t n = p->out_size - first < p->tile ? p->out_size - first : p->tile;

		pack_columns(f, x, first, n);
		for (size_t m = 0; m < p->group_out; m += PANEL_ROWS) {
			size_t filters = p->group_out - m < PANEL_ROWS ? p->group_out - m : PANEL_ROWS;
			size_t at = y_first + m * p->out_size + first;

			panel_gemm(filters, n * unit, rows, a + m / PANEL_ROWS * block, f->b, y + at * unit,
				   p->out_size * unit);
			for (; f->call && filters; filters--, at += p->out_size)
				finish_row(f->call, at, n);
		}
	}
}

/* Sample `n` of x and y. */
static void float_conv_sample(struct float_conv *f, const float *x, float *y, size_t n)
{
	const struct conv_plan *p = &f->plan;
	size_t size_a = panel_size_a(p->group_out, p->group_in * p->kernel_size);

	if (!f->use_panels) {
		conv_sample_f32(p, x + n * p->channels * p->in_size * f->unit, f->w, f->unit, f->col,
				y + n * p->filters * p->out_size * f->unit);
		return;
	}
	for (size_t g = 0; g < p->groups; g++)
		panel_group(f, x + (n * p->channels + g * p->group_in) * p->in_size * f->unit, f->a + g * size_a, y,
			    (n * p->filters + g * p->group_out) * p->out_size);
}

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

/* s = (|W| * |X| + |B|) · growth, or |W * X| · the growth of sums in order */
int conv_scale(struct call *c, int out, double *s)
{
	const struct tensor *x = c->in[0], *b = c->n_in > 2 ? c->in[2] : NULL;
	struct growth growth;
	struct float_conv f;
	float *xa, *size;
	int rc = float_conv_init(c, &f, 1, 1);

	if (rc)
		return rc;
	growth = (struct growth){conv_growth(c, &f.plan),
				 noise_growth_in_order((double)(f.plan.group_in * f.plan.kernel_size))};
	xa = gemm_narrow(reals_of(x), x->count, 1);
	size = mem_aligned(c->out[out]->count * sizeof *size);
	if (!xa || !size)
		rc = call_nomem(c, x->count * sizeof *xa);
	for (size_t n = 0; n < f.plan.batch && !rc; n++)
		float_conv_sample(&f, xa, size, n);
	for (size_t m = 0; m < f.plan.batch * f.plan.filters && !rc; m++) {
		size_t at = m * f.plan.out_size;

		finish_scale(size + at, c->out[out]->f + at, f.plan.out_size, b ? b->f[m % f.plan.filters] : 0.0,
			     growth, s + at);
	}
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
	for (size_t n = 0; n < f.plan.batch; n++)
		float_conv_sample(&f, c->in_delta[0], c->out_delta[0], n);
	float_conv_release(&f);
	return DELTA_DONE;
}
