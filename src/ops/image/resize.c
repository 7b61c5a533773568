/* resize.c - Resize and Upsample: an axis at a time is resampled (resize_taps.h).
 *
 *     y = (R_1 ⊗ R_2 ⊗ … ) x      R_a: the matrix of taps of axis a */
#include <math.h>
#include <string.h>

#include "ops/attr.h"
#include "ops/image/resize_shape.h"
#include "ops/image/samplers.h"

static int resize_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK];
	struct resize *r = call_scratch(c, 1, sizeof *r);
	int rc;

	if (!r)
		return ERR_MEMORY;
	if (!x) {
		call_out_rank(c, 0, c->in_type[0].dtype, -1);
		return 0;
	}
	rc = resize_init(c, r, x->rank, x->dims);
	if (rc)
		return rc;
	for (int i = 0; i < x->rank; i++) {
		int changes = r->mask >> i & 1;

		dims[i] = !changes ? x->dims[i] : r->known ? r->axis[i].out : DIM_UNKNOWN;
		if (changes && r->known && !r->axis[i].in && r->axis[i].out)
			return call_bad(c, "axis %d of X is empty and cannot be made %lld long", i,
					(long long)r->axis[i].out);
	}
	call_out(c, 0, x->dtype, x->rank, dims);
	return 0;
}

/* Everything read again, with the taps of each axis that changes. */
static int prepare(struct call *c, struct resize **out)
{
	const struct tensor *x = c->in[0];
	struct resize *r = call_scratch(c, 1, sizeof *r);
	int rc;

	if (!r)
		return ERR_MEMORY;
	*out = r;
	rc = resize_init(c, r, x->rank, x->dims);
	if (!rc && !r->known)
		rc = call_bad(c, "scales, sizes or roi are not known");
	for (int i = 0; i < x->rank && !rc; i++) {
		r->taps[i].identity = 1;
		if (r->mask >> i & 1 && c->out[0]->count)
			rc = taps_build(c, &r->rule, &r->axis[i], &r->taps[i]);
	}
	return rc;
}

/* One axis: `from` is [outer, size before, inner], `to` [outer, size after, inner]. */
typedef void step_fn(const struct taps *t, int axis, size_t outer, size_t inner, const double *from, double *to,
		     const void *arg);

/* The axis, of those in `left`, that grows least: taken in this order, no tensor on the way is larger than both the
 * input and the output. */
static int next_axis(const struct resize *r, uint32_t left, int backward)
{
	double least = INFINITY;
	int best = -1;

	for (int i = 0; i < r->rank; i++) {
		double ratio = (double)r->axis[i].out / (double)r->axis[i].in;

		ratio = backward ? 1 / ratio : ratio;
		if (left >> i & 1 && (best < 0 || ratio < least)) {
			least = ratio;
			best = i;
		}
	}
	return best;
}

/* Runs step over all axes that change, through buffers; backward: from the output's shape to the input's.  *result is
 * the last buffer, or x itself when nothing changes. */
static int chain(struct call *c, const struct resize *r, const double *x, int backward, step_fn *step, const void *arg,
		 const double **result)
{
	int64_t dims[TENSOR_MAX_RANK];
	uint32_t left = 0;
	int i;

	for (i = 0; i < r->rank && i < TENSOR_MAX_RANK; i++) { /* the second for gcc, which warns otherwise */
		dims[i] = backward ? r->axis[i].out : r->axis[i].in;
		left |= (uint32_t)!r->taps[i].identity << i;
	}
	*result = x;
	for (; (i = next_axis(r, left, backward)) >= 0; left &= ~(UINT32_C(1) << i)) {
		size_t outer = dims_product(dims, 0, i), inner = dims_product(dims, i + 1, r->rank);
		double *to;

		dims[i] = backward ? r->axis[i].in : r->axis[i].out;
		to = call_scratch(c, outer * (size_t)dims[i] * inner, sizeof *to);
		if (!to)
			return ERR_MEMORY;
		step(&r->taps[i], i, outer, inner, *result, to, arg);
		*result = to;
	}
	return 0;
}

static void step_move(const struct taps *t, int axis, size_t outer, size_t inner, const double *from, double *to,
		      const void *arg)
{
	(void)axis;
	(void)arg;
	taps_move(t, outer, inner, from, to);
}

static void step_weigh(const struct taps *t, int axis, size_t outer, size_t inner, const double *from, double *to,
		       const void *arg)
{
	(void)axis;
	(void)arg;
	taps_apply(t, t->w, outer, inner, from, to);
}

static void step_back(const struct taps *t, int axis, size_t outer, size_t inner, const double *from, double *to,
		      const void *arg)
{
	(void)axis;
	(void)arg;
	taps_apply_transposed(t, outer, inner, from, to);
}

/* Terms along one axis, weights along the others. */
static void step_terms(const struct taps *t, int axis, size_t outer, size_t inner, const double *from, double *to,
		       const void *arg)
{
	taps_apply(t, axis == *(const int *)arg ? t->terms : t->w, outer, inner, from, to);
}

/* Slopes along one axis, weights along the others. */
static void step_slope(const struct taps *t, int axis, size_t outer, size_t inner, const double *from, double *to,
		       const void *arg)
{
	taps_apply(t, axis == *(const int *)arg ? t->slope : t->w, outer, inner, from, to);
}

/* Calls for every run of `n` outputs that lie outside of the input along some axis. */
static void for_each_outside(const struct resize *r, void (*fn)(size_t at, size_t n, void *arg), void *arg)
{
	int64_t dims[TENSOR_MAX_RANK];

	for (int i = 0; i < r->rank; i++)
		dims[i] = r->axis[i].out;
	for (int i = 0; i < r->rank; i++) {
		size_t outer = dims_product(dims, 0, i), inner = dims_product(dims, i + 1, r->rank);

		for (size_t o = 0; !r->taps[i].identity && o < (size_t)dims[i]; o++)
			for (size_t k = 0; r->taps[i].outside[o] && k < outer; k++)
				fn((k * (size_t)dims[i] + o) * inner, inner, arg);
	}
}

struct resize_fill {
	double *f;
	int64_t *i;
	double value;
};

static void fill_run(size_t at, size_t n, void *arg)
{
	struct resize_fill *fill = arg;

	for (size_t k = at; k < at + n; k++) {
		if (fill->f)
			fill->f[k] = fill->value;
		else
			fill->i[k] = (int64_t)fill->value;
	}
}

/* Integers are interpolated in double and cut to whole numbers, as a cast does. */
static int interpolated_eval(struct call *c, const struct resize *r)
{
	const struct tensor *x = c->in[0];
	struct tensor *y = c->out[0];
	const double *from = x->f, *result;
	int rc;

	if (!dtype_is_float(x->dtype)) {
		double *wide = call_scratch(c, x->count, sizeof *wide);

		if (!wide)
			return ERR_MEMORY;
		for (size_t i = 0; i < x->count; i++)
			wide[i] = tensor_get(x, i);
		from = wide;
	}
	rc = chain(c, r, from, 0, step_weigh, NULL, &result);
	for (size_t i = 0; !rc && i < y->count; i++) {
		if (dtype_is_float(y->dtype))
			y->f[i] = result[i];
		else
			y->i[i] = (int64_t)fmin(fmax(result[i], -0x1p63), 0x1p63 - 1024);
	}
	return rc;
}

static int resize_eval(struct call *c)
{
	struct tensor *y = c->out[0];
	struct resize *r;
	const double *result;
	struct resize_fill fill = {0};
	int rc = prepare(c, &r);

	if (rc || !y->count)
		return rc;
	if (r->rule.mode == RESIZE_NEAREST) {
		rc = chain(c, r, c->in[0]->f, 0, step_move, NULL, &result);
		if (!rc)
			memcpy(y->data, result, y->count * sizeof(double));
	} else {
		rc = interpolated_eval(c, r);
	}
	if (rc)
		return rc;
	fill.value = r->extrapolation;
	if (dtype_is_float(y->dtype))
		fill.f = y->f;
	else
		fill.i = y->i;
	for_each_outside(r, fill_run, &fill);
	return 0;
}

static int resize_grad(struct call *c)
{
	size_t n = c->out[0]->count;
	const double *result;
	struct resize *r;
	struct resize_fill fill = {0};
	int rc = prepare(c, &r);

	if (rc || !c->in_grad[0] || !c->out_grad[0] || !n)
		return rc;
	fill.f = call_scratch(c, n, sizeof *fill.f);
	if (!fill.f)
		return ERR_MEMORY;
	memcpy(fill.f, c->out_grad[0]->f, n * sizeof *fill.f);
	for_each_outside(r, fill_run, &fill); /* constants: no gradient */
	rc = chain(c, r, fill.f, 1, step_back, NULL, &result);
	for (size_t i = 0; !rc && i < c->in[0]->count; i++)
		c->in_grad[0]->f[i] += result[i];
	return rc;
}

/* The axes along which rounding may move a place: all of the image, once one of them changes.  A library that resizes
 * one goes through the others, too.  Along batch and channels nobody interpolates unasked.  Axes that stay as they are
 * get their taps here. */
static int axes_with_places(struct call *c, struct resize *r, uint32_t *axes)
{
	int image = r->rank > 2 ? 2 : 0, rc = 0;

	*axes = 0;
	for (int axis = 0; axis < r->rank; axis++)
		*axes |= (uint32_t)!r->taps[axis].identity << axis;
	for (int axis = image; *axes && axis < r->rank && !rc; axis++) {
		*axes |= UINT32_C(1) << axis;
		if (!r->taps[axis].w)
			rc = taps_build(c, &r->rule, &r->axis[axis], &r->taps[axis]);
	}
	return rc;
}

/* s += |result| of a chain for each of the axes */
static int add_axes(struct call *c, struct resize *r, uint32_t axes, const double *x, step_fn *step, double *s)
{
	const double *result;
	int rc = 0;

	for (int axis = 0; axis < r->rank && !rc; axis++) {
		struct taps *t = &r->taps[axis];
		int identity = t->identity;

		if (!(axes >> axis & 1))
			continue;
		t->identity = 0;
		rc = chain(c, r, x, 0, step, &axis, &result);
		t->identity = identity;
		for (size_t i = 0; !rc && i < c->out[0]->count; i++)
			s[i] += fabs(result[i]);
	}
	return rc;
}

/* Weights of one sign; returns how many taps an output has. */
static double make_magnitudes(struct resize *r)
{
	double most = 1;

	for (int axis = 0; axis < r->rank; axis++) {
		struct taps *t = &r->taps[axis];

		for (size_t i = 0; !t->identity && i < (size_t)t->out * t->most; i++)
			t->w[i] = fabs(t->w[i]);
		most *= t->identity ? 1 : (double)t->most;
	}
	return most;
}

/* Nearest moves data.  Else: Σ |w x|, taken as the interpolation of |x| with |w|; for each axis of the image the slope
 * times what rounding moves the place by; and for each what rounding moves the weights themselves by. */
static int resize_scale(struct call *c, int out, double *s)
{
	size_t n = c->out[out]->count;
	double *size = call_scratch(c, c->in[0]->count, sizeof *size), growth;
	const double *result;
	struct resize *r;
	uint32_t axes;
	int rc = prepare(c, &r);

	memset(s, 0, n * sizeof *s);
	if (!size)
		return ERR_MEMORY;
	if (rc || r->rule.mode == RESIZE_NEAREST || !n)
		return rc;
	for (size_t i = 0; i < c->in[0]->count; i++)
		size[i] = fabs(c->in[0]->f[i]);
	rc = axes_with_places(c, r, &axes);
	if (!rc)
		rc = add_axes(c, r, axes, c->in[0]->f, step_slope, s);
	growth = noise_growth(make_magnitudes(r));
	if (!rc)
		rc = add_axes(c, r, axes, size, step_terms, s);
	if (!rc)
		rc = chain(c, r, size, 0, step_weigh, NULL, &result);
	for (size_t i = 0; !rc && i < n; i++)
		s[i] += result[i] * growth;
	return rc;
}

static const struct op_attr resize_attrs[] = {
	OP_INT("antialias", 0),
	OP_ATTR("axes", ATTR_INTS),
	OP_STRING("coordinate_transformation_mode", "half_pixel"),
	OP_FLOAT("cubic_coeff_a", -0.75f),
	OP_INT("exclude_outside", 0),
	OP_FLOAT("extrapolation_value", 0),
	OP_STRING("keep_aspect_ratio_policy", "stretch"),
	OP_STRING("mode", "nearest"),
	OP_STRING("nearest_mode", "round_prefer_floor"),
	{0},
};

/* In version 10 the second input is scales; from 11 on it is roi, which has the same types and may be left out. */
/* Sizes of which one is the other times a power of two: all places are exact in any library. */
static int in_proportion(int64_t a, int64_t b)
{
	int64_t low = a < b ? a : b, high = a < b ? b : a;

	return low > 0 && high % low == 0 && !((high / low) & (high / low - 1));
}

/* A region given as shares of the axes: begins, then ends.  At 1 rounding decides what lies outside. */
static int region_at_border(const struct tensor *roi)
{
	for (size_t i = 0; roi && i < roi->count / 2; i++) {
		double begin = tensor_get(roi, i), end = tensor_get(roi, roi->count / 2 + i);

		if (!(begin == 0 && end == 1) && !(begin >= 0 && begin < end && end < 1))
			return 1;
	}
	return 0;
}

/* Places between elements that rounding may move. */
static int resize_between_places(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct type *from = &n->in[0]->type, *to = &n->out[0]->type;
	const struct tensor *roi = in[1], *scales = in[2];

	(void)r;
	if (!strcmp(attr_string(n, "coordinate_transformation_mode"), "tf_crop_and_resize"))
		return region_at_border(roi);
	if (!type_is_static(from) || !type_is_static(to) || from->rank != to->rank)
		return 0;
	for (int i = 0; i < from->rank; i++) {
		double scale = scales && scales->count == (size_t)from->rank ? tensor_get(scales, (size_t)i) : 0;

		if (!in_proportion(from->dims[i], to->dims[i]) ||
		    (scale > 0 && scale * (double)from->dims[i] != (double)to->dims[i]))
			return 1;
	}
	return 0;
}

const struct op op_resize = {
	.samples = SAMPLES({.name = "ResizeLinear", .by = &sampler_resize_linear},
			   {.name = "ResizeNearest", .by = &sampler_resize_nearest},
			   {.name = "ResizeCubic", .by = &sampler_resize_cubic},
			   {.name = "CropAndResize", .by = &sampler_crop_and_resize}),
	.rules = RULES({.broken = resize_between_places}),
	.in = {{"X", T_NUM | T_BOOL, 'T', 0},
	       {"roi", T_FLOAT, 0, PORT_OPTIONAL | PORT_UNTRAINED},
	       {"scales", TM(DT_FLOAT), 0, PORT_OPTIONAL | PORT_UNTRAINED},
	       {"sizes", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"Y", T_NUM | T_BOOL, 'T', 0}},
	.attrs = resize_attrs,
	.infer = resize_infer,
	.eval = resize_eval,
	.flags = OP_MONOMIALS,
	.grad = resize_grad,
	.scale = resize_scale,
};

static const struct op_attr upsample_attrs[] = {
	OP_NEEDS("height_scale", ATTR_FLOAT),
	OP_ATTR_SINCE(7, "height_scale", ATTR_FLOAT),
	OP_STRING("mode", "nearest"),
	OP_ATTR("scales", ATTR_FLOATS),
	OP_NEEDS("width_scale", ATTR_FLOAT),
	OP_ATTR_SINCE(7, "width_scale", ATTR_FLOAT),
	{0},
};

const struct op op_upsample = {
	.samples = SAMPLES({.by = &sampler_upsample}),
	.in = {{"X", T_NUM | T_BOOL, 'T', 0}, {"scales", TM(DT_FLOAT), 0, PORT_OPTIONAL | PORT_UNTRAINED}},
	.out = {{"Y", T_NUM | T_BOOL, 'T', 0}},
	.attrs = upsample_attrs,
	.infer = resize_infer,
	.eval = resize_eval,
	.flags = OP_MONOMIALS,
	.grad = resize_grad,
	.scale = resize_scale,
};
