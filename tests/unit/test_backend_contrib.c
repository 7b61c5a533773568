/* test_backend_contrib.c - every line of data/cases/contrib.case on ONNX Runtime, whose operators they are, against the
 * reference.  Skipped where it is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/case_file.h"
#include "support/backend.h"

#define CASES "data/cases/contrib.case"

/* What ONNX Runtime does not run on a processor: a part of the line, and what it says. */
static const struct {
	const char *line, *says;
} refused[] = {
	{"BiasSplitGelu-1", "Could not find an implementation"},
	{":Gelu-1 f64", "Could not find an implementation for Erf"},
	{"qk_norm_epsilon", "implemented only on the CU"},
	{"Attention-1 f32[2,3,8] f32[8,24] num_heads", "died by signal"}, /* the bias is optional */
};

static const char *refusal_of(const char *line)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strstr(line, refused[i].line))
			return refused[i].says;
	return NULL;
}

/* float16: ONNX Runtime rounds between the steps as well. */
static double tolerance_of(const char *line)
{
	return strstr(line, " f16[") ? 4e-3 : 1e-5;
}

static void test_line(void **state)
{
	const char *line = *state, *says = refusal_of(line);
	struct worker_report report;

	if (!says) {
		backend_check_within(line, tolerance_of(line));
		return;
	}
	assert_int_not_equal(backend_try(line, &report), WORKER_OK);
	if (!strstr(report.message, says))
		fail_msg("%s: %s", line, report.message);
}

int main(void)
{
	struct err e = ERR_INIT;
	struct case_lines lines;
	struct CMUnitTest *tests;
	int rc = case_lines_read(CASES, &lines, &e);

	if (rc)
		return 1;
	tests = mem_array(lines.all.n, sizeof *tests);
	for (size_t i = 0; tests && i < lines.all.n; i++)
		tests[i] =
			(struct CMUnitTest){lines.all.at[i].text, test_line, NULL, NULL, (void *)lines.all.at[i].text};
	rc = tests ? backend_test_run("ort", tests, lines.all.n) : 1;
	mem_free(tests);
	case_lines_release(&lines);
	return rc;
}
