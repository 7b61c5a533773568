/* test_backend_quantized.c - what ONNX Runtime's own quantizer writes, judged on ONNX Runtime.
 *
 * Every line of data/cases/contrib_quant.case, and four small networks: convolutions with quantized tensors between
 * them, a recurrent layer with dynamic quantization, a layer with weights of four bits, and a product by weights behind
 * DequantizeLinear.  All must be judged, and none be a finding; a fault that is put into what came must be one.
 * Skipped, with the reason, where ONNX Runtime is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "model/build.h"
#include "model/case_file.h"
#include "support/backend.h"
#include "support/trials.h"
#include "worker/parent/quirks.h"

#define SEED 3
#define CASES "data/cases/contrib_quant.case"
#define MICROSOFT "com.microsoft"

static int n_opened;

static struct party open_ort(void)
{
	struct err e = ERR_INIT;
	struct party p;

	if (party_open(&p, "ort", NULL, &e))
		backend_skip(&e);
	n_opened++;
	return p;
}

/* ---- one operator ------------------------------------------------------------------------------------------------ */

static void test_cases(void **state)
{
	struct party p = open_ort();
	struct case_lines lines;
	struct quirks known; /* sums that saturate on processors without VNNI */
	struct judge_options options = {.quirks = &known};
	struct err e = ERR_INIT;
	int wrong = 0, judged = 0;

	(void)state;
	if (quirks_load("data/quirks.tsv", &known, &e))
		fail_msg("%s", e.msg);
	if (case_lines_read(CASES, &lines, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < lines.all.n; i++) {
		struct trial t = trials_line(lines.all.at[i].text, SEED);
		struct outcome o;

		if (trial_judge(&t, &p, &options, &o, &e))
			fail_msg("%s: %s", lines.all.at[i].text, e.msg);
		judged += o.verdict != VERDICT_UNSUPPORTED;
		if (verdict_is_finding(o.verdict)) {
			print_error("%s\n    %s: %s\n", lines.all.at[i].text, verdict_name(o.verdict), o.reason);
			wrong++;
		}
		outcome_release(&o);
		trial_release(&t);
	}
	print_message("%d of %zu lines judged\n", judged, lines.all.n);
	assert_int_equal(wrong, 0);
	assert_true((size_t)judged == lines.all.n);
	case_lines_release(&lines);
	quirks_release(&known);
	party_close(&p);
}

/* ---- networks ---------------------------------------------------------------------------------------------------- */

/* Makes the node that was added last one of Microsoft's. */
static void of_microsoft(struct build *b)
{
	struct opset o = {MICROSOFT, 1};

	if (b->rc)
		return;
	b->last->domain = MICROSOFT;
	b->last->opset = 1;
	if (!model_opset(b->model, MICROSOFT))
		b->rc = vec_push(&b->model->opsets, o);
}

/* An initializer of whole numbers, drawn between low and high. */
static struct wire *whole(struct build *b, const char *name, enum dtype type, int rank, const int64_t *dims,
			  int64_t low, int64_t high)
{
	struct tensor *wide = b->rc ? NULL : tensor_new(type, rank, dims, b->err), *packed;
	struct wire *w = NULL;

	for (size_t i = 0; wide && i < wide->count; i++)
		wide->i[i] = rng_between(&b->rng, low, high);
	packed = wide ? tensor_pack(wide, b->err) : NULL;
	tensor_unref(wide);
	if (packed)
		b->rc = graph_add_init(b->graph, name, packed, &w, b->err);
	return w;
}

static struct wire *number(struct build *b, const char *name, double x)
{
	return build_floats(b, name, 0, NULL, &x);
}

static struct wire *zero_point(struct build *b, const char *name, int64_t x)
{
	return whole(b, name, DT_UINT8, 0, NULL, x, x);
}

/* x → QuantizeLinear → QLinearConv → QLinearSigmoid, times it, plus the convolution → QLinearGlobalAveragePool → QGemm
 * → DequantizeLinear */
static void add_convolutions(struct build *b)
{
	struct wire *x = build_input(b, "x", DT_FLOAT, 4, (int64_t[]){2, 3, 8, 8});
	struct wire *s1 = number(b, "s1", 0.016), *z1 = zero_point(b, "z1", 128), *s2 = number(b, "s2", 0.06),
		    *z2 = zero_point(b, "z2", 119), *sw = number(b, "sw", 0.005), *zw = zero_point(b, "zw", 131),
		    *s3 = number(b, "s3", 0.00390625), *z3 = zero_point(b, "z3", 0);
	struct wire *w = whole(b, "w", DT_UINT8, 4, (int64_t[]){4, 3, 3, 3}, 0, 255),
		    *wg = whole(b, "wg", DT_UINT8, 2, (int64_t[]){4, 5}, 0, 255);
	struct wire *c, *y;

	x = build_op(b, "QuantizeLinear", "q", x, s1, z1, NULL);
	c = build_op(b, "QLinearConv", "c", x, s1, z1, w, sw, zw, s2, z2, NULL);
	build_ints(b, "pads", (int64_t[]){1, 1, 1, 1}, 4);
	y = build_op(b, "QLinearSigmoid", "s", c, s2, z2, s3, z3, NULL);
	of_microsoft(b);
	y = build_op(b, "QLinearMul", "m", c, s2, z2, y, s3, z3, s2, z2, NULL);
	of_microsoft(b);
	y = build_op(b, "QLinearAdd", "a", y, s2, z2, c, s2, z2, s2, z2, NULL);
	of_microsoft(b);
	y = build_op(b, "QLinearGlobalAveragePool", "g", y, s2, z2, s1, z1, NULL);
	of_microsoft(b);
	y = build_op(b, "Flatten", "f", y, NULL);
	y = build_op_n(b, "QGemm", "e", (struct wire *[]){y, s1, z1, wg, sw, zw, NULL, s1, z1}, 9,
		       (const char *[]){"e"}, 1)
		    ->out[0];
	of_microsoft(b);
	build_output(b, build_op(b, "DequantizeLinear", "y", y, s1, z1, NULL));
}

/* Weights of seven bits: without VNNI, pairs of larger products saturate (data/quirks.tsv). */
static void add_recurrent(struct build *b)
{
	struct wire *x = build_input(b, "x", DT_FLOAT, 3, (int64_t[]){5, 2, 6});
	struct wire *w = whole(b, "w", DT_INT8, 3, (int64_t[]){1, 6, 16}, -64, 64),
		    *r = whole(b, "r", DT_INT8, 3, (int64_t[]){1, 4, 16}, -64, 64),
		    *zero = whole(b, "zero", DT_INT8, 1, (int64_t[]){1}, 0, 0),
		    *scale = build_fill(b, "scale", 1, (int64_t[]){1}, 0.004);
	struct wire *wm = whole(b, "wm", DT_INT8, 2, (int64_t[]){4, 3}, -64, 64);
	struct wire *in[] = {x, w, r, NULL, NULL, NULL, NULL, NULL, scale, zero, scale, zero};
	struct node *n = build_op_n(b, "DynamicQuantizeLSTM", "l", in, 12, (const char *[]){"l"}, 1);

	build_int(b, "hidden_size", 4);
	of_microsoft(b);
	x = n ? build_op(b, "DynamicQuantizeMatMul", "y", n->out[0], wm, number(b, "sm", 0.01), NULL) : NULL;
	of_microsoft(b);
	build_output(b, x);
}

static void add_four_bits(struct build *b)
{
	struct wire *x = build_input(b, "x", DT_FLOAT, 2, (int64_t[]){3, 64});
	struct wire *w = whole(b, "w", DT_UINT8, 3, (int64_t[]){8, 2, 16}, 0, 255),
		    *s = build_uniform(b, "s", 2, (int64_t[]){8, 2}, 0.01, 0.05),
		    *z = whole(b, "z", DT_UINT8, 2, (int64_t[]){8, 1}, 0, 255);

	x = build_op(b, "MatMulNBits", "m", x, w, s, z, NULL);
	build_int(b, "K", 64);
	build_int(b, "N", 8);
	build_int(b, "bits", 4);
	build_int(b, "block_size", 32);
	of_microsoft(b);
	build_output(b, build_op(b, "Relu", "y", x, NULL));
}

/* Weights of 8 bits that the library multiplies by in a node of its own making, MatMulNBits. */
static void add_dequantized(struct build *b)
{
	struct wire *x = build_input(b, "x", DT_FLOAT, 2, (int64_t[]){3, 64});
	struct wire *w = whole(b, "w", DT_INT8, 2, (int64_t[]){64, 8}, -127, 127);

	w = build_op(b, "DequantizeLinear", "d", w, number(b, "s", 0.01), NULL);
	build_output(b, build_op(b, "MatMul", "y", x, w, NULL));
}

static struct trial network(void (*add)(struct build *b))
{
	struct value **inputs = mem_array(1, sizeof *inputs);
	struct trial t = {0};
	struct err e = ERR_INIT;
	struct model *m;
	struct build b;
	struct rng rng;
	struct tensor *x;

	build_begin(&b, 17, SEED, &e);
	add(&b);
	if (build_end(&b, &m))
		fail_msg("%s", e.msg);
	x = tensor_new(DT_FLOAT, m->graph->inputs.at[0]->type.rank, m->graph->inputs.at[0]->type.dims, &e);
	rng_init(&rng, SEED);
	for (size_t i = 0; i < x->count; i++)
		x->f[i] = (double)(float)rng_uniform(&rng, -2, 2);
	inputs[0] = value_tensor(x, &e);
	if (trial_init(&t, m, inputs, SEED, &e))
		fail_msg("%s", e.msg);
	return t;
}

/* What the library gives, with its largest element another. */
static void spoil(struct tensor *y)
{
	size_t most = 0;

	for (size_t i = 0; i < y->count; i++)
		most = y->f[i] > y->f[most] ? i : most;
	y->f[most] = dtype_round(DT_FLOAT, 3 * y->f[most] + 1, 0);
}

static void check_network(void (*add)(struct build *b))
{
	struct party p = open_ort();
	struct trial t = network(add);
	struct err e = ERR_INIT;
	struct outcome o;
	struct tensor *y;

	if (trial_judge(&t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	if (o.verdict != VERDICT_AGREE && o.verdict != VERDICT_ROUNDING)
		fail_msg("%s: %s", verdict_name(o.verdict), o.reason);
	y = tensor_widen(o.values[0]->tensor, &e);
	tensor_unref(o.values[0]->tensor);
	o.values[0]->tensor = tensor_copy(y, &e);
	tensor_unref(y);
	spoil(o.values[0]->tensor);
	if (trial_judge_values(&t, &p, NULL, &o, &e) || trial_doubt(&t, NULL, DOUBT_FULL, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	outcome_release(&o);
	trial_release(&t);
	party_close(&p);
}

static void test_convolutions(void **state)
{
	(void)state;
	check_network(add_convolutions);
}

static void test_recurrent(void **state)
{
	(void)state;
	check_network(add_recurrent);
}

static void test_four_bits(void **state)
{
	(void)state;
	check_network(add_four_bits);
}

static void test_dequantized(void **state)
{
	(void)state;
	check_network(add_dequantized);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),     cmocka_unit_test(test_convolutions), cmocka_unit_test(test_recurrent),
		cmocka_unit_test(test_four_bits), cmocka_unit_test(test_dequantized),
	};

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed ? failed : n_opened ? 0 : BACKEND_SKIPPED;
}
