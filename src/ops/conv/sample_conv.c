/* sample_conv.c - convolutions over one to three spatial axes, mostly two. */
#include "ops/conv/samplers.h"
#include "ops/sample/maker.h"
#include "ops/sample/windows.h"

static int64_t draw_divisor(struct maker *m, int64_t n)
{
	int64_t d = make_between(m, 1, n);

	while (n % d)
		d--;
	return d;
}

static int64_t draw_group(struct maker *m, const struct wire *x)
{
	return m->wide && make_chance(m, 0.4) ? draw_divisor(m, x->type.dims[1]) : 1;
}

/* The filter: two axes of channels, then the windows'. */
static struct wire *draw_filter(struct maker *m, const struct wire *x, int64_t a, int64_t b, const struct windows *w)
{
	int64_t dims[2 + MAKE_MAX_SPACE] = {a, b};

	for (int i = 0; i < w->n; i++)
		dims[2 + i] = w->at[i].filter;
	return make_weights(m, x->type.dtype, 2 + w->n, dims);
}

static double window_size(const struct windows *w)
{
	double n = 1;

	for (int i = 0; i < w->n; i++)
		n *= (double)w->at[i].filter;
	return n;
}

/* Gaps beyond the input, which paddings that are larger than the filter make up for; or such paddings alone. */
static void stretch(struct maker *m, const struct wire *x, struct windows *all)
{
	for (int i = 0; i < all->n; i++) {
		struct window *w = &all->at[i];
		int64_t n = x->type.dims[2 + i], missing;

		if (!make_chance(m, 0.15))
			continue;
		if (w->filter > 1 && make_chance(m, 0.6))
			w->dilation = make_between(m, n > 1 ? n - 1 : 1, n + 2);
		missing = w->dilation * (w->filter - 1) + 1 - n;
		w->before = make_between(m, 0, w->dilation * w->filter);
		w->after = make_between(m, missing > w->before ? missing - w->before : 0, w->dilation * w->filter);
	}
}

static struct wire *convolve(struct maker *m, struct wire *x, int64_t group, int64_t out)
{
	struct wire *filter, *bias = NULL;
	struct windows w;
	int64_t in = x->type.dims[1];
	int auto_pad = make_auto_pad(m);

	make_windows(m, x, 1, &w);
	if (auto_pad >= 0)
		make_fit_same(&w, x);
	else if (m->wide)
		stretch(m, x, &w);
	filter = draw_filter(m, x, out, in / group, &w);
	if (make_chance(m, 0.6))
		bias = make_weights(m, x->type.dtype, 1, &out);
	make_begin(m, "Conv", (struct wire *[]){x, filter, bias}, bias ? 3 : 2, 1);
	make_set_windows(m, &w, auto_pad);
	make_set_dilations(m, &w);
	build_int(&m->b, "group", group);
	return make_set_bound(m, make_done(m), 2 * (double)(in / group) * window_size(&w) * make_bound_of(m, x) + 2);
}

static struct wire *sample_conv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], MAKE_MODEST);
	int64_t group;

	(void)n;
	if (m->b.rc)
		return NULL;
	group = draw_group(m, x);
	return convolve(m, x, group, group * make_between(m, 1, group > 2 ? 2 : 6));
}

const struct sampler sampler_conv = {
	.summary = "Conv",
	.types = MAKE_FLOATS,
	.make = sample_conv,
};

static struct wire *sample_depthwise(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], MAKE_MODEST);

	(void)n;
	return m->b.rc ? NULL : convolve(m, x, x->type.dims[1], x->type.dims[1] * make_between(m, 1, 2));
}

const struct sampler sampler_depthwise = {
	.summary = "Conv of each channel by itself",
	.types = MAKE_FLOATS,
	.make = sample_depthwise,
};

/* Of ConvTranspose without paddings. */
static int64_t full_size(const struct window *w, int64_t n)
{
	return w->stride * (n - 1) + w->dilation * (w->filter - 1) + 1;
}

/* In place of the paddings: what comes out.  They are even, since libraries do not agree on where an odd one goes.  An
 * axis that gets smaller leaves the paddings: ONNX's own shape inference gives too few axes then. */
static void say_output_shape(struct maker *m, const struct wire *x, const struct windows *w, const int64_t *added)
{
	int64_t shape[MAKE_MAX_SPACE];

	for (int i = 0; i < w->n; i++) {
		int64_t pads = w->at[i].before + w->at[i].after;

		shape[i] = full_size(&w->at[i], x->type.dims[2 + i]) + added[i] - (pads - pads % 2);
		if (shape[i] < x->type.dims[2 + i])
			return;
	}
	if (!m->b.rc)
		node_remove_attr(m->b.last, "pads");
	build_ints(&m->b, "output_shape", shape, (size_t)w->n);
}

/* What the stretched input has too little of is added by output_padding; paddings take away no more than is there.
 * Of SAME the text of version 1 says in one place that what is odd goes to the end, and the other way in another. */
static struct wire *sample_deconv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], MAKE_MODEST), *filter, *bias = NULL;
	int64_t group, out, added[MAKE_MAX_SPACE] = {0};
	int auto_pad = m->opset < 11 ? -1 : make_auto_pad(m), adds = m->wide && auto_pad < 0 && make_chance(m, 0.3);
	struct windows w;

	(void)n;
	if (m->b.rc)
		return NULL;
	make_windows(m, x, auto_pad < 0, &w);
	for (int i = 0; i < w.n; i++) {
		struct window *one = &w.at[i];

		one->before = make_between(m, 0, (one->filter - 1) / 2);
		one->after = make_between(m, 0, (one->filter - 1) / 2);
		if (m->wide && auto_pad < 0 && make_chance(m, 0.2)) /* all but one of what comes out */
			one->before = make_between(m, 0, full_size(one, x->type.dims[2 + i]) - one->after - 1);
		one->stride = auto_pad >= 0 && one->stride > one->filter ? 1 : one->stride;
		added[i] = adds ? make_between(m, 0, one->stride - 1) : 0;
	}
	group = draw_group(m, x);
	out = make_between(m, 1, 3);
	filter = draw_filter(m, x, x->type.dims[1], out, &w);
	if (make_chance(m, 0.5))
		bias = make_weights(m, x->type.dtype, 1, (int64_t[]){out * group});
	make_begin(m, "ConvTranspose", (struct wire *[]){x, filter, bias}, bias ? 3 : 2, 1);
	make_set_windows(m, &w, auto_pad);
	make_set_dilations(m, &w);
	build_int(&m->b, "group", group);
	if (auto_pad < 0)
		build_ints(&m->b, "output_padding", added, (size_t)w.n);
	if (auto_pad < 0 && m->opset >= 11 && m->wide && make_chance(m, 0.15))
		say_output_shape(m, x, &w, added);
	return make_set_bound(m, make_done(m), 2 * (double)x->type.dims[1] * window_size(&w) * make_bound_of(m, x) + 2);
}

const struct sampler sampler_deconv = {
	.summary = "ConvTranspose",
	.types = MAKE_FLOATS,
	.make = sample_deconv,
};

/* ---- others ------------------------------------------------------------------------------------------------------ */

/* Offsets are parts of a pixel, away from where the neighbours change. */
static struct wire *sample_deform_conv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_calm(m, make_rank(m, in[0], 4), 100), 256), *all[5] = {NULL};
	int64_t kernel[2] = {make_between(m, 1, 2), make_between(m, 1, 2)},
		strides[2] = {make_between(m, 1, 2), make_between(m, 1, 2)};
	int64_t pads[4] = {make_between(m, 0, 1), make_between(m, 0, 1), make_between(m, 0, 1), make_between(m, 0, 1)},
		out[2], filters;
	int mask = make_chance(m, 0.4), bias = make_chance(m, 0.5);
	enum fill kept = m->fill;

	(void)n;
	for (int i = 0; i < 2 && !m->b.rc; i++) {
		kernel[i] = x->type.dims[2 + i] < kernel[i] ? 1 : kernel[i];
		out[i] = (x->type.dims[2 + i] + pads[i] + pads[2 + i] - kernel[i]) / strides[i] + 1;
	}
	if (m->b.rc)
		return NULL;
	filters = make_between(m, 1, 3);
	all[0] = x;
	all[1] = make_weights(m, DT_FLOAT, 4, (int64_t[]){filters, x->type.dims[1], kernel[0], kernel[1]});
	m->fill = FILL_RANDOM; /* parts of a pixel are no integers */
	all[2] = make_random(m, DT_FLOAT, 4, (int64_t[]){x->type.dims[0], 2 * kernel[0] * kernel[1], out[0], out[1]},
			     0.125, 0.375);
	m->fill = kept;
	all[3] = bias ? make_weights(m, DT_FLOAT, 1, &filters) : NULL;
	all[4] = mask ? make_random(m, DT_FLOAT, 4, (int64_t[]){x->type.dims[0], kernel[0] * kernel[1], out[0], out[1]},
				    0, 1)
		      : NULL;
	make_begin(m, "DeformConv", all, mask ? 5 : bias ? 4 : 3, 1);
	build_ints(&m->b, "strides", strides, 2);
	build_ints(&m->b, "pads", pads, 4);
	return make_set_bound(m, make_done(m),
			      2 * make_bound_of(m, x) * (double)(x->type.dims[1] * kernel[0] * kernel[1]) + 2);
}

const struct sampler sampler_deform_conv = {
	.summary = "DeformConv over two axes",
	.types = T_F32,
	.make = sample_deform_conv,
};

/* Columns of blocks back to a picture: the input is reshaped to what the block and the picture ask for. */
static struct wire *sample_col2im(struct maker *m, struct wire *const *in, int n)
{
	int64_t image[2] = {make_between(m, 2, 5), make_between(m, 2, 5)},
		block[2] = {make_between(m, 1, 2), make_between(m, 1, 2)};
	int64_t blocks = (image[0] - block[0] + 1) * (image[1] - block[1] + 1), channels = make_between(m, 1, 3);
	struct wire *x = make_room(m, make_rank(m, in[0], 3), MAKE_LARGE, 4, 0);

	(void)n;
	x = m->b.rc ? NULL : make_match(m, x, 3, (int64_t[]){1, channels * block[0] * block[1], blocks});
	if (m->b.rc)
		return NULL;
	make_begin(m, "Col2Im", (struct wire *[]){x, make_ints(m, 2, image), make_ints(m, 2, block)}, 3, 1);
	return make_set_bound(m, make_done(m), 4 * make_bound_of(m, x));
}

const struct sampler sampler_col2im = {
	.summary = "Col2Im",
	.types = T_F32 | T_INT,
	.make = sample_col2im,
};
