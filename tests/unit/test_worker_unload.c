/* test_worker_unload.c - sessions that are unloaded while nobody waits for it, and models that are run once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

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

/* ---- LOAD, RUN and UNLOAD at once -------------------------------------------------------------------------------- */

static struct worker *open_with(const char *name, const char *value)
{
	struct backend_option option = {name, value};
	const struct worker_limits limits = {.run_seconds = 1};
	struct worker_spec s = fault_spec();

	s.options = &option;
	s.n_options = 1;
	return open_worker(&s, &limits);
}

/* Runs a model of n bytes; what came of it.  *took: of LOAD and of RUN. */
static enum worker_result run_once(struct worker *w, const char *model, size_t n, struct value *x,
				   struct worker_seconds *took)
{
	const struct backend_names y = {(const char *[]){"y"}, 1};
	struct named_value in = {"x", x}, *out = NULL;
	size_t got = 0;
	enum worker_result result =
		worker_load_run(w, &(struct backend_model){.bytes = model, .n = n},
				&(struct backend_run){{&in, x ? 1 : 0}, y}, &out, &got, took, &worker_report);

	if (result == WORKER_OK) {
		assert_int_equal(got, 1);
		assert_string_equal(out[0].name, "y");
		assert_int_equal(out[0].value->kind, x->kind);
		if (x->kind == VALUE_TENSOR)
			assert_memory_equal(out[0].value->tensor->data, x->tensor->data,
					    dtype_packed_size(x->tensor->dtype, x->tensor->count));
	}
	worker_values_free(out, got);
	return result;
}

static struct value *floats(int64_t n)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new_packed(DT_FLOAT, 1, &n, &e);
	struct value *v;

	assert_non_null(t);
	for (int64_t i = 0; i < n; i++)
		((float *)(void *)t->data)[i] = (float)(i + n);
	v = value_tensor(t, &e);
	assert_non_null(v);
	return v;
}

/* Inside of messages, in shared memory, in which model and inputs lie side by side, and in messages that are too long
 * to be sent ahead. */
static void test_load_run(void **state)
{
	const size_t models[] = {1, 4096, 4097, 70000};
	const int64_t sizes[] = {1, 1024, 1025, 300000};
	struct worker *w = open_fault();
	char model[70000];
	struct worker_seconds took;

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
			struct value *x = floats(sizes[k]);

			memset(model, 'a', sizeof model);
			model[models[i] - 1] = 'm';
			assert_result(run_once(w, model, models[i], x, &took), WORKER_OK, "run");
			value_unref(x);
		}
	assert_result(worker_unload(w, load(w), &worker_report), WORKER_OK, "unload");
	worker_close(w);
}

static void test_load_run_of_many(void **state)
{
	enum { MANY = 40 };
	const struct backend_names y = {(const char *[]){"y"}, 1};
	struct named_value in[MANY], *out = NULL;
	struct worker *w = open_fault();
	struct worker_seconds took;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		in[i] = (struct named_value){"x", floats(1000)};
	assert_result(worker_load_run(w, &(struct backend_model){.bytes = "m", .n = 1},
				      &(struct backend_run){{in, MANY}, y}, &out, &n, &took, &worker_report),
		      WORKER_OK, "run");
	assert_int_equal(n, 1);
	worker_values_free(out, n);
	for (size_t i = 0; i < MANY; i++)
		value_unref(in[i].value);
	worker_close(w);
}

/* A model that is refused is not run, and the next one has its own answers. */
static void test_load_run_refused(void **state)
{
	struct worker *w = open_fault();
	struct value *x = floats(3);
	struct worker_seconds took;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_result(run_once(w, "n", 1, x, &took), WORKER_REJECTED, "load");
		assert_true(took.load > 0 && took.run == 0);
		assert_non_null(strstr(worker_report.message, "model"));
		assert_result(run_once(w, "m", 1, NULL, &took), WORKER_REJECTED, "run");
		assert_true(took.load > 0 && took.run > 0);
		assert_string_equal(worker_report.message, "no input");
		assert_result(run_once(w, "m", 1, x, &took), WORKER_OK, "run");
	}
	value_unref(x);
	worker_close(w);
}

/* What LOAD prints of a model that it refuses is told, though a RUN waits behind it. */
static void test_load_run_refused_says(void **state)
{
	struct worker *w = open_fault();
	struct value *x = floats(3);
	struct worker_seconds took;

	(void)state;
	for (int i = 0; i < 300; i++) {
		assert_result(run_once(w, "pn", 2, x, &took), WORKER_REJECTED, "load");
		assert_string_equal(worker_report.stderr_tail, "a model\n");
	}
	value_unref(x);
	worker_close(w);
}

/* What dies or hangs is told of as that of RUN, and the worker works again. */
static void test_load_run_dies(void **state)
{
	static const struct {
		const char *fault;
		enum worker_result result;
	} rows[] = {{"segfault", WORKER_CRASH}, {"abort", WORKER_CRASH},      {"exit", WORKER_CRASH},
		    {"hang", WORKER_HANG},      {"garbage", WORKER_PROTOCOL}, {"memory", WORKER_OOM}};
	struct value *x = floats(3);
	struct worker_seconds took;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct worker *w = open_with("run", rows[i].fault);

		for (int times = 0; times < 2; times++) {
			assert_result(run_once(w, "pm", 2, x, &took), rows[i].result, rows[i].fault);
			assert_true(took.load > 0 && took.run > 0);
			if (!strcmp(rows[i].fault, "abort")) /* and nothing that LOAD printed */
				assert_string_equal(worker_report.stderr_tail, "about to abort\n");
		}
		assert_result(worker_unload(w, load(w), &worker_report), WORKER_OK, "unload");
		worker_close(w);
	}
	value_unref(x);
}

/* Each answer is the model's own although the process ends behind it. */
static void test_load_run_unload_dies(void **state)
{
	struct worker *w = open_with("unload", "die");
	struct value *x = floats(3);
	struct worker_seconds took;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_result(run_once(w, "m", 1, x, &took), WORKER_OK, "run");
	value_unref(x);
	worker_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_unload_later, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_unload_later_dies, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_unload_later_and_park, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_load_run, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_load_run_of_many, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_load_run_refused, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_load_run_refused_says, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_load_run_dies, worker_setup, worker_teardown),
		cmocka_unit_test_setup_teardown(test_load_run_unload_dies, worker_setup, worker_teardown),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
