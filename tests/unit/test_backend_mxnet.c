/* test_backend_mxnet.c - MXNet in its worker, against the reference.  Skipped where it is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/backend.h"
#include "worker/parent/spec.h"

/* ---- operators --------------------------------------------------------------------------------------------------- */

static const char *const elementwise[] = {
	"Add-14 f32[2,3] f32[3]",
	"Add-6 f32[2,3,4] f32[3] broadcast=1 axis=1",
	"Div-14 i32[4]@5:9 i32[4]@1:3",
	"Mod-13 i32{-7,7,-7,7} i32{3,-3,-3,3}",
	"Mod-13 f32{-7.5,7.5} f32{3,-3} fmod=1",
	"Round-11 f32{0.5,1.5,2.5,-0.5,-1.5,-2.5,0.3,-0.7}",
	"Clip-13 f64[3,4] f64{-0.3}[] f64{0.7}[]",
	"Clip-6 f32[3,4] min=-0.5 max=0.5",
	"Clip-13 f32[3,4] f32{0.5}[] f32{-0.5}[]",
	"PRelu-16 f32[2,3,4] f32[3,1]@0.1:0.9",
	"PRelu-16 f32[2,3,4] f32[4]@0.1:0.9",
	"Selu-6 f32[3,4] alpha=1.5 gamma=1.1",
	"Gelu-20 f32[3,4]",
	"Gelu-20 f32[]",
	"Elu-6 f32[] alpha=0.5",
	"LeakyRelu-16 f32[]",
	"PRelu-16 f32[] f32[]",
	"Hardmax-13 f32[5]",
	"IsInf-20 f32{1.0,inf,-inf,3.4e38} detect_negative=0",
	"IsInf-20 f64{1.0,inf,-inf,nan}",
	"Where-16 bool[2,1] f32[2,3] f32[3]",
	"Greater-13 f32[2,3] f32[3]",
	"And-7 bool[2,3] bool[3]",
	"BitwiseAnd-18 i32[2,3]@-100:100 i32[3]@-100:100",
	"BitwiseOr-18 u8[2,3]@0:255 u8[3]@0:255",
	"BitwiseXor-18 i64[2,3]@-100:100 i64[3]@-100:100",
	"Cast-13 f32[2,3] to=7",
	"Softmax-11 f32[2,3,4] axis=1",
	"Softmax-13 f32[2,3,4] axis=1",
	"ReduceProd-18 f32[2,3,1] - keepdims=0",
	"ReduceMean-18 f32[2,3] i64{0,1} keepdims=0",
};

static const char *const windows[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"Conv-11 f32[1,4,7,6] f32[4,1,3,2] group=4 dilations=[2,1] pads=[1,1,1,1]",
	"Conv-11 f32[2,2,9] f32[3,2,3] auto_pad=\"SAME_LOWER\" strides=[2]",
	"ConvTranspose-11 f32[1,2,4,4] f32[2,3,3,3] f32[3] strides=[2,2] pads=[1,0,0,1] output_padding=[1,0]",
	"ConvTranspose-11 f32[1,2,4,4] f32[2,3,3,3] strides=[2,2] auto_pad=\"SAME_UPPER\"",
	"MaxPool-12 f32[1,2,7,7] kernel_shape=[3,3] strides=[2,2] pads=[0,1,1,0]",
	"MaxPool-12 f32[1,2,8,8] kernel_shape=[3,3] strides=[2,2] ceil_mode=1",
	"AveragePool-11 f32[1,2,7,7] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]",
	"AveragePool-11 f32[1,2,7,7] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] count_include_pad=1",
	"AveragePool-11 f32[1,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,0,1] ceil_mode=1",
	/* in parentheses: one line, not two that miss a comma */
	("AveragePool-11 f32[1,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,0,1] ceil_mode=1 "
	 "count_include_pad=1"),
	"LpPool-11 f32[1,2,6,6] kernel_shape=[2,2] p=3",
	"GlobalAveragePool-1 f32[2,3,4,5]",
};

static const char *const other_families[] = {
	"BatchNormalization-15 f32[2,3,4,4] f32[3] f32[3] f32[3] f32[3]@0.5:2 epsilon=0.01",
	"LRN-13 f32[1,7,3,3] size=5 alpha=0.5 beta=0.6 bias=1.5",
	"LayerNormalization-17 f32[2,3,4] f32[3,4] f32[3,4] axis=1 -> 3",
	"InstanceNormalization-6 f32[2,3,4,4] f32[3] f32[3]",
	"Gemm-13 f32[3,4] f32[5,4] f32[5] transB=1",
	"Gemm-13 f32[4,3] f32[4,5] f32[3,1] transA=1 alpha=0.5 beta=2.0",
	"MatMul-13 f32[2,1,3,4] f32[5,4,2]",
	"MatMul-13 f32[3] f32[2,3,4]",
	"Einsum-12 f32[2,3,4] f32[2,4,5] equation=\"bij, bjk -> bik\"",
	"Slice-13 f32[5,6] i64{4,-1} i64{-9,0} i64{0,1} i64{-2,-3}",
	"Pad-13 f32[2,3] i64{1,0,-1,2} f32{1.5}[]",
	"Pad-13 f32[3,4] i64{1,1,2,1} mode=\"reflect\"",
	"Tile-13 f32[2,3,2] i64{2,2,3}",
	"Gather-13 f32[4,3] i64{-1,0,2} axis=0",
	"GatherND-13 f32[2,3,4] i64{0,1,1,2}[2,2]",
	"GatherND-13 f32[2,3,4] i64{1,2}", /* the library wants two axes */
	"GatherND-13 f32[2,3] i64{1,2}",
	"ReduceLogSumExp-18 f32[2,3,4] i64{1}",
	"ArgMax-13 f32{1,3,3,2}[1,4] axis=1 select_last_index=1",
	/* in parentheses: one line, not two that miss a comma */
	("Resize-13 f32[1,2,3,4] - - i64{1,2,5,7} mode=\"linear\" "
	 "coordinate_transformation_mode=\"align_corners\""),
	"Hardmax-13 f32[2,3,4] axis=1",
	"MeanVarianceNormalization-13 f32[2,3,4,4]",
	"TopK-11 f32[3,5] i64{2} largest=0 -> 2",
	"Split-13 f32[6,2] i64{1,3,2} -> 3",
	"CumSum-14 f32[3,4] i64{1}[] exclusive=1 reverse=1",
	"CumSum-14 i32[3,4]@-5:5 i64{1}[]",
	"Trilu-14 f32[2,3,4] i64{9}[]",
	"Trilu-14 f32[2,3,4] i64{-9}[] upper=0",
	"LSTM-14 f32[5,2,3] f32[2,16,3] f32[2,16,4] f32[2,32] direction=\"bidirectional\" hidden_size=4 -> 3",
	"GRU-14 f32[5,2,3] f32[1,12,3] f32[1,12,4] f32[1,24] hidden_size=4 linear_before_reset=1 -> 2",
	"GRU-14 f32[5,2,3] f32[2,12,3] f32[2,12,4] f32[2,24] direction=\"bidirectional\" hidden_size=4 -> 2",
	"RNN-14 f32[5,2,3] f32[1,4,3] f32[1,4,4] direction=\"reverse\" hidden_size=4 -> 2",
};

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static const char *const gradients[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"BatchNormalization-15 f32[2,3,4,4] f32[3] f32[3] f32{0.1,-0.2,0.3} f32{0.5,1,1.5}",
	"MaxPool-12 f32[1,2,7,7] kernel_shape=[3,3] strides=[2,2] pads=[0,1,1,0]",
	"AveragePool-11 f32[1,2,7,7] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]",
	"Gemm-13 f32[3,4] f32[5,4] f32[5] transB=1",
	"MatMul-13 f32[2,1,3,4] f32[5,4,2]",
	"Softmax-13 f32[2,3,4] axis=1",
	"Mul-14 f32[2,3] f32[3]",
	"Tanh-13 f32[3,4]",
	"Slice-13 f32[4] i64{2} i64{2}", /* depends on nothing */
};

/* ---- operations by their own names ------------------------------------------------------------------------------- */

static void fill(struct tensor *t, float first, float step)
{
	for (size_t i = 0; i < t->count; i++)
		((float *)t->data)[i] = first + step * (float)i;
}

/* 'bnij,bnjc->bnic' with A = 1 … 15 and B = 0.5 … 3.0: forward results, and gradients of their sum. */
static void einsum(struct worker *w, struct backend_answer *out)
{
	static const int64_t a_dims[] = {1, 1, 5, 3}, b_dims[] = {1, 1, 3, 2};
	struct err e = ERR_INIT;
	struct tensor *a = tensor_new_packed(DT_FLOAT, 4, a_dims, &e), *b = tensor_new_packed(DT_FLOAT, 4, b_dims, &e);
	struct value *va, *vb;
	struct worker_report report;

	fill(a, 1.0f, 1.0f);
	fill(b, 0.5f, 0.5f);
	va = value_tensor(a, &e);
	vb = value_tensor(b, &e);
	struct backend_argument args[] = {
		{.name = "a", .kind = ARG_TENSOR, .tensor = va},
		{.name = "b", .kind = ARG_TENSOR, .tensor = vb},
		{.name = "num_args", .kind = ARG_INT, .i = 2},
		{.name = "subscripts", .kind = ARG_STRING, .s = "bnij,bnjc->bnic"},
	};

	backend_require(worker_invoke(w, &(struct backend_call){"_npi_einsum", args, 4, 1, 0}, out, &report), &report);
	assert_int_equal(out->n_out, 1);
	assert_int_equal(out->n_grads, 2);
	value_unref(va);
	value_unref(vb);
}

/* apache/mxnet#18102: gradients of einsum over a contracted axis are wrong in 1.6.0 and right in 1.9.1, the forward
 * pass is right in both. */
static void check_einsum(struct worker *w, const float *grad_a, const float *grad_b)
{
	static const float y[] = {11, 14, 24.5, 32};
	struct backend_answer got;

	einsum(w, &got);
	for (size_t i = 0; i < 4; i++)
		assert_true(((float *)got.out[0]->tensor->data)[i] == y[i]);
	for (size_t i = 0; i < 15; i++)
		assert_true(((float *)got.grads[0]->data)[i] == grad_a[i % 3]);
	for (size_t i = 0; i < 6; i++)
		assert_true(((float *)got.grads[1]->data)[i] == grad_b[i / 2]);
	backend_answer_free(&got);
}

static void test_einsum_gradient(void **state)
{
	static const float right_a[] = {1.5f, 3.5f, 5.5f}, right_b[] = {35, 40, 45};
	static const float wrong_a[] = {1, 3, 5}, wrong_b[] = {5, 10, 15};
	struct worker_limits limits = {0};
	struct worker_report report;
	struct worker_spec old;
	struct worker *w;
	struct err e = ERR_INIT;

	(void)state;
	if (strcmp(worker_version(backend_test_worker()), "1.6.0"))
		check_einsum(backend_test_worker(), right_a, right_b);
	if (spec_make("mxnet@1.6.0", &old, &e)) {
		print_message("not tried: %s\n", e.msg);
		return;
	}
	if (worker_open(&old, &limits, &w, &report, &e))
		fail_msg("%s", e.msg);
	check_einsum(w, wrong_a, wrong_b);
	worker_close(w);
	spec_release(&old);
}

static void test_list(void **state)
{
	struct worker_report report;
	struct backend_operation *ops;
	struct arena arena = ARENA_INIT;
	size_t n, act = 0;

	(void)state;
	backend_require(worker_list(backend_test_worker(), "", &arena, &ops, &n, &report), &report);
	assert_true(n > 700);
	backend_require(worker_list(backend_test_worker(), "Activation", &arena, &ops, &n, &report), &report);
	assert_int_equal(n, 1);
	assert_string_equal(ops[0].name, "Activation");
	while (act < ops[0].n_parameters && strcmp(ops[0].parameters[act].name, "act_type"))
		act++;
	assert_true(act < ops[0].n_parameters);
	assert_true(ops[0].parameters[0].is_input);
	assert_true(ops[0].parameters[act].n_allowed >= 5);
	assert_string_equal(ops[0].parameters[act].allowed[0], "relu");
	arena_release(&arena);
}

static void test_statuses(void **state)
{
	struct worker_report report;

	(void)state;
	assert_int_equal(backend_try("Det-22 f32[2,2]", &report), WORKER_UNSUPPORTED);
	assert_int_equal(backend_try("Relu-14 bf16[2,2]", &report), WORKER_UNSUPPORTED);
	assert_int_equal(backend_try("MatMul-13 f16[2,3,4] f16[2,4,5]", &report), WORKER_UNSUPPORTED);
	assert_int_equal(backend_try("MaxPool-12 f32[1,1,5,5] kernel_shape=[2,2] dilations=[2,2]", &report),
			 WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "dilations"));
}

/* All of it in both modes: operation by operation, and as one graph. */
int main(void)
{
	static const char *const modes[] = {"mxnet:imperative", "mxnet:symbolic"};
	const struct CMUnitTest tests[] = {
		BACKEND_LINES_TEST(elementwise),
		BACKEND_LINES_TEST(windows),
		BACKEND_LINES_TEST(other_families),
		BACKEND_GRADIENTS_TEST(gradients),
		cmocka_unit_test(test_einsum_gradient),
		cmocka_unit_test(test_list),
		BACKEND_COMMON_TESTS,
		cmocka_unit_test(backend_test_rejections),
		cmocka_unit_test(test_statuses),
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof modes / sizeof *modes && !rc; i++) {
		rc = BACKEND_TEST_RUN(modes[i], tests);
	}
	return rc;
}
