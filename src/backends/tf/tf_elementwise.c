/* tf_elementwise.c - operators that work element by element; TensorFlow broadcasts as ONNX does. */
#include <math.h>
#include <string.h>

#include "backends/tf/tf_families.h"

/* Operators that differ in the name at most. */
static const struct {
	const char *onnx, *tf;
} names[] = {
	{"Det", "MatrixDeterminant"},
	{"IsNaN", "IsNan"},
	{"Not", "LogicalNot"},
	{"BitwiseNot", "Invert"},
	{"Add", "AddV2"},
	{"And", "LogicalAnd"},
	{"Or", "LogicalOr"},
	{"Xor", "NotEqual"}, /* of booleans */
	{"GreaterOrEqual", "GreaterEqual"},
	{"LessOrEqual", "LessEqual"},
};

static const char *tf_name(const char *onnx)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i].onnx, onnx))
			return names[i].tf;
	return onnx;
}

int tf_same_unary(struct bind_call *c)
{
	return tf_out(c, 0, tf_1(c, tf_name(c->node->op_type), tf_in(c, 0)));
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

int tf_same_binary(struct bind_call *c)
{
	return tf_out(c, 0, tf_2(c, tf_name(c->node->op_type), tf_in(c, 0), second(c)));
}

/* Whole numbers are cut towards zero. */
int tf_div(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0);

	if (tf_failed(c))
		return c->err->code;
	return tf_out(c, 0, tf_2(c, dtype_is_float(x->dtype) ? "RealDiv" : "TruncateDiv", x, second(c)));
}

/* fmod = 1: the sign of the dividend, as C; else of the divisor, as Python. */
int tf_mod(struct bind_call *c)
{
	return tf_out(c, 0, tf_2(c, attr_int(c->node, "fmod") ? "TruncateMod" : "FloorMod", tf_in(c, 0), tf_in(c, 1)));
}

int tf_bit_shift(struct bind_call *c)
{
	int left = !strcmp(attr_string(c->node, "direction"), "LEFT");

	return tf_out(c, 0, tf_2(c, left ? "LeftShift" : "RightShift", tf_in(c, 0), tf_in(c, 1)));
}

/* The result has the type of the base; an exponent of another type is taken to where both fit. */
int tf_pow(struct bind_call *c)
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

/* Max, Min, Sum and Mean of any number of tensors. */
int tf_variadic(struct bind_call *c)
{
	const char *name = c->node->op_type;
	const char *op = !strcmp(name, "Max") ? "Maximum" : !strcmp(name, "Min") ? "Minimum" : "AddV2";
	struct tf_value *x = tf_in(c, 0);

	if (c->n_in == 1)
		return tf_out(c, 0, tf_1(c, "Identity", x));
	for (int i = 1; i < c->n_in; i++)
		x = tf_2(c, op, x, tf_in(c, i));
	if (!tf_failed(c) && !strcmp(name, "Mean"))
		x = tf_2(c, "RealDiv", x, tf_scalar(c, x->dtype, c->n_in));
	return tf_out(c, 0, x);
}

int tf_is_inf(struct bind_call *c)
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

int tf_cast_op(struct bind_call *c)
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

int tf_where(struct bind_call *c)
{
	return tf_out(c, 0, tf_select(c, tf_in(c, 0), tf_in(c, 1), tf_in(c, 2)));
}

/* In inference nothing is dropped; the mask is all true. */
int tf_dropout(struct bind_call *c)
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
