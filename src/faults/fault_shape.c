/* fault_shape.c - moving, choosing and reducing data gone wrong. */
#include <math.h>
#include <string.h>

#include "faults/fault.h"
#include "ops/call.h"

#define OPS(id, ...) static const char *const id##_ops[] = {__VA_ARGS__, NULL}

OPS(transpose, "Transpose");
OPS(slice, "Slice");
OPS(concat, "Concat");
OPS(gather, "Gather");
OPS(pad, "Pad");
OPS(reduce, "ReduceMean", "ReduceSum", "ReduceMax");
OPS(mean, "ReduceMean", "GlobalAveragePool");
OPS(arg, "ArgMax", "ArgMin");
OPS(resize, "Resize");
OPS(topk, "TopK");

static int is_float_copy(const struct call *c)
{
	return c->in[0] && c->out[0] && dtype_is_float(c->out[0]->dtype) && c->in[0]->count >= c->out[0]->count;
}

static enum fault_effect apply_transpose_view(struct call *c, struct fault_state *s)
{
	(void)s;
	if (!is_float_copy(c))
		return FAULT_NO_EFFECT;
	memcpy(c->out[0]->f, c->in[0]->f, c->out[0]->count * sizeof(double));
	return FAULT_CHANGED;
}

const struct fault fault_transpose_view = {
	.kind = FAULT_VALUE,
	.what = "Transpose changes the shape but leaves the data where they are",
	.like = "views whose strides are forgotten",
	.ops = transpose_ops,
	.apply = apply_transpose_view,
};

static enum fault_effect apply_slice_off_by_one(struct call *c, struct fault_state *s)
{
	struct tensor *y = c->out[0];

	(void)s;
	if (!is_float_copy(c) || y->count < 2)
		return FAULT_NO_EFFECT;
	memmove(y->f, y->f + 1, (y->count - 1) * sizeof(double));
	return FAULT_CHANGED;
}

const struct fault fault_slice_off_by_one = {
	.kind = FAULT_VALUE,
	.what = "Slice begins one element late",
	.like = "clamping of starts and ends in slices",
	.ops = slice_ops,
	.apply = apply_slice_off_by_one,
};

static enum fault_effect apply_concat_order(struct call *c, struct fault_state *st)
{
	struct shadow s;
	struct tensor *first = c->in[0];
	int rc;

	(void)st;
	for (int i = 1; i < c->n_in; i++)
		if (!tensor_same_shape(first, c->in[i]))
			return FAULT_NO_EFFECT;
	if (c->n_in < 2)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	for (int i = 0; i < c->n_in && !rc; i++)
		s.call.in[i] = c->in[c->n_in - 1 - i];
	return shadow_apply(&s, rc);
}

const struct fault fault_concat_order = {
	.kind = FAULT_VALUE,
	.what = "Concat joins its inputs in reverse order",
	.like = "memory planning that exchanges buffers",
	.ops = concat_ops,
	.apply = apply_concat_order,
};

static enum fault_effect apply_gather_negative(struct call *c, struct fault_state *st)
{
	const struct tensor *index = c->in[1];
	struct tensor *changed;
	struct shadow s;
	int rc, any = 0;

	(void)st;
	for (size_t i = 0; i < index->count; i++)
		any |= index->i[i] < 0;
	if (!any)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	changed = rc ? NULL : shadow_input(&s, 1);
	if (!changed)
		return FAULT_FAILED;
	for (size_t i = 0; i < changed->count; i++)
		changed->i[i] = changed->i[i] < 0 ? 0 : changed->i[i];
	return shadow_apply(&s, 0);
}

const struct fault fault_gather_negative = {
	.kind = FAULT_VALUE,
	.what = "negative indices are read as 0",
	.like = "onnxruntime issue 29072 and its kind: index -1",
	.ops = gather_ops,
	.apply = apply_gather_negative,
};

static enum fault_effect apply_pad_reflect_edge(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc;

	(void)st;
	if (strcmp(attr_string(c->node, "mode"), "reflect") != 0)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	if (!rc)
		rc = shadow_string(&s, "mode", "edge");
	return shadow_apply(&s, rc);
}

const struct fault fault_pad_reflect_edge = {
	.kind = FAULT_VALUE,
	.what = "reflecting padding repeats the edge",
	.like = "reflect and symmetric padding mixed up",
	.ops = pad_ops,
	.apply = apply_pad_reflect_edge,
};

/* Reduced over axis |a| where -a was asked for; only where the shapes allow it. */
static enum fault_effect apply_negative_axis(struct call *c, struct fault_state *st)
{
	const int64_t *axes = NULL;
	int64_t wrong[TENSOR_MAX_RANK];
	size_t n = 0;
	enum ints_found found;
	struct shadow s;
	int rc, any = 0;

	(void)st;
	rc = call_ints(c, "axes", 1, &axes, &n, &found);
	if (rc || found != INTS_GIVEN || n > TENSOR_MAX_RANK)
		return rc ? FAULT_FAILED : FAULT_NO_EFFECT;
	for (size_t i = 0; i < n; i++) {
		wrong[i] = axes[i] < 0 ? -axes[i] - 1 : axes[i];
		any |= axes[i] < 0 && wrong[i] != axes[i] + c->in[0]->rank;
	}
	if (!any)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	if (!rc && c->n_in > 1 && c->in[1]) {
		struct tensor *changed = shadow_input(&s, 1);

		if (changed)
			memcpy(changed->i, wrong, n * sizeof *wrong);
		else
			rc = c->err->code;
	} else if (!rc) {
		rc = shadow_ints(&s, "axes", wrong, n);
	}
	return shadow_apply(&s, rc);
}

const struct fault fault_negative_axis = {
	.kind = FAULT_VALUE,
	.what = "a negative axis is counted from the front",
	.like = "axis -1 in reductions and softmax of converters",
	.ops = reduce_ops,
	.apply = apply_negative_axis,
};

static enum fault_effect apply_mean_off_by_one(struct call *c, struct fault_state *s)
{
	double n = c->out[0]->count ? (double)(c->in[0]->count / c->out[0]->count) : 0;

	(void)s;
	if (n < 2 || !dtype_is_float(c->out[0]->dtype))
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < c->out[0]->count; i++)
		c->out[0]->f[i] *= n / (n - 1);
	return FAULT_CHANGED;
}

const struct fault fault_mean_off_by_one = {
	.kind = FAULT_VALUE,
	.what = "means are divided by n - 1",
	.like = "lengths that are off by one",
	.ops = mean_ops,
	.apply = apply_mean_off_by_one,
};

static enum fault_effect apply_reduce_empty(struct call *c, struct fault_state *s)
{
	(void)s;
	if (c->in[0]->count || !dtype_is_float(c->out[0]->dtype))
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < c->out[0]->count; i++)
		c->out[0]->f[i] = 42;
	return c->out[0]->count ? FAULT_CHANGED : FAULT_NO_EFFECT;
}

const struct fault fault_reduce_empty = {
	.kind = FAULT_VALUE,
	.what = "reductions over nothing leave their output as it was found in memory",
	.like = "reductions over an empty axis in MXNet",
	.ops = reduce_ops,
	.apply = apply_reduce_empty,
};

static enum fault_effect apply_arg_ties_last(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc = shadow_init(&s, c);

	(void)st;
	if (!rc)
		rc = shadow_int(&s, "select_last_index", !attr_int(c->node, "select_last_index"));
	return shadow_apply(&s, rc);
}

const struct fault fault_arg_ties_last = {
	.kind = FAULT_VALUE,
	.what = "of equal elements ArgMax names the last",
	.like = "order of ties in parallel reductions",
	.ops = arg_ops,
	.apply = apply_arg_ties_last,
};

static enum fault_effect apply_topk_unsorted(struct call *c, struct fault_state *s)
{
	size_t k = (size_t)c->out[0]->dims[c->out[0]->rank - 1];

	(void)s;
	if (k < 2 || !dtype_is_float(c->out[0]->dtype) || attr_int(c->node, "axis") != -1)
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i + 1 < c->out[0]->count; i += k) {
		double t = c->out[0]->f[i];

		c->out[0]->f[i] = c->out[0]->f[i + 1];
		c->out[0]->f[i + 1] = t;
	}
	return FAULT_CHANGED;
}

const struct fault fault_topk_unsorted = {
	.kind = FAULT_VALUE,
	.what = "the first two results of TopK are exchanged",
	.like = "partial sorts",
	.ops = topk_ops,
	.apply = apply_topk_unsorted,
};

static enum fault_effect apply_resize_half_pixel(struct call *c, struct fault_state *st)
{
	const char *mode = attr_string(c->node, "coordinate_transformation_mode");
	struct shadow s;
	int rc;

	(void)st;
	if (c->version < 11)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	if (!rc)
		rc = shadow_string(&s, "coordinate_transformation_mode",
				   strcmp(mode, "asymmetric") ? "asymmetric" : "half_pixel");
	return shadow_apply(&s, rc);
}

const struct fault fault_resize_half_pixel = {
	.kind = FAULT_VALUE,
	.what = "Resize is half a pixel off",
	.like = "OpenCV 4.7 and onnxruntime issue 12098: coordinate modes of Resize",
	.ops = resize_ops,
	.apply = apply_resize_half_pixel,
};
