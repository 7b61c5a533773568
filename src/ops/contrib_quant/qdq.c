/* qdq.c - QuantizeLinear and DequantizeLinear of com.microsoft: those of ai.onnx 21 without blocks, which ONNX
 * Runtime's quantizer writes for types of 16 and 4 bits in models of an older opset. */
#include "ops/contrib_quant/qlinear.h"
#include "ops/kit/domain.h"

#define T_QUANT (T_8BIT | TM(DT_INT16) | TM(DT_UINT16) | TM(DT_INT4) | TM(DT_UINT4))
#define T_REAL (TM(DT_FLOAT) | TM(DT_FLOAT16))

/* The same call, as one of the operator in ai.onnx. */
static struct call onnx_call(const struct call *c, const char *name)
{
	struct call same = *c;

	same.op = ops_find("", name)->op;
	same.version = 21;
	return same;
}

static int ms_quantize_linear_infer(struct call *c)
{
	struct call same = onnx_call(c, "QuantizeLinear");

	return same.op->infer(&same);
}

static int ms_quantize_linear_eval(struct call *c)
{
	struct call same = onnx_call(c, "QuantizeLinear");

	return same.op->eval(&same);
}

static int ms_dequantize_linear_infer(struct call *c)
{
	struct call same = onnx_call(c, "DequantizeLinear");

	return same.op->infer(&same);
}

static int ms_dequantize_linear_eval(struct call *c)
{
	struct call same = onnx_call(c, "DequantizeLinear");

	return same.op->eval(&same);
}

static int ms_dequantize_linear_scale(struct call *c, int out, double *s)
{
	struct call same = onnx_call(c, "DequantizeLinear");

	return same.op->scale(&same, out, s);
}

static const struct op_attr axis_attrs[] = {OP_INT("axis", 1), {0}};

#define QDQ_RULES                                                                                                \
	RULES({.broken = domain_not_positive, .port = 1}, {.broken = domain_is_lone, .port = 1, .attr = "axis"}, \
	      {.broken = domain_is_lone, .port = 2, .attr = "axis"})

const struct op op_ms_quantize_linear = {
	.rules = QDQ_RULES,
	.in = {{"x", T_REAL, 'T', 0}, {"y_scale", T_REAL, 'T', 0}, {"y_zero_point", T_QUANT, 'Q', PORT_OPTIONAL}},
	.out = {{"y", T_QUANT, 'Q', 0}},
	.attrs = axis_attrs,
	.infer = ms_quantize_linear_infer,
	.eval = ms_quantize_linear_eval,
};

const struct op op_ms_dequantize_linear = {
	.rules = QDQ_RULES,
	.in = {{"x", T_QUANT | T_I32, 'Q', 0},
	       {"x_scale", T_REAL, 0, 0},
	       {"x_zero_point", T_QUANT | T_I32, 'Q', PORT_OPTIONAL}},
	.out = {{"y", T_REAL, 0, 0}},
	.attrs = axis_attrs,
	.infer = ms_dequantize_linear_infer,
	.eval = ms_dequantize_linear_eval,
	.scale = ms_dequantize_linear_scale,
};
