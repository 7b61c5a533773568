/* pool.c - pooling.
 *
 * PyTorch pads both ends alike and by at most half a window, and knows one rule for ceil_mode.  Where ONNX asks for
 * something else the input is padded by hand to exactly what the windows cover, so that the operator itself has
 * nothing to decide. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/torch/th.h"

/* The windows of a pool over `in`: x [N, C, spatial…]. */
struct torch_windows {
	struct spatial s;
	struct th_shape in;
	int n, ceil_mode;
	int native; /* torch's own padding and ceil_mode give the same windows */
	int64_t before[TH_SPATIAL_MAX], after[TH_SPATIAL_MAX]; /* padding by hand, to what the windows cover */
};

/* The number of windows by torch's rule. */
static int64_t native_size(const struct spatial *s, int i, int ceil_mode)
{
	int64_t room = s->in[i] + 2 * s->pad_begin[i] - s->dilation[i] * (s->kernel[i] - 1) - 1;
	int64_t out = (room + (ceil_mode ? s->stride[i] - 1 : 0)) / s->stride[i] + 1;

	return ceil_mode && (out - 1) * s->stride[i] >= s->in[i] + s->pad_begin[i] ? out - 1 : out;
}

static int read_windows(struct bind_call *c, struct torch_windows *w)
{
	memset(w, 0, sizeof *w);
	w->ceil_mode = (int)attr_int(c->node, "ceil_mode");
	if (th_shape(c, th_in(c, 0), &w->in))
		return c->err->code;
	w->n = w->in.rank - 2;
	if (th_spatial(c, &w->s, w->n, w->in.dims + 2, NULL, w->ceil_mode))
		return c->err->code;
	if (w->s.automatic)
		w->ceil_mode = 0;
	w->native = 1;
	for (int i = 0; i < w->n; i++) {
		const struct spatial *s = &w->s;

		if (s->in[i] < 1 || s->out[i] < 1)
			return bind_unsupported(c, "torch has no pooling of nothing");

		if (s->pad_begin[i] != s->pad_end[i] || s->pad_begin[i] > s->kernel[i] / 2 ||
		    native_size(s, i, w->ceil_mode) != s->out[i])
			w->native = 0;
		w->before[i] = s->pad_begin[i];
		w->after[i] = (s->out[i] - 1) * s->stride[i] + (s->kernel[i] - 1) * s->dilation[i] + 1 - s->in[i] -
			      s->pad_begin[i];
	}
	return 0;
}

/* "max_pool2d" and its kin. */
static const char *named(const struct torch_windows *w, const char *prefix, const char *suffix, char *out, size_t size)
{
	snprintf(out, size, "%s%dd%s", prefix, w->n, suffix);
	return out;
}

/* ---- maximum ----------------------------------------------------------------------------------------------------- */

/* torch numbers an element by its place in the padded plane, ONNX in the whole tensor, in row-major or column-major
 * order: the place is taken apart into coordinates and put together again. */
static void *onnx_indices(struct bind_call *c, const struct torch_windows *w, void *place)
{
	int64_t planes = w->in.dims[0] * w->in.dims[1], plane = 1, step = 1;
	int64_t dims[TENSOR_MAX_RANK] = {w->in.dims[0], w->in.dims[1], 1, 1, 1};
	int column_major = attr_int(c->node, "storage_order") != 0;
	void *index = NULL, *first;

	for (int i = 0; i < w->n; i++)
		plane *= w->in.dims[2 + i];
	if (column_major)
		step = plane;
	for (int i = w->n - 1; i >= 0; i--) {
		int64_t size = w->in.dims[2 + i], wide = size + (w->native ? 0 : w->before[i] + w->after[i]);
		void *at = th_op(c, "remainder.Scalar", "tl", place, wide);

		place = th_op(c, "floor_divide.Scalar", "tl", place, wide);
		at = th_op(c, "sub.Scalar", "tl", at, w->native ? (int64_t)0 : w->before[i]);
		if (column_major)
			step /= size ? size : 1;
		at = th_op(c, "mul.Scalar", "tl", at, step);
		if (!column_major)
			step *= size;
		index = index ? th_op(c, "add.Tensor", "tt", index, at) : at;
	}
	first = th_op(c, "arange.start_step", "illd", 0, planes * plane, plane, DT_INT64);
	return th_op(c, "add.Tensor", "tt", index, th_reshape(c, first, dims, w->n + 2));
}

static int run_max_pool(struct bind_call *c)
{
	void *x = th_in(c, 0), *out[2];
	int64_t none[TH_SPATIAL_MAX] = {0};
	const char *op;
	struct torch_windows w;
	char name[48];
	int n;

	if (read_windows(c, &w))
		return th_done(c);
	n = w.n;
	if (!w.native && !dtype_is_float(w.in.dtype))
		return bind_unsupported(c, "padding of integers, which have no -inf");
	if (!w.native)
		x = th_pad(c, x, w.before, w.after, n, -INFINITY);
	op = named(&w, "max_pool", th_wants(c, 1) ? "_with_indices" : "", name, sizeof name);
	th_ops(c, op, out, th_wants(c, 1) ? 2 : 1, "tIIIIb", x, w.s.kernel, n, w.s.stride, n,
	       w.native ? w.s.pad_begin : none, n, w.s.dilation, n, w.native && w.ceil_mode);
	th_out(c, 0, out[0]);
	if (th_wants(c, 1))
		th_out(c, 1, onnx_indices(c, &w, out[1]));
	return th_done(c);
}

/* ---- average ----------------------------------------------------------------------------------------------------- */

static void *average(struct bind_call *c, const struct torch_windows *w, void *x, const int64_t *pads, int ceil_mode,
		     int include_pad)
{
	char name[48];

	return th_op(c, named(w, "avg_pool", "", name, sizeof name), "tIIIbb", x, w->s.kernel, w->n, w->s.stride, w->n,
		     pads, w->n, ceil_mode, include_pad);
}

/* 1 where an element counts, 0 in what was added; with count_include_pad the padding counts, but not what lies
 * beyond. */
static void *counted(struct bind_call *c, const struct torch_windows *w, void *x, int include_pad)
{
	int64_t end[TH_SPATIAL_MAX], zero[TH_SPATIAL_MAX] = {0};
	void *one = th_like(c, x, 1);

	if (!include_pad)
		return th_pad(c, one, w->before, w->after, w->n, 0);
	one = th_pad(c, one, w->s.pad_begin, w->s.pad_end, w->n, 1);
	for (int i = 0; i < w->n; i++)
		end[i] = w->after[i] - w->s.pad_end[i];
	return th_pad(c, one, zero, end, w->n, 0);
}

static int run_average_pool(struct bind_call *c)
{
	int include_pad = attr_int(c->node, "count_include_pad") != 0;
	int64_t none[TH_SPATIAL_MAX] = {0};
	void *x = th_in(c, 0), *sums;
	struct torch_windows w;

	if (read_windows(c, &w))
		return th_done(c);
	for (int i = 0; i < w.n; i++) {
		if (w.s.dilation[i] != 1)
			return bind_unsupported(c, "torch has no dilated average pooling");
		if (w.n == 3 && w.s.in[i] < w.s.kernel[i]) /* which avg_pool3d refuses, however it is padded */
			w.native = 0;
	}
	if (w.native)
		return th_give(c, average(c, &w, x, w.s.pad_begin, w.ceil_mode, include_pad));
	/* (sum / window) / (count / window) */
	sums = average(c, &w, th_pad(c, x, w.before, w.after, w.n, 0), none, 0, 1);
	return th_give(c,
		       th_op(c, "div.Tensor", "tt", sums, average(c, &w, counted(c, &w, x, include_pad), none, 0, 1)));
}

/* (sum |x|^p)^(1/p): torch pads with zeros, which add nothing. */
static int run_lp_pool(struct bind_call *c)
{
	int64_t none[TH_SPATIAL_MAX] = {0}, p = attr_int(c->node, "p"), size = 1;
	struct torch_windows w;
	void *x;

	if (read_windows(c, &w))
		return th_done(c);
	for (int i = 0; i < w.n; i++) {
		size *= w.s.kernel[i];
		if (w.s.dilation[i] != 1)
			return bind_unsupported(c, "torch has no dilated average pooling");
	}
	x = th_op(c, "pow.Tensor_Scalar", "tl", th_op(c, "abs", "t", th_in(c, 0)), p);
	x = average(c, &w, th_pad(c, x, w.before, w.after, w.n, 0), none, 0, 1);
	x = th_op(c, "mul.Scalar", "tl", x, size);
	return th_give(c, th_op(c, "pow.Tensor_Scalar", "tf", x, 1.0 / (double)p));
}

/* ---- over everything --------------------------------------------------------------------------------------------- */

static int spatial_axes(struct bind_call *c, int64_t *axes)
{
	struct th_shape s;

	if (th_shape(c, th_in(c, 0), &s))
		return 0;
	for (int i = 2; i < s.rank; i++)
		axes[i - 2] = i;
	return s.rank - 2;
}

static int run_global_average_pool(struct bind_call *c)
{
	int64_t axes[TENSOR_MAX_RANK], one[2] = {1, 1};
	int n = spatial_axes(c, axes);

	if (n == 2)
		return th_give(c, th_op(c, "adaptive_avg_pool2d", "tI", th_in(c, 0), one, 2));
	return th_give(c, th_op(c, "mean.dim", "tIb", th_in(c, 0), axes, n, 1));
}

static int run_global_max_pool(struct bind_call *c)
{
	int64_t axes[TENSOR_MAX_RANK];
	int n = spatial_axes(c, axes);

	return th_give(c, th_op(c, "amax", "tIb", th_in(c, 0), axes, n, 1));
}

static int run_global_lp_pool(struct bind_call *c)
{
	int64_t axes[TENSOR_MAX_RANK], p = attr_int(c->node, "p");
	int n = spatial_axes(c, axes);

	return th_give(c, th_op(c, "linalg_vector_norm", "tlIb", th_in(c, 0), p, axes, n, 1));
}

const struct binding th_rows_pool[] = {
	{"AveragePool", run_average_pool, NULL},
	{"GlobalAveragePool", run_global_average_pool, NULL},
	{"GlobalLpPool", run_global_lp_pool, NULL},
	{"GlobalMaxPool", run_global_max_pool, NULL},
	{"LpPool", run_lp_pool, NULL},
	{"MaxPool", run_max_pool, NULL},
	{0},
};
