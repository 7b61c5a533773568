/* test_worker_unload.c - sessions that are unloaded while nobody waits for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/workers.h"

static uint64_t load(struct worker *w)
{
	uint64_t session = 0;

	assert_result(worker_load(w, "m", 1, NULL, 0, &session, &worker_report), WORKER_OK, "load");
	return session;
}

static void run(struct worker *w, uint64_t session)
{
	const struct backend_names y = {(const char *[]){"y"}, 1};
	struct err e = ERR_INIT;
	struct named_value in = {"x", value_optional(NULL, &e)}, *out = NULL;
	size_t n = 0;

	assert_result(worker_run(w, session, &(struct backend_run){{&in, 1}, y}, &out, &n, &worker_report), WORKER_OK,
		      "run");
	assert_int_equal(n, 1);
	assert_string_equal(out[0].name, "y");
	worker_values_free(out, n);
	value_unref(in.value);
}

/* Nobody waits for the answer, but it does not get lost: the next request has its own. */
static void test_unload_later(void **state)
{
	struct worker *w = open_fault();
	uint64_t session = load(w), other = load(w);

	(void)state;
	worker_unload_later(w, session);
	assert_result(worker_unload(w, session, &worker_report), WORKER_REJECTED, "unload again");
	worker_unload_later(w, other);
	worker_unload_later(w, other); /* gone: nothing happens */
	session = load(w);
	run(w, session);
	worker_unload_later(w, session);
	worker_close(w); /* answered or not */
}

static void test_unload_later_dies(void **state)
{
	struct backend_option options[] = {{"unload", "die"}};
	struct worker_spec s = fault_spec();
	struct worker *w;
	uint64_t session;

	(void)state;
	s.options = options;
	s.n_options = 1;
	w = open_worker(&s, NULL);
	for (int i = 0; i < 3; i++) {
		session = load(w);
		run(w, session);
		worker_unload_later(w, session);
		assert_int_equal(worker_has_session(w, session), 1); /* that it died is not known yet */
	}
	load(w);
	assert_int_equal(worker_has_session(w, session), 0);
	worker_close(w);
}

/* What a closed worker leaves to another does not owe an answer. */
static void test_unload_later_and_park(void **state)
{
	(void)state;
	worker_park_open();
	for (int i = 0; i < 3; i++) {
		struct worker *w = open_fault();
		uint64_t session = load(w);

		run(w, session);
		worker_unload_later(w, session);
		worker_close(w);
	}
	worker_park_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_unload_later, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_unload_later_dies, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_unload_later_and_park, worker_setup, worker_teardown),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
