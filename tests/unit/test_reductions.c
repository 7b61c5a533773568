/* Reductions, softmax, losses, recurrent operators, attention and signals: values worked out by hand at the edges of
 * their definitions, and nodes that must be refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/case.h"
#include "reference/reference.h"

#define MOST 8

struct example {
	const char *line;
	size_t n; /* elements of output 0 */
	double want[MOST];
};

static int run_line(const char *line, struct ref_result *out, struct op_case *c, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref *r = NULL;
	int rc = case_parse(line, 1, c, e);

	if (rc)
		print_error("%s: %s\n", line, e->msg);
	assert_int_equal(rc, 0); /* a line that cannot be read proves nothing */
	rc = ref_open(c->model, &r, e);
	if (!rc)
		rc = ref_run(r, c->inputs, c->n, &o, out, e);
	ref_close(r);
	return rc;
}

static void check_example(const struct example *x)
{
	struct op_case c = {0};
	struct ref_result out = {0};
	struct err e = ERR_INIT;
	int rc = run_line(x->line, &out, &c, &e);

	if (rc)
		print_error("%s: %s\n", x->line, e.msg);
	assert_int_equal(rc, 0);
	assert_int_equal(out.outputs[0].value->tensor->count, x->n);
	for (size_t i = 0; i < x->n; i++) {
		double y = tensor_get(out.outputs[0].value->tensor, i);
		int same = isnan(x->want[i]) ? isnan(y) : y == x->want[i] || fabs(y - x->want[i]) < 1e-12;

		if (!same)
			print_error("%s: element %zu is %.17g, wanted %.17g\n", x->line, i, y, x->want[i]);
		assert_true(same);
	}
	ref_result_release(&out);
	case_release(&c);
}

static const struct example examples[] = {
	/* nothing to reduce: the identity */
	{"ReduceSum-13 f32{}[2,0] i64{1} keepdims=0", 2, {0, 0}},
	{"ReduceProd-18 f32{}[2,0] i64{1} keepdims=0", 2, {1, 1}},
	{"ReduceMax-20 f32{}[1,0] i64{1}", 1, {-INFINITY}},
	{"ReduceMin-20 f32{}[1,0] i64{1}", 1, {INFINITY}},
	{"ReduceMax-20 i8{}[1,0] i64{1}", 1, {-128}},
	{"ReduceMin-20 u8{}[1,0] i64{1}", 1, {255}},
	{"ReduceLogSum-18 f32{}[1,0] i64{1}", 1, {-INFINITY}},
	{"ReduceLogSumExp-18 f32{}[1,0] i64{1}", 1, {-INFINITY}},
	{"ReduceMean-18 f32{}[1,0] i64{1}", 1, {NAN}},
	/* no axes: all, or none */
	{"ReduceSum-13 f32{1,2,3}", 1, {6}},
	{"ReduceSumSquare-18 f32{1,-2,3} - noop_with_empty_axes=1", 3, {1, 4, 9}},
	{"ReduceL1-18 f32{1,-2,3} - noop_with_empty_axes=1", 3, {1, 2, 3}},
	/* integers: wrapped, cut, unsigned */
	{"ReduceSum-13 i32{2147483647,1} i64{0}", 1, {-2147483648.0}},
	{"ReduceMean-18 i32{-3,-4} i64{0}", 1, {-3}},
	{"ReduceMax-20 u64{-1,1} i64{0}", 1, {18446744073709551615.0}},
	{"ReduceL2-18 i32{3,5} i64{0}", 1, {5}},
	/* numbers at the edge */
	{"ReduceLogSumExp-18 f32{1000,1000} i64{0}", 1, {1000.6931471805599}},
	{"ReduceMax-20 f32{1,nan,2} i64{0}", 1, {NAN}},
	{"ReduceMin-20 bool{1,0,1} i64{0}", 1, {0}},
	/* ties */
	{"ArgMax-13 f32{2,5,5,1} axis=0", 1, {1}},
	{"ArgMax-13 f32{2,5,5,1} axis=0 select_last_index=1", 1, {2}},
	{"ArgMin-13 u64{-1,3,3} axis=0 select_last_index=1", 1, {2}},
	{"Hardmax-13 f32{1,3,3,2}", 4, {0, 1, 0, 0}},
	/* one axis, or everything from the axis on */
	{"Softmax-13 f32{0,0,0,0}[2,2] axis=0", 4, {0.5, 0.5, 0.5, 0.5}},
	{"Softmax-11 f32{0,0,0,0}[2,2] axis=0", 4, {0.25, 0.25, 0.25, 0.25}},
	{"Softmax-13 f32{1000,1000}", 2, {0.5, 0.5}},
	{"CumSum-14 f32{1,2,3} i64{0}[] exclusive=1", 3, {0, 1, 3}},
	{"CumSum-14 f32{1,2,3} i64{0}[] reverse=1", 3, {6, 5, 3}},
	{"CumSum-14 f32{1,2,3} i64{0}[] exclusive=1 reverse=1", 3, {5, 3, 0}},
	{"CumProd-26 f32{1,2,3} i64{-1}[] exclusive=1 reverse=1", 3, {6, 3, 1}},
	/* losses: the mean leaves out what is ignored */
	{"NegativeLogLikelihoodLoss-13 f32{-1,-2,-4,-8}[2,2] i64{1,9} ignore_index=9", 1, {2}},
	{"NegativeLogLikelihoodLoss-13 f32{-1,-2,-4,-8}[2,2] i64{1,0} f32{3,1}", 1, {3.5}},
	{"SoftmaxCrossEntropyLoss-13 f32{0,0}[1,2] i64{1}", 1, {0.69314718055994531}},
	/* h = relu(x + h0), reverse, the second sequence shorter: zeros after its end */
	{"RNN-14 f32{1,10,2,20}[2,2,1] f32{1}[1,1,1] f32{1}[1,1,1] - i32{2,1} activations=[\"Relu\"] "
	 "direction=\"reverse\"",
	 4,
	 {3, 10, 2, 0}},
	/* clip bounds what goes into the activation */
	{"RNN-14 f32{5}[1,1,1] f32{1}[1,1,1] f32{1}[1,1,1] activations=[\"Relu\"] clip=2.0", 1, {2}},
	/* a row that is shut out is zero */
	{"Attention-23 f32{1}[1,1,1,1] f32{1,2}[1,1,2,1] f32{3,5}[1,1,2,1] bool{0,0}[1,2]", 1, {0}},
	{"Attention-23 f32{0}[1,1,1,1] f32{1,2}[1,1,2,1] f32{3,5}[1,1,2,1]", 1, {4}},
	{"Attention-23 f32{0}[1,1,1,1] f32{1,2}[1,1,2,1] f32{3,5}[1,1,2,1] is_causal=1", 1, {3}},
	/* signals */
	{"DFT-20 f32{1,2,3}[3,1] - i64{0}[] onesided=1", 4, {6, 0, -1.5, 0.86602540378443865}},
	{"DFT-20 f64{6,0,-1.5,0.8660254037844386}[2,2] i64{3}[] i64{0}[] inverse=1 onesided=1", 3, {1, 2, 3}},
	{"HannWindow-17 i64{4}[]", 4, {0, 0.5, 1, 0.5}},
	{"HannWindow-17 i64{3}[] periodic=0", 3, {0, 1, 0}},
};

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		check_example(&examples[i]);
}

static const char *const refused[] = {
	"ReduceSum-13 f32[2,3] i64{2}",
	"ReduceMean-13 f32[2,3] axes=[-3]",
	"ReduceSumSquare-13 f32[2,3] i64{1}", /* inputs since 18 */
	"Pad-13 f32[2] i64{1,1} - i64{0}",
	"ArgMax-13 f32[2,0] axis=1",
	"Softmax-13 f32[2,3] axis=2",
	"CumSum-14 f32[2,3] i64{0,1}",
	"CumSum-14 f32[2,3] i64{5}[]",
	"NegativeLogLikelihoodLoss-13 f32[2,3] i64{0,3}",
	"NegativeLogLikelihoodLoss-13 f32[2,3] i64{0,-1}",
	"NegativeLogLikelihoodLoss-13 f32[2,3] i64{0,1,2}",
	"NegativeLogLikelihoodLoss-13 f32[2,3] i64{0,1} f32[2]",
	"SoftmaxCrossEntropyLoss-13 f32[2,3] i64{0,1} reduction=\"most\"",
	"RNN-14 f32[3,2,4] f32[1,3,5] f32[1,3,3]",
	"RNN-14 f32[3,2,4] f32[1,3,4] f32[1,3,3] - i32{2,4}",
	"RNN-14 f32[3,2,4] f32[1,3,4] f32[1,3,3] - i32{2,-1}",
	"RNN-14 f32[3,2,4] f32[1,3,4] f32[1,3,3] activations=[\"Sine\"]",
	"RNN-14 f32[3,2,4] f32[1,3,4] f32[1,3,3] direction=\"sideways\"",
	"LSTM-14 f32[3,2,4] f32[1,12,4] f32[1,12,3] activations=[\"Tanh\"]",
	"LSTM-14 f32[3,2,4] f32[1,11,4] f32[1,11,3]",
	"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] hidden_size=4",
	"Attention-23 f32[1,3,2,4] f32[1,2,5,4] f32[1,2,5,4]",
	"Attention-23 f32[1,2,9] f32[1,2,8] f32[1,2,8] q_num_heads=2 kv_num_heads=2",
	"Attention-23 f32[1,2,8] f32[1,2,8] f32[1,2,8]",
	"Attention-23 f32[1,1,2,4] f32[1,1,5,4] f32[1,1,5,4] f32[2,4]",
	"Attention-24 f32[1,1,2,4] f32[1,1,5,4] f32[1,1,5,4] - - - i64{6}",
	"Attention-23 f32[1,1,2,4] f32[1,1,5,4] f32[1,1,5,4] qk_matmul_output_mode=4",
	"RotaryEmbedding-23 f32[1,1,2,4] f32[3,2] f32[3,2] i64{0,3}[1,2]",
	"RotaryEmbedding-23 f32[1,1,2,3] f32[3,2] f32[3,2] i64{0,1}[1,2]",
	("com.microsoft:GroupQueryAttention-1 f32[2,3,64] f32[2,3,32] f32[2,3,32] - - i32{2,2} i32{3}[] f32[6,8] "
	 "num_heads=4 kv_num_heads=2 do_rotary=1 -> 3"),
	"LinearAttention-27 f32[1,3,4] f32[1,3,4] f32[1,3,6] q_num_heads=2 kv_num_heads=2 -> 2",
	"CausalConvWithState-27 f32[2,3,5] f32[3,1,3] - f32[2,3,3] -> 2",
	"DFT-20 f32[2,6,1] i64{0}[]",
	"DFT-20 f32[2,6,3]",
	"DFT-20 f32[2,6,1] - i64{2}[]",
	"DFT-20 f32[2,6,2] onesided=1",
	"STFT-17 f32[2,16,1] i64{0}[] f32[8]",
	"STFT-17 f32[2,16,1] i64{4}[] f32[8] i64{9}[]",
	"STFT-17 f32[2,6,1] i64{4}[] f32[8]",
	"HannWindow-17 i64{-1}[]",
	"HannWindow-17 i64{4}[] output_datatype=8",
	"MelWeightMatrix-17 i32{8}[] i32{16}[] i32{0}[] f32{0.0}[] f32{4096.0}[]",
	"MelWeightMatrix-17 i32{8}[] i32{16}[] i32{8192}[] f32{0.0}[] f32{90000.0}[]",
	"MelWeightMatrix-17 i32{8}[] i32{16}[] i32{8192}[] f32{-2000.0}[] f32{4096.0}[]",
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct op_case c = {0};
		struct ref_result out = {0};
		struct err e = ERR_INIT;
		int rc = run_line(refused[i], &out, &c, &e);

		if (rc != ERR_INPUT)
			print_error("%s: status %d, %s\n", refused[i], rc, e.msg);
		assert_int_equal(rc, ERR_INPUT);
		assert_true(e.msg[0] != '\0');
		case_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
