/* test_odd.c - answers that look wrong and are what a correct library may give, each beside a fault of the same look.
 *
 * What came is the right answer, but for one element. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/build.h"
#include "support/trials.h"
#include "support/workers.h"

#define SEED 7
#define INF ((double)INFINITY)
#define NONE ((double)NAN)

struct odd {
	const char *line;
	size_t element;
	int added; /* `number` is added to the right one; else it stands there */
	double number;
	enum verdict wanted;
};

#define IS(number_) .number = number_
#define OFF_BY(number_) .added = 1, .number = number_

static void put(struct tensor *y, size_t k, const struct odd *o)
{
	double x = o->number + (o->added ? tensor_get(y, k) : 0);

	assert_true(k < y->count);
	if (dtype_is_float(y->dtype))
		y->f[k] = dtype_round(y->dtype, x, 0);
	else
		y->i[k] = (int64_t)x;
}

/* The right answer as a library would give it, and one element of the first output another. */
static struct outcome answer(struct trial *t, const struct odd *odd)
{
	struct outcome o = {.values = mem_array(t->truth.n, sizeof *o.values), .n = t->truth.n};
	struct err e = ERR_INIT;

	for (size_t i = 0; i < o.n; i++) {
		struct tensor *y = tensor_copy(t->truth.outputs[i].value->tensor, &e);

		tensor_round(y);
		if (i == 0)
			put(y, odd->element, odd);
		o.values[i] = value_tensor(y, &e);
	}
	return o;
}

static void judge(struct trial *t, const struct odd *odd, char *reason, size_t size)
{
	struct party p = trials_open("reference");
	struct err e = ERR_INIT;
	struct outcome o;

	assert_int_equal(trial_truth(t, &e), 0);
	o = answer(t, odd);
	if (trial_judge_values(t, &p, NULL, &o, &e) || trial_doubt(t, NULL, DOUBT_FULL, &o, &e))
		fail_msg("%s: %s", odd->line, e.msg);
	if (o.verdict != odd->wanted)
		fail_msg("%s, %g: %s (%s), wanted %s", odd->line, odd->number, verdict_name(o.verdict), o.reason,
			 verdict_name(odd->wanted));
	snprintf(reason, size, "%s", o.reason);
	outcome_release(&o);
	party_close(&p);
}

static void judge_all(const struct odd *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct trial t = trials_line(list[i].line, SEED);
		char reason[512];

		judge(&t, &list[i], reason, sizeof reason);
		trial_release(&t);
	}
}

#define JUDGE_ALL(list) judge_all(list, sizeof(list) / sizeof *(list))

/* The variance of 1e22 is infinite in float32: the bias is left, or nothing.  No other number comes of it, and at 1e15
 * it is a number. */
static void test_sums_beyond_the_range(void **state)
{
#define LAYER(size) "LayerNormalization-17 f32[2,4]@-" size ":" size " f32{1,1,1,1} f32{0.5,0.5,0.5,0.5}"
#define INSTANCE(size) "InstanceNormalization-6 f32[1,2,4]@-" size ":" size " f32{1,2} f32{0.5,0.25}"
#define GROUP(size) "GroupNormalization-21 f32[1,4,3]@-" size ":" size " f32{1,1,1,1} f32{0.5,0,0,0} num_groups=2"
#define BATCH(size)                                                                                                  \
	"BatchNormalization-15 f32[2,2,4]@-" size ":" size " f32{1,1} f32{0.5,0} f32{0,0} f32{1,1} training_mode=1 " \
	"-> 3"
#define L2(size) "ReduceL2-18 f32[2,4]@-" size ":" size " i64{1}"
#define UNIT(size) "LpNormalization-1 f32[2,4]@-" size ":" size
	static const struct odd list[] = {
		{LAYER("1e22"), 0, IS(0.5), VERDICT_ROUNDING},
		{LAYER("1e22"), 0, IS(NONE), VERDICT_ROUNDING},
		{LAYER("1e22"), 0, IS(0.75), VERDICT_WRONG},
		{LAYER("1e15"), 0, IS(0.5), VERDICT_WRONG},
		{LAYER("1e15"), 0, IS(NONE), VERDICT_NAN},
		{INSTANCE("1e22"), 5, IS(0.25), VERDICT_ROUNDING},
		{INSTANCE("1e22"), 5, IS(0.5), VERDICT_WRONG},
		{INSTANCE("1e15"), 5, IS(0.25), VERDICT_WRONG},
		{GROUP("1e22"), 0, IS(0.5), VERDICT_ROUNDING},
		{GROUP("1e22"), 0, IS(0.25), VERDICT_WRONG},
		{GROUP("1e15"), 0, IS(0.5), VERDICT_WRONG},
		{BATCH("1e22"), 0, IS(0.5), VERDICT_ROUNDING},
		{BATCH("1e22"), 0, IS(-0.5), VERDICT_WRONG},
		{BATCH("1e15"), 0, IS(0.5), VERDICT_WRONG},
		{UNIT("1e22"), 0, IS(0), VERDICT_ROUNDING},
		{UNIT("1e22"), 0, IS(1), VERDICT_WRONG},
		{UNIT("1e15"), 0, IS(0), VERDICT_WRONG},
		{L2("1e22"), 0, IS(INF), VERDICT_ROUNDING},
		{L2("1e22"), 0, IS(0), VERDICT_WRONG},
		{L2("1e22"), 0, IS(3e22), VERDICT_WRONG},
		{L2("1e15"), 0, IS(INF), VERDICT_NAN},
		{"ReduceSumSquare-18 f32[2,4]@-1e22:1e22 i64{1}", 0, IS(1e30), VERDICT_WRONG},
		{"ReduceMean-18 f32[2,4]@1e38:3e38 i64{1}", 0, IS(INF), VERDICT_ROUNDING},
		{"ReduceMean-18 f32[2,4]@1e38:3e38 i64{1}", 0, IS(1e38), VERDICT_WRONG},
		{"ReduceMean-18 f32[2,4]@1e36:3e36 i64{1}", 0, IS(INF), VERDICT_NAN},
		{"AveragePool-19 f32[1,2,4]@2e38:3e38 kernel_shape=[2]", 0, IS(INF), VERDICT_ROUNDING},
		{"AveragePool-19 f32[1,2,4]@2e37:3e37 kernel_shape=[2]", 0, IS(INF), VERDICT_NAN},
		{"GlobalLpPool-2 f32[1,2,4]@-1e22:1e22", 0, IS(INF), VERDICT_ROUNDING},
		{"GlobalLpPool-2 f32[1,2,4]@-1e15:1e15", 0, IS(INF), VERDICT_NAN},
		{"LRN-13 f32[1,3,2,2]@-1e22:1e22 size=3", 0, IS(0), VERDICT_ROUNDING},
		{"LRN-13 f32[1,3,2,2]@-1e15:1e15 size=3", 0, IS(0), VERDICT_WRONG},
		/* a library can add float16 in float32, and need not take exp() of what is large */
		{"ReduceL2-18 f16[2,4]@-1000:1000 i64{1}", 0, IS(INF), VERDICT_NAN},
		{"ReduceLogSumExp-18 f32[2,4]@90:100 i64{1}", 0, IS(INF), VERDICT_NAN},
		/* subnormal inputs may be taken for 0 */
		{"Log-13 f32[2,4]@1e-40:1e-39", 0, IS(-INF), VERDICT_ROUNDING},
		{"Log-13 f32[2,4]@1e-37:1e-36", 0, IS(-INF), VERDICT_NAN},
	};

	(void)state;
	JUDGE_ALL(list);
}

/* Functions that are approximated to a part of their range: told as precision, unless a user can see it. */
static void test_approximated_functions(void **state)
{
#define CLOSED "LSTM-14 f32{1}[1,1,1] f32{-25,-25,0,-3}[1,4,1] f32{0,0,0,0}[1,4,1] hidden_size=1"
	static const struct odd list[] = {
		{"Sigmoid-13 f32[2,4]@-18:-15", 3, OFF_BY(1e-6), VERDICT_PRECISION},
		{"Sigmoid-13 f32[2,4]@-18:-15", 3, OFF_BY(1e-4), VERDICT_WRONG},
		{"Sigmoid-13 f32[2,4]@0:1", 3, OFF_BY(1e-5), VERDICT_WRONG},
		{"Erf-13 f32[2,4]@-0.01:0.01", 3, OFF_BY(9e-7), VERDICT_PRECISION},
		{"Erf-13 f32[2,4]@-0.01:0.01", 3, OFF_BY(1e-5), VERDICT_WRONG},
		{"Tanh-13 f32[2,4]@-0.01:0.01", 3, OFF_BY(1e-7), VERDICT_PRECISION},
		{"Tanh-13 f32[2,4]@-0.01:0.01", 3, OFF_BY(-1e-5), VERDICT_WRONG},
		{"Tanh-13 f32[2,4]@1:2", 3, OFF_BY(1e-5), VERDICT_WRONG},
		{"Exp-13 f32[2,4]@-90:-80", 3, IS(1e-30), VERDICT_PRECISION},
		{"Exp-13 f32[2,4]@-90:-80", 3, IS(1e-4), VERDICT_WRONG},
		{"Exp-13 f32[2,4]@4:5", 3, OFF_BY(1e-3), VERDICT_WRONG},
		{"Log-13 f32[2,4]@0.999:1.001", 3, OFF_BY(1.2e-7), VERDICT_PRECISION},
		{"Log-13 f32[2,4]@0.999:1.001", 3, OFF_BY(1e-5), VERDICT_WRONG},
		{"Sin-7 f32[2,4]@3.1415:3.1417", 3, OFF_BY(1.5e-7), VERDICT_PRECISION},
		{"Sin-7 f32[2,4]@3.1415:3.1417", 3, OFF_BY(1e-4), VERDICT_WRONG},
		{"Softplus-1 f32[2,4]@-18:-17", 3, IS(-1.9e-6), VERDICT_PRECISION},
		{"Softplus-1 f32[2,4]@-18:-17", 3, IS(1e-4), VERDICT_WRONG},
		{"Mish-22 f32[2,4]@-18:-17", 3, IS(3.4e-5), VERDICT_PRECISION},
		{"Mish-22 f32[2,4]@-18:-17", 3, IS(1e-3), VERDICT_WRONG},
		{"LSTM-14 f32[3,1,4]@-4:4 f32[1,16,4] f32[1,16,4] hidden_size=4", 3, OFF_BY(1e-4), VERDICT_WRONG},
		/* both gates closed: 5e-7 times 5e-7 is what an approximation makes of 1e-22 */
		{CLOSED, 0, IS(-2.5e-13), VERDICT_PRECISION},
		{CLOSED, 0, IS(1e-4), VERDICT_WRONG},
		{"Softmax-13 f32{0,-95}[1,2]", 1, IS(1.5e-38), VERDICT_PRECISION},
		{"Softmax-13 f32{0,-95}[1,2]", 1, IS(1e-30), VERDICT_WRONG},
		/* the square root is approximated by nobody */
		{"Sqrt-13 f32[2,4]@1e-14:1e-13", 3, OFF_BY(1e-8), VERDICT_WRONG},
	};

	(void)state;
	JUDGE_ALL(list);
}

/* A quotient next to a half goes either way, by one step and no more; next to a half is no other one, and with a scale
 * that is a power of two nothing rounds. */
static void test_quantization_steps(void **state)
{
#define TENTHS "QuantizeLinear-13 f32{0.25,0.22,0.35,-1.55} f32{0.1}[] i8{0}[]"
#define HALVES "QuantizeLinear-13 f32{1.25,0.75} f32{0.5}[] i8{0}[]"
#define BACK "DequantizeLinear-13 i8{0,1,-128,127} f32{0.1}[] i8{0}[]"
#define MATMUL "QLinearMatMul-10 u8{5,2}[1,2] f32{0.1}[] u8{0}[] u8{1,0}[2,1] f32{0.1}[] u8{0}[] f32{0.02}[] u8{0}[]"
	static const struct odd list[] = {
		{TENTHS, 0, IS(3), VERDICT_ROUNDING},   {TENTHS, 0, IS(1), VERDICT_WRONG},
		{TENTHS, 0, IS(4), VERDICT_WRONG},      {TENTHS, 1, IS(3), VERDICT_WRONG},
		{TENTHS, 1, IS(1), VERDICT_WRONG},      {HALVES, 0, IS(3), VERDICT_WRONG},
		{MATMUL, 0, IS(2), VERDICT_ROUNDING},   {MATMUL, 0, IS(4), VERDICT_WRONG},
		{BACK, 0, IS(3e-6), VERDICT_PRECISION}, {BACK, 0, IS(0.1), VERDICT_WRONG},
		{BACK, 0, IS(0.01), VERDICT_WRONG},     {BACK, 3, OFF_BY(0.001), VERDICT_WRONG},
	};

	(void)state;
	JUDGE_ALL(list);
}

/* The same in com.microsoft, where nothing says whether a half is rounded before or after the zero point is added: with
 * any scale. */
static void test_steps_of_microsoft(void **state)
{
#define ADD "com.microsoft:QLinearAdd-1 u8{5,6}[2] f32{0.5}[] u8{0}[] u8{0,0}[2] f32{1}[] u8{0}[] f32{1}[] u8{7}[]"
#define GEMM \
	"com.microsoft:QGemm-1 u8{5,2}[1,2] f32{0.1}[] u8{0}[] u8{1,0}[2,1] f32{0.1}[] u8{0}[] - f32{0.02}[] u8{1}[]"
#define POOL                                                                                                        \
	"com.microsoft:QLinearAveragePool-1 u8{1,2,4,4}[1,1,4] f32{1}[] u8{0}[] f32{1}[] u8{3}[] kernel_shape=[2] " \
	"strides=[2]"
	static const struct odd list[] = {
		{ADD, 0, IS(10), VERDICT_ROUNDING}, {ADD, 0, IS(8), VERDICT_WRONG},     {ADD, 0, IS(11), VERDICT_WRONG},
		{ADD, 1, IS(11), VERDICT_WRONG},    {GEMM, 0, IS(3), VERDICT_ROUNDING}, {GEMM, 0, IS(2), VERDICT_WRONG},
		{POOL, 0, IS(4), VERDICT_ROUNDING}, {POOL, 0, IS(6), VERDICT_WRONG},    {POOL, 1, IS(8), VERDICT_WRONG},
	};

	(void)state;
	JUDGE_ALL(list);
}

#define TERMS 16

/* Σ of TERMS numbers that are quantized in steps of 0.1, each of them next to a half. */
static struct trial sum_of_ties(void)
{
	struct value **inputs = mem_array(1, sizeof *inputs);
	struct trial t = {0};
	struct err e = ERR_INIT;
	struct wire *x, *step;
	struct model *m;
	struct build b;

	build_begin(&b, 13, SEED, &e);
	x = build_input(&b, "x", DT_FLOAT, 2, (int64_t[]){1, TERMS});
	step = build_floats(&b, "step", 0, NULL, (double[]){0.1});
	x = build_op(&b, "DequantizeLinear", "real", build_op(&b, "QuantizeLinear", "whole", x, step, NULL), step,
		     NULL);
	x = build_op(&b, "MatMul", "sum", x, build_fill(&b, "ones", 2, (int64_t[]){TERMS, 1}, 1), NULL);
	build_output(&b, x);
	assert_int_equal(build_end(&b, &m), 0);
	inputs[0] = value_tensor(tensor_new(DT_FLOAT, 2, (int64_t[]){1, TERMS}, &e), &e);
	for (size_t i = 0; i < TERMS; i++)
		inputs[0]->tensor->f[i] = (double)(float)(0.05 + 0.1 * (double)i);
	if (trial_init(&t, m, inputs, SEED, &e))
		fail_msg("%s", e.msg);
	return t;
}

/* Each term may be a step further up or down, and the sum is off by some steps, but not by many more than there are
 * terms. */
static void test_many_ties(void **state)
{
	static const struct odd list[] = {
		{"a sum of ties", 0, OFF_BY(3 * 0.1), VERDICT_ROUNDING},
		{"a sum of ties", 0, OFF_BY(-5 * 0.1), VERDICT_ROUNDING},
		{"a sum of ties", 0, OFF_BY(60 * 0.1), VERDICT_WRONG},
	};

	(void)state;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct trial t = sum_of_ties();
		char reason[512];

		judge(&t, &list[i], reason, sizeof reason);
		trial_release(&t);
	}
}

/* Weights that are sums of terms which cancel: right at an element those of its neighbours are 0, and a last place of
 * the terms to a library.  What is right there is exactly 0, too. */
static void test_cancelled_weights(void **state)
{
#define GRID "GridSample-20 f32{60,0,60}[1,1,1,3] f32{0,0,0.1,0}[1,1,2,2] mode=\"cubic\" align_corners=1"
#define RESIZE                                                                  \
	"Resize-19 f32{60,0,60,0,60}[1,1,1,5] - - i64{1,1,1,9} mode=\"cubic\" " \
	"coordinate_transformation_mode=\"align_corners\""
#define WHOLE "Resize-19 f32{60,60,60,0,60,60,60,1,2,3,4,5,6,7}[1,1,2,7] - - i64{1,1,2,1} mode=\"linear\""
#define IMAGE(size) "Resize-19 f32{0,60,0,0}[1,1,2,2] - - i64{1,1," size "} mode=\"linear\""
#define SAME "MeanVarianceNormalization-13 f32{3.3,3.3,3.3,3.3,1,2,3,4}[1,2,2,2] axes=[0,2,3]"
#define NORM "LayerNormalization-17 f32{3.3,3.3,3.3,3.3,1,2,3,4}[2,4] f32{1,1,1,1}"
	static const struct odd list[] = {
		{GRID, 0, IS(5e-6), VERDICT_ROUNDING},
		{GRID, 0, IS(0.01), VERDICT_WRONG},
		{RESIZE, 2, IS(5e-6), VERDICT_ROUNDING},
		{RESIZE, 2, IS(0.01), VERDICT_WRONG},
		{WHOLE, 0, IS(2e-5), VERDICT_ROUNDING},
		{WHOLE, 0, IS(0.01), VERDICT_WRONG},
		{IMAGE("2,4"), 7, IS(5.7e-5), VERDICT_ROUNDING}, /* rows stay, the place is held at 1 - 1e-6 */
		{IMAGE("2,4"), 7, IS(0.01), VERDICT_WRONG},
		{IMAGE("4,2"), 7, IS(5.7e-5), VERDICT_ROUNDING}, /* the place is beyond the last row */
		{IMAGE("2,2"), 3, IS(5.7e-5), VERDICT_WRONG},    /* nothing is computed */
		{SAME, 0, IS(NONE), VERDICT_ROUNDING},
		{SAME, 4, IS(NONE), VERDICT_NAN},
		{NORM, 0, IS(1e-4), VERDICT_ROUNDING},
		{NORM, 0, IS(0.1), VERDICT_WRONG},
		{"HardSwish-14 f32{-3,-1,2}", 0, IS(-1.8e-7), VERDICT_ROUNDING},
		{"HardSwish-14 f32{-3,-1,2}", 0, IS(-0.01), VERDICT_WRONG},
		{"HardSwish-14 f32{-3.1,-1,2}", 0, IS(-1.8e-7), VERDICT_WRONG},
		{"HardSigmoid-6 f32{-2.5,-1,2}", 0, IS(3e-8), VERDICT_ROUNDING},
		{"HardSigmoid-6 f32{-2.5,-1,2}", 0, IS(0.01), VERDICT_WRONG},
		{"HardSigmoid-6 f32{-2.6,-1,2}", 0, IS(3e-8), VERDICT_WRONG},
	};

	(void)state;
	JUDGE_ALL(list);
}

/* What is said of the distance from a right value of 0 is a number. */
static void test_words_on_zero(void **state)
{
	static const struct odd list[] = {
		{"Relu-14 f32[2,4]@-2:-1", 0, IS(0.01), VERDICT_WRONG},
		{GRID, 0, IS(0.01), VERDICT_WRONG},
		{"Sigmoid-13 f32[2,4]@-18:-15", 3, OFF_BY(1e-6), VERDICT_PRECISION},
	};
	static const char *const words[] = {"it is off by 0.01, and nothing rounds there",
					    "times the noise of rounding", "1 element is off by 1e-06"};

	(void)state;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct trial t = trials_line(list[i].line, SEED);
		char reason[512];

		judge(&t, &list[i], reason, sizeof reason);
		if (!strstr(reason, words[i]) || strstr(reason, "inf"))
			fail_msg("%s: %s", list[i].line, reason);
		trial_release(&t);
	}
}

/* ---- several nodes ----------------------------------------------------------------------------------------------- */

static struct trial trial_of(struct build *b, const double *x, size_t n, struct err *e)
{
	struct value **in = mem_array(1, sizeof *in);
	struct tensor *t = NULL;
	struct model *m = NULL;
	struct trial out;

	if (build_end(b, &m))
		fail_msg("%s", e->msg);
	t = tensor_new(DT_FLOAT, m->graph->inputs.at[0]->type.rank, m->graph->inputs.at[0]->type.dims, e);
	assert_int_equal(t->count, n);
	memcpy(t->f, x, n * sizeof *x);
	in[0] = value_tensor(t, e);
	assert_int_equal(trial_init(&out, m, in, SEED, e), 0);
	return out;
}

/* The determinant of proportional rows is 0, and what a library has in its place is a rounding.  A Fourier transform of
 * that has roundings of its own, where the exact one has none: sin(π) in float32 is -8.7e-8. */
static struct trial transform_of_nothing(void)
{
	static const double x[] = {0.25, 0.5, 1.25, 1.5};
	struct err e = ERR_INIT;
	struct wire *w, *pads, *shape, *length, *step;
	struct build b;

	build_begin(&b, 21, SEED, &e);
	w = build_op(&b, "Exp", "a", build_input(&b, "x", DT_FLOAT, 2, (int64_t[]){2, 2}), NULL);
	w = build_op(&b, "Det", "b", w, NULL);
	shape = build_ints64(&b, "shape", 3, (int64_t[]){1, 1, 1});
	pads = build_ints64(&b, "pads", 6, (int64_t[]){0, 1, 0, 0, 2, 0});
	w = build_op(&b, "Pad", "d", build_op(&b, "Reshape", "c", w, shape, NULL), pads, NULL);
	length = build_op(&b, "Squeeze", "length", build_ints64(&b, "four", 1, (int64_t[]){4}), NULL);
	step = build_op(&b, "Squeeze", "step", build_ints64(&b, "one", 1, (int64_t[]){1}), NULL);
	build_op_n(&b, "STFT", "y", (struct wire *[]){w, step, NULL, length}, 4, (const char *const[]){"y"}, 1);
	build_output(&b, b.last ? b.last->out[0] : NULL);
	return trial_of(&b, x, 4, &e);
}

/* exp(150) is infinite in float32, and infinity times 0 NaN: what Cast makes of it is open.  What does not come of it
 * is not. */
static struct trial cast_of_overflow(int cast_first)
{
	static const double x[] = {-75, 1};
	struct err e = ERR_INIT;
	struct wire *in, *w, *y;
	struct build b;

	build_begin(&b, 21, SEED, &e);
	in = build_input(&b, "x", DT_FLOAT, 1, (int64_t[]){2});
	w = build_op(&b, "Celu", "a", in, NULL);
	build_float(&b, "alpha", -0.5);
	w = build_op(&b, "Mul", "b", w, build_fill(&b, "zero", 1, (int64_t[]){1}, 0), NULL);
	w = build_op(&b, "Cast", "c", w, NULL);
	build_int(&b, "to", DT_INT32);
	y = build_op(&b, "Relu", "y", in, NULL);
	build_output(&b, cast_first ? w : y);
	build_output(&b, cast_first ? y : w);
	return trial_of(&b, x, 2, &e);
}

static void judge_and_release(struct trial t, const struct odd *odd)
{
	char reason[512];

	judge(&t, odd, reason, sizeof reason);
	trial_release(&t);
}

static void test_roundings_of_roundings(void **state)
{
	static const struct odd small = {"STFT of Det", 5, IS(9e-17), VERDICT_ROUNDING};
	static const struct odd large = {"STFT of Det", 5, IS(1e-10), VERDICT_WRONG};

	(void)state;
	judge_and_release(transform_of_nothing(), &small);
	judge_and_release(transform_of_nothing(), &large);
}

static void test_open_behind_overflow(void **state)
{
	static const struct odd cast = {"Cast of NaN", 0, IS(-2147483648.0), VERDICT_UNSPECIFIED};
	static const struct odd beside = {"beside a Cast of NaN", 0, IS(1), VERDICT_WRONG};

	(void)state;
	judge_and_release(cast_of_overflow(1), &cast);
	judge_and_release(cast_of_overflow(0), &beside);
}

/* Integers over 0, the lowest over -1, and shifts by the width: any number, and what stands beside is judged no more.
 * The lowest modulo -1 is 0, and version 28 says what such shifts give. */
static void test_open_integers(void **state)
{
	static const struct odd list[] = {
		{"Div-14 i32{4,5} i32{2,0}", 1, IS(7), VERDICT_UNSPECIFIED},
		{"Div-14 i32{4,5} i32{2,2}", 1, IS(7), VERDICT_WRONG},
		{"Div-14 f32{4,5} f32{2,0}", 1, IS(7), VERDICT_WRONG},
		{"Div-14 i32{4,-2147483648} i32{2,-1}", 1, IS(0), VERDICT_UNSPECIFIED},
		{"Div-14 i32{4,-2147483648} i32{2,-2}", 1, IS(0), VERDICT_WRONG},
		{"Mod-13 i64{4,5} i64{2,0}", 1, IS(7), VERDICT_UNSPECIFIED},
		{"Mod-13 i32{4,-2147483648} i32{2,-1}", 1, IS(7), VERDICT_WRONG},
		{"BitShift-11 u8{3,5} u8{1,8} direction=\"LEFT\"", 1, IS(5), VERDICT_UNSPECIFIED},
		{"BitShift-11 u8{3,5} u8{1,7} direction=\"LEFT\"", 1, IS(5), VERDICT_WRONG},
		{"BitShift-28 u8{3,5} u8{1,8} direction=\"LEFT\"", 1, IS(5), VERDICT_WRONG},
	};

	(void)state;
	JUDGE_ALL(list);
}

/* Of NaN and numbers any may be the largest, and no other number. */
static struct trial largest_of_nan(void)
{
	static const double x[] = {(double)NAN, 2, 3};
	struct err e = ERR_INIT;
	struct wire *in;
	struct build b;

	build_begin(&b, 21, SEED, &e);
	in = build_input(&b, "x", DT_FLOAT, 1, (int64_t[]){3});
	build_output(&b, build_op(&b, "Max", "y", in, build_fill(&b, "one", 1, (int64_t[]){1}, 1), NULL));
	return trial_of(&b, x, 3, &e);
}

static void test_choice_of_nan(void **state)
{
	static const struct odd number = {"Max of NaN and 1", 0, IS(1), VERDICT_UNSPECIFIED};
	static const struct odd other = {"Max of NaN and 1", 0, IS(7), VERDICT_WRONG};
	static const struct odd beside = {"Max of 2 and 1", 1, IS(7), VERDICT_WRONG};

	(void)state;
	judge_and_release(largest_of_nan(), &number);
	judge_and_release(largest_of_nan(), &other);
	judge_and_release(largest_of_nan(), &beside);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_sums_beyond_the_range),
		TEST(test_approximated_functions),
		TEST(test_quantization_steps),
		TEST(test_cancelled_weights),
		TEST(test_words_on_zero),
		TEST(test_steps_of_microsoft),
		TEST(test_many_ties),
		TEST(test_roundings_of_roundings),
		TEST(test_open_behind_overflow),
		TEST(test_open_integers),
		TEST(test_choice_of_nan),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
