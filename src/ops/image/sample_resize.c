/* sample_resize.c - see sample_resize.h.
 *
 * Between elements rounding moves a place by little, and the reference knows by how much.  What is left out are places
 * next to a tie of nearest neighbours and next to the border of a region, and factors that make almost a whole number
 * of elements. */
#include "ops/image/sample_resize.h"

#include <math.h>
#include <string.h>

#include "ops/image/resize_taps.h"

#define TRIES 8
#define LONGEST 12 /* of an axis that comes out */
#define CLOSE 1e-3

static const char *const mode_words[] = {"nearest", "linear", "cubic"};
static const char *const coord_words[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
					  "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
static const char *const nearest_words[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

struct wire *resize_floats(struct maker *m, const double *x, int64_t n)
{
	struct tensor *wide = m->b.rc ? NULL : tensor_new(DT_FLOAT, 1, &n, m->b.err);

	for (int64_t i = 0; wide && i < n; i++)
		wide->f[i] = x[i];
	return make_const(m, wide, 0);
}

/* Version 10 has the factors alone; up to 12 what is not said is an empty list, later ones leave it out. */
void resize_begin(struct maker *m, struct wire *x, struct wire *roi, struct wire *scales, struct wire *sizes)
{
	if (m->opset < 11) {
		make_begin(m, "Resize", (struct wire *[]){x, scales}, 2, 1);
		return;
	}
	if (m->opset < 13 && !roi)
		roi = resize_floats(m, NULL, 0);
	if (m->opset < 13 && !scales)
		scales = resize_floats(m, NULL, 0);
	make_begin(m, "Resize", (struct wire *[]){x, roi, scales, sizes}, sizes ? 4 : 3, 1);
}

int resize_is_wide(struct maker *m)
{
	return m->wide && m->opset >= 10 && make_chance(m, 0.6);
}

/* ---- rules and factors ------------------------------------------------------------------------------------------- */

static enum resize_coord draw_coord(struct maker *m, enum resize_mode mode)
{
	if (m->opset < 13 && mode == RESIZE_NEAREST && make_chance(m, 0.15))
		return COORD_TF_HALF_PIXEL_FOR_NN;
	if (m->opset >= 19 && make_chance(m, 0.15))
		return COORD_HALF_PIXEL_SYMMETRIC;
	return (enum resize_coord)MAKE_ONE_OF(m, COORD_HALF_PIXEL, COORD_PYTORCH_HALF_PIXEL, COORD_ALIGN_CORNERS,
					      COORD_ASYMMETRIC);
}

static struct resize_rule draw_rule(struct maker *m, enum resize_mode mode, enum resize_coord coord)
{
	struct resize_rule r = {.mode = mode, .coord = coord, .cubic_a = -0.75};

	if (m->opset < 11) /* the only rule of that version */
		return (struct resize_rule){
			.mode = mode, .coord = COORD_ASYMMETRIC, .nearest = NEAREST_FLOOR, .cubic_a = -0.75};
	if (mode == RESIZE_NEAREST)
		r.nearest = (enum resize_nearest)make_between(m, NEAREST_PREFER_FLOOR, NEAREST_CEIL);
	if (mode == RESIZE_CUBIC && make_chance(m, 0.4))
		r.cubic_a = -0.5;
	r.antialias =
		m->opset >= 18 && mode != RESIZE_NEAREST && coord != COORD_TF_CROP_AND_RESIZE && make_chance(m, 0.25);
	r.exclude_outside = mode == RESIZE_CUBIC && make_chance(m, 0.3);
	return r;
}

/* A size, or a factor that is not a whole part of one. */
static void draw_axis(struct maker *m, int by_sizes, struct resize_axis *a)
{
	static const double some[] = {0.25, 0.3, 0.4, 0.6, 0.7, 0.9, 1.1, 1.25, 1.5, 1.7, 2.5, 3, 3.3, 5};

	if (by_sizes) {
		a->out = make_between(m, 1, 3 * a->in < LONGEST ? 3 * a->in : LONGEST);
		a->scale = (double)a->out / (double)a->in;
		return;
	}
	a->scale = (double)(float)some[make_between(m, 0, sizeof some / sizeof *some - 1)];
	if (make_chance(m, 0.1)) /* the smallest of all */
		a->scale = (double)(float)(1.25 / (double)a->in);
	a->out = (int64_t)floor((double)a->in * a->scale);
}

/* Whether all that read ONNX come to the same sizes and the same elements. */
static int is_plain(const struct resize_rule *r, const struct resize_axis *a)
{
	double size = (double)a->in * a->scale, whole = round(size);

	if (a->out < 1 || a->out > LONGEST + a->in || (size != whole && fabs(size - whole) < CLOSE))
		return 0;
	if (r->coord == COORD_ALIGN_CORNERS && (a->out < 2 || size != whole)) /* no corners, or not said which */
		return 0;
	return r->antialias ? a->scale * (double)a->in >= 1 : !taps_flip(r, a);
}

static void draw_axes(struct maker *m, const struct resize_rule *r, int by_sizes, int n, struct resize_axis *axes)
{
	for (int i = 0; i < n; i++) {
		int tries = make_chance(m, 0.2) ? 0 : TRIES;
		struct resize_axis kept = axes[i];

		for (; tries; tries--) {
			draw_axis(m, by_sizes, &axes[i]);
			if (is_plain(r, &axes[i]))
				break;
			axes[i] = kept;
		}
	}
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void set_rule(struct maker *m, const struct resize_rule *r)
{
	build_string(&m->b, "mode", mode_words[r->mode]);
	if (m->opset < 11)
		return;
	build_string(&m->b, "coordinate_transformation_mode", coord_words[r->coord]);
	if (r->mode == RESIZE_NEAREST)
		build_string(&m->b, "nearest_mode", nearest_words[r->nearest]);
	if (r->cubic_a != -0.75)
		build_float(&m->b, "cubic_coeff_a", r->cubic_a);
	if (r->exclude_outside)
		build_int(&m->b, "exclude_outside", 1);
	if (r->antialias)
		build_int(&m->b, "antialias", 1);
}

/* The sizes that keep an aspect ratio, where rounding does not decide them; NULL: none. */
static const char *keep_ratio(struct maker *m, const struct resize_rule *r, int n, struct resize_axis *axes)
{
	int larger = make_chance(m, 0.5);
	double best = axes[0].scale;

	for (int i = 1; i < n; i++)
		best = larger ? fmax(best, axes[i].scale) : fmin(best, axes[i].scale);
	for (int i = 0; i < n; i++) {
		struct resize_axis a = axes[i];

		a.scale = best;
		a.out = (int64_t)floor(best * (double)a.in + 0.5);
		if (r->coord == COORD_HALF_PIXEL_SYMMETRIC || !is_plain(r, &a) ||
		    fabs(fabs(best * (double)a.in - (double)a.out) - 0.5) < CLOSE)
			return NULL;
	}
	return larger ? "not_smaller" : "not_larger";
}

/* Numbers of the axes from `first` on, or of all. */
static void put_numbers(struct maker *m, struct wire *x, int by_sizes, int first, const struct resize_axis *axes)
{
	int64_t sizes[TENSOR_MAX_RANK];
	double scales[TENSOR_MAX_RANK];
	int n = x->type.rank - first;

	for (int i = 0; i < n; i++) {
		const struct resize_axis *a = first + i < 2 ? NULL : &axes[first + i - 2];

		sizes[i] = a ? a->out : x->type.dims[i];
		scales[i] = a ? a->scale : 1;
	}
	resize_begin(m, x, NULL, by_sizes ? NULL : resize_floats(m, scales, n),
		     by_sizes ? make_ints(m, (size_t)n, sizes) : NULL);
}

struct wire *resize_wide(struct maker *m, struct wire *x, enum resize_mode mode)
{
	struct resize_axis axes[TENSOR_MAX_RANK];
	struct resize_rule r = draw_rule(m, mode, draw_coord(m, mode));
	int by_sizes = m->opset >= 11 && make_chance(m, 0.5), some = m->opset >= 18 && make_chance(m, 0.3),
	    n = x->type.rank - 2;
	int64_t list[TENSOR_MAX_RANK];
	const char *policy;

	for (int i = 0; i < n; i++) {
		axes[i] = (struct resize_axis){
			.in = x->type.dims[2 + i], .out = x->type.dims[2 + i], .scale = 1, .end = 1};
		list[i] = make_either_end(m, 2 + i, x->type.rank);
	}
	draw_axes(m, &r, by_sizes, n, axes);
	policy = some && by_sizes && make_chance(m, 0.3) ? keep_ratio(m, &r, n, axes) : NULL;
	put_numbers(m, x, by_sizes, some ? 2 : 0, axes);
	set_rule(m, &r);
	if (some)
		build_ints(&m->b, "axes", list, (size_t)n);
	if (policy)
		build_string(&m->b, "keep_aspect_ratio_policy", policy);
	return make_done(m);
}

struct wire *resize_region(struct maker *m, struct wire *x)
{
	enum resize_mode mode = (enum resize_mode)make_between(m, RESIZE_NEAREST, RESIZE_CUBIC);
	struct resize_rule r = draw_rule(m, mode, COORD_TF_CROP_AND_RESIZE);
	double part[8] = {0, 0, 0, 0, 1, 1, 1, 1};
	int64_t dims[4];

	memcpy(dims, x->type.dims, sizeof dims);
	for (int i = 2; i < 4; i++)
		for (int tries = TRIES; tries; tries--) {
			struct resize_axis a = {.in = dims[i], .out = make_between(m, 1, LONGEST), .scale = 1};

			a.start = 0.0625 * (double)make_between(m, -6, 12);
			a.end = a.start + 0.0625 * (double)make_between(m, 1, 16);
			if (taps_flip(&r, &a))
				continue;
			part[i] = a.start;
			part[4 + i] = a.end;
			dims[i] = a.out;
			break;
		}
	resize_begin(m, x, resize_floats(m, part, 8), NULL, make_ints(m, 4, dims));
	set_rule(m, &r);
	build_float(&m->b, "extrapolation_value", (double)make_between(m, -2, 2));
	return make_set_bound(m, make_done(m), 3 * fmax(make_bound_of(m, x), 2));
}
