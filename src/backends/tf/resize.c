/* resize.c - Resize and Upsample of images, where one of TensorFlow's kernels samples at ONNX's own positions.
 *
 *     kernel's attributes      linear: position of output o          nearest: element of output o
 *     (none)                   o s                                   floor(o s)
 *     half_pixel_centers       (o + ½) s - ½                         floor((o + ½) s)
 *     align_corners            o (in - 1) / (out - 1)                round(o (in - 1) / (out - 1))
 *
 * with s = in / out.  For nearest the elements that ONNX's rounding takes are compared one by one with these; a kernel
 * is used when all agree.  TensorFlow's cubic kernel interpolates in a table of weights and is not bound. */
#include <math.h>
#include <string.h>

#include "backends/tf/spatial.h"
#include "backends/tf/tf.h"

enum way { WAY_PLAIN, WAY_HALF, WAY_CORNERS, WAY_NONE };

struct tf_axis {
	int64_t in, out;
	double scale; /* as ONNX has it: out = floor(in · scale) */
};

/* Position in the input of output o, as ONNX defines it. */
static double position(const char *mode, const struct tf_axis *a, int64_t o, int *known)
{
	double x = (double)o;

	*known = 1;
	if (!strcmp(mode, "asymmetric"))
		return x / a->scale;
	if (!strcmp(mode, "align_corners")) /* the resized length is not cut to a whole number */
		return a->out > 1 ? x * (double)(a->in - 1) / ((double)a->in * a->scale - 1) : 0;
	if (!strcmp(mode, "half_pixel") || (!strcmp(mode, "pytorch_half_pixel") && a->out > 1))
		return (x + 0.5) / a->scale - 0.5;
	*known = !strcmp(mode, "pytorch_half_pixel");
	return 0;
}

static double kernel_position(enum way way, const struct tf_axis *a, int64_t o)
{
	double x = (double)o, s = (double)a->in / (double)a->out;

	if (way == WAY_CORNERS)
		return a->out > 1 ? x * (double)(a->in - 1) / (double)(a->out - 1) : x * s;
	return way == WAY_HALF ? (x + 0.5) * s - 0.5 : x * s;
}

static int64_t clamp(double x, int64_t in)
{
	return x < 0 ? 0 : x > (double)(in - 1) ? in - 1 : (int64_t)x;
}

static int64_t nearest(const char *rounding, double x, int64_t in)
{
	if (!strcmp(rounding, "floor"))
		return clamp(floor(x), in);
	if (!strcmp(rounding, "ceil"))
		return clamp(ceil(x), in);
	return clamp(!strcmp(rounding, "round_prefer_ceil") ? floor(x + 0.5) : ceil(x - 0.5), in);
}

static int64_t kernel_nearest(enum way way, const struct tf_axis *a, int64_t o)
{
	double x = kernel_position(way, a, o);

	return clamp(way == WAY_CORNERS ? round(x) : way == WAY_HALF ? floor(x + 0.5) : floor(x), a->in);
}

/* The kernel whose samples are ONNX's on both axes. */
static enum way find_way(const char *mode, const char *rounding, const struct tf_axis *axes)
{
	for (int way = WAY_PLAIN; way < WAY_NONE; way++) {
		int fits = 1, known;

		for (int i = 0; i < 2; i++)
			for (int64_t o = 0; o < axes[i].out && fits; o++) {
				double x = position(mode, &axes[i], o, &known);

				fits = known;
				if (rounding)
					fits &= nearest(rounding, x, axes[i].in) == kernel_nearest(way, &axes[i], o);
				else
					fits &= fabs(x - kernel_position(way, &axes[i], o)) <= 1e-9 * (1 + fabs(x));
			}
		if (fits)
			return way;
	}
	return WAY_NONE;
}

static struct tf_value *resample(struct bind_call *c, const char *name, struct tf_value *x, const struct tf_axis *axes,
				 enum way way)
{
	int64_t size[2] = {axes[0].out, axes[1].out};
	struct tf_op op = tf_op(c, name);

	tf_op_in(&op, x);
	tf_op_in(&op, tf_list(c, size, 2));
	tf_op_bool(&op, "align_corners", way == WAY_CORNERS);
	if (way == WAY_HALF) /* 1.12 does not know it */
		tf_op_bool(&op, "half_pixel_centers", 1);
	return tf_op_run(&op);
}

/* The two (or one, after an axis of size 1) spatial axes; N and C must stay as they are. */
static int plan_axes(struct bind_call *c, const struct tf_value *x, const struct type *t, const double *scales,
		     struct tf_axis *axes)
{
	if (x->rank < 3 || x->rank > 4 || t->rank != x->rank || t->dims[0] != x->dims[0] || t->dims[1] != x->dims[1])
		return bind_unsupported(c, "tensorflow resizes the last one or two of three or four axes");
	axes[0] = (struct tf_axis){1, 1, 1};
	for (int i = 2; i < x->rank; i++) {
		struct tf_axis *a = &axes[i - 2 + (x->rank == 3)];

		a->in = x->dims[i];
		a->out = t->dims[i];
		if (a->in < 1 || a->out < 1)
			return bind_unsupported(c, "an empty image");
		a->scale = scales ? scales[i] : (double)a->out / (double)a->in;
	}
	return 0;
}

/* CropAndResize is where ONNX has it from: a box of each image, given by its corners, in one kernel. */
static int crop(struct bind_call *c, const struct tensor *roi)
{
	struct tf_value *x = tf_in(c, 0);
	const struct type *t = &c->call->out_type[0];
	struct tensor *boxes;
	struct tf_op op;

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (!roi || roi->count != 8 || x->rank != 4 || x->dtype != DT_FLOAT || !type_is_static(t) ||
	    strcmp(attr_string(c->node, "mode"), "linear") != 0 || attr_int(c->node, "exclude_outside"))
		return bind_unsupported(c, "tf_crop_and_resize other than linear, of images of float32");
	if (t->dims[0] != 1 || x->dims[0] != 1 || t->dims[1] != x->dims[1] || roi->f[1] != 0 || roi->f[5] != 1)
		return bind_unsupported(c, "tf_crop_and_resize of other axes than the last two, or of many images");
	boxes = tensor_new(DT_FLOAT, 2, (int64_t[]){1, 4}, c->err);
	if (!boxes)
		return c->err->code;
	for (int i = 0; i < 4; i++) /* y1 x1 y2 x2; roi has all starts, then all ends */
		boxes->f[i] = roi->f[i < 2 ? 2 + i : 4 + i];
	op = tf_op(c, "CropAndResize");
	tf_op_in(&op, tf_to_last(c, x));
	tf_op_in(&op, tf_constant(c, boxes));
	tf_op_in(&op, tf_list(c, (int64_t[]){0}, 1));
	tf_op_in(&op, tf_list(c, (int64_t[]){t->dims[2], t->dims[3]}, 2));
	tf_op_string(&op, "method", "bilinear");
	tf_op_float(&op, "extrapolation_value", attr_float(c->node, "extrapolation_value"));
	return tf_out(c, 0, tf_to_first(c, tf_op_run(&op)));
}

static int resize(struct bind_call *c, const char *mode, const char *transform, const char *rounding,
		  const double *scales)
{
	struct tf_value *x = tf_in(c, 0), *y;
	const struct type *t = &c->call->out_type[0];
	int linear = !strcmp(mode, "linear"), rank;
	struct tf_axis axes[2];
	enum way way;

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (!linear && strcmp(mode, "nearest") != 0)
		return bind_unsupported(c, "mode '%s'", mode);
	if (linear && x->dtype != DT_FLOAT)
		return bind_unsupported(c, "linear of %s: tensorflow's result is float32", dtype_name(x->dtype));
	if (!type_is_static(t))
		return bind_unsupported(c, "the shape of the output is not known");
	rank = x->rank;
	if (plan_axes(c, x, t, scales, axes))
		return c->err->code;
	way = find_way(transform, linear ? NULL : rounding, axes);
	if (way == WAY_NONE)
		return bind_unsupported(c, "tensorflow does not sample as %s%s%s does with these sizes", transform,
					linear ? "" : " ", linear ? "" : rounding);
	x = tf_to_last(c, tf_widen(c, x));
	y = resample(c, linear ? "ResizeBilinear" : "ResizeNearestNeighbor", x, axes, way);
	return tf_out(c, 0, tf_narrow(c, tf_to_first(c, y), rank));
}

static int run_resize(struct bind_call *c)
{
	int at = c->version < 11 ? 1 : 2; /* of the scales; version 11 put roi before them */
	const char *policy = attr_string(c->node, "keep_aspect_ratio_policy"), *transform;
	const struct tensor *scales = tf_has(c, at) ? tf_known(c, at) : NULL;

	if (tf_has(c, 3) && !tf_known(c, 3))
		return c->err->code;
	if (tf_failed(c))
		return c->err->code;
	if (attr_int(c->node, "antialias") || node_has(c->node, "axes") || strcmp(policy, "stretch") != 0)
		return bind_unsupported(c, "antialias, axes or keep_aspect_ratio_policy");
	if (!tf_in(c, 0) || (scales && scales->count && scales->count != (size_t)tf_in(c, 0)->rank))
		return bind_unsupported(c, "scales that do not fit the rank");
	transform = c->version < 11 ? "asymmetric" : attr_string(c->node, "coordinate_transformation_mode");
	if (!strcmp(transform, "tf_crop_and_resize"))
		return crop(c, tf_has(c, 1) ? tf_known(c, 1) : NULL);
	return resize(c, attr_string(c->node, "mode"), transform,
		      c->version < 11 ? "floor" : attr_string(c->node, "nearest_mode"),
		      scales && scales->count ? scales->f : NULL);
}

/* Scales are an attribute before version 9. */
static int run_upsample(struct bind_call *c)
{
	size_t n = 0;
	const double *scales = node_floats(c->node, "scales", &n);
	const struct tensor *known = !scales && tf_has(c, 1) ? tf_known(c, 1) : NULL;

	if (tf_failed(c))
		return c->err->code;
	if (known) {
		scales = known->f;
		n = known->count;
	}
	if (!scales || !tf_in(c, 0) || n != (size_t)tf_in(c, 0)->rank)
		return bind_unsupported(c, "scales that do not fit the rank");
	return resize(c, attr_string(c->node, "mode"), "asymmetric", "floor", scales);
}

const struct binding tf_rows_resize[] = {
	{"Resize", run_resize, NULL},
	{"Upsample", run_upsample, NULL},
	{0},
};
