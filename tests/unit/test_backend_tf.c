/* test_backend_tf.c - TensorFlow in its worker, against the reference: run at once, as a graph, and backwards.  Skipped
 * where it is not installed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/case.h"
#include "reference/reference.h"
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
	assert_int_equal(backend_try("Mod-13 f16[3]@1:5 f16[3]@1:5 fmod=1", &report), WORKER_UNSUPPORTED);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static struct tensor *seed_like(const struct tensor *t)
{
	struct err e = ERR_INIT;
	struct tensor *s = tensor_new(DT_FLOAT, t->rank, t->dims, &e);

	assert_non_null(s);
	for (size_t i = 0; i < s->count; i++)
		s->f[i] = 0.25 * (double)(i % 7) - 0.5;
	return s;
}

static void compare_gradient(const char *line, const struct tensor *got, const struct tensor *want)
{
	assert_true(tensor_same_shape(got, want));
	for (size_t i = 0; i < got->count; i++)
		if (!(fabs(tensor_get(got, i) - tensor_get(want, i)) <= 1e-4 * (1 + fabs(tensor_get(want, i)))))
			fail_msg("%s: gradient %zu is %.9g, expected %.9g", line, i, tensor_get(got, i),
				 tensor_get(want, i));
}

/* Gradients with respect to the first two graph inputs are those of the reference. */
static void check_backward(const char *line)
{
	struct worker *w = backend_test_worker();
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result out = {NULL, 0};
	struct tensor *seed, *got[2] = {NULL, NULL}, *want[2], *packed;
	struct named_value in[8], seeds[1];
	struct wire *wires[2];
	const char *names[2];
	struct worker_report report;
	struct err e = ERR_INIT;
	struct op_case c;
	struct buf bytes;
	struct ref *ref;
	uint64_t session;
	size_t n = 0;

	buf_init(&bytes, (size_t)1 << 20);
	if (case_parse(line, 1, &c, &e) || model_serialize(c.model, &bytes, &e) || ref_open(c.model, &ref, &e) ||
	    ref_run(ref, c.inputs, c.n, &o, &out, &e))
		fail_msg("%s: %s", line, e.msg);
	for (size_t i = 0; i < c.n; i++) {
		in[i] = (struct named_value){c.model->graph->inputs.at[i]->name, c.inputs[i]};
		if (n < 2) {
			wires[n] = c.model->graph->inputs.at[i];
			names[n++] = in[i].name;
		}
	}
	seed = seed_like(out.outputs[0].value->tensor);
	if (ref_backward(ref, c.inputs, c.n, &o, &seed, wires, n, want, &e))
		fail_msg("%s: %s", line, e.msg);
	packed = tensor_pack(seed, &e);
	seeds[0] = (struct named_value){out.outputs[0].name, value_tensor(packed, &e)};
	if (worker_load(w, bytes.data, bytes.len, NULL, 0, &session, &report) != WORKER_OK ||
	    worker_backward(w, session, in, c.n, seeds, 1, names, n, got, &report) != WORKER_OK)
		fail_msg("%s: %s", line, report.message);
	for (size_t i = 0; i < n; i++) {
		compare_gradient(line, got[i], want[i]);
		tensor_unref(got[i]);
		tensor_unref(want[i]);
	}
	worker_unload(w, session, &report);
	value_unref(seeds[0].value);
	tensor_unref(seed);
	ref_result_release(&out);
	ref_close(ref);
	case_release(&c);
	buf_release(&bytes);
}

static void test_gradients(void **state)
{
	static const char *const derivable[] = {
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

	(void)state;
	for (size_t i = 0; i < sizeof derivable / sizeof *derivable; i++)
		check_backward(derivable[i]);
}

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
	struct value **out;
	struct tensor **grads;
	struct worker_report report;
	size_t n, n_grads;

	(void)state;
	assert_int_equal(
		worker_invoke(backend_test_worker(), "LeakyRelu", args, 2, 1, &out, &n, &grads, &n_grads, &report),
		WORKER_OK);
	assert_int_equal(n, 1);
	assert_true(tensor_get(out[0]->tensor, 0) == -1 && tensor_get(out[0]->tensor, 1) == 3);
	assert_int_equal(n_grads, 1);
	assert_true(tensor_get(grads[0], 0) == 0.5 && tensor_get(grads[0], 1) == 1);
	tensor_unref(grads[0]);
	mem_free(grads);
	value_unref(out[0]);
	mem_free(out);
	assert_int_equal(
		worker_invoke(backend_test_worker(), "NoSuch", args, 2, 0, &out, &n, &grads, &n_grads, &report),
		WORKER_UNSUPPORTED);
	assert_int_equal(
		worker_invoke(backend_test_worker(), "LeakyRelu", args, 1, 0, &out, &n, &grads, &n_grads, &report),
		WORKER_REJECTED);
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
		cmocka_unit_test(test_gradients),
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
