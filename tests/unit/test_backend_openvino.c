/* test_backend_openvino.c - OpenVINO in its worker, against the reference.  Skipped where it is not installed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "support/backend.h"
#include "worker/parent/spec.h"

static void test_operators(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
		"MatMul-13 f32[2,3] f32[3,4]",
		"Add-14 i64[2,3] i64[3]",
		"TopK-11 f32[3,5] i64{2} -> 2",
		"Split-13 f32[4,2] -> 2",
		"Shape-13 f32[0,3]",
		"ReduceSum-13 f32[2,3] i64{0,1} keepdims=0", /* a scalar comes back */
		"Add-14 f32{1.5}[] f32{2}[]",                /* and goes in */
		"BatchNormalization-15 f32[1,2,3,3] f32[2] f32[2] f32[2] f32[2]@0.5:2",
		"Dropout-13 f32[2,3]", /* the output is the input, under another name */
	};

	(void)state;
	BACKEND_CHECK_LINES(lines);
}

/* Types of all sizes go in and come back. */
static void test_dtypes(void **state)
{
	static const struct {
		const char *name;
		int code;
	} types[] = {
		{"u8", DT_UINT8},   {"i8", DT_INT8},     {"u16", DT_UINT16},    {"i16", DT_INT16},
		{"i32", DT_INT32},  {"i64", DT_INT64},   {"u32", DT_UINT32},    {"u64", DT_UINT64},
		{"f64", DT_DOUBLE}, {"f16", DT_FLOAT16}, {"bf16", DT_BFLOAT16},
	};
	static const int more[] = {DT_BOOL, DT_UINT4, DT_INT4, DT_FLOAT8E4M3FN, DT_FLOAT8E5M2};
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		snprintf(line, sizeof line, "Cast-21 f32{0,1,2,3,5,7} to=%d", types[i].code);
		backend_check(line);
		snprintf(line, sizeof line, "Cast-21 %s[2,3]@0:7 to=1", types[i].name);
		backend_check(line);
	}
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		snprintf(line, sizeof line, "Cast-21 f32{0,1,2,3,5,7} to=%d", more[i]);
		backend_check(line);
	}
}

static void test_statuses(void **state)
{
	struct worker_report report;

	(void)state;
	assert_int_equal(backend_try("Det-22 f32[2,2]", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "No conversion rule found for operations: Det-22"));
	assert_null(strchr(report.message, '\n'));
}

/* A product of numbers that bfloat16 does not have. */
static enum worker_result run_with(const char *name, double *y, struct worker_report *report)
{
	return backend_try_with(name, "MatMul-13 f32[32,64]@1:2 f32[64,32]@1:2", y, report);
}

/* bfloat16 is another backend, or refused where the processor does not have it; never silently float32. */
static void test_precision(void **state)
{
	struct worker_report report;
	double f32 = 0, bf16 = 0;
	enum worker_result r;

	(void)state;
	assert_int_equal(run_with("openvino:f32", &f32, &report), WORKER_OK);
	r = run_with("openvino:bf16", &bf16, &report);
	if (r == WORKER_OK)
		assert_true(bf16 != f32);
	else
		assert_int_equal(r, WORKER_UNSUPPORTED);
}

#ifdef __aarch64__
static const int is_arm = 1;
#else
static const int is_arm = 0;
#endif

/* What users get is one of the two; `check` asks for that where nobody says anything. */
static void test_own_precision(void **state)
{
	struct worker_report report;
	struct spec_list specs;
	struct err e = ERR_INIT;
	double f32 = 0, bf16 = 0, own = 0;

	(void)state;
	assert_int_equal(run_with("openvino:f32", &f32, &report), WORKER_OK);
	assert_int_equal(run_with("openvino:own", &own, &report), WORKER_OK);
	if (run_with("openvino:bf16", &bf16, &report) == WORKER_OK)
		assert_true(own == bf16 || own == f32);
	else if (is_arm) /* float16 there, as its documentation says */
		assert_true(fabs(own - f32) <= 1e-3 * fabs(f32));
	else
		assert_true(own == f32);
	assert_int_equal(spec_make_list("openvino,openvino:f32,reference", &specs, &e), 0);
	assert_int_equal(spec_list_own(&specs, &e), 0);
	assert_string_equal(specs.at[0].name, "openvino:own");
	assert_string_equal(specs.at[1].name, "openvino:f32");
	assert_string_equal(specs.at[2].name, "reference");
	spec_list_release(&specs);
}

/* A name that no worker is started for: what it asks for would look like a refusal of the library. */
static void check_refused(const char *name, const char *why)
{
	struct worker_spec s;
	struct err e = ERR_INIT;

	assert_int_equal(spec_make(name, &s, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, why));
}

static void test_bad_options(void **state)
{
	struct worker_report report;
	double y;

	(void)state;
	check_refused("openvino:precision=f12", "'f12' is not one of f32, bf16, own");
	check_refused("openvino:mode=fast", "'fast' is not one of accuracy, performance");
	assert_int_equal(run_with("openvino:mode=accuracy", &y, &report), WORKER_OK);
}

/* DepthToSpace is refused only because what it reads was: GatherElements, which is the one to name. */
static void test_cause_comes_first(void **state)
{
	struct worker_report report;
	struct err e = ERR_INIT;
	struct buf bytes;
	struct op_case c;
	struct node *n = NULL;
	struct wire *y;
	uint64_t session;

	(void)state;
	assert_int_equal(case_parse("GatherElements-13 f32[1,2,1,1] i64{0}[1,1,1,1] axis=2", 1, &c, &e), 0);
	y = c.model->graph->outputs.at[0];
	graph_remove_output(c.model->graph, y);
	assert_int_equal(graph_append_node(c.model->graph, "DepthToSpace", &y, 1, "last", &n, &e), 0);
	assert_int_equal(node_set_int(n, "blocksize", 1, &e), 0);
	assert_int_equal(graph_add_output(c.model->graph, n->out[0], &e), 0);
	buf_init(&bytes, 1 << 16);
	assert_int_equal(model_serialize(c.model, &bytes, &e), 0);
	assert_int_equal(worker_load(backend_test_worker(), bytes.data, bytes.len, NULL, 0, &session, &report),
			 WORKER_REJECTED);
	assert_non_null(strstr(report.message, "-- GatherElements"));
	if (strstr(report.message, "-- DepthToSpace"))
		assert_true(strstr(report.message, "-- GatherElements") < strstr(report.message, "-- DepthToSpace"));
	buf_release(&bytes);
	case_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_dtypes),
		BACKEND_COMMON_TESTS,
		cmocka_unit_test(backend_test_rejections),
		cmocka_unit_test(test_statuses),
		cmocka_unit_test(backend_test_invoke),
		cmocka_unit_test(backend_test_list),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_own_precision),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_cause_comes_first),
	};

	return BACKEND_TEST_RUN("openvino", tests);
}
