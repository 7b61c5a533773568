/* elementwise.c - operators that work element by element; TensorFlow broadcasts as ONNX does. */
#include <math.h>
#include <string.h>

#include "backends/tf/tf.h"

static int run_unary(struct bind_call *c)
{
	return tf_out(c, 0, tf_1(c, c->row->native, tf_in(c, 0)));
}

/* The second operand.  Before opset 7 an attribute said at which axis of the first it begins; ones after it make
 * today's rule of it. */
static struct tf_value *second(struct bind_call *c)
{
	struct tf_value *a = tf_in(c, 0), *b = tf_in(c, 1);
	int64_t dims[TENSOR_MAX_RANK];
	int axis;

	if (tf_failed(c) || c->node->opset >= 7 || !node_has(c->node, "axis") || !attr_int(c->node, "broadcast"))
		return b;
	if (tf_static(c, b) || tf_axis(c, node_attr(c->node, "axis")->i, a->rank, &axis))
		return NULL;
	if (axis + b->rank > a->rank) {
		err_set(c->err, ERR_INPUT, "axis %d does not fit ranks %d and %d", axis, a->rank, b->rank);
		return NULL;
	}
	for (int i = 0; i < a->rank - axis; i++)
		dims[i] = i < b->rank ? b->dims[i] : 1;
	return tf_reshape(c, b, a->rank - axis, dims);
}

static int run_binary(struct bind_call *c)
{
	return tf_out(c, 0, tf_2(c, c->row->native, tf_in(c, 0), second(c)));
}

/* Whole numbers are cut towards zero. */
static int run_div(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);

	if (tf_failed(c))
		return c->err->code;
	return tf_out(c, 0, tf_2(c, dtype_is_float(x->dtype) ? "RealDiv" : "TruncateDiv", x, second(c)));
}

/* fmod = 1: the sign of the dividend, as C; else of the divisor, as Python. */
static int run_mod(struct bind_call *c)
{
	return tf_out(c, 0, tf_2(c, attr_int(c->node, "fmod") ? "TruncateMod" : "FloorMod", tf_in(c, 0), tf_in(c, 1)));
}

/* Shifts by less than 0 or by the width and more are open in TensorFlow.  Since version 28 ONNX says that nothing is
 * left of the number, or its sign: they shift by all but one place, which leaves the sign, and else become 0. */
static int run_bit_shift(struct bind_call *c)
{
	int left = !strcmp(attr_string(c->node, "direction"), "LEFT");
	const char *op = left ? "LeftShift" : "RightShift";
	struct tf_value *x = tf_in(c, 0), *y = tf_in(c, 1), *last, *open, *shifted;

	if (tf_failed(c))
		return c->err->code;
	if (c->version < 28)
		return tf_out(c, 0, tf_2(c, op, x, y));
	last = tf_scalar(c, y->dtype, (double)(dtype_bits(x->dtype) - 1));
	open = tf_2(c, "Greater", y, last);
	if (!dtype_is_unsigned(x->dtype))
		open = tf_2(c, "LogicalOr", open, tf_2(c, "Less", y, tf_scalar(c, y->dtype, 0)));
	shifted = tf_2(c, op, x, tf_select(c, open, last, y));
	if (left || dtype_is_unsigned(x->dtype))
		shifted = tf_select(c, open, tf_scalar(c, x->dtype, 0), shifted);
	return tf_out(c, 0, shifted);
}

/* The result has the type of the base; an exponent of another type is taken to where both fit. */
static int run_pow(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *y = second(c);
	enum dtype t;

	if (tf_failed(c))
		return c->err->code;
	t = x->dtype;
	if (t == y->dtype)
		return tf_out(c, 0, tf_2(c, "Pow", x, y));
	if (dtype_is_float(t))
		return tf_out(c, 0, tf_2(c, "Pow", x, tf_cast(c, y, t)));
	if (dtype_is_float(y->dtype))
		return tf_out(c, 0, tf_cast(c, tf_2(c, "Pow", tf_cast(c, x, DT_DOUBLE), tf_cast(c, y, DT_DOUBLE)), t));
	return tf_out(c, 0, tf_cast(c, tf_2(c, "Pow", tf_cast(c, x, DT_INT64), tf_cast(c, y, DT_INT64)), t));
}

/* Any number of tensors, from left to right. */
static struct tf_value *chain(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);

	for (int i = 1; i < c->n_in; i++)
		x = tf_2(c, c->row->native, x, tf_in(c, i));
	return x;
}

static int run_chain(struct bind_call *c)
{
	return tf_out(c, 0, c->n_in == 1 ? tf_1(c, "Identity", tf_in(c, 0)) : chain(c));
}

static int run_mean(struct bind_call *c)
{
	struct tf_value *sum = chain(c);

	if (tf_failed(c) || c->n_in == 1)
		return run_chain(c);
	return tf_out(c, 0, tf_2(c, "RealDiv", sum, tf_scalar(c, sum->dtype, c->n_in)));
}

static int run_is_inf(struct bind_call *c)
{
	int positive = attr_int(c->node, "detect_positive") != 0;
	int negative = attr_int(c->node, "detect_negative") != 0;
	struct tf_value *x = tf_in(c, 0);

	if (tf_failed(c))
		return c->err->code;
	if (positive && negative)
		return tf_out(c, 0, tf_1(c, "IsInf", x));
	if (!positive && !negative)
		return tf_out(c, 0, tf_2(c, "LogicalAnd", tf_1(c, "IsInf", x), tf_scalar(c, DT_BOOL, 0)));
	return tf_out(c, 0, tf_2(c, "Equal", x, tf_scalar(c, x->dtype, positive ? INFINITY : -INFINITY)));
}

static int run_cast(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);
	enum dtype t;

	if (tf_failed(c))
		return c->err->code;
	t = c->call->out_type[0].dtype;
	if (dtype_bits(t) == 8 && dtype_is_float(t))
		return bind_unsupported(c, "casts to %s saturate in ONNX, in tensorflow they do not", dtype_name(t));
	if (x->dtype == t)
		return tf_out(c, 0, tf_1(c, "Identity", x));
	return tf_out(c, 0, tf_cast(c, x, t));
}

static int run_where(struct bind_call *c)
{
	return tf_out(c, 0, tf_select(c, tf_in(c, 0), tf_in(c, 1), tf_in(c, 2)));
}

/* In inference nothing is dropped; the mask is all true. */
static int run_dropout(struct bind_call *c)
{
	const struct tensor *training = tf_has(c, 2) ? tf_known(c, 2) : NULL;
	struct tf_value *x = tf_in(c, 0);
	int rc;

	if (tf_failed(c))
		return c->err->code;
	if ((training && training->count && training->i[0]) || (c->version < 7 && !attr_int(c->node, "is_test")))
		return bind_unsupported(c, "dropping at random cannot be compared");
	rc = tf_out(c, 0, tf_1(c, "Identity", x));
	if (!rc && c->n_out > 1 && c->node->out[1]) {
		if (tf_static(c, x))
			return c->err->code;
		rc = tf_out(c, 1, tf_fill(c, c->version < 10 ? x->dtype : DT_BOOL, x->rank, x->dims, 1));
	}
	return rc;
}

const struct binding tf_rows_elementwise[] = {
	{"Abs", run_unary, "Abs"},
	{"Acos", run_unary, "Acos"},
	{"Acosh", run_unary, "Acosh"},
	{"Asin", run_unary, "Asin"},
	{"Asinh", run_unary, "Asinh"},
	{"Atan", run_unary, "Atan"},
	{"Atanh", run_unary, "Atanh"},
	{"BitwiseNot", run_unary, "Invert"},
	{"Ceil", run_unary, "Ceil"},
	{"Cos", run_unary, "Cos"},
	{"Cosh", run_unary, "Cosh"},
	{"Det", run_unary, "MatrixDeterminant"},
	{"Erf", run_unary, "Erf"},
	{"Exp", run_unary, "Exp"},
	{"Floor", run_unary, "Floor"},
	{"Identity", run_unary, "Identity"},
	{"IsNaN", run_unary, "IsNan"},
	{"Log", run_unary, "Log"},
	{"Neg", run_unary, "Neg"},
	{"Not", run_unary, "LogicalNot"},
	{"Reciprocal", run_unary, "Reciprocal"},
	{"Relu", run_unary, "Relu"},
	{"Round", run_unary, "Round"},
	{"Sigmoid", run_unary, "Sigmoid"},
	{"Sign", run_unary, "Sign"},
	{"Sin", run_unary, "Sin"},
	{"Sinh", run_unary, "Sinh"},
	{"Softplus", run_unary, "Softplus"},
	{"Softsign", run_unary, "Softsign"},
	{"Sqrt", run_unary, "Sqrt"},
	{"Tan", run_unary, "Tan"},
	{"Tanh", run_unary, "Tanh"},
	{"Add", run_binary, "AddV2"},
	{"And", run_binary, "LogicalAnd"},
	{"BitwiseAnd", run_binary, "BitwiseAnd"},
	{"BitwiseOr", run_binary, "BitwiseOr"},
	{"BitwiseXor", run_binary, "BitwiseXor"},
	{"Equal", run_binary, "Equal"},
	{"Greater", run_binary, "Greater"},
	{"GreaterOrEqual", run_binary, "GreaterEqual"},
	{"Less", run_binary, "Less"},
	{"LessOrEqual", run_binary, "LessEqual"},
	{"Mul", run_binary, "Mul"},
	{"Or", run_binary, "LogicalOr"},
	{"Sub", run_binary, "Sub"},
	{"Xor", run_binary, "NotEqual"}, /* of booleans */
	{"BitShift", run_bit_shift, NULL},
	{"Div", run_div, NULL},
	{"IsInf", run_is_inf, NULL},
	{"Max", run_chain, "Maximum"},
	{"Mean", run_mean, "AddV2"},
	{"Min", run_chain, "Minimum"},
	{"Mod", run_mod, NULL},
	{"Pow", run_pow, NULL},
	{"Sum", run_chain, "AddV2"},
	{"Cast", run_cast, NULL},
	{"CastLike", run_cast, NULL},
	{"Where", run_where, NULL},
	{"Dropout", run_dropout, NULL},
	{0},
};
