/* test_backend_ort.c - ONNX Runtime in its worker, against the reference.  Skipped where it is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/model.h"
#include "probe/support.h"
#include "support/backend.h"
#include "support/trials.h"
#include "worker/parent/spec.h"
#include "worker/parent/worker.h"

static void test_operators(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,2]",
		"MatMul-13 f64[2,3] f64[3,4]",
		"Add-14 i64[2,3] i64[3]",
		"TopK-11 f32[3,5] i64{2} -> 2",
		"Split-13 f32[4,2] -> 2",
		"Shape-13 f32[0,3]",
	};

	(void)state;
	BACKEND_CHECK_LINES(lines);
}

/* Types of all sizes come back as packed bytes. */
static void test_dtypes(void **state)
{
	static const int types[] = {DT_UINT8, DT_INT8,         DT_INT16,     DT_INT32,    DT_INT64,
				    DT_BOOL,  DT_DOUBLE,       DT_FLOAT16,   DT_BFLOAT16, DT_UINT4,
				    DT_INT4,  DT_FLOAT8E4M3FN, DT_FLOAT8E5M2};

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		char line[128];

		snprintf(line, sizeof line, "Cast-21 f32{0,1,2,3,5,7} to=%d", types[i]);
		backend_check(line);
	}
	backend_check("Cast-25 f32{0,1,1,0} to=25"); /* numbered differently there */
	backend_check("Cast-25 f32{0,1,-1,-2} to=26");
	backend_check("Cast-24 f32{1,2,4} to=24");
}

static void test_strings_and_sequences(void **state)
{
	(void)state;
	backend_check("Concat-13 str{\"a\",\"\",\"long text of many bytes\"} str{\"b\"} axis=0");
	backend_check("SplitToSequence-11 f32[4,2] axis=0");
}

static void read_linear(struct buf *bytes)
{
	struct err e = ERR_INIT;

	buf_init(bytes, (size_t)1 << 20);
	assert_int_equal(buf_read_file(bytes, "tests/fixtures/linear.onnx", (size_t)1 << 20, &e), 0);
}

/* What the library says no to, and how that is called. */
static void test_statuses(void **state)
{
	struct worker_report report;
	struct named_value *got;
	struct err e = ERR_INIT;
	struct buf bytes;
	int64_t dims[] = {7};
	uint64_t session;
	size_t n;
	struct named_value in = {"x", value_tensor(tensor_zeros(DT_FLOAT, 1, dims, &e), &e)};

	(void)state;
	assert_int_equal(worker_load(backend_test_worker(), "no model", 8, NULL, 0, &session, &report),
			 WORKER_REJECTED);
	assert_int_equal(backend_try("BitShift-11 u16[2] u16[2] direction=\"LEFT\"", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "Could not find an implementation")); /* there is no such kernel */
	assert_int_equal(backend_try("Resize-13 f32[2,3,4,5] - f32{2,2,2,2} mode=\"linear\"", &report),
			 WORKER_UNSUPPORTED);
	read_linear(&bytes);
	backend_require(worker_load(backend_test_worker(), bytes.data, bytes.len, NULL, 0, &session, &report), &report);
	assert_int_equal(
		worker_run(backend_test_worker(), session, &(struct backend_run){.in = {&in, 1}}, &got, &n, &report),
		WORKER_REJECTED); /* of another shape */
	worker_unload(backend_test_worker(), session, &report);
	buf_release(&bytes);
	value_unref(in.value);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static size_t saved_nodes(const char *name, const char *path)
{
	struct worker_limits limits = {0};
	struct worker_report report;
	struct worker_spec s;
	struct worker *w;
	struct model *m;
	struct buf bytes;
	struct err e = ERR_INIT;
	uint64_t session;
	size_t n;

	read_linear(&bytes);
	assert_int_equal(spec_make(name, &s, &e), 0);
	assert_int_equal(spec_set_option(&s, "save", path, &e), 0);
	if (worker_open(&s, &limits, &w, &report, &e))
		fail_msg("%s", e.msg);
	backend_require(worker_load(w, bytes.data, bytes.len, NULL, 0, &session, &report), &report);
	worker_close(w);
	spec_release(&s);
	buf_release(&bytes);
	if (model_load(path, &m, &e))
		fail_msg("%s", e.msg);
	n = m->graph->nodes.n;
	model_free(m);
	assert_int_equal(unlink(path), 0);
	return n;
}

/* MatMul and Add become one Gemm, unless that is forbidden. */
static void test_optimization(void **state)
{
	char path[] = "/tmp/assay-ort-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(saved_nodes("ort:O0", path), 3);
	assert_true(saved_nodes("ort", path) < 3);
	assert_int_equal(saved_nodes("ort:disable=MatMulAddFusion", path), 3);
}

static void test_bad_options(void **state)
{
	struct worker_spec s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_make("ort:level=O7", &s, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "'O7' is not one of O99, O0, O1, O2"));
}

/* ONNX has no such attribute since Dropout became one of inputs: a library may refuse it, and it is no finding. */
static void test_rightly_refused(void **state)
{
	struct trial t = trials_line("Dropout-13 f32[2,3] ratio=0.25", 1);
	struct party p = trials_open("ort");
	struct outcome o;

	(void)state;
	trials_judge(&t, &p, VERDICT_UNSUPPORTED, &o);
	assert_non_null(strstr(o.reason, "ratio"));
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* ---- what it supports -------------------------------------------------------------------------------------------- */

static void test_support(void **state)
{
	static struct case_line probes[] = {{"Relu-14 f32[2,3]", "", 1},
					    {"Relu-14 f32[0]", "", 2},
					    {"BitShift-11 u16[2] u16[2] direction=\"LEFT\"", "", 3}};
	const struct case_lines lines = {.all = {.at = probes, .n = 3}};
	const struct support_request all = {0};
	struct support s = {.ops = VEC_INIT, .arena = ARENA_INIT};
	const struct support_op *op;
	struct party p = {.worker = backend_test_worker()};
	struct err e = ERR_INIT;
	int ok, tried;

	(void)state;
	if (support_probe(&p, &lines, &all, &s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(s.ops.n, 2);
	op = support_find(&s, "", "Relu");
	assert_non_null(op);
	assert_string_equal(op->dtypes[DT_FLOAT], "ok");
	assert_string_equal(op->dtypes[DT_BFLOAT16], "unsupported");
	assert_null(op->dtypes[DT_BOOL]); /* Relu does not take it */
	support_count(op, &ok, &tried);
	assert_true(ok > 0 && ok < tried);
	assert_int_equal(op->variants.n, 2);
	assert_string_equal(op->variants.at[1].line, "Relu-14 f32[0]");
	assert_string_equal(op->variants.at[1].result, "ok");
	op = support_find(&s, "", "BitShift");
	assert_non_null(op);
	assert_string_equal(op->variants.at[0].result, "unsupported");
	assert_non_null(strstr(op->message, "Could not find an implementation"));
	support_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_dtypes),
		cmocka_unit_test(test_strings_and_sequences),
		BACKEND_COMMON_TESTS,
		cmocka_unit_test(test_statuses),
		cmocka_unit_test(backend_test_invoke),
		cmocka_unit_test(backend_test_list),
		cmocka_unit_test(test_optimization),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_rightly_refused),
		cmocka_unit_test(test_support),
	};

	return BACKEND_TEST_RUN("ort", tests);
}
