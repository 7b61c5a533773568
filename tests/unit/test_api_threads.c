/* test_api_threads.c - the public interface in a program with threads: the same bits as one thread alone has, from the
 * first call on, and whatever the threads like their arithmetic to be.
 *
 * What a process finds out once it finds out on first use, so each try is a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/guests.h"

#define N_PROCESSES 8

static struct guests guests;

static int set_up(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	if (guests_open(&guests, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	guests_close(&guests);
	return 0;
}

static void threads_get_the_bits_of_one_alone(void **state)
{
	(void)state;
	for (int i = 0; i < N_PROCESSES; i++) {
		struct err e = ERR_INIT;

		if (guests_run(&guests, 4 + i % 2 * 4, NULL, &e) != GUESTS_SAME)
			fail_msg("%s", e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_get_the_bits_of_one_alone, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
