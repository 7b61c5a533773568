/* qmatmul.c - MatMulInteger and QLinearMatMul.  See qproduct.h for the sum. */
#include "ops/kit/domain.h"
#include "ops/quantize/qproduct.h"
#include "ops/quantize/quantize.h"
#include "ops/quantize/samplers.h"

#define T_8BIT (TM(DT_INT8) | TM(DT_UINT8))
#define T_8BITS (T_8BIT | TM(DT_FLOAT8E4M3FN) | TM(DT_FLOAT8E4M3FNUZ) | TM(DT_FLOAT8E5M2) | TM(DT_FLOAT8E5M2FNUZ))
#define T_REAL (TM(DT_FLOAT) | TM(DT_FLOAT16) | TM(DT_BFLOAT16))

/* ---- MatMulInteger ----------------------------------------------------------------------------------------------- */

static int matmul_integer_infer(struct call *c)
{
	c->out_type[0].dtype = DT_INT32;
	return quant_product_infer(c, 0, 1);
}

static void store_integer(struct call *c, size_t i, double acc, double scale)
{
	(void)scale;
	c->out[0]->i[i] = (int64_t)acc;
}

static int matmul_integer_eval(struct call *c)
{
	struct quant_side a = {.t = c->in[0], .zero = call_has(c, 2) ? c->in[2] : NULL};
	struct quant_side b = {.t = c->in[1], .zero = call_has(c, 3) ? c->in[3] : NULL, .is_b = 1};
	int rc = quant_side_open(c, &a);

	if (!rc)
		rc = quant_side_open(c, &b);
	return rc ? rc : quant_product(c, &a, &b, store_integer);
}

const struct op op_matmul_integer = {
	.samples = SAMPLES({.by = &sampler_matmul_integer}),
	.rules = RULES({.broken = domain_is_lone, .port = 2, .of = 0, .axis = -2},
		       {.broken = domain_is_lone, .port = 3, .of = 1, .axis = -1}),
	.in = {{"A", T_8BIT, 'A', 0},
	       {"B", T_8BIT, 'B', 0},
	       {"a_zero_point", T_8BIT, 'A', PORT_OPTIONAL},
	       {"b_zero_point", T_8BIT, 'B', PORT_OPTIONAL}},
	.out = {{"Y", TM(DT_INT32), 0, 0}},
	.infer = matmul_integer_infer,
	.eval = matmul_integer_eval,
};

/* ---- QLinearMatMul ----------------------------------------------------------------------------------------------- */

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO };

static int qlinear_matmul_infer(struct call *c)
{
	return quant_product_infer(c, A, B);
}

/* y = saturate(round(acc · a_scale · b_scale / y_scale) + y_zero) */
static void store_quantized(struct call *c, size_t i, double acc, double scale)
{
	enum dtype p = quant_precision(c->in[Y_SCALE]->dtype);
	double by = c->in[Y_SCALE]->f[0];

	quant_store(c->out[0], i, quant_quotient(c, acc * scale / by, scale / by, p), c->in[Y_ZERO], 0, p, 1);
}

static int qlinear_matmul_eval(struct call *c)
{
	struct quant_side a = {.t = c->in[A], .scale = c->in[A_SCALE], .zero = c->in[A_ZERO]};
	struct quant_side b = {.t = c->in[B], .scale = c->in[B_SCALE], .zero = c->in[B_ZERO], .is_b = 1};
	int rc = quant_side_open(c, &a);

	if (!rc)
		rc = quant_side_open(c, &b);
	if (!rc && (c->in[Y_SCALE]->count != 1 || c->in[Y_ZERO]->count != 1))
		rc = call_unsupported(c, "a scale of Y for each row is not supported");
	return rc ? rc : quant_product(c, &a, &b, store_quantized);
}

const struct op op_qlinear_matmul = {
	.samples = SAMPLES({.by = &sampler_qlinear_matmul}),
	.rules = RULES({.broken = domain_not_positive, .port = 1}, {.broken = domain_not_positive, .port = 4},
		       {.broken = domain_not_positive, .port = 6},
		       {.broken = domain_is_lone, .port = 1, .of = 0, .axis = -2},
		       {.broken = domain_is_lone, .port = 2, .of = 0, .axis = -2},
		       {.broken = domain_is_lone, .port = 4, .of = 3, .axis = -1},
		       {.broken = domain_is_lone, .port = 5, .of = 3, .axis = -1}),
	.in = {{"a", T_8BITS, 'A', 0},
	       {"a_scale", T_REAL, 'S', 0},
	       {"a_zero_point", T_8BITS, 'A', 0},
	       {"b", T_8BITS, 'B', 0},
	       {"b_scale", T_REAL, 'S', 0},
	       {"b_zero_point", T_8BITS, 'B', 0},
	       {"y_scale", T_REAL, 'S', 0},
	       {"y_zero_point", T_8BITS, 'Y', 0}},
	.out = {{"y", T_8BITS, 'Y', 0}},
	.infer = qlinear_matmul_infer,
	.eval = qlinear_matmul_eval,
};
