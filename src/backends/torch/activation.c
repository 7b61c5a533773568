/* activation.c - activations with parameters.  Formulas are those of the ONNX specification; a PyTorch operator
 * stands for one only where it computes the same for all values of the attributes. */
#include <math.h>
#include <string.h>

#include "backends/torch/th.h"

static int run_elu(struct bind_call *c)
{
	return th_give(c, th_op(c, "elu", "tf", th_in(c, 0), attr_float(c->node, "alpha")));
}

/* gamma * (x > 0 ? x : alpha * (e^x - 1)): elu with a scale, so that any alpha and gamma will do. */
static int run_selu(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha"), gamma = attr_float(c->node, "gamma");

	return th_give(c, th_op(c, "elu", "tff", th_in(c, 0), alpha, gamma));
}

static int run_celu(struct bind_call *c)
{
	return th_give(c, th_op(c, "celu", "tf", th_in(c, 0), attr_float(c->node, "alpha")));
}

static int run_leaky_relu(struct bind_call *c)
{
	return th_give(c, th_op(c, "leaky_relu", "tf", th_in(c, 0), attr_float(c->node, "alpha")));
}

/* Before version 7 the slopes are those of the channels, axis 1. */
static int run_prelu(struct bind_call *c)
{
	int64_t dims[TENSOR_MAX_RANK];
	void *slope = th_in(c, 1);
	struct th_shape x, s;

	if (th_shape(c, th_in(c, 0), &x) || th_shape(c, slope, &s))
		return th_done(c);
	for (int i = 0; i < x.rank; i++)
		dims[i] = i == 1 ? -1 : 1;
	if (c->version < 7 && s.rank == 1)
		slope = th_reshape(c, slope, dims, x.rank);
	return th_give(c, th_op(c, "_prelu_kernel", "tt", c->in[0], slope));
}

/* NaN, which torch leaves as it is, is none of the cases in which the specification has something else than 0. */
static void *without_nan(struct bind_call *c, void *y, void *x)
{
	return th_op(c, "masked_fill.Scalar", "ttf", y, th_op(c, "isnan", "t", x), 0.0);
}

static int run_thresholded_relu(struct bind_call *c)
{
	void *x = th_in(c, 0), *y = th_op(c, "threshold", "tff", x, attr_float(c->node, "alpha"), 0.0);

	return th_give(c, without_nan(c, y, x));
}

/* max(0, min(1, alpha * x + beta)) */
static int run_hard_sigmoid(struct bind_call *c)
{
	void *x = th_op(c, "mul.Scalar", "tf", th_in(c, 0), attr_float(c->node, "alpha"));

	x = th_op(c, "add.Scalar", "tf", x, attr_float(c->node, "beta"));
	return th_give(c, th_op(c, "clamp", "tff", x, 0.0, 1.0));
}

/* ln(1 + e^x).  torch gives x itself above a threshold: at 40, where the rest is below the last bit of a double. */
static int run_softplus(struct bind_call *c)
{
	return th_give(c, th_op(c, "softplus", "tff", th_in(c, 0), 1.0, 40.0));
}

static int run_softsign(struct bind_call *c)
{
	void *x = th_in(c, 0), *below = th_op(c, "add.Scalar", "tf", th_op(c, "abs", "t", x), 1.0);

	return th_give(c, th_op(c, "div.Tensor", "tt", x, below));
}

/* x < -lambd: x + bias; x > lambd: x - bias; else 0.  torch has it for bias 0 and for bias = lambd. */
static int run_shrink(struct bind_call *c)
{
	double bias = attr_float(c->node, "bias"), lambd = attr_float(c->node, "lambd");
	void *x = th_in(c, 0), *zero, *low, *high;
	struct th_shape s;

	if (th_shape(c, x, &s))
		return th_done(c);
	if (dtype_is_float(s.dtype) && lambd >= 0 && bias == lambd)
		return th_give(c, without_nan(c, th_op(c, "softshrink", "tf", x, lambd), x));
	if (dtype_is_float(s.dtype) && lambd >= 0 && bias == 0)
		return th_give(c, without_nan(c, th_op(c, "hardshrink", "tf", x, lambd), x));
	if (!dtype_is_float(s.dtype) && (bias != floor(bias) || lambd != floor(lambd)))
		return bind_unsupported(c, "a fractional bias or threshold of integers");
	zero = th_op(c, "zeros_like", "t", x);
	low = th_cast(c, th_op(c, "add.Scalar", "tf", x, bias), s.dtype);
	high = th_cast(c, th_op(c, "sub.Scalar", "tf", x, bias), s.dtype);
	high = th_op(c, "where.self", "ttt", th_op(c, "gt.Scalar", "tf", x, lambd), high, zero);
	return th_give(c, th_op(c, "where.self", "ttt", th_op(c, "lt.Scalar", "tf", x, -lambd), low, high));
}

static int run_gelu(struct bind_call *c)
{
	return th_give(c, th_op(c, "gelu", "ts", th_in(c, 0), attr_string(c->node, "approximate")));
}

/* x * sigmoid(alpha * x) */
static int run_swish(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha");
	void *x = th_in(c, 0), *inner;

	if (alpha == 1)
		return th_give(c, th_op(c, "silu", "t", x));
	inner = th_op(c, "sigmoid", "t", th_op(c, "mul.Scalar", "tf", x, alpha));
	return th_give(c, th_op(c, "mul.Tensor", "tt", x, inner));
}

/* ---- the softmax family ------------------------------------------------------------------------------------------ */

/* Before version 13 the input is a matrix: axes before `axis` are its rows, the others its columns. */
static void *as_matrix(struct bind_call *c, void *x, const struct th_shape *s, int axis)
{
	int64_t dims[2] = {1, 1};

	for (int i = 0; i < s->rank; i++)
		dims[i >= axis] *= s->dims[i];
	return th_reshape(c, x, dims, 2);
}

static int softmax_like(struct bind_call *c, void *(*make)(struct bind_call *c, void *x, int axis))
{
	int64_t axis = attr_int(c->node, "axis");
	struct th_shape s;
	void *x = th_in(c, 0);
	int at;

	if (th_shape(c, x, &s))
		return th_done(c);
	if (c->version < 13 && axis == s.rank)
		at = s.rank;
	else if (th_axis(c, axis, s.rank, &at))
		return th_done(c);
	if (c->version < 13)
		return th_give(c, th_reshape(c, make(c, as_matrix(c, x, &s, at), 1), s.dims, s.rank));
	return th_give(c, make(c, x, at));
}

static void *softmax(struct bind_call *c, void *x, int axis)
{
	return th_op(c, c->row->native, "ti", x, axis);
}

/* 1 at the first largest element, 0 elsewhere. */
static void *hardmax(struct bind_call *c, void *x, int axis)
{
	void *at = th_op(c, "argmax", "tib", x, axis, 1);

	return th_op(c, "scatter.value", "titf", th_op(c, "zeros_like", "t", x), axis, at, 1.0);
}

static int run_softmax(struct bind_call *c)
{
	return softmax_like(c, softmax);
}

static int run_hardmax(struct bind_call *c)
{
	return softmax_like(c, hardmax);
}

const struct binding th_rows_activation[] = {
	{"Celu", run_celu, NULL},
	{"Elu", run_elu, NULL},
	{"Gelu", run_gelu, NULL},
	{"HardSigmoid", run_hard_sigmoid, NULL},
	{"Hardmax", run_hardmax, NULL},
	{"LeakyRelu", run_leaky_relu, NULL},
	{"LogSoftmax", run_softmax, "log_softmax.int"},
	{"PRelu", run_prelu, NULL},
	{"Selu", run_selu, NULL},
	{"Shrink", run_shrink, NULL},
	{"Softmax", run_softmax, "softmax.int"},
	{"Softplus", run_softplus, NULL},
	{"Softsign", run_softsign, NULL},
	{"Swish", run_swish, NULL},
	{"ThresholdedRelu", run_thresholded_relu, NULL},
	{0},
};
