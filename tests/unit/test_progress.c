/* The bar of progress.h, and log levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"

static void test_bar_fills(void **state)
{
	struct progress p = {.what = "cases", .total = 48};
	char out[128];

	(void)state;
	progress_bar(&p, 0, NULL, 100, out, sizeof out);
	assert_string_equal(out, "[                        ] 0/48 cases");
	progress_bar(&p, 24, "test_add", 100, out, sizeof out);
	assert_string_equal(out, "[############            ] 24/48 cases, test_add");
	progress_bar(&p, 60, NULL, 100, out, sizeof out); /* more than promised */
	assert_string_equal(out, "[########################] 60/48 cases");
}

static void test_phases(void **state)
{
	struct progress p, inner;
	char out[128];

	(void)state;
	progress_phase("judging", 1, 3, NULL); /* no bar: nothing is told */
	progress_start(&p, "inputs", 3);
	progress_phase("localizing node", 12, 40, "conv3");
	progress_bar(&p, 12, "conv3", 100, out, sizeof out);
	assert_string_equal(out, "[#######                 ] localizing node 12/40, conv3");
	progress_phase("reducing, try", 7, 0, NULL);
	progress_bar(&p, 7, NULL, 100, out, sizeof out);
	assert_string_equal(out, "[                        ] reducing, try 7");
	progress_phase("confirming", 0, 0, NULL);
	progress_bar(&p, 0, NULL, 100, out, sizeof out);
	assert_string_equal(out, "[                        ] confirming");
	progress_start(&inner, "tries", 9); /* the last one that was started is told, then the one before */
	progress_phase("proving", 0, 0, NULL);
	assert_string_equal(inner.phase, "proving");
	assert_string_equal(p.phase, "confirming");
	progress_end(&inner);
	progress_phase("judging", 1, 3, NULL);
	assert_string_equal(p.phase, "judging");
	p.total = 3;
	progress_step(&p, 2, NULL); /* counting again */
	assert_null(p.phase);
	progress_end(&p);
	progress_end(&p); /* twice is fine */
	progress_phase("judging", 1, 3, NULL);
	assert_null(p.phase);
}

static void test_bar_fits_the_terminal(void **state)
{
	struct progress p = {.what = "cases", .total = 0};
	char out[128], small[8];

	(void)state;
	progress_bar(&p, 7, "x", 100, out, sizeof out); /* how many there will be is not known */
	assert_string_equal(out, "[                        ] 7 cases, x");
	progress_bar(&p, 0, "a name that is far too long", 30, out, sizeof out);
	assert_int_equal(strlen(out), 30);
	progress_bar(&p, 0, NULL, 100, small, sizeof small);
	assert_int_equal(strlen(small), sizeof small - 1);
}

static void test_levels_stay_in_range(void **state)
{
	(void)state;
	assert_int_equal(log_level(), LOG_WARNING);
	log_set_level(99);
	assert_int_equal(log_level(), LOG_DEBUG);
	log_set_level(-5);
	assert_int_equal(log_level(), LOG_ERROR);
	log_set_level(LOG_WARNING);
}

static void test_clock_goes_forward(void **state)
{
	double t = clock_now();

	(void)state;
	assert_true(clock_now() >= t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bar_fills),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_bar_fits_the_terminal),
		cmocka_unit_test(test_levels_stay_in_range),
		cmocka_unit_test(test_clock_goes_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
