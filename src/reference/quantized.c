/* quantized.c - see quantized.h. */
#include "reference/quantized.h"

#include <math.h>
#include <string.h>

#define NO_PORT (-1)

static const struct quantized_op ops[] = {
	{"Conv", 1, 2, 0, NULL, STEPS_DATA, NULL, 0},
	{"ConvTranspose", 1, 2, 1, NULL, STEPS_DATA, NULL, 0},
	{"Gemm", 1, 2, 1, "transB", STEPS_DATA, NULL, 0},
	{"MatMul", 1, NO_PORT, -1, NULL, STEPS_DATA, NULL, 0},
	{"LSTM", 1, 3, 1, NULL, STEPS_DATA, NULL, 1},
	{"Attention", 1, 2, -1, NULL, STEPS_DATA, "com.microsoft", 1},
	{"EmbedLayerNormalization", NO_PORT, NO_PORT, 0, NULL, STEPS_DATA, "com.microsoft", 1},
#define PLAIN(name, steps)                                      \
	{                                                       \
		name, NO_PORT, NO_PORT, 0, NULL, steps, NULL, 0 \
	}
	PLAIN("Add", STEPS_DATA),
	PLAIN("ArgMax", STEPS_DATA),
	PLAIN("BatchNormalization", STEPS_DATA),
	PLAIN("Clip", STEPS_DATA),
	PLAIN("Concat", STEPS_DATA),
	PLAIN("CumSum", STEPS_DATA),
	PLAIN("GatherElements", STEPS_DATA),
	PLAIN("GlobalAveragePool", STEPS_DATA),
	PLAIN("InstanceNormalization", STEPS_DATA),
	PLAIN("LayerNormalization", STEPS_DATA),
	PLAIN("LeakyRelu", STEPS_DATA),
	PLAIN("Mul", STEPS_DATA),
	PLAIN("Pad", STEPS_DATA),
	PLAIN("Relu", STEPS_DATA),
	PLAIN("Sigmoid", STEPS_DATA),
	PLAIN("Split", STEPS_DATA),
	PLAIN("TopK", STEPS_DATA),
	PLAIN("Where", STEPS_DATA),
	PLAIN("AveragePool", STEPS_INPUT),
	PLAIN("Flatten", STEPS_INPUT),
	PLAIN("Gather", STEPS_INPUT),
	PLAIN("MaxPool", STEPS_INPUT),
	PLAIN("Reshape", STEPS_INPUT),
	PLAIN("Resize", STEPS_INPUT),
	PLAIN("Slice", STEPS_INPUT),
	PLAIN("Squeeze", STEPS_INPUT),
	PLAIN("Transpose", STEPS_INPUT),
	PLAIN("Unsqueeze", STEPS_INPUT),
	PLAIN("Softmax", STEPS_UNIT),
#undef PLAIN
};

const struct quantized_op *quantized_op_find(const struct node *n)
{
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (!strcmp(n->op_type, ops[i].name) && !strcmp(n->domain, ops[i].domain ? ops[i].domain : ""))
			return &ops[i];
	return NULL;
}

void quantized_widen(struct quantized_range *r, const struct tensor *t)
{
	for (size_t i = 0; i < t->count; i++) {
		double x = tensor_get(t, i);

		if (isfinite(x) && x < r->low)
			r->low = x;
		if (isfinite(x) && x > r->high)
			r->high = x;
	}
}

double quantized_step(const struct quantized_range *r)
{
	return (r->high - r->low) / QUANTIZED_STEPS;
}

void quantized_round(const struct quantized_range *r, double *x, size_t n)
{
	double scale = quantized_step(r), zero = scale > 0 ? rint(-r->low / scale) : 0;

	for (size_t i = 0; i < n && scale > 0; i++)
		if (!isnan(x[i]))
			x[i] = (fmin(fmax(rint(x[i] / scale) + zero, 0), QUANTIZED_STEPS) - zero) * scale;
}

int quantized_ends(const struct quantized_range *r, double x)
{
	float size = (float)fabs(x), scale = size / (float)QUANTIZED_STEPS;

	return (r->low == 0 || r->high == 0) && (x == r->low || x == r->high) && (double)size == fabs(x) &&
	       scale * (float)QUANTIZED_STEPS == size;
}

int quantized_is_constant(const struct wire *w)
{
	return w->init || (w->producer && !w->producer->n_in);
}

/* Whether node n has a quantized tensor of wire w. */
static int stores(const struct node *n, const struct wire *w)
{
	const struct quantized_op *op = quantized_op_find(n);

	for (int i = 0; op && i < n->n_in; i++)
		if (n->in[i] == w && i != op->bias && !(i < OP_MAX_PORTS && n->op->in[i].flags & PORT_SETTING))
			return 1;
	return op && w->producer == n;
}

int quantized_is_stored(const struct wire *w)
{
	if (w->producer && stores(w->producer, w))
		return 1;
	for (size_t i = 0; i < w->graph->nodes.n; i++)
		if (stores(w->graph->nodes.at[i], w))
			return 1;
	return 0;
}
