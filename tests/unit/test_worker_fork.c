/* test_worker_fork.c - workers in Python that fork: after a death, for a worker like one that was closed, for others.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/workers.h"
#include "worker/parent/spec.h"

/* 0, 1, 2 …: the worker dies of 13. */
static struct value *ramp(int64_t n)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_new(DT_FLOAT, 1, &n, &e), *packed;

	assert_non_null(wide);
	for (int64_t i = 0; i < n; i++)
		wide->f[i] = (double)i;
	packed = tensor_pack(wide, &e);
	assert_non_null(packed);
	tensor_unref(wide);
	return value_tensor(packed, &e);
}

static struct value *ask(struct worker *w, struct value *x)
{
	struct named_value in = {"x", x}, *out;
	struct value *y;
	uint64_t session;
	size_t n = 0;

	assert_result(worker_load(w, "", 0, NULL, 0, &session, &worker_report), WORKER_OK, "load");
	assert_result(worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report),
		      WORKER_OK, "run");
	assert_int_equal(n, 1);
	y = value_ref(out[0].value);
	worker_values_free(out, n);
	return y;
}

/* One that dies is followed by a copy of the process that has opened the library, which opens it no more. */
static void test_python_forks(void **state)
{
	struct worker_spec s;
	struct err e = ERR_INIT;
	struct worker *w;
	double opened = 0, last = 0;

	(void)state;
	assert_int_equal(spec_make("exec:python3 tests/support/mortal_worker.py", &s, &e), 0);
	w = open_worker(&s, NULL);
	assert_true(worker_can(w, "fork"));
	for (int k = 0; k < 4; k++) {
		struct value *x = ramp(5), *y = ask(w, x), *deadly = ramp(20);
		struct named_value in = {"x", deadly}, *out;
		uint64_t session;
		size_t n = 0;

		opened = k ? opened : tensor_get(y->tensor, 0);
		assert_true(tensor_get(y->tensor, 0) == opened);
		assert_true(tensor_get(y->tensor, 1) != opened && tensor_get(y->tensor, 1) != last);
		last = tensor_get(y->tensor, 1);
		assert_result(worker_load(w, "", 0, NULL, 0, &session, &worker_report), WORKER_OK, "load");
		assert_result(worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report),
			      WORKER_CRASH, "run");
		assert_int_equal(worker_report.signal, SIGABRT);
		value_unref(x);
		value_unref(y);
		value_unref(deadly);
	}
	worker_close(w);
	spec_release(&s);
}

/* Whoever names the command says what it is called. */
static void test_given_name(void **state)
{
	struct worker_spec s;
	struct err e = ERR_INIT;
	struct worker *w;

	(void)state;
	assert_int_equal(spec_make("exec:python3 tests/support/mortal_worker.py,name=mine", &s, &e), 0);
	w = open_worker(&s, NULL);
	assert_string_equal(worker_library(w), "mine");
	assert_string_equal(worker_version(w), "1.0");
	worker_close(w);
	spec_release(&s);
}

/* Which process opened the library that the worker of a spec has, and which serves, with the options of the spec. */
static double who_opened(const struct worker_spec *s, double *serves)
{
	struct worker *w = open_worker(s, NULL);
	struct value *x = ramp(5), *y = ask(w, x);
	double opened = tensor_get(y->tensor, 0);

	*serves = tensor_get(y->tensor, 1);
	assert_true(tensor_get(y->tensor, 2) == (s->n_options ? s->options[0].value[0] - '0' : 0));
	value_unref(x);
	value_unref(y);
	worker_close(w);
	return opened;
}

/* What a closed worker leaves is another's, of the same spec, while workers are parked; and nothing is left then. */
static void test_parked(void **state)
{
	struct worker_spec s, other;
	struct err e = ERR_INIT;
	double first, again, served, serves;

	(void)state;
	assert_int_equal(spec_make("exec:python3 tests/support/mortal_worker.py", &s, &e), 0);
	assert_int_equal(spec_copy(&s, &other, &e), 0);
	assert_int_equal(spec_set_env(&other, "MALLOC_PERTURB_=165", &e), 0);
	worker_park_open();
	first = who_opened(&s, &served);
	assert_true(who_opened(&other, &serves) != first);
	again = who_opened(&s, &serves);
	assert_true(again == first && serves != served && serves != first);
	worker_park_close();
	assert_int_equal(kill((pid_t)first, 0), -1);
	assert_true(who_opened(&s, &serves) != first);
	assert_true(who_opened(&s, &serves) != first);
	spec_release(&other);
	spec_release(&s);
}

/* Other options need no other process that opens the library; one that dies is followed by one with the same options.
 */
static void test_parked_for_other_options(void **state)
{
	struct worker_spec plain, one, file;
	struct err e = ERR_INIT;
	double first, serves, served;

	(void)state;
	assert_int_equal(spec_make("exec:python3 tests/support/mortal_worker.py", &plain, &e), 0);
	assert_int_equal(spec_copy(&plain, &one, &e), 0);
	assert_int_equal(spec_set_option(&one, "number", "1", &e), 0);
	assert_int_equal(spec_copy(&one, &file, &e), 0);
	assert_int_equal(spec_set_option(&file, "beside", "/nowhere/file", &e), 0);
	worker_park_open();
	first = who_opened(&plain, &served);
	assert_true(who_opened(&one, &serves) == first && serves != served);
	assert_true(who_opened(&plain, &serves) == first);
	assert_true(who_opened(&one, &serves) == first);
	assert_true(who_opened(&file, &serves) != first); /* it may write elsewhere */
	worker_park_close();
	spec_release(&file);
	spec_release(&one);
	spec_release(&plain);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_python_forks),
		TEST(test_given_name),
		TEST(test_parked),
		TEST(test_parked_for_other_options),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
