/* sample_resize.c - Resize in its modes, over two spatial axes.
 *
 * Factors are powers of two, so that places between elements are exact in any library: at others they are a matter of
 * rounding, which the slope between two elements magnifies, and nearest neighbours flip. */
#include <math.h>

#include "methods/fuzz/maker.h"

static struct wire *const_floats(struct maker *m, const double *x, int64_t n)
{
	struct tensor *wide = m->b.rc ? NULL : tensor_new(DT_FLOAT, 1, &n, m->b.err);

	for (int64_t i = 0; wide && i < n; i++)
		wide->f[i] = x[i];
	return constant(m, wide, 0);
}

static double draw_factor(struct maker *m)
{
	static const double powers[] = {0.5, 1, 2, 4};

	return powers[between(m, 0, 3)];
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
	if (chance(m, 0.5))
		scales = const_floats(m, factors, 4);
	else
		sizes = const_ints(m, 4, dims);
	begin(m, "Resize", (struct wire *[]){x, NULL, scales, sizes}, sizes ? 4 : 3, 1);
	build_string(&m->b, "mode", mode);
	build_string(&m->b, "coordinate_transformation_mode", coordinates);
	return done(m);
}

static const char *draw_coordinates(struct maker *m)
{
	static const char *const words[] = {"half_pixel", "asymmetric", "pytorch_half_pixel"};

	return words[between(m, 0, 2)];
}

static struct wire *make_linear(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, calm(m, as_rank(m, in[0], 4), LARGE), MAX_COUNT / 4);

	(void)n;
	return m->b.rc ? NULL : resize(m, x, "linear", draw_coordinates(m));
}

const struct sampler sampler_resize_linear = {"Resize, linear", TM(DT_FLOAT), make_linear, 0, 0};

static struct wire *make_nearest(struct maker *m, struct wire *const *in, int n)
{
	static const char *const rounding[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
	struct wire *x = shrink(m, as_rank(m, in[0], 4), MAX_COUNT / 8), *y;

	(void)n;
	if (m->b.rc)
		return NULL;
	y = resize(m, x, "nearest", chance(m, 0.5) ? "asymmetric" : "half_pixel");
	if (m->wide)
		build_string(&m->b, "nearest_mode", rounding[between(m, 0, 3)]);
	return y;
}

const struct sampler sampler_resize_nearest = {"Resize, nearest", TM(DT_FLOAT), make_nearest, 0, 0};

static struct wire *make_cubic(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, calm(m, as_rank(m, in[0], 4), LARGE), MAX_COUNT / 4), *y;

	(void)n;
	if (m->b.rc)
		return NULL;
	y = resize(m, x, "cubic", draw_coordinates(m));
	return set_bound(m, y, 3 * bound_of(m, x));
}

const struct sampler sampler_resize_cubic = {"Resize, cubic", TM(DT_FLOAT), make_cubic, 0, 0};

/* A part of the picture, stretched: begins and ends as shares of each axis. */
static struct wire *make_crop_and_resize(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, calm(m, as_rank(m, in[0], 4), LARGE), MAX_COUNT / 4), *roi;
	double part[8] = {0, 0, 0, 0, 1, 1, 1, 1};
	int64_t dims[4];

	(void)n;
	if (m->b.rc)
		return NULL;
	for (int i = 2; i < 4; i++) {
		part[i] = 0.125 * (double)between(m, 0, 3);
		part[4 + i] = 0.125 * (double)between(m, 4, 7); /* at 1 rounding decides what lies outside */
	}
	roi = const_floats(m, part, 8);
	for (int i = 0; i < 4; i++)
		dims[i] = i < 2 ? x->type.dims[i] : between(m, 2, 8);
	begin(m, "Resize", (struct wire *[]){x, roi, NULL, const_ints(m, 4, dims)}, 4, 1);
	build_string(&m->b, "mode", "linear");
	build_string(&m->b, "coordinate_transformation_mode", "tf_crop_and_resize");
	if (chance(m, 0.5))
		build_float(&m->b, "extrapolation_value", (double)between(m, -2, 2));
	return set_bound(m, done(m), fmax(bound_of(m, x), 2));
}

const struct sampler sampler_crop_and_resize = {"Resize of a part (tf_crop_and_resize)", TM(DT_FLOAT),
						make_crop_and_resize, 0, 0};
