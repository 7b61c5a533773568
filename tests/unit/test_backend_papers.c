/* test_backend_papers.c - the operators that the papers on testing deep-learning libraries work with, on every library
 * that does not read ONNX: data/paper-operators.tsv has the table.  A library that is not installed is skipped, with
 * the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "support/backend.h"
#include "support/line_run.h"
#include "worker/parent/spec.h"

#define TABLE "data/paper-operators.tsv"

static int n_opened;

/* The text between tabs number `column` and `column` + 1; the line is cut up. */
static char *cell(char **rest)
{
	char *at = *rest, *end = strchr(at, '\t');

	if (end)
		*end++ = '\0';
	*rest = end ? end : at + strlen(at);
	return at;
}

/* Does the last column, "tflite: reason; mxnet: reason", name the library? */
static int is_excused(const char *reasons, const char *library)
{
	size_t n = strlen(library);

	for (const char *p = reasons; (p = strstr(p, library)); p += n)
		if ((p == reasons || p[-1] == ' ') && p[n] == ':')
			return 1;
	return 0;
}

/* One row; returns 1 when the library does not do what the table says. */
static int check_row(struct worker *w, const char *library, char *row)
{
	const char *paper = cell(&row), *op = cell(&row), *line = cell(&row), *reasons = cell(&row);
	int excused = is_excused(reasons, library), good;
	char why[512];
	enum worker_result r = line_run(w, line, why, sizeof why);

	good = excused ? r == WORKER_UNSUPPORTED : r == WORKER_OK && !*why;
	if (!good)
		print_error("%s: %s of %s, %s: %s%s: %s\n", library, op, paper, line, worker_result_name(r),
			    excused ? " but the table has a reason why not" : "", why);
	return !good;
}

static void check_library(const char *library)
{
	struct worker_limits limits = {.init_seconds = 120, .run_seconds = 120};
	struct worker_report report;
	struct worker_spec spec;
	struct worker *w = NULL;
	struct buf text;
	struct err e = ERR_INIT;
	size_t rows = 0, bad = 0;
	char *at, *end;

	if (spec_make(library, &spec, &e))
		backend_skip(&e);
	if (worker_open(&spec, &limits, &w, &report, &e))
		fail_msg("%s: %s", e.msg, report.stderr_tail);
	spec_release(&spec);
	n_opened++;
	buf_init(&text, (size_t)1 << 20);
	assert_int_equal(buf_read_file(&text, TABLE, (size_t)1 << 20, &e), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	for (at = (char *)text.data; (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		if (*at == '#' || !*at)
			continue;
		bad += (size_t)check_row(w, library, at);
		rows++;
	}
	worker_close(w);
	buf_release(&text);
	assert_true(rows > 100);
	assert_int_equal(bad, 0);
}

static void test_tf(void **state)
{
	(void)state;
	check_library("tf");
}

static void test_torch(void **state)
{
	(void)state;
	check_library("torch");
}

static void test_mxnet(void **state)
{
	(void)state;
	check_library("mxnet");
}

static void test_tflite(void **state)
{
	(void)state;
	check_library("tflite");
}

static void test_jax(void **state)
{
	(void)state;
	check_library("jax");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tf),     cmocka_unit_test(test_torch), cmocka_unit_test(test_mxnet),
		cmocka_unit_test(test_tflite), cmocka_unit_test(test_jax),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed ? failed : n_opened ? 0 : BACKEND_SKIPPED;
}
