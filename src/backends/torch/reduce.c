/* reduce.c - reductions, arguments of extremes, running sums, order. */
#include <string.h>

#include "backends/torch/th.h"

/* What is reduced: axes made positive, each once. */
struct torch_reduction {
	struct th_shape x;
	int64_t axes[TENSOR_MAX_RANK];
	int n, keep, noop;
	size_t count; /* elements behind one result */
};

static int read_reduction(struct bind_call *c, struct torch_reduction *r)
{
	const int64_t *list;
	int n, found, axis, seen[TENSOR_MAX_RANK] = {0};

	memset(r, 0, sizeof *r);
	r->keep = attr_int(c->node, "keepdims") != 0;
	r->count = 1;
	if (th_shape(c, th_in(c, 0), &r->x) || th_ints(c, "axes", 1, &list, &n, &found))
		return c->err->code;
	r->noop = !n && attr_int(c->node, "noop_with_empty_axes");
	for (int i = 0; i < n; i++) {
		if (th_axis(c, list[i], r->x.rank, &axis))
			return c->err->code;
		seen[axis] = 1;
	}
	for (int i = 0; i < r->x.rank; i++)
		if (seen[i] || !n) {
			r->axes[r->n++] = i;
			r->count *= (size_t)r->x.dims[i];
		}
	return 0;
}

/* torch widens sums of integers; ONNX keeps the type. */
static void *sum_of(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	return th_op(c, "sum.dim_IntList", "tIbd", x, r->axes, r->n, r->keep, (int)r->x.dtype);
}

static void *reduce_mean(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	if (!dtype_is_float(r->x.dtype)) {
		bind_unsupported(c, "torch has no mean of integers");
		return NULL;
	}
	return th_op(c, "mean.dim", "tIb", x, r->axes, r->n, r->keep);
}

static void *extreme(struct bind_call *c, const struct torch_reduction *r, void *x, const char *op)
{
	if (!r->count) {
		bind_unsupported(c, "torch has no extreme of nothing");
		return NULL;
	}
	return th_op(c, op, "tIb", x, r->axes, r->n, r->keep);
}

static void *reduce_max(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	return extreme(c, r, x, "amax");
}

static void *reduce_min(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	return extreme(c, r, x, "amin");
}

/* One axis at a time, the last first, so that numbers stay right. */
static void *reduce_prod(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	for (int i = r->n - 1; i >= 0; i--)
		x = th_op(c, "prod.dim_int", "tlbd", x, r->axes[i], r->keep, (int)r->x.dtype);
	return x;
}

/* torch's vector norm of a rank-0 tensor wants no axes at all, which here means none to reduce. */
static void *norm_of(struct bind_call *c, const struct torch_reduction *r, void *x, int p)
{
	if (!dtype_is_float(r->x.dtype) && p == 1)
		return sum_of(c, r, th_op(c, "abs", "t", x));
	if (!dtype_is_float(r->x.dtype)) {
		bind_unsupported(c, "torch has no norm of integers");
		return NULL;
	}
	return th_op(c, "linalg_vector_norm", "tiIb", x, p, r->axes, r->n, r->keep);
}

static void *reduce_l1(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	return norm_of(c, r, x, 1);
}

static void *reduce_l2(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	return norm_of(c, r, x, 2);
}

static void *reduce_log_sum(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	return th_op(c, "log", "t", sum_of(c, r, x));
}

static void *reduce_log_sum_exp(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	return r->n ? th_op(c, "logsumexp", "tIb", x, r->axes, r->n, r->keep) : x;
}

static void *reduce_sum_square(struct bind_call *c, const struct torch_reduction *r, void *x)
{
	return sum_of(c, r, th_op(c, "mul.Tensor", "tt", x, x));
}

static const struct {
	const char *op;
	void *(*make)(struct bind_call *c, const struct torch_reduction *r, void *x);
	int is_plain; /* of one element it is that element */
} reductions[] = {
	{"ReduceSum", sum_of, 1},
	{"ReduceMean", reduce_mean, 1},
	{"ReduceMax", reduce_max, 1},
	{"ReduceMin", reduce_min, 1},
	{"ReduceProd", reduce_prod, 1},
	{"ReduceL1", reduce_l1, 0},
	{"ReduceL2", reduce_l2, 0},
	{"ReduceLogSum", reduce_log_sum, 0},
	{"ReduceLogSumExp", reduce_log_sum_exp, 1},
	{"ReduceSumSquare", reduce_sum_square, 0},
};

static int run_reduce(struct bind_call *c)
{
	struct torch_reduction r;
	size_t i = 0;

	while (strcmp(reductions[i].op, c->row->op))
		i++;
	if (read_reduction(c, &r))
		return th_done(c);
	if (r.noop && !reductions[i].is_plain)
		return bind_unsupported(c, "no axes and noop_with_empty_axes, which versions read differently");
	return th_give(c, r.noop ? th_in(c, 0) : reductions[i].make(c, &r, th_in(c, 0)));
}

/* ---- arguments of extremes --------------------------------------------------------------------------------------- */

/* The first of equals, or the last: found from the other end. */
static int run_arg(struct bind_call *c)
{
	int keep = attr_int(c->node, "keepdims") != 0, last = attr_int(c->node, "select_last_index") != 0, axis;
	void *x = th_in(c, 0);
	struct th_shape s;
	int64_t axes[1];

	if (th_shape(c, x, &s) || th_axis(c, attr_int(c->node, "axis"), s.rank, &axis))
		return th_done(c);
	axes[0] = axis;
	if (last)
		x = th_op(c, "flip", "tI", x, axes, 1);
	x = th_op(c, c->row->native, "tib", x, axis, keep);
	if (last)
		x = th_op(c, "rsub.Scalar", "tl", x, s.dims[axis] - 1);
	return th_give(c, x);
}

/* Of equal values the one with the lower index comes first: torch promises that for a stable sort, not for topk. */
static int run_top_k(struct bind_call *c)
{
	int64_t k = c->version < 10 ? attr_int(c->node, "k") : th_int(c, 1, 0);
	struct th_shape s;
	void *out[2];
	int axis;

	if (th_shape(c, th_in(c, 0), &s) || th_axis(c, attr_int(c->node, "axis"), s.rank, &axis))
		return th_done(c);
	if (k < 0 || k > s.dims[axis])
		return err_set(c->err, ERR_INPUT, "k is %lld of %lld elements", (long long)k, (long long)s.dims[axis]);
	th_ops(c, "sort.stable", out, 2, "tbib", c->in[0], 1, axis, attr_int(c->node, "largest") != 0);
	for (int i = 0; i < 2; i++)
		th_out(c, i, th_slice(c, out[i], axis, 0, k, 1));
	return th_done(c);
}

/* ---- running sums ------------------------------------------------------------------------------------------------ */

/* `exclusive` leaves the element itself out: results move on by one place, and `start` takes the first. */
static int cumulate(struct bind_call *c, double start)
{
	int exclusive = attr_int(c->node, "exclusive") != 0, reverse = attr_int(c->node, "reverse") != 0, axis;
	void *x = th_in(c, 0), *parts[2];
	struct th_shape s;
	int64_t axes[1];

	if (th_shape(c, x, &s) || th_axis(c, th_int(c, 1, 0), s.rank, &axis))
		return th_done(c);
	axes[0] = axis;
	if (reverse)
		x = th_op(c, "flip", "tI", x, axes, 1);
	x = th_op(c, c->row->native, "tid", x, axis, (int)s.dtype);
	if (exclusive && s.dims[axis]) {
		parts[0] = th_like(c, th_slice(c, x, axis, 0, 1, 1), start);
		parts[1] = th_slice(c, x, axis, 0, s.dims[axis] - 1, 1);
		x = th_op(c, "cat", "Ti", parts, 2, axis);
	}
	if (reverse)
		x = th_op(c, "flip", "tI", x, axes, 1);
	return th_give(c, x);
}

static int run_cum_sum(struct bind_call *c)
{
	return cumulate(c, 0);
}

static int run_cum_prod(struct bind_call *c)
{
	return cumulate(c, 1);
}

const struct binding th_rows_reduce[] = {
	{"ArgMax", run_arg, "argmax"},
	{"ArgMin", run_arg, "argmin"},
	{"CumProd", run_cum_prod, "cumprod"},
	{"CumSum", run_cum_sum, "cumsum"},
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
