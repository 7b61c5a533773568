/* test_backend_python.c - libraries behind Python workers or node, against the reference; skipped where absent. */
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
#include "calls/caller.h"
#include "model/case.h"
#include "support/backend.h"
#include "support/line_run.h"
#include "support/onnx_invoke.h"
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

/* Lines that one backend runs, or does not have: what a binding lacks is said, never guessed. */
struct asked {
	const char *backend;
	const char *const *lines; /* up to NULL */
	enum worker_result wanted;
};

static void check_asked(const struct asked *a)
{
	struct worker *w = open_worker(a->backend);

	for (const char *const *line = a->lines; *line; line++)
		check_line(w, *line, a->wanted);
	worker_close(w);
}

static void test_asked(void **state)
{
	check_asked(*state);
}

/* Operations by name: these workers have no list of them, and no INVOKE. */
static void test_calls(void **state)
{
	struct caller c = {.worker = open_worker(*state)};

	assert_false(worker_can(c.worker, "invoke"));
	check_onnx_invoke(&c);
	worker_close(c.worker);
	caller_release(&c);
}

/* The same of a library that is installed by its name alone (`apart` in its lock file). */
static void test_asked_apart(void **state)
{
	const struct asked *a = *state;
	struct spec_installed_list l = {0};
	struct err e = ERR_INIT;
	size_t n;

	assert_int_equal(spec_find_installed(a->backend, &l, &e), 0);
	n = l.n;
	spec_installed_release(&l);
	if (!n) {
		print_message("skipped: %s is not installed, and is not one of 'all'\n", a->backend);
		skip();
	}
	check_asked(a);
}

/* A test of one backend, by its name. */
#define ASKED(backend, title, function, lines, wanted)       \
	{                                                    \
		title, function, NULL, NULL, &(struct asked) \
		{                                            \
			backend, lines, wanted               \
		}                                            \
	}
#define RUNS(backend, lines) ASKED(backend, backend, test_asked, lines, WORKER_OK)
#define LACKS(backend, lines) ASKED(backend, backend ", what it does not have", test_asked, lines, WORKER_UNSUPPORTED)
#define CALLS(backend)                                                             \
	{                                                                          \
		backend ", calls by name", test_calls, NULL, NULL, (void *)backend \
	}
#define APART_RUNS(backend, lines) ASKED(backend, backend, test_asked_apart, lines, WORKER_OK)
#define APART_LACKS(backend, lines) \
	ASKED(backend, backend ", what it does not have", test_asked_apart, lines, WORKER_UNSUPPORTED)

/* ---- JAX --------------------------------------------------------------------------------------------------------- */

static const char *const jax_lines[] = {
	"GroupNormalization-21 f32[0,4,3] f32[4] f32[4] num_groups=2", /* no images */
	"Resize-13 f32[0,1,3,3] - - i64{0,1,6,6} mode=\"linear\"",
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
	"RNN-14 f32{1}[1,1,1] f32{1}[1,1,1] f32{1}[1,1,1] hidden_size=1 activations=[\"ThresholdedRelu\"] -> 2",
	"GatherND-13 f32[2,3,4] i64{0,1,1,-1}[2,2]",
	"ScatterElements-18 f32[3,3] i64{0,2,0}[1,3] f32[1,3] reduction=\"add\"",
	"Cast-13 f32[2,3] to=10",
	"BitShift-28 i8{-128,-1,64,-8} i8{3,9,-1,1} direction=\"RIGHT\"", /* a sign stays, by any number of places */
	"SpaceToDepth-28 f32[2,2,4,6] blocksize=2 mode=\"CRD\"",
	NULL,
};

static const char *const jax_lacks[] = {
	"Cast-24 f32[4]@0.5:2 to=24",
	"StringConcat-20 str{\"a\"} str{\"b\"}",
	"Dropout-13 f32[4] f32{0.5}[] bool{1}[]",
	"Resize-18 f32[1,1,4,4] - f32{1,1,0.5,0.5} mode=\"linear\" antialias=1",
	"Upsample-1 f32[1,2,2,2] height_scale=2.0 width_scale=1.5 mode=\"bilinear\"",
	NULL,
};

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
	seeds = tensor_wrap(DT_FLOAT, 1, (int64_t[]){2},
			    &(struct tensor_memory){.data = numbers, .bytes = sizeof numbers}, &e);
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

/* ---- Keras ------------------------------------------------------------------------------------------------------- */

static const char *const keras_lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"Conv-11 f32[1,4,6] f32[4,2,3] group=2 auto_pad=\"SAME_UPPER\"",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] count_include_pad=1 pads=[1,1,1,1]",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] auto_pad=\"SAME_UPPER\"",
	"MaxPool-12 f32[1,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,1,1]",
	"BatchNormalization-15 f32[2,3,4] f32[3] f32[3] f32[3] f32[3]@0.5:3",
	"Gemm-13 f32[3,2] f32[4,3] f32[1,4] transA=1 transB=1 alpha=0.5 beta=2.0",
	"MatMul-13 f32[2,1,3,4] f32[5,4,2]",
	"Slice-13 f32[4,5] i64{3,-1} i64{-9,0} i64{0,1} i64{-1,-2}",
	"Softmax-11 f32[2,3,4] axis=1",
	"ReduceSum-13 f32[2,3,4] i64{-1,0} keepdims=0",
	"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] hidden_size=3 linear_before_reset=1 -> 2",
	"ScatterElements-18 f32[3,3] i64{0,2,0}[1,3] f32[1,3] reduction=\"add\"",
	"SpaceToDepth-28 f32[2,2,4,6] blocksize=2 mode=\"CRD\"",
	"Gather-13 f32[5,3] i64{4,0,-1}[3,1]", /* as networks on words begin */
	"GatherElements-13 f32[3,4] i64{0,-1,2,1}[1,4] axis=0",
	NULL,
};

static const char *const keras_lacks[] = {
	"Div-14 i32{-7,7,-7}[3] i32{2,-2,-2}[3]",
	"MaxPool-12 f32[1,2,7,6] kernel_shape=[3,2] dilations=[2,1]",
	NULL,
};

static void test_keras_gradient(void **state)
{
	(void)state;
	check_gradient("keras");
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
	"RNN-14 f32{1}[1,1,1] f32{1}[1,1,1] f32{1}[1,1,1] hidden_size=1 activations=[\"ThresholdedRelu\"] -> 2",
	NULL,
};

static const char *const pytensor_lacks[] = {
	"Det-11 f32[2,2]",
	"MaxPool-12 f32[1,1,4,4] kernel_shape=[2,2] -> 2",
	"Cast-13 f32[3] to=16",
	NULL,
};

static void test_pytensor(void **state)
{
	(void)state;
	check_asked(&(struct asked){"pytensor", pytensor_lines, WORKER_OK});
	check_gradient("pytensor");
	check_asked(&(struct asked){"pytensor", pytensor_lacks, WORKER_UNSUPPORTED});
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
	check_asked(&(struct asked){"tflite", tflite_lines, WORKER_OK});
	check_asked(&(struct asked){"tflite", tflite_fast_lines, WORKER_OK});
}

static const char *const mnn_lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,2]",
	"MatMul-13 f32[2,3] f32[3,4]",
	"Add-14 i32[2,3] i32[3]",
	"Add-14 f32[2,3] f32[]",
	"Softmax-13 f32[2,3,4] axis=1",
	"ReduceMean-13 f32[2,3,4] axes=[1]",
	"ArgMax-13 f32[2,3,4] axis=1",
	"Transpose-13 f32[2,3,4] perm=[2,0,1]",
	NULL,
};

/* MNN prints what it does not have, and goes on with something else: that is no answer. */
static const char *const mnn_lacks[] = {
	"GridSample-20 f32[1,1,3,3] f32[1,2,2,2] mode=\"cubic\"",
	"Unique-11 f32[2,3] axis=0",
	"Dropout-13 f32[2,3]",
	NULL,
};

static const char *const ortweb_lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,2]",
	"MatMul-13 f64[2,1,3,4] f64[5,4,2]",
	"Add-14 f32[40,50] f32[50]", /* in shared memory */
	"Cast-13 f32[2,3] to=10",    /* float16 */
	"TopK-11 f32[3,4] i64{2} -> 2",
	"And-7 bool[2,0] bool[1,1]",
	NULL,
};
static const char *const ortweb_lacks[] = {"Add-14 bf16[2,3] bf16[3]", "Cast-21 f32[2,3] to=22", NULL}; /* int4 */

static const char *const rten_lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] kernel_shape=[3,3] pads=[1,1,1,1]",
	"Add-14 i64[2,3] i64[]", /* as int32 */
	"Less-13 f32[2,3] f32[3]",
	NULL,
};
static const char *const rten_lacks[] = {"Add-14 f64[2] f64[2]", "Hardmax-13 f32[2,3]", NULL};

static const char *const tinygrad_lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,2]",
	"MatMul-13 f32[2,3] f32[3,4]",
	"Add-14 f64[2,3] f64[3]",
	"Add-14 i64[2,3] i64[3]",
	"Softmax-13 f32[2,3,4] axis=1",
	"Relu-14 f32[2,0]",
	NULL,
};

static const char *const tinygrad_lacks[] = {
	"LSTM-14 f32[3,2,4] f32[1,20,4] f32[1,20,5] hidden_size=5",
	"StringConcat-20 str{\"a\"} str{\"b\"}",
	NULL,
};

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

static const char *const pnnx_lines[] = {
	"Relu-14 f32[1,3,4,5]",
	"MaxPool-12 f32[1,2,6,6] kernel_shape=[2,2] strides=[2,2]",
	"GlobalAveragePool-1 f32[1,3,4,5]",
	NULL,
};

static const char *const ncnn_lacks[] = {
	"Relu-14 f64[1,3,4,5]",
	"MaxPool-12 f32[1,2,6,6] kernel_shape=[2,2] dilations=[2,2]",
	"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] hidden_size=3",
	NULL,
};

/* Both compile; shapes and axes that come in as inputs become constants, scalars stay scalars. */
static const char *const compiler_lines[] = {
	"Add-14 f64[2,3] f64[3]", /* IREE makes float32 of float64 unless it is told not to */
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,2]",
	"Reshape-13 f32[2,3,4] i64{-1,0,2}",
	"Add-14 i32[2,3] i32{5}[]",
	"Pow-15 f32[2,3]@0.5:2 f32{2}[]",
	"ReduceSum-13 f32[2,3,4] i64{-1,0} keepdims=0",
	"Split-13 f32[5,2] i64{2,3} axis=0 -> 2",
	"Add-14 u8[2,3] u8[3]",
	"Not-1 bool[2,3]",
	NULL,
};

/* Names of other domains are not taken for ONNX's, and what they say they lack is no fault. */
static const char *const compiler_lacks[] = {
	"com.microsoft:QuickGelu-1 f32[2,3]",
	"StringNormalizer-10 str{\"a\",\"b\"}",
	NULL,
};

/* An argument is a pattern for names of tests; without one all are run. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		RUNS("jax", jax_lines),
		RUNS("jax:jit", jax_lines),
		RUNS("jax-cuda", jax_lines),
		LACKS("jax", jax_lacks),
		cmocka_unit_test(test_jax_gradient),
		RUNS("keras", keras_lines),
		RUNS("keras:numpy", keras_lines),
		RUNS("keras:numpy+layers=1", keras_lines),
		LACKS("keras", keras_lacks),
		cmocka_unit_test(test_keras_gradient),
		cmocka_unit_test(test_pytensor),
		cmocka_unit_test(test_tflite),
		RUNS("tflite:reference", tflite_lines),
		RUNS("mnn", mnn_lines),
		LACKS("mnn", mnn_lacks),
		CALLS("opencv"),
		CALLS("ortweb"),
		CALLS("tinygrad"),
		RUNS("ortweb", ortweb_lines),
		LACKS("ortweb", ortweb_lacks),
		APART_RUNS("rten", rten_lines),
		APART_LACKS("rten", rten_lacks),
		RUNS("tinygrad", tinygrad_lines),
		LACKS("tinygrad", tinygrad_lacks),
		RUNS("ncnn", ncnn_lines),
		RUNS("ncnn:pnnx", pnnx_lines),
		LACKS("ncnn", ncnn_lacks),
		APART_RUNS("tvm", compiler_lines),
		APART_LACKS("tvm", compiler_lacks),
		APART_RUNS("iree", compiler_lines),
		APART_LACKS("iree", compiler_lacks),
	};
	int failed;

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed ? failed : n_opened ? 0 : BACKEND_SKIPPED;
}
