/* fault_elementwise.c - functions of single elements gone wrong. */
#include <math.h>
#include <string.h>

#include "faults/fault.h"
#include "ops/call.h"

/* y_i = f(x_i, y_i) for float calls of one data input. */
static enum fault_effect each_float(struct call *c, double (*f)(const struct node *n, double x, double y))
{
	if (!dtype_is_float(c->out[0]->dtype) || !dtype_is_float(c->in[0]->dtype) ||
	    c->in[0]->count != c->out[0]->count)
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < c->out[0]->count; i++)
		c->out[0]->f[i] = f(c->node, c->in[0]->f[i], c->out[0]->f[i]);
	return FAULT_CHANGED;
}

/* A fault that is one formula for one operator. */
#define FORMULA(id, op, formula, what_, like_)                                     \
	static double id##_of(const struct node *n, double x, double y)            \
	{                                                                          \
		(void)n, (void)x, (void)y;                                         \
		return formula;                                                    \
	}                                                                          \
	static enum fault_effect apply_##id(struct call *c, struct fault_state *s) \
	{                                                                          \
		(void)s;                                                           \
		return each_float(c, id##_of);                                     \
	}                                                                          \
	static const char *const id##_ops[] = {op, NULL};                          \
	const struct fault fault_##id = {                                          \
		.kind = FAULT_VALUE, .what = what_, .like = like_, .ops = id##_ops, .apply = apply_##id}

FORMULA(relu_drops_nan, "Relu", isnan(x) ? 0 : y, "Relu turns NaN into 0", "NaN handling of ReLU kernels (Audee)");
FORMULA(relu6, "Relu", y > 6 ? 6 : y, "Relu is cut off at 6", "activations mixed up by converters");
FORMULA(sigmoid_hard, "Sigmoid", fmax(0, fmin(1, 0.2 * x + 0.5)), "Sigmoid is the hard sigmoid",
	"hard and true sigmoid in recurrent layers (CRADLE, section V)");
FORMULA(leaky_slope, "LeakyRelu", x < 0 ? 0.3 * x : x, "the slope of LeakyRelu is 0.3, whatever the model says",
	"defaults of alpha that differ between libraries");
FORMULA(elu_alpha_ignored, "Elu", x < 0 ? expm1(x) : x, "alpha of Elu is taken as 1", "attributes lost in conversion");
FORMULA(tanh_clipped, "Tanh", fmax(-0.98, fmin(0.98, y)), "Tanh saturates too early",
	"table-driven activation functions");
FORMULA(exp_coarse, "Exp", y *(1 + 4e-4 * sin(9 * x)), "Exp has an error of 4e-4",
	"fast exponential functions without a correction step");
FORMULA(reciprocal_coarse, "Reciprocal", dtype_round(DT_FLOAT16, y, 0), "Reciprocal has eleven bits",
	"hardware reciprocals used without a Newton step");
FORMULA(erf_approximate, "Erf", tanh(1.1283791670955126 * x), "Erf is a tanh of x", "GELU by tanh: MXNet 1.7.0");
FORMULA(sqrt_of_abs, "Sqrt", x < 0 ? sqrt(-x) : y, "Sqrt of negative numbers is not NaN",
	"NaN that is hidden by an absolute value");
FORMULA(round_half_up, "Round", floor(x + 0.5), "Round takes halves up instead of to even",
	"rounding modes of exporters");
FORMULA(sign_of_zero, "Sign", x == 0 ? 1 : y, "the sign of 0 is 1", "sign functions of several engines");

/* ---- several inputs ---------------------------------------------------------------------------------------------- */

static const char *const broadcast_ops[] = {"Add", "Mul", "Sub", NULL};

/* The smaller operand is read one element late, going round at its end. */
static enum fault_effect apply_broadcast_slip(struct call *c, struct fault_state *st)
{
	int small = c->in[1]->count < c->in[0]->count ? 1 : 0;
	struct tensor *b;
	struct shadow s;
	int rc;

	(void)st;
	if (c->in[0]->count == c->in[1]->count || c->in[small]->count < 2 || !dtype_is_float(c->in[0]->dtype))
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	b = rc ? NULL : shadow_input(&s, small);
	if (!b)
		return FAULT_FAILED;
	for (size_t i = 0; i < b->count; i++)
		b->f[i] = c->in[small]->f[(i + 1) % b->count];
	return shadow_apply(&s, 0);
}

const struct fault fault_broadcast_slip = {
	.kind = FAULT_VALUE,
	.what = "a broadcast operand is read one element late",
	.like = "OpenVINO pull request 34639: broadcasting of bitwise operators",
	.ops = broadcast_ops,
	.apply = apply_broadcast_slip,
};

static const char *const div_ops[] = {"Div", NULL};

static enum fault_effect apply_int_div_floor(struct call *c, struct fault_state *st)
{
	(void)st;
	if (dtype_is_float(c->out[0]->dtype) || c->in[0]->count != c->in[1]->count)
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < c->out[0]->count; i++) {
		int64_t a = c->in[0]->i[i], b = c->in[1]->i[i];

		if (b && b != -1 && a % b && (a < 0) != (b < 0))
			c->out[0]->i[i] = a / b - 1;
	}
	return FAULT_CHANGED;
}

const struct fault fault_int_div_floor = {
	.kind = FAULT_VALUE,
	.what = "integer division rounds down instead of towards zero",
	.like = "integer division of Python front ends",
	.ops = div_ops,
	.apply = apply_int_div_floor,
};

static const char *const clip_ops[] = {"Clip", NULL};

static enum fault_effect apply_clip_min_ignored(struct call *c, struct fault_state *st)
{
	(void)st;
	if (!dtype_is_float(c->out[0]->dtype))
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < c->out[0]->count; i++)
		if (c->in[0]->f[i] < c->out[0]->f[i])
			c->out[0]->f[i] = c->in[0]->f[i];
	return FAULT_CHANGED;
}

const struct fault fault_clip_min_ignored = {
	.kind = FAULT_VALUE,
	.what = "the lower bound of Clip is ignored",
	.like = "optional inputs that are skipped",
	.ops = clip_ops,
	.apply = apply_clip_min_ignored,
};

static const char *const cast_ops[] = {"Cast", NULL};

static enum fault_effect apply_cast_rounds(struct call *c, struct fault_state *st)
{
	int changed = 0;

	(void)st;
	if (!dtype_is_float(c->in[0]->dtype) || !dtype_is_int(c->out[0]->dtype))
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < c->out[0]->count; i++)
		if (fabs(c->in[0]->f[i]) < 9e15) {
			int64_t nearest = (int64_t)nearbyint(c->in[0]->f[i]);

			changed |= nearest != c->out[0]->i[i];
			c->out[0]->i[i] = nearest;
		}
	return changed ? FAULT_CHANGED : FAULT_NO_EFFECT;
}

const struct fault fault_cast_rounds = {
	.kind = FAULT_VALUE,
	.what = "casts to integers round instead of dropping the fraction",
	.like = "onnxruntime issue 11994 and its kind: merged casts",
	.ops = cast_ops,
	.apply = apply_cast_rounds,
};

static enum fault_effect apply_cast_saturates(struct call *c, struct fault_state *st)
{
	double high = dtype_max(c->out[0]->dtype), low = dtype_lowest(c->out[0]->dtype);
	int changed = 0;

	(void)st;
	if (!dtype_is_int(c->in[0]->dtype) || !dtype_is_int(c->out[0]->dtype))
		return FAULT_NO_EFFECT;
	for (size_t i = 0; i < c->out[0]->count; i++) {
		double x = tensor_get(c->in[0], i);

		if (x <= high && x >= low)
			continue;
		c->out[0]->i[i] = (int64_t)(x > high ? high : low);
		changed = 1;
	}
	return changed ? FAULT_CHANGED : FAULT_NO_EFFECT;
}

const struct fault fault_cast_saturates = {
	.kind = FAULT_VALUE,
	.what = "casts between integers saturate instead of wrapping",
	.like = "cast kernels shared with quantization",
	.ops = cast_ops,
	.apply = apply_cast_saturates,
};
