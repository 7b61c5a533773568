/* elementwise.c - arithmetic, comparisons and logic, element by element.
 *
 * ONNX and PyTorch broadcast alike.  They differ in the type of results: PyTorch promotes, ONNX never does; inputs
 * of one type give results of that type in both, and what may mix types (Pow) is cast by hand. */
#include <string.h>

#include "backends/torch/th.h"
#include "ops/elementwise/elementwise.h"

static int run_unary(struct bind_call *c)
{
	return th_give(c, th_op(c, c->row->native, "t", th_in(c, 0)));
}

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

static int run_binary(struct bind_call *c)
{
	void *b = operand(c);

	return th_give(c, th_op(c, c->row->native, "tt", th_in(c, 0), b));
}

/* Integers are divided towards zero. */
static int run_div(struct bind_call *c)
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
static int run_mod(struct bind_call *c)
{
	const char *op = attr_int(c->node, "fmod") ? "fmod.Tensor" : "remainder.Tensor";

	return th_give(c, th_op(c, op, "tt", th_in(c, 0), th_in(c, 1)));
}

/* The result has the type of the base; a mixed pair is computed in double. */
static int run_pow(struct bind_call *c)
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

/* Any number of inputs, from left to right. */
static void *chain(struct bind_call *c)
{
	void *t = th_in(c, 0);

	for (int i = 1; i < c->n_in; i++)
		t = th_op(c, c->row->native, "tt", t, c->in[i]);
	return t;
}

static int run_chain(struct bind_call *c)
{
	return th_give(c, chain(c));
}

static int run_mean(struct bind_call *c)
{
	return th_give(c, th_op(c, "div.Scalar", "ti", chain(c), c->n_in));
}

static int run_where(struct bind_call *c)
{
	return th_give(c, th_op(c, "where.self", "ttt", th_in(c, 0), th_in(c, 1), th_in(c, 2)));
}

static int run_bit_shift(struct bind_call *c)
{
	const char *direction = attr_string(c->node, "direction");
	const char *op = !strcmp(direction, "LEFT") ? "bitwise_left_shift.Tensor" : "bitwise_right_shift.Tensor";

	return th_give(c, th_op(c, op, "tt", th_in(c, 0), th_in(c, 1)));
}

static int run_is_inf(struct bind_call *c)
{
	int64_t negative = attr_int(c->node, "detect_negative"), positive = attr_int(c->node, "detect_positive");
	void *x = th_in(c, 0);

	if (positive && negative)
		return th_give(c, th_op(c, "isinf", "t", x));
	if (!positive && !negative)
		return th_give(c, th_op(c, "zeros_like", "td", x, DT_BOOL));
	return th_give(c, th_op(c, positive ? "isposinf" : "isneginf", "t", x));
}

/* Bounds are attributes before version 11, tensors after; a lower bound above the upper one gives the upper one.  One
 * that is left out is the type's end, beyond which floats have infinities. */
static int run_clip(struct bind_call *c)
{
	enum dtype t = c->call->in_type[0].dtype;
	void *x = th_in(c, 0);

	if (c->version < 11) {
		double low, high;

		clip_attributes(c->node, &low, &high);
		x = low >= dtype_lowest(t) ? th_op(c, "clamp_min", "tf", x, low) : x; /* others do not fit the type */
		x = high <= dtype_max(t) ? th_op(c, "clamp_max", "tf", x, high) : x;
		return th_give(c, x);
	}
	if (!th_in(c, 1) && dtype_is_float(t))
		x = th_op(c, "clamp_min", "tf", x, dtype_lowest(t));
	if (!th_in(c, 2) && dtype_is_float(t))
		x = th_op(c, "clamp_max", "tf", x, dtype_max(t));
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

static int run_cast(struct bind_call *c)
{
	return cast_to(c, c->call->out_type[0].dtype);
}

static int run_cast_like(struct bind_call *c)
{
	struct th_shape like;

	return th_shape(c, th_in(c, 1), &like) ? th_done(c) : cast_to(c, like.dtype);
}

const struct binding th_rows_elementwise[] = {
	{"Abs", run_unary, "abs"},
	{"Acos", run_unary, "acos"},
	{"Acosh", run_unary, "acosh"},
	{"Add", run_binary, "add.Tensor"},
	{"And", run_binary, "logical_and"},
	{"Asin", run_unary, "asin"},
	{"Asinh", run_unary, "asinh"},
	{"Atan", run_unary, "atan"},
	{"Atanh", run_unary, "atanh"},
	{"BitShift", run_bit_shift, NULL},
	{"BitwiseAnd", run_binary, "bitwise_and.Tensor"},
	{"BitwiseNot", run_unary, "bitwise_not"},
	{"BitwiseOr", run_binary, "bitwise_or.Tensor"},
	{"BitwiseXor", run_binary, "bitwise_xor.Tensor"},
	{"Cast", run_cast, NULL},
	{"CastLike", run_cast_like, NULL},
	{"Ceil", run_unary, "ceil"},
	{"Clip", run_clip, NULL},
	{"Cos", run_unary, "cos"},
	{"Cosh", run_unary, "cosh"},
	{"Div", run_div, NULL},
	{"Equal", run_binary, "eq.Tensor"},
	{"Erf", run_unary, "erf"},
	{"Exp", run_unary, "exp"},
	{"Floor", run_unary, "floor"},
	{"Greater", run_binary, "gt.Tensor"},
	{"GreaterOrEqual", run_binary, "ge.Tensor"},
	{"HardSwish", run_unary, "hardswish"},
	{"IsInf", run_is_inf, NULL},
	{"IsNaN", run_unary, "isnan"},
	{"Less", run_binary, "lt.Tensor"},
	{"LessOrEqual", run_binary, "le.Tensor"},
	{"Log", run_unary, "log"},
	{"Max", run_chain, "maximum"},
	{"Mean", run_mean, "add.Tensor"},
	{"Min", run_chain, "minimum"},
	{"Mish", run_unary, "mish"},
	{"Mod", run_mod, NULL},
	{"Mul", run_binary, "mul.Tensor"},
	{"Neg", run_unary, "neg"},
	{"Not", run_unary, "logical_not"},
	{"Or", run_binary, "logical_or"},
	{"Pow", run_pow, NULL},
	{"Reciprocal", run_unary, "reciprocal"},
	{"Relu", run_unary, "relu"},
	{"Round", run_unary, "round"},
	{"Sigmoid", run_unary, "sigmoid"},
	{"Sign", run_unary, "sign"},
	{"Sin", run_unary, "sin"},
	{"Sinh", run_unary, "sinh"},
	{"Sqrt", run_unary, "sqrt"},
	{"Sub", run_binary, "sub.Tensor"},
	{"Sum", run_chain, "add.Tensor"},
	{"Tan", run_unary, "tan"},
	{"Tanh", run_unary, "tanh"},
	{"Where", run_where, NULL},
	{"Xor", run_binary, "logical_xor"},
	{0},
};
