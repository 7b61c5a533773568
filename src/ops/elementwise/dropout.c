/* dropout.c - Dropout.
 *
 *     training   y = x * mask / (1 - ratio), mask = 1 with probability 1 - ratio
 *     otherwise  y = x, mask all ones
 *
 * Mode and ratio: version 12 on: inputs 2 and 1 (without the former as the run says); 7 and 10: never training,
 * ratio has no effect; 1 and 6: training unless is_test is set.  The mask comes from a stream that the node's seed
 * attribute, or the run's seed and the node's place in its graph, name: evaluating, differentiating and perturbing
 * the same node all see the same mask. */
#include <string.h>

#include "ops/call.h"
#include "ops/elementwise/samplers.h"

enum { IN_DATA, IN_RATIO, IN_TRAINING };
enum { OUT_DATA, OUT_MASK };

static int is_training(const struct call *c)
{
	if (c->version >= 12 && !call_has(c, IN_TRAINING))
		return c->env && c->env->training;
	if (c->version >= 12)
		return c->in[IN_TRAINING] && c->in[IN_TRAINING]->i[0] != 0;
	return c->version < 7 && !attr_int(c->node, "is_test");
}

static double ratio_of(const struct call *c)
{
	if (c->version < 12)
		return attr_float(c->node, "ratio");
	return call_has(c, IN_RATIO) && c->in[IN_RATIO] ? c->in[IN_RATIO]->f[0] : 0.5;
}

static int dropout_infer(struct call *c)
{
	double ratio = 0.5;

	for (int i = IN_RATIO; i <= IN_TRAINING; i++) {
		if (!call_has(c, i))
			continue;
		if (c->version < 12)
			return call_bad(c, "input %d is there, but ratio and mode are inputs only from opset 12 on", i);
		if (c->in[i] && c->in[i]->count != 1)
			return call_bad(c, "input %d has %zu elements, wanted one", i, c->in[i]->count);
	}
	if (is_training(c))
		ratio = ratio_of(c);
	if (!(ratio >= 0 && ratio < 1))
		return call_bad(c, "ratio is %g, wanted a number in [0, 1)", ratio);
	call_out_like(c, OUT_DATA, IN_DATA);
	call_out_like(c, OUT_MASK, IN_DATA);
	if (c->version >= 10 && c->n_out > OUT_MASK)
		c->out_type[OUT_MASK].dtype = DT_BOOL;
	return 0;
}

struct mask {
	struct rng rng;
	int training;
	double ratio, gain;
};

static struct mask mask_of(const struct call *c)
{
	struct mask m = {.training = is_training(c), .ratio = ratio_of(c)};
	const struct attr *seed = node_attr(c->node, "seed");
	struct rng root;

	if (seed)
		rng_init(&root, (uint64_t)seed->i);
	else if (c->env && c->env->rng)
		root = *c->env->rng;
	else
		rng_init(&root, 0);
	m.rng = rng_split(&root, (uint64_t)c->node->index);
	m.gain = m.training ? 1 / (1 - m.ratio) : 1;
	return m;
}

static int mask_next(struct mask *m)
{
	return !m->training || rng_unit(&m->rng) >= m->ratio;
}

static int dropout_eval(struct call *c)
{
	const struct tensor *x = c->in[IN_DATA];
	struct tensor *mask = call_wants(c, OUT_MASK) ? c->out[OUT_MASK] : NULL;
	struct mask m = mask_of(c);

	for (size_t i = 0; i < x->count; i++) {
		int keep = mask_next(&m);

		c->out[OUT_DATA]->f[i] = keep ? x->f[i] * m.gain : 0;
		if (mask && dtype_is_float(mask->dtype))
			mask->f[i] = keep;
		else if (mask)
			mask->i[i] = keep;
	}
	return 0;
}

static int dropout_grad(struct call *c)
{
	struct mask m = mask_of(c);

	if (!c->in_grad[IN_DATA] || !c->out_grad[OUT_DATA])
		return 0;
	for (size_t i = 0; i < c->in[IN_DATA]->count; i++)
		c->in_grad[IN_DATA]->f[i] += mask_next(&m) ? c->out_grad[OUT_DATA]->f[i] * m.gain : 0;
	return 0;
}

static int dropout_scale(struct call *c, int out, double *s)
{
	const struct tensor *y = c->out[out];
	int exact = out == OUT_MASK || !is_training(c);

	for (size_t i = 0; i < y->count; i++)
		s[i] = exact ? 0 : 2 * (y->f[i] < 0 ? -y->f[i] : y->f[i]);
	return 0;
}

/* Test mode: what goes in comes out. */
static enum delta_result dropout_delta(struct call *c)
{
	size_t n = (size_t)c->lanes * c->in[IN_DATA]->count;

	if (is_training(c) || !c->in_delta[IN_DATA] || call_wants(c, OUT_MASK))
		return DELTA_DECLINED;
	if (c->out_delta[OUT_DATA] != c->in_delta[IN_DATA])
		memcpy(c->out_delta[OUT_DATA], c->in_delta[IN_DATA], n * sizeof(float));
	return DELTA_DONE;
}

static const struct op_attr dropout_attrs[] = {
	OP_ATTR("consumed_inputs", ATTR_INTS),
	OP_INT("is_test", 0),
	OP_FLOAT("ratio", 0.5f),
	OP_ATTR("seed", ATTR_INT),
	{0},
};

const struct op op_dropout = {
	.samples = SAMPLES({.by = &sampler_dropout}),
	.in = {{"data", T_FLOAT | T_FLOAT8, 'T', 0},
	       {"ratio", T_FLOAT | T_FLOAT8, 0, PORT_OPTIONAL},
	       {"training_mode", T_BOOL, 0, PORT_OPTIONAL}},
	.out = {{"output", T_FLOAT | T_FLOAT8, 'T', 0}, {"mask", T_FLOAT | T_BOOL, 0, PORT_OPTIONAL}},
	.attrs = dropout_attrs,
	.infer = dropout_infer,
	.eval = dropout_eval,
	.grad = dropout_grad,
	.scale = dropout_scale,
	.delta = dropout_delta,
	.flags = OP_IN_PLACE,
};
