/* window.c - convolutions and pools.
 *
 * MXNet pads both ends of an axis alike.  Where ONNX does not (pads, auto_pad, a last window that hangs over), the
 * input is padded before, with what the operation takes for nothing: 0, or -∞ for a maximum. */
#include <math.h>
#include <string.h>

#include "backends/mxnet/mxnet.h"
#include "ops/kit/spatial.h"

#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

static int is_symmetric(const struct spatial *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->pad_begin[i] != s->pad_end[i])
			return 0;
	return 1;
}

/* Puts `value` around the spatial axes of x: begin[i] and end[i] elements. */
static void *pad_spatial(struct bind_call *c, void *x, const struct type *t, const int64_t *begin, const int64_t *end,
			 double value)
{
	int64_t before[TENSOR_MAX_RANK] = {0}, after[TENSOR_MAX_RANK] = {0};

	for (int i = 2; i < t->rank; i++) {
		before[i] = begin[i - 2];
		after[i] = end[i - 2];
	}
	return mx_pad(c, x, t, before, after, value);
}

static int read_input(struct bind_call *c, const struct type **x)
{
	*x = bind_type(c, 0);
	if (!*x)
		return c->err->code;
	for (int i = 0; i < (*x)->rank; i++)
		if (!(*x)->dims[i])
			return bind_unsupported(c, "an empty input");
	if ((*x)->rank < 3 || (*x)->rank > 5)
		return bind_unsupported(c, "mxnet has it for one to three spatial axes, not %d", (*x)->rank - 2);
	return mx_only(c, FLOATS);
}

/* ---- convolutions ------------------------------------------------------------------------------------------------ */

static int run_conv(struct bind_call *c)
{
	const struct type *x, *w = bind_type(c, 1);
	int rc = read_input(c, &x), biased = bind_has(c, 2);
	void *in[3] = {c->in[0], c->in[1], biased ? c->in[2] : NULL};
	static const int64_t none[SPATIAL_MAX];
	struct spatial s;
	size_t n;

	if (rc || !w)
		return c->err->code;
	n = (size_t)x->rank - 2;
	if ((rc = spatial_init(c->call, &s, (int)n, x->dims + 2, w->dims + 2, 0)))
		return rc;
	if (!is_symmetric(&s))
		in[0] = pad_spatial(c, in[0], x, s.pad_begin, s.pad_end, 0.0);
	return mx_give(c, 0,
		       mx_op(c, c->row->native, biased ? 3 : 2, in,
			     "kernel=%s;stride=%s;dilate=%s;pad=%s;num_filter=%lld;num_group=%lld;no_bias=%d",
			     mx_tuple(c, s.kernel, n), mx_tuple(c, s.stride, n), mx_tuple(c, s.dilation, n),
			     mx_tuple(c, is_symmetric(&s) ? s.pad_begin : none, n), (long long)w->dims[0],
			     (long long)attr_int(c->node, "group"), !biased));
}

/* Where Y begins in all that the windows reach, for each axis: pads, or a split of what output_shape and auto_pad leave
 * over (halves rounded down; from version 11 on the odd element goes to the end with SAME_UPPER only). */
static void read_begin(struct bind_call *c, const struct spatial *s, const int64_t *full, const int64_t *out,
		       int64_t *begin)
{
	size_t n_more, n_shape, n_pads;
	const int64_t *more = node_ints(c->node, "output_padding", &n_more);
	const int64_t *shape = node_ints(c->node, "output_shape", &n_shape);
	const int64_t *pads = node_ints(c->node, "pads", &n_pads);

	for (int i = 0; i < s->n; i++) {
		int64_t total = full[i] + (more && (size_t)i < n_more ? more[i] : 0) - out[i];
		int64_t half = total / 2 - (total % 2 < 0);

		if (shape || s->same)
			begin[i] = (s->same > 0) == (c->version >= 11) ? half : total - half;
		else
			begin[i] = pads && (size_t)i < n_pads ? pads[i] : 0;
	}
}

/* The library's own without padding gives all of (in - 1) · stride + (kernel - 1) · dilation + 1 positions; ONNX's
 * output is a window of that, or reaches beyond its end by output_padding: what is beyond has the bias alone. */
static int run_conv_transpose(struct bind_call *c)
{
	const struct type *x, *w = bind_type(c, 1), *t = mx_out_type(c, 0);
	int64_t begin[SPATIAL_MAX], end[SPATIAL_MAX], group = attr_int(c->node, "group"), filters;
	int64_t dims[TENSOR_MAX_RANK], ones[TENSOR_MAX_RANK] = {1, 1, 1, 1, 1, 1};
	int rc = read_input(c, &x), n;
	struct spatial s;
	struct type full;
	void *y;

	if (rc || !w || !t)
		return c->err->code;
	n = x->rank - 2;
	if ((rc = spatial_attrs(c->call, &s, n, w->dims + 2)))
		return rc;
	dims[0] = x->dims[0];
	dims[1] = ones[1] = filters = w->dims[1] * group;
	for (int i = 0; i < n; i++)
		dims[i + 2] = (x->dims[i + 2] - 1) * s.stride[i] + (s.kernel[i] - 1) * s.dilation[i] + 1;
	read_begin(c, &s, dims + 2, t->dims + 2, begin);
	for (int i = 0; i < n; i++) {
		begin[i] = -begin[i];
		end[i] = t->dims[i + 2] - dims[i + 2] - begin[i];
	}
	y = mx_op(c, c->row->native, 2, c->in, "kernel=%s;stride=%s;dilate=%s;num_filter=%lld;num_group=%lld;no_bias=1",
		  mx_tuple(c, s.kernel, (size_t)n), mx_tuple(c, s.stride, (size_t)n),
		  mx_tuple(c, s.dilation, (size_t)n), (long long)filters, (long long)group);
	type_set(&full, x->dtype, x->rank, dims);
	y = pad_spatial(c, y, &full, begin, end, 0.0);
	if (bind_has(c, 2))
		y = mx_op2(c, "broadcast_add", y, mx_reshape(c, c->in[2], x->rank, ones));
	return mx_give(c, 0, y);
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

/* How much an axis must be padded at its end so that the last window is full. */
static int64_t end_needed(const struct spatial *s, int i)
{
	return (s->out[i] - 1) * s->stride[i] + s->kernel[i] - s->in[i] - s->pad_begin[i];
}

/* True when the library's own padding and rounding down give the same windows. */
static int is_plain(const struct spatial *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->pad_begin[i] != s->pad_end[i] || s->pad_begin[i] >= s->kernel[i] ||
		    (s->in[i] + 2 * s->pad_begin[i] - s->kernel[i]) / s->stride[i] + 1 != s->out[i])
			return 0;
	return 1;
}

static int read_pool(struct bind_call *c, const struct type *x, struct spatial *s)
{
	int rc = spatial_init(c->call, s, x->rank - 2, x->dims + 2, NULL, attr_int(c->node, "ceil_mode") != 0);

	for (int i = 0; i < s->n && !rc; i++)
		if (s->out[i] < 1)
			rc = bind_unsupported(c, "an empty output");
		else if (s->dilation[i] != 1)
			rc = bind_unsupported(c, "mxnet's pools have no dilations");
	return rc;
}

static void *pool(struct bind_call *c, void *x, const struct spatial *s, const char *type, int padded, const char *more)
{
	static const int64_t none[SPATIAL_MAX];
	size_t n = (size_t)s->n;

	return mx_op(c, "Pooling", 1, &x, "pool_type=%s;kernel=%s;stride=%s;pad=%s;pooling_convention=valid%s", type,
		     mx_tuple(c, s->kernel, n), mx_tuple(c, s->stride, n), mx_tuple(c, padded ? s->pad_begin : none, n),
		     more);
}

/* Pads x so that all windows are whole. */
static void *pad_windows(struct bind_call *c, void *x, const struct type *t, const struct spatial *s, double value)
{
	int64_t end[SPATIAL_MAX];

	for (int i = 0; i < s->n; i++) {
		end[i] = end_needed(s, i);
		if (end[i] < 0)
			end[i] = 0; /* what no window reaches may stay */
	}
	return pad_spatial(c, x, t, s->pad_begin, end, value);
}

static int run_max_pool(struct bind_call *c)
{
	enum dtype t = c->call->in_type[0].dtype;
	int narrow = t == DT_INT8 || t == DT_UINT8, rc;
	const struct type *x = bind_type(c, 0);
	struct type wide;
	struct spatial s;
	void *y;

	if (call_wants(c->call, 1))
		return bind_unsupported(c, "mxnet gives no indices");
	if (!x || (!narrow && (rc = read_input(c, &x))) || (rc = read_pool(c, x, &s)))
		return c->err->code;
	wide = *x;
	if (narrow) /* float32 holds every value of them */
		wide.dtype = DT_FLOAT;
	y = narrow ? mx_cast(c, c->in[0], DT_FLOAT) : c->in[0];
	if (is_plain(&s))
		y = pool(c, y, &s, "max", 1, "");
	else
		y = pool(c, pad_windows(c, y, &wide, &s, -INFINITY), &s, "max", 0, "");
	return mx_give(c, 0, narrow ? mx_cast(c, y, t) : y);
}

/* Σ over the window / how many of its positions count.  Positions beyond the named padding never do. */
static void *average_by_count(struct bind_call *c, const struct type *x, const struct spatial *s, int with_padding)
{
	void *sum = pool(c, pad_windows(c, c->in[0], x, s, 0.0), s, "sum", 0, ""), *count;
	int64_t dims[TENSOR_MAX_RANK] = {1, 1}, begin[SPATIAL_MAX] = {0}, end[SPATIAL_MAX];
	struct type ones = *x;

	for (int i = 0; i < s->n; i++) {
		int64_t pads = with_padding ? s->pad_begin[i] + s->pad_end[i] : 0;

		dims[i + 2] = x->dims[i + 2] + pads;
		begin[i] = with_padding ? 0 : s->pad_begin[i];
		end[i] = (s->out[i] - 1) * s->stride[i] + s->kernel[i] - dims[i + 2] - begin[i];
		end[i] = end[i] < 0 ? 0 : end[i];
	}
	type_set(&ones, x->dtype, x->rank, dims);
	count = mx_full(c, x->dtype, x->rank, dims, 1.0);
	count = pool(c, pad_spatial(c, count, &ones, begin, end, 0.0), s, "sum", 0, "");
	return mx_op2(c, "broadcast_div", sum, count);
}

static int run_average_pool(struct bind_call *c)
{
	int with_padding = attr_int(c->node, "count_include_pad") != 0, rc;
	const struct type *x;
	struct spatial s;

	if ((rc = read_input(c, &x)) || (rc = read_pool(c, x, &s)))
		return rc;
	if (is_plain(&s))
		return mx_give(c, 0,
			       pool(c, c->in[0], &s, "avg", 1,
				    with_padding ? ";count_include_pad=True" : ";count_include_pad=False"));
	return mx_give(c, 0, average_by_count(c, x, &s, with_padding));
}

static int run_lp_pool(struct bind_call *c)
{
	int64_t p = attr_int(c->node, "p");
	const struct type *x;
	struct spatial s;
	char more[32] = ";p_value=2";
	void *y;
	int rc;

	if ((rc = read_input(c, &x)) || (rc = read_pool(c, x, &s)))
		return rc;
	if (p < 1 || p > 3)
		return bind_unsupported(c, "mxnet has p of 1, 2 and 3, not %lld", (long long)p);
	more[9] = (char)('0' + p);
	y = p % 2 ? mx_op1(c, "abs", c->in[0]) : c->in[0]; /* the library has Σ xᵖ where ONNX has Σ |x|ᵖ */
	if (!is_plain(&s))
		y = pad_windows(c, y, x, &s, 0.0);
	return mx_give(c, 0, pool(c, y, &s, "lp", is_plain(&s), more));
}

static int run_global_pool(struct bind_call *c)
{
	static const int64_t ones[] = {1, 1, 1};
	const struct type *x;
	int rc = read_input(c, &x);

	if (rc)
		return rc;
	return mx_give(c, 0,
		       mx_op(c, "Pooling", 1, c->in, "pool_type=%s;global_pool=1;kernel=%s", c->row->native,
			     mx_tuple(c, ones, (size_t)x->rank - 2)));
}

const struct binding mx_rows_window[] = {
	{"Conv", run_conv, "Convolution"},
	{"ConvTranspose", run_conv_transpose, "Deconvolution"},
	{"MaxPool", run_max_pool, NULL},
	{"AveragePool", run_average_pool, NULL},
	{"LpPool", run_lp_pool, NULL},
	{"GlobalAveragePool", run_global_pool, "avg"},
	{"GlobalMaxPool", run_global_pool, "max"},
	{0},
};
