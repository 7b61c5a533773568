/* reduce.c - reductions, ArgMax and ArgMin, TopK, CumSum. */
#include <string.h>

#include "backends/tf/tf.h"

struct over {
	int64_t axes[TENSOR_MAX_RANK];
	int n, keep;
};

static struct tf_value *reduce(struct bind_call *c, const char *op, struct tf_value *x, const struct over *o)
{
	return tf_reduce(c, op, x, o->axes, o->n, o->keep);
}

/* log Σ e^x = m + log Σ e^(x - m), m the largest where that is finite */
static struct tf_value *log_sum_exp(struct bind_call *c, struct tf_value *x, const struct over *o)
{
	struct over kept = *o;
	struct tf_value *m, *zero, *sum;

	kept.keep = 1;
	m = reduce(c, "Max", x, &kept);
	zero = x ? tf_scalar(c, x->dtype, 0) : NULL;
	m = tf_select(c, tf_1(c, "IsFinite", m), m, zero);
	sum = tf_1(c, "Log", reduce(c, "Sum", tf_1(c, "Exp", tf_2(c, "Sub", x, m)), o));
	if (!tf_failed(c) && !o->keep)
		m = tf_reshape(c, m, sum->rank, sum->dims);
	return tf_2(c, "AddV2", sum, m);
}

/* after(reduce(before(x))); bools have operations of their own.  ReduceLogSumExp has no row: see above. */
static const struct tf_reduction {
	const char *onnx, *before, *op, *after, *of_bools;
	int whole; /* for whole numbers too: no fraction that could be cut in several ways */
} reductions[] = {
	{"ReduceL1", "Abs", "Sum", NULL, NULL, 1},           {"ReduceL2", "Square", "Sum", "Sqrt", NULL, 0},
	{"ReduceLogSum", NULL, "Sum", "Log", NULL, 0},       {"ReduceMax", NULL, "Max", NULL, "Any", 1},
	{"ReduceMean", NULL, "Mean", NULL, NULL, 0},         {"ReduceMin", NULL, "Min", NULL, "All", 1},
	{"ReduceProd", NULL, "Prod", NULL, NULL, 1},         {"ReduceSum", NULL, "Sum", NULL, NULL, 1},
	{"ReduceSumSquare", "Square", "Sum", NULL, NULL, 1},
};

static const struct tf_reduction *find_reduction(const char *onnx)
{
	for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
		if (!strcmp(reductions[i].onnx, onnx))
			return &reductions[i];
	return NULL;
}

static struct tf_value *apply(struct bind_call *c, const struct tf_reduction *r, struct tf_value *x,
			      const struct over *o)
{
	const char *op = x->dtype == DT_BOOL && r->of_bools ? r->of_bools : r->op;

	if (r->before)
		x = tf_1(c, r->before, x);
	x = reduce(c, op, x, o);
	return r->after ? tf_1(c, r->after, x) : x;
}

/* No axes: all of them, or none when noop_with_empty_axes says so. */
static int run_reduce(struct bind_call *c)
{
	const char *name = c->row->op;
	const struct tf_reduction *r = find_reduction(name);
	struct tf_value *x = tf_in(c, 0);
	const int64_t *axes;
	struct over o = {.keep = attr_int(c->node, "keepdims") != 0};
	size_t n;
	int found, axis;

	if (tf_failed(c) || tf_static(c, x) || tf_ints(c, "axes", 1, &axes, &n, &found))
		return c->err->code;
	if (!dtype_is_float(x->dtype) && !(r && r->whole))
		return bind_unsupported(c, "%s of %s: how a fraction is cut is not specified", name,
					dtype_name(x->dtype));
	if (!n && attr_int(c->node, "noop_with_empty_axes")) {
		if (r && !r->before && !r->after)
			return tf_out(c, 0, tf_1(c, "Identity", x));
		return bind_unsupported(c, "noop_with_empty_axes");
	}
	if (n > TENSOR_MAX_RANK)
		return err_set(c->err, ERR_INPUT, "%zu axes", n);
	for (size_t i = 0; i < n; i++) {
		if (tf_axis(c, axes[i], x->rank, &axis))
			return c->err->code;
		o.axes[o.n++] = axis;
	}
	for (int i = 0; !n && i < x->rank; i++)
		o.axes[o.n++] = i;
	return tf_out(c, 0, r ? apply(c, r, x, &o) : log_sum_exp(c, x, &o));
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

static struct tf_value *arg_along(struct bind_call *c, struct tf_value *x, int axis)
{
	struct tf_op op = tf_op(c, c->row->native);

	tf_op_in(&op, x);
	tf_op_in(&op, tf_scalar(c, DT_INT32, axis));
	tf_op_type(&op, "output_type", DT_INT64);
	return tf_op_run(&op);
}

/* The first of equals; select_last_index looks from the other end. */
static int run_arg(struct bind_call *c)
{
	int64_t dims[TENSOR_MAX_RANK], last[1];
	struct tf_value *x = tf_in(c, 0), *y;
	int axis;

	if (tf_failed(c) || tf_static(c, x) || tf_axis(c, attr_int(c->node, "axis"), x->rank, &axis))
		return c->err->code;
	last[0] = axis;
	if (attr_int(c->node, "select_last_index")) {
		y = arg_along(c, tf_2(c, "ReverseV2", x, tf_list(c, last, 1)), axis);
		y = tf_2(c, "Sub", tf_scalar(c, DT_INT64, (double)(x->dims[axis] - 1)), y);
	} else {
		y = arg_along(c, x, axis);
	}
	memcpy(dims, x->dims, sizeof dims);
	dims[axis] = 1;
	if (attr_int(c->node, "keepdims"))
		y = tf_reshape(c, y, x->rank, dims);
	return tf_out(c, 0, y);
}

/* Exchanges an axis with the last one; its own inverse. */
static struct tf_value *swap_last(struct bind_call *c, struct tf_value *x, int axis)
{
	int perm[TENSOR_MAX_RANK];

	if (tf_failed(c) || axis == x->rank - 1)
		return x;
	for (int i = 0; i < x->rank; i++)
		perm[i] = i;
	perm[axis] = x->rank - 1;
	perm[x->rank - 1] = axis;
	return tf_transpose(c, x, perm);
}

/* TensorFlow's runs along the last axis and knows the largest only: the smallest are the largest of -x. */
static int run_top_k(struct bind_call *c)
{
	int smallest = !attr_int(c->node, "largest"), axis;
	struct tf_value *x = tf_in(c, 0), *out[2] = {NULL, NULL};
	const int64_t *k;
	struct tf_op op;
	size_t n;
	int found;

	if (tf_failed(c) || tf_axis(c, attr_int(c->node, "axis"), x->rank, &axis))
		return c->err->code;
	if (c->version < 10) {
		static const int64_t none = -1;

		k = node_has(c->node, "k") ? &node_attr(c->node, "k")->i : &none;
		n = 1;
	} else if (tf_ints(c, NULL, 1, &k, &n, &found)) {
		return c->err->code;
	}
	if (n != 1 || k[0] < 0 || k[0] > INT32_MAX)
		return err_set(c->err, ERR_INPUT, "K must be one number that is not negative");
	if (smallest && !dtype_is_float(x->dtype))
		return bind_unsupported(c, "the smallest of %s", dtype_name(x->dtype));
	x = swap_last(c, x, axis);
	op = tf_op(c, "TopKV2");
	tf_op_in(&op, smallest ? tf_1(c, "Neg", x) : x);
	tf_op_in(&op, tf_scalar(c, DT_INT32, (double)k[0]));
	tf_op_run_many(&op, out, 2);
	if (smallest)
		out[0] = tf_1(c, "Neg", out[0]);
	tf_out(c, 0, swap_last(c, out[0], axis));
	return tf_out(c, 1, swap_last(c, tf_cast(c, out[1], DT_INT64), axis));
}

/* CumSum and CumProd */
static int run_cumulative(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);
	const int64_t *list;
	struct tf_op op;
	size_t n;
	int found, axis;

	if (tf_ints(c, NULL, 1, &list, &n, &found))
		return c->err->code;
	if (!found || n != 1)
		return err_set(c->err, ERR_INPUT, "axis must be one number");
	if (tf_axis(c, list[0], x->rank, &axis))
		return c->err->code;
	op = tf_op(c, c->row->native);
	tf_op_in(&op, x);
	tf_op_in(&op, tf_scalar(c, DT_INT32, axis));
	tf_op_bool(&op, "exclusive", attr_int(c->node, "exclusive") != 0);
	tf_op_bool(&op, "reverse", attr_int(c->node, "reverse") != 0);
	return tf_out(c, 0, tf_op_run(&op));
}

const struct binding tf_rows_reduce[] = {
	{"ArgMax", run_arg, "ArgMax"},
	{"ArgMin", run_arg, "ArgMin"},
	{"CumProd", run_cumulative, "Cumprod"},
	{"CumSum", run_cumulative, "Cumsum"},
	{"ReduceL1", run_reduce, NULL},
	{"ReduceL2", run_reduce, NULL},
	{"ReduceLogSum", run_reduce, NULL},
	{"ReduceLogSumExp", run_reduce, NULL},
	{"ReduceMax", run_reduce, NULL},
	{"ReduceMean", run_reduce, NULL},
	{"ReduceMin", run_reduce, NULL},
	{"ReduceProd", run_reduce, NULL},
	{"ReduceSum", run_reduce, NULL},
	{"ReduceSumSquare", run_reduce, NULL},
	{"TopK", run_top_k, NULL},
	{0},
};
