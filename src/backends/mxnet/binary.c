/* binary.c - functions of several elements, with broadcasting, and selections. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "backends/mxnet/mxnet.h"
#include "ops/elementwise/elementwise.h"

#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

/* Before opset 7, B is broadcast only when `broadcast` says so, and then along `axis`: B's shape is written with ones
 * behind it. */
static void *second_operand(struct bind_call *c)
{
	const struct type *a = bind_type(c, 0), *b = bind_type(c, 1);
	int64_t dims[TENSOR_MAX_RANK], axis;

	if (!a || !b)
		return NULL;
	if (c->version >= 7 || !attr_int(c->node, "broadcast") || a->rank == b->rank)
		return c->in[1];
	axis = node_int(c->node, "axis", a->rank - b->rank); /* left out: the last axes, which no constant says */
	if (axis < 0)
		axis += a->rank;
	if (axis < 0 || axis + b->rank > a->rank) {
		bind_unsupported(c, "axis %lld does not fit", (long long)axis);
		return NULL;
	}
	for (int i = 0; i < a->rank; i++)
		dims[i] = i >= axis && i < axis + b->rank ? b->dims[i - axis] : 1;
	return mx_reshape(c, c->in[1], a->rank, dims);
}

static int run_binary(struct bind_call *c)
{
	return mx_give(c, 0, mx_op2(c, c->row->native, c->in[0], second_operand(c)));
}

/* Logic on bools through int32, which all kernels know. */
static int run_logical(struct bind_call *c)
{
	void *a = mx_cast(c, c->in[0], DT_INT32), *b = mx_cast(c, second_operand(c), DT_INT32);

	return mx_give(c, 0, mx_cast(c, mx_op2(c, c->row->native, a, b), DT_BOOL));
}

/* A comparison that the other way round is the same with the arguments exchanged has one row only. */
static int run_compare(struct bind_call *c)
{
	void *a = c->in[0], *b = second_operand(c);

	if (b && c->call->in_type[0].dtype == DT_BOOL) {
		a = mx_cast(c, a, DT_INT32);
		b = mx_cast(c, b, DT_INT32);
	}
	return mx_give(c, 0, mx_op2(c, c->row->native, a, b));
}

/* A chain over all inputs; `native` of two. */
static void *chain(struct bind_call *c, const char *native)
{
	void *y = c->in[0];

	for (int i = 1; i < c->n_in; i++)
		y = mx_op2(c, native, y, c->in[i]);
	return y;
}

static int run_chain(struct bind_call *c)
{
	return mx_give(c, 0, c->n_in == 1 ? mx_op1(c, "_copy", c->in[0]) : chain(c, c->row->native));
}

static int run_mean(struct bind_call *c)
{
	return mx_give(c, 0, mx_scalar(c, "_div_scalar", chain(c, c->row->native), c->n_in));
}

/* fmod = 0: the sign of the divisor, as the library has it.  fmod = 1: sign(a) · (|a| mod |b|), which is exact. */
static int run_mod(struct bind_call *c)
{
	enum dtype t = c->call->in_type[0].dtype;
	void *a = c->in[0], *b = c->in[1], *y;

	if (!attr_int(c->node, "fmod"))
		return dtype_is_float(t) ? bind_unsupported(c, "fmod=0 is for integers")
					 : mx_give(c, 0, mx_op2(c, c->row->native, a, b));
	if (t == DT_INT8) {
		a = mx_cast(c, a, DT_INT32);
		b = mx_cast(c, b, DT_INT32);
	}
	y = mx_op2(c, c->row->native, mx_op1(c, "abs", a), mx_op1(c, "abs", b));
	y = mx_op2(c, "broadcast_mul", y, mx_op1(c, "sign", a));
	return mx_give(c, 0, t == DT_INT8 ? mx_cast(c, y, t) : y);
}

/* An exponent of another type is brought to the base's when no value of it changes by that. */
static int run_pow(struct bind_call *c)
{
	enum dtype base = c->call->in_type[0].dtype, power = c->call->in_type[1].dtype;
	double most = base == DT_FLOAT ? 0x1p24 : base == DT_DOUBLE ? 0x1p53 : 0x1p11;
	const struct tensor *t;
	void *b = second_operand(c);

	if (base != power) {
		if (!dtype_is_float(base) || !dtype_is_int(power))
			return bind_unsupported(c, "%s to the power of %s", dtype_name(base), dtype_name(power));
		if (!(t = bind_known(c, 1)))
			return c->err->code;
		for (size_t i = 0; i < t->count; i++)
			if (fabs(tensor_get(t, i)) > most)
				return bind_unsupported(c, "the exponent is not a %s", dtype_name(base));
		b = mx_cast(c, b, base);
	}
	return mx_give(c, 0, mx_op2(c, c->row->native, c->in[0], b));
}

/* ---- selections -------------------------------------------------------------------------------------------------- */

static int run_where(struct bind_call *c)
{
	const struct type *t = mx_out_type(c, 0);
	void *in[3];

	if (!t)
		return c->err->code;
	for (int i = 0; i < 3; i++)
		in[i] = mx_broadcast(c, c->in[i], t->rank, t->dims);
	return mx_give(c, 0, mx_where(c, in[0], in[1], in[2]));
}

/* The library's clip takes two numbers in float32, which is right for attributes and for float32 only; else the bounds
 * stay tensors. */
static int run_clip(struct bind_call *c)
{
	struct mx *mx = c->ctx;
	void *y = c->in[0];
	double low, high;

	if (c->version >= 11 &&
	    (mx->recording || c->call->in_type[0].dtype != DT_FLOAT || !bind_has(c, 1) || !bind_has(c, 2))) {
		if (bind_has(c, 1))
			y = mx_op2(c, "broadcast_maximum", y, c->in[1]);
		if (bind_has(c, 2))
			y = mx_op2(c, "broadcast_minimum", y, c->in[2]);
		return mx_give(c, 0, y);
	}
	if (c->version < 11) {
		clip_attributes(c->node, &low, &high);
		low = fmax(low, -FLT_MAX); /* the library reads no infinity where it takes a number as text */
		high = fmin(high, FLT_MAX);
	} else if (mx_number(c, 1, &low) || mx_number(c, 2, &high)) {
		return c->err->code;
	}
	if (low > high) /* all become the upper one, the library's clip gives the lower */
		return mx_give(c, 0, mx_scalar(c, "_minimum_scalar", mx_scalar(c, "_maximum_scalar", y, low), high));
	return mx_give(c, 0, mx_op(c, c->row->native, 1, c->in, "a_min=%.9g;a_max=%.9g", low, high));
}

const struct binding mx_rows_binary[] = {
	{"Add", run_binary, "broadcast_add"},
	{"Sub", run_binary, "broadcast_sub"},
	{"Mul", run_binary, "broadcast_mul"},
	{"Div", run_binary, "broadcast_div"},
	{"Pow", run_pow, "broadcast_power"},
	{"Mod", run_mod, "broadcast_mod"},
	{"BitwiseAnd", run_binary, "_npi_bitwise_and"},
	{"BitwiseOr", run_binary, "_npi_bitwise_or"},
	{"BitwiseXor", run_binary, "_npi_bitwise_xor"},
	{"And", run_logical, "broadcast_logical_and"},
	{"Or", run_logical, "broadcast_logical_or"},
	{"Xor", run_logical, "broadcast_logical_xor"},
	{"Equal", run_compare, "_npi_equal"},
	{"Greater", run_compare, "_npi_greater"},
	{"GreaterOrEqual", run_compare, "_npi_greater_equal"},
	{"Less", run_compare, "_npi_less"},
	{"LessOrEqual", run_compare, "_npi_less_equal"},
	{"Sum", run_chain, "broadcast_add"},
	{"Max", run_chain, "broadcast_maximum"},
	{"Min", run_chain, "broadcast_minimum"},
	{"Mean", run_mean, "broadcast_add"},
	{"Where", run_where, NULL},
	{"Clip", run_clip, "clip"},
	{0},
};
