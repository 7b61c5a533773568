/* sample_image.c - Resize in its modes, over two spatial axes; grids.
 *
 * Factors are powers of two, so that places between elements are exact in any library; sample_resize.c has others. */
#include <math.h>

#include "ops/image/sample_resize.h"
#include "ops/image/samplers.h"
#include "ops/sample/maker.h"

static double draw_factor(struct maker *m)
{
	static const double powers[] = {0.5, 1, 2, 4};

	return powers[make_between(m, m->opset < 11, 3)]; /* version 10 does not say which element is left of two */
}

static struct wire *resize(struct maker *m, struct wire *x, const char *mode, const char *coordinates)
{
	double factors[4] = {1, 1, draw_factor(m), draw_factor(m)};
	struct wire *scales = NULL, *sizes = NULL;
	int64_t dims[4];

	for (int i = 0; i < 4; i++) {
		dims[i] = (int64_t)floor((double)x->type.dims[i] * factors[i]);
		if (dims[i] < 1 || (double)dims[i] != (double)x->type.dims[i] * factors[i]) {
			dims[i] = x->type.dims[i];
			factors[i] = 1;
		}
	}
	if (make_chance(m, 0.5) || m->opset < 11)
		scales = resize_floats(m, factors, 4);
	else
		sizes = make_ints(m, 4, dims);
	resize_begin(m, x, NULL, scales, sizes);
	build_string(&m->b, "mode", mode);
	build_string(&m->b, "coordinate_transformation_mode", coordinates);
	return make_done(m);
}

static const char *draw_coordinates(struct maker *m)
{
	static const char *const words[] = {"half_pixel", "asymmetric", "pytorch_half_pixel"};

	return words[make_between(m, 0, 2)];
}

static struct wire *sample_linear(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_calm(m, make_rank(m, in[0], 4), MAKE_LARGE), MAKE_MAX_COUNT / 4);

	(void)n;
	if (m->b.rc)
		return NULL;
	return resize_is_wide(m) ? resize_wide(m, x, RESIZE_LINEAR) : resize(m, x, "linear", draw_coordinates(m));
}

const struct sampler sampler_resize_linear = {
	.summary = "Resize, linear",
	.types = T_F32,
	.since = 11, /* version 10 does not say where elements lie */
	.make = sample_linear,
};

static struct wire *sample_nearest(struct maker *m, struct wire *const *in, int n)
{
	static const char *const rounding[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
	struct wire *x = make_shrink(m, make_rank(m, in[0], 4), MAKE_MAX_COUNT / 8), *y;

	(void)n;
	if (m->b.rc)
		return NULL;
	if (resize_is_wide(m))
		return resize_wide(m, x, RESIZE_NEAREST);
	y = resize(m, x, "nearest", make_chance(m, 0.5) ? "asymmetric" : "half_pixel");
	if (m->wide && m->opset >= 11)
		build_string(&m->b, "nearest_mode", rounding[make_between(m, 0, 3)]);
	return y;
}

const struct sampler sampler_resize_nearest = {
	.summary = "Resize, nearest",
	.types = T_F32 | T_INT | T_BOOL,
	.make = sample_nearest,
};

static struct wire *sample_cubic(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_calm(m, make_rank(m, in[0], 4), MAKE_LARGE), MAKE_MAX_COUNT / 4), *y;

	(void)n;
	if (m->b.rc)
		return NULL;
	y = resize_is_wide(m) ? resize_wide(m, x, RESIZE_CUBIC) : resize(m, x, "cubic", draw_coordinates(m));
	return make_set_bound(m, y, 3 * make_bound_of(m, x));
}

const struct sampler sampler_resize_cubic = {
	.summary = "Resize, cubic",
	.types = T_F32,
	.since = 11,
	.make = sample_cubic,
};

/* A part of the picture, stretched: begins and ends as shares of each axis. */
static struct wire *sample_crop_and_resize(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_calm(m, make_rank(m, in[0], 4), MAKE_LARGE), MAKE_MAX_COUNT / 4), *roi;
	double part[8] = {0, 0, 0, 0, 1, 1, 1, 1};
	int64_t dims[4];

	(void)n;
	if (m->b.rc)
		return NULL;
	for (int i = 2; i < 4; i++) {
		part[i] = 0.125 * (double)make_between(m, 0, 3);
		part[4 + i] = 0.125 * (double)make_between(m, 4, 7); /* at 1 rounding decides what lies outside */
	}
	if (resize_is_wide(m))
		return resize_region(m, x);
	roi = resize_floats(m, part, 8);
	for (int i = 0; i < 4; i++)
		dims[i] = i < 2 ? x->type.dims[i] : make_between(m, 2, 8);
	resize_begin(m, x, roi, NULL, make_ints(m, 4, dims));
	build_string(&m->b, "mode", "linear");
	build_string(&m->b, "coordinate_transformation_mode", "tf_crop_and_resize");
	if (make_chance(m, 0.5))
		build_float(&m->b, "extrapolation_value", (double)make_between(m, -2, 2));
	return make_set_bound(m, make_done(m), fmax(make_bound_of(m, x), 2));
}

const struct sampler sampler_crop_and_resize = {
	.summary = "Resize of a part (tf_crop_and_resize)",
	.types = T_F32,
	.since = 11,
	.make = sample_crop_and_resize,
};

/* Factors of at least 1, in what came before Resize. */
static struct wire *sample_upsample(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_rank(m, in[0], 4), MAKE_MAX_COUNT / 16);
	double factors[4] = {1, 1, (double)make_between(m, 1, 4), (double)make_between(m, 1, 4)};

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "Upsample", (struct wire *[]){x, resize_floats(m, factors, 4)}, 2, 1);
	if (make_chance(m, 0.5))
		build_string(&m->b, "mode", "nearest");
	return make_done(m);
}

const struct sampler sampler_upsample = {
	.summary = "Upsample, nearest",
	.types = T_F32 | T_INT | T_BOOL,
	.until = 10,
	.make = sample_upsample,
};

/* ---- grids ------------------------------------------------------------------------------------------------------- */

/* Places are whole pixels and halves of them away from where the nearest of two would be a matter of rounding. */
static struct wire *sample_grid_sample(struct maker *m, struct wire *const *in, int n)
{
	static const char *const modes[] = {"bilinear", "nearest", "bicubic"}, *const old[] = {"linear", "nearest",
											       "cubic"};
	static const char *const paddings[] = {"zeros", "border", "reflection"};
	int whole = !dtype_is_float(in[0]->type.dtype); /* what interpolation makes of integers is open */
	struct wire *x = make_rank(m, in[0], 4), *grid;
	int mode = whole ? 1 : (int)make_between(m, 0, 2), padding = (int)make_between(m, 0, 2),
	    corners = (int)make_between(m, 0, 1);

	(void)n;
	x = make_shrink(m, whole ? x : make_calm(m, x, 1000), 512);
	if (m->b.rc)
		return NULL;
	grid = make_random(m, DT_FLOAT, 4,
			   (int64_t[]){x->type.dims[0], make_between(m, 1, 3), make_between(m, 1, 3), 2}, -0.99, 0.99);
	make_begin(m, "GridSample", (struct wire *[]){x, grid}, 2, 1);
	build_string(&m->b, "mode", m->opset < 20 ? modes[mode] : old[mode]);
	build_string(&m->b, "padding_mode", paddings[padding]);
	build_int(&m->b, "align_corners", corners);
	return make_set_bound(m, make_done(m), 3 * make_bound_of(m, x));
}

const struct sampler sampler_grid_sample = {
	.summary = "GridSample over two axes",
	.types = T_F32 | T_INT | T_BOOL,
	.make = sample_grid_sample,
};

static struct wire *sample_affine_grid(struct maker *m, struct wire *const *in, int n)
{
	int solid = make_chance(m, 0.4); /* three axes */
	int64_t size[5] = {make_between(m, 1, 2), 1, make_between(m, 1, 4), make_between(m, 1, 4),
			   make_between(m, 1, 3)};
	struct wire *theta = make_calm(m, make_match(m, in[0], 3, (int64_t[]){size[0], 2 + solid, 3 + solid}), 10);

	(void)n;
	make_begin(m, "AffineGrid", (struct wire *[]){theta, make_ints(m, 4 + (size_t)solid, size)}, 2, 1);
	for (int i = 2; i < 4 + solid; i++) /* one place has no two corners */
		if (size[i] < 2)
			return make_set_bound(m, make_done(m), 40);
	build_int(&m->b, "align_corners", make_between(m, 0, 1));
	return make_set_bound(m, make_done(m), 40);
}

const struct sampler sampler_affine_grid = {
	.summary = "AffineGrid over two or three axes",
	.types = T_F32,
	.make = sample_affine_grid,
};
