/* sample_pool.c - poolings over one to three spatial axes, mostly two, and over regions of pictures. */
#include <math.h>
#include <string.h>

#include "ops/pool/samplers.h"
#include "ops/sample/maker.h"
#include "ops/sample/windows.h"

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
	int auto_pad = make_auto_pad(m);

	make_windows(m, x, dilates, &w);
	if (auto_pad >= 0)
		make_fit_same(&w, x);
	keep_inside(&w, x);
	make_begin(m, m->row->name, &x, 1, 1);
	make_set_windows(m, &w, auto_pad);
	if (dilates && auto_pad < 0)
		make_set_dilations(m, &w);
	if (m->wide && auto_pad < 0 && make_chance(m, 0.3) && (rounds_up || ceil_is_plain(&w, x)))
		build_int(&m->b, "ceil_mode", 1);
}

static struct wire *sample_pool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], INFINITY);

	(void)n;
	if (m->b.rc)
		return NULL;
	pool(m, x, 1, m->opset >= 22);
	return make_done(m);
}

const struct sampler sampler_pool = {
	.summary = "MaxPool",
	.types = MAKE_FLOATS | TM(DT_INT8) | TM(DT_UINT8),
	.make = sample_pool,
};

static struct wire *sample_average(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], MAKE_LARGE);

	(void)n;
	if (m->b.rc)
		return NULL;
	pool(m, x, m->opset >= 19 && m->wide, 0);
	if (make_chance(m, 0.4))
		build_int(&m->b, "count_include_pad", 1);
	return make_done(m);
}

const struct sampler sampler_average = {
	.summary = "AveragePool",
	.types = MAKE_FLOATS,
	.make = sample_average,
};

static struct wire *sample_lp_pool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], MAKE_MODEST);
	int64_t p = make_between(m, 1, 3);

	(void)n;
	if (m->b.rc)
		return NULL;
	pool(m, x, 0, 0);
	build_int(&m->b, "p", p);
	return make_set_bound(m, make_done(m), 125 * make_bound_of(m, x));
}

const struct sampler sampler_lp_pool = {
	.summary = "LpPool",
	.types = T_F32,
	.make = sample_lp_pool,
};

static struct wire *sample_global(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], MAKE_LARGE);

	(void)n;
	return make_op1(m, m->row->name, x);
}

const struct sampler sampler_global = {
	.summary = "a pooling over all positions",
	.types = MAKE_FLOATS,
	.make = sample_global,
};

static struct wire *sample_global_lp(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_picture(m, in[0], MAKE_MODEST);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "GlobalLpPool", &x, 1, 1);
	build_int(&m->b, "p", make_between(m, 1, 3));
	return make_set_bound(m, make_done(m), make_bound_of(m, x) * (double)make_count_of(x));
}

const struct sampler sampler_global_lp = {
	.summary = "GlobalLpPool",
	.types = T_F32,
	.make = sample_global_lp,
};

/* MaxPool with indices, and back to where the largest elements were. */
static struct wire *sample_unpool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_rank(m, in[0], 4), *y, *indices;
	int64_t window[2] = {2, 2}, dims[4];

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[2] = (dims[2] + 1) / 2 * 2;
	dims[3] = (dims[3] + 1) / 2 * 2;
	x = make_match(m, x, 4, dims);
	make_begin(m, "MaxPool", &x, 1, 2);
	build_ints(&m->b, "kernel_shape", window, 2);
	build_ints(&m->b, "strides", window, 2);
	y = make_done(m);
	if (m->b.rc)
		return NULL;
	indices = m->b.last->out[1];
	make_begin(m, "MaxUnpool", (struct wire *[]){y, indices}, 2, 1);
	build_ints(&m->b, "kernel_shape", window, 2);
	build_ints(&m->b, "strides", window, 2);
	return make_done(m);
}

const struct sampler sampler_unpool = {
	.summary = "MaxPool and MaxUnpool",
	.types = T_F32,
	.make = sample_unpool,
};

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static struct wire *sample_roi_align(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_calm(m, make_rank(m, in[0], 4), 1000), 512), *rois, *batch;
	int64_t count = make_between(m, 1, 3);
	struct tensor *t;

	(void)n;
	t = m->b.rc ? NULL : tensor_new(DT_FLOAT, 2, (int64_t[]){count, 4}, m->b.err);
	for (size_t i = 0; t && i < t->count; i++) /* begin, then an end beyond it */
		t->f[i] = i % 4 < 2 ? 0.25 * (double)make_between(m, 0, 6) : 2 + 0.25 * (double)make_between(m, 0, 10);
	rois = make_const(m, t, 0);
	if (m->b.rc)
		return NULL;
	batch = make_random(m, DT_INT64, 1, &count, 0, (double)x->type.dims[0] - 1);
	make_begin(m, "RoiAlign", (struct wire *[]){x, rois, batch}, 3, 1);
	build_int(&m->b, "output_height", make_between(m, 1, 3));
	build_int(&m->b, "output_width", make_between(m, 1, 3));
	build_int(&m->b, "sampling_ratio", make_between(m, 1, 2));
	if (make_chance(m, 0.5))
		build_string(&m->b, "coordinate_transformation_mode", "output_half_pixel");
	if (make_chance(m, 0.5))
		build_float(&m->b, "spatial_scale", 0.5);
	return make_done(m);
}

const struct sampler sampler_roi_align = {
	.summary = "RoiAlign",
	.types = T_F32,
	.make = sample_roi_align,
};

/* Corners are whole pixels. */
static struct wire *sample_max_roi_pool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_rank(m, in[0], 4), 512);
	int64_t count = make_between(m, 1, 3), pooled[2] = {make_between(m, 1, 3), make_between(m, 1, 3)};
	struct tensor *t;

	(void)n;
	t = m->b.rc ? NULL : tensor_new(DT_FLOAT, 2, (int64_t[]){count, 5}, m->b.err);
	for (size_t i = 0; t && i < t->count; i++) /* the image, x and y of two corners */
		t->f[i] = i % 5 == 0 ? (double)make_between(m, 0, x->type.dims[0] - 1)
				     : (double)make_between(m, i % 5 < 3 ? 0 : 2, i % 5 < 3 ? 2 : 6);
	make_begin(m, "MaxRoiPool", (struct wire *[]){x, make_const(m, t, 0)}, 2, 1);
	build_ints(&m->b, "pooled_shape", pooled, 2);
	return make_set_bound(m, make_done(m), make_bound_of(m, x));
}

const struct sampler sampler_max_roi_pool = {
	.summary = "MaxRoiPool",
	.types = T_F32,
	.make = sample_max_roi_pool,
};
