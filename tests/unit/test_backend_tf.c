/* test_backend_tf.c - TensorFlow in its worker, against the reference: run at once, as a graph, and backwards.  Skipped
 * where it is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/backend.h"

/* What a wrong layout, pad, group or opset rule would show in. */
static const char *const lines[] = {
	"Conv-11 f32[1,2,5,6] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"Conv-11 f32[2,2,9] f32[3,2,3] dilations=[2] auto_pad=\"SAME_UPPER\"",
	"Conv-11 f32[2,2,7] f32[3,2,2] auto_pad=\"SAME_LOWER\"",
	"Conv-11 f32[1,4,5,5] f32[8,1,3,3] f32[8] group=4 pads=[1,1,1,1]",
	"Conv-11 f32[1,4,5,5] f32[6,2,3,2] group=2 strides=[1,2]",
	"Conv-11 f32[1,2,4,5,6] f32[3,2,2,3,2] f32[3] pads=[1,0,1,0,1,1]",
	"ConvTranspose-11 f32[1,2,3,4] f32[2,3,3,3] f32[3] strides=[2,3] pads=[1,0,0,1] output_padding=[1,0]",
	"ConvTranspose-11 f32[1,4,5] f32[4,2,3] group=2 auto_pad=\"SAME_UPPER\" strides=[2]",
	"MaxPool-12 f32[1,2,6,7] kernel_shape=[3,2] strides=[2,2] pads=[1,0,1,1] ceil_mode=1",
	"MaxPool-12 f32[1,2,8,9] kernel_shape=[2,3] dilations=[3,2]",
	"AveragePool-11 f32[1,2,6,7] kernel_shape=[3,3] pads=[1,1,0,2] strides=[2,2]",
	"AveragePool-11 f32[1,2,6,7] kernel_shape=[3,3] pads=[1,1,0,2] count_include_pad=1 ceil_mode=1 strides=[2,2]",
	"AveragePool-11 f32[1,2,7] kernel_shape=[3] auto_pad=\"SAME_UPPER\" strides=[2]",
	"GlobalAveragePool-1 f32[2,3,4,5]",
	"BitShift-28 i8{-128,-1,64} i8{3,9,-1} direction=\"RIGHT\"",
	"BitShift-28 i32{-8,5,1} i32{32,-1,4} direction=\"LEFT\"",
	"BitShift-28 u8{200,255,3} u8{7,8,1} direction=\"RIGHT\"",
	"BatchNormalization-15 f32[2,3,4,5] f32[3] f32[3] f32[3] f32[3]@0.5:2 epsilon=0.01",
	"BatchNormalization-15 f32[2,3] f32[3] f32[3] f32[3] f32[3]@0.5:2",
	"BatchNormalization-15 f64[2,3] f64[3] f64[3] f64[3] f64[3]@0.000001:0.00001",
	"LRN-13 f32[1,6,3,4] size=3 alpha=0.5 beta=0.7 bias=2.0",
	"InstanceNormalization-6 f32[2,3,4,5] f32[3] f32[3]",
	"LayerNormalization-17 f32[2,3,4] f32[3,4] f32[3,4] axis=1",
	"Gemm-13 f32[4,3] f32[5,4] f32[5] transA=1 transB=1 alpha=0.5 beta=2.0",
	"MatMul-13 f32[2,3,4] f32[4]",
	"Einsum-12 f32[1,2,5,3] f32[1,2,3,2] equation=\"bnij, bnjc\"",
	"Softmax-11 f32[2,3,4] axis=1",
	"Softmax-13 f32[2,3,4] axis=1",
	"LogSoftmax-13 f32[2,3,4]",
	"Elu-6 f32[3,4] alpha=0.5",
	"Selu-6 f32[3,4]",
	"PRelu-16 f32[2,3,4] f32[3,1]",
	"Clip-6 f32[3,4] min=0.0 max=6.0",
	"Clip-13 f32{-inf,-4,0.25,3,inf}", /* a bound that is left out is the type's end */
	"Clip-13 f32{-inf,-4,0.25,3,inf} - f32{2}[]",
	"Clip-13 f32{-inf,-4,0.25,3,inf} f32{-2}[]",
	"Div-14 i32[6]@-9:9 i32{2}",
	"Mod-13 i32[6]@-9:9 i32{-4}",
	"Pad-13 f32[2,3] i64{1,-1,0,2} f32{0.5}[]",
	"Pad-13 f32[2,3] i64{1,2,0,2} mode=\"reflect\"",
	"Pad-13 f32[2,3] i64{1,2,0,2} mode=\"edge\"",
	"Slice-13 f32[5,6] i64{4,-1} i64{-9,0} i64{0,1} i64{-1,-2}",
	"Slice-13 f32[5,6] i64{1,0} i64{1,9} i64{0,1}",
	"Gather-13 f32[3,4] i64{-1,0,2} axis=1",
	"GatherElements-13 f32[3,4] i64{-1,0,1,2,3,-4}[3,2] axis=1",
	"ScatterND-16 f32[4,2] i64{-1,0}[2,1] f32[2,2] reduction=\"add\"",
	"Concat-13 f32[2,3] f32[2,1] axis=-1",
	"Split-13 f32[5,2] i64{2,3} -> 2",
	"TopK-11 f32[3,5] i64{2} axis=0 largest=0 -> 2",
	"ArgMax-13 f32[3,5] axis=1 select_last_index=1",
	"ReduceSum-13 f32[2,3,4] i64{0,-1} keepdims=0",
	"ReduceLogSumExp-13 f32[2,3,4]",
	"CumSum-14 f32[3,4] i64{1}[] exclusive=1 reverse=1",
	"DepthToSpace-13 f32[1,8,2,3] blocksize=2 mode=\"CRD\"",
	"DepthToSpace-13 f32[1,8,2,3] blocksize=2",
	"OneHot-11 i64{1,-1,7} i64{4} f32{0.5,2} axis=0",
	"Trilu-14 f32[4,5] i64{1}[]",
	"Resize-13 f32[1,2,3,4] - f32{1,1,2,2} mode=\"linear\"",
	"LSTM-14 f32[3,2,4] f32[2,12,4] f32[2,12,3] f32[2,24] - f32[2,2,3] f32[2,2,3] f32[2,9] hidden_size=3 "
	"direction=\"bidirectional\" -> 3",
	"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] f32[1,18] hidden_size=3 linear_before_reset=1 direction=\"reverse\" "
	"-> 2",
	"RNN-14 f32[3,2,4] f32[1,3,4] f32[1,3,3] hidden_size=3 -> 2",
};

static void test_operators(void **state)
{
	(void)state;
	BACKEND_CHECK_LINES(lines);
}

static void test_dtypes(void **state)
{
	static const int types[] = {DT_UINT8, DT_INT8,   DT_INT16,   DT_INT32,  DT_INT64, DT_UINT32,
				    DT_BOOL,  DT_DOUBLE, DT_FLOAT16, DT_UINT16, DT_UINT64};
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		snprintf(line, sizeof line, "Cast-13 f32{0,1,2,3,5,7} to=%d", types[i]);
		backend_check(line);
	}
	backend_check_within("Cast-13 f32{0,1,2,3,5,7} to=16", 1e-2);
}

static void test_unsupported(void **state)
{
	struct worker_report report;

	(void)state;
	assert_int_equal(backend_try("LRN-13 f32[1,6,3,4] size=4", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "odd"));
	assert_int_equal(backend_try("NonMaxSuppression-11 f32[1,2,4] f32[1,1,2]", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "no binding"));
	assert_int_equal(
		backend_try("ReverseSequence-10 f32[2,3,1,1,1,2] i64{1,2,2} time_axis=0 batch_axis=1", &report),
		WORKER_UNSUPPORTED);
	assert_int_equal(backend_try("Mod-13 f16[3]@1:5 f16[3]@1:5 fmod=1", &report), WORKER_UNSUPPORTED);
}

/* Division by a constant is one of three nodes, and Grappler, which leaves graphs below four alone unless it is told
 * otherwise, makes it a product with 1/3: the last digit of 5/3 shows it. */
static void test_small_graphs(void **state)
{
	static const char line[] = "Div-14 f32[1]@5:5 f32{3}";
	volatile float third = 1.0f / 3, five = 5, divided = five / 3, multiplied = five * third;
	struct worker_report report;
	double got = 0;

	(void)state;
	assert_true(divided != multiplied);
	assert_int_equal(backend_try_with("tf:graph", line, &got, &report), WORKER_OK);
	assert_true(got == multiplied);
	assert_int_equal(backend_try_with("tf:noopt", line, &got, &report), WORKER_OK);
	assert_true(got == divided);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static const char *const gradients[] = {
	"Add-14 f32[2,3] f32[3]",
	"Mul-14 f32[2,3] f32[2,1]",
	"Div-14 f32[2,3] f32[2,3]@1:2",
	"MatMul-13 f32[2,3] f32[3,4]",
	"Gemm-13 f32[4,3] f32[5,4] f32[5] transA=1 transB=1 alpha=0.5",
	"Conv-11 f32[1,2,5,6] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"Conv-11 f32[1,4,5,5] f32[8,1,3,3] group=4 pads=[1,1,1,1]",
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] auto_pad=\"SAME_UPPER\" strides=[2,2]",
	"MaxPool-12 f32[1,2,6,6] kernel_shape=[2,2] strides=[2,2]",
	"AveragePool-11 f32[1,2,6,7] kernel_shape=[3,3] pads=[1,1,0,2] strides=[2,2]",
	"GlobalAveragePool-1 f32[2,3,4,5]",
	"Sigmoid-13 f32[2,3]",
	"Tanh-13 f32[2,3]",
	"Softmax-13 f32[2,3] axis=0",
	"ReduceMean-13 f32[2,3,4] axes=[1]",
	"Reshape-13 f32[2,6] i64{3,4}",
	"Transpose-13 f32[2,3,4] perm=[2,0,1]",
	"SpaceToDepth-13 f32[1,2,4,6] blocksize=1",
	"DepthToSpace-13 f32[1,4,2,3] blocksize=1",
	"Concat-13 f32[2,3] f32[2,1] axis=1",
	"Einsum-12 f32[1,2,5,3] f32[1,2,3,2] equation=\"bnij,bnjc->bnic\"",
};

/* ---- TensorFlow's own operations --------------------------------------------------------------------------------- */

static void test_list(void **state)
{
	struct arena arena = ARENA_INIT;
	struct backend_operation *ops;
	const struct backend_parameter *padding = NULL;
	struct worker_report report;
	size_t n;

	(void)state;
	assert_int_equal(worker_list(backend_test_worker(), "", &arena, &ops, &n, &report), WORKER_OK);
	assert_true(n > 1500);
	assert_int_equal(worker_list(backend_test_worker(), "Conv2DBackpropI", &arena, &ops, &n, &report), WORKER_OK);
	assert_true(n >= 1);
	assert_string_equal(ops[0].name, "Conv2DBackpropInput");
	assert_int_equal(ops[0].n_outputs, 1);
	assert_true(ops[0].parameters[0].is_input);
	for (size_t i = 0; i < ops[0].n_parameters; i++)
		if (!strcmp(ops[0].parameters[i].name, "padding"))
			padding = &ops[0].parameters[i];
	assert_non_null(padding);
	assert_int_equal(padding->n_allowed, 3);
	assert_string_equal(padding->allowed[0], "SAME");
	arena_release(&arena);
}

static struct value *row(double a, double b)
{
	int64_t dims[] = {2};
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, 1, dims, &e), *packed;

	assert_non_null(t);
	t->f[0] = a;
	t->f[1] = b;
	packed = tensor_pack(t, &e);
	tensor_unref(t);
	return value_tensor(packed, &e);
}

static void test_invoke(void **state)
{
	struct backend_argument args[] = {
		{.name = "alpha", .kind = ARG_FLOAT, .f = 0.5},
		{.name = "features", .kind = ARG_TENSOR, .tensor = row(-2, 3)},
	};
	struct backend_call call = {"LeakyRelu", args, 2, 1, 0};
	struct backend_answer got;
	struct worker_report report;

	(void)state;
	assert_int_equal(worker_invoke(backend_test_worker(), &call, &got, &report), WORKER_OK);
	assert_int_equal(got.n_out, 1);
	assert_true(tensor_get(got.out[0]->tensor, 0) == -1 && tensor_get(got.out[0]->tensor, 1) == 3);
	assert_int_equal(got.n_grads, 1);
	assert_true(tensor_get(got.grads[0], 0) == 0.5 && tensor_get(got.grads[0], 1) == 1);
	backend_answer_free(&got);
	call.heads = 3;
	assert_int_equal(worker_invoke(backend_test_worker(), &call, &got, &report), WORKER_OK);
	assert_true(tensor_get(got.grads[0], 0) == 0.5 * backend_head(3, 0) &&
		    tensor_get(got.grads[0], 1) == backend_head(3, 1));
	backend_answer_free(&got);
	call = (struct backend_call){"NoSuch", args, 2, 0, 0};
	assert_int_equal(worker_invoke(backend_test_worker(), &call, &got, &report), WORKER_UNSUPPORTED);
	call = (struct backend_call){"LeakyRelu", args, 1, 0, 0};
	assert_int_equal(worker_invoke(backend_test_worker(), &call, &got, &report), WORKER_REJECTED);
	value_unref(args[1].tensor);
}

int main(void)
{
	const struct CMUnitTest eager[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_dtypes),
		BACKEND_COMMON_TESTS,
		cmocka_unit_test(backend_test_rejections),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_small_graphs),
		BACKEND_GRADIENTS_TEST(gradients),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_invoke),
	};
	const struct CMUnitTest graph[] = {cmocka_unit_test(test_operators), BACKEND_COMMON_TESTS,
					   cmocka_unit_test(backend_test_rejections)};
	int rc = BACKEND_TEST_RUN("tf", eager);

	if (!rc)
		rc = BACKEND_TEST_RUN("tf:graph", graph);
	return rc ? rc : backend_test_run("tf:onednn0", graph, 1);
}
