/* test_backend_bisect.c - versions of a library, asked about a case whose verdict nobody has told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/trials.h"
#include "triage/triage.h"
#include "worker/parent/spec.h"

#define SKIP 77
#define BAD_ORT "1.20.1" /* refuses an Einsum of one operand that permutes and sums */
#define NEW_ORT "1.31.1"

static const char *const versions[] = {BAD_ORT, NEW_ORT};
static struct err e = ERR_INIT;

static int are_installed(void)
{
	struct spec_installed_list l = {0};
	size_t found = 0;

	if (spec_find_installed("ort", &l, &e))
		return 0;
	for (size_t i = 0; i < l.n; i++)
		found += !strcmp(l.at[i].version, BAD_ORT) || !strcmp(l.at[i].version, NEW_ORT);
	spec_installed_release(&l);
	return found == 2;
}

/* A folder with a model and inputs alone does not say what they show: it is what the first version gives. */
static void test_any(void **state)
{
	struct trial t = trials_line("Einsum-12 f32[2,3,4] equation=\"ijk->ki\"", 1);
	struct bisect_result r = {0};
	struct worker_spec spec;
	struct bisect_request q = {.trial = &t, .spec = &spec, .verdict = VERDICT_WRONG, .versions = versions, .n = 2};

	(void)state;
	assert_int_equal(spec_make("ort@" BAD_ORT, &spec, &e), 0);
	assert_int_equal(bisect_versions(&q, &r, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "does not show the finding but gives 'rejected'"));
	q.any = 1;
	if (bisect_versions(&q, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(r.verdict, VERDICT_REJECTED);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.first_bad, BAD_ORT);
	assert_string_equal(r.first_good_after, NEW_ORT);
	bisect_release(&r);
	spec_release(&spec);
	trial_release(&t);
}

/* --timeout: what takes longer in each version is a hang. */
static void test_limits(void **state)
{
	struct trial t = trials_line("Relu-14 f32[2,3]", 1);
	struct bisect_result r = {0};
	struct worker_spec spec;
	const struct bisect_request q = {.trial = &t,
					 .spec = &spec,
					 .any = 1,
					 .versions = versions,
					 .n = 2,
					 .limits = {.init_seconds = 600, .run_seconds = 1e-12}};

	(void)state;
	assert_int_equal(spec_make("ort@" BAD_ORT, &spec, &e), 0);
	if (bisect_versions(&q, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(r.verdict, VERDICT_HANG);
	assert_string_equal(r.first_good_after, "");
	bisect_release(&r);
	spec_release(&spec);
	trial_release(&t);
}

/* A version that is right has no finding of any kind. */
static void test_none(void **state)
{
	struct trial t = trials_line("Einsum-12 f32[2,3,4] equation=\"ijk->ki\"", 1);
	struct bisect_result r = {0};
	struct worker_spec spec;
	const struct bisect_request q = {.trial = &t, .spec = &spec, .any = 1, .versions = versions, .n = 2};

	(void)state;
	assert_int_equal(spec_make("ort@" NEW_ORT, &spec, &e), 0);
	assert_int_equal(bisect_versions(&q, &r, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "does not show the finding but gives '"));
	spec_release(&spec);
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_any), cmocka_unit_test(test_none),
					   cmocka_unit_test(test_limits)};

	if (!are_installed()) {
		print_message("ort@" BAD_ORT " or ort@" NEW_ORT " is not installed\n");
		return SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
