/* test_parallel.c - loops that threads share: every item once, nested loops, faults, children. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/door.h"
#include "base/parallel.h"

#define ITEMS 1000

static const size_t counts[] = {1, 2, 3, 8};

#define EACH_COUNT(t)                                                   \
	size_t turn = 0, t = counts[0];                                 \
	turn < sizeof counts / sizeof *counts && (t = counts[turn], 1); \
	turn++

struct seen {
	atomic_int items[ITEMS];
	atomic_size_t calls, longest;
	size_t piece;
	int bad_ends; /* pieces begin at multiples */
	int nested;
	pthread_t caller;
	atomic_int strangers; /* items of nested loops that another thread did */
};

struct inner {
	struct seen *seen;
	pthread_t thread;
};

static void one_inner(void *arg, size_t first, size_t end)
{
	const struct inner *in = arg;

	for (size_t i = first; i < end; i++)
		in->seen->strangers += !pthread_equal(in->thread, pthread_self());
}

static void look(void *arg, size_t first, size_t end)
{
	struct seen *s = arg;
	struct inner in = {s, pthread_self()};

	s->calls++;
	if (s->piece && (first % s->piece || (end % s->piece && end != ITEMS)))
		s->bad_ends = 1;
	for (size_t i = first; i < end; i++)
		s->items[i]++;
	if (s->nested)
		parallel_pieces(100, 1, one_inner, &in);
}

static void assert_all_once(const struct seen *s)
{
	for (size_t i = 0; i < ITEMS; i++)
		assert_int_equal(s->items[i], 1);
}

static void test_every_item_once(void **state)
{
	static const size_t pieces[] = {1, 7, 64, ITEMS - 1, ITEMS, 5 * ITEMS};

	(void)state;
	for (EACH_COUNT(t)) {
		parallel_set_threads(t);
		assert_int_equal(parallel_threads(), t);
		for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
			for (int again = 0; again < 50; again++) {
				struct seen s = {.piece = pieces[i]};

				parallel_pieces(ITEMS, pieces[i], look, &s);
				assert_all_once(&s);
				assert_false(s.bad_ends);
				assert_int_equal(s.calls, (ITEMS + pieces[i] - 1) / pieces[i]);
			}
	}
	parallel_set_threads(1);
}

/* Short loops are one piece; pieces do not depend on threads. */
static void test_pieces_of_steps(void **state)
{
	(void)state;
	for (EACH_COUNT(t)) {
		struct seen all = {0}, some = {0}, none = {0};

		parallel_set_threads(t);
		parallel_for(ITEMS, 1, look, &all);
		assert_int_equal(all.calls, 1);
		parallel_for(ITEMS, PARALLEL_STEPS / 100.0, look, &some);
		assert_int_equal(some.calls, 16); /* 64 items each: 100, in whole vectors */
		assert_all_once(&some);
		parallel_for(0, 1e30, look, &none);
		assert_int_equal(none.calls, 0);
	}
	parallel_set_threads(1);
}

static void test_nested_loops_are_the_threads_own(void **state)
{
	(void)state;
	for (EACH_COUNT(t)) {
		struct seen s = {.nested = 1};

		parallel_set_threads(t);
		parallel_pieces(ITEMS, 10, look, &s);
		assert_all_once(&s);
		assert_int_equal(s.strangers, 0);
	}
	parallel_set_threads(1);
}

static void *loops(void *arg)
{
	for (int i = 0; i < 200; i++) {
		struct seen s = {0};

		parallel_pieces(ITEMS, 10, look, &s);
		for (size_t k = 0; k < ITEMS; k++)
			if (s.items[k] != 1)
				*(int *)arg = 1;
	}
	return NULL;
}

/* Those that do not get the threads do their loops alone. */
static void test_many_callers(void **state)
{
	pthread_t threads[4];
	int bad[4] = {0};

	(void)state;
	parallel_set_threads(3);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, loops, &bad[i]), 0);
	for (int i = 0; i < 10; i++)
		parallel_set_threads(1 + (size_t)i % 4); /* waits for a loop, and others go on */
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_false(bad[i]);
	}
	parallel_set_threads(1);
}

static void fault_at_500(void *arg, size_t first, size_t end)
{
	(void)arg;
	BUG_ON(first <= 500 && 500 < end);
}

static int fault_is_told(void)
{
	struct err e = ERR_INIT;
	struct door d;
	volatile int told = 0;

	door_open(&d);
	if (setjmp(d.at))
		told = door_fault(&d, &e) == ERR_INTERNAL && strstr(e.msg, "test_parallel.c");
	else
		parallel_pieces(ITEMS, 1, fault_at_500, NULL);
	door_close(&d);
	return told;
}

/* A fault of ours leaves by the door of the caller, whichever thread meets it, and the threads are as before. */
static void test_fault_leaves_by_the_callers_door(void **state)
{
	(void)state;
	for (EACH_COUNT(t)) {
		struct seen s = {0};

		parallel_set_threads(t);
		assert_true(fault_is_told());
		parallel_pieces(ITEMS, 10, look, &s);
		assert_all_once(&s);
	}
	parallel_set_threads(1);
}

#if !defined(__SANITIZE_THREAD__) /* it has no threads in children of a process with threads */
static void test_child_begins_alone(void **state)
{
	struct seen s = {0};
	pid_t child;
	int status;

	(void)state;
	parallel_set_threads(4);
	parallel_pieces(ITEMS, 10, look, &s);
	child = fork();
	if (!child) {
		struct seen alone = {0}, again = {0};
		int bad = parallel_threads() != 1;

		alarm(60);
		parallel_pieces(ITEMS, 10, look, &alone);
		parallel_set_threads(3);
		bad |= parallel_threads() != 3;
		parallel_pieces(ITEMS, 10, look, &again);
		parallel_set_threads(1);
		for (size_t i = 0; i < ITEMS; i++)
			bad |= alone.items[i] != 1 || again.items[i] != 1;
		_exit(bad);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(parallel_threads(), 4);
	parallel_set_threads(1);
}
#endif

static void read_mask(void *arg, size_t first, size_t end)
{
	sigset_t now;

	(void)first;
	(void)end;
	usleep(1000); /* so that others come, too */
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	if (!pthread_equal(*(pthread_t *)arg, pthread_self()) && !sigismember(&now, SIGINT))
		abort();
}

static void test_signals_go_to_others(void **state)
{
	pthread_t self = pthread_self();

	(void)state;
	parallel_set_threads(4);
	parallel_pieces(64, 1, read_mask, &self);
	parallel_set_threads(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_item_once),
		cmocka_unit_test(test_pieces_of_steps),
		cmocka_unit_test(test_nested_loops_are_the_threads_own),
		cmocka_unit_test(test_many_callers),
		cmocka_unit_test(test_fault_leaves_by_the_callers_door),
#if !defined(__SANITIZE_THREAD__)
		cmocka_unit_test(test_child_begins_alone),
#endif
		cmocka_unit_test(test_signals_go_to_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
