/* test_api_faults.c - a fault of our own does not end the program that uses the library: base/door.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/guest.h"

/* What a function of the library does when it finds a fault of our own. */
static int meet_fault(struct err *e)
{
	struct guest g;
	int rc;

	guest_enter(&g);
	if (setjmp(g.door.at)) {
		rc = door_fault(&g.door, e);
	} else {
		BUG_ON(g.door.outer == NULL);
		rc = 0;
	}
	guest_leave(&g);
	return rc;
}

static void own_faults_do_not_end_the_host(void **state)
{
	struct err e = ERR_INIT;
	struct guest outer;

	(void)state;
	assert_int_equal(meet_fault(&e), ERR_INTERNAL);
	assert_non_null(strstr(e.msg, "g.door.outer == NULL"));
	guest_enter(&outer); /* a call within a call does not close the outer one's door */
	assert_int_equal(meet_fault(&e), 0);
	guest_leave(&outer);
	assert_int_equal(meet_fault(&e), ERR_INTERNAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_faults_do_not_end_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
