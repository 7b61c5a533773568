/* gather.c - reading and writing by index.  ONNX counts negative indices from the end; most of PyTorch's operators
 * do not, so they are made positive first. */
#include <string.h>

#include "backends/torch/th.h"

static int64_t product(const int64_t *dims, int n)
{
	int64_t p = 1;

	for (int i = 0; i < n; i++)
		p *= dims[i];
	return p;
}

/* data [before, size, after], index [any]: [before, any, after] */
static int run_gather(struct bind_call *c)
{
	int64_t dims[2 * TENSOR_MAX_RANK];
	struct th_shape x, index;
	void *flat, *y;
	int axis, n = 0;

	if (th_shape(c, th_in(c, 0), &x) || th_shape(c, th_in(c, 1), &index) ||
	    th_axis(c, attr_int(c->node, "axis"), x.rank, &axis))
		return th_done(c);
	if (x.rank + index.rank - 1 > TENSOR_MAX_RANK)
		return bind_unsupported(c, "a result of rank %d", x.rank + index.rank - 1);
	flat = th_op(c, "flatten.using_ints", "t", th_positive(c, c->in[1], x.dims[axis]));
	y = th_op(c, "index_select", "tit", c->in[0], axis, flat);
	for (int i = 0; i < axis; i++)
		dims[n++] = x.dims[i];
	for (int i = 0; i < index.rank; i++)
		dims[n++] = index.dims[i];
	for (int i = axis + 1; i < x.rank; i++)
		dims[n++] = x.dims[i];
	return th_give(c, th_reshape(c, y, dims, n));
}

static int run_gather_elements(struct bind_call *c)
{
	struct th_shape x;
	int axis;

	if (th_shape(c, th_in(c, 0), &x) || th_axis(c, attr_int(c->node, "axis"), x.rank, &axis))
		return th_done(c);
	return th_give(c, th_op(c, "gather", "tit", c->in[0], axis, th_positive(c, th_in(c, 1), x.dims[axis])));
}

/* The last axis of `index` holds coordinates of data's axes `first`, first + 1, …: their number in row-major order of
 * those axes. */
static void *flat_index(struct bind_call *c, void *index, const struct th_shape *index_shape, const struct th_shape *x,
			int first)
{
	int last = index_shape->rank - 1;
	int64_t depth = index_shape->dims[last];
	void *flat = NULL;

	for (int64_t i = 0; i < depth; i++) {
		int64_t size = x->dims[first + i];
		void *part = th_positive(c, th_op(c, "select.int", "til", index, last, i), size);

		flat = flat ? th_op(c, "add.Tensor", "tt", th_op(c, "mul.Scalar", "tl", flat, size), part) : part;
	}
	return flat;
}

static int check_depth(struct bind_call *c, const struct th_shape *index, const struct th_shape *x, int64_t batch)
{
	if (batch < 0 || index->rank < 1 || batch >= index->rank || index->dims[index->rank - 1] < 1 ||
	    batch + index->dims[index->rank - 1] > x->rank)
		return err_set(c->err, ERR_INPUT, "indices of rank %d do not fit", index->rank);
	return 0;
}

/* data [batch, indexed, rest], indices [batch, any, depth]: rows of data seen as [batch, product of indexed, rest]. */
static int run_gather_nd(struct bind_call *c)
{
	int64_t batch = attr_int(c->node, "batch_dims"), batches, rows, rest, any, dims[2 * TENSOR_MAX_RANK];
	struct th_shape x, index;
	void *flat, *first;
	int b = (int)batch, depth, n = 0;

	if (th_shape(c, th_in(c, 0), &x) || th_shape(c, th_in(c, 1), &index) || check_depth(c, &index, &x, batch))
		return th_done(c);
	depth = (int)index.dims[index.rank - 1];
	batches = product(x.dims, b);
	rows = product(x.dims + b, depth);
	rest = product(x.dims + b + depth, x.rank - b - depth);
	any = product(index.dims + b, index.rank - 1 - b);
	flat = th_reshape(c, flat_index(c, c->in[1], &index, &x, b), (int64_t[]){batches, any}, 2);
	first = th_op(c, "arange.start_step", "illd", 0, batches * rows, rows > 0 ? rows : (int64_t)1, DT_INT64);
	if (rows > 0)
		flat = th_op(c, "add.Tensor", "tt", flat, th_op(c, "unsqueeze", "ti", first, 1));
	flat = th_op(c, "flatten.using_ints", "t", flat);
	for (int i = 0; i < index.rank - 1; i++)
		dims[n++] = index.dims[i];
	for (int i = b + depth; i < x.rank; i++)
		dims[n++] = x.dims[i];
	if (n > TENSOR_MAX_RANK)
		return bind_unsupported(c, "a result of rank %d", n);
	x.dims[0] = batches * rows;
	return th_give(c, th_reshape(c,
				     th_op(c, "index_select", "tit",
					   th_reshape(c, c->in[0], (int64_t[]){batches * rows, rest}, 2), 0, flat),
				     dims, n));
}

/* torch's names for the reductions of scatter; NULL: none. */
static const char *scatter_reduction(struct bind_call *c)
{
	static const char *const names[][2] = {{"add", "sum"}, {"mul", "prod"}, {"max", "amax"}, {"min", "amin"}};
	const char *name = attr_string(c->node, "reduction");

	for (size_t i = 0; i < 4; i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return NULL;
}

static void *scatter(struct bind_call *c, void *x, int axis, void *index, void *updates)
{
	const char *reduction = scatter_reduction(c);

	if (!reduction)
		return th_op(c, "scatter.src", "titt", x, axis, index, updates);
	return th_op(c, "scatter_reduce.two", "titts", x, axis, index, updates, reduction);
}

static int run_scatter_elements(struct bind_call *c)
{
	struct th_shape x;
	int axis;

	if (th_shape(c, th_in(c, 0), &x) || th_axis(c, attr_int(c->node, "axis"), x.rank, &axis))
		return th_done(c);
	return th_give(c, scatter(c, c->in[0], axis, th_positive(c, th_in(c, 1), x.dims[axis]), th_in(c, 2)));
}

/* data [indexed, rest] seen as [rows, rest]; each row number is repeated along the rest. */
static int run_scatter_nd(struct bind_call *c)
{
	struct th_shape x, index;
	int64_t rows, rest, any;
	void *flat, *y;
	int depth;

	if (th_shape(c, th_in(c, 0), &x) || th_shape(c, th_in(c, 1), &index) || check_depth(c, &index, &x, 0))
		return th_done(c);
	depth = (int)index.dims[index.rank - 1];
	rows = product(x.dims, depth);
	rest = product(x.dims + depth, x.rank - depth);
	any = product(index.dims, index.rank - 1);
	flat = th_reshape(c, flat_index(c, c->in[1], &index, &x, 0), (int64_t[]){any, 1}, 2);
	flat = th_op(c, "expand", "tI", flat, (int64_t[]){any, rest}, 2);
	y = scatter(c, th_reshape(c, c->in[0], (int64_t[]){rows, rest}, 2), 0, flat,
		    th_reshape(c, th_in(c, 2), (int64_t[]){any, rest}, 2));
	return th_give(c, th_reshape(c, y, x.dims, x.rank));
}

/* Values [off, on]; indices outside of [-depth, depth) give a row of `off`. */
static int run_one_hot(struct bind_call *c)
{
	const struct tensor *depth = bind_known(c, 1);
	struct th_shape index, values;
	int64_t n, dims[TENSOR_MAX_RANK];
	void *at, *range, *hit;
	int axis;

	if (!depth || th_shape(c, th_in(c, 0), &index) || th_shape(c, th_in(c, 2), &values) ||
	    th_axis(c, attr_int(c->node, "axis"), index.rank + 1, &axis))
		return th_done(c);
	if (depth->count != 1 || index.rank + 1 > TENSOR_MAX_RANK)
		return err_set(c->err, ERR_INPUT, "depth is not a number");
	n = (int64_t)tensor_get(depth, 0);
	at = th_op(c, "unsqueeze", "ti", th_positive(c, c->in[0], n), axis);
	for (int i = 0; i <= index.rank; i++)
		dims[i] = i == axis ? n : 1;
	range = th_reshape(c, th_op(c, "arange.start_step", "ilid", 0, n, 1, DT_INT64), dims, index.rank + 1);
	hit = th_op(c, "eq.Tensor", "tt", at, range);
	return th_give(c, th_op(c, "where.self", "ttt", hit, th_op(c, "select.int", "tii", c->in[2], 0, 1),
				th_op(c, "select.int", "tii", c->in[2], 0, 0)));
}

/* Coordinates of what is not zero, one column each. */
static int run_non_zero(struct bind_call *c)
{
	return th_give(c, th_op(c, "t", "t", th_op(c, "nonzero", "t", th_in(c, 0))));
}

/* The positions of an axis (or of the flattened input) where the condition holds. */
static int run_compress(struct bind_call *c)
{
	void *x = th_in(c, 0), *at = th_op(c, "flatten.using_ints", "t", th_op(c, "nonzero", "t", th_in(c, 1)));
	struct th_shape s;
	int axis = 0;

	if (th_shape(c, x, &s))
		return th_done(c);
	if (!node_has(c->node, "axis"))
		x = th_op(c, "flatten.using_ints", "t", x);
	else if (th_axis(c, node_attr(c->node, "axis")->i, s.rank, &axis))
		return th_done(c);
	return th_give(c, th_op(c, "index_select", "tit", x, axis, at));
}

/* The first lengths[b] elements of each batch b are reversed: time t is read from lengths[b] - 1 - t. */
static int run_reverse_sequence(struct bind_call *c)
{
	int64_t batch_axis = attr_int(c->node, "batch_axis"), time_axis = attr_int(c->node, "time_axis");
	int64_t dims[TENSOR_MAX_RANK], *at;
	const int64_t *lengths;
	struct th_shape s;
	int n, found;

	if (th_shape(c, th_in(c, 0), &s) || th_ints(c, NULL, 1, &lengths, &n, &found))
		return th_done(c);
	if (batch_axis + time_axis != 1 || s.rank < 2 || n != s.dims[batch_axis])
		return err_set(c->err, ERR_INPUT, "axes of batch and time must be 0 and 1, with one length a batch");
	at = arena_array(c->tmp, (size_t)(s.dims[0] * s.dims[1]) + 1, sizeof *at);
	if (!at)
		return err_nomem(c->err, "indices", 0);
	for (int64_t i = 0; i < s.dims[0]; i++)
		for (int64_t j = 0; j < s.dims[1]; j++) {
			int64_t t = time_axis ? j : i, length = lengths[time_axis ? i : j];

			at[i * s.dims[1] + j] = t < length ? length - 1 - t : t;
		}
	for (int i = 0; i < s.rank; i++)
		dims[i] = i < 2 ? s.dims[i] : 1;
	return th_give(c, th_op(c, "gather", "tlt", c->in[0], time_axis,
				th_op(c, "expand", "tI", th_index(c, at, s.rank, dims), s.dims, s.rank)));
}

const struct binding th_rows_gather[] = {
	{"Compress", run_compress, NULL},
	{"Gather", run_gather, NULL},
	{"GatherElements", run_gather_elements, NULL},
	{"GatherND", run_gather_nd, NULL},
	{"NonZero", run_non_zero, NULL},
	{"OneHot", run_one_hot, NULL},
	{"ReverseSequence", run_reverse_sequence, NULL},
	{"Scatter", run_scatter_elements, NULL},
	{"ScatterElements", run_scatter_elements, NULL},
	{"ScatterND", run_scatter_nd, NULL},
	{0},
};
