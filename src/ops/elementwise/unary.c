/* unary.c - mathematical functions of one input.
 *
 * Each row of the tables gives y and dy/dx as formulas in x.  ulps: 0 where the result is exact, 1 where every library
 * rounds correctly, otherwise what vectorized float32 libraries document for their elementary functions.  floor: see
 * op.h. */
#include <math.h>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/samplers.h"

static const struct op_attr legacy_attrs[] = {OP_ATTR("consumed_inputs", ATTR_INTS), {0}};

/* A function on floats only. */
#define FLOAT_OP(id, ulps_, floor_, value_, slope_)                 \
	UNARY_ROWS(id, value_, slope_)                              \
	UNARY_DRIVERS(id, .value = id##_value, .slope = id##_slope) \
	const struct op op_##id = {                                 \
		.samples = id##_samples,                            \
		.in = {{"X", T_FLOAT, 'T', 0}},                     \
		.out = {{"Y", T_FLOAT, 'T', 0}},                    \
		.attrs = legacy_attrs,                              \
		.infer = same_infer,                                \
		.eval = id##_eval,                                  \
		.grad = id##_grad,                                  \
		.ulps = ulps_,                                      \
		.floor = floor_,                                    \
	};

/* A function on floats and on some integers, exact on both. */
#define NUMBER_OP(id, types_, value_, slope_, int_value_)                              \
	UNARY_ROWS(id, value_, slope_)                                                 \
	UNARY_INTS(id, int_value_)                                                     \
	UNARY_DRIVERS(id, .value = id##_value, .slope = id##_slope, .ints = id##_ints) \
	const struct op op_##id = {                                                    \
		.samples = id##_samples,                                               \
		.in = {{"X", types_, 'T', 0}},                                         \
		.out = {{"Y", types_, 'T', 0}},                                        \
		.attrs = legacy_attrs,                                                 \
		.infer = same_infer,                                                   \
		.eval = id##_eval,                                                     \
		.grad = id##_grad,                                                     \
	};

/* What the fuzzer gives them, within the range where they are known, and how large the result is then. */
/* clang-format off */
#define ANY ((double)INFINITY)
SAMPLE_OF(acos,       .by = &sampler_unary, .types = T_F32, .low = -1, .high = 1, .far = ANY, .bound = 8);
SAMPLE_OF(acosh,      .by = &sampler_unary, .types = T_F32, .low = 1, .high = 100, .far = ANY, .bound = 8);
SAMPLE_OF(asin,       .by = &sampler_unary, .types = T_F32, .low = -1, .high = 1, .far = ANY, .bound = 8);
SAMPLE_OF(asinh,      .by = &sampler_unary, .types = T_F32, .low = -1000, .high = 1000, .far = ANY, .bound = 8);
SAMPLE_OF(atan,       .by = &sampler_unary, .types = T_F32, .low = -1000, .high = 1000, .far = ANY, .bound = 8);
SAMPLE_OF(atanh,      .by = &sampler_unary, .types = T_F32, .low = -0.9, .high = 0.9, .far = ANY, .bound = 8);
SAMPLE_OF(cos,        .by = &sampler_unary, .types = T_F32, .low = -30, .high = 30, .far = 1e4, .bound = 1);
SAMPLE_OF(cosh,       .by = &sampler_unary, .types = T_F32, .low = -5, .high = 5, .far = ANY, .bound = 80);
SAMPLE_OF(erf,        .by = &sampler_unary, .types = T_F32, .bound = 1);
SAMPLE_OF(exp,        .by = &sampler_unary, .types = T_F32 | T_F64, .low = -8, .high = 5, .far = ANY, .bound = 150);
SAMPLE_OF(log,        .by = &sampler_unary, .types = T_F32 | T_F64, .low = 0.125, .high = 1e6, .far = ANY, .bound = 20);
SAMPLE_OF(reciprocal, .by = &sampler_unary, .types = T_F32, .low = 0.125, .high = 1000000, .far = ANY, .bound = 8);
SAMPLE_OF(sin,        .by = &sampler_unary, .types = T_F32, .low = -30, .high = 30, .far = 1e4, .bound = 1);
SAMPLE_OF(sinh,       .by = &sampler_unary, .types = T_F32, .low = -5, .high = 5, .far = ANY, .bound = 80);
SAMPLE_OF(sqrt,       .by = &sampler_unary, .types = T_F32 | T_F64, .low = 0, .high = 1000000, .far = ANY);
SAMPLE_OF(tan,        .by = &sampler_unary, .types = T_F32, .low = -1, .high = 1, .far = 1e4, .bound = 2);
SAMPLE_OF(tanh,       .by = &sampler_unary, .types = T_F32 | T_F64, .bound = 1);
SAMPLE_OF(ceil,       .by = &sampler_unary, .types = T_F32 | T_F64);
SAMPLE_OF(floor,      .by = &sampler_unary, .types = T_F32 | T_F64);
SAMPLE_OF(round,      .by = &sampler_unary, .types = T_F32 | T_F64);

/*       id          ulps  floor  y                       dy/dx */
FLOAT_OP(acos,       3,    3,     acos(x),                -1 / sqrt(1 - x * x))
FLOAT_OP(acosh,      4,    1,     acosh(x),               1 / sqrt((x - 1) * (x + 1)))
FLOAT_OP(asin,       3,    3,     asin(x),                1 / sqrt(1 - x * x))
FLOAT_OP(asinh,      4,    1,     asinh(x),               1 / sqrt(x * x + 1))
FLOAT_OP(atan,       3,    3,     atan(x),                1 / (1 + x * x))
FLOAT_OP(atanh,      4,    1,     atanh(x),               1 / ((1 - x) * (1 + x)))
FLOAT_OP(cos,        3,    2,     cos(x),                 -sin(x))
FLOAT_OP(cosh,       3,    0,     cosh(x),                sinh(x))
FLOAT_OP(erf,        4,    2,     erf(x),                 M_2_SQRTPI * exp(-x * x))
FLOAT_OP(exp,        2,    1,     exp(x),                 exp(x))
FLOAT_OP(log,        2,    1,     log(x),                 1 / x)
FLOAT_OP(reciprocal, 1,    0,     1 / x,                  -1 / (x * x))
FLOAT_OP(sin,        3,    2,     sin(x),                 cos(x))
FLOAT_OP(sinh,       3,    1,     sinh(x),                cosh(x))
FLOAT_OP(sqrt,       1,    0,     sqrt(x),                0.5 / sqrt(x))
FLOAT_OP(tan,        4,    1,     tan(x),                 1 / (cos(x) * cos(x)))
FLOAT_OP(tanh,       3,    2,     tanh(x),                1 - tanh(x) * tanh(x))
/* steps: flat wherever they have a derivative; rint() rounds halves to even */
FLOAT_OP(ceil,       0,    0,     ceil(x),                0)
FLOAT_OP(floor,      0,    0,     floor(x),               0)
FLOAT_OP(round,      0,    0,     rint(x),                0)
/* clang-format on */

#define I_NEG(x) ((int64_t)(0 - (uint64_t)(x))) /* INT64_MIN stays what it is */
#define SIGN(x) (((x) > 0) - ((x) < 0))

/* clang-format off */
SAMPLE_OF(abs,  .by = &sampler_mirror);
SAMPLE_OF(neg,  .by = &sampler_mirror, .types = T_F32 | T_F64 | T_SIGNED);
SAMPLE_OF(sign, .by = &sampler_unary, .types = T_F32 | T_F64 | T_INT, .bound = 1, .ordered = 1);

/*        id    types               y                     dy/dx    integers */
NUMBER_OP(abs,  T_NUM,              fabs(x),              SIGN(x), x < 0 && !is_u64 ? I_NEG(x) : x)
NUMBER_OP(neg,  T_FLOAT | T_SIGNED, -x,                   -1,      I_NEG(x))
/* ONNX does not speak of NaN here; it stays NaN */
NUMBER_OP(sign, T_NUM,              x != x ? x : SIGN(x), 0,       is_u64 ? x != 0 : SIGN(x))
/* clang-format on */

/* ---- bits and truth ---------------------------------------------------------------------------------------------- */

UNARY_INTS(not, !x)
UNARY_INTS(bitwise_not, ~x)

static int not_eval(struct call *c)
{
	not_ints(c->in[0]->i, c->out[0]->i, c->in[0]->count, 0);
	return 0;
}

static int bitwise_not_eval(struct call *c)
{
	bitwise_not_ints(c->in[0]->i, c->out[0]->i, c->in[0]->count, 0);
	return 0;
}

const struct op op_not = {
	.samples = SAMPLES({.by = &sampler_unary, .types = T_BOOL}),
	.in = {{"X", T_BOOL, 'T', 0}},
	.out = {{"Y", T_BOOL, 'T', 0}},
	.infer = same_infer,
	.eval = not_eval,
};

const struct op op_bitwise_not = {
	.samples = SAMPLES({.by = &sampler_bitwise_not}),
	.in = {{"X", T_INT, 'T', 0}},
	.out = {{"Y", T_INT, 'T', 0}},
	.infer = same_infer,
	.eval = bitwise_not_eval,
};

static int bool_infer(struct call *c)
{
	c->out_type[0].dtype = DT_BOOL;
	call_out_shape_of(c, 0, 0);
	return 0;
}

static int isnan_eval(struct call *c)
{
	for (size_t k = 0; k < c->in[0]->count; k++)
		c->out[0]->i[k] = isnan(c->in[0]->f[k]) != 0;
	return 0;
}

static int isinf_eval(struct call *c)
{
	int positive = attr_int(c->node, "detect_positive") != 0;
	int negative = attr_int(c->node, "detect_negative") != 0;

	for (size_t k = 0; k < c->in[0]->count; k++) {
		double x = c->in[0]->f[k];

		c->out[0]->i[k] = isinf(x) && (x > 0 ? positive : negative);
	}
	return 0;
}

static const struct op_attr isinf_attrs[] = {OP_INT("detect_negative", 1), OP_INT("detect_positive", 1), {0}};

const struct op op_is_nan = {
	.samples = SAMPLES({.by = &sampler_unary, .types = T_F32 | T_F64, .bound = 1}),
	.in = {{"X", T_FLOAT | T_FLOAT8, 0, 0}},
	.out = {{"Y", T_BOOL, 0, 0}},
	.infer = bool_infer,
	.eval = isnan_eval,
};

const struct op op_is_inf = {
	.samples = SAMPLES({.by = &sampler_unary, .types = T_F32 | T_F64, .bound = 1}),
	.in = {{"X", T_FLOAT | T_FLOAT8, 0, 0}},
	.out = {{"Y", T_BOOL, 0, 0}},
	.attrs = isinf_attrs,
	.infer = bool_infer,
	.eval = isinf_eval,
};
