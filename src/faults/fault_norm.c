/* fault_norm.c - normalizations and softmax gone wrong. */
#include <math.h>
#include <string.h>

#include "faults/fault.h"
#include "ops/call.h"

static const char *const bn_ops[] = {"BatchNormalization", NULL};
static const char *const eps_ops[] = {"BatchNormalization", "InstanceNormalization", "LayerNormalization",
				      "GroupNormalization", NULL};
static const char *const layer_ops[] = {"LayerNormalization", NULL};
static const char *const softmax_ops[] = {"Softmax", NULL};
static const char *const log_softmax_ops[] = {"LogSoftmax", NULL};
static const char *const lrn_ops[] = {"LRN", NULL};

/* ---- batch normalization: y = scale (x - mean) / sqrt(var + epsilon) + bias -------------------------------------- */

typedef double bn_formula(double x, double scale, double bias, double mean, double var, double epsilon);

static enum fault_effect with_formula(struct call *c, bn_formula *f)
{
	const struct tensor *x = c->in[0];
	double epsilon = attr_float(c->node, "epsilon");
	size_t plane, channels;

	if (attr_int(c->node, "training_mode") || x->rank < 2)
		return FAULT_NO_EFFECT;
	plane = dims_product(x->dims, 2, x->rank);
	channels = (size_t)x->dims[1];
	for (size_t i = 0; i < x->count; i++) {
		size_t ch = i / plane % channels;

		c->out[0]->f[i] =
			f(x->f[i], c->in[1]->f[ch], c->in[2]->f[ch], c->in[3]->f[ch], c->in[4]->f[ch], epsilon);
	}
	return FAULT_CHANGED;
}

static double epsilon_outside(double x, double scale, double bias, double mean, double var, double epsilon)
{
	return scale * (x - mean) / (sqrt(var) + epsilon) + bias;
}

static enum fault_effect apply_bn_epsilon_outside(struct call *c, struct fault_state *s)
{
	(void)s;
	return with_formula(c, epsilon_outside);
}

const struct fault fault_bn_epsilon_outside = {
	.kind = FAULT_VALUE,
	.what = "epsilon is added to the standard deviation, not to the variance",
	.like = "batch normalization of CNTK (CRADLE, section V)",
	.ops = bn_ops,
	.apply = apply_bn_epsilon_outside,
};

static double no_sqrt(double x, double scale, double bias, double mean, double var, double epsilon)
{
	return scale * (x - mean) / (var + epsilon) + bias;
}

static enum fault_effect apply_bn_no_sqrt(struct call *c, struct fault_state *s)
{
	(void)s;
	return with_formula(c, no_sqrt);
}

const struct fault fault_bn_no_sqrt = {
	.kind = FAULT_VALUE,
	.what = "divides by the variance instead of the standard deviation",
	.like = "sqrt(var) misplaced in batch normalization (CRADLE, figure 4)",
	.ops = bn_ops,
	.apply = apply_bn_no_sqrt,
};

static double scale_fixed(double x, double scale, double bias, double mean, double var, double epsilon)
{
	(void)scale;
	return (x - mean) / sqrt(var + epsilon) + bias;
}

static enum fault_effect apply_bn_scale_fixed(struct call *c, struct fault_state *s)
{
	(void)s;
	return with_formula(c, scale_fixed);
}

const struct fault fault_bn_scale_fixed = {
	.kind = FAULT_VALUE,
	.what = "the scale is taken as 1",
	.like = "MXNet's fix_gamma, on by default",
	.ops = bn_ops,
	.apply = apply_bn_scale_fixed,
};

static enum fault_effect apply_norm_epsilon(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc = shadow_init(&s, c);

	(void)st;
	if (!rc)
		rc = shadow_float(&s, "epsilon", (float)attr_float(c->node, "epsilon") == 1e-3f ? 1e-5 : 1e-3);
	return shadow_apply(&s, rc);
}

const struct fault fault_norm_epsilon = {
	.kind = FAULT_VALUE,
	.what = "epsilon is 1e-3, whatever the model says",
	.like = "defaults of epsilon that differ between libraries",
	.ops = eps_ops,
	.apply = apply_norm_epsilon,
};

static enum fault_effect apply_layer_norm_unbiased(struct call *c, struct fault_state *s)
{
	const struct tensor *x = c->in[0], *bias = c->n_in > 2 ? c->in[2] : NULL;
	int64_t axis = attr_int(c->node, "axis");
	size_t n;

	(void)s;
	axis = axis < 0 ? axis + x->rank : axis;
	n = dims_product(x->dims, (int)axis, x->rank);
	if (n < 2)
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < x->count; i++) {
		double b = bias ? bias->f[i % n % bias->count] : 0;

		c->out[0]->f[i] = (c->out[0]->f[i] - b) * sqrt((double)(n - 1) / (double)n) + b;
	}
	return FAULT_CHANGED;
}

const struct fault fault_layer_norm_unbiased = {
	.kind = FAULT_VALUE,
	.what = "layer normalization divides by n - 1 in the variance",
	.like = "biased and unbiased variance mixed up",
	.ops = layer_ops,
	.apply = apply_layer_norm_unbiased,
};

static enum fault_effect apply_lrn_size_ignored(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc;

	(void)st;
	if (attr_int(c->node, "size") <= 1)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	if (!rc) /* alpha is to be divided by size */
		rc = shadow_float(&s, "alpha", attr_float(c->node, "alpha") * (double)attr_int(c->node, "size"));
	return shadow_apply(&s, rc);
}

const struct fault fault_lrn_size_ignored = {
	.kind = FAULT_VALUE,
	.what = "alpha of local response normalization is not divided by the size",
	.like = "the two conventions for LRN's alpha",
	.ops = lrn_ops,
	.apply = apply_lrn_size_ignored,
};

/* ---- softmax ----------------------------------------------------------------------------------------------------- */

static enum fault_effect apply_softmax_axis(struct call *c, struct fault_state *st)
{
	int64_t axis = attr_int(c->node, "axis");
	int rank = c->in[0]->rank, rc;
	struct shadow s;

	(void)st;
	axis = axis < 0 ? axis + rank : axis;
	if (rank < 2)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	if (!rc)
		rc = shadow_int(&s, "axis", axis ? axis - 1 : 1);
	return shadow_apply(&s, rc);
}

const struct fault fault_softmax_axis = {
	.kind = FAULT_VALUE,
	.what = "softmax runs along the axis before the right one",
	.like = "softmax axes of imported models",
	.ops = softmax_ops,
	.apply = apply_softmax_axis,
};

/* Softmax of version 13 along its axis with a function of (x, Σ e^x) in float32. */
static enum fault_effect along_axis(struct call *c, float (*f)(float x, float sum))
{
	const struct tensor *x = c->in[0];
	int64_t axis = attr_int(c->node, "axis");
	size_t n, inner;

	if (c->version < 13 || !x->rank)
		return FAULT_NO_EFFECT;
	axis = axis < 0 ? axis + x->rank : axis;
	n = (size_t)x->dims[axis];
	inner = dims_product(x->dims, (int)axis + 1, x->rank);
	for (size_t line = 0; n && line < x->count / n; line++) {
		size_t first = line / inner * n * inner + line % inner;
		float sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += expf((float)x->f[first + i * inner]);
		for (size_t i = 0; i < n; i++)
			c->out[0]->f[first + i * inner] = (double)f((float)x->f[first + i * inner], sum);
	}
	return FAULT_CHANGED;
}

static float plain_softmax(float x, float sum)
{
	return expf(x) / sum;
}

static enum fault_effect apply_softmax_overflow(struct call *c, struct fault_state *s)
{
	(void)s;
	return along_axis(c, plain_softmax);
}

const struct fault fault_softmax_overflow = {
	.kind = FAULT_VALUE,
	.what = "softmax does not subtract the maximum: large inputs give NaN",
	.like = "NaN bugs of softmax (Audee, section VI)",
	.ops = softmax_ops,
	.apply = apply_softmax_overflow,
};

static float log_of_softmax(float x, float sum)
{
	return logf(expf(x) / sum);
}

static enum fault_effect apply_log_of_zero(struct call *c, struct fault_state *s)
{
	(void)s;
	return along_axis(c, log_of_softmax);
}

const struct fault fault_log_of_zero = {
	.kind = FAULT_VALUE,
	.what = "LogSoftmax is the logarithm of a softmax that underflows: -inf",
	.like = "log of zero in cross entropy losses (Audee, section VI)",
	.ops = log_softmax_ops,
	.apply = apply_log_of_zero,
};
