/* backend.h - one library in its worker beside the reference, for tests/unit/test_backend_<name>.c.
 *
 * backend_test_start() opens the worker, or prints why the test is skipped and returns BACKEND_SKIPPED, which ctest
 * knows.  All checks fail the running cmocka test. */
#ifndef TESTS_SUPPORT_BACKEND_H
#define TESTS_SUPPORT_BACKEND_H

#include "worker/parent/worker.h"

#define BACKEND_SKIPPED 77

int backend_test_start(const char *name); /* "openvino", "openvino:bf16" */

/* Prints why a library is not there.  The status of a skipped test, or a failure where ASSAY_REQUIRE_BACKENDS is set:
 * there every library is to be tested that the machine has a device for (ERR_UNSUPPORTED: it has none). */
int backend_test_missing(const struct err *why);
void backend_skip(const struct err *why); /* the same for the running test alone */

void backend_test_stop(void);
struct worker *backend_test_worker(void);

/* Runs the cmocka tests with one backend, started before and stopped after them: what main() returns. */
struct CMUnitTest;
int backend_test_run(const char *name, const struct CMUnitTest *tests, size_t n);
#define BACKEND_TEST_RUN(name, tests) backend_test_run(name, tests, sizeof(tests) / sizeof *(tests))

/* The outputs of a case (model/case.h) are those of the reference, each element within
 * tolerance * (1 + |expected|). */
void backend_check_within(const char *line, double tolerance);
void backend_check(const char *line); /* within 1e-5 */
void backend_check_lines(const char *const *lines, size_t n);
#define BACKEND_CHECK_LINES(lines) backend_check_lines(lines, sizeof(lines) / sizeof *(lines))

/* Fails the running test with the report's words unless the result is WORKER_OK. */
void backend_require(enum worker_result r, const struct worker_report *report);

/* Loads and runs a case: what came of it. */
enum worker_result backend_try(const char *line, struct worker_report *report);

/* The same in a worker of its own, for another backend; *first, unless NULL, becomes the first element of the first
 * output. */
enum worker_result backend_try_with(const char *name, const char *line, double *first, struct worker_report *report);

/* ---- cmocka tests ------------------------------------------------------------------------------------------------ */

/* Every library: intermediates by name and in order, unknown dimensions run with several shapes, inputs in any order.
 */
void backend_test_intermediates(void **state);
void backend_test_dynamic_shapes(void **state);
void backend_test_inputs(void **state);
#define BACKEND_COMMON_TESTS                                                                         \
	cmocka_unit_test(backend_test_intermediates), cmocka_unit_test(backend_test_dynamic_shapes), \
		cmocka_unit_test(backend_test_inputs)

/* Cases in a row, up to `n`: tests that are called as their array is. */
struct backend_lines {
	const char *const *at;
	size_t n;
};
#define BACKEND_ROW(lines, function)                                                            \
	{                                                                                       \
		.name = #lines, .test_func = function, .initial_state = &(struct backend_lines) \
		{                                                                               \
			lines, sizeof(lines) / sizeof *(lines)                                  \
		}                                                                               \
	}

/* backend_check() on each. */
void backend_test_lines(void **state);
#define BACKEND_LINES_TEST(lines) BACKEND_ROW(lines, backend_test_lines)

/* Gradients of Σ seed · output with respect to all inputs are those of the reference, within 1e-4. */
void backend_test_gradients(void **state);
#define BACKEND_GRADIENTS_TEST(lines) BACKEND_ROW(lines, backend_test_gradients)

/* Libraries that take tensors alone: the statuses of what is no model and no tensor. */
void backend_test_rejections(void **state);

/* Libraries that read ONNX: operations and registry are ONNX's. */
void backend_test_invoke(void **state);
void backend_test_list(void **state);

#endif
