/* sample_window.c - convolutions and poolings over one to three spatial axes, mostly two. */
#include <math.h>

#include "methods/fuzz/maker.h"

#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE))
#define MAX_SPACE 3

/* Values that go into a sum of products. */
#define MODEST 1000

struct windows {
	int n;
	struct window at[MAX_SPACE];
};

/* Batch, channels and the spatial axes. */
static struct wire *as_picture(struct maker *m, struct wire *x, double limit)
{
	int rank = chance(m, 0.8) ? 4 : chance(m, 0.5) ? 3 : 5;

	return calm(m, as_rank(m, x, m->wide ? rank : 4), limit);
}

static void draw_windows(struct maker *m, const struct wire *x, int dilates, struct windows *w)
{
	w->n = x->type.rank - 2;
	for (int i = 0; i < w->n; i++)
		window_draw(m, x->type.dims[2 + i], dilates, &w->at[i]);
}

/* SAME asks for paddings that let all positions have a window; where windows jump over positions it would be less than
 * none, and the specification does not say what then. */
static void fit_same(struct windows *all, const struct wire *x)
{
	for (int i = 0; i < all->n; i++) {
		struct window *w = &all->at[i];
		int64_t n = x->type.dims[2 + i], out = (n + w->stride - 1) / w->stride;

		w->dilation = 1;
		if ((out - 1) * w->stride + w->filter < n)
			w->stride = 1;
	}
}

static void set_window(struct maker *m, const struct windows *w, int auto_pad)
{
	static const char *const words[] = {"SAME_UPPER", "SAME_LOWER"};
	int64_t kernel[MAX_SPACE], strides[MAX_SPACE], pads[2 * MAX_SPACE];

	for (int i = 0; i < w->n; i++) {
		kernel[i] = w->at[i].filter;
		strides[i] = w->at[i].stride;
		pads[i] = w->at[i].before;
		pads[w->n + i] = w->at[i].after;
	}
	build_ints(&m->b, "kernel_shape", kernel, (size_t)w->n);
	build_ints(&m->b, "strides", strides, (size_t)w->n);
	if (auto_pad >= 0)
		build_string(&m->b, "auto_pad", words[auto_pad]);
	else
		build_ints(&m->b, "pads", pads, 2 * (size_t)w->n);
}

static void set_dilations(struct maker *m, const struct windows *w)
{
	int64_t dilations[MAX_SPACE];

	for (int i = 0; i < w->n; i++)
		dilations[i] = w->at[i].dilation;
	build_ints(&m->b, "dilations", dilations, (size_t)w->n);
}

/* -1: explicit paddings.  SAME keeps sizes whatever the window. */
static int draw_auto_pad(struct maker *m)
{
	return m->wide && chance(m, 0.15) ? (int)between(m, 0, 1) : -1;
}

/* ---- convolutions ------------------------------------------------------------------------------------------------ */

static int64_t draw_divisor(struct maker *m, int64_t n)
{
	int64_t d = between(m, 1, n);

	while (n % d)
		d--;
	return d;
}

static int64_t draw_group(struct maker *m, const struct wire *x)
{
	return m->wide && chance(m, 0.4) ? draw_divisor(m, x->type.dims[1]) : 1;
}

/* The filter: two axes of channels, then the windows'. */
static struct wire *draw_filter(struct maker *m, const struct wire *x, int64_t a, int64_t b, const struct windows *w)
{
	int64_t dims[2 + MAX_SPACE] = {a, b};

	for (int i = 0; i < w->n; i++)
		dims[2 + i] = w->at[i].filter;
	return weights(m, x->type.dtype, 2 + w->n, dims);
}

static double window_size(const struct windows *w)
{
	double n = 1;

	for (int i = 0; i < w->n; i++)
		n *= (double)w->at[i].filter;
	return n;
}

static struct wire *convolve(struct maker *m, struct wire *x, int64_t group, int64_t out)
{
	struct wire *filter, *bias = NULL;
	struct windows w;
	int64_t in = x->type.dims[1];
	int auto_pad = draw_auto_pad(m);

	draw_windows(m, x, 1, &w);
	if (auto_pad >= 0)
		fit_same(&w, x);
	filter = draw_filter(m, x, out, in / group, &w);
	if (chance(m, 0.6))
		bias = weights(m, x->type.dtype, 1, &out);
	begin(m, "Conv", (struct wire *[]){x, filter, bias}, bias ? 3 : 2, 1);
	set_window(m, &w, auto_pad);
	set_dilations(m, &w);
	build_int(&m->b, "group", group);
	return set_bound(m, done(m), 2 * (double)(in / group) * window_size(&w) * bound_of(m, x) + 2);
}

static struct wire *make_conv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_picture(m, in[0], MODEST);
	int64_t group;

	(void)n;
	if (m->b.rc)
		return NULL;
	group = draw_group(m, x);
	return convolve(m, x, group, group * between(m, 1, group > 2 ? 2 : 6));
}

const struct sampler sampler_conv = {"Conv", FLOATS, make_conv, 0, 0};

static struct wire *make_depthwise(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_picture(m, in[0], MODEST);

	(void)n;
	return m->b.rc ? NULL : convolve(m, x, x->type.dims[1], x->type.dims[1] * between(m, 1, 2));
}

const struct sampler sampler_depthwise = {"Conv of each channel by itself", FLOATS, make_depthwise, 0, 0};

/* What the stretched input has too little of is added by output_padding; paddings take away no more than is there. */
static struct wire *make_deconv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_picture(m, in[0], MODEST), *filter, *bias = NULL;
	int64_t group, out, added[MAX_SPACE] = {0};
	int auto_pad = draw_auto_pad(m), adds = m->wide && auto_pad < 0 && chance(m, 0.3);
	struct windows w;

	(void)n;
	if (m->b.rc)
		return NULL;
	draw_windows(m, x, auto_pad < 0, &w);
	for (int i = 0; i < w.n; i++) {
		struct window *one = &w.at[i];

		one->before = between(m, 0, (one->filter - 1) / 2);
		one->after = between(m, 0, (one->filter - 1) / 2);
		one->stride = auto_pad >= 0 && one->stride > one->filter ? 1 : one->stride;
		added[i] = adds ? between(m, 0, one->stride - 1) : 0;
	}
	group = draw_group(m, x);
	out = between(m, 1, 3);
	filter = draw_filter(m, x, x->type.dims[1], out, &w);
	if (chance(m, 0.5))
		bias = weights(m, x->type.dtype, 1, (int64_t[]){out * group});
	begin(m, "ConvTranspose", (struct wire *[]){x, filter, bias}, bias ? 3 : 2, 1);
	set_window(m, &w, auto_pad);
	set_dilations(m, &w);
	build_int(&m->b, "group", group);
	if (auto_pad < 0)
		build_ints(&m->b, "output_padding", added, (size_t)w.n);
	return set_bound(m, done(m), 2 * (double)x->type.dims[1] * window_size(&w) * bound_of(m, x) + 2);
}

const struct sampler sampler_deconv = {"ConvTranspose", FLOATS, make_deconv, 0, 0};

/* ---- poolings ---------------------------------------------------------------------------------------------------- */

/* Whether the last window that rounding up adds begins before the padding at the end. */
static int ceil_is_plain(const struct windows *all, const struct wire *x)
{
	for (int i = 0; i < all->n; i++) {
		const struct window *w = &all->at[i];
		int64_t n = x->type.dims[2 + i];
		int64_t room = n + w->before + w->after - (w->dilation * (w->filter - 1) + 1);
		int64_t out = (room + w->stride - 1) / w->stride + 1;

		if ((out - 1) * w->stride >= n + w->before)
			return 0;
	}
	return 1;
}

/* A window with gaps may lie in the padding alone, and of nothing there is no largest. */
static void keep_inside(struct windows *all, const struct wire *x)
{
	for (int i = 0; i < all->n; i++) {
		struct window *w = &all->at[i];

		if (w->dilation == 1)
			continue;
		if (x->type.dims[2 + i] >= w->dilation * (w->filter - 1) + 1)
			w->before = w->after = 0;
		else
			w->dilation = 1;
	}
}

/* Paddings are smaller than the window.  A window that rounding up adds and that begins in the padding is left out from
 * version 22 of MaxPool on; before that the specification's formula and what libraries do differ. */
static void pool(struct maker *m, struct wire *x, int dilates, int rounds_up)
{
	struct windows w;
	int auto_pad = draw_auto_pad(m);

	draw_windows(m, x, dilates, &w);
	if (auto_pad >= 0)
		fit_same(&w, x);
	keep_inside(&w, x);
	begin(m, m->op->onnx, &x, 1, 1);
	set_window(m, &w, auto_pad);
	if (dilates && auto_pad < 0)
		set_dilations(m, &w);
	if (m->wide && auto_pad < 0 && chance(m, 0.3) && (rounds_up || ceil_is_plain(&w, x)))
		build_int(&m->b, "ceil_mode", 1);
}

static struct wire *make_pool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_picture(m, in[0], INFINITY);

	(void)n;
	if (m->b.rc)
		return NULL;
	pool(m, x, 1, m->opset >= 22);
	return done(m);
}

const struct sampler sampler_pool = {"MaxPool", FLOATS | TM(DT_INT8) | TM(DT_UINT8), make_pool, 0, 0};

static struct wire *make_average(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_picture(m, in[0], LARGE);

	(void)n;
	if (m->b.rc)
		return NULL;
	pool(m, x, m->opset >= 19 && m->wide, 0);
	if (chance(m, 0.4))
		build_int(&m->b, "count_include_pad", 1);
	return done(m);
}

const struct sampler sampler_average = {"AveragePool", FLOATS, make_average, 0, 0};

static struct wire *make_lp_pool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_picture(m, in[0], MODEST);
	int64_t p = between(m, 1, 3);

	(void)n;
	if (m->b.rc)
		return NULL;
	pool(m, x, 0, 0);
	build_int(&m->b, "p", p);
	return set_bound(m, done(m), 125 * bound_of(m, x));
}

const struct sampler sampler_lp_pool = {"LpPool", TM(DT_FLOAT), make_lp_pool, 0, 0};

static struct wire *make_global(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_picture(m, in[0], LARGE);

	(void)n;
	return op1(m, m->op->onnx, x);
}

const struct sampler sampler_global = {"a pooling over all positions", FLOATS, make_global, 0, 0};

static struct wire *make_global_lp(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_picture(m, in[0], MODEST);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, "GlobalLpPool", &x, 1, 1);
	build_int(&m->b, "p", between(m, 1, 3));
	return set_bound(m, done(m), bound_of(m, x) * (double)count_of(x));
}

const struct sampler sampler_global_lp = {"GlobalLpPool", TM(DT_FLOAT), make_global_lp, 0, 0};
