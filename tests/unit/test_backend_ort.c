/* test_backend_ort.c - ONNX Runtime in its worker, against the reference.  Skipped where it is not installed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/case.h"
#include "probe/support.h"
#include "reference/reference.h"
#include "support/backend.h"
#include "support/onnx_invoke.h"
#include "worker/pool.h"
#include "worker/spec.h"

/* ---- one line of operator and inputs, on both ----------------------------------------------------------------------
 */

struct both {
	struct op_case c;
	struct buf bytes;
	uint64_t session;
	struct named_value *got;
	size_t n;
};

static void parse_line(const char *line, struct both *b)
{
	struct err e = ERR_INIT;

	*b = (struct both){.n = 0};
	buf_init(&b->bytes, (size_t)1 << 20);
	if (case_parse(line, 1, &b->c, &e) || model_serialize(b->c.model, &b->bytes, &e))
		fail_msg("%s: %s", line, e.msg);
}

static void run_line(const char *line, struct both *b, struct worker_report *report)
{
	struct named_value in[8];
	size_t n = 0;

	parse_line(line, b);
	for (size_t i = 0; i < b->c.n; i++)
		in[n++] = (struct named_value){b->c.model->graph->inputs.at[i]->name, b->c.inputs[i]};
	backend_require(worker_load(backend_test_worker(), b->bytes.data, b->bytes.len, NULL, 0, &b->session, report),
			report);
	backend_require(worker_run(backend_test_worker(), b->session, in, n, NULL, 0, &b->got, &b->n, report), report);
}

static void end_line(struct both *b)
{
	struct worker_report report;

	if (b->session)
		worker_unload(backend_test_worker(), b->session, &report);
	worker_values_free(b->got, b->n);
	case_release(&b->c);
	buf_release(&b->bytes);
}

static void compare_tensors(const char *line, const struct tensor *a, struct tensor *wide)
{
	struct err e = ERR_INIT;
	struct tensor *b = tensor_pack(wide, &e);

	assert_non_null(b);
	assert_int_equal(a->dtype, b->dtype);
	assert_true(tensor_same_shape(a, b));
	for (size_t i = 0; i < a->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i);

		if (a->dtype == DT_STRING) {
			assert_int_equal(a->s[i].n, b->s[i].n);
			assert_memory_equal(a->s[i].p, b->s[i].p, a->s[i].n);
		} else if (!(fabs(x - y) <= 1e-5 * (1 + fabs(y)))) {
			fail_msg("%s: element %zu is %.9g, expected %.9g", line, i, x, y);
		}
	}
	tensor_unref(b);
}

static void compare_values(const char *line, const struct value *a, const struct value *b)
{
	assert_int_equal(a->kind, b->kind);
	if (a->kind == VALUE_TENSOR) {
		compare_tensors(line, a->tensor, b->tensor);
		return;
	}
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		compare_values(line, a->items[i], b->items[i]);
}

/* Outputs of the worker are those of the reference. */
static void check_line(const char *line)
{
	struct worker_report report;
	struct ref_options o = {.mode = REF_ROUNDED};
	struct ref_result want = {NULL, 0};
	struct err e = ERR_INIT;
	struct ref *ref = NULL;
	struct both b;

	run_line(line, &b, &report);
	if (ref_open(b.c.model, &ref, &e) || ref_run(ref, b.c.inputs, b.c.n, &o, &want, &e))
		fail_msg("%s: %s", line, e.msg);
	assert_int_equal(b.n, want.n);
	for (size_t i = 0; i < want.n; i++) {
		assert_string_equal(b.got[i].name, want.outputs[i].name);
		compare_values(line, b.got[i].value, want.outputs[i].value);
	}
	ref_result_release(&want);
	ref_close(ref);
	end_line(&b);
}

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
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		check_line(lines[i]);
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
		check_line(line);
	}
	check_line("Cast-25 f32{0,1,1,0} to=25"); /* numbered differently there */
	check_line("Cast-25 f32{0,1,-1,-2} to=26");
	check_line("Cast-24 f32{1,2,4} to=24");
}

static void test_strings_and_sequences(void **state)
{
	(void)state;
	check_line("Concat-13 str{\"a\",\"\",\"long text of many bytes\"} str{\"b\"} axis=0");
	check_line("SplitToSequence-11 f32[4,2] axis=0");
}

static void test_intermediates(void **state)
{
	const char *const wanted[] = {"xw"};
	struct worker_report report;
	struct named_value *got;
	struct buf bytes;
	struct err e = ERR_INIT;
	uint64_t session;
	size_t n;
	int64_t dims[] = {1, 3};
	struct tensor *x = tensor_zeros(DT_FLOAT, 2, dims, &e);
	struct named_value in = {"x", value_tensor(x, &e)};

	(void)state;
	buf_init(&bytes, (size_t)1 << 20);
	assert_int_equal(buf_read_file(&bytes, "tests/fixtures/linear.onnx", (size_t)1 << 20, &e), 0);
	backend_require(worker_load(backend_test_worker(), bytes.data, bytes.len, wanted, 1, &session, &report),
			&report);
	backend_require(worker_run(backend_test_worker(), session, &in, 1, NULL, 0, &got, &n, &report), &report);
	assert_int_equal(n, 2);
	assert_string_equal(got[0].name, "y");
	assert_string_equal(got[1].name, "xw");
	assert_int_equal(got[1].value->tensor->count, 2);
	worker_values_free(got, n);
	backend_require(worker_run(backend_test_worker(), session, &in, 1, wanted, 1, &got, &n, &report), &report);
	assert_int_equal(n, 1);
	worker_values_free(got, n);
	assert_int_equal(worker_load(backend_test_worker(), bytes.data, bytes.len, (const char *const[]){"nowhere"}, 1,
				     &session, &report),
			 WORKER_REJECTED);
	value_unref(in.value);
	buf_release(&bytes);
}

/* What the library says no to, and how that is called. */
static void test_statuses(void **state)
{
	struct worker_report report;
	struct named_value *got;
	struct err e = ERR_INIT;
	struct both b;
	int64_t dims[] = {7};
	size_t n;
	struct named_value in = {NULL, value_tensor(tensor_zeros(DT_FLOAT, 1, dims, &e), &e)};

	(void)state;
	assert_int_equal(worker_load(backend_test_worker(), "no model", 8, NULL, 0, &b.session, &report),
			 WORKER_REJECTED);
	parse_line("BitShift-11 u16[2] u16[2] direction=\"LEFT\"", &b); /* there is no such kernel */
	assert_int_equal(worker_load(backend_test_worker(), b.bytes.data, b.bytes.len, NULL, 0, &b.session, &report),
			 WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "Could not find an implementation"));
	b.session = 0;
	end_line(&b);
	run_line("Relu-14 f32[2,3]", &b, &report);
	in.name = b.c.model->graph->inputs.at[0]->name;
	assert_int_equal(worker_run(backend_test_worker(), b.session, &in, 1, NULL, 0, &got, &n, &report),
			 WORKER_REJECTED);
	in.name = "nowhere";
	assert_int_equal(worker_run(backend_test_worker(), b.session, &in, 1, NULL, 0, &got, &n, &report),
			 WORKER_REJECTED);
	end_line(&b);
	value_unref(in.value);
}

/* ---- options -------------------------------------------------------------------------------------------------------
 */

static size_t saved_nodes(const char *name, const char *path)
{
	struct worker_limits limits = {0, 0, 0};
	struct worker_report report;
	struct worker_spec s;
	struct worker *w;
	struct model *m;
	struct buf bytes;
	struct err e = ERR_INIT;
	uint64_t session;
	size_t n;

	buf_init(&bytes, (size_t)1 << 20);
	assert_int_equal(buf_read_file(&bytes, "tests/fixtures/linear.onnx", (size_t)1 << 20, &e), 0);
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
	struct worker_limits limits = {0, 0, 0};
	struct worker_report report;
	struct worker_spec s;
	struct worker *w;
	struct both b;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_make("ort:level=O7", &s, &e), 0);
	assert_int_equal(worker_open(&s, &limits, &w, &report, &e), 0);
	parse_line("Relu-14 f32[2,3]", &b);
	assert_int_equal(worker_load(w, b.bytes.data, b.bytes.len, NULL, 0, &b.session, &report), WORKER_REJECTED);
	assert_non_null(strstr(report.message, "'O7' is not O0, O1, O2 or O99"));
	b.session = 0;
	end_line(&b);
	worker_close(w);
	spec_release(&s);
}

/* ---- what it supports ----------------------------------------------------------------------------------------------
 */

static void test_support(void **state)
{
	static const char probes[] = "Relu-14 f32[2,3]\n# a comment\nRelu-14 f32[0]\nBitShift-11 u16[2] u16[2] "
				     "direction=\"LEFT\"\n";
	struct support s = {.ops = VEC_INIT, .arena = ARENA_INIT};
	const struct support_op *op;
	struct err e = ERR_INIT;
	int ok, tried;

	(void)state;
	if (support_probe(backend_test_worker(), probes, NULL, NULL, &s, &e))
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

static void test_invoke(void **state)
{
	(void)state;
	check_onnx_invoke(backend_test_worker());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_dtypes),
		cmocka_unit_test(test_strings_and_sequences),
		cmocka_unit_test(test_intermediates),
		cmocka_unit_test(test_statuses),
		cmocka_unit_test(test_invoke),
		cmocka_unit_test(test_optimization),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_support),
	};

	return BACKEND_TEST_RUN("ort", tests);
}
