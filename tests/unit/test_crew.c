/* test_crew.c - jobs in threads: order, failures, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/crew.h"

#define N_JOBS 200
#define MAX_THREADS 8

static const size_t sizes[] = {0, 1, 2, 3, MAX_THREADS};

#define EACH_SIZE(t)                                           \
	size_t k = 0, t = sizes[0];                            \
	k < sizeof sizes / sizeof *sizes && (t = sizes[k], 1); \
	k++

struct record {
	atomic_int done[N_JOBS];
	size_t begun[N_JOBS], n_begun;
	size_t ended; /* plain: one thread at a time */
	atomic_int opened, closed;
	atomic_int busy[MAX_THREADS];
	size_t fail_from, fail_open; /* N_JOBS: never */
	int lazy;                    /* leave out all jobs */
};

static struct record new_record(void)
{
	return (struct record){.fail_from = N_JOBS, .fail_open = N_JOBS};
}

static int open_one(void *arg, size_t thread, struct err *e)
{
	struct record *r = arg;

	r->opened++;
	return thread >= r->fail_open ? err_set(e, ERR_IO, "thread %zu", thread) : 0;
}

static void close_one(void *arg, size_t thread)
{
	struct record *r = arg;

	(void)thread;
	r->closed++;
}

/* Every seventh is left out. */
static int begin_one(void *arg, size_t job)
{
	struct record *r = arg;

	r->begun[r->n_begun++] = job;
	return job % 7 != 3 && !r->lazy;
}

static int run_one(void *arg, size_t thread, size_t job, struct err *e)
{
	struct record *r = arg;

	assert_int_equal(r->busy[thread]++, 0);
	if (job % 5 == 0)
		usleep(200); /* others overtake it */
	r->done[job]++;
	r->busy[thread]--;
	return job >= r->fail_from ? err_set(e, ERR_INPUT, "job %zu", job) : 0;
}

static int end_one(void *arg, size_t job, struct err *e)
{
	struct record *r = arg;

	(void)job;
	(void)e;
	r->ended++;
	return 0;
}

static struct crew_work work_of(struct record *r)
{
	return (struct crew_work){
		.arg = r, .open = open_one, .close = close_one, .begin = begin_one, .run = run_one, .end = end_one};
}

static void all_jobs_are_done_once(void **state)
{
	(void)state;
	for (EACH_SIZE(threads)) {
		struct record r = new_record();
		struct crew_work w = work_of(&r);
		struct err e = ERR_INIT;
		struct crew *c;

		assert_int_equal(crew_open(&w, threads, &c, &e), 0);
		for (int round = 1; round <= 2; round++) {
			r.n_begun = r.ended = 0;
			assert_int_equal(crew_run(c, N_JOBS, &e), 0);
			for (size_t i = 0; i < N_JOBS; i++) {
				assert_int_equal(r.begun[i], i);
				assert_int_equal(r.done[i], i % 7 == 3 ? 0 : round);
			}
			assert_int_equal(r.ended, N_JOBS - 29);
		}
		assert_int_equal(crew_run(c, 0, &e), 0);
		r.n_begun = 0;
		r.lazy = 1;
		assert_int_equal(crew_run(c, N_JOBS, &e), 0);
		assert_int_equal(r.n_begun, N_JOBS);
		assert_int_equal(r.done[0], 2);
		crew_close(c);
		assert_int_equal(r.opened, threads ? threads : 1);
		assert_int_equal(r.closed, r.opened);
	}
}

/* 120 is long, so that those behind it fail first. */
static void lowest_failure_counts(void **state)
{
	(void)state;
	for (EACH_SIZE(threads)) {
		struct record r = new_record();
		struct crew_work w = work_of(&r);
		struct err e = ERR_INIT;
		struct crew *c;

		r.fail_from = 120;
		assert_int_equal(crew_open(&w, threads, &c, &e), 0);
		assert_int_equal(crew_run(c, N_JOBS, &e), ERR_INPUT);
		assert_string_equal(e.msg, "job 120");
		assert_int_equal(r.done[120], 1);
		assert_true(r.n_begun < 120 + 2 * MAX_THREADS);
		crew_close(c);
	}
}

static void failure_to_open_closes_all(void **state)
{
	(void)state;
	for (EACH_SIZE(threads)) {
		struct record r = new_record();
		struct crew_work w = work_of(&r);
		struct err e = ERR_INIT;
		struct crew *c = NULL;

		r.fail_open = threads > 1;
		assert_int_equal(crew_open(&w, threads, &c, &e), ERR_IO);
		assert_string_equal(e.msg, threads > 1 ? "thread 1" : "thread 0");
		assert_null(c);
		assert_int_equal(r.closed, r.opened);
	}
}

static void jobs_are_taken_in_order(void **state)
{
	(void)state;
	for (EACH_SIZE(threads)) {
		struct record r = new_record();
		struct crew_work w = {.arg = &r, .run = run_one};
		struct err e = ERR_INIT;
		struct crew *c;

		r.fail_from = 150;
		assert_int_equal(crew_open(&w, threads ? threads : 1, &c, &e), 0);
		for (size_t i = 0; i < 10; i++)
			crew_give(c);
		for (size_t i = 0; i < N_JOBS; i++) {
			assert_int_equal(crew_take(c, &e), i < 150 ? 0 : ERR_INPUT);
			if (i < 150)
				assert_int_equal(r.done[i], 1);
			else
				assert_string_equal(e.msg, "job 150");
			crew_give(c);
		}
		crew_close(c); /* with jobs that nobody takes */
	}
}

static void nothing_begins_while_it_is_held(void **state)
{
	struct record r = new_record();
	struct crew_work w = {.arg = &r, .run = run_one};
	struct err e = ERR_INIT;
	struct crew *c;

	(void)state;
	assert_int_equal(crew_open(&w, 2, &c, &e), 0);
	crew_give(c);
	crew_give(c);
	assert_int_equal(crew_take(c, &e), 0);
	crew_hold(c);
	crew_give(c);
	for (int i = 0; i < MAX_THREADS; i++)
		assert_int_equal(r.busy[i], 0);
	usleep(2000);
	assert_int_equal(r.done[2], 0);
	crew_release(c);
	assert_int_equal(crew_take(c, &e), 0);
	assert_int_equal(crew_take(c, &e), 0);
	assert_int_equal(r.done[2], 1);
	crew_hold(c);
	crew_give(c);
	crew_close(c); /* held, and with a job that was not begun */
	assert_int_equal(r.done[3], 0);
	crew_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_jobs_are_done_once),          cmocka_unit_test(lowest_failure_counts),
		cmocka_unit_test(failure_to_open_closes_all),      cmocka_unit_test(jobs_are_taken_in_order),
		cmocka_unit_test(nothing_begins_while_it_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
