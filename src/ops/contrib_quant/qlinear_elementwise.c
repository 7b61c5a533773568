/* qlinear_elementwise.c - QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu and QLinearWhere of com.microsoft.
 */
#include <math.h>

#include "ops/contrib_quant/qlinear.h"
#include "ops/kit/broadcast.h"
#include "ops/kit/domain.h"

/* ---- two operands ------------------------------------------------------------------------------------------------ */

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, C_SCALE, C_ZERO };

static int check_ports(struct call *c, const int *ports, size_t n, int (*check)(struct call *c, int i))
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = check(c, ports[i]);
	return rc;
}

static int binary_infer(struct call *c)
{
	static const int scalars[] = {A_SCALE, A_ZERO, B_SCALE, B_ZERO, C_SCALE, C_ZERO};
	int rc = check_ports(c, scalars, sizeof scalars / sizeof *scalars, qlinear_check_scalar);

	return rc ? rc : call_broadcast(c, 0, (const int[]){A, B}, 2);
}

static int binary_eval(struct call *c, int multiply)
{
	struct qlinear pa = qlinear_read(c, A_SCALE, A_ZERO), pb = qlinear_read(c, B_SCALE, B_ZERO),
		       py = qlinear_read(c, C_SCALE, C_ZERO);
	const struct tensor *in[] = {c->in[A], c->in[B]};
	struct tensor *y = c->out[0];
	struct bcast b;

	bcast_tensors(&b, y, in, 2);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			double l = qlinear_real(pa, in[0]->i[b.at[0] + k * b.stride[0]]);
			double r = qlinear_real(pb, in[1]->i[b.at[1] + k * b.stride[1]]);
			double real = multiply ? l * r : l + r, size = multiply ? fabs(real) : fabs(l) + fabs(r);

			y->i[b.out + k] = qlinear_quantize(c, y->dtype, py, real, size);
		}
	return 0;
}

static int qlinear_add_eval(struct call *c)
{
	return binary_eval(c, 0);
}

static int qlinear_mul_eval(struct call *c)
{
	return binary_eval(c, 1);
}

#define BINARY_OP(id)                                                             \
	const struct op op_##id = {                                               \
		.rules = RULES({.broken = domain_not_positive, .port = A_SCALE},  \
			       {.broken = domain_not_positive, .port = B_SCALE},  \
			       {.broken = domain_not_positive, .port = C_SCALE}), \
		.in = {{"A", T_8BIT, 'T', 0},                                     \
		       {"A_scale", T_F32, 0, 0},                                  \
		       {"A_zero_point", T_8BIT, 'T', PORT_OPTIONAL},              \
		       {"B", T_8BIT, 'T', 0},                                     \
		       {"B_scale", T_F32, 0, 0},                                  \
		       {"B_zero_point", T_8BIT, 'T', PORT_OPTIONAL},              \
		       {"C_scale", T_F32, 0, 0},                                  \
		       {"C_zero_point", T_8BIT, 'T', PORT_OPTIONAL}},             \
		.out = {{"C", T_8BIT, 'T', 0}},                                   \
		.infer = binary_infer,                                            \
		.eval = id##_eval,                                                \
	}

BINARY_OP(qlinear_add);
BINARY_OP(qlinear_mul);

/* ---- one operand ------------------------------------------------------------------------------------------------- */

enum { X, X_SCALE, X_ZERO, Y_SCALE, Y_ZERO };

static int unary_infer(struct call *c)
{
	static const int scalars[] = {X_SCALE, X_ZERO, Y_SCALE, Y_ZERO};
	int rc = check_ports(c, scalars, sizeof scalars / sizeof *scalars, qlinear_check_single);

	return rc ? rc : same_infer(c);
}

/* range: of what is approximated, to some last places of it. */
static int unary_eval(struct call *c, double (*f)(double x, double alpha), double alpha, double range)
{
	struct qlinear px = qlinear_read(c, X_SCALE, X_ZERO), py = qlinear_read(c, Y_SCALE, Y_ZERO);
	const struct tensor *x = c->in[X];
	struct tensor *y = c->out[0];

	for (size_t i = 0; i < x->count; i++) {
		double real = f(qlinear_real(px, x->i[i]), alpha);

		y->i[i] = qlinear_quantize(c, y->dtype, py, real, fabs(real) + range);
	}
	return 0;
}

static double sigmoid(double x, double alpha)
{
	(void)alpha;
	return 1 / (1 + exp(-x));
}

static double leaky_relu(double x, double alpha)
{
	return x < 0 ? alpha * x : x;
}

static int qlinear_sigmoid_eval(struct call *c)
{
	return unary_eval(c, sigmoid, 0, 4);
}

static int qlinear_leaky_relu_eval(struct call *c)
{
	return unary_eval(c, leaky_relu, attr_float(c->node, "alpha"), 0);
}

#define UNARY_PORTS                                                       \
	.rules = RULES({.broken = domain_not_positive, .port = X_SCALE},  \
		       {.broken = domain_not_positive, .port = Y_SCALE}), \
	.in = {{"X", T_8BIT, 'T', 0},                                     \
	       {"X_scale", T_F32, 0, 0},                                  \
	       {"X_zero_point", T_8BIT, 'T', PORT_OPTIONAL},              \
	       {"Y_scale", T_F32, 0, 0},                                  \
	       {"Y_zero_point", T_8BIT, 'T', PORT_OPTIONAL}},             \
	.out = {{"Y", T_8BIT, 'T', 0}}

const struct op op_qlinear_sigmoid = {
	UNARY_PORTS,
	.infer = unary_infer,
	.eval = qlinear_sigmoid_eval,
};

const struct op op_qlinear_leaky_relu = {
	UNARY_PORTS,
	.attrs = (const struct op_attr[]){OP_FLOAT("alpha", 0.01), {0}},
	.infer = unary_infer,
	.eval = qlinear_leaky_relu_eval,
};

/* ---- Where ------------------------------------------------------------------------------------------------------- */

enum { CONDITION, WHERE_X, WHERE_X_SCALE, WHERE_X_ZERO, WHERE_Y, WHERE_Y_SCALE, WHERE_Y_ZERO, Z_SCALE, Z_ZERO };

static int qlinear_where_infer(struct call *c)
{
	static const int scalars[] = {WHERE_X_SCALE, WHERE_X_ZERO, WHERE_Y_SCALE, WHERE_Y_ZERO, Z_SCALE, Z_ZERO};
	int rc = check_ports(c, scalars, sizeof scalars / sizeof *scalars, qlinear_check_single);

	return rc ? rc : call_broadcast(c, 0, (const int[]){CONDITION, WHERE_X, WHERE_Y}, 3);
}

static int qlinear_where_eval(struct call *c)
{
	struct qlinear px = qlinear_read(c, WHERE_X_SCALE, WHERE_X_ZERO),
		       py = qlinear_read(c, WHERE_Y_SCALE, WHERE_Y_ZERO), pz = qlinear_read(c, Z_SCALE, Z_ZERO);
	const struct tensor *in[] = {c->in[CONDITION], c->in[WHERE_X], c->in[WHERE_Y]};
	struct tensor *z = c->out[0];
	struct bcast b;

	bcast_tensors(&b, z, in, 3);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			double real = in[0]->i[b.at[0] + k * b.stride[0]]
					      ? qlinear_real(px, in[1]->i[b.at[1] + k * b.stride[1]])
					      : qlinear_real(py, in[2]->i[b.at[2] + k * b.stride[2]]);

			z->i[b.out + k] = qlinear_quantize(c, z->dtype, pz, real, fabs(real));
		}
	return 0;
}

const struct op op_qlinear_where = {
	.rules = RULES({.broken = domain_not_positive, .port = WHERE_X_SCALE},
		       {.broken = domain_not_positive, .port = WHERE_Y_SCALE},
		       {.broken = domain_not_positive, .port = Z_SCALE}),
	.in = {{"condition", T_BOOL, 0, 0},
	       {"X", T_8BIT, 'T', 0},
	       {"x_scale", T_F32, 0, 0},
	       {"x_zero_point", T_8BIT, 'T', 0},
	       {"Y", T_8BIT, 'T', 0},
	       {"y_scale", T_F32, 0, 0},
	       {"y_zero_point", T_8BIT, 'T', 0},
	       {"z_scale", T_F32, 0, 0},
	       {"z_zero_point", T_8BIT, 'T', 0}},
	.out = {{"Z", T_8BIT, 'T', 0}},
	.infer = qlinear_where_infer,
	.eval = qlinear_where_eval,
};
