/* resize.c - interpolation.
 *
 * Nearest neighbours are a choice of indices for each axis by ONNX's own formulas, read with index_select; the modes
 * that torch has under the same formulas go to its upsample operators.  Others are refused. */
#include <math.h>
#include <string.h>

#include "backends/torch/th.h"

struct torch_resize {
	struct th_shape x;
	int64_t out[TENSOR_MAX_RANK];
	double scale[TENSOR_MAX_RANK];
	const char *mode, *transform, *nearest;
	int first, n; /* axes that change lie in [first, first + n) */
};

/* One scale for all listed axes: the smallest or the largest that the sizes ask for. */
static int keep_aspect(struct bind_call *c, struct torch_resize *r)
{
	int larger = strcmp(attr_string(c->node, "keep_aspect_ratio_policy"), "not_larger") != 0;
	const int64_t *sizes, *axes;
	double best = 0;
	int n, found, axis;
	size_t n_axes;

	if (th_ints(c, NULL, 3, &sizes, &n, &found) || !found)
		return c->err->code;
	axes = node_ints(c->node, "axes", &n_axes);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < n; i++) {
			if (th_axis(c, axes && (size_t)i < n_axes ? axes[i] : i, r->x.rank, &axis))
				return c->err->code;
			if (pass)
				r->scale[axis] = best;
			else if (!i || ((double)sizes[i] / (double)r->x.dims[axis] > best) == larger)
				best = (double)sizes[i] / (double)r->x.dims[axis];
		}
	return 0;
}

/* Scales or sizes, for all axes or those listed. */
static int read_scales(struct bind_call *c, struct torch_resize *r)
{
	const struct type *out = &c->call->out_type[0];
	const int is_upsample = !strcmp(c->node->op_type, "Upsample");
	int at = is_upsample ? 1 : c->version < 11 ? 1 : 2;
	const struct tensor *scales = NULL;
	const int64_t *axes;
	size_t n_axes;

	for (int i = 1; i < c->n_in && !c->err->code; i++)
		if (c->in[i])
			bind_known(c, i);
	if (c->err->code)
		return c->err->code;
	if (!type_is_static(out) || out->rank != r->x.rank)
		return bind_unsupported(c, "the shape of its output is not known");
	for (int i = 0; i < r->x.rank; i++) {
		r->out[i] = out->dims[i];
		r->scale[i] = r->x.dims[i] ? (double)r->out[i] / (double)r->x.dims[i] : 1;
	}
	if (is_upsample && c->version < 9)
		return 0;
	if (c->version >= 18 && strcmp(attr_string(c->node, "keep_aspect_ratio_policy"), "stretch"))
		return keep_aspect(c, r);
	scales = th_in(c, at) ? bind_known(c, at) : NULL;
	axes = node_ints(c->node, "axes", &n_axes);
	for (size_t i = 0; scales && i < scales->count; i++) {
		int64_t axis = axes && i < n_axes ? axes[i] : (int64_t)i;

		axis += axis < 0 ? r->x.rank : 0;
		if (axis >= 0 && axis < r->x.rank)
			r->scale[axis] = tensor_get(scales, i);
	}
	return c->err->code;
}

static int read_resize(struct bind_call *c, struct torch_resize *r)
{
	int last = -1;

	memset(r, 0, sizeof *r);
	if (th_shape(c, th_in(c, 0), &r->x) || read_scales(c, r))
		return c->err->code;
	if (!strcmp(c->node->op_type, "Upsample") && c->version < 9 && node_has(c->node, "scales")) {
		size_t n;
		const double *scales = node_floats(c->node, "scales", &n);

		for (size_t i = 0; i < n && i < (size_t)r->x.rank; i++)
			r->scale[i] = scales[i];
	}
	r->mode = attr_string(c->node, "mode");
	r->transform = c->version < 11 || !strcmp(c->node->op_type, "Upsample")
			       ? "asymmetric"
			       : attr_string(c->node, "coordinate_transformation_mode");
	r->nearest = !strcmp(r->transform, "asymmetric") && (c->version < 11 || !strcmp(c->node->op_type, "Upsample"))
			     ? "floor"
			     : attr_string(c->node, "nearest_mode");
	r->first = r->x.rank;
	for (int i = 0; i < r->x.rank; i++)
		if (r->scale[i] != 1 || r->out[i] != r->x.dims[i]) {
			r->first = i < r->first ? i : r->first;
			last = i;
		}
	r->n = last < r->first ? 0 : last - r->first + 1;
	if (c->version >= 18 && attr_int(c->node, "antialias"))
		return bind_unsupported(c, "antialias");
	return 0;
}

/* Where output position i lies among the inputs. */
static int coordinate(const struct torch_resize *r, int axis, int64_t i, double *x)
{
	double scale = r->scale[axis], in = (double)r->x.dims[axis], out = (double)r->out[axis];

	if (!strcmp(r->transform, "asymmetric"))
		*x = (double)i / scale;
	else if (!strcmp(r->transform, "half_pixel"))
		*x = ((double)i + 0.5) / scale - 0.5;
	else if (!strcmp(r->transform, "pytorch_half_pixel"))
		*x = out > 1 ? ((double)i + 0.5) / scale - 0.5 : 0;
	else if (!strcmp(r->transform, "align_corners"))
		*x = out > 1 ? (double)i * (in - 1) / (scale * in - 1) : 0;
	else
		return -1;
	return 0;
}

static double to_whole(const char *mode, double x)
{
	if (!strcmp(mode, "floor"))
		return floor(x);
	if (!strcmp(mode, "ceil"))
		return ceil(x);
	if (!strcmp(mode, "round_prefer_ceil"))
		return floor(x + 0.5);
	return ceil(x - 0.5);
}

static int resize_nearest(struct bind_call *c, const struct torch_resize *r)
{
	void *x = th_in(c, 0);

	for (int axis = r->first; axis < r->first + r->n; axis++) {
		int64_t *list = arena_array(c->tmp, (size_t)r->out[axis] + 1, sizeof *list);

		if (!list)
			return err_nomem(c->err, "indices", 0);
		for (int64_t i = 0; i < r->out[axis]; i++) {
			double at;

			if (coordinate(r, axis, i, &at))
				return bind_unsupported(c, "coordinate_transformation_mode %s", r->transform);
			at = to_whole(r->nearest, (double)(float)at); /* ties are those of float32 */
			list[i] = at < 0 ? 0 : at > (double)r->x.dims[axis] - 1 ? r->x.dims[axis] - 1 : (int64_t)at;
		}
		x = th_op(c, "index_select", "tit", x, axis, th_index(c, list, 1, &r->out[axis]));
	}
	return th_give(c, x);
}

/* True when torch's own coordinates are those asked for; *corners: it is to align corners.  ONNX aligns the corners
 * of scale * in elements, torch those of the whole number of outputs. */
static int is_native(const struct torch_resize *r, int *corners)
{
	*corners = !strcmp(r->transform, "align_corners");
	if (!strcmp(r->transform, "half_pixel"))
		return 1;
	if (!*corners && strcmp(r->transform, "pytorch_half_pixel"))
		return 0;
	for (int i = r->first; i < r->first + r->n; i++)
		if (*corners ? r->scale[i] * (double)r->x.dims[i] != (double)r->out[i] : r->out[i] == 1)
			return 0;
	return 1;
}

/* x seen as [product of the axes in front, 1, axes that change…]. */
static int resize_smooth(struct bind_call *c, const struct torch_resize *r, int cubic)
{
	static const char *const names[] = {"upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"};
	int64_t dims[5] = {1, 1}, behind = 1;
	int corners, n = r->n, first = r->first;
	void *x;

	if (cubic && n == 1) { /* torch's is for images: the axis beside it stays as it is */
		first = first ? first - 1 : first;
		n = 2;
	}
	for (int i = 0; i < first; i++)
		dims[0] *= r->x.dims[i];
	for (int i = first + n; i < r->x.rank; i++)
		behind *= r->x.dims[i];
	if (!is_native(r, &corners))
		return bind_unsupported(c, "torch has no %s interpolation with %s", r->mode, r->transform);
	if (behind != 1 || n > (cubic ? 2 : 3) || first + n > r->x.rank)
		return bind_unsupported(c, "torch has no %s interpolation over these axes", r->mode);
	memcpy(dims + 2, r->x.dims + first, (size_t)n * sizeof *dims);
	x = th_reshape(c, th_in(c, 0), dims, 2 + n);
	if (n == 1)
		x = th_op(c, names[0], "tIbf", x, r->out + first, 1, corners, r->scale[first]);
	else if (n == 2)
		x = th_op(c, cubic ? "upsample_bicubic2d" : names[1], "tIbff", x, r->out + first, 2, corners,
			  r->scale[first], r->scale[first + 1]);
	else
		x = th_op(c, names[2], "tIbfff", x, r->out + first, 3, corners, r->scale[first], r->scale[first + 1],
			  r->scale[first + 2]);
	return th_give(c, th_reshape(c, x, r->out, r->x.rank));
}

static int run_resize(struct bind_call *c)
{
	struct torch_resize r;

	if (read_resize(c, &r))
		return th_done(c);
	if (!strcmp(r.transform, "tf_crop_and_resize") || !strcmp(r.transform, "half_pixel_symmetric") ||
	    !strcmp(r.transform, "tf_half_pixel_for_nn"))
		return bind_unsupported(c, "coordinate_transformation_mode %s", r.transform);
	if (!r.n)
		return th_give(c, th_in(c, 0));
	if (!strcmp(r.mode, "nearest"))
		return resize_nearest(c, &r);
	if (!dtype_is_float(r.x.dtype))
		return bind_unsupported(c, "interpolation of integers, which torch rounds by rules of its own");
	if (!strcmp(r.mode, "linear") || !strcmp(r.mode, "bilinear"))
		return resize_smooth(c, &r, 0);
	if (attr_int(c->node, "exclude_outside") || attr_float(c->node, "cubic_coeff_a") != -0.75)
		return bind_unsupported(c, "torch's cubic interpolation has the coefficient -0.75 and uses the border");
	return resize_smooth(c, &r, 1);
}

/* ---- grids ------------------------------------------------------------------------------------------------------- */

static int one_of(const char *name, const char *const *names)
{
	int i = 0;

	while (names[i] && strcmp(names[i], name))
		i++;
	return names[i] ? i : -1;
}

/* True when a place of the grid lies outside of the image. */
static int leaves_border(struct bind_call *c)
{
	const struct tensor *grid = bind_known(c, 1);

	for (size_t i = 0; grid && i < grid->count; i++)
		if (!(fabs(grid->f[i]) <= 1))
			return 1;
	return 0;
}

static int run_grid_sample(struct bind_call *c)
{
	static const char *const old_modes[] = {"bilinear", "nearest", "bicubic", NULL};
	static const char *const new_modes[] = {"linear", "nearest", "cubic", NULL};
	static const char *const paddings[] = {"zeros", "border", "reflection", NULL};
	const char *mode = attr_string(c->node, "mode");
	int how = one_of(mode, c->version < 20 ? old_modes : new_modes);
	int padding = one_of(attr_string(c->node, "padding_mode"), paddings);
	struct th_shape s;

	if (th_shape(c, th_in(c, 0), &s))
		return th_done(c);
	if (how < 0 || padding < 0 || s.rank < 4 || s.rank > 5 || (how == 2 && s.rank != 4))
		return bind_unsupported(c, "mode '%s' on a tensor of rank %d", mode, s.rank);
	if (how == 2 && padding && leaves_border(c))
		return bind_unsupported(c,
					"cubic interpolation outside of the image, where torch clips each neighbour");
	return th_give(c, th_op(c, "grid_sampler", "ttiib", c->in[0], th_in(c, 1), how, padding,
				attr_int(c->node, "align_corners") != 0));
}

static int run_affine_grid(struct bind_call *c)
{
	const int64_t *size;
	int n, found;

	if (th_ints(c, NULL, 1, &size, &n, &found))
		return th_done(c);
	for (int i = 2; i < n && attr_int(c->node, "align_corners"); i++)
		if (size[i] == 1)
			return bind_unsupported(c, "corners of one element, whose place torch takes as 0");
	return th_give(c, th_op(c, "affine_grid_generator", "tIb", th_in(c, 0), size, n,
				attr_int(c->node, "align_corners") != 0));
}

const struct binding th_rows_resize[] = {
	{"AffineGrid", run_affine_grid, NULL},
	{"GridSample", run_grid_sample, NULL},
	{"Resize", run_resize, NULL},
	{"Upsample", run_resize, NULL},
	{0},
};
