/* fault_gradient.c - gradients gone wrong; the forward run is right.
 *
 * in_grad holds the sum of what all uses of a wire added, so faults subtract what is too much or add what is missing.
 */
#include <math.h>
#include <string.h>

#include "faults/fault.h"
#include "ops/call.h"

#define OPS(id, ...) static const char *const id##_ops[] = {__VA_ARGS__, NULL}

OPS(relu, "Relu");
OPS(bias, "Conv", "Gemm");
OPS(softmax, "Softmax");
OPS(matmul, "MatMul", "Einsum");
OPS(batch_norm, "BatchNormalization");
OPS(max_pool, "MaxPool");
OPS(mul, "Mul");

static struct tensor *wanted(const struct call *c, int i)
{
	return i < c->n_in && c->out_grad[0] ? c->in_grad[i] : NULL;
}

/* The derivative of Relu at 0 is taken as 2: 1 would be a subgradient, which is right. */
static enum fault_effect apply_relu_grad_at_zero(struct call *c, struct fault_state *s)
{
	struct tensor *g = wanted(c, 0);
	int any = 0;

	(void)s;
	for (size_t i = 0; g && i < g->count; i++)
		if (c->in[0]->f[i] == 0) {
			g->f[i] += 2 * c->out_grad[0]->f[i];
			any = 1;
		}
	return any ? FAULT_CHANGED : FAULT_NO_EFFECT;
}

const struct fault fault_relu_grad_at_zero = {
	.kind = FAULT_GRADIENT,
	.what = "the gradient of Relu at 0 is 2",
	.like = "gradients at kinks that lie between no slopes",
	.ops = relu_ops,
	.apply = apply_relu_grad_at_zero,
};

static enum fault_effect apply_bias_grad_half(struct call *c, struct fault_state *s)
{
	struct tensor *g = wanted(c, 2);

	(void)s;
	for (size_t i = 0; g && i < g->count; i++)
		g->f[i] *= 0.5;
	return g ? FAULT_CHANGED : FAULT_NO_EFFECT;
}

const struct fault fault_bias_grad_half = {
	.kind = FAULT_GRADIENT,
	.what = "the gradient of a bias misses half of the batch",
	.like = "reductions over the batch that stop early",
	.ops = bias_ops,
	.apply = apply_bias_grad_half,
};

/* dx = y (g - Σ g y): the sum is forgotten. */
static enum fault_effect apply_softmax_grad_diagonal(struct call *c, struct fault_state *s)
{
	struct tensor *g = wanted(c, 0);
	const struct tensor *y = c->out[0];
	int64_t axis = attr_int(c->node, "axis");
	size_t n, inner;

	(void)s;
	if (!g || c->version < 13 || !y->rank)
		return FAULT_NO_EFFECT;
	axis = axis < 0 ? axis + y->rank : axis;
	n = (size_t)y->dims[axis];
	inner = dims_product(y->dims, (int)axis + 1, y->rank);
	for (size_t line = 0; n && line < y->count / n; line++) {
		size_t first = line / inner * n * inner + line % inner;
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += c->out_grad[0]->f[first + i * inner] * y->f[first + i * inner];
		for (size_t i = 0; i < n; i++)
			g->f[first + i * inner] += y->f[first + i * inner] * sum;
	}
	return FAULT_CHANGED;
}

const struct fault fault_softmax_grad_diagonal = {
	.kind = FAULT_GRADIENT,
	.what = "the gradient of Softmax has only the diagonal of its Jacobian",
	.like = "elementwise shortcuts in softmax gradients",
	.ops = softmax_ops,
	.apply = apply_softmax_grad_diagonal,
};

/* The index of the sum does not advance: every element of a row of gA is the first one. */
static enum fault_effect apply_product_grad_stuck(struct call *c, struct fault_state *s)
{
	struct tensor *g = wanted(c, 0);
	size_t row;

	(void)s;
	if (!g || !g->rank || (row = (size_t)g->dims[g->rank - 1]) < 2)
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < g->count; i++)
		g->f[i] = g->f[i - i % row];
	return FAULT_CHANGED;
}

const struct fault fault_product_grad_stuck = {
	.kind = FAULT_GRADIENT,
	.what = "the gradient of a product does not advance the summed index",
	.like = "apache/mxnet issue 18102: gradient of einsum",
	.ops = matmul_ops,
	.apply = apply_product_grad_stuck,
};

/* Training mode: the term through the batch mean, which makes the gradient of each channel sum to 0, is missing. */
static enum fault_effect apply_batch_norm_grad_mean(struct call *c, struct fault_state *s)
{
	struct tensor *g = wanted(c, 0);
	const struct tensor *x = c->in[0];
	size_t plane, channels;

	(void)s;
	if (!g || !attr_int(c->node, "training_mode") || x->rank < 2)
		return FAULT_NO_EFFECT;
	plane = dims_product(x->dims, 2, x->rank);
	channels = (size_t)x->dims[1];
	for (size_t ch = 0; ch < channels; ch++) {
		double missing = 0, n = (double)(x->count / channels);

		for (size_t i = 0; i < x->count; i++)
			missing += i / plane % channels == ch ? c->out_grad[0]->f[i] : 0;
		for (size_t i = 0; i < x->count; i++)
			if (i / plane % channels == ch)
				g->f[i] += c->in[1]->f[ch] * missing / n;
	}
	return FAULT_CHANGED;
}

const struct fault fault_batch_norm_grad_mean = {
	.kind = FAULT_GRADIENT,
	.what = "the gradient of batch normalization misses the term through the mean",
	.like = "batch normalization in training mode with frozen statistics",
	.ops = batch_norm_ops,
	.apply = apply_batch_norm_grad_mean,
};

/* With equal maxima in a window all of them get the gradient: seen where an input equals an output in its plane. */
static enum fault_effect apply_pool_grad_all(struct call *c, struct fault_state *s)
{
	struct tensor *g = wanted(c, 0);
	const struct tensor *x = c->in[0], *y = c->out[0];
	size_t in, out;
	int any = 0;

	(void)s;
	if (!g || x->rank < 3)
		return FAULT_NO_EFFECT;
	in = dims_product(x->dims, 2, x->rank);
	out = dims_product(y->dims, 2, y->rank);
	for (size_t i = 0; i < x->count; i++)
		for (size_t o = i / in * out; g->f[i] == 0 && o < (i / in + 1) * out; o++)
			if (x->f[i] == y->f[o]) {
				g->f[i] = c->out_grad[0]->f[o];
				any = 1;
			}
	return any ? FAULT_CHANGED : FAULT_NO_EFFECT;
}

const struct fault fault_pool_grad_all = {
	.kind = FAULT_GRADIENT,
	.what = "the gradient of MaxPool goes to every maximum of a window",
	.like = "max pooling gradients with ties",
	.ops = max_pool_ops,
	.apply = apply_pool_grad_all,
};

/* The gradient of a broadcast factor is overwritten instead of summed: only the last contribution stays. */
static enum fault_effect apply_broadcast_grad_last(struct call *c, struct fault_state *s)
{
	struct tensor *g = wanted(c, 1);
	size_t n = c->out[0]->count;

	(void)s;
	if (!g || g->count == n || g->count != 1)
		return FAULT_NO_EFFECT;
	g->f[0] = c->out_grad[0]->f[n - 1] * tensor_get(c->in[0], c->in[0]->count - 1);
	return FAULT_CHANGED;
}

const struct fault fault_broadcast_grad_last = {
	.kind = FAULT_GRADIENT,
	.what = "the gradient of a broadcast factor is not summed",
	.like = "apache/mxnet issue 19817: gradient buffers that are overwritten or not cleared",
	.ops = mul_ops,
	.apply = apply_broadcast_grad_last,
};
