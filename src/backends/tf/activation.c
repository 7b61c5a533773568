/* activation.c - activations, as TensorFlow's own operation where it has the parameters, else by the formula. */
#include <math.h>
#include <string.h>

#include "backends/tf/tf.h"
#include "ops/elementwise/elementwise.h"

/* A scalar of x's type. */
static struct tf_value *like(struct bind_call *c, const struct tf_value *x, double value)
{
	return x ? tf_scalar(c, x->dtype, value) : NULL;
}

static double alpha_of(const struct bind_call *c)
{
	return attr_float(c->node, "alpha");
}

/* Of "Self-Normalizing Neural Networks", in float32. */
#define PAPER_ALPHA 1.6732632423543772848f
#define PAPER_GAMMA 1.0507009873554804934f

/* x where x > 0, else negative(x) */
static int split_at_zero(struct bind_call *c, struct tf_value *x, struct tf_value *negative)
{
	return tf_out(c, 0, tf_select(c, tf_2(c, "Greater", x, like(c, x, 0)), x, negative));
}

static int run_leaky_relu(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);
	struct tf_op op;

	if (tf_failed(c))
		return c->err->code;
	if (tf_lacks(tf_of(c), "LeakyRelu"))
		return split_at_zero(c, x, tf_2(c, "Mul", x, like(c, x, alpha_of(c))));
	op = tf_op(c, "LeakyRelu");
	tf_op_in(&op, x);
	tf_op_float(&op, "alpha", alpha_of(c));
	return tf_out(c, 0, tf_op_run(&op));
}

/* alpha (e^x - 1) below zero */
static int run_elu(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);
	double alpha = alpha_of(c);

	if (alpha == 1.0)
		return tf_out(c, 0, tf_1(c, "Elu", x));
	return split_at_zero(c, x, tf_2(c, "Mul", like(c, x, alpha), tf_1(c, "Expm1", x)));
}

/* max(0, x) + min(0, alpha (e^(x/alpha) - 1)) */
static int run_celu(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *a = like(c, x, alpha_of(c)), *zero = like(c, x, 0);
	struct tf_value *low = tf_2(c, "Mul", a, tf_1(c, "Expm1", tf_2(c, "RealDiv", x, a)));

	return tf_out(c, 0, tf_2(c, "AddV2", tf_2(c, "Maximum", x, zero), tf_2(c, "Minimum", low, zero)));
}

/* gamma (alpha (e^x - 1)) below zero, gamma x above.  TensorFlow's own has the constants of the paper built in, which
 * ONNX's defaults are in float32 alone. */
static int run_selu(struct bind_call *c)
{
	double alpha = alpha_of(c), gamma = attr_float(c->node, "gamma");
	struct tf_value *x = tf_in(c, 0), *g;

	if (tf_failed(c))
		return c->err->code;
	if (x->dtype != DT_DOUBLE && (float)alpha == PAPER_ALPHA && (float)gamma == PAPER_GAMMA)
		return tf_out(c, 0, tf_1(c, "Selu", x));
	g = like(c, x, gamma);
	return tf_out(c, 0,
		      tf_select(c, tf_2(c, "Greater", x, like(c, x, 0)), tf_2(c, "Mul", x, g),
				tf_2(c, "Mul", g, tf_2(c, "Mul", like(c, x, alpha), tf_1(c, "Expm1", x)))));
}

/* slope · x below zero; the slope broadcasts to x, before version 7 a vector is by channel */
static int run_prelu(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *slope = tf_in(c, 1);
	int64_t dims[TENSOR_MAX_RANK];

	if (!tf_failed(c) && c->version < 7 && slope->rank == 1 && x->rank > 2) {
		for (int i = 1; i < x->rank; i++)
			dims[i - 1] = i == 1 ? slope->dims[0] : 1;
		slope = tf_reshape(c, slope, x->rank - 1, dims);
	}
	return tf_out(c, 0, tf_select(c, tf_2(c, "Less", x, like(c, x, 0)), tf_2(c, "Mul", slope, x), x));
}

static int run_thresholded_relu(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);

	return tf_out(c, 0, tf_select(c, tf_2(c, "Greater", x, like(c, x, alpha_of(c))), x, like(c, x, 0)));
}

/* max(0, min(1, alpha x + beta)) */
static struct tf_value *hard_sigmoid(struct bind_call *c, struct tf_value *x, double alpha, double beta)
{
	struct tf_value *line = tf_2(c, "AddV2", tf_2(c, "Mul", x, like(c, x, alpha)), like(c, x, beta));

	return tf_2(c, "Maximum", tf_2(c, "Minimum", line, like(c, x, 1)), like(c, x, 0));
}

static int run_hard_sigmoid(struct bind_call *c)
{
	return tf_out(c, 0, hard_sigmoid(c, tf_in(c, 0), alpha_of(c), attr_float(c->node, "beta")));
}

static int run_hard_swish(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);

	return tf_out(c, 0, tf_2(c, "Mul", x, hard_sigmoid(c, x, 1.0 / 6, 0.5)));
}

/* x sigmoid(alpha x) */
static int run_swish(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *a = like(c, x, alpha_of(c));

	return tf_out(c, 0, tf_2(c, "Mul", x, tf_1(c, "Sigmoid", tf_2(c, "Mul", a, x))));
}

/* x tanh(ln(1 + e^x)) */
static int run_mish(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);

	return tf_out(c, 0, tf_2(c, "Mul", x, tf_1(c, "Tanh", tf_1(c, "Softplus", x))));
}

/* x/2 (1 + erf(x/√2)), or x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) */
static int run_gelu(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *inner;

	if (!strcmp(attr_string(c->node, "approximate"), "tanh")) {
		inner = tf_2(c, "Mul", tf_2(c, "Mul", x, x), x);
		inner = tf_2(c, "AddV2", x, tf_2(c, "Mul", inner, like(c, x, 0.044715)));
		inner = tf_1(c, "Tanh", tf_2(c, "Mul", inner, like(c, x, sqrt(2 / M_PI))));
	} else {
		inner = tf_1(c, "Erf", tf_2(c, "Mul", x, like(c, x, sqrt(0.5))));
	}
	inner = tf_2(c, "AddV2", inner, like(c, x, 1));
	return tf_out(c, 0, tf_2(c, "Mul", tf_2(c, "Mul", x, like(c, x, 0.5)), inner));
}

/* x + bias below -lambd, x - bias above lambd, 0 between */
static int run_shrink(struct bind_call *c)
{
	double lambd = attr_float(c->node, "lambd"), bias = attr_float(c->node, "bias");
	struct tf_value *x = tf_in(c, 0), *b = like(c, x, bias);
	struct tf_value *high =
		tf_select(c, tf_2(c, "Greater", x, like(c, x, lambd)), tf_2(c, "Sub", x, b), like(c, x, 0));

	return tf_out(c, 0, tf_select(c, tf_2(c, "Less", x, like(c, x, -lambd)), tf_2(c, "AddV2", x, b), high));
}

/* Bounds are attributes before version 11, inputs after; Relu6 is what TensorFlow calls the range 0 to 6.  One that is
 * left out is the type's end, beyond which floats have infinities. */
static int run_clip(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *low = NULL, *high = NULL;

	if (tf_failed(c))
		return c->err->code;
	if (c->version < 11) {
		double min, max;

		clip_attributes(c->node, &min, &max);
		if (min == 0 && max == 6 && x->dtype == DT_FLOAT)
			return tf_out(c, 0, tf_1(c, "Relu6", x));
		low = min >= dtype_lowest(x->dtype) ? like(c, x, min) : NULL; /* what no element passes needs no step */
		high = max <= dtype_max(x->dtype) ? like(c, x, max) : NULL;
	} else {
		int ends = dtype_is_float(x->dtype);

		low = tf_has(c, 1) ? tf_in(c, 1) : ends ? like(c, x, dtype_lowest(x->dtype)) : NULL;
		high = tf_has(c, 2) ? tf_in(c, 2) : ends ? like(c, x, dtype_max(x->dtype)) : NULL;
	}
	if (!low && !high)
		x = tf_1(c, "Identity", x);
	if (low)
		x = tf_2(c, "Maximum", x, low);
	if (high)
		x = tf_2(c, "Minimum", x, high);
	return tf_out(c, 0, x);
}

/* Hardmax: one at the first largest element of a row, zero elsewhere. */
static struct tf_value *hardmax(struct bind_call *c, struct tf_value *x)
{
	struct tf_op op = tf_op(c, "OneHot");
	struct tf_value *at = tf_2(c, "ArgMax", x, tf_scalar(c, DT_INT32, x ? x->rank - 1 : 0));

	tf_op_in(&op, at);
	tf_op_in(&op, tf_scalar(c, DT_INT32, x ? (double)x->dims[x->rank - 1] : 0));
	tf_op_in(&op, like(c, x, 1));
	tf_op_in(&op, like(c, x, 0));
	tf_op_int(&op, "axis", -1);
	return tf_op_run(&op);
}

static struct tf_value *of_rows(struct bind_call *c, struct tf_value *x)
{
	int64_t flat[2] = {1, 1};

	if (tf_failed(c) || !c->row->native)
		return hardmax(c, x);
	if (x->rank == 2) /* they are documented for matrices alone; the gradient of LogSoftmax sums along axis 1 */
		return tf_1(c, c->row->native, x);
	for (int i = 0; i < x->rank; i++)
		flat[i == x->rank - 1] *= x->dims[i];
	return tf_reshape(c, tf_1(c, c->row->native, tf_reshape(c, x, 2, flat)), x->rank, x->dims);
}

/* From version 13 along one axis, before over all axes from `axis` on, as one.  TensorFlow's runs along the last. */
static int run_softmax(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);
	int axis, perm[TENSOR_MAX_RANK];
	int64_t flat[2] = {1, 1};

	if (tf_failed(c) || tf_static(c, x) || tf_axis(c, attr_int(c->node, "axis"), x->rank, &axis))
		return c->err->code;
	if (c->version < 13) {
		for (int i = 0; i < x->rank; i++)
			flat[i >= axis] *= x->dims[i];
		return tf_out(c, 0, tf_reshape(c, of_rows(c, tf_reshape(c, x, 2, flat)), x->rank, x->dims));
	}
	if (axis == x->rank - 1)
		return tf_out(c, 0, of_rows(c, x));
	for (int i = 0; i < x->rank; i++)
		perm[i] = i;
	perm[axis] = x->rank - 1;
	perm[x->rank - 1] = axis; /* an exchange is its own inverse */
	return tf_out(c, 0, tf_transpose(c, of_rows(c, tf_transpose(c, x, perm)), perm));
}

const struct binding tf_rows_activation[] = {
	{"Celu", run_celu, NULL},
	{"Clip", run_clip, NULL},
	{"Elu", run_elu, NULL},
	{"Gelu", run_gelu, NULL},
	{"HardSigmoid", run_hard_sigmoid, NULL},
	{"HardSwish", run_hard_swish, NULL},
	{"LeakyRelu", run_leaky_relu, NULL},
	{"LogSoftmax", run_softmax, "LogSoftmax"},
	{"Mish", run_mish, NULL},
	{"PRelu", run_prelu, NULL},
	{"Selu", run_selu, NULL},
	{"Shrink", run_shrink, NULL},
	{"Softmax", run_softmax, "Softmax"},
	{"Hardmax", run_softmax, NULL},
	{"Swish", run_swish, NULL},
	{"ThresholdedRelu", run_thresholded_relu, NULL},
	{0},
};
