/* unary.c - functions of one element.
 *
 * Kernels of these exist for floats; integers are left to Abs, Neg and Sign, which are exact for them. */
#include <math.h>
#include <string.h>

#include "backends/mxnet/mxnet.h"

#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

/* Of "Self-Normalizing Neural Networks", in float32. */
#define PAPER_ALPHA 1.6732632423543772848f
#define PAPER_GAMMA 1.0507009873554804934f

static int run_float(struct bind_call *c)
{
	int rc = mx_only(c, FLOATS);

	return rc ? rc : mx_give(c, 0, mx_op1(c, c->row->native, c->in[0]));
}

static int run_any(struct bind_call *c)
{
	return mx_give(c, 0, mx_op1(c, c->row->native, c->in[0]));
}

/* ---- activations with parameters --------------------------------------------------------------------------------- */

/* LeakyReLU does not take a number without axes: it gets one axis for the time. */
static void *leaky_relu(struct bind_call *c, int n, void *slope, const char *kind, double parameter)
{
	const struct type *t = bind_type(c, 0);
	int64_t one = 1;
	void *in[2] = {c->in[0], slope}, *y;

	if (!t)
		return NULL;
	if (!t->rank)
		in[0] = mx_reshape(c, in[0], 1, &one);
	y = mx_op(c, "LeakyReLU", n, in, "act_type=%s;slope=%.9g", kind, parameter);
	return t->rank ? y : mx_reshape(c, y, 0, NULL);
}

static int run_leaky(struct bind_call *c)
{
	return mx_give(c, 0, leaky_relu(c, 1, NULL, c->row->native, attr_float(c->node, "alpha")));
}

/* γ (x > 0 ? x : α (eˣ - 1)).  The library's own has the constants of the paper built in, which ONNX's defaults are in
 * float32 and from version 6 on. */
static int run_selu(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha"), gamma = attr_float(c->node, "gamma");
	void *y;

	if (c->call->in_type[0].dtype != DT_DOUBLE && (float)alpha == PAPER_ALPHA && (float)gamma == PAPER_GAMMA)
		return mx_give(c, 0, leaky_relu(c, 1, NULL, "selu", 0));
	y = leaky_relu(c, 1, NULL, "elu", alpha);
	return mx_give(c, 0, mx_scalar(c, "_mul_scalar", y, gamma));
}

static int run_hard_sigmoid(struct bind_call *c)
{
	return mx_give(c, 0,
		       mx_op(c, c->row->native, 1, c->in, "alpha=%.9g;beta=%.9g", attr_float(c->node, "alpha"),
			     attr_float(c->node, "beta")));
}

/* x · max(0, min(1, x / 6 + 0.5)) */
static int run_hard_swish(struct bind_call *c)
{
	void *gate = mx_op(c, "hard_sigmoid", 1, c->in, "alpha=%.9g;beta=0.5", 1.0 / 6.0);

	return mx_give(c, 0, mx_op2(c, "elemwise_mul", c->in[0], gate));
}

static int run_activation(struct bind_call *c)
{
	return mx_give(c, 0, mx_op(c, "Activation", 1, c->in, "act_type=%s", c->row->native));
}

static int run_gelu(struct bind_call *c)
{
	if (strcmp(attr_string(c->node, "approximate"), "none"))
		return bind_unsupported(c, "mxnet has no Gelu with approximate='%s'",
					attr_string(c->node, "approximate"));
	return mx_give(c, 0, leaky_relu(c, 1, NULL, "gelu", 0));
}

/* x · tanh(log(1 + eˣ)) */
static int run_mish(struct bind_call *c)
{
	void *soft = mx_op(c, "Activation", 1, c->in, "act_type=softrelu");

	return mx_give(c, 0, mx_op2(c, "elemwise_mul", c->in[0], mx_op1(c, "tanh", soft)));
}

/* max(0, x) + min(0, α (exp(x / α) - 1)) */
static int run_celu(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha");
	void *low = mx_op1(c, "expm1", mx_scalar(c, "_div_scalar", c->in[0], alpha));

	low = mx_scalar(c, "_minimum_scalar", mx_scalar(c, "_mul_scalar", low, alpha), 0.0);
	return mx_give(c, 0, mx_op2(c, "elemwise_add", mx_op1(c, "relu", c->in[0]), low));
}

/* x > α ? x : 0 */
static int run_thresholded_relu(struct bind_call *c)
{
	void *above = mx_scalar(c, "_npi_greater_scalar", c->in[0], attr_float(c->node, "alpha"));

	return mx_give(c, 0, mx_where(c, above, c->in[0], mx_op1(c, "zeros_like", c->in[0])));
}

/* x < -λ ? x + bias : x > λ ? x - bias : 0 */
static int run_shrink(struct bind_call *c)
{
	double lambda = attr_float(c->node, "lambd"), bias = attr_float(c->node, "bias");
	void *low = mx_scalar(c, "_npi_less_scalar", c->in[0], -lambda);
	void *high = mx_scalar(c, "_npi_greater_scalar", c->in[0], lambda);
	void *y;
	int rc = mx_only(c, FLOATS);

	if (rc)
		return rc;
	y = mx_where(c, high, mx_scalar(c, "_minus_scalar", c->in[0], bias), mx_op1(c, "zeros_like", c->in[0]));
	return mx_give(c, 0, mx_where(c, low, mx_scalar(c, "_plus_scalar", c->in[0], bias), y));
}

/* x ≥ 0 ? x : slope · x.  The library's own takes one slope for each channel, or one in all. */
static int run_prelu(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0), *s = bind_type(c, 1);
	int64_t count = 1, channels;
	void *slope, *negative;
	int at;

	if (!x || !s)
		return c->err->code;
	channels = x->rank > 1 ? x->dims[1] : 1;
	at = 1 - (x->rank - s->rank); /* where the channels are in the slope's shape */
	for (int i = 0; i < s->rank; i++)
		count *= s->dims[i];
	if (count == 1 || (c->version < 7 && count == channels) ||
	    (count == channels && at >= 0 && at < s->rank && s->dims[at] == channels)) {
		slope = mx_reshape(c, c->in[1], 1, &count);
		return mx_give(c, 0, leaky_relu(c, 2, slope, "prelu", 0));
	}
	negative = mx_scalar(c, "_npi_less_scalar", c->in[0], 0.0);
	slope = mx_op2(c, "broadcast_mul", c->in[0], c->in[1]);
	return mx_give(c, 0, mx_where(c, negative, slope, c->in[0]));
}

/* ---- rounding and classes ---------------------------------------------------------------------------------------- */

/* Half to even.  The library's rint takes the lower neighbour of a tie: 1 is added where that is odd.  x - rint(x) is
 * exact. */
static int run_round(struct bind_call *c)
{
	void *low = mx_op1(c, "rint", c->in[0]), *tie, *odd;
	int rc = mx_only(c, FLOATS);

	if (rc)
		return rc;
	tie = mx_scalar(c, "_equal_scalar", mx_op2(c, "elemwise_sub", c->in[0], low), 0.5);
	odd = mx_scalar(c, "_equal_scalar", mx_scalar(c, "_mod_scalar", low, 2.0), 1.0);
	return mx_give(c, 0, mx_op2(c, "elemwise_add", low, mx_op2(c, "elemwise_mul", tie, odd)));
}

static int run_is_nan(struct bind_call *c)
{
	return mx_give(c, 0, mx_op2(c, "_npi_not_equal", c->in[0], c->in[0]));
}

/* Beyond the largest number: the library reads no infinity where it takes a number as text. */
static int run_is_inf(struct bind_call *c)
{
	int positive = attr_int(c->node, "detect_positive") != 0;
	int negative = attr_int(c->node, "detect_negative") != 0;
	const struct type *t = bind_type(c, 0);
	void *x = c->in[0];

	if (!t)
		return c->err->code;
	if (positive && negative)
		x = mx_op1(c, "abs", x);
	if (!positive && !negative)
		return bind_unsupported(c, "neither sign of infinity is asked for");
	return mx_give(c, 0,
		       positive ? mx_scalar(c, "_npi_greater_scalar", x, dtype_max(t->dtype))
				: mx_scalar(c, "_npi_less_scalar", x, dtype_lowest(t->dtype)));
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

static int run_cast(struct bind_call *c)
{
	const struct type *t = mx_out_type(c, 0);

	return t ? mx_give(c, 0, mx_cast(c, c->in[0], t->dtype)) : c->err->code;
}

static int run_dropout(struct bind_call *c)
{
	const struct tensor *training = bind_has(c, 2) ? bind_known(c, 2) : NULL;
	const struct type *x = bind_type(c, 0);
	int rc;

	if (!x || (bind_has(c, 2) && !training))
		return c->err->code;
	if ((training && training->count && training->i[0]) || (c->version < 7 && !attr_int(c->node, "is_test")))
		return bind_unsupported(c, "training is random");
	rc = mx_give(c, 0, mx_op1(c, c->row->native, c->in[0]));
	if (!rc && call_wants(c->call, 1))
		rc = mx_give(c, 1, mx_full(c, c->version < 10 ? x->dtype : DT_BOOL, x->rank, x->dims, 1.0));
	return rc;
}

const struct binding mx_rows_unary[] = {
	{"Abs", run_any, "abs"},
	{"Neg", run_any, "negative"},
	{"Sign", run_any, "sign"},
	{"Identity", run_any, "_copy"},
	{"Not", run_any, "_npi_logical_not"},
	{"Ceil", run_float, "ceil"},
	{"Floor", run_float, "floor"},
	{"Exp", run_float, "exp"},
	{"Log", run_float, "log"},
	{"Sqrt", run_float, "sqrt"},
	{"Reciprocal", run_float, "reciprocal"},
	{"Sin", run_float, "sin"},
	{"Cos", run_float, "cos"},
	{"Tan", run_float, "tan"},
	{"Asin", run_float, "arcsin"},
	{"Acos", run_float, "arccos"},
	{"Atan", run_float, "arctan"},
	{"Sinh", run_float, "sinh"},
	{"Cosh", run_float, "cosh"},
	{"Tanh", run_float, "tanh"},
	{"Asinh", run_float, "arcsinh"},
	{"Acosh", run_float, "arccosh"},
	{"Atanh", run_float, "arctanh"},
	{"Erf", run_float, "erf"},
	{"Relu", run_any, "relu"},
	{"Sigmoid", run_float, "sigmoid"},
	{"Softplus", run_activation, "softrelu"},
	{"Softsign", run_activation, "softsign"},
	{"HardSigmoid", run_hard_sigmoid, "hard_sigmoid"},
	{"HardSwish", run_hard_swish, NULL},
	{"LeakyRelu", run_leaky, "leaky"},
	{"Elu", run_leaky, "elu"},
	{"Selu", run_selu, NULL},
	{"Celu", run_celu, NULL},
	{"Gelu", run_gelu, NULL},
	{"Mish", run_mish, NULL},
	{"PRelu", run_prelu, NULL},
	{"ThresholdedRelu", run_thresholded_relu, NULL},
	{"Shrink", run_shrink, NULL},
	{"Round", run_round, NULL},
	{"IsNaN", run_is_nan, NULL},
	{"IsInf", run_is_inf, NULL},
	{"Cast", run_cast, NULL},
	{"CastLike", run_cast, NULL},
	{"Dropout", run_dropout, "_copy"},
	{0},
};
