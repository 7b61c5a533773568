/* pool.c - MaxPool, AveragePool and the global pools, channels last.
 *
 * TensorFlow's pools know VALID and SAME.  Other pads, and the overhang of ceil_mode, are put there first: the lowest
 * value for a maximum; zeros for a mean, which is then set right by n / (elements that count). */
#include <math.h>
#include <string.h>

#include "backends/tf/spatial.h"
#include "backends/tf/tf.h"

struct tf_pool {
	struct spatial s;   /* two or three axes */
	int rank;           /* of the ONNX input */
	struct tf_value *x; /* (N, d…, C) */
	int padded;         /* something stands around the input */
};

static int64_t reach(const struct spatial *s, int i)
{
	return (s->kernel[i] - 1) * s->dilation[i] + 1;
}

static int plan(struct bind_call *c, struct tf_pool *p)
{
	struct tf_value *x = tf_in(c, 0);

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (x->rank < 3 || x->rank > 5)
		return bind_unsupported(c, "tensorflow pools over 1 to 3 axes, not %d", x->rank - 2);
	p->rank = x->rank;
	if (spatial_init(c->call, &p->s, x->rank - 2, x->dims + 2, NULL, (int)attr_int(c->node, "ceil_mode")))
		return c->err->code;
	for (int i = 0; i < p->s.n; i++)
		if (p->s.out[i] < 1)
			return bind_unsupported(c, "an empty output: tensorflow's windows must fit");
	tf_spatial_widen(&p->s);
	x = tf_widen(c, x);
	for (int i = 0; i < p->s.n; i++)
		p->padded |= p->s.pad_begin[i] || (p->s.out[i] - 1) * p->s.stride[i] + reach(&p->s, i) > p->s.in[i];
	p->x = tf_to_last(c, x);
	return tf_failed(c) ? c->err->code : 0;
}

/* Just what the windows reach. */
static struct tf_value *pad_for_windows(struct bind_call *c, const struct tf_pool *p, double value)
{
	int64_t before[TENSOR_MAX_RANK] = {0}, after[TENSOR_MAX_RANK] = {0};
	const struct spatial *s = &p->s;

	for (int i = 0; i < s->n; i++) {
		int64_t lack = (s->out[i] - 1) * s->stride[i] + reach(s, i) - s->in[i] - s->pad_begin[i];

		before[i + 1] = s->pad_begin[i];
		after[i + 1] = lack > 0 ? lack : 0;
	}
	return tf_pad(c, p->x, before, after, value);
}

static struct tf_value *pool(struct bind_call *c, const char *name, struct tf_value *x, const struct spatial *s,
			     const char *padding)
{
	int64_t size[TENSOR_MAX_RANK] = {1}, stride[TENSOR_MAX_RANK] = {1};
	struct tf_op op = tf_op(c, name);

	memcpy(size + 1, s->kernel, (size_t)s->n * sizeof *size);
	memcpy(stride + 1, s->stride, (size_t)s->n * sizeof *stride);
	size[s->n + 1] = stride[s->n + 1] = 1;
	tf_op_in(&op, x);
	tf_op_ints(&op, "ksize", size, s->n + 2);
	tf_op_ints(&op, "strides", stride, s->n + 2);
	tf_op_string(&op, "padding", padding);
	return tf_op_run(&op);
}

static int finish(struct bind_call *c, const struct tf_pool *p, struct tf_value *y)
{
	return tf_out(c, 0, tf_narrow(c, tf_to_first(c, y), p->rank));
}

/* A grey-scale dilation with a flat filter is a maximum over a dilated window. */
static struct tf_value *dilated_max(struct bind_call *c, const struct tf_pool *p, struct tf_value *x)
{
	int64_t dims[3] = {p->s.kernel[0], p->s.kernel[1], x ? x->dims[3] : 1};
	int64_t stride[4] = {1, p->s.stride[0], p->s.stride[1], 1},
		rate[4] = {1, p->s.dilation[0], p->s.dilation[1], 1};
	struct tf_op op = tf_op(c, "Dilation2D");

	tf_op_in(&op, x);
	tf_op_in(&op, x ? tf_fill(c, x->dtype, 3, dims, 0) : NULL);
	tf_op_ints(&op, "strides", stride, 4);
	tf_op_ints(&op, "rates", rate, 4);
	tf_op_string(&op, "padding", "VALID");
	return tf_op_run(&op);
}

static int run_max_pool(struct bind_call *c)
{
	struct tf_pool p = {0};
	struct tf_value *x;
	const char *name;

	if (c->n_out > 1 && c->node->out[1])
		return bind_unsupported(c, "indices of the maxima are not bound");
	if (plan(c, &p))
		return c->err->code;
	name = p.s.n == 3 ? "MaxPool3D" : "MaxPool";
	if (tf_spatial_dilated(&p.s) && p.s.n == 3)
		return bind_unsupported(c, "dilated windows over three axes");
	if (!tf_spatial_dilated(&p.s) && p.padded && p.s.same == 1)
		return finish(c, &p, pool(c, name, p.x, &p.s, "SAME"));
	x = pad_for_windows(c, &p, dtype_is_float(p.x->dtype) ? -INFINITY : dtype_lowest(p.x->dtype));
	if (tf_spatial_dilated(&p.s))
		return finish(c, &p, dilated_max(c, &p, x));
	return finish(c, &p, pool(c, name, x, &p.s, "VALID"));
}

/* Positions of window o along an axis that lie in [from, to). */
static int64_t inside(const struct spatial *s, int axis, int64_t o, int64_t from, int64_t to)
{
	int64_t n = 0;

	for (int64_t k = 0; k < s->kernel[axis]; k++) {
		int64_t at = o * s->stride[axis] - s->pad_begin[axis] + k * s->dilation[axis];

		n += at >= from && at < to;
	}
	return n;
}

/* (1, out…, 1): window size divided by the elements of each window that count. */
static struct tf_value *corrections(struct bind_call *c, const struct tf_pool *p, int with_pads, int *needed)
{
	int64_t dims[TENSOR_MAX_RANK] = {1};
	const struct spatial *s = &p->s;
	struct tensor *t;

	memcpy(dims + 1, s->out, (size_t)s->n * sizeof *dims);
	dims[s->n + 1] = 1;
	t = tensor_new(p->x->dtype, s->n + 2, dims, c->err);
	for (size_t i = 0; t && i < t->count; i++) {
		size_t rest = i;
		double ratio = 1;

		for (int a = s->n - 1; a >= 0; a--) {
			int64_t o = (int64_t)(rest % (size_t)s->out[a]);
			int64_t from = with_pads ? -s->pad_begin[a] : 0;
			int64_t n = inside(s, a, o, from, s->in[a] + (with_pads ? s->pad_end[a] : 0));

			rest /= (size_t)s->out[a];
			ratio *= (double)s->kernel[a] / (double)n;
		}
		*needed |= ratio != 1;
		t->f[i] = ratio;
	}
	return tf_constant(c, t);
}

static int run_average_pool(struct bind_call *c)
{
	int with_pads = attr_int(c->node, "count_include_pad") != 0, needed = 0;
	struct tf_value *y, *ratio;
	struct tf_pool p = {0};
	const char *name;

	if (plan(c, &p))
		return c->err->code;
	if (tf_spatial_dilated(&p.s))
		return bind_unsupported(c, "means over dilated windows");
	if (!dtype_is_float(p.x->dtype))
		return bind_unsupported(c, "means of %s", dtype_name(p.x->dtype));
	name = p.s.n == 3 ? "AvgPool3D" : "AvgPool";
	if (!p.padded)
		return finish(c, &p, pool(c, name, p.x, &p.s, "VALID"));
	if (p.s.same == 1 && !with_pads)
		return finish(c, &p, pool(c, name, p.x, &p.s, "SAME"));
	y = pool(c, name, pad_for_windows(c, &p, 0), &p.s, "VALID");
	ratio = corrections(c, &p, with_pads, &needed);
	return finish(c, &p, needed ? tf_2(c, "Mul", y, ratio) : y);
}

/* Over all axes after the channels. */
static int run_global_pool(struct bind_call *c)
{
	int64_t axes[TENSOR_MAX_RANK];
	struct tf_value *x = tf_in(c, 0);

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	for (int i = 2; i < x->rank; i++)
		axes[i - 2] = i;
	return tf_out(c, 0, tf_reduce(c, c->row->native, x, axes, x->rank > 2 ? x->rank - 2 : 0, 1));
}

const struct binding tf_rows_pool[] = {
	{"AveragePool", run_average_pool, NULL},
	{"GlobalAveragePool", run_global_pool, "Mean"},
	{"GlobalMaxPool", run_global_pool, "Max"},
	{"MaxPool", run_max_pool, NULL},
	{0},
};
