/* reduce.c - reductions over axes, positions of extremes, running sums. */
#include <string.h>

#include "backends/mxnet/mxnet.h"

struct axes {
	int64_t at[TENSOR_MAX_RANK];
	size_t n; /* 0: all */
	int keep, nothing;
	const struct type *x;
};

static int read_axes(struct bind_call *c, struct axes *a)
{
	const int64_t *list;
	size_t n;
	int found, axis, rc = bind_ints(c, "axes", 1, &list, &n, &found);

	*a = (struct axes){.keep = attr_int(c->node, "keepdims") != 0, .x = bind_type(c, 0)};
	if (rc || !a->x)
		return c->err->code;
	for (int i = 0; i < a->x->rank; i++)
		if (!a->x->dims[i])
			return bind_unsupported(c, "an empty input");
	if (!found || !n) {
		a->nothing = attr_int(c->node, "noop_with_empty_axes") != 0;
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if ((rc = call_axis(c->call, list[i], a->x->rank, &axis)))
			return rc;
		a->at[a->n++] = axis;
	}
	return 0;
}

/* Of all axes together these operators leave one of size 1, whatever keepdims says. */
static void *reduce(struct bind_call *c, const char *op, void *x, const struct axes *a, int keep)
{
	void *y = a->n ? mx_op(c, op, 1, &x, "axis=%s;keepdims=%d", mx_tuple(c, a->at, a->n), keep)
		       : mx_op(c, op, 1, &x, "keepdims=%d", keep);

	return !keep && (!a->n || a->n == (size_t)a->x->rank) ? mx_reshape(c, y, 0, NULL) : y;
}

/* before(x), a reduction, after(…) as the row says: "square sum sqrt", "-" for none. */
static int run_reduce(struct bind_call *c)
{
	char steps[3][16];
	const char *text = c->row->native;
	struct axes a;
	void *y = c->in[0];
	int rc = read_axes(c, &a);

	if (rc)
		return rc;
	for (int i = 0; i < 3; i++) {
		size_t n = strcspn(text, " ");

		BUG_ON(n >= sizeof steps[i]);
		memcpy(steps[i], text, n);
		steps[i][n] = '\0';
		text += n + (text[n] == ' ');
	}
	if (!dtype_is_float(a.x->dtype) && (*steps[2] != '-' || !strcmp(steps[1], "mean")))
		return bind_unsupported(c, "%s of %s: how a fraction is cut is not specified", c->row->op,
					dtype_name(a.x->dtype));
	if (*steps[0] != '-')
		y = mx_op1(c, steps[0], y);
	y = a.nothing ? (y == c->in[0] ? mx_op1(c, "_copy", y) : y) : reduce(c, steps[1], y, &a, a.keep);
	if (*steps[2] != '-')
		y = mx_op1(c, steps[2], y);
	return mx_give(c, 0, y);
}

/* m + log Σ exp(x - m) with the maximum m, so that nothing overflows that need not. */
static int run_reduce_log_sum_exp(struct bind_call *c)
{
	const struct type *t;
	struct axes a;
	void *most, *y;
	int rc = read_axes(c, &a);

	if (rc || !(t = mx_out_type(c, 0)))
		return c->err->code;
	if (a.nothing)
		return bind_unsupported(c, "no axes");
	most = reduce(c, "max", c->in[0], &a, 1);
	y = mx_op1(c, "exp", mx_op2(c, "broadcast_sub", c->in[0], most));
	y = mx_op2(c, "elemwise_add", mx_op1(c, "log", reduce(c, "sum", y, &a, 1)), most);
	return mx_give(c, 0, mx_reshape(c, y, t->rank, t->dims));
}

/* The library gives positions in the type of the elements: how far that counts. */
static int64_t most_positions(enum dtype t)
{
	return t == DT_FLOAT16 ? 1 << 11 : t == DT_INT8 ? 128 : t == DT_UINT8 ? 256 : 1 << 24;
}

static int run_arg(struct bind_call *c)
{
	int last = attr_int(c->node, "select_last_index") != 0, axis, rc;
	const struct type *x = bind_type(c, 0), *t = mx_out_type(c, 0);
	void *y = c->in[0];

	if (!x || !t)
		return c->err->code;
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	if (x->dims[axis] > most_positions(x->dtype))
		return bind_unsupported(c, "an axis of %lld elements, which %s does not count",
					(long long)x->dims[axis], dtype_name(x->dtype));
	if (last)
		y = mx_reverse(c, y, axis);
	y = mx_op(c, c->row->native, 1, &y, "axis=%d;keepdims=1", axis);
	y = mx_cast(c, y, DT_INT64);
	if (last)
		y = mx_scalar(c, "_rminus_scalar", y, (double)(x->dims[axis] - 1));
	return mx_give(c, 0, mx_reshape(c, y, t->rank, t->dims));
}

/* Running sums along an axis.  exclusive: the sums before each element, the first is 0. */
static int run_cum_sum(struct bind_call *c)
{
	int reverse = attr_int(c->node, "reverse") != 0, axis, rc;
	const struct type *x = bind_type(c, 0);
	const struct tensor *t = bind_known(c, 1);
	int64_t first[TENSOR_MAX_RANK];
	void *y = c->in[0], *parts[2];

	if (!x || !t)
		return c->err->code;
	if ((rc = call_axis(c->call, t->count ? t->i[0] : 0, x->rank, &axis)))
		return rc;
	if (reverse)
		y = mx_reverse(c, y, axis);
	/* whole numbers would be summed in 64 bits by its documentation, though they are not */
	y = x->dtype == DT_UINT8 ? mx_op(c, c->row->native, 1, &y, "axis=%d", axis)
				 : mx_op(c, c->row->native, 1, &y, "axis=%d;dtype=%s", axis, mx_dtype_name(x->dtype));
	if (attr_int(c->node, "exclusive")) {
		memcpy(first, x->dims, sizeof first);
		first[axis] = 1;
		parts[0] = mx_full(c, x->dtype, x->rank, first, 0.0);
		if (x->dims[axis] > 1) /* MXNet refuses a slice of nothing */
			parts[1] = mx_slice(c, y, axis, 0, x->dims[axis] - 1);
		y = x->dims[axis] > 1 ? mx_concat(c, 2, parts, axis) : parts[0];
	}
	return mx_give(c, 0, reverse ? mx_reverse(c, y, axis) : y);
}

const struct binding mx_rows_reduce[] = {
	{"ReduceSum", run_reduce, "- sum -"},
	{"ReduceMean", run_reduce, "- mean -"},
	{"ReduceMax", run_reduce, "- max -"},
	{"ReduceMin", run_reduce, "- min -"},
	{"ReduceProd", run_reduce, "- prod -"},
	{"ReduceL1", run_reduce, "abs sum -"},
	{"ReduceL2", run_reduce, "square sum sqrt"},
	{"ReduceSumSquare", run_reduce, "square sum -"},
	{"ReduceLogSum", run_reduce, "- sum log"},
	{"ReduceLogSumExp", run_reduce_log_sum_exp, NULL},
	{"ArgMax", run_arg, "argmax"},
	{"ArgMin", run_arg, "argmin"},
	{"CumSum", run_cum_sum, "_np_cumsum"},
	{0},
};
