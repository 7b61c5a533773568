/* conv.c - Conv and ConvTranspose.
 *
 * TensorFlow's CPU kernels want channels last: (N, C, d…) is transposed around them, filters (M, C/g, k…) become
 * (k…, C/g, M).  One spatial axis is computed as two, the first of size 1. */
#include <string.h>

#include "backends/tf/spatial.h"
#include "backends/tf/tf.h"

/* One convolution with at least two spatial axes. */
struct conv {
	struct spatial s;
	int64_t groups;
	struct tf_value *x; /* (N, d…, C) */
	struct tf_value *w; /* (k…, in, out) */
};

/* A list with ones around the n spatial values, as TensorFlow writes strides of (N, d…, C). */
static int around(const int64_t *x, int n, int64_t *out)
{
	out[0] = 1;
	memcpy(out + 1, x, (size_t)n * sizeof *x);
	out[n + 1] = 1;
	return n + 2;
}

/* (M, C, k…) → (k…, C, M) */
static struct tf_value *filter_last(struct bind_call *c, struct tf_value *w)
{
	int perm[TENSOR_MAX_RANK];

	if (tf_failed(c))
		return NULL;
	for (int i = 2; i < w->rank; i++)
		perm[i - 2] = i;
	perm[w->rank - 2] = 1;
	perm[w->rank - 1] = 0;
	return tf_transpose(c, w, perm);
}

static int has_pads(const struct spatial *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->pad_begin[i] || s->pad_end[i])
			return 1;
	return 0;
}

/* Conv2D and DepthwiseConv2dNative pad by themselves; Conv3D only knows VALID and SAME. */
static struct tf_value *padded(struct bind_call *c, struct tf_value *x, const struct spatial *s)
{
	int64_t before[TENSOR_MAX_RANK] = {0}, after[TENSOR_MAX_RANK] = {0};

	memcpy(before + 1, s->pad_begin, (size_t)s->n * sizeof *before);
	memcpy(after + 1, s->pad_end, (size_t)s->n * sizeof *after);
	return tf_pad(c, x, before, after, 0);
}

static void set_padding(struct tf_op *op, const struct spatial *s)
{
	int64_t pads[8] = {0};

	if (!has_pads(s)) {
		tf_op_string(op, "padding", "VALID");
	} else if (s->same == 1) { /* more at the end when odd: what TensorFlow calls SAME */
		tf_op_string(op, "padding", "SAME");
	} else {
		for (int i = 0; i < 2; i++) {
			pads[2 + 2 * i] = s->pad_begin[i];
			pads[3 + 2 * i] = s->pad_end[i];
		}
		tf_op_string(op, "padding", "EXPLICIT");
		tf_op_ints(op, "explicit_paddings", pads, 8);
	}
}

/* Gradients of explicit padding are not in TensorFlow's C interface, so graphs that are to be derived pad apart. */
static struct tf_value *convolve(struct bind_call *c, const struct conv *k, const char *name)
{
	struct spatial s = k->s;
	int64_t list[TENSOR_MAX_RANK];
	struct tf_value *x = k->x;
	struct tf_op op;

	if ((s.n == 3 || tf_of(c)->graph || tf_before(tf_of(c), 2, 0)) && has_pads(&s) && s.same != 1) {
		x = padded(c, x, &s);
		memset(s.pad_begin, 0, sizeof s.pad_begin);
		memset(s.pad_end, 0, sizeof s.pad_end);
	}
	/* Its kernel says so too late: the graph would have a shape that takes no account of them. */
	if (!tf_failed(c) && s.n == 3 && tf_spatial_dilated(&s) && tf_before(tf_of(c), 1, 14)) {
		bind_unsupported(c, "%s with dilations has no kernel for CPUs", name);
		return NULL;
	}
	op = tf_op(c, name);
	tf_op_in(&op, x);
	tf_op_in(&op, k->w);
	tf_op_ints(&op, "strides", list, around(s.stride, s.n, list));
	if (tf_spatial_dilated(&s))
		tf_op_ints(&op, "dilations", list, around(s.dilation, s.n, list));
	set_padding(&op, &s);
	return tf_op_run(&op);
}

/* One filter for each channel: (M, 1, kh, kw) → (kh, kw, C, M/C). */
static struct tf_value *depthwise(struct bind_call *c, struct conv *k, struct tf_value *w)
{
	static const int perm[4] = {2, 3, 0, 1};
	int64_t dims[4] = {k->groups, w->dims[0] / k->groups, w->dims[2], w->dims[3]};

	k->w = tf_transpose(c, tf_reshape(c, w, 4, dims), perm);
	return convolve(c, k, "DepthwiseConv2dNative");
}

/* Channels [g·n/groups, (g+1)·n/groups) of the last axis. */
static struct tf_value *part(struct bind_call *c, struct tf_value *x, int axis, int64_t groups, int64_t g)
{
	int64_t begin[TENSOR_MAX_RANK] = {0}, size[TENSOR_MAX_RANK];

	if (tf_failed(c))
		return NULL;
	memcpy(size, x->dims, sizeof size);
	size[axis] = x->dims[axis] / groups;
	begin[axis] = g * size[axis];
	return tf_slice(c, x, begin, size);
}

#define MAX_GROUPS 4096

static struct tf_value *grouped(struct bind_call *c, const struct conv *k, const char *name)
{
	struct tf_value **y;
	int last = k->s.n + 1;

	if (tf_failed(c) || k->groups == 1)
		return convolve(c, k, name);
	if (k->groups > MAX_GROUPS) {
		bind_unsupported(c, "%lld groups", (long long)k->groups);
		return NULL;
	}
	y = arena_array(c->tmp, (size_t)k->groups, sizeof *y);
	if (!y) {
		err_nomem(c->err, "groups", (size_t)k->groups * sizeof *y);
		return NULL;
	}
	for (int64_t g = 0; g < k->groups; g++) {
		struct conv one = *k;

		one.x = part(c, k->x, last, k->groups, g);
		one.w = part(c, k->w, last, k->groups, g);
		y[g] = convolve(c, &one, name);
	}
	return tf_concat(c, y, (int)k->groups, last);
}

/* Adds the bias, goes back to channels first and to one spatial axis where there was one. */
static int finish(struct bind_call *c, struct tf_value *y, int rank)
{
	if (tf_has(c, 2))
		y = tf_2(c, "BiasAdd", y, tf_in(c, 2));
	return tf_out(c, 0, tf_narrow(c, tf_to_first(c, y), rank));
}

static int check_shapes(struct bind_call *c, const struct tf_value *x, const struct tf_value *w, int64_t groups,
			int transposed)
{
	if (tf_failed(c) || tf_static(c, x) || tf_static(c, w))
		return c->err->code;
	if (x->rank < 3 || x->rank > 5)
		return bind_unsupported(c, "tensorflow convolves over 1 to 3 axes, not %d", x->rank - 2);
	if (w->rank != x->rank)
		return err_set(c->err, ERR_INPUT, "weights of rank %d for an input of rank %d", w->rank, x->rank);
	if (groups < 1 || x->dims[1] % groups || w->dims[0] % groups ||
	    (transposed ? w->dims[0] != x->dims[1] : w->dims[1] * groups != x->dims[1]))
		return err_set(c->err, ERR_INPUT, "%lld channels do not fit the weights and %lld groups",
			       (long long)x->dims[1], (long long)groups);
	return 0;
}

static int run_conv(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *w = tf_in(c, 1), *y;
	struct conv k = {.groups = attr_int(c->node, "group")};
	int rank;

	if (check_shapes(c, x, w, k.groups, 0))
		return c->err->code;
	rank = x->rank;
	if (spatial_init(c->call, &k.s, rank - 2, x->dims + 2, w->dims + 2, 0))
		return c->err->code;
	tf_spatial_widen(&k.s);
	x = tf_widen(c, x);
	w = tf_widen(c, w);
	k.x = tf_to_last(c, x);
	if (tf_failed(c))
		return c->err->code;
	if (k.s.n == 2 && k.groups > 1 && k.groups == x->dims[1] && !tf_spatial_dilated(&k.s) &&
	    k.s.stride[0] == k.s.stride[1] && x->dtype != DT_INT32) {
		y = depthwise(c, &k, w);
	} else {
		k.w = filter_last(c, w);
		y = grouped(c, &k, k.s.n == 3 ? "Conv3D" : "Conv2D");
	}
	return finish(c, y, rank);
}

/* ---- transposed -------------------------------------------------------------------------------------------------- */

/* Sizes of a transposed convolution along one axis: `full` without any padding, then `out` elements from `begin` on. */
struct reach {
	int64_t full[SPATIAL_MAX], begin[SPATIAL_MAX], out[SPATIAL_MAX];
};

/*     full = stride (in - 1) + (k - 1) dilation + 1
 *     out  = full + output_padding - pads, or output_shape, or in · stride with auto_pad SAME_* */
static int plan_reach(struct bind_call *c, const struct spatial *s, struct reach *r)
{
	size_t n_extra, n_shape;
	const int64_t *extra = node_ints(c->node, "output_padding", &n_extra);
	const int64_t *shape = node_ints(c->node, "output_shape", &n_shape);

	if ((extra && n_extra != (size_t)s->n) || (shape && n_shape != (size_t)s->n))
		return err_set(c->err, ERR_INPUT, "output_padding or output_shape does not fit %d axes", s->n);
	for (int i = 0; i < s->n; i++) {
		int64_t total, half, more = extra ? extra[i] : 0;

		r->full[i] = s->stride[i] * (s->in[i] - 1) + (s->kernel[i] - 1) * s->dilation[i] + 1;
		r->begin[i] = s->pad_begin[i];
		r->out[i] = r->full[i] + more - s->pad_begin[i] - s->pad_end[i];
		if (!shape && !s->same)
			continue;
		r->out[i] = shape ? shape[i] : s->in[i] * s->stride[i];
		total = r->full[i] + more - r->out[i];
		half = total / 2 - (total % 2 < 0); /* version 11 exchanged the ends that get more */
		r->begin[i] = (s->same == 1) == (c->version >= 11) ? half : total - half;
	}
	for (int i = 0; i < s->n; i++)
		if (s->in[i] < 1 || r->out[i] < 1)
			return bind_unsupported(c, "an empty input or output");
	return 0;
}

/* The gradient of a convolution with respect to its input is the transposed convolution. */
static struct tf_value *transposed(struct bind_call *c, const struct conv *k, const struct reach *r)
{
	int64_t list[TENSOR_MAX_RANK], sizes[TENSOR_MAX_RANK];
	struct tf_op op;
	int n = k->s.n;

	if (tf_failed(c))
		return NULL;
	op = tf_op(c, n == 3 ? "Conv3DBackpropInputV2" : "Conv2DBackpropInput");
	sizes[0] = k->x->dims[0];
	memcpy(sizes + 1, r->full, (size_t)n * sizeof *sizes);
	sizes[n + 1] = k->w->dims[n];
	tf_op_in(&op, tf_list(c, sizes, n + 2));
	tf_op_in(&op, k->w);
	tf_op_in(&op, k->x);
	tf_op_ints(&op, "strides", list, around(k->s.stride, n, list));
	if (tf_spatial_dilated(&k->s))
		tf_op_ints(&op, "dilations", list, around(k->s.dilation, n, list));
	tf_op_string(&op, "padding", "VALID");
	return tf_op_run(&op);
}

/* `out` elements from `begin` on; what lies before the first or past the end (output_padding) is zero. */
static struct tf_value *crop(struct bind_call *c, struct tf_value *y, const struct reach *r, int n)
{
	int64_t before[TENSOR_MAX_RANK] = {0}, after[TENSOR_MAX_RANK] = {0}, size[TENSOR_MAX_RANK];

	if (tf_failed(c))
		return NULL;
	for (int i = 0; i < n; i++) {
		int64_t lack = r->begin[i] + r->out[i] - r->full[i];

		before[i + 1] = r->begin[i] < 0 ? -r->begin[i] : 0;
		after[i + 1] = lack > 0 ? lack : 0;
	}
	y = tf_pad(c, y, before, after, 0);
	if (tf_failed(c))
		return NULL;
	memcpy(size, y->dims, sizeof size);
	for (int i = 0; i < n; i++) {
		before[i + 1] = r->begin[i] > 0 ? r->begin[i] : 0;
		size[i + 1] = r->out[i];
	}
	return memcmp(size, y->dims, sizeof size) ? tf_slice(c, y, before, size) : y;
}

static void widen_reach(struct reach *r, int n)
{
	if (n != 1)
		return;
	r->full[1] = r->full[0];
	r->begin[1] = r->begin[0];
	r->out[1] = r->out[0];
	r->full[0] = r->out[0] = 1;
	r->begin[0] = 0;
}

static struct tf_value *transposed_groups(struct bind_call *c, const struct conv *k, const struct reach *r)
{
	struct tf_value **y = arena_array(c->tmp, (size_t)k->groups, sizeof *y);
	int last = k->s.n + 1;

	if (!y || k->groups > MAX_GROUPS) {
		bind_unsupported(c, "%lld groups", (long long)k->groups);
		return NULL;
	}
	for (int64_t g = 0; g < k->groups; g++) {
		struct conv one = *k;

		if (k->groups > 1) {
			one.x = part(c, k->x, last, k->groups, g);
			one.w = part(c, k->w, last, k->groups, g);
		}
		y[g] = transposed(c, &one, r);
	}
	return tf_concat(c, y, (int)k->groups, last);
}

static int run_conv_transpose(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *w = tf_in(c, 1);
	struct conv k = {.groups = attr_int(c->node, "group")};
	struct reach r = {0};
	int rank;

	if (check_shapes(c, x, w, k.groups, 1))
		return c->err->code;
	rank = x->rank;
	if (spatial_attrs(c->call, &k.s, rank - 2, w->dims + 2))
		return c->err->code;
	memcpy(k.s.in, x->dims + 2, (size_t)(rank - 2) * sizeof *k.s.in);
	if (plan_reach(c, &k.s, &r))
		return c->err->code;
	widen_reach(&r, k.s.n);
	tf_spatial_widen(&k.s);
	k.x = tf_to_last(c, tf_widen(c, x));
	k.w = filter_last(c, tf_widen(c, w)); /* (C, M/g, k…) → (k…, M/g, C) */
	return finish(c, crop(c, transposed_groups(c, &k, &r), &r, k.s.n), rank);
}

const struct binding tf_rows_conv[] = {
	{"Conv", run_conv, NULL},
	{"ConvTranspose", run_conv_transpose, NULL},
	{0},
};
