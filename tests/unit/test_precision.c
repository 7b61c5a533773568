/* test_precision.c - nodes that are computed in a lower precision than their tensors have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "reference/precision.h"
#include "support/networks.h"
#include "support/trials.h"

static void run_line(const char *line, const struct ref_options *o, struct ref_result *out)
{
	struct err e = ERR_INIT;
	struct op_case c;
	struct ref *r;

	assert_int_equal(case_parse(line, 1, &c, &e), 0);
	assert_int_equal(ref_open(c.model, &r, &e), 0);
	assert_int_equal(ref_run(r, c.inputs, c.n, o, out, &e), 0);
	ref_close(r);
	case_release(&c);
}

static const struct tensor *rounded(const char *line, enum ref_precision p, struct ref_result *out)
{
	const struct ref_options o = {.mode = REF_ROUNDED, .precision = p};

	run_line(line, &o, out);
	return out->outputs[0].value->tensor;
}

static void test_numbers(void **state)
{
	enum ref_precision p = REF_OWN;

	(void)state;
	assert_true(precision_round(REF_BF16, 1 + 0x1p-8) == 1); /* ties to even */
	assert_true(precision_round(REF_BF16, 1 + 0x1.8p-8) == 1 + 0x1p-7);
	assert_true(precision_round(REF_TF32, 1 + 0x1p-11) == 1);
	assert_true(precision_round(REF_TF32, 1e30) > 9e29);
	assert_true(isinf(precision_round(REF_F16, 1e5)));
	assert_true(precision_round(REF_F16, 65519) == 65504);
	assert_true(precision_round(REF_F16, 0x1p-24) == 0x1p-24);
	assert_true(precision_round(REF_F16, 0x1p-26) == 0);
	assert_true(precision_round(REF_OWN, 1.1) == 1.1);
	assert_true(precision_roundoff(REF_BF16) == 0x1p-8);
	assert_true(precision_roundoff(REF_F16) == 0x1p-11 && precision_roundoff(REF_TF32) == 0x1p-11);
	assert_true(precision_find("bfloat16", &p) && p == REF_BF16);
	assert_true(precision_find("tf32", &p) && p == REF_TF32);
	assert_true(precision_find("int8", &p) && p == REF_INT8);
	assert_true(precision_round(REF_INT8, 1.1) == 1.1 && precision_roundoff(REF_INT8) == 0);
	assert_false(precision_find("int4", &p));
}

/* Inputs and outputs are rounded. */
static void test_rounded(void **state)
{
	static const char line[] = "Mul-14 f32{1.01,300,1e-7,1e-9,1.5}[5] f32{1.01,300,1,1,3}[5]";
	const double in = 1 + 0x1p-7; /* 1.01 in bfloat16 */
	struct ref_result r;
	const struct tensor *y = rounded(line, REF_BF16, &r);

	(void)state;
	assert_true(y->f[0] == precision_round(REF_BF16, in * in));
	assert_true(y->f[1] == precision_round(REF_BF16, 90000));
	ref_result_release(&r);
	y = rounded(line, REF_F16, &r);
	assert_true(isinf(y->f[1]));
	assert_true(y->f[2] == 0x1p-23 && y->f[3] == 0 && y->f[4] == 4.5);
	ref_result_release(&r);
	y = rounded(line, REF_TF32, &r); /* no product of tensors */
	assert_true(y->f[0] == (double)(float)((double)1.01f * (double)1.01f));
	ref_result_release(&r);
}

/* TF32 rounds what is multiplied, and no sums. */
static void test_products(void **state)
{
	static const char line[] = "MatMul-13 f32{1.0001,1000}[1,2] f32{1,1}[2,1]";
	struct ref_result r;

	(void)state;
	assert_true(rounded(line, REF_TF32, &r)->f[0] == 1001);
	ref_result_release(&r);
	assert_true(rounded(line, REF_BF16, &r)->f[0] == 1000);
	ref_result_release(&r);
	assert_true(rounded(line, REF_OWN, &r)->f[0] == (double)(float)((double)1.0001f + 1000));
	ref_result_release(&r);
}

/* Narrower types, integers, and what only says what is to be done stay as they are. */
static void test_left_alone(void **state)
{
	static const char *const lines[] = {
		"Add-14 f16[3,5] f16[3,5]",
		"Add-14 i32[3,5] i32[3,5]",
		"Resize-13 f32[1,1,4,4]@1:1 - f32{1,1,1.27,1.27} mode=\"nearest\"",
		"QuantizeLinear-13 f32{0.1,0.2,0.3} f32{0.0123} i8{0}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct ref_result own, low;
		const struct tensor *a = rounded(lines[i], REF_OWN, &own), *b = rounded(lines[i], REF_BF16, &low);

		assert_true(tensor_same_bits(a, b));
		ref_result_release(&own);
		ref_result_release(&low);
	}
}

/* What becomes a whole number of eight bits is a number like any other, and no scale: 0.99999994 is 1 in float16. */
static void test_converted(void **state)
{
	static const char *const lines[] = {"Cast-19 f32{0.99999994} to=3", "Cast-19 f32[1]@0.99999994:0.99999994 to=3",
					    "CastLike-19 f32[1]@0.99999994:0.99999994 i8{7}",
					    "Cast-19 f32[1]@0.99999994:0.99999994 to=7"};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct ref_result own, low;

		assert_true(tensor_get(rounded(lines[i], REF_OWN, &own), 0) == 0);
		assert_true(tensor_get(rounded(lines[i], REF_F16, &low), 0) == 1);
		ref_result_release(&own);
		ref_result_release(&low);
	}
}

/* By node, in place of one for all. */
static void test_by_node(void **state)
{
	const unsigned char own[] = {REF_OWN}, low[] = {REF_BF16};
	struct ref_options o = {.mode = REF_ROUNDED, .precision = REF_BF16, .precisions = own};
	struct ref_result r;

	(void)state;
	run_line("Add-14 f32{1.01} f32{0}", &o, &r);
	assert_true(r.outputs[0].value->tensor->f[0] == (double)1.01f);
	ref_result_release(&r);
	o = (struct ref_options){.mode = REF_ROUNDED, .precisions = low};
	run_line("Add-14 f32{1.01} f32{0}", &o, &r);
	assert_true(r.outputs[0].value->tensor->f[0] == 1 + 0x1p-7);
	ref_result_release(&r);
}

/* The noise of a lower precision explains what a rounded run gives, and is not much more. */
static void test_noise(void **state)
{
	static const char *const lines[] = {
		"Add-14 f32[30,5] f32[30,5]",
		"Exp-13 f32[100]",
		"MatMul-13 f32[8,200] f32[200,16]",
		"Conv-11 f32[1,16,8,8] f32[8,16,3,3] f32[8]",
		"Conv-11 f32[1,64,8,8] f32[72,64,3,3]",
		"Gemm-13 f32[8,64] f32[64,16] f32[16]",
		"Softmax-13 f32[8,64]",
		"LayerNormalization-17 f32[8,64] f32[64] f32[64]",
		"LSTM-14 f32[5,2,8] f32[1,16,8] f32[1,16,4] hidden_size=4",
		"Transpose-13 f32[10,20]",
		"Concat-13 f32[3,4] f32[3,4] axis=0",
	};

	(void)state;
	for (size_t i = 0; i < 3 * sizeof lines / sizeof *lines; i++) {
		const char *line = lines[i / 3];
		enum ref_precision p = (enum ref_precision)(REF_TF32 + i % 3);
		const struct ref_options noisy = {.mode = REF_NOISY, .precision = p, .noise_runs = 32};
		struct ref_result low, noise;
		const struct tensor *got = rounded(line, p, &low), *exact;
		double worst = 0, mean = 0;

		run_line(line, &noisy, &noise);
		exact = noise.outputs[0].value->tensor;
		for (size_t k = 0; k < got->count; k++) {
			double unit = fmax((double)noise.outputs[0].noise[k], 0x1p-24 * fabs(exact->f[k]));
			double ratio = got->f[k] == exact->f[k] ? 0 : fabs(got->f[k] - exact->f[k]) / unit;

			worst = fmax(worst, ratio);
			mean += ratio / (double)got->count;
		}
		if (p == REF_TF32 && worst == 0)
			mean = 1; /* data that is only moved is no operand */
		if (!(worst < 6 && mean > 0.05))
			print_error("%s in %s: %g at most, %g\n", line, precision_row(p)->words, worst, mean);
		assert_true(worst < 6 && mean > 0.05);
		ref_result_release(&low);
		ref_result_release(&noise);
	}
}

/* A sum that is kept in a lower precision loses more than its result does. */
static void test_reduced(void **state)
{
	struct ref_options o = {.mode = REF_NOISY, .precision = REF_BF16};
	struct ref_result once, often;

	(void)state;
	run_line("MatMul-13 f32[1,1000] f32[1000,1]", &o, &once);
	o.reduced = 1;
	run_line("MatMul-13 f32[1,1000] f32[1000,1]", &o, &often);
	assert_true(often.outputs[0].noise[0] > 4 * once.outputs[0].noise[0]);
	ref_result_release(&once);
	ref_result_release(&often);
}

/* Quantizers take tensors of float16, too; its own roundings are a fifth of half a step here. */
static void test_stored_float16(void **state)
{
	const struct ref_options o = {.mode = REF_NOISY, .precision = REF_INT8};
	struct model *m = net_begin((int64_t[]){8}, 1);
	struct ref_result r;
	struct err e = ERR_INIT;
	struct trial t;

	(void)state;
	assert_int_equal(node_set_int(net_add(m->graph, "Cast", "x", "half"), "to", DT_FLOAT16, &e), 0);
	net_add(m->graph, "Sigmoid", "half", "stored");
	assert_int_equal(node_set_int(net_add(m->graph, "Cast", "stored", "y"), "to", DT_FLOAT, &e), 0);
	t = net_finish(m, "y", net_random(5, 1, (int64_t[]){8}, 0.5, 1));
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_int_equal(ref_run(t.ref, t.inputs, 1, &o, &r, &e), 0);
	for (size_t i = 0; i < 8; i++)
		assert_true((double)r.outputs[0].noise[i] > 0.4 * 0.6 / 255);
	ref_result_release(&r);
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_rounded),        cmocka_unit_test(test_products),
		cmocka_unit_test(test_by_node), cmocka_unit_test(test_left_alone),     cmocka_unit_test(test_noise),
		cmocka_unit_test(test_reduced), cmocka_unit_test(test_stored_float16), cmocka_unit_test(test_converted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
