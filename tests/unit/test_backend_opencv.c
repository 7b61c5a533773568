/* test_backend_opencv.c - OpenCV's two engines against the reference, and what they do not have; skipped where absent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "model/case.h"
#include "support/backend.h"
#include "support/line_run.h"
#include "worker/parent/spec.h"
#include "worker/parent/worker.h"

static const char *const lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,2]",
	"MatMul-13 f32[2,3] f32[3,4]",
	"Add-14 f32[2,3,4] f32[3,1]",
	"Softmax-13 f32[2,3,4] axis=1",
	"ReduceMean-13 f32[2,3,4] axes=[1]",
	"ArgMax-13 f32[2,3,4] axis=1",
	"Transpose-13 f32[2,3,4] perm=[2,0,1]",
	"And-7 bool[2,3] bool[2,3]",
	NULL,
};

/* Only one of its engines has them, and both are one library. */
static const char *const new_lines[] = {"ReduceSum-13 f32[2,3,4] i64{1}", "Add-14 i32[2,3] i32[3]", NULL};

/* It refuses a Conv without kernel_shape whose weights are no constant: findings/opencv/conv-kernel-shape.py */
static const char *const classic_lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] kernel_shape=[3,3] pads=[1,1,1,1] strides=[2,2]",
	"MatMul-13 f32[2,3] f32[3,4]",
	"Add-14 f32[2,3,4] f32[3,1]",
	"Softmax-13 f32[2,3,4] axis=1",
	"ReduceMean-13 f32[2,3,4] axes=[1]",
	NULL,
};

/* What it keeps in another type is no answer, and there are no blobs without elements. */
static const char *const lacks[] = {
	"Relu-14 f64[2,3]",
	"Relu-14 f16[2,3]",
	"Relu-14 f32[2,0]",
	"STFT-17 f32[1,16,1] i64{8}[] - i64{8}[]",
	"Cast-13 f32[2,3] to=12", /* uint32 and uint64 are float32 in the classic engine */
	"Cast-13 bool[2,3] to=13",
	"Gather-13 f32[1,2,2,2] i32{}[1,0] axis=3",
	NULL,
};

static struct worker *opened(const char *name)
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
	return w;
}

/* Runs lines, up to NULL; what is wanted of each is a result, and the reference's outputs when that is WORKER_OK. */
static void check(const char *name, const char *const *line, enum worker_result wanted)
{
	struct worker *w = opened(name);

	for (; *line; line++) {
		char why[512];
		enum worker_result r = line_run(w, *line, why, sizeof why);

		if (r != wanted || (r == WORKER_OK && *why))
			fail_msg("%s: %s, wanted %s: %s", *line, worker_result_name(r), worker_result_name(wanted),
				 why);
	}
	worker_close(w);
}

static void test_both(void **state)
{
	(void)state;
	check("opencv", lines, WORKER_OK);
}

static void test_new(void **state)
{
	(void)state;
	check("opencv:new", new_lines, WORKER_OK);
}

static void test_classic(void **state)
{
	(void)state;
	check("opencv:classic", classic_lines, WORKER_OK);
}

static void test_lacks(void **state)
{
	(void)state;
	check("opencv", lacks, WORKER_UNSUPPORTED);
	check("opencv:new", lacks, WORKER_UNSUPPORTED);
}

/* Sizes that are not known: its developers say that the classic engine does not have them (issues 18072, 26141). */
static enum worker_result load_and_run(struct worker *w, struct op_case *c)
{
	struct named_value in = {c->model->graph->inputs.at[0]->name, c->inputs[0]}, *got = NULL;
	struct worker_report report;
	struct buf bytes;
	struct err e = ERR_INIT;
	enum worker_result r;
	uint64_t session = 0;
	size_t n = 0;

	buf_init(&bytes, (size_t)1 << 20);
	if (model_serialize(c->model, &bytes, &e))
		fail_msg("%s", e.msg);
	r = worker_load(w, bytes.data, bytes.len, NULL, 0, &session, &report);
	if (r == WORKER_OK)
		r = worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &got, &n, &report);
	worker_values_free(got, n);
	buf_release(&bytes);
	return r;
}

static void test_unknown_sizes(void **state)
{
	struct op_case c;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(case_parse("ArgMax-13 f32[1,1,1,1,1,1] axis=1", 1, &c, &e), 0);
	type_set(&c.model->graph->outputs.at[0]->type, DT_INT64, 6, (int64_t[]){1, 1, 1, 1, 1, 1});
	for (int k = 0; k < 2; k++) {
		struct worker *w = opened("opencv:classic");

		assert_int_equal(load_and_run(w, &c), k ? WORKER_UNSUPPORTED : WORKER_OK);
		worker_close(w);
		for (int i = 0; i < 6; i++)
			c.model->graph->inputs.at[0]->type.dims[i] = DIM_UNKNOWN;
	}
	case_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both),  cmocka_unit_test(test_new),           cmocka_unit_test(test_classic),
		cmocka_unit_test(test_lacks), cmocka_unit_test(test_unknown_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
