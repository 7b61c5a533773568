/* linear.c - products of matrices, and what is made of them. */
#include <string.h>

#include "backends/torch/th.h"

static int run_matmul(struct bind_call *c)
{
	return th_give(c, th_op(c, "matmul", "tt", th_in(c, 0), th_in(c, 1)));
}

/* A number as the argument of an operator on t: whole numbers for integers. */
static int is_whole(double x)
{
	return x == (double)(int64_t)x;
}

/* alpha * A' B' + beta * C */
static int run_gemm(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	void *a = th_in(c, 0), *b = th_in(c, 1), *y;
	struct th_shape s;

	if (th_shape(c, a, &s))
		return th_done(c);
	if (!dtype_is_float(s.dtype) && (!is_whole(alpha) || !is_whole(beta)))
		return bind_unsupported(c, "fractional factors of integers");
	if (attr_int(c->node, "transA"))
		a = th_op(c, "t", "t", a);
	if (attr_int(c->node, "transB"))
		b = th_op(c, "t", "t", b);
	if (th_in(c, 2) && dtype_is_float(s.dtype))
		return th_give(c, th_op(c, "addmm", "tttff", th_in(c, 2), a, b, beta, alpha));
	if (th_in(c, 2))
		return th_give(c, th_op(c, "addmm", "tttll", th_in(c, 2), a, b, (int64_t)beta, (int64_t)alpha));
	y = th_op(c, "mm", "tt", a, b);
	if (alpha != 1)
		y = dtype_is_float(s.dtype) ? th_op(c, "mul.Scalar", "tf", y, alpha)
					    : th_op(c, "mul.Scalar", "tl", y, (int64_t)alpha);
	return th_give(c, y);
}

static int run_einsum(struct bind_call *c)
{
	return th_give(c, th_op(c, "einsum", "sT", attr_string(c->node, "equation"), c->in, c->n_in));
}

static int run_det(struct bind_call *c)
{
	return th_give(c, th_op(c, "linalg_det", "t", th_in(c, 0)));
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

/* t - zero point, in int32; the zero point of A may be one a row, that of B one a column. */
static void *centred(struct bind_call *c, void *t, void *zero, int rows)
{
	struct th_shape s;
	void *wide = th_cast(c, t, DT_INT32);

	if (!zero || th_shape(c, zero, &s))
		return wide;
	zero = th_cast(c, zero, DT_INT32);
	if (rows && s.rank == 1 && s.dims[0] > 1)
		zero = th_op(c, "unsqueeze", "ti", zero, -1);
	return th_op(c, "sub.Tensor", "tt", wide, zero);
}

static int run_matmul_integer(struct bind_call *c)
{
	void *a = centred(c, th_in(c, 0), th_in(c, 2), 1), *b = centred(c, th_in(c, 1), th_in(c, 3), 0);

	return th_give(c, th_op(c, "matmul", "tt", a, b));
}

/* A vector along `axis` of a tensor of rank `rank`; numbers for the whole tensor stay as they are. */
static void *along(struct bind_call *c, void *t, int axis, int rank)
{
	int64_t dims[TENSOR_MAX_RANK];
	struct th_shape s;

	if (!t || th_shape(c, t, &s))
		return NULL;
	if (s.rank == 0 || (s.rank == 1 && s.dims[0] == 1))
		return th_reshape(c, t, dims, 0);
	for (int i = 0; i < rank; i++)
		dims[i] = i == axis ? s.dims[0] : 1;
	return th_reshape(c, t, dims, rank);
}

/* Where scale and zero point lie: one for all, or one for each position of an axis. */
static int quantization_axis(struct bind_call *c, const struct th_shape *x, int *axis)
{
	struct th_shape scale;

	if (th_shape(c, th_in(c, 1), &scale))
		return c->err->code;
	*axis = 0;
	if (scale.rank > 1 || attr_int(c->node, "block_size"))
		return bind_unsupported(c, "scales for blocks");
	if (!scale.rank || scale.dims[0] == 1) /* one for all: the axis, 1 by default, need not be there */
		return 0;
	return th_axis(c, attr_int(c->node, "axis"), x->rank > 1 ? x->rank : 1, axis);
}

/* The type that two floats are computed in: their own, or one that has both. */
static enum dtype common_type(enum dtype a, enum dtype b)
{
	return a == b ? a : a == DT_DOUBLE || b == DT_DOUBLE ? DT_DOUBLE : DT_FLOAT;
}

/* (x - zero point) * scale */
static int run_dequantize_linear(struct bind_call *c)
{
	enum dtype to = c->call->out_type[0].dtype, type;
	struct th_shape x, scale;
	void *zero, *y;
	int axis;

	if (th_shape(c, th_in(c, 0), &x) || quantization_axis(c, &x, &axis) || th_shape(c, th_in(c, 1), &scale))
		return th_done(c);
	if (!dtype_is_int(x.dtype))
		return bind_unsupported(c, "values of type %s", dtype_name(x.dtype));
	zero = along(c, th_in(c, 2), axis, x.rank);
	y = th_cast(c, c->in[0], DT_INT64);
	if (zero)
		y = th_op(c, "sub.Tensor", "tt", y, th_cast(c, zero, DT_INT64));
	type = common_type(scale.dtype, to);
	y = th_op(c, "mul.Tensor", "tt", th_cast(c, y, type), th_cast(c, along(c, c->in[1], axis, x.rank), type));
	return th_give(c, th_cast(c, y, to));
}

/* saturate(round half to even(x / scale) + zero point) */
static int run_quantize_linear(struct bind_call *c)
{
	enum dtype to = dtype_from_code(attr_int(c->node, "output_dtype"));
	struct th_shape x, z;
	void *zero = NULL, *y;
	int axis;

	if (th_shape(c, th_in(c, 0), &x) || quantization_axis(c, &x, &axis))
		return th_done(c);
	if (th_in(c, 2) && !th_shape(c, th_in(c, 2), &z))
		to = z.dtype;
	if (to == DT_UNDEFINED)
		to = DT_UINT8;
	if (!dtype_is_int(to) || dtype_bits(to) < 8 || x.dtype != DT_FLOAT)
		return bind_unsupported(c, "from %s to %s", dtype_name(x.dtype), dtype_name(to));
	zero = along(c, th_in(c, 2), axis, x.rank);
	y = th_op(c, "round", "t", th_op(c, "div.Tensor", "tt", c->in[0], along(c, c->in[1], axis, x.rank)));
	if (zero)
		y = th_op(c, "add.Tensor", "tt", y, th_cast(c, zero, DT_FLOAT));
	y = th_op(c, "clamp", "tff", y, dtype_lowest(to), dtype_max(to));
	return th_give(c, th_cast(c, y, to));
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

static int reduction(struct bind_call *c)
{
	const char *name = attr_string(c->node, "reduction");

	return !strcmp(name, "none") ? 0 : !strcmp(name, "mean") ? 1 : 2;
}

/* -100 is torch's own default and no class; ONNX has none. */
static void *nll_loss(struct bind_call *c, void *log_probabilities)
{
	return th_op(c, "nll_loss_nd", "tttil", log_probabilities, th_cast(c, th_in(c, 1), DT_INT64), th_in(c, 2),
		     reduction(c), node_int(c->node, "ignore_index", -100));
}

static int run_negative_log_likelihood_loss(struct bind_call *c)
{
	return th_give(c, nll_loss(c, th_in(c, 0)));
}

static int run_softmax_cross_entropy_loss(struct bind_call *c)
{
	void *log_probabilities = th_op(c, "log_softmax.int", "ti", th_in(c, 0), 1);

	th_out(c, 0, nll_loss(c, log_probabilities));
	if (th_wants(c, 1))
		th_out(c, 1, log_probabilities);
	return th_done(c);
}

const struct binding th_rows_linear[] = {
	{"DequantizeLinear", run_dequantize_linear, NULL},
	{"Det", run_det, NULL},
	{"Einsum", run_einsum, NULL},
	{"Gemm", run_gemm, NULL},
	{"MatMul", run_matmul, NULL},
	{"MatMulInteger", run_matmul_integer, NULL},
	{"NegativeLogLikelihoodLoss", run_negative_log_likelihood_loss, NULL},
	{"QuantizeLinear", run_quantize_linear, NULL},
	{"SoftmaxCrossEntropyLoss", run_softmax_cross_entropy_loss, NULL},
	{0},
};
