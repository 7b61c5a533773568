/* small.c - small operators of com.microsoft.
 *
 *     Trilu         as that of ONNX
 *     BiasAdd       X + bias + skip                     bias [C], C the last dimension of X
 *     BiasDropout   data + bias + residual; what is dropped in training is drawn by chance, and not known here
 *     BiasSoftmax   softmax(data + bias) over all dimensions from `axis` on together; is_inner_broadcast tells kernels
 *                   how the bias repeats, which its shape says as well */
#include "ops/contrib/contrib.h"

static void ms_trilu_steps(struct compose *p)
{
	const struct attr *attrs = STEP_ATTRS(STEP_INT("upper", attr_int(p->c->node, "upper")));

	compose_output(p, 0, STEP(p, "Trilu", attrs, compose_input(p, 0), compose_input(p, 1)));
}

COMPOSED(ms_trilu)

#define T_TRILU (T_NUM | T_BOOL)

const struct op op_ms_trilu = {
	.in = {{"X", T_TRILU, 'T', 0}, {"k", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"Y", T_TRILU, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_INT("upper", 1), {0}},
	COMPOSED_MEMBERS(ms_trilu),
};

static void bias_add_steps(struct compose *p)
{
	struct compose_part *sum = contrib_add_vector(p, compose_input(p, 0), compose_input(p, 1));

	compose_output(p, 0, STEP(p, "Add", NULL, sum, compose_input(p, 2)));
}

COMPOSED(bias_add)

const struct op op_bias_add = {
	.in = {{"X", T_CONTRIB, 'T', 0}, {"bias", T_CONTRIB, 'T', 0}, {"skip", T_CONTRIB, 'T', 0}},
	.out = {{"Y", T_CONTRIB, 'T', 0}},
	COMPOSED_MEMBERS(bias_add),
};

/* ---- BiasDropout ------------------------------------------------------------------------------------------------- */

enum { DROP_DATA, DROP_BIAS, DROP_RESIDUAL, DROP_RATIO, DROP_TRAINING };

static void bias_dropout_steps(struct compose *p)
{
	struct compose_part *y = STEP(p, "Add", NULL, compose_input(p, DROP_DATA), compose_input(p, DROP_BIAS)), *mask;
	struct compose_part *training = compose_input(p, DROP_TRAINING);

	if (p->known && training && training->value->count && training->value->i[0])
		compose_fail(p, call_unsupported(p->c, "what is dropped in training is drawn by chance"));
	mask = STEP(p, "Equal", NULL, compose_input(p, DROP_DATA), compose_input(p, DROP_DATA));
	if (compose_input(p, DROP_RESIDUAL))
		y = STEP(p, "Add", NULL, y, compose_input(p, DROP_RESIDUAL));
	compose_output(p, 0, y);
	compose_output(p, 1, STEP(p, "Or", NULL, mask, STEP(p, "Not", NULL, mask))); /* nothing is dropped: true */
}

COMPOSED(bias_dropout)

const struct op op_bias_dropout = {
	.in = {{"data", T_FLOAT, 'T', 0},
	       {"bias", T_FLOAT, 'T', 0},
	       {"residual", T_FLOAT, 'T', PORT_OPTIONAL},
	       {"ratio", T_FLOAT, 0, PORT_OPTIONAL | PORT_UNTRAINED},
	       {"training_mode", T_BOOL, 0, PORT_OPTIONAL}},
	.out = {{"output", T_FLOAT, 'T', 0}, {"mask", T_BOOL, 0, PORT_OPTIONAL}},
	.attrs = (const struct op_attr[]){OP_ATTR("seed", ATTR_INT), {0}},
	COMPOSED_MEMBERS(bias_dropout),
};

/* ---- BiasSoftmax ------------------------------------------------------------------------------------------------- */

static void bias_softmax_steps(struct compose *p)
{
	struct compose_part *x = compose_input(p, 0), *sum = STEP(p, "Add", NULL, x, compose_input(p, 1));
	int axis = 0;

	if (compose_rank(x) < 0 || p->rc)
		return;
	if (call_axis(p->c, attr_int(p->c->node, "axis"), compose_rank(x), &axis))
		compose_fail(p, p->c->err->code);
	if (!p->known) {
		compose_output(p, 0, x);
		return;
	}
	sum = STEP(p, "Flatten", STEP_ATTRS(STEP_INT("axis", axis)), sum);
	sum = STEP(p, "Softmax", STEP_ATTRS(STEP_INT("axis", 1)), sum);
	compose_output(p, 0, STEP(p, "Reshape", NULL, sum, compose_ints(p, x->type.dims, x->type.rank)));
}

COMPOSED(bias_softmax)

#define T_SOFTMAX (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

const struct op op_bias_softmax = {
	.in = {{"data", T_SOFTMAX, 'T', 0}, {"bias", T_SOFTMAX, 'T', 0}},
	.out = {{"output", T_SOFTMAX, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_INT("axis", 1), OP_NEEDS("is_inner_broadcast", ATTR_INT), {0}},
	COMPOSED_MEMBERS(bias_softmax),
};
