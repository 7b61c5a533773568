/* shape.c - operators that move elements: Reshape, Transpose, Concat, Split, Slice, Tile, … */
#include <string.h>

#include "backends/tf/tf.h"

/* The shape of output i as inference finds it, once the inputs from `first` on are known; NULL: unsupported. */
static const struct type *inferred(struct bind_call *c, int first, int i)
{
	const struct type *t;

	for (int j = first; j < c->n_in; j++)
		if (tf_has(c, j) && !tf_known(c, j))
			return NULL;
	if (tf_failed(c))
		return NULL;
	t = &c->call->out_type[i];
	if (type_is_static(t))
		return t;
	bind_unsupported(c, "the shape of output %d is not known", i);
	return NULL;
}

/* Reshape and Flatten: the same elements under another shape. */
static int run_reshape(struct bind_call *c)
{
	const struct type *t = inferred(c, 1, 0);

	return t ? tf_out(c, 0, tf_reshape(c, tf_in(c, 0), t->rank, t->dims)) : c->err->code;
}

static int run_squeeze(struct bind_call *c)
{
	const struct type *t = inferred(c, 1, 0);
	struct tf_value *x = tf_in(c, 0);
	const int64_t *axes;
	struct tf_op op;
	size_t n;
	int found;

	if (!t || tf_ints(c, "axes", 1, &axes, &n, &found))
		return c->err->code;
	if (found && !n)
		return tf_out(c, 0, tf_1(c, "Identity", x));
	op = tf_op(c, "Squeeze");
	tf_op_in(&op, x);
	tf_op_ints(&op, "squeeze_dims", axes, found ? (int)n : 0);
	return tf_out(c, 0, tf_op_run(&op));
}

static int run_unsqueeze(struct bind_call *c)
{
	const struct type *t = inferred(c, 1, 0);
	struct tf_value *x = tf_in(c, 0);
	const int64_t *axes;
	size_t n;
	int found;

	if (!t || tf_ints(c, "axes", 1, &axes, &n, &found))
		return c->err->code;
	if (found && n == 1)
		return tf_out(c, 0, tf_2(c, "ExpandDims", x, tf_scalar(c, DT_INT32, (double)axes[0])));
	return tf_out(c, 0, tf_reshape(c, x, t->rank, t->dims));
}

static int run_expand(struct bind_call *c)
{
	const struct type *t = inferred(c, 1, 0);

	return t ? tf_out(c, 0, tf_broadcast(c, tf_in(c, 0), t->rank, t->dims)) : c->err->code;
}

static int run_tile(struct bind_call *c)
{
	const struct tensor *repeats;

	if (c->version < 6)
		return bind_unsupported(c, "one axis at a time, as before version 6");
	repeats = tf_known(c, 1);
	return repeats ? tf_out(c, 0, tf_2(c, "Tile", tf_in(c, 0), tf_list(c, repeats->i, (int)repeats->count)))
		       : c->err->code;
}

/* Fill: one value, zero unless said. */
static int run_constant_of_shape(struct bind_call *c)
{
	const struct type *t = inferred(c, 0, 0);
	const struct attr *a = node_attr(c->node, "value");
	struct tf_value *value;

	if (!t)
		return c->err->code;
	if (a && a->type == ATTR_TENSOR)
		value = tf_reshape(c, tf_constant(c, tensor_ref(a->t)), 0, NULL);
	else
		value = tf_scalar(c, DT_FLOAT, 0);
	return tf_out(c, 0, tf_2(c, "Fill", tf_list(c, t->dims, t->rank), value));
}

static int run_transpose(struct bind_call *c)
{
	size_t n;
	const int64_t *perm = node_ints(c->node, "perm", &n);
	struct tf_value *x = tf_in(c, 0);
	int order[TENSOR_MAX_RANK];

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (perm && n != (size_t)x->rank)
		return err_set(c->err, ERR_INPUT, "perm has %zu entries for rank %d", n, x->rank);
	for (int i = 0; i < x->rank; i++)
		order[i] = perm ? (int)perm[i] : x->rank - 1 - i;
	return tf_out(c, 0, tf_transpose(c, x, order));
}

static int run_concat(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);
	int axis;

	if (tf_failed(c) || tf_axis(c, attr_int(c->node, "axis"), x->rank, &axis))
		return c->err->code;
	if (c->n_in == 1)
		return tf_out(c, 0, tf_1(c, "Identity", x));
	return tf_out(c, 0, tf_concat(c, (struct tf_value *const *)c->in, c->n_in, axis));
}

static int run_split(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *parts[TF_MAX_OUTPUTS];
	int64_t sizes[TF_MAX_OUTPUTS];
	struct tf_op op;
	int axis, rc = 0;

	if (tf_failed(c) || tf_axis(c, attr_int(c->node, "axis"), x->rank, &axis))
		return c->err->code;
	if (c->n_out > TF_MAX_OUTPUTS)
		return bind_unsupported(c, "%d outputs: the binding takes at most %d", c->n_out, TF_MAX_OUTPUTS);
	for (int i = 0; i < c->n_out; i++) {
		const struct type *t = inferred(c, 1, i);

		if (!t)
			return c->err->code;
		sizes[i] = t->dims[axis];
	}
	op = tf_op(c, "SplitV");
	tf_op_in(&op, x);
	tf_op_in(&op, tf_list(c, sizes, c->n_out));
	tf_op_in(&op, tf_scalar(c, DT_INT32, axis));
	tf_op_int(&op, "num_split", c->n_out);
	tf_op_run_many(&op, parts, c->n_out);
	for (int i = 0; i < c->n_out && !rc; i++)
		rc = tf_out(c, i, parts[i]);
	return rc ? rc : c->err->code;
}

/* ---- Slice ------------------------------------------------------------------------------------------------------- */

/* Elements begin, begin + step, … of each axis, count of them. */
struct tf_cut {
	int64_t begin[TENSOR_MAX_RANK], count[TENSOR_MAX_RANK], step[TENSOR_MAX_RANK];
};

#define FAR ((int64_t)1 << 40) /* steps beyond every axis are all the same */

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* Negative positions count from the end, then all are clamped: forwards to [0, dim], backwards the start to [0, dim -
 * 1] and the end to [-1, dim - 1]. */
static void cut_axis(struct tf_cut *k, int axis, int64_t dim, int64_t start, int64_t end, int64_t step)
{
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;

	start = clamp(start < 0 ? start + dim : start, step < 0 && dim ? 0 : low, high);
	end = clamp(end < 0 ? end + dim : end, low, high);
	k->begin[axis] = start;
	k->step[axis] = step;
	k->count[axis] = step > 0 ? (end > start ? (end - start - 1) / step + 1 : 0)
				  : (end < start ? (start - end - 1) / -step + 1 : 0);
}

static int plan_cut(struct bind_call *c, const struct tf_value *x, struct tf_cut *k)
{
	const int64_t *starts, *ends, *axes, *steps = NULL;
	size_t n, n_ends, n_axes, n_steps = 0;
	int found[4] = {0}, axis;

	if (tf_ints(c, "starts", 1, &starts, &n, &found[0]) || tf_ints(c, "ends", 2, &ends, &n_ends, &found[1]) ||
	    tf_ints(c, "axes", 3, &axes, &n_axes, &found[2]) || tf_ints(c, NULL, 4, &steps, &n_steps, &found[3]))
		return c->err->code;
	if (!found[0] || !found[1] || n != n_ends || (found[2] && n_axes != n) || (found[3] && n_steps != n))
		return err_set(c->err, ERR_INPUT, "starts, ends, axes and steps differ in length");
	for (int i = 0; i < x->rank; i++)
		cut_axis(k, i, x->dims[i], 0, x->dims[i], 1);
	for (size_t i = 0; i < n; i++) {
		int64_t step = found[3] ? steps[i] : 1;

		if (tf_axis(c, found[2] ? axes[i] : (int64_t)i, x->rank, &axis))
			return c->err->code;
		if (!step)
			return err_set(c->err, ERR_INPUT, "a step of zero");
		cut_axis(k, axis, x->dims[axis], starts[i], ends[i], clamp(step, -FAR, FAR));
	}
	return 0;
}

/* StridedSlice with what plan_cut() found; an end that would be -1 is left open by a mask. */
static struct tf_value *strided(struct bind_call *c, struct tf_value *x, const struct tf_cut *k)
{
	int64_t begin[TENSOR_MAX_RANK], end[TENSOR_MAX_RANK], step[TENSOR_MAX_RANK], mask = 0;
	struct tf_op op;

	for (int i = 0; i < x->rank; i++) {
		begin[i] = k->count[i] ? k->begin[i] : 0;
		step[i] = k->count[i] > 1 ? k->step[i] : 1;
		end[i] = k->count[i] > 1 ? begin[i] + (k->count[i] - 1) * step[i] + (step[i] > 0 ? 1 : -1)
					 : begin[i] + k->count[i];
		if (end[i] < 0)
			mask |= (int64_t)1 << i;
	}
	op = tf_op(c, "StridedSlice");
	tf_op_in(&op, x);
	tf_op_in(&op, tf_list(c, begin, x->rank));
	tf_op_in(&op, tf_list(c, end, x->rank));
	tf_op_in(&op, tf_list(c, step, x->rank));
	tf_op_int(&op, "end_mask", mask);
	return tf_op_run(&op);
}

static int run_slice(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);
	struct tf_cut k;
	int plain = 1;

	if (tf_failed(c) || tf_static(c, x) || plan_cut(c, x, &k))
		return c->err->code;
	for (int i = 0; i < x->rank; i++)
		plain &= k.step[i] == 1 || k.count[i] == 1;
	if (plain)
		return tf_out(c, 0, tf_slice(c, x, k.begin, k.count));
	return tf_out(c, 0, strided(c, x, &k));
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* The library's own take blocks of 2 and more; those of 1 change nothing. */
static struct tf_value *blocks(struct bind_call *c, const char *name, struct tf_value *x, int64_t size)
{
	struct tf_op op;

	if (size == 1)
		return x;
	op = tf_op(c, name);
	tf_op_in(&op, x);
	tf_op_int(&op, "block_size", size);
	return tf_op_run(&op);
}

static int run_space_to_depth(struct bind_call *c)
{
	const char *mode = attr_string(c->node, "mode");
	struct tf_value *x = tf_to_last(c, tf_in(c, 0));

	if (strcmp(mode, "DCR") != 0)
		return bind_unsupported(c, "mode '%s'", mode);
	return tf_out(c, 0, tf_to_first(c, blocks(c, "SpaceToDepth", x, attr_int(c->node, "blocksize"))));
}

/* DCR is TensorFlow's own order; CRD: (N, C, b, b, H, W) → (N, C, H, b, W, b). */
static int run_depth_to_space(struct bind_call *c)
{
	static const int order[] = {0, 1, 4, 2, 5, 3};
	int64_t b = attr_int(c->node, "blocksize"), six[6], four[4];
	struct tf_value *x = tf_in(c, 0);

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (strcmp(attr_string(c->node, "mode"), "CRD") != 0)
		return tf_out(c, 0, tf_to_first(c, blocks(c, "DepthToSpace", tf_to_last(c, x), b)));
	if (x->rank != 4 || b < 1 || b > INT32_MAX || x->dims[1] % (b * b))
		return err_set(c->err, ERR_INPUT, "the channels are not blocks of %lld squared", (long long)b);
	four[0] = six[0] = x->dims[0];
	four[1] = six[1] = x->dims[1] / (b * b);
	six[2] = six[3] = b;
	six[4] = x->dims[2];
	six[5] = x->dims[3];
	four[2] = six[4] * b;
	four[3] = six[5] * b;
	return tf_out(c, 0, tf_reshape(c, tf_transpose(c, tf_reshape(c, x, 6, six), order), 4, four));
}

const struct binding tf_rows_shape[] = {
	{"Concat", run_concat, NULL},
	{"ConstantOfShape", run_constant_of_shape, NULL},
	{"DepthToSpace", run_depth_to_space, NULL},
	{"Expand", run_expand, NULL},
	{"Flatten", run_reshape, NULL},
	{"Reshape", run_reshape, NULL},
	{"Slice", run_slice, NULL},
	{"SpaceToDepth", run_space_to_depth, NULL},
	{"Split", run_split, NULL},
	{"Squeeze", run_squeeze, NULL},
	{"Tile", run_tile, NULL},
	{"Transpose", run_transpose, NULL},
	{"Unsqueeze", run_unsqueeze, NULL},
	{0},
};
