/* sample_window.c - convolutions and poolings over two spatial axes. */
#include <math.h>

#include "methods/fuzz/maker.h"

#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE))

/* Values that go into a sum of products. */
#define MODEST 1000

struct pair {
	struct window h, w;
};

static void draw_pair(struct maker *m, const struct wire *x, int dilates, struct pair *p)
{
	window_draw(m, x->type.dims[2], dilates, &p->h);
	window_draw(m, x->type.dims[3], dilates, &p->w);
}

/* SAME asks for paddings that let all positions have a window; where windows jump over positions it would be less than
 * none, and the specification does not say what then. */
static void fit_same(struct pair *p, const struct wire *x)
{
	for (int i = 0; i < 2; i++) {
		struct window *w = i ? &p->w : &p->h;
		int64_t n = x->type.dims[2 + i], out = (n + w->stride - 1) / w->stride;

		w->dilation = 1;
		if ((out - 1) * w->stride + w->filter < n)
			w->stride = 1;
	}
}

static void set_window(struct maker *m, const struct pair *p, int auto_pad)
{
	static const char *const words[] = {"SAME_UPPER", "SAME_LOWER", "VALID"};

	build_ints(&m->b, "kernel_shape", (int64_t[]){p->h.filter, p->w.filter}, 2);
	build_ints(&m->b, "strides", (int64_t[]){p->h.stride, p->w.stride}, 2);
	if (auto_pad >= 0)
		build_string(&m->b, "auto_pad", words[auto_pad]);
	else
		build_ints(&m->b, "pads", (int64_t[]){p->h.before, p->w.before, p->h.after, p->w.after}, 4);
}

static void set_dilations(struct maker *m, const struct pair *p)
{
	build_ints(&m->b, "dilations", (int64_t[]){p->h.dilation, p->w.dilation}, 2);
}

/* -1: explicit paddings.  SAME keeps sizes whatever the window; VALID only where one fits. */
static int draw_auto_pad(struct maker *m)
{
	return m->wide && chance(m, 0.15) ? (int)between(m, 0, 1) : -1;
}

/* ---- convolutions ---------------------------------------------------------------------------------------------------
 */

static int64_t draw_divisor(struct maker *m, int64_t n)
{
	int64_t d = between(m, 1, n);

	while (n % d)
		d--;
	return d;
}

static struct wire *convolve(struct maker *m, struct wire *x, int64_t group, int64_t out)
{
	struct wire *w, *bias = NULL;
	struct pair p;
	int64_t in = x->type.dims[1];
	double terms;
	int auto_pad = draw_auto_pad(m);

	draw_pair(m, x, 1, &p);
	if (auto_pad >= 0)
		fit_same(&p, x);
	w = weights(m, x->type.dtype, 4, (int64_t[]){out, in / group, p.h.filter, p.w.filter});
	if (chance(m, 0.6))
		bias = weights(m, x->type.dtype, 1, &out);
	terms = (double)(in / group * p.h.filter * p.w.filter);
	begin(m, "Conv", (struct wire *[]){x, w, bias}, bias ? 3 : 2, 1);
	set_window(m, &p, auto_pad);
	set_dilations(m, &p);
	build_int(&m->b, "group", group);
	return set_bound(m, done(m), 2 * terms * bound_of(m, x) + 2);
}

static struct wire *make_conv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), MODEST);
	int64_t group;

	(void)n;
	if (m->b.rc)
		return NULL;
	group = m->wide && chance(m, 0.4) ? draw_divisor(m, x->type.dims[1]) : 1;
	return convolve(m, x, group, group * between(m, 1, group > 2 ? 2 : 6));
}

const struct sampler sampler_conv = {"Conv over two axes", FLOATS, make_conv, 0};

static struct wire *make_depthwise(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), MODEST);

	(void)n;
	return m->b.rc ? NULL : convolve(m, x, x->type.dims[1], x->type.dims[1] * between(m, 1, 2));
}

const struct sampler sampler_depthwise = {"Conv of each channel by itself", FLOATS, make_depthwise, 0};

/* What the stretched input has too little of is added by output_padding; paddings take away no more than is there. */
static struct wire *make_deconv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), MODEST), *w, *bias = NULL;
	int64_t group, out, added[2] = {0, 0};
	struct pair p;

	(void)n;
	if (m->b.rc)
		return NULL;
	draw_pair(m, x, 1, &p);
	p.h.before = between(m, 0, (p.h.filter - 1) / 2);
	p.h.after = between(m, 0, (p.h.filter - 1) / 2);
	p.w.before = between(m, 0, (p.w.filter - 1) / 2);
	p.w.after = between(m, 0, (p.w.filter - 1) / 2);
	group = m->wide && chance(m, 0.4) ? draw_divisor(m, x->type.dims[1]) : 1;
	out = between(m, 1, 3);
	w = weights(m, x->type.dtype, 4, (int64_t[]){x->type.dims[1], out, p.h.filter, p.w.filter});
	if (chance(m, 0.5))
		bias = weights(m, x->type.dtype, 1, (int64_t[]){out * group});
	if (m->wide && chance(m, 0.3)) {
		added[0] = between(m, 0, p.h.stride - 1);
		added[1] = between(m, 0, p.w.stride - 1);
	}
	begin(m, "ConvTranspose", (struct wire *[]){x, w, bias}, bias ? 3 : 2, 1);
	set_window(m, &p, -1);
	set_dilations(m, &p);
	build_int(&m->b, "group", group);
	build_ints(&m->b, "output_padding", added, 2);
	return set_bound(m, done(m), 2 * (double)(x->type.dims[1] * p.h.filter * p.w.filter) * bound_of(m, x) + 2);
}

const struct sampler sampler_deconv = {"ConvTranspose over two axes", FLOATS, make_deconv, 0};

/* ---- poolings -------------------------------------------------------------------------------------------------------
 */

/* The last window that rounding up adds must begin before the padding at the end: up to opset 21 the specification does
 * not say what becomes of others. */
static int ceil_is_plain(const struct window *w, int64_t n)
{
	int64_t room = n + w->before + w->after - (w->dilation * (w->filter - 1) + 1);
	int64_t out = (room + w->stride - 1) / w->stride + 1;

	return (out - 1) * w->stride < n + w->before;
}

/* A window with gaps may lie in the padding alone, and of nothing there is no largest. */
static void keep_inside(struct window *w, int64_t n)
{
	if (w->dilation == 1)
		return;
	if (n >= w->dilation * (w->filter - 1) + 1)
		w->before = w->after = 0;
	else
		w->dilation = 1;
}

/* Paddings are smaller than the window. */
static struct wire *pool(struct maker *m, struct wire *x, int dilates, int averages)
{
	struct pair p;
	int auto_pad = draw_auto_pad(m);

	draw_pair(m, x, dilates, &p);
	if (auto_pad >= 0)
		fit_same(&p, x);
	keep_inside(&p.h, x->type.dims[2]);
	keep_inside(&p.w, x->type.dims[3]);
	begin(m, m->op->onnx, &x, 1, 1);
	set_window(m, &p, auto_pad);
	if (dilates && auto_pad < 0)
		set_dilations(m, &p);
	if (m->wide && auto_pad < 0 && chance(m, 0.3) && ceil_is_plain(&p.h, x->type.dims[2]) &&
	    ceil_is_plain(&p.w, x->type.dims[3]))
		build_int(&m->b, "ceil_mode", 1);
	if (averages && chance(m, 0.4))
		build_int(&m->b, "count_include_pad", 1);
	return done(m);
}

static struct wire *make_pool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_rank(m, in[0], 4);

	(void)n;
	return m->b.rc ? NULL : pool(m, x, 1, 0);
}

const struct sampler sampler_pool = {"MaxPool over two axes", FLOATS, make_pool, 0};

static struct wire *make_average(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), LARGE);

	(void)n;
	return m->b.rc ? NULL : pool(m, x, 0, 1);
}

const struct sampler sampler_average = {"AveragePool over two axes", FLOATS, make_average, 0};

static struct wire *make_global(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 4), LARGE);

	(void)n;
	return op1(m, m->op->onnx, x);
}

const struct sampler sampler_global = {"a pooling over all positions", FLOATS, make_global, 0};
