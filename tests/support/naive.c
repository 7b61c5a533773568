/* naive.c - see naive.h.  Compiled without contraction, as the whole program: each operation rounds. */
#include "support/naive.h"

#include <math.h>

/* ---- functions of one element ------------------------------------------------------------------------------------ */

#define EACH(name, formula)                                     \
	static void name(const struct naive_in *in, float *y)   \
	{                                                       \
		for (size_t i = 0; i < in->rows * in->n; i++) { \
			float x = in->x[0][i];                  \
                                                                \
			y[i] = formula;                         \
		}                                               \
	}

EACH(elu, x < 0 ? expf(x) - 1.0f : x)
EACH(celu, fmaxf(0.0f, x) + fminf(0.0f, 0.3f * (expf(x / 0.3f) - 1.0f)))
EACH(selu, x > 0 ? 1.050701f * x : 1.050701f * (1.6732632f * expf(x) - 1.6732632f))
EACH(sigmoid_tanh, 0.5f + 0.5f * tanhf(0.5f * x))
EACH(sigmoid_exp, 1.0f / (1.0f + expf(-x)))
EACH(swish_tanh, (0.5f + 0.5f * tanhf(0.5f * x)) * x)
EACH(softplus_plain, logf(1.0f + expf(x)))
EACH(mish_plain, tanhf(logf(1.0f + expf(x))) * x)
EACH(gelu_plain, 0.5f * x * (1.0f + erff(x * 0.70710678f)))
EACH(gelu_tanh_plain, 0.5f * x * (1.0f + tanhf(0.7978846f * (x + 0.044715f * (x * x * x)))))
EACH(hard_swish_sixth, fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) * x / 6.0f)
EACH(hard_sigmoid_fma, fmaxf(0.0f, fminf(1.0f, fmaf(0.2f, x, 0.5f))))

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static float sum_forward(const float *x, size_t n)
{
	float sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

static float sum_backward(const float *x, size_t n)
{
	float sum = 0;

	while (n)
		sum += x[--n];
	return sum;
}

static float sum_pairwise(const float *x, size_t n)
{
	return n < 3 ? sum_forward(x, n) : sum_pairwise(x, n / 2) + sum_pairwise(x + n / 2, n - n / 2);
}

/* In eight lanes, as vector units do. */
static float sum_lanes(const float *x, size_t n)
{
	float lane[8] = {0};

	for (size_t i = 0; i < n; i++)
		lane[i % 8] += x[i];
	return sum_pairwise(lane, 8);
}

#define SUM_ROWS(name, sum)                                      \
	static void name(const struct naive_in *in, float *y)    \
	{                                                        \
		for (size_t i = 0; i < in->rows; i++)            \
			y[i] = sum(in->x[0] + i * in->n, in->n); \
	}

SUM_ROWS(rows_backward, sum_backward)
SUM_ROWS(rows_pairwise, sum_pairwise)
SUM_ROWS(rows_lanes, sum_lanes)

static float mean_reciprocal(const float *x, size_t n)
{
	return sum_lanes(x, n) * (1.0f / (float)n);
}

static float square_sum_fma(const float *x, size_t n)
{
	float sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = fmaf(x[i], x[i], sum);
	return sum;
}

static float norm_fma(const float *x, size_t n)
{
	return sqrtf(square_sum_fma(x, n));
}

static float exp_sum(const float *x, size_t n)
{
	float sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += expf(x[i]);
	return sum;
}

static float log_sum_exp_plain(const float *x, size_t n)
{
	return logf(exp_sum(x, n));
}

static float product_backward(const float *x, size_t n)
{
	float product = 1;

	while (n)
		product *= x[--n];
	return product;
}

SUM_ROWS(rows_mean, mean_reciprocal)
SUM_ROWS(rows_square_sum, square_sum_fma)
SUM_ROWS(rows_norm, norm_fma)
SUM_ROWS(rows_log_sum_exp, log_sum_exp_plain)
SUM_ROWS(rows_product, product_backward)

/* A row times a column, fused. */
static void rows_dot(const struct naive_in *in, float *y)
{
	for (size_t i = 0; i < in->rows; i++) {
		y[i] = 0;
		for (size_t k = 0; k < in->n; k++)
			y[i] = fmaf(in->x[0][i * in->n + k], in->x[1][k], y[i]);
	}
}

/* start + delta + delta + …; the line has delta = 0.3 and ends below 1000. */
static void range_adding(const struct naive_in *in, float *y)
{
	float at = in->x[0][0];

	for (size_t i = 0; i < (size_t)ceil((1000.0 - (double)in->x[0][0]) / (double)0.3f); i++, at += 0.3f)
		y[i] = at;
}

/* ---- rows that are divided by what they sum to ------------------------------------------------------------------- */

static void softmax_plain(const struct naive_in *in, float *y)
{
	for (const float *x = in->x[0], *end = x + in->rows * in->n; x < end; x += in->n) {
		float sum = exp_sum(x, in->n);

		for (size_t k = 0; k < in->n; k++)
			*y++ = expf(x[k]) / sum;
	}
}

static void softmax_reciprocal(const struct naive_in *in, float *y)
{
	for (const float *x = in->x[0], *end = x + in->rows * in->n; x < end; x += in->n) {
		float share = 1.0f / exp_sum(x, in->n);

		for (size_t k = 0; k < in->n; k++)
			*y++ = expf(x[k]) * share;
	}
}

static void log_softmax_plain(const struct naive_in *in, float *y)
{
	for (const float *x = in->x[0], *end = x + in->rows * in->n; x < end; x += in->n)
		for (size_t k = 0; k < in->n; k++)
			*y++ = x[k] - log_sum_exp_plain(x, in->n);
}

/* Mean and variance from Σx and Σx² in one pass; inputs are X, Scale and B.  Only where the mean is small: what it
 * loses elsewhere is told (docs/oracle.md). */
static void layer_norm_one_pass(const struct naive_in *in, float *y)
{
	for (const float *x = in->x[0], *end = x + in->rows * in->n; x < end; x += in->n) {
		float mean = mean_reciprocal(x, in->n), squares = square_sum_fma(x, in->n) / (float)in->n;
		float inv = 1.0f / sqrtf(squares - mean * mean + 1e-5f);

		for (size_t k = 0; k < in->n; k++)
			*y++ = (x[k] - mean) * inv * in->x[1][k] + in->x[2][k];
	}
}

/* Welford's recurrence, which loses no more than two passes do; inputs as above. */
static void layer_norm_welford(const struct naive_in *in, float *y)
{
	for (const float *x = in->x[0], *end = x + in->rows * in->n; x < end; x += in->n) {
		float mean = 0, squares = 0, inv;

		for (size_t k = 0; k < in->n; k++) {
			float d = x[k] - mean;

			mean += d / (float)(k + 1);
			squares += d * (x[k] - mean);
		}
		inv = 1.0f / sqrtf(squares / (float)in->n + 1e-5f);
		for (size_t k = 0; k < in->n; k++)
			*y++ = (x[k] - mean) * inv * in->x[1][k] + in->x[2][k];
	}
}

/* ---- the discrete Fourier transform by its sum, with angles as they come ----------------------------------------- */

static void dft_plain(const struct naive_in *in, float *y)
{
	for (const float *x = in->x[0], *end = x + in->rows * in->n; x < end; x += in->n)
		for (size_t k = 0; k < in->n; k++) {
			float re = 0, im = 0;

			for (size_t j = 0; j < in->n; j++) {
				float angle = -6.2831853f * (float)j * (float)k / (float)in->n;

				re += x[j] * cosf(angle);
				im += x[j] * sinf(angle);
			}
			*y++ = re;
			*y++ = im;
		}
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

const struct naive naives[] = {
	{"Elu-6 f32[300]@-10:2", "exp(x) - 1", elu},
	{"Elu-6 f32[300]@-0.01:0.01", "exp(x) - 1", elu},
	{"Celu-12 f32[300]@-10:2 alpha=0.3", "exp(x / a) - 1", celu},
	{"Selu-6 f32[300]@-10:2", "a exp(x) - a", selu},
	{"Sigmoid-13 f32[300]@-20:20", "1/2 + tanh(x/2)/2", sigmoid_tanh},
	{"Sigmoid-13 f32[300]@-80:20", "1 / (1 + exp(-x))", sigmoid_exp},
	{"Swish-24 f32[300]@-20:20", "x (1/2 + tanh(x/2)/2)", swish_tanh},
	{"Softplus-22 f32[300]@-80:80", "log(1 + exp(x))", softplus_plain},
	{"Mish-18 f32[300]@-80:10", "x tanh(log(1 + exp(x)))", mish_plain},
	{"Gelu-20 f32[300]@-10:10", "x/2 (1 + erf)", gelu_plain},
	{"Gelu-20 f32[300]@-10:10 approximate=\"tanh\"", "x/2 (1 + tanh)", gelu_tanh_plain},
	{"HardSwish-14 f32[300]@-3.1:3.1", "x min(max(x + 3, 0), 6) / 6", hard_swish_sixth},
	{"HardSigmoid-6 f32[300]@-3:3", "fused", hard_sigmoid_fma},
	{"ReduceSum-13 f32[9,1000] i64{1}", "backwards", rows_backward},
	{"ReduceSum-13 f32[9,1000]@0.5:2 i64{1}", "backwards", rows_backward},
	{"ReduceSum-13 f32[9,1000]@0.5:2 i64{1}", "in pairs", rows_pairwise},
	{"ReduceSum-13 f32[9,1000]@0.5:2 i64{1}", "in lanes", rows_lanes},
	{"ReduceMean-13 f32[9,1000]@0.5:2 axes=[1]", "times 1/n", rows_mean},
	{"ReduceSumSquare-18 f32[9,1000] i64{1}", "fused", rows_square_sum},
	{"ReduceL2-18 f32[9,1000] i64{1}", "fused", rows_norm},
	{"ReduceLogSumExp-18 f32[9,1000]@-20:20 i64{1}", "without the maximum", rows_log_sum_exp},
	{"ReduceProd-18 f32[9,300]@0.9:1.1 i64{1}", "backwards", rows_product},
	{"MatMul-13 f32[9,1000]@0.5:2 f32[1000,1]@0.5:2", "fused", rows_dot},
	{"Range-11 f32[]@0.5:1.0 f32{1000.0}[] f32{0.3}[]", "adding", range_adding},
	{"Softmax-13 f32[9,100]@-20:20", "without the maximum", softmax_plain},
	{"Softmax-13 f32[9,100]@-20:20", "times 1 / sum", softmax_reciprocal},
	{"LogSoftmax-13 f32[9,100]@-20:20", "without the maximum", log_softmax_plain},
	{"LayerNormalization-17 f32[9,300] f32[300] f32[300]", "in one pass", layer_norm_one_pass},
	{"LayerNormalization-17 f32[9,300]@9:11 f32[300] f32[300]", "by recurrence", layer_norm_welford},
	{"LayerNormalization-17 f32[9,300]@999:1001 f32[300] f32[300]", "by recurrence", layer_norm_welford},
	{"DFT-20 f32[9,200,1] - i64{1}[]", "by its sum", dft_plain},
	{NULL, NULL, NULL},
};
