/* qlinear_conv.c - QLinearConv of com.microsoft: that of ONNX, and with channels_last on [N, D1 … Dn, C].  Weights are
 * [M, C / group, k1 … kn] either way.  ONNX Runtime writes it when it saves a quantized model. */
#include <string.h>

#include "ops/contrib/contrib.h"
#include "ops/quantize/qconv.h"

#define T_8BIT (TM(DT_INT8) | TM(DT_UINT8))
#define CONV_INPUTS 9

/* Moves the channels in front of the other axes, or back behind them. */
static struct compose_part *move_channels(struct compose *p, struct compose_part *x, int to_front)
{
	int64_t perm[TENSOR_MAX_RANK] = {0};
	int rank = compose_rank(x);

	for (int i = 1; i < rank; i++)
		perm[i] = to_front ? i - 1 : i + 1;
	perm[to_front ? 1 : rank - 1] = to_front ? rank - 1 : 1;
	return STEP(p, "Transpose", STEP_ATTRS(STEP_INTS("perm", perm, rank)), x);
}

static void ms_qlinear_conv_steps(struct compose *p)
{
	const struct node *n = p->c->node;
	int last = attr_int(n, "channels_last") != 0, n_attrs = 0;
	struct compose_part *in[CONV_INPUTS], *y;
	struct attr attrs[OP_MAX_PORTS] = {{.name = NULL}};

	for (int i = 0; i < n->n_attrs && n_attrs < OP_MAX_PORTS - 1; i++)
		if (strcmp(n->attrs[i].name, "channels_last"))
			attrs[n_attrs++] = n->attrs[i];
	for (int i = 0; i < CONV_INPUTS; i++)
		in[i] = compose_input(p, i);
	if (last && compose_rank(in[0]) < 3) {
		if (compose_rank(in[0]) >= 0)
			compose_fail(p, call_bad(p->c, "X has rank %d, wanted at least 3", compose_rank(in[0])));
		return;
	}
	if (last)
		in[0] = move_channels(p, in[0], 1);
	y = compose_steps(p, "QLinearConv", attrs, in, CONV_INPUTS, 1);
	compose_output(p, 0, last && !p->rc ? move_channels(p, y, 0) : y);
}

static int ms_qlinear_conv_infer(struct call *c)
{
	return compose_infer(c, ms_qlinear_conv_steps);
}

static int ms_qlinear_conv_eval(struct call *c)
{
	return compose_eval(c, ms_qlinear_conv_steps);
}

const struct op op_ms_qlinear_conv = {
	QLINEAR_CONV_PORTS,
	.attrs = (const struct op_attr[]){OP_CONV_ATTRS, OP_INT("channels_last", 0), {0}},
	.infer = ms_qlinear_conv_infer,
	.eval = ms_qlinear_conv_eval,
};
