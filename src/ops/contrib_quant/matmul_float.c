/* matmul_float.c - MatMulIntegerToFloat and DynamicQuantizeMatMul of com.microsoft: products of quantized matrices as
 * floats.
 *
 *   Y[…, m, n] = a_scale · b_scale[n] · Σ_k (A[…, m, k] - a_zero) · (B[…, k, n] - b_zero[n]) + bias[n]
 *
 * DynamicQuantizeMatMul makes its A of floats, all of them with one scale, as DynamicQuantizeLinear does. */
#include <math.h>

#include "ops/kit/domain.h"
#include "ops/quantize/qproduct.h"
#include "ops/quantize/quantize.h"

#define T_8BIT (TM(DT_INT8) | TM(DT_UINT8))
#define T_REAL (TM(DT_FLOAT) | TM(DT_FLOAT16))

/* Where an operator has its inputs; -1: none. */
struct ports {
	int a_scale, b_scale, a_zero, b_zero, bias;
};

static const struct ports to_float_ports = {2, 3, 4, 5, 6}, dynamic_ports = {-1, 2, -1, 3, 4};

static const struct ports *ports_of(const struct call *c)
{
	return c->in_type[0].dtype == DT_FLOAT ? &dynamic_ports : &to_float_ports;
}

static const struct tensor *input(const struct call *c, int i)
{
	return i >= 0 && call_has(c, i) ? c->in[i] : NULL;
}

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static int check_scalar(struct call *c, int i)
{
	const struct type *t = call_shape(c, i);

	if (!t || t->rank == 0 || (t->rank == 1 && (t->dims[0] < 0 || t->dims[0] == 1)))
		return 0;
	return call_unsupported(c, "a parameter of A for each column is not supported");
}

static int matmul_float_infer(struct call *c)
{
	const struct ports *p = ports_of(c);
	const struct type *bias = call_shape(c, p->bias), *y = &c->out_type[0];
	int rc = p->a_scale < 0 ? 0 : check_scalar(c, p->a_scale);

	if (!rc && p->a_zero >= 0)
		rc = check_scalar(c, p->a_zero);
	if (!rc)
		rc = quant_product_infer(c, 0, 1);
	if (rc || !bias || y->rank < 1)
		return rc;
	if (bias->rank != 1 ||
	    (bias->dims[0] >= 0 && y->dims[y->rank - 1] >= 0 && bias->dims[0] != y->dims[y->rank - 1]))
		return call_bad(c, "the bias does not have one element for each column of B");
	return 0;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static double bias_at(const struct call *c, size_t i)
{
	const struct tensor *bias = input(c, ports_of(c)->bias);

	return bias && bias->count ? bias->f[i % bias->count] : 0.0;
}

static void store_float(struct call *c, size_t i, double acc, double scale)
{
	c->out[0]->f[i] = acc * scale + bias_at(c, i);
}

static int run_product(struct call *c, struct quant_side *a)
{
	const struct ports *p = ports_of(c);
	struct quant_side b = {.t = c->in[1], .scale = c->in[p->b_scale], .zero = input(c, p->b_zero), .is_b = 1};
	int rc = quant_side_open(c, a);

	if (!rc)
		rc = quant_side_open(c, &b);
	return rc ? rc : quant_product(c, a, &b, store_float);
}

static int matmul_integer_to_float_eval(struct call *c)
{
	struct quant_side a = {.t = c->in[0], .scale = c->in[2], .zero = input(c, 4)};

	return run_product(c, &a);
}

static int dynamic_quantize_matmul_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	struct tensor *q = tensor_new(DT_UINT8, x->rank, x->dims, c->err),
		      *scale = q ? tensor_scalar_f(DT_FLOAT, 0, c->err) : NULL,
		      *zero = scale ? tensor_scalar_i(DT_UINT8, 0, c->err) : NULL;
	struct quant_side a = {.t = q, .scale = scale, .zero = zero};
	int rc = zero ? 0 : c->err->code;

	if (!rc) {
		quant_dynamic(c, x, q->i, scale->f, zero->i);
		rc = run_product(c, &a);
	}
	tensor_unref(zero);
	tensor_unref(scale);
	tensor_unref(q);
	return rc;
}

/* The sum as a float, the product of the scales, and both multiplied: three roundings; then the bias. */
static int matmul_float_scale(struct call *c, int out, double *s)
{
	const double *y = c->out[out]->f;

	for (size_t i = 0; i < c->out[out]->count; i++)
		s[i] = sqrt(3.0) * fabs(y[i] - bias_at(c, i)) + (input(c, ports_of(c)->bias) ? fabs(y[i]) : 0);
	return 0;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

const struct op op_matmul_integer_to_float = {
	.rules = RULES({.broken = domain_not_positive, .port = 2}, {.broken = domain_not_positive, .port = 3},
		       {.broken = domain_is_lone, .port = 3, .of = 1, .axis = -1},
		       {.broken = domain_is_lone, .port = 5, .of = 1, .axis = -1}),
	.in = {{"A", T_8BIT, 'A', 0},
	       {"B", T_8BIT, 'B', 0},
	       {"a_scale", T_REAL, 'T', 0},
	       {"b_scale", T_REAL, 'T', 0},
	       {"a_zero_point", T_8BIT, 'A', PORT_OPTIONAL},
	       {"b_zero_point", T_8BIT, 'B', PORT_OPTIONAL},
	       {"bias", T_REAL, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_REAL, 'T', 0}},
	.infer = matmul_float_infer,
	.eval = matmul_integer_to_float_eval,
	.scale = matmul_float_scale,
};

const struct op op_dynamic_quantize_matmul = {
	.rules = RULES({.broken = domain_not_positive, .port = 2},
		       {.broken = domain_is_lone, .port = 2, .of = 1, .axis = -1},
		       {.broken = domain_is_lone, .port = 3, .of = 1, .axis = -1}),
	.in = {{"A", T_F32, 'T', 0},
	       {"B", T_8BIT, 'B', 0},
	       {"b_scale", T_F32, 'T', 0},
	       {"b_zero_point", T_8BIT, 'B', PORT_OPTIONAL},
	       {"bias", T_F32, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_F32, 'T', 0}},
	.infer = matmul_float_infer,
	.eval = dynamic_quantize_matmul_eval,
	.scale = matmul_float_scale,
};
