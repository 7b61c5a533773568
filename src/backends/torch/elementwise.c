/* elementwise.c - arithmetic, comparisons and logic, element by element.
 *
 * ONNX and PyTorch broadcast alike.  They differ in the type of results: PyTorch promotes, ONNX never does; inputs
 * of one type give results of that type in both, and what may mix types (Pow) is cast by hand. */
#include <string.h>

#include "backends/torch/bindings.h"
#include "ops/elementwise/elementwise.h"

/* An ONNX operator that is one PyTorch operator. */
struct same {
	const char *onnx, *aten;
};

static const char *same_name(const struct same *table, const char *op)
{
	while (strcmp(table->onnx, op))
		table++;
	return table->aten;
}

static const struct same unary_names[] = {
	{"Abs", "abs"},
	{"Acos", "acos"},
	{"Acosh", "acosh"},
	{"Asin", "asin"},
	{"Asinh", "asinh"},
	{"Atan", "atan"},
	{"Atanh", "atanh"},
	{"BitwiseNot", "bitwise_not"},
	{"Ceil", "ceil"},
	{"Cos", "cos"},
	{"Cosh", "cosh"},
	{"Erf", "erf"},
	{"Exp", "exp"},
	{"Floor", "floor"},
	{"HardSwish", "hardswish"},
	{"IsNaN", "isnan"},
	{"Log", "log"},
	{"Mish", "mish"},
	{"Neg", "neg"},
	{"Not", "logical_not"},
	{"Reciprocal", "reciprocal"},
	{"Relu", "relu"},
	{"Round", "round"},
	{"Sigmoid", "sigmoid"},
	{"Sign", "sign"},
	{"Sin", "sin"},
	{"Sinh", "sinh"},
	{"Sqrt", "sqrt"},
	{"Tan", "tan"},
	{"Tanh", "tanh"},
};

int th_unary(struct bind_call *c)
{
	return th_give(c, th_op(c, same_name(unary_names, c->node->op_type), "t", th_in(c, 0)));
}

static const struct same binary_names[] = {
	{"Add", "add.Tensor"},
	{"And", "logical_and"},
	{"BitwiseAnd", "bitwise_and.Tensor"},
	{"BitwiseOr", "bitwise_or.Tensor"},
	{"BitwiseXor", "bitwise_xor.Tensor"},
	{"Equal", "eq.Tensor"},
	{"Greater", "gt.Tensor"},
	{"GreaterOrEqual", "ge.Tensor"},
	{"Less", "lt.Tensor"},
	{"LessOrEqual", "le.Tensor"},
	{"Mul", "mul.Tensor"},
	{"Or", "logical_or"},
	{"Sub", "sub.Tensor"},
	{"Xor", "logical_xor"},
};

/* The second operand.  Before version 7 it could be a piece of the first one's shape that begins at `axis`: axes are
 * added behind it. */
static void *operand(struct bind_call *c)
{
	struct th_shape a, b;
	int64_t axis;

	if (c->version >= 7 || !attr_int(c->node, "broadcast") || !node_has(c->node, "axis"))
		return th_in(c, 1);
	if (th_shape(c, th_in(c, 0), &a) || th_shape(c, th_in(c, 1), &b))
		return NULL;
	axis = node_attr(c->node, "axis")->i;
	axis += axis < 0 ? a.rank : 0;
	if (axis < 0 || axis + b.rank > a.rank) {
		err_set(c->err, ERR_INPUT, "axis is %lld", (long long)axis);
		return NULL;
	}
	for (int i = b.rank; i < a.rank - (int)axis; i++)
		b.dims[i] = 1;
	return th_reshape(c, c->in[1], b.dims, a.rank - (int)axis);
}

int th_binary(struct bind_call *c)
{
	void *b = operand(c);

	return th_give(c, th_op(c, same_name(binary_names, c->node->op_type), "tt", th_in(c, 0), b));
}

/* Integers are divided towards zero. */
int th_div(struct bind_call *c)
{
	void *b = operand(c);
	struct th_shape a;

	if (th_shape(c, th_in(c, 0), &a))
		return th_done(c);
	if (dtype_is_float(a.dtype))
		return th_give(c, th_op(c, "div.Tensor", "tt", c->in[0], b));
	return th_give(c, th_op(c, "div.Tensor_mode", "tts", c->in[0], b, "trunc"));
}

/* fmod: the sign of the dividend (C), else that of the divisor (Python). */
int th_mod(struct bind_call *c)
{
	const char *op = attr_int(c->node, "fmod") ? "fmod.Tensor" : "remainder.Tensor";

	return th_give(c, th_op(c, op, "tt", th_in(c, 0), th_in(c, 1)));
}

/* The result has the type of the base; a mixed pair is computed in double. */
int th_pow(struct bind_call *c)
{
	struct th_shape x, y;
	void *base = th_in(c, 0), *exponent = operand(c);

	if (th_shape(c, base, &x) || th_shape(c, exponent, &y))
		return th_done(c);
	if (x.dtype != y.dtype && !dtype_is_float(x.dtype) && dtype_is_float(y.dtype)) {
		base = th_cast(c, base, DT_DOUBLE);
		exponent = th_cast(c, exponent, DT_DOUBLE);
	} else if (x.dtype != y.dtype) {
		exponent = th_cast(c, exponent, x.dtype);
	}
	return th_give(c, th_cast(c, th_op(c, "pow.Tensor_Tensor", "tt", base, exponent), x.dtype));
}

/* Minimum, maximum or sum of any number of inputs, from left to right. */
static void *fold(struct bind_call *c, const char *op)
{
	void *t = th_in(c, 0);

	for (int i = 1; i < c->n_in; i++)
		t = th_op(c, op, "tt", t, c->in[i]);
	return t;
}

int th_min(struct bind_call *c)
{
	return th_give(c, fold(c, "minimum"));
}

int th_max(struct bind_call *c)
{
	return th_give(c, fold(c, "maximum"));
}

int th_sum(struct bind_call *c)
{
	return th_give(c, fold(c, "add.Tensor"));
}

int th_mean(struct bind_call *c)
{
	return th_give(c, th_op(c, "div.Scalar", "ti", fold(c, "add.Tensor"), c->n_in));
}

int th_where(struct bind_call *c)
{
	return th_give(c, th_op(c, "where.self", "ttt", th_in(c, 0), th_in(c, 1), th_in(c, 2)));
}

int th_bit_shift(struct bind_call *c)
{
	const char *direction = attr_string(c->node, "direction");
	const char *op = !strcmp(direction, "LEFT") ? "bitwise_left_shift.Tensor" : "bitwise_right_shift.Tensor";

	return th_give(c, th_op(c, op, "tt", th_in(c, 0), th_in(c, 1)));
}

int th_is_inf(struct bind_call *c)
{
	int64_t negative = attr_int(c->node, "detect_negative"), positive = attr_int(c->node, "detect_positive");
	void *x = th_in(c, 0);

	if (positive && negative)
		return th_give(c, th_op(c, "isinf", "t", x));
	if (!positive && !negative)
		return th_give(c, th_op(c, "zeros_like", "td", x, DT_BOOL));
	return th_give(c, th_op(c, positive ? "isposinf" : "isneginf", "t", x));
}

/* Bounds are attributes before version 11, tensors after; a lower bound above the upper one gives the upper one. */
int th_clip(struct bind_call *c)
{
	void *x = th_in(c, 0);

	if (c->version < 11) {
		enum dtype t = c->call->in_type[0].dtype;
		double low, high;

		clip_attributes(c->node, &low, &high);
		x = low >= dtype_lowest(t) ? th_op(c, "clamp_min", "tf", x, low) : x; /* others do not fit the type */
		x = high <= dtype_max(t) ? th_op(c, "clamp_max", "tf", x, high) : x;
		return th_give(c, x);
	}
	if (!th_in(c, 1) && !th_in(c, 2))
		return th_give(c, x);
	return th_give(c, th_op(c, "clamp.Tensor", "ttt", x, th_in(c, 1), th_in(c, 2)));
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

/* Types that both sides convert between by the same rules. */
static int is_plain(enum dtype t)
{
	return t == DT_BOOL || t == DT_FLOAT || t == DT_DOUBLE || t == DT_FLOAT16 || t == DT_BFLOAT16 ||
	       (dtype_is_int(t) && dtype_bits(t) >= 8);
}

static int cast_to(struct bind_call *c, enum dtype to)
{
	struct th_shape x;

	if (th_shape(c, th_in(c, 0), &x))
		return th_done(c);
	if (!is_plain(x.dtype) || !is_plain(to))
		return bind_unsupported(c, "from %s to %s: torch rounds small floats by rules of its own",
					dtype_name(x.dtype), dtype_name(to));
	return th_give(c, th_cast(c, c->in[0], to));
}

int th_cast_op(struct bind_call *c)
{
	return cast_to(c, c->call->out_type[0].dtype);
}

int th_cast_like(struct bind_call *c)
{
	struct th_shape like;

	return th_shape(c, th_in(c, 1), &like) ? th_done(c) : cast_to(c, like.dtype);
}
