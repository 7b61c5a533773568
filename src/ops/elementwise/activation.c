/* activation.c - activation functions of one input; a and b are their attributes.
 *
 * scale: how far a straightforward float32 evaluation of the specification's formula may move the result.  Where terms
 * cancel, as in exp(x) - 1, the error is of the size of the terms and not of the result. */
#include <math.h>
#include <string.h>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/samplers.h"
#include "ops/kit/domain.h"

static const struct op_attr no_attrs[] = {OP_ATTR("consumed_inputs", ATTR_INTS), {0}};

static const struct op_attr alpha_attrs[] = {OP_FLOAT("alpha", 1), OP_ATTR("consumed_inputs", ATTR_INTS), {0}};

static const struct op_attr leaky_relu_attrs[] = {OP_FLOAT("alpha", 0.01f), OP_ATTR("consumed_inputs", ATTR_INTS), {0}};

static const struct op_attr alpha_beta_attrs[] = {
	OP_FLOAT("alpha", 0.2f),
	OP_FLOAT("beta", 0.5f),
	OP_ATTR("consumed_inputs", ATTR_INTS),
	{0},
};

static const struct op_attr alpha_gamma_attrs[] = {
	OP_FLOAT("alpha", 1.6732f),
	OP_FLOAT_SINCE(6, "alpha", 1.67326319f),
	OP_FLOAT("gamma", 1.0507f),
	OP_FLOAT_SINCE(6, "gamma", 1.05070102f),
	OP_ATTR("consumed_inputs", ATTR_INTS),
	{0},
};

/* What the fuzzer gives them, and how large the result is then. */
/* clang-format off */
SAMPLE_OF(leaky_relu,       .by = &sampler_alpha, .types = T_F32);
SAMPLE_OF(thresholded_relu, .by = &sampler_alpha, .types = T_F32);
SAMPLE_OF(elu,              .by = &sampler_alpha, .types = T_F32);
SAMPLE_OF(selu,             .by = &sampler_unary, .types = T_F32, .low = -1000000, .high = 1000000, .far = 1e30,
	  .bound = 1.1e6); /* 1.05 x */
SAMPLE_OF(celu,             .by = &sampler_alpha, .types = T_F32, .low = -8, .high = 1000000,
	  .bound = 1e7); /* exp(x / alpha), and alpha may be -0.5 */
SAMPLE_OF(sigmoid,          .by = &sampler_unary, .types = T_F32 | T_F64, .low = -12, .high = 12, .far = 1e30,
	  .bound = 1);
SAMPLE_OF(hard_sigmoid,     .by = &sampler_alpha, .types = T_F32, .bound = 1, .ordered = 1);
SAMPLE_OF(hard_swish,       .by = &sampler_unary, .types = T_F32, .low = -1000, .high = 1000, .far = 1e30);
SAMPLE_OF(swish,            .by = &sampler_alpha, .types = T_F32, .low = -8, .high = 1000, .far = 1e30);
SAMPLE_OF(mish,             .by = &sampler_unary, .types = T_F32, .low = -8, .high = 1000, .far = 1e30);
SAMPLE_OF(softplus,         .by = &sampler_unary, .types = T_F32, .low = -80, .high = 1000, .far = 1e30);
SAMPLE_OF(softsign,         .by = &sampler_unary, .types = T_F32, .bound = 1);
/* clang-format on */

/* The descriptor of an activation on floats; further members follow. */
#define ACTIVATION(id, attrs_, ...)              \
	const struct op op_##id = {              \
		.samples = id##_samples,         \
		.in = {{"X", T_FLOAT, 'T', 0}},  \
		.out = {{"Y", T_FLOAT, 'T', 0}}, \
		.attrs = attrs_,                 \
		.infer = same_infer,             \
		.eval = id##_eval,               \
		.grad = id##_grad,               \
		__VA_ARGS__,                     \
	}

/* 1 / (1 + e^-x); e^-x = inf gives 0, so no case is needed. */
static inline double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* log(1 + e^x) without overflow. */
static inline double softplus(double x)
{
	return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* ---- Relu and its relatives -------------------------------------------------------------------------------------- */

#define RELU(x, a, b) ((x) < 0 ? 0 : (x))
#define LEAKY_RELU(x, a, b) ((x) < 0 ? (a) * (x) : (x))

/* y = max(0, x); also on signed integers */
UNARY_ROWS(relu, RELU(x, a, b), x > 0)
UNARY_INTS(relu, x < 0 ? 0 : x)
UNARY_DRIVERS(relu, .value = relu_value, .slope = relu_slope, .ints = relu_ints)

/* max(0, x + d) - max(0, x) is max(-x, d) above 0 and max(0, x + d) below. */
static inline __attribute__((always_inline)) void relu_delta_loop(const double *x, const float *in, float *out,
								  size_t n, size_t lanes)
{
	for (size_t k = 0; k < n; k++, in += lanes, out += lanes) {
		float shift = x[k] > 0 ? 0.0f : (float)x[k], least = x[k] > 0 ? (float)-x[k] : 0.0f;

		for (size_t l = 0; l < lanes; l++) {
			float d = in[l] + shift;

			out[l] = d < least ? least : d;
		}
	}
}

#define RELU_RUN 64

typedef float lanes_vector __attribute__((vector_size(USUAL_LANES * sizeof(float))));
typedef int32_t lanes_mask __attribute__((vector_size(USUAL_LANES * sizeof(float))));

/* The same for the usual lanes, which are a vector; compilers do not see it.  Nor do they see that it takes no branch,
 * unless the numbers of a run are made before. */
static inline __attribute__((always_inline)) void relu_delta_usual(const double *x, const float *in, float *out,
								   size_t n)
{
	for (size_t run; n; n -= run, x += run) {
		float shift[RELU_RUN], least[RELU_RUN];

		run = n < RELU_RUN ? n : RELU_RUN;
		for (size_t k = 0; k < run; k++) {
			shift[k] = (float)(x[k] > 0 ? 0 : x[k]);
			least[k] = (float)(x[k] > 0 ? -x[k] : 0);
		}
		for (size_t k = 0; k < run; k++, in += USUAL_LANES, out += USUAL_LANES) {
			lanes_vector d, bound = least[k] + (lanes_vector){0};
			lanes_mask below;

			memcpy(&d, in, sizeof d);
			d += shift[k];
			below = d < bound;
			d = (lanes_vector)(((lanes_mask)bound & below) | ((lanes_mask)d & ~below));
			memcpy(out, &d, sizeof d);
		}
	}
}

CLONES static void relu_delta_all(const double *x, const float *in, float *out, size_t n, size_t lanes)
{
	if (lanes == USUAL_LANES)
		relu_delta_usual(x, in, out, n);
	else
		relu_delta_loop(x, in, out, n, lanes);
}

static void relu_delta_elements(void *arg, size_t first, size_t end)
{
	const struct call *c = ((const struct unary_loop *)arg)->c;
	size_t lanes = (size_t)c->lanes;

	relu_delta_all(c->in[0]->f + first, c->in_delta[0] + first * lanes, c->out_delta[0] + first * lanes,
		       end - first, lanes);
}

static enum delta_result relu_delta(struct call *c)
{
	unary_share(&(struct unary_loop){.c = c, .u = &relu_unary}, relu_delta_elements, (double)c->lanes);
	return DELTA_DONE;
}

static int relu_prepare(struct step *s)
{
	return dtype_is_float(s->call->out_type[0].dtype);
}

static void relu_piece(const struct step *s, size_t first, size_t n, const double *x, double *y)
{
	(void)s, (void)first;
	relu_value(x, y, n, 0, 0);
}

static void relu_delta_piece(const struct step *s, size_t first, size_t n, const double *x, float *d)
{
	(void)first;
	relu_delta_all(x, d, d, n, (size_t)s->call->lanes);
}

static const struct op_step relu_step = {relu_prepare, relu_piece, NULL, relu_delta_piece};

const struct op op_relu = {
	.samples = SAMPLES({.by = &sampler_unary, .types = T_F32 | T_F64 | T_SIGNED, .ordered = 1}),
	.rules = RULES(DOMAIN_NAN),
	.in = {{"X", T_FLOAT | T_SIGNED, 'T', 0}},
	.out = {{"Y", T_FLOAT | T_SIGNED, 'T', 0}},
	.attrs = no_attrs,
	.infer = same_infer,
	.eval = relu_eval,
	.grad = relu_grad,
	.delta = relu_delta,
	.step = &relu_step,
	.flags = OP_IN_PLACE,
};

/* y = a x below 0, x above */
UNARY_ROWS(leaky_relu, LEAKY_RELU(x, a, b), x < 0 ? a : 1)
UNARY_DRIVERS(leaky_relu, .value = leaky_relu_value, .slope = leaky_relu_slope, .attrs = {"alpha"})
UNARY_SCALE(leaky_relu, x < 0 ? fabs(y) : 0)
UNARY_DELTA(leaky_relu, LEAKY_RELU)
ACTIVATION(leaky_relu, leaky_relu_attrs, .scale = leaky_relu_scale, .delta = leaky_relu_delta, .flags = OP_IN_PLACE);

/* y = x above a, else 0 (NaN too: it is not above a) */
UNARY_ROWS(thresholded_relu, x > a ? x : 0, x > a)
UNARY_DRIVERS(thresholded_relu, .value = thresholded_relu_value, .slope = thresholded_relu_slope, .attrs = {"alpha"})
ACTIVATION(thresholded_relu, alpha_attrs, .ulps = 0);

/* ---- exponential linear units ------------------------------------------------------------------------------------ */

/* y = a (e^x - 1) below 0, x above */
UNARY_ROWS(elu, x < 0 ? a * expm1(x) : x, x < 0 ? a * exp(x) : 1)
UNARY_DRIVERS(elu, .value = elu_value, .slope = elu_slope, .attrs = {"alpha"})
UNARY_SCALE(elu, x < 0 ? fabs(a) + 2 * fabs(y) : 0)
ACTIVATION(elu, alpha_attrs, .scale = elu_scale);

/* y = b (a e^x - a) up to 0, b x above */
UNARY_ROWS(selu, x > 0 ? b * x : b * (a * expm1(x)), x > 0 ? b : b * (a * exp(x)))
UNARY_DRIVERS(selu, .value = selu_value, .slope = selu_slope, .attrs = {"alpha", "gamma"})
UNARY_SCALE(selu, x > 0 ? fabs(y) : 2 * (fabs(a * b) + fabs(y)))
ACTIVATION(selu, alpha_gamma_attrs, .scale = selu_scale);

/* y = max(0, x) + min(0, a (e^(x/a) - 1)) */
UNARY_ROWS(celu, nan_max(0, x) + nan_min(0, expm1(x / a) * a), (x > 0) + (a * expm1(x / a) < 0 ? exp(x / a) : 0))
UNARY_DRIVERS(celu, .value = celu_value, .slope = celu_slope, .attrs = {"alpha"})
UNARY_SCALE(celu, x < 0 ? 2 * (fabs(a) + fabs(y)) + fabs(x) : 0)
ACTIVATION(celu, alpha_attrs, .scale = celu_scale,
	   .rules = RULES({.broken = domain_attr_is_zero, .attr = "alpha"}, DOMAIN_NAN_IN));

/* ---- sigmoids ---------------------------------------------------------------------------------------------------- */

UNARY_ROWS(sigmoid, sigmoid(x), sigmoid(x) * sigmoid(-x))
UNARY_DRIVERS(sigmoid, .value = sigmoid_value, .slope = sigmoid_slope)
/* libraries also use 1/2 + tanh(x/2)/2, or a rational function of that form: an error of 1/2 ulp of 1/2 remains */
UNARY_SCALE(sigmoid, 2 * y + 0.5)

/* s(x + d) - s(x) from s' = s (1 - s) and s'' = s' (1 - 2 s): one exponential for all lanes.  The third-order term is
 * below d^2/6 of the first; larger d are computed in full. */
static enum delta_result sigmoid_delta(struct call *c)
{
	const float *in = c->in_delta[0];
	float *out = c->out_delta[0];

	for (size_t k = 0; k < c->in[0]->count; k++) {
		double x = c->in[0]->f[k], s = sigmoid(x), slope = s * (1 - s);

		for (int lane = 0; lane < c->lanes; lane++) {
			double d = *in++;

			*out++ = fabs(d) < 0.01 ? (float)(slope * d * (1 + 0.5 * (1 - 2 * s) * d))
						: moved_by(sigmoid(x + d), s);
		}
	}
	return DELTA_DONE;
}

ACTIVATION(sigmoid, no_attrs, .scale = sigmoid_scale, .floor = 1, .delta = sigmoid_delta, .flags = OP_IN_PLACE);

/* y = max(0, min(1, a x + b)) */
#define HARD_SIGMOID(x, a, b) nan_max(0, nan_min(1, (a) * (x) + (b)))
UNARY_ROWS(hard_sigmoid, HARD_SIGMOID(x, a, b), b + a * x > 0 && b + a * x < 1 ? a : 0)
UNARY_DRIVERS(hard_sigmoid, .value = hard_sigmoid_value, .slope = hard_sigmoid_slope, .attrs = {"alpha", "beta"})
/* at a corner of the exact function a x + b may still be, or no longer be, what is cut off */
#define NEAR(v, size) (fabs(v) <= 0x1p-21 * (size))
UNARY_SCALE(hard_sigmoid,
	    (y > 0 && y < 1) || NEAR(a * x + b, fabs(b)) || NEAR(a * x + b - 1, 1 + fabs(b)) ? fabs(a * x) + y : 0)
ACTIVATION(hard_sigmoid, alpha_beta_attrs, .scale = hard_sigmoid_scale, .rules = RULES(DOMAIN_NAN_IN));

/* ---- x times a sigmoid ------------------------------------------------------------------------------------------- */

/* y = x max(0, min(1, x/6 + 1/2)) */
UNARY_ROWS(hard_swish, HARD_SIGMOID(x, 1.0 / 6, 0.5) * x, x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5)
UNARY_DRIVERS(hard_swish, .value = hard_swish_value, .slope = hard_swish_slope)
/* x · 6 / 6 is rounded where the formula is x · 1 */
UNARY_SCALE(hard_swish, fabs(x) < 3 || NEAR(fabs(x) - 3, 3) ? fabs(x) * (fabs(x) / 6 + 0.5) + fabs(y) : fabs(y))
ACTIVATION(hard_swish, no_attrs, .scale = hard_swish_scale);

/* An approximated gate is off where it is neither closed nor open. */
#define GATED(x) fmin(fabs(x), 16)

/* y = x sigmoid(a x) */
UNARY_ROWS(swish, sigmoid((a * x)) * x, sigmoid((a * x)) * (1 + a * x * sigmoid(-a * x)))
UNARY_DRIVERS(swish, .value = swish_value, .slope = swish_slope, .attrs = {"alpha"})
UNARY_SCALE(swish, 0.5 * fabs(x) + absolute * GATED(x) + 3 * fabs(y))
ACTIVATION(swish, alpha_attrs, .scale = swish_scale);

/* y = x tanh(log(1 + e^x)) */
UNARY_ROWS(mish, tanh(softplus(x)) * x,
	   tanh(softplus(x)) + x * (1 - tanh(softplus(x)) * tanh(softplus(x))) * sigmoid(x))
UNARY_DRIVERS(mish, .value = mish_value, .slope = mish_slope)
UNARY_SCALE(mish, fabs(x) + absolute * GATED(x) + 3 * fabs(y))
ACTIVATION(mish, no_attrs, .scale = mish_scale);

/* y = x/2 (1 + erf(x / sqrt 2)); erfc keeps the digits that the sum would lose */
#define NORMAL_CDF(x) (0.5 * erfc(-(x)*M_SQRT1_2))
#define NORMAL_PDF(x) (0.5 * M_2_SQRTPI * M_SQRT1_2 * exp(-0.5 * (x) * (x)))
UNARY_ROWS(gelu_erf, NORMAL_CDF(x) * x, NORMAL_CDF(x) + x * NORMAL_PDF(x))
UNARY_DRIVERS(gelu_erf, .value = gelu_erf_value, .slope = gelu_erf_slope)

/* approximate="tanh": y = x/2 (1 + tanh(u)) = x sigmoid(2 u) with u = sqrt(2/pi) (x + 0.044715 x^3) */
#define GELU_2U(x) (M_2_SQRTPI * M_SQRT2 * ((x) + 0.044715 * (x) * (x) * (x)))
#define GELU_2DU(x) (M_2_SQRTPI * M_SQRT2 * (1 + 3 * 0.044715 * (x) * (x)))
UNARY_ROWS(gelu_tanh, sigmoid(GELU_2U(x)) * x, sigmoid(GELU_2U(x)) * (1 + x * sigmoid(-GELU_2U(x)) * GELU_2DU(x)))
UNARY_DRIVERS(gelu_tanh, .value = gelu_tanh_value, .slope = gelu_tanh_slope)

static int gelu_is_tanh(const struct call *c)
{
	return !strcmp(attr_string(c->node, "approximate"), "tanh");
}

static int gelu_infer(struct call *c)
{
	const char *approximate = attr_string(c->node, "approximate");

	if (strcmp(approximate, "none") != 0 && strcmp(approximate, "tanh") != 0)
		return call_bad(c, "attribute approximate is '%s', wanted 'none' or 'tanh'", approximate);
	return same_infer(c);
}

static int gelu_eval(struct call *c)
{
	return gelu_is_tanh(c) ? gelu_tanh_eval(c) : gelu_erf_eval(c);
}

static int gelu_grad(struct call *c)
{
	return gelu_is_tanh(c) ? gelu_tanh_grad(c) : gelu_erf_grad(c);
}

UNARY_SCALE(gelu_erf, fabs(x) + absolute * GATED(x) + 3 * fabs(y))

static const struct op_attr gelu_attrs[] = {OP_STRING("approximate", "none"), {0}};

const struct op op_gelu = {
	.samples = SAMPLES({.by = &sampler_unary, .types = T_F32, .low = -3, .high = 1000, .far = 1e30}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = gelu_attrs,
	.infer = gelu_infer,
	.eval = gelu_eval,
	.grad = gelu_grad,
	.scale = gelu_erf_scale,
};

/* ---- soft ones --------------------------------------------------------------------------------------------------- */

/* y = log(1 + e^x) */
UNARY_ROWS(softplus, softplus(x), sigmoid(x))
UNARY_DRIVERS(softplus, .value = softplus_value, .slope = softplus_slope)
UNARY_SCALE(softplus, 1 + 2 * fabs(y))
ACTIVATION(softplus, no_attrs, .scale = softplus_scale, .floor = 1);

/* y = x / (1 + |x|) */
UNARY_ROWS(softsign, x / (1 + fabs(x)), 1 / ((1 + fabs(x)) * (1 + fabs(x))))
UNARY_DRIVERS(softsign, .value = softsign_value, .slope = softsign_slope)
ACTIVATION(softsign, no_attrs, .ulps = 2);
