/* test_backend_known.c - bugs of the libraries of the papers' time (rows E.. of data/known-bugs.tsv), found again: the
 * version that has one differs from the reference, and a later one, where there is any, does not.  Skipped, with the
 * reason, where a version is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "methods/equiv/eval.h"
#include "model/build.h"
#include "support/backend.h"
#include "support/line_run.h"

struct known {
	const char *id, *line;
	enum worker_result result; /* of the bad version; WORKER_OK: another number */
	const char *says;          /* part of what is said of it */
};

static const struct known tensorflow[] = {
	{"E01", "ReduceMax-11 f32{nan,1,2} axes=[0]", WORKER_OK, "is 2, expected nan"},
	{"E02", "ReduceMin-11 f32{1,nan,2} axes=[0]", WORKER_OK, "is 1, expected nan"},
	{"E03", "ReduceSum-11 f16[4096]@1:1.0001 axes=[0]", WORKER_OK, "is 2048, expected 4096"},
};

static const struct known never_mended[] = {
	{"E04", "ReduceMean-11 f16[65536]@1:1.0001 axes=[0]", WORKER_OK, ", expected 1"},
};

/* Constants: its reader takes no others. */
#define RNN_WEIGHTS "f32{0.5,-0.25,0.75,1}[1,2,2] f32{0.3,-0.6,0.2,0.4}[1,2,2] hidden_size=2"

static const struct known cntk[] = {
	{"E05", "Sqrt-6 f32{-1,4}", WORKER_OK, "is 0, expected -nan"},
	{"E06", "Conv-1 f32[1,1,5,5] f32[1,1,2,2] kernel_shape=[2,2] auto_pad=\"SAME_UPPER\"", WORKER_OK, "element 0"},
	{"E06", "Conv-1 f32[1,1,5,5] f32[1,1,2,2] kernel_shape=[2,2] auto_pad=\"SAME_LOWER\"", WORKER_OK, "element 0"},
	{"E07", "Gather-1 f32[3,4] i64{0,1,2,0}[2,2] axis=1", WORKER_OK, "element 1"},
	{"E08", "EyeLike-9 f32[3,4] k=1", WORKER_OK, "is 1, expected 0"},
	{"E09", "Transpose-1 f32[2,3]", WORKER_REJECTED, "missing attribute perm"},
	{"E10", "MeanVarianceNormalization-9 f32[1,2,3,3]", WORKER_REJECTED, "missing attribute axes"},
	{"E11", "LRN-1 f32[1,6,3,4] size=13 alpha=0.5 beta=0.5 bias=1.0", WORKER_OK, "element 0"},
	{"E12", "ReduceMin-11 f32{1,nan,2} axes=[0]", WORKER_OK, "is 2, expected nan"},
	{"E13", "ReduceLogSumExp-11 f32{-inf,-inf} axes=[0]", WORKER_OK, "expected -inf"},
	{"E25", "RNN-7 f32[3,1,2] " RNN_WEIGHTS " -> 2", WORKER_OK, "output 1 has another type or shape"},
	{"E26", "RNN-7 f32[3,2,2] " RNN_WEIGHTS, WORKER_OK, "output 0 element 2"},
};

/* Operators that the paper on graph-based fuzzing found wrong in MNN 1.0.2, in forms that are still wrong. */
static const struct known mnn[] = {
	{"G01", "TopK-11 f32[21]@1:1.000000001 i64{21} axis=0 -> 2", WORKER_OK, "output 1 element 0"},
	{"G02", "ConvTranspose-11 f32[1,1,3,3] f32{1,2,3,4}[1,1,2,2] auto_pad=\"SAME_LOWER\"", WORKER_OK, "element"},
	{"G03", "AveragePool-11 f32[1,1,2,3]@1:2 kernel_shape=[1,2] strides=[1,1] pads=[0,0,0,1] count_include_pad=1",
	 WORKER_OK, "element 2"},
	{"G04", "Cast-13 f32[2,3]@0.1:0.9 to=9", WORKER_OK, "is 0, expected 1"},
	{"G05", "Cast-13 f32[2,3]@1:9 to=2", WORKER_CRASH, ""},
#ifdef __x86_64__ /* elsewhere a division by 0 does not end a process */
	{"G07", "AveragePool-11 f32[1,1,2,3] kernel_shape=[1,2]", WORKER_CRASH, "signal 8"},
#endif
	{"G06", "Conv-11 f32[1,2,5] f32[1,2,3]", WORKER_OK, "another type or shape"},
};

/* The published ones, gone. */
static const char *const mended[] = {
	"TopK-11 f32[3,7] i64{3} -> 2",
	"ConvTranspose-11 f32[1,2,4,21] f32[2,3,3,4] strides=[10,5] output_shape=[38,102]",
	"ReduceProd-11 f32[2,3,4,5] axes=[1,2] keepdims=0",
	"Gather-11 f32[2,6,4] i64{5,0,2} axis=1",
	"Cast-13 f32[2,16]@0:1 to=6",
	"AveragePool-11 f32[1,3,9,8] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]",
	"MaxPool-11 f32[1,3,9,8] kernel_shape=[4,4] strides=[2,2] pads=[1,0,2,1]",
	"Conv-11 f32[1,4,9,8] f32[6,4,3,3] f32[6] strides=[2,2] pads=[0,0,1,1]",
	"Concat-11 f32[2,3,4,5] f32[2,1,4,5] f32[2,2,4,5] f32[2,3,4,5] axis=1",
};

/* Calls of TensorFlow's own operations that end the process. */
static const struct {
	const char *id, *call;
} crashes[] = {
	{"E14", "Conv2D(input=tensor(@float32, [0,0,0,0], [0]), filter=tensor(@float32, [0,0,0,0], [0]), "
		"strides=[1,1,1,1], padding=\"SAME\")"},
	{"E15", "Conv3D(input=tensor(@float32, [0,0,0,0,0], [0]), filter=tensor(@float32, [0,0,0,0,0], [0]), "
		"strides=[1,56,56,56,1], padding=\"VALID\")"},
	{"E16",
	 "Conv2DBackpropFilter(input=tensor(@float32, [0,0,1,0], [0]), filter_sizes=tensor(@int32, [4], [1,1,1,1]), "
	 "out_backprop=tensor(@float32, [0,0,1,1], [0]), strides=[1,66,18,1], padding=\"SAME\")"},
	{"E17",
	 "Conv2DBackpropInput(input_sizes=tensor(@int32, [4], [52,1,1,5]), filter=tensor(@float32, [0,1,5,0], [0]), "
	 "out_backprop=tensor(@float32, [52,1,1,0], [0]), strides=[1,1,1,1], padding=\"SAME\")"},
	{"E18", "DrawBoundingBoxes(images=tensor(@float32, [1,0,48,1], [0]), boxes=tensor(@float32, [1,1,4], "
		"[3.90621,0,0,0]))"},
	{"E19", "SparseMatMul(a=tensor(@float32, [2,2], [100]), b=tensor(@float32, [0,2], [0]), transpose_a=true, "
		"transpose_b=true, a_is_sparse=true, b_is_sparse=true)"},
	{"E20", "Reverse(tensor=tensor(@int32, [0,1,1], [0]), dims=tensor(@bool, [3], [0,1,0]))"},
	{"E21",
	 "FusedBatchNorm(x=tensor(@float32, [1,1,1,0], [0]), scale=tensor(@float32, [0], [0]), "
	 "offset=tensor(@float32, [0], [0]), mean=tensor(@float32, [0], [0]), variance=tensor(@float32, [0], [0]), "
	 "epsilon=0.0, is_training=false)"},
	{"E22",
	 "FractionalAvgPool(value=tensor(@int32, [1,1,1,1], [60]), pooling_ratio=[1.0,1.0000014345305555,1.0,1.0])"},
	{"E23", "MaxPoolGradWithArgmax(input=tensor(@float32, [0,0,0,0], [0]), grad=tensor(@float32, [0,0,0,0], [0]), "
		"argmax=tensor(@int64, [0], [0]), ksize=[1,1,1,1], strides=[1,1,1,1], padding=\"SAME\")"},
	{"E24",
	 "InplaceAdd(x=tensor(@float32, [0,1], [0]), i=tensor(@int32, [1], [0]), v=tensor(@float32, [1,1], [1]))"},
};

static int n_tested;

static void require_started(int rc)
{
	if (rc == BACKEND_SKIPPED)
		skip();
	assert_int_equal(rc, 0);
	n_tested++;
}

static void start(const char *name)
{
	require_started(backend_test_start(name));
}

static void find_again(const struct known *rows, size_t n)
{
	char why[512];

	for (size_t i = 0; i < n; i++) {
		enum worker_result r = line_run(backend_test_worker(), rows[i].line, why, sizeof why);

		if (r != rows[i].result || !strstr(why, rows[i].says))
			fail_msg("%s, %s: %s: %s", rows[i].id, rows[i].line, worker_result_name(r), why);
	}
}

static void test_tensorflow(void **state)
{
	char why[512];

	(void)state;
	start("tf@1.12.0");
	find_again(tensorflow, sizeof tensorflow / sizeof *tensorflow);
	find_again(never_mended, sizeof never_mended / sizeof *never_mended);
	backend_test_stop();
	start("tf@2.12.0");
	find_again(never_mended, sizeof never_mended / sizeof *never_mended);
	for (size_t i = 0; i < sizeof tensorflow / sizeof *tensorflow; i++) {
		assert_int_equal(line_run(backend_test_worker(), tensorflow[i].line, why, sizeof why), WORKER_OK);
		assert_null(strstr(why, tensorflow[i].says));
	}
	backend_test_stop();
}

static enum worker_result run_call(const char *text, char *why, size_t size)
{
	struct caller caller = {.worker = backend_test_worker()};
	struct eval v = {.invoke = eval_invoke_worker, .library = &caller};
	struct bindings none = {.n = 0};
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct value *out = NULL;
	struct expr *x;

	v.report.result = WORKER_OK;
	if (expr_parse(text, &arena, &x, &e) || eval_expr(&v, x, &none, &out, &e))
		fail_msg("%s: %s", text, e.msg);
	snprintf(why, size, "%.500s", out ? "" : v.report.message);
	value_unref(out);
	caller_release(&caller);
	arena_release(&arena);
	return out ? WORKER_OK : v.report.result;
}

static void run_crashes(const char *version, int crash)
{
	char why[512];

	start(version);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
		enum worker_result r = run_call(crashes[i].call, why, sizeof why);

		if ((r == WORKER_CRASH) != crash)
			fail_msg("%s, %s: %s: %s", version, crashes[i].id, worker_result_name(r), why);
	}
	backend_test_stop();
}

static void test_crashes(void **state)
{
	(void)state;
	run_crashes("tf@1.15.5", 1);
	run_crashes("tf@2.4.1", 1);
	run_crashes("tf@2.12.0", 0);
}

/* E27: Transpose, whose node has its output's name, and a recurrent layer. */
static enum worker_result load_named(const char *node)
{
	struct worker_report report;
	struct err e = ERR_INIT;
	struct model *m = NULL;
	enum worker_result r;
	uint64_t session = 0;
	struct build b;
	struct buf bytes;
	struct wire *x;

	build_begin(&b, 9, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, 3, (int64_t[]){1, 3, 2});
	x = build_op(&b, "Transpose", "steps_first", x, NULL);
	build_ints(&b, "perm", (int64_t[]){1, 0, 2}, 3);
	b.last->name = node;
	x = build_op(&b, "RNN", "states", x, build_normal(&b, "W", 3, (int64_t[]){1, 2, 2}, 1),
		     build_normal(&b, "R", 3, (int64_t[]){1, 2, 2}, 1), NULL);
	build_int(&b, "hidden_size", 2);
	build_output(&b, x);
	buf_init(&bytes, (size_t)1 << 20);
	if (build_end(&b, &m) || model_serialize(m, &bytes, &e))
		fail_msg("%s", e.msg);
	r = worker_load(backend_test_worker(), bytes.data, bytes.len, NULL, 0, &session, &report);
	buf_release(&bytes);
	model_free(m);
	return r;
}

static void test_cntk(void **state)
{
	(void)state;
	start("cntk@2.7");
	find_again(cntk, sizeof cntk / sizeof *cntk);
	assert_int_equal(load_named("steps_first"), WORKER_CRASH);
	assert_int_equal(load_named("input"), WORKER_OK);
	backend_test_stop();
}

static const struct known pytensor[] = {
	{"E28", "LRN-13 f32[1,40,2,2] size=33", WORKER_REJECTED, "'ufunc'"},
};

static void test_pytensor(void **state)
{
	char why[512];

	(void)state;
	start("pytensor@3.0.7");
	find_again(pytensor, sizeof pytensor / sizeof *pytensor);
	/* a sum that PyTensor does not take apart */
	assert_int_equal(
		line_run(backend_test_worker(), "AveragePool-11 f32[1,2,8,8] kernel_shape=[7,7]", why, sizeof why),
		WORKER_OK);
	assert_string_equal(why, "");
	backend_test_stop();
}

/* In a folder that has one with the library's name. */
static void start_beside(const char *name)
{
	char here[4096], folder[] = "/tmp/assay-known-XXXXXX";
	int rc;

	assert_non_null(getcwd(here, sizeof here));
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("mnn", 0755), 0);
	rc = backend_test_start(name);
	assert_int_equal(rmdir("mnn"), 0);
	assert_int_equal(chdir(here), 0);
	assert_int_equal(rmdir(folder), 0);
	require_started(rc);
}

static void test_mnn(void **state)
{
	char why[512];

	(void)state;
	start_beside("mnn@3.6.1");
	find_again(mnn, sizeof mnn / sizeof *mnn);
	for (size_t i = 0; i < sizeof mended / sizeof *mended; i++)
		if (line_run(backend_test_worker(), mended[i], why, sizeof why) != WORKER_OK || *why)
			fail_msg("%s: %s", mended[i], why);
	backend_test_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tensorflow), cmocka_unit_test(test_crashes),  cmocka_unit_test(test_cntk),
		cmocka_unit_test(test_mnn),        cmocka_unit_test(test_pytensor),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed ? failed : n_tested ? 0 : BACKEND_SKIPPED;
}
