/* int8.c - nodes as ONNX Runtime's static quantizer leaves them: simulated by rounding to the steps of eight bits.
 *
 *   activations   asymmetric uint8, a scale for each tensor; its range is that of the data, widened to have 0 in it
 *   weights       of Conv, ConvTranspose, MatMul and Gemm: symmetric int8, a scale for each channel
 *   constants     of other nodes: as activations, with their own range
 *   biases        int32 with a fine scale: as they are
 *   Softmax       steps of 1/255; what only moves or averages elements keeps the steps of its input
 *
 * A tensor that only a Relu or Clip reads is not quantized: the range of what comes of that does its work. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/narrow/internal.h"
#include "ops/attr.h"
#include "reference/quantized.h"

struct int8_range {
	struct quantized_range data;
	int readers; /* nodes; outputs of the graph count, too */
	const struct node *reader;
};

struct int8 {
	const struct graph *g;
	struct int8_range *range; /* by wire id */
	const unsigned char *on;  /* by node index: what this run quantizes */
	ref_tamper *tamper;       /* of whoever looks on */
	void *tamper_arg;
};

static const struct quantized_op *op_of(const struct node *n)
{
	const struct quantized_op *op = quantized_op_find(n);

	return op && !op->dynamic ? op : NULL;
}

int int8_is_for(const struct node *n)
{
	return op_of(n) != NULL;
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

static void add_reader(struct int8 *q, const struct wire *w, const struct node *n)
{
	if (!w || w->graph != q->g)
		return;
	q->range[w->id].readers++;
	q->range[w->id].reader = n;
}

int int8_open(const struct graph *g, struct int8 **out, struct err *e)
{
	struct int8 *q = mem_zalloc(sizeof *q);

	if (q) {
		q->g = g;
		q->range = mem_array(g->wires.n + 1, sizeof *q->range);
	}
	if (!q || !q->range) {
		int8_close(q);
		return err_nomem(e, "ranges", g->wires.n * sizeof *q->range);
	}
	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_in; k++)
			add_reader(q, g->nodes.at[i]->in[k], g->nodes.at[i]);
	for (size_t i = 0; i < g->outputs.n; i++)
		add_reader(q, g->outputs.at[i], NULL);
	*out = q;
	return 0;
}

void int8_close(struct int8 *q)
{
	if (q)
		mem_free(q->range);
	mem_free(q);
}

void int8_see(struct int8 *q, const struct wire *w, const struct value *v)
{
	if (v->kind == VALUE_TENSOR && precision_lowers(v->tensor->dtype))
		quantized_widen(&q->range[w->id].data, v->tensor);
}

/* ---- rounding ---------------------------------------------------------------------------------------------------- */

/* Channels lie `inner` elements apart, and again after all of them. */
static void round_channels(struct tensor *t, int axis)
{
	size_t channels = (size_t)t->dims[axis], inner = 1;

	for (int i = axis + 1; i < t->rank; i++)
		inner *= (size_t)t->dims[i];
	for (size_t c = 0; c < channels; c++) {
		double largest = 0, scale;

		for (size_t i = c * inner; i < t->count; i += channels * inner)
			for (size_t k = i; k < i + inner; k++)
				largest = isfinite(t->f[k]) ? fmax(largest, fabs(t->f[k])) : largest;
		scale = largest / QUANTIZED_WEIGHT_STEPS;
		for (size_t i = c * inner; i < t->count && scale > 0; i += channels * inner)
			for (size_t k = i; k < i + inner; k++)
				t->f[k] = rint(t->f[k] / scale) * scale;
	}
}

static int is_clipping(const struct node *n)
{
	return n && !*n->domain && (!strcmp(n->op_type, "Relu") || !strcmp(n->op_type, "Clip"));
}

/* Made by a node that is quantized for one that clips: it is never stored. */
static int is_passed_on(const struct int8 *q, const struct wire *w)
{
	const struct int8_range *r = &q->range[w->id];

	return w->producer && r->readers == 1 && is_clipping(r->reader) && q->on[w->producer->index] &&
	       q->on[r->reader->index];
}

/* The range that the steps of a wire come from. */
static struct quantized_range range_of(const struct int8 *q, const struct wire *w)
{
	static const struct quantized_range unit = {.high = 1};

	for (;;) {
		const struct node *n = w->producer;
		enum quantized_steps steps = n && q->on[n->index] ? op_of(n)->steps : STEPS_DATA;

		if (steps == STEPS_UNIT)
			return unit;
		if (steps == STEPS_DATA || !n->in[0] || n->in[0]->graph != q->g || n->in[0]->init)
			return q->range[w->id].data;
		w = n->in[0];
	}
}

void int8_round(const struct int8 *q, const struct wire *w, struct tensor *t)
{
	struct quantized_range r;

	if (is_passed_on(q, w))
		return;
	r = range_of(q, w);
	quantized_round(&r, t->f, t->count);
}

static int weight_axis(const struct node *n, const struct quantized_op *op, const struct tensor *t)
{
	int axis = op->axis < 0 ? t->rank + op->axis : op->axis;

	if (op->turned && attr_int(n, op->turned))
		axis = 1 - axis;
	return axis >= 0 && axis < t->rank ? axis : -1;
}

static void round_input(const struct int8 *q, const struct node *n, int i, struct tensor *t)
{
	const struct quantized_op *op = op_of(n);
	const struct wire *w = n->in[i];
	int axis = i == op->weight && quantized_is_constant(w) ? weight_axis(n, op, t) : -1;

	if (axis >= 0) {
		round_channels(t, axis);
	} else if (quantized_is_constant(w) || w->graph != q->g) {
		struct quantized_range own = {.low = 0};

		quantized_widen(&own, t);
		quantized_round(&own, t->f, t->count);
	} else {
		int8_round(q, w, t);
	}
}

static int is_quantized(const struct int8 *q, const struct call *c)
{
	return c->node->graph == q->g && q->on[c->node->index];
}

static int feed(struct call *c, int back, void *arg)
{
	const struct int8 *q = arg;

	for (int i = 0; i < c->n_in && !back && is_quantized(q, c); i++) {
		const struct value *v = c->in_value[i];
		struct tensor *t;

		if (!v || v->kind != VALUE_TENSOR || !precision_lowers(v->tensor->dtype) || i == op_of(c->node)->bias ||
		    c->op->in[i < OP_MAX_PORTS ? i : OP_MAX_PORTS - 1].flags & PORT_SETTING)
			continue;
		t = tensor_copy(v->tensor, c->err);
		if (!t)
			return c->err->code;
		round_input(q, c->node, i, t);
		value_unref(c->in_value[i]);
		c->in_value[i] = value_tensor(t, c->err);
		if (!c->in_value[i])
			return c->err->code;
	}
	return 0;
}

static int quantize_outputs(struct call *c, int back, void *arg)
{
	struct int8 *q = arg;
	int rc = q->tamper ? q->tamper(c, back, q->tamper_arg) : 0;

	for (int i = 0; i < c->n_out && !rc && !back && is_quantized(q, c); i++) {
		struct tensor *t;
		struct value *v;

		if (!c->node->out[i] || !c->out[i] || !precision_lowers(c->out[i]->dtype))
			continue;
		t = tensor_copy(c->out[i], c->err);
		if (!t)
			return c->err->code;
		int8_round(q, c->node->out[i], t);
		v = value_tensor(t, c->err);
		rc = v ? passes_replace(c, i, v) : c->err->code;
		value_unref(v);
	}
	return rc;
}

void int8_plant(struct int8 *q, const unsigned char *low, struct ref_options *o)
{
	q->on = low;
	q->tamper = o->tamper;
	q->tamper_arg = o->tamper_arg;
	o->feed = feed;
	o->feed_arg = q;
	o->tamper = quantize_outputs;
	o->tamper_arg = q;
}
