/* norm.c - normalisations and softmax. */
#include <string.h>

#include "backends/mxnet/mxnet.h"

#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

/* fix_gamma would put 1 in the place of gamma, and without use_global_stats training takes the batch's. */
static int run_batch_normalization(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int rc = mx_only(c, TM(DT_FLOAT) | TM(DT_DOUBLE));

	if (rc || !x)
		return c->err->code;
	if (attr_int(c->node, "training_mode") || (c->version < 7 && !attr_int(c->node, "is_test")))
		return bind_unsupported(c, "training");
	for (int i = 1; i < c->n_out; i++)
		if (call_wants(c->call, i))
			return bind_unsupported(c, "running statistics as outputs");
	if (!attr_int(c->node, "spatial") && x->rank > 2)
		return bind_unsupported(c, "spatial=0");
	for (int i = 1; i < 5; i++)
		if (c->call->in_type[i].dtype != x->dtype)
			return bind_unsupported(c, "inputs of different types");
	if (x->rank < 2)
		return bind_unsupported(c, "an input of rank %d", x->rank);
	if (mx_refuse_gradient(c, 3) || mx_refuse_gradient(c, 4)) /* the library's state */
		return c->err->code;
	return mx_give(c, 0,
		       mx_op(c, c->row->native, 5, c->in, "eps=%.17g;fix_gamma=0;use_global_stats=1;axis=1",
			     attr_float(c->node, "epsilon")));
}

static int run_instance_normalization(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);

	if (!x || mx_only(c, FLOATS))
		return c->err->code;
	if (x->rank < 3)
		return bind_unsupported(c, "an input of rank %d", x->rank);
	return mx_give(c, 0, mx_op(c, c->row->native, 3, c->in, "eps=%.9g", attr_float(c->node, "epsilon")));
}

/* Gives output i, of which the library has made the elements. */
static int give_shaped(struct bind_call *c, int i, void *y)
{
	const struct type *t = mx_out_type(c, i);

	return t ? mx_give(c, i, mx_reshape(c, mx_cast(c, y, t->dtype), t->rank, t->dims)) : c->err->code;
}

/* Mean and 1/√(variance + ε) of the rows of x.  The library gives its own ones, but no gradient goes through them. */
static int give_statistics(struct bind_call *c, void *x, double epsilon)
{
	void *mean, *variance;
	int rc;

	if (!call_wants(c->call, 1) && !call_wants(c->call, 2))
		return 0;
	mean = mx_op(c, "mean", 1, &x, "axis=1;keepdims=1");
	variance = mx_op1(c, "square", mx_op2(c, "broadcast_sub", x, mean));
	variance = mx_op(c, "mean", 1, &variance, "axis=1;keepdims=1");
	rc = call_wants(c->call, 1) ? give_shaped(c, 1, mean) : 0;
	if (!rc && call_wants(c->call, 2))
		rc = give_shaped(c, 2, mx_op1(c, "rsqrt", mx_scalar(c, "_plus_scalar", variance, epsilon)));
	return rc;
}

/* The library normalises one axis: those from `axis` on are made one. */
static int run_layer_normalization(struct bind_call *c)
{
	double epsilon = attr_float(c->node, "epsilon");
	const struct type *x = bind_type(c, 0);
	int64_t flat[2] = {1, 1};
	void *in[3];
	int axis, rc;

	if (!x || mx_only(c, FLOATS))
		return c->err->code;
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	for (int i = 0; i < x->rank; i++)
		flat[i >= axis] *= x->dims[i];
	in[0] = mx_reshape(c, c->in[0], 2, flat);
	for (int i = 1; i < 3; i++) {
		if (!bind_has(c, i)) {
			in[i] = mx_full(c, x->dtype, 1, flat + 1, 0.0);
			continue;
		}
		if (c->call->in_type[i].rank > x->rank - axis)
			return bind_unsupported(c, "scale or bias that differ along axes that are not normalised");
		in[i] = mx_broadcast(c, c->in[i], x->rank - axis, x->dims + axis);
		in[i] = mx_reshape(c, in[i], 1, flat + 1);
	}
	rc = give_shaped(c, 0, mx_op(c, c->row->native, 3, in, "axis=-1;eps=%.9g", epsilon));
	return rc ? rc : give_statistics(c, in[0], epsilon);
}

/* x / (bias + α/size Σ x²)^β over `size` channels around each; the library's window is odd. */
static int run_lrn(struct bind_call *c)
{
	int64_t size = attr_int(c->node, "size");
	const struct type *x = bind_type(c, 0);

	if (!x || mx_only(c, FLOATS))
		return c->err->code;
	if (x->rank != 4 || size % 2 == 0)
		return bind_unsupported(c, "mxnet has it for rank 4 and an odd size, not %d and %lld", x->rank,
					(long long)size);
	return mx_give(c, 0,
		       mx_op(c, c->row->native, 1, c->in, "nsize=%lld;alpha=%.9g;beta=%.9g;knorm=%.9g", (long long)size,
			     attr_float(c->node, "alpha"), attr_float(c->node, "beta"), attr_float(c->node, "bias")));
}

/* Before opset 13 all axes from `axis` on are one. */
static int run_softmax(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int64_t flat[2] = {1, 1};
	int axis, rc;
	void *y;

	if (!x || mx_only(c, FLOATS))
		return c->err->code;
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	if (c->version >= 13)
		return mx_give(c, 0, mx_op(c, c->row->native, 1, c->in, "axis=%d", axis));
	for (int i = 0; i < x->rank; i++)
		flat[i >= axis] *= x->dims[i];
	y = mx_op(c, c->row->native, 1, (void *[]){mx_reshape(c, c->in[0], 2, flat)}, "axis=-1");
	return mx_give(c, 0, mx_reshape(c, y, x->rank, x->dims));
}

/* 1 at the first largest element, else 0: one-hot codes of argmax, with the axis put back from the end. */
static int run_hardmax(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int64_t flat[2] = {1, 1}, order[TENSOR_MAX_RANK];
	void *y = c->in[0];
	int axis, rc;

	if (!x || mx_only(c, TM(DT_FLOAT) | TM(DT_DOUBLE)))
		return c->err->code;
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	for (int i = 0; i < x->rank; i++) {
		flat[i >= axis] *= x->dims[i];
		order[i] = i < axis ? i : i == axis ? x->rank - 1 : i - 1;
	}
	if (flat[1] > 1 << 24) /* positions come as float32 */
		return bind_unsupported(c, "more than 2^24 elements");
	if (c->version < 13)
		y = mx_reshape(c, y, 2, flat);
	y = mx_op(c, "argmax", 1, &y, "axis=%d", c->version < 13 ? 1 : axis);
	y = mx_op(c, c->row->native, 1, &y, "depth=%lld;dtype=%s",
		  (long long)(c->version < 13 ? flat[1] : x->dims[axis]), mx_dtype_name(x->dtype));
	if (c->version < 13 || x->rank == 1) /* of one axis argmax leaves one */
		return mx_give(c, 0, mx_reshape(c, y, x->rank, x->dims));
	return mx_give(c, 0, mx_transpose(c, y, x->rank, order));
}

/* (x - mean) / √(mean of (x - mean)²) over axes. */
static int run_mean_variance_normalization(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int64_t list[TENSOR_MAX_RANK];
	const int64_t *axes;
	void *y, *spread;
	size_t n;
	int axis, rc;

	if (!x || mx_only(c, FLOATS))
		return c->err->code;
	axes = attr_ints(c->node, "axes", &n);
	for (size_t i = 0; i < n; i++) {
		if (n > (size_t)x->rank || (rc = call_axis(c->call, axes[i], x->rank, &axis)))
			return c->err->code ? c->err->code : bind_unsupported(c, "%zu axes", n);
		list[i] = axis;
	}
	y = mx_op(c, "mean", 1, c->in, "axis=%s;keepdims=1", mx_tuple(c, list, n));
	y = mx_op2(c, "broadcast_sub", c->in[0], y);
	spread = mx_op1(c, "square", y);
	spread = mx_op(c, "mean", 1, &spread, "axis=%s;keepdims=1", mx_tuple(c, list, n));
	/* the function in the specification adds 1e-9 to the deviation */
	spread = mx_scalar(c, "_plus_scalar", mx_op1(c, "sqrt", spread), 1e-9);
	return mx_give(c, 0, mx_op2(c, "broadcast_div", y, spread));
}

/* x / norm along one axis; 0 where the norm is 0. */
static int run_lp_normalization(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int64_t p = attr_int(c->node, "p");
	int axis, rc;
	void *norm, *zero;

	if (!x || mx_only(c, FLOATS))
		return c->err->code;
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	norm = mx_op(c, "norm", 1, c->in, "ord=%d;axis=(%d,);keepdims=1", p == 1 ? 1 : 2, axis);
	zero = mx_scalar(c, "_equal_scalar", norm, 0.0);
	return mx_give(c, 0, mx_op2(c, "broadcast_div", c->in[0], mx_op2(c, "elemwise_add", norm, zero)));
}

const struct binding mx_rows_norm[] = {
	{"BatchNormalization", run_batch_normalization, "BatchNorm"},
	{"InstanceNormalization", run_instance_normalization, "InstanceNorm"},
	{"LayerNormalization", run_layer_normalization, "LayerNorm"},
	{"LRN", run_lrn, "LRN"},
	{"LpNormalization", run_lp_normalization, NULL},
	{"MeanVarianceNormalization", run_mean_variance_normalization, NULL},
	{"Hardmax", run_hardmax, "one_hot"},
	{"Softmax", run_softmax, "softmax"},
	{"LogSoftmax", run_softmax, "log_softmax"},
	{0},
};
