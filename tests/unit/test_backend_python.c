/* test_backend_python.c - libraries behind Python workers, against the reference.  Each is skipped, with the reason,
 * where it is not installed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "model/case.h"
#include "support/backend.h"
#include "support/line_run.h"
#include "worker/parent/spec.h"
#include "worker/parent/worker.h"

static int n_opened;

/* A worker of a backend; without it the test is skipped, or fails where all libraries must be there. */
static struct worker *open_worker(const char *name)
{
	struct worker_limits limits = {.init_seconds = 120, .run_seconds = 120};
	struct worker_report report;
	struct worker_spec spec;
	struct worker *w = NULL;
	struct err e = ERR_INIT;

	if (spec_make(name, &spec, &e))
		backend_skip(&e);
	if (worker_open(&spec, &limits, &w, &report, &e))
		fail_msg("%s: %s", e.msg, report.stderr_tail);
	spec_release(&spec);
	n_opened++;
	return w;
}

/* Loads and runs one line; what is wanted of it is a result, and the reference's outputs when that is WORKER_OK. */
static void check_line(struct worker *w, const char *line, enum worker_result wanted)
{
	char why[512];
	enum worker_result r = line_run(w, line, why, sizeof why);

	if (r != wanted || (r == WORKER_OK && *why))
		fail_msg("%s: %s, wanted %s: %s", line, worker_result_name(r), worker_result_name(wanted), why);
}

static void check_lines(const char *name, const char *const *lines)
{
	struct worker *w = open_worker(name);

	for (; *lines; lines++)
		check_line(w, *lines, WORKER_OK);
	worker_close(w);
}

/* ---- JAX --------------------------------------------------------------------------------------------------------- */

static const char *const jax_lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1] dilations=[1,2]",
	"Conv-11 f32[1,4,6] f32[4,2,3] group=2 auto_pad=\"SAME_LOWER\"",
	"ConvTranspose-11 f32[1,4,3,3] f32[4,2,3,3] group=2 strides=[2,2] output_padding=[1,0] pads=[1,1,0,1]",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] ceil_mode=1 count_include_pad=1 pads=[1,1,1,1]",
	"MaxPool-12 f32[1,2,7,6] kernel_shape=[3,2] strides=[2,2] dilations=[2,1] pads=[1,0,1,1] -> 2",
	"BatchNormalization-15 f32[2,3,4] f32[3] f32[3] f32[3] f32[3]@0.5:3",
	"LRN-13 f32[1,5,3,3] size=4 alpha=0.1",
	"Gemm-13 f32[3,2] f32[4,3] f32[1,4] transA=1 transB=1 alpha=0.5 beta=2.0",
	"MatMul-13 f64[2,1,3,4] f64[5,4,2]",
	"Div-14 i32{-7,7,-7}[3] i32{2,-2,-2}[3]",
	"Slice-13 f32[4,5] i64{3,-1} i64{-9,0} i64{0,1} i64{-1,-2}",
	"Softmax-11 f32[2,3,4] axis=1",
	"Softmax-13 f32[2,3,4] axis=1",
	"ReduceSum-13 f32[2,3,4] i64{-1,0} keepdims=0",
	"ReduceMean-11 f32[2,3,4] axes=[1]",
	"TopK-11 f32[3,5] i64{2} largest=0 -> 2",
	"Resize-13 f32[1,1,3,4] - f32{1,1,1.5,2} mode=\"linear\" coordinate_transformation_mode=\"align_corners\"",
	"Pad-18 f32[2,3] i64{1,-1,0,2} mode=\"edge\"",
	"LSTM-14 f32[3,2,4] f32[2,12,4] f32[2,12,3] f32[2,24] hidden_size=3 direction=\"bidirectional\" -> 3",
	"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] hidden_size=3 linear_before_reset=1 -> 2",
	"GatherND-13 f32[2,3,4] i64{0,1,1,-1}[2,2]",
	"ScatterElements-18 f32[3,3] i64{0,2,0}[1,3] f32[1,3] reduction=\"add\"",
	"Cast-13 f32[2,3] to=10",
	NULL,
};

static void test_jax(void **state)
{
	(void)state;
	check_lines("jax", jax_lines);
}

static void test_jax_compiled(void **state)
{
	(void)state;
	check_lines("jax:jit", jax_lines);
}

static void test_jax_cuda(void **state)
{
	(void)state;
	check_lines("jax-cuda", jax_lines);
}

/* What a binding does not have is said, never guessed. */
static void test_jax_unsupported(void **state)
{
	struct worker *w = open_worker("jax");

	(void)state;
	check_line(w, "StringConcat-20 str{\"a\"} str{\"b\"}", WORKER_UNSUPPORTED);
	check_line(w, "Dropout-13 f32[4] f32{0.5}[] bool{1}[]", WORKER_UNSUPPORTED);
	check_line(w, "Resize-18 f32[1,1,4,4] - f32{1,1,0.5,0.5} mode=\"linear\" antialias=1", WORKER_UNSUPPORTED);
	worker_close(w);
}

/* d(Σ seed · x·x)/dx = 2 · seed · x */
static void check_gradient(const char *name)
{
	static const float numbers[] = {1, 2};
	struct worker *w = open_worker(name);
	struct named_value in, seed = {NULL, NULL};
	struct worker_report report;
	struct tensor *gradient = NULL, *seeds;
	struct op_case c;
	struct buf bytes;
	struct err e = ERR_INIT;
	uint64_t session;
	const char *wanted;

	buf_init(&bytes, (size_t)1 << 20);
	assert_int_equal(case_parse("ReduceSumSquare-13 f32[2,3] axes=[1] keepdims=0", 1, &c, &e), 0);
	assert_int_equal(model_serialize(c.model, &bytes, &e), 0);
	in = (struct named_value){c.model->graph->inputs.at[0]->name, c.inputs[0]};
	seeds = tensor_wrap(DT_FLOAT, 1, (int64_t[]){2}, numbers, sizeof numbers, NULL, NULL, &e);
	assert_non_null(seeds);
	seed = (struct named_value){c.model->graph->outputs.at[0]->name, value_tensor(seeds, &e)};
	wanted = in.name;
	assert_int_equal(worker_load(w, bytes.data, bytes.len, NULL, 0, &session, &report), WORKER_OK);
	if (worker_backward(w, session, &(struct backend_gradient){{&in, 1}, {&seed, 1}, {&wanted, 1}}, &gradient,
			    &report) != WORKER_OK)
		fail_msg("%s", report.message);
	assert_int_equal(gradient->count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_true(fabs(tensor_get(gradient, i) -
				 2 * (double)(i / 3 + 1) * tensor_get(c.inputs[0]->tensor, i)) < 1e-5);
	tensor_unref(gradient);
	value_unref(seed.value);
	case_release(&c);
	buf_release(&bytes);
	worker_close(w);
}

static void test_jax_gradient(void **state)
{
	(void)state;
	check_gradient("jax");
}

/* ---- Theano's line ----------------------------------------------------------------------------------------------- */

static const char *const pytensor_lines[] = {
	"Conv-11 f32[1,2,5,6] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"Conv-11 f32[2,4,6] f32[8,1,3] group=4 dilations=[2] auto_pad=\"SAME_LOWER\"",
	"Conv-11 f32[1,4,5,5] f32[6,2,3,2] group=2 strides=[1,2]",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] ceil_mode=1 pads=[1,1,1,1]",
	"MaxPool-12 f32[1,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,1,1]",
	"BatchNormalization-15 f32[2,3,4,4] f32{1,2,3} f32{0.5,1,2} f32{1,0,-1} f32{1,2,0.5}",
	"LRN-13 f32[1,6,3,4] size=4 alpha=0.5 beta=0.7 bias=2.0",
	"Gemm-13 f32[3,2] f32[4,3] f32[1,4] transA=1 transB=1 alpha=0.5 beta=2.0",
	"Softmax-11 f32[2,3,4] axis=1",
	"Div-14 i32{-7,7,-7,7} i32{2,-2,-2,2}",
	"Gather-13 f32[3,4] i64{-1,0,2} axis=1",
	"LSTM-14 f32[3,2,4] f32[2,12,4] f32[2,12,3] f32[2,24] - f32[2,2,3] f32[2,2,3] f32[2,9] hidden_size=3 "
	"direction=\"bidirectional\" -> 3",
	"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] f32[1,18] hidden_size=3 linear_before_reset=1 -> 2",
	NULL,
};

static void test_pytensor(void **state)
{
	struct worker *w;

	(void)state;
	check_lines("pytensor", pytensor_lines);
	check_gradient("pytensor");
	w = open_worker("pytensor");
	check_line(w, "Det-11 f32[2,2]", WORKER_UNSUPPORTED);
	check_line(w, "MaxPool-12 f32[1,1,4,4] kernel_shape=[2,2] -> 2", WORKER_UNSUPPORTED);
	check_line(w, "Cast-13 f32[3] to=16", WORKER_UNSUPPORTED);
	worker_close(w);
}

/* ---- libraries with converters of their own ---------------------------------------------------------------------- */

static const char *const tflite_lines[] = {
	"Conv-11 f32[1,2,5,6] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"Conv-11 f32[1,3,6,6] f32[6,1,3,3] group=3 dilations=[2,1] auto_pad=\"SAME_LOWER\"",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] ceil_mode=1 pads=[1,1,1,1]",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] ceil_mode=1 count_include_pad=1 pads=[1,1,1,1]",
	"MaxPool-12 f32[1,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,1,1]",
	"BatchNormalization-15 f32[2,3,4,4] f32{1,2,3} f32{0.5,1,2} f32{1,0,-1} f32{1,2,0.5}",
	"Gemm-13 f32[3,2] f32[4,3] f32[1,4] transA=1 transB=1 alpha=0.5 beta=2.0",
	"Softmax-11 f32[2,3,4] axis=1",
	"Softmax-13 f32[2,3,4] axis=1",
	"Slice-13 f32[4,5] i64{3,-1} i64{-9,0} i64{0,1} i64{-1,-2}",
	"ReduceSum-13 f32[2,3,4] i64{-1,0} keepdims=0",
	"Split-13 f32[5,2] i64{2,3} axis=0 -> 2",
	"ConvTranspose-11 f32[1,3,4,4] f32[3,2,3,3] f32[2] strides=[2,2] pads=[1,0,1,1]",
	"Resize-13 f32[1,2,3,4] - f32{1,1,2,1.5} mode=\"linear\"",
	"DepthToSpace-13 f32[1,8,2,3] blocksize=2",
	"ReduceL2-13 f32[2,3,4] axes=[1]",
	"ArgMax-13 f32[2,3,4] axis=1",
	"Less-13 f32[2,3] f32[2,3]",
	NULL,
};

/* Its reference kernels leave out the last channel of each LRN window, and have no ELU. */
static const char *const tflite_fast_lines[] = {"LRN-13 f32[1,5,3,3] size=3 alpha=0.1", "Selu-6 f32[2,3]", NULL};

static void test_tflite(void **state)
{
	(void)state;
	check_lines("tflite", tflite_lines);
	check_lines("tflite", tflite_fast_lines);
}

static void test_tflite_reference_kernels(void **state)
{
	(void)state;
	check_lines("tflite:reference", tflite_lines);
}

static void test_mnn(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,2]",
		"MatMul-13 f32[2,3] f32[3,4]",
		"Add-14 i32[2,3] i32[3]",
		"Softmax-13 f32[2,3,4] axis=1",
		"ReduceMean-13 f32[2,3,4] axes=[1]",
		"ArgMax-13 f32[2,3,4] axis=1",
		"Transpose-13 f32[2,3,4] perm=[2,0,1]",
		NULL,
	};

	(void)state;
	check_lines("mnn", lines);
}

/* MNN prints what it does not have, and goes on with something else: that is no answer. */
static void test_mnn_unsupported(void **state)
{
	struct worker *w = open_worker("mnn");

	(void)state;
	check_line(w, "GridSample-20 f32[1,1,3,3] f32[1,2,2,2] mode=\"cubic\"", WORKER_UNSUPPORTED);
	check_line(w, "Unique-11 f32[2,3] axis=0", WORKER_UNSUPPORTED);
	check_line(w, "Dropout-13 f32[2,3]", WORKER_UNSUPPORTED);
	worker_close(w);
}

/* Batches, broadcasting and axes that ncnn's blobs do not have as such are among them. */
static const char *const ncnn_lines[] = {
	"Relu-14 f32[2,3,4,5]",
	"Add-14 f32[1,3,5,5] f32[3,1,1]",
	"Mul-14 f32[2,1,4] f32[3,1]",
	"Sum-13 f32[2,3] f32[3] f32[2,1]",
	"Conv-11 f32[2,2,5,6] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1] dilations=[1,2]",
	"Conv-11 f32[1,4,6] f32[4,2,3] group=2 auto_pad=\"SAME_LOWER\"",
	"Conv-11 f32[1,3,6,6] f32[6,1,3,3] group=3",
	"Conv-11 f32[1,2,4,5,6] f32[3,2,2,3,2] strides=[1,2,1] pads=[0,1,0,1,0,1]",
	"ConvTranspose-11 f32[1,4,3,3] f32[4,2,3,3] group=2 strides=[2,2] output_padding=[1,0] pads=[1,1,0,1]",
	"MaxPool-12 f32[2,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,1,1] ceil_mode=1",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] ceil_mode=1 pads=[1,1,1,1]",
	"AveragePool-19 f32[1,2,7] kernel_shape=[3] count_include_pad=1 pads=[1,1]",
	"GlobalAveragePool-1 f32[1,3,4,5]",
	"BatchNormalization-15 f32[2,3,4,4] f32{1,2,3} f32{0.5,1,2} f32{1,0,-1} f32{1,2,0.5}",
	"InstanceNormalization-6 f32[2,3,4,5] f32[3] f32[3]",
	"LayerNormalization-17 f32[2,3,4] f32[4] f32[4]",
	"LRN-13 f32[1,5,3,3] size=3 alpha=0.1",
	"Gemm-13 f32[3,2] f32[4,3] f32[1,4] transA=1 transB=1 alpha=0.5 beta=2.0",
	"Gemm-13 f32[1,3] f32[4,3] f32[4] transB=1",
	"MatMul-13 f32[2,3,4] f32[4,5]",
	"Softmax-11 f32[2,3,4] axis=1",
	"Softmax-13 f32[2,3,4] axis=0",
	"LogSoftmax-13 f32[2,3,4] axis=1",
	"ReduceSum-13 f32[2,3,4] i64{-1,0} keepdims=0",
	"ReduceLogSumExp-13 f32[2,3,4] axes=[1]",
	"Concat-13 f32[1,2,3,4] f32[1,5,3,4] axis=1",
	"Split-13 f32[5,2] i64{2,3} axis=0 -> 2",
	"Slice-13 f32[4,5] i64{1,-4} i64{3,9} i64{0,1}",
	"Transpose-13 f32[2,3,4,5] perm=[2,0,3,1]",
	"Transpose-13 f32[1,2,3,4,5] perm=[0,2,1,3,4]",
	"Reshape-13 f32[2,3,4] i64{-1,0,2}",
	"Expand-13 f32[3,1] i64{2,1,4}",
	"Pad-13 f32[1,2,3,4] i64{0,0,1,2,0,0,2,0} f32{0.5}[] mode=\"constant\"",
	"Resize-13 f32[1,2,3,4] - f32{1,1,2,1.5} mode=\"linear\"",
	"Resize-13 f32[1,2,3,4] - f32{1,1,2,3} mode=\"nearest\"",
	"DepthToSpace-13 f32[1,8,2,3] blocksize=2",
	"LSTM-14 f32[3,2,4] f32[2,12,4] f32[2,12,3] f32[2,24] hidden_size=3 direction=\"bidirectional\" -> 3",
	"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] f32[1,18] hidden_size=3 linear_before_reset=1 -> 2",
	"RNN-14 f32[3,1,4] f32[1,3,4] f32[1,3,3] hidden_size=3 direction=\"reverse\" -> 2",
	NULL,
};

static void test_ncnn(void **state)
{
	(void)state;
	check_lines("ncnn", ncnn_lines);
}

static void test_ncnn_converted(void **state)
{
	static const char *const lines[] = {
		"Relu-14 f32[1,3,4,5]",
		"MaxPool-12 f32[1,2,6,6] kernel_shape=[2,2] strides=[2,2]",
		"GlobalAveragePool-1 f32[1,3,4,5]",
		NULL,
	};

	(void)state;
	check_lines("ncnn:pnnx", lines);
}

static void test_ncnn_unsupported(void **state)
{
	struct worker *w = open_worker("ncnn");

	(void)state;
	check_line(w, "Relu-14 f64[1,3,4,5]", WORKER_UNSUPPORTED);
	check_line(w, "MaxPool-12 f32[1,2,6,6] kernel_shape=[2,2] dilations=[2,2]", WORKER_UNSUPPORTED);
	check_line(w, "GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] hidden_size=3", WORKER_UNSUPPORTED);
	worker_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jax),
		cmocka_unit_test(test_jax_compiled),
		cmocka_unit_test(test_jax_cuda),
		cmocka_unit_test(test_jax_unsupported),
		cmocka_unit_test(test_jax_gradient),
		cmocka_unit_test(test_pytensor),
		cmocka_unit_test(test_tflite),
		cmocka_unit_test(test_tflite_reference_kernels),
		cmocka_unit_test(test_mnn),
		cmocka_unit_test(test_mnn_unsupported),
		cmocka_unit_test(test_ncnn),
		cmocka_unit_test(test_ncnn_converted),
		cmocka_unit_test(test_ncnn_unsupported),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed ? failed : n_opened ? 0 : BACKEND_SKIPPED;
}
