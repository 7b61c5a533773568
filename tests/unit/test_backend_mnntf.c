/* test_backend_mnntf.c - MNN by its converter of TensorFlow's graphs, against the reference; skipped where absent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/backend.h"
#include "support/line_run.h"
#include "worker/parent/spec.h"
#include "worker/parent/worker.h"

static int is_installed(const char *name)
{
	struct spec_installed_list l = {0};
	struct err e = ERR_INIT;
	size_t n;

	assert_int_equal(spec_find_installed(name, &l, &e), 0);
	n = l.n;
	spec_installed_release(&l);
	return n > 0;
}

static void check_lines(const char *const *lines, enum worker_result wanted)
{
	struct worker_limits limits = {.init_seconds = 120, .run_seconds = 120};
	struct worker_report report;
	struct worker_spec spec;
	struct worker *w = NULL;
	struct err e = ERR_INIT;
	char why[512];

	assert_int_equal(spec_make("mnntf", &spec, &e), 0);
	if (worker_open(&spec, &limits, &w, &report, &e))
		fail_msg("%s: %s", e.msg, report.stderr_tail);
	spec_release(&spec);
	for (; *lines; lines++) {
		enum worker_result r = line_run(w, *lines, why, sizeof why);

		if (r != wanted || (r == WORKER_OK && *why))
			fail_msg("%s: %s: %s", *lines, worker_result_name(r), why);
	}
	worker_close(w);
}

/* Shapes and axes become constants of a graph, and channels are the last axis there.  Of Conv it takes constant filters
 * alone, which no line has (findings/mnn/tf-conv-fed-filter.py). */
static void models_become_graphs(void **state)
{
	static const char *const lines[] = {
		"MaxPool-12 f32[1,2,5,5] kernel_shape=[3,3] strides=[2,2]",
		"MatMul-13 f32[2,3] f32[3,4]",
		"Add-14 i32[2,3] i32[3]",
		"Softmax-13 f32[2,3,4] axis=1",
		"Reshape-13 f32[2,3,4] i64{-1,0,2}",
		"ReduceMean-13 f32[2,3,4] axes=[1]",
		NULL,
	};

	(void)state;
	check_lines(lines, WORKER_OK);
}

/* Neither what TensorFlow has no graph for, nor a name that the converter drops, is MNN's fault. */
static void what_it_lacks_is_no_fault(void **state)
{
	static const char *const lines[] = {"StringNormalizer-10 str{\"a\",\"b\"}", "Add-14 f64[2,3] f64[3]",
					    "Identity-16 f32[2,3]", "Split-13 f32[5,2] i64{2,3} axis=0 -> 2", NULL};

	(void)state;
	check_lines(lines, WORKER_UNSUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models_become_graphs),
		cmocka_unit_test(what_it_lacks_is_no_fault),
	};

	if (!is_installed("mnntf") || !is_installed("tf"))
		return BACKEND_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
