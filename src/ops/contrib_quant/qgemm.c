/* qgemm.c - QGemm of com.microsoft.
 *
 *   A [m,k] or [k,m]   B [k,n] or [n,k]   C broadcasts to [m,n]
 *   Y = alpha · a_scale · b_scale[n] · (Σ_k (op(A)[m,k] - a_zero) · (op(B)[k,n] - b_zero[n]) + C)
 *
 * as floats, or quantized where the node has a scale and a zero point of Y. */
#include <math.h>

#include "ops/contrib_quant/qlinear.h"
#include "ops/kit/domain.h"
#include "ops/quantize/qproduct.h"

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, C, Y_SCALE, Y_ZERO };

static int qgemm_infer(struct call *c)
{
	static const int scalars[] = {A_SCALE, A_ZERO, Y_SCALE, Y_ZERO};
	struct type types[3] = {c->in_type[A], c->in_type[B]};
	struct call gemm = qlinear_inner(c, "Gemm");
	int rc = 0;

	for (size_t i = 0; i < sizeof scalars / sizeof *scalars && !rc; i++)
		rc = qlinear_check_single(c, scalars[i]);
	if (rc)
		return rc;
	if (call_has(c, Y_SCALE) != call_has(c, Y_ZERO))
		return call_unsupported(c,
					"a scale of Y without a zero point, or the other way round, is not supported");
	if (call_has(c, C))
		types[2] = c->in_type[C];
	c->out_type[0].dtype = call_has(c, Y_ZERO) ? c->in_type[Y_ZERO].dtype : DT_FLOAT;
	gemm.in_type = types;
	gemm.n_in = call_has(c, C) ? 3 : 2;
	gemm.version = 11; /* the first whose C may be left out */
	return gemm.op->infer(&gemm);
}

/* Element i of C, repeated to the output. */
static double c_at(const struct call *c, size_t i)
{
	const struct tensor *t = call_has(c, C) ? c->in[C] : NULL;
	size_t cols = (size_t)c->out[0]->dims[1], row = i / cols, col = i % cols;

	if (!t || !t->count)
		return 0;
	if (t->rank < 1 || t->dims[t->rank - 1] == 1)
		col = 0;
	if (t->rank < 2 || t->dims[0] == 1)
		row = 0;
	return (double)t->i[row * (t->rank ? (size_t)t->dims[t->rank - 1] : 1) + col];
}

static void store(struct call *c, size_t i, double acc, double scale)
{
	double real = (acc + c_at(c, i)) * scale * attr_float(c->node, "alpha");

	if (call_has(c, Y_ZERO))
		c->out[0]->i[i] =
			qlinear_quantize(c, c->out[0]->dtype, qlinear_read(c, Y_SCALE, Y_ZERO), real, fabs(real));
	else
		c->out[0]->f[i] = real;
}

static int qgemm_eval(struct call *c)
{
	struct quant_side a = {.t = c->in[A],
			       .scale = c->in[A_SCALE],
			       .zero = c->in[A_ZERO],
			       .transposed = attr_int(c->node, "transA") != 0};
	struct quant_side b = {.t = c->in[B],
			       .scale = c->in[B_SCALE],
			       .zero = c->in[B_ZERO],
			       .is_b = 1,
			       .transposed = attr_int(c->node, "transB") != 0};
	int rc = quant_side_open(c, &a);

	if (!rc)
		rc = quant_side_open(c, &b);
	return rc ? rc : quant_product(c, &a, &b, store);
}

const struct op op_qgemm = {
	.rules = RULES({.broken = domain_not_positive, .port = A_SCALE},
		       {.broken = domain_not_positive, .port = B_SCALE},
		       {.broken = domain_not_positive, .port = Y_SCALE}),
	.in = {{"A", T_8BIT, 'A', 0},
	       {"a_scale", T_F32, 0, 0},
	       {"a_zero_point", T_8BIT, 'A', 0},
	       {"B", T_8BIT, 'B', 0},
	       {"b_scale", T_F32, 0, 0},
	       {"b_zero_point", T_8BIT, 'B', 0},
	       {"C", T_I32, 0, PORT_OPTIONAL},
	       {"y_scale", T_F32, 0, PORT_OPTIONAL},
	       {"y_zero_point", T_8BIT, 0, PORT_OPTIONAL}},
	.out = {{"Y", T_8BIT | T_F32, 0, 0}},
	.attrs = (const struct op_attr[]){OP_FLOAT("alpha", 1), OP_INT("transA", 0), OP_INT("transB", 0), {0}},
	.infer = qgemm_infer,
	.eval = qgemm_eval,
	.ulps = 2, /* the sum as a float, the product of three scales, and both multiplied */
};
