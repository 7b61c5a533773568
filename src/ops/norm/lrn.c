/* lrn.c - LRN, local response normalization across channels.
 *
 * X is [N, C, D…]; w(c) = [max(0, c - floor((size-1)/2)), min(C-1, c + ceil((size-1)/2))]:
 *
 *     S[n,c,d] = bias + alpha / size * Σ_{i in w(c)} x[n,i,d]^2
 *     y = x * S^-beta
 *     dL/dx_i = g_i S_i^-beta - 2 alpha beta / size * x_i * Σ_{c: i in w(c)} g_c x_c S_c^(-beta-1) */
#include <math.h>

#include "ops/call.h"
#include "ops/kit/domain.h"
#include "ops/norm/samplers.h"

struct lrn {
	const struct call *c;
	size_t batch, channels, inner;
	double alpha, beta, bias, size;
	size_t before, after; /* channels of the window in front of and behind its own */
};

static int lrn_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t size = attr_int(c->node, "size");

	if (x && x->rank < 2)
		return call_bad(c, "X has rank %d, wanted at least 2", x->rank);
	if (size < 1)
		return call_bad(c, "attribute 'size' is %lld, wanted at least 1", (long long)size);
	return same_infer(c);
}

static struct lrn lrn_of(const struct call *c)
{
	const struct tensor *x = c->in[0];
	int64_t size = attr_int(c->node, "size");

	return (struct lrn){.c = c,
			    .batch = (size_t)x->dims[0],
			    .channels = (size_t)x->dims[1],
			    .inner = dims_product(x->dims, 2, x->rank),
			    .alpha = attr_float(c->node, "alpha"),
			    .beta = attr_float(c->node, "beta"),
			    .bias = attr_float(c->node, "bias"),
			    .size = (double)size,
			    .before = (size_t)((size - 1) / 2),
			    .after = (size_t)(size - 1 - (size - 1) / 2)};
}

/* out[j] = Σ v[i * inner + j] over the channels i that lie at most `before` in front of and `after` behind channel k.
 */
static void window_sum(const struct lrn *l, const double *v, size_t k, size_t before, size_t after, double *out)
{
	size_t first = k > before ? k - before : 0, end = after < l->channels - k ? k + after + 1 : l->channels;

	for (size_t j = 0; j < l->inner; j++)
		out[j] = 0;
	for (size_t i = first; i < end; i++)
		for (size_t j = 0; j < l->inner; j++)
			out[j] += v[i * l->inner + j];
}

/* S of one image, from its squares. */
static void denominators(const struct lrn *l, const double *x, double *squares, double *s)
{
	for (size_t i = 0; i < l->channels * l->inner; i++)
		squares[i] = x[i] * x[i];
	for (size_t k = 0; k < l->channels; k++) {
		double *row = s + k * l->inner;

		window_sum(l, squares, k, l->before, l->after, row);
		for (size_t j = 0; j < l->inner; j++)
			row[j] = l->bias + l->alpha / l->size * call_held(l->c, l->c->out_type[0].dtype, row[j]);
	}
}

static int lrn_eval(struct call *c)
{
	struct lrn l = lrn_of(c);
	size_t image = l.channels * l.inner;
	double *squares = call_scratch(c, image, sizeof *squares), *s = call_scratch(c, image, sizeof *s);

	if (!squares || !s)
		return ERR_MEMORY;
	for (size_t n = 0; n < l.batch; n++) {
		const double *x = c->in[0]->f + n * image;

		denominators(&l, x, squares, s);
		for (size_t i = 0; i < image; i++)
			c->out[0]->f[n * image + i] = x[i] * pow(s[i], -l.beta);
	}
	return 0;
}

/* S is a sum of positive terms unless alpha is odd: its relative error is about growth(size), y's beta times that. */
static int lrn_scale(struct call *c, int out, double *s)
{
	struct lrn l = lrn_of(c);
	double factor = 3 + fabs(l.beta) * (1 + noise_growth(l.size));

	for (size_t i = 0; i < c->out[out]->count; i++)
		s[i] = fabs(c->out[out]->f[i]) * factor;
	return 0;
}

static int lrn_grad(struct call *c)
{
	struct lrn l = lrn_of(c);
	size_t image = l.channels * l.inner;
	double *t = call_scratch(c, image, sizeof *t), *s = call_scratch(c, image, sizeof *s);
	double *sum = call_scratch(c, l.inner, sizeof *sum);

	if (!t || !s || !sum)
		return ERR_MEMORY;
	if (!c->in_grad[0] || !c->out_grad[0])
		return 0;
	for (size_t n = 0; n < l.batch; n++) {
		const double *x = c->in[0]->f + n * image, *g = c->out_grad[0]->f + n * image;
		double *gx = c->in_grad[0]->f + n * image;

		denominators(&l, x, t, s);
		for (size_t i = 0; i < image; i++)
			t[i] = g[i] * x[i] * pow(s[i], -l.beta - 1);
		for (size_t k = 0; k < l.channels; k++) {
			/* channel k is in the windows of those that have it `before` or `after` */
			window_sum(&l, t, k, l.after, l.before, sum);
			for (size_t j = 0; j < l.inner; j++) {
				size_t i = k * l.inner + j;

				gx[i] += g[i] * pow(s[i], -l.beta) - 2 * l.alpha * l.beta / l.size * x[i] * sum[j];
			}
		}
	}
	return 0;
}

static const struct op_attr lrn_attrs[] = {
	OP_FLOAT("alpha", 1e-4f), OP_FLOAT("beta", 0.75f), OP_FLOAT("bias", 1), OP_NEEDS("size", ATTR_INT), {0},
};

const struct op op_lrn = {
	.samples = SAMPLES({.by = &sampler_lrn}),
	.rules = RULES({.broken = domain_attr_not_positive, .attr = "bias"}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = lrn_attrs,
	.infer = lrn_infer,
	.eval = lrn_eval,
	.grad = lrn_grad,
	.scale = lrn_scale,
};
