/* test_worker_wait.c - how long an answer is waited for: a deadline, and what a busy machine adds to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "worker/frames.h"
#include "worker/parent/usage.h"

struct other_side {
	int socket;
	int answers; /* the next time that it is asked */
	int asked;
	double held_up;
};

static double held_up(void *arg)
{
	struct other_side *s = arg;

	s->asked++;
	if (s->answers)
		assert_int_equal(send(s->socket, "\1\0\0\0x", 5, 0), 5);
	return s->held_up;
}

static enum frame_result wait_for(struct other_side *s)
{
	struct frame f = FRAME_INIT;
	int fds[2];
	enum frame_result got;
	struct frame_wait wait = {.deadline = clock_now() - 1, .held_up = held_up, .arg = s};

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	s->socket = fds[1];
	got = frame_receive(fds[0], &f, &wait);
	if (got == FRAME_OK)
		assert_memory_equal(frame_message(&f), "x", 1);
	frame_release(&f);
	close(fds[0]);
	close(fds[1]);
	return got;
}

/* The deadline was a second ago. */
static void what_had_its_time_is_late(void **state)
{
	struct other_side s = {.held_up = 0.5};

	(void)state;
	assert_int_equal(wait_for(&s), FRAME_LATE);
	assert_int_equal(s.asked, 1);
}

static void what_had_no_processor_is_waited_for(void **state)
{
	struct other_side s = {.held_up = 1000, .answers = 1};

	(void)state;
	assert_int_equal(wait_for(&s), FRAME_OK);
	assert_int_equal(s.asked, 1);
}

static void of_no_process_nothing_is_known(void **state)
{
	(void)state;
	assert_true(usage_held_up(getpid()) >= 0);
	assert_true(usage_held_up(0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_had_its_time_is_late),
		cmocka_unit_test(what_had_no_processor_is_waited_for),
		cmocka_unit_test(of_no_process_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
