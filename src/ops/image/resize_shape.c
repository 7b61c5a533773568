/* resize_shape.c - attributes and inputs of Resize and Upsample, over their versions:
 *
 *     Upsample 1       attributes height_scale, width_scale          nearest | bilinear
 *     Upsample 7       attribute scales                              nearest | linear
 *     Upsample 9, 10, Resize 10    inputs X, scales                  nearest | linear
 *     Resize 11 on     inputs X, roi, scales | sizes                 nearest | linear | cubic
 *
 * Up to version 10 the specification does not say how places are mapped; everyone takes x / scale, and floor for
 * nearest. */
#include "ops/image/resize_shape.h"

#include <math.h>
#include <string.h>

#define MAX_SIZE 9e15 /* an integer that a double has exactly */

struct resize_choice {
	const char *name;
	int value;
};

static int choose(struct call *c, const char *attr, const struct resize_choice *list, int *out)
{
	const char *text = attr_string(c->node, attr);

	for (; list->name; list++) {
		if (!strcmp(list->name, text)) {
			*out = list->value;
			return 0;
		}
	}
	return call_bad(c, "attribute '%s' is '%s'", attr, text);
}

static int read_rule(struct call *c, struct resize *r)
{
	static const struct resize_choice modes[] = {{"nearest", RESIZE_NEAREST},
						     {"linear", RESIZE_LINEAR},
						     {"bilinear", RESIZE_LINEAR},
						     {"cubic", RESIZE_CUBIC},
						     {0}};
	static const struct resize_choice coords[] = {{"half_pixel", COORD_HALF_PIXEL},
						      {"half_pixel_symmetric", COORD_HALF_PIXEL_SYMMETRIC},
						      {"pytorch_half_pixel", COORD_PYTORCH_HALF_PIXEL},
						      {"align_corners", COORD_ALIGN_CORNERS},
						      {"asymmetric", COORD_ASYMMETRIC},
						      {"tf_half_pixel_for_nn", COORD_TF_HALF_PIXEL_FOR_NN},
						      {"tf_crop_and_resize", COORD_TF_CROP_AND_RESIZE},
						      {0}};
	static const struct resize_choice nearests[] = {{"round_prefer_floor", NEAREST_PREFER_FLOOR},
							{"round_prefer_ceil", NEAREST_PREFER_CEIL},
							{"floor", NEAREST_FLOOR},
							{"ceil", NEAREST_CEIL},
							{0}};
	int mode, coord, nearest, rc = choose(c, "mode", modes, &mode);

	if (rc)
		return rc;
	r->rule = (struct resize_rule){
		.mode = (enum resize_mode)mode, .coord = COORD_ASYMMETRIC, .nearest = NEAREST_FLOOR};
	if (c->version < 11)
		return mode == RESIZE_CUBIC ? call_bad(c, "mode 'cubic' is there only from opset 11 on") : 0;
	if ((rc = choose(c, "coordinate_transformation_mode", coords, &coord)) ||
	    (rc = choose(c, "nearest_mode", nearests, &nearest)))
		return rc;
	r->rule = (struct resize_rule){.mode = (enum resize_mode)mode,
				       .coord = (enum resize_coord)coord,
				       .nearest = (enum resize_nearest)nearest,
				       .cubic_a = attr_float(c->node, "cubic_coeff_a"),
				       .exclude_outside = attr_int(c->node, "exclude_outside") != 0,
				       .antialias = attr_int(c->node, "antialias") != 0};
	r->extrapolation = attr_float(c->node, "extrapolation_value");
	return 0;
}

/* The axes that scales, sizes and roi speak of, in their order. */
static int read_axes(struct call *c, struct resize *r, int *list, size_t *n)
{
	const int64_t *axes;
	size_t count;
	int rc = 0;

	axes = node_ints(c->node, "axes", &count);
	*n = count ? count : (size_t)r->rank;
	if (*n > (size_t)r->rank)
		return call_bad(c, "attribute 'axes' has %zu numbers, X has rank %d", count, r->rank);
	for (size_t i = 0; i < *n && !rc; i++) {
		list[i] = (int)i;
		if (count)
			rc = call_axis(c, axes[i], r->rank, &list[i]);
		if (!rc && r->mask >> list[i] & 1)
			rc = call_bad(c, "attribute 'axes' has axis %d twice", list[i]);
		if (!rc)
			r->mask |= UINT32_C(1) << list[i];
	}
	return rc;
}

/* Scales from wherever the version has them, unless they are not known yet; *n = 0 when there are none. */
static int read_scales(struct call *c, const struct resize *r, double *scales, size_t *n, int *known)
{
	int input = c->version >= 11 ? 2 : 1;
	const double *list = NULL;

	*known = 1;
	*n = 0;
	if (c->version >= 9 && call_has(c, input)) {
		*known = c->in[input] != NULL;
		*n = *known ? c->in[input]->count : 0;
		list = *known ? c->in[input]->f : NULL;
	} else if (c->version == 7) {
		list = node_floats(c->node, "scales", n);
	} else if (c->version == 1) {
		for (int i = 0; i < r->rank; i++)
			scales[i] = i == 2   ? attr_float(c->node, "height_scale")
				    : i == 3 ? attr_float(c->node, "width_scale")
					     : 1;
		*n = 4;
		if (r->rank != 4)
			return call_bad(c, "X has rank %d, wanted 4", r->rank);
	}
	if (*n > TENSOR_MAX_RANK)
		return call_bad(c, "%zu scales are too many", *n);
	for (size_t i = 0; i < *n; i++) {
		scales[i] = list ? list[i] : scales[i];
		if (!(scales[i] > 0) || !isfinite(scales[i]))
			return call_bad(c, "scale %zu is %g, wanted a number above 0", i, scales[i]);
	}
	return 0;
}

static int read_roi(struct call *c, struct resize *r, const int *list, size_t n)
{
	const struct tensor *roi = c->version >= 11 && call_has(c, 1) ? c->in[1] : NULL;

	if (r->rule.coord != COORD_TF_CROP_AND_RESIZE)
		return 0;
	if (!roi) {
		r->known = r->known && call_has(c, 1) ? 0 : r->known;
		return call_has(c, 1) ? 0 : call_bad(c, "tf_crop_and_resize needs input roi");
	}
	if (roi->count != 2 * n)
		return call_bad(c, "roi has %zu numbers, wanted %zu", roi->count, 2 * n);
	for (size_t i = 0; i < n; i++) {
		r->axis[list[i]].start = roi->f[i];
		r->axis[list[i]].end = roi->f[n + i];
	}
	return 0;
}

/* floor(in * (end - start) * scale), in the float32 that everybody computes it in: 10 * 0.7f is 7, not 6.9999999. */
static int size_by_scale(struct call *c, struct resize_axis *a, double scale)
{
	float part = (float)(a->end - a->start), size = floorf((float)a->in * part * (float)scale);

	a->scale = scale;
	if (!(size >= 0 && (double)size < MAX_SIZE))
		return call_bad(c, "scale %g makes %lld elements %g", scale, (long long)a->in, (double)size);
	a->out = (int64_t)size;
	return 0;
}

static int size_by_sizes(struct call *c, struct resize *r, const int *list, const int64_t *sizes, size_t n)
{
	static const struct resize_choice policies[] = {{"stretch", 0}, {"not_larger", -1}, {"not_smaller", 1}, {0}};
	double best = 0;
	int policy, rc = choose(c, "keep_aspect_ratio_policy", policies, &policy);

	for (size_t i = 0; i < n && !rc; i++) {
		struct resize_axis *a = &r->axis[list[i]];

		if (sizes[i] < 0)
			return call_bad(c, "size %zu is %lld", i, (long long)sizes[i]);
		a->out = sizes[i];
		a->scale = a->in ? (double)sizes[i] / (double)a->in : 1;
		if (i == 0 || (policy < 0 ? a->scale < best : a->scale > best))
			best = a->scale;
	}
	for (size_t i = 0; i < n && !rc && policy; i++) {
		struct resize_axis *a = &r->axis[list[i]];

		a->scale = best;
		if (!(best * (double)a->in < MAX_SIZE))
			return call_bad(c, "sizes make %lld elements %g", (long long)a->in, best * (double)a->in);
		a->out = (int64_t)floor(best * (double)a->in + 0.5);
	}
	return rc;
}

int resize_init(struct call *c, struct resize *r, int rank, const int64_t *dims)
{
	double scales[TENSOR_MAX_RANK];
	const int64_t *sizes = NULL;
	int list[TENSOR_MAX_RANK], scales_known = 1, rc;
	enum ints_found found = INTS_ABSENT;
	size_t n = 0, n_scales = 0, n_sizes = 0;

	memset(r, 0, sizeof *r);
	r->rank = rank;
	for (int i = 0; i < rank; i++)
		r->axis[i] = (struct resize_axis){.in = dims[i], .out = dims[i], .scale = 1, .end = 1};
	rc = read_rule(c, r);
	if (!rc)
		rc = read_axes(c, r, list, &n);
	if (!rc)
		rc = read_scales(c, r, scales, &n_scales, &scales_known);
	if (!rc && c->version >= 11)
		rc = call_ints(c, NULL, 3, &sizes, &n_sizes, &found);
	if (rc)
		return rc;
	if (found == INTS_GIVEN && !n_sizes)
		found = INTS_ABSENT; /* an empty list stands for none */
	r->known = scales_known && found != INTS_UNKNOWN;
	if (!r->known)
		return 0;
	if ((n_scales != 0) == (found == INTS_GIVEN))
		return call_bad(c, "exactly one of scales and sizes must be there");
	if ((n_scales ? n_scales : n_sizes) != n)
		return call_bad(c, "%zu %s, wanted %zu", n_scales ? n_scales : n_sizes, n_scales ? "scales" : "sizes",
				n);
	for (size_t i = 0; i < n; i++)
		r->known = r->known && dims[list[i]] >= 0;
	rc = read_roi(c, r, list, n);
	if (rc || !r->known)
		return rc;
	for (size_t i = 0; i < n && n_scales && !rc; i++)
		rc = size_by_scale(c, &r->axis[list[i]], scales[i]);
	return rc || n_scales ? rc : size_by_sizes(c, r, list, sizes, n);
}
