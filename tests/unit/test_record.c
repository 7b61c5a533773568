/* test_record.c - what a worker tells its library, written down run by run and read back (bind/record.h, calls.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/bind/record.h"
#include "base/place.h"
#include "proof/calls.h"

struct written {
	char folder[64];
	struct record *record;
	struct tensor *one; /* of which every tensor is */
};

/* A record_get: whatever the handle is. */
static int get(void *ctx, void *handle, struct tensor **packed, struct err *e)
{
	(void)handle;
	(void)e;
	*packed = tensor_ref(ctx);
	return 0;
}

static void begin(struct written *w)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_scalar_f(DT_FLOAT, 1, &e);

	memset(w, 0, sizeof *w);
	snprintf(w->folder, sizeof w->folder, "/tmp/assay-record-XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	assert_non_null(wide);
	w->one = tensor_pack(wide, &e);
	assert_non_null(w->one);
	tensor_unref(wide);
	assert_int_equal(record_open(w->folder, 1, &w->record, &e), 0);
	record_values_by(w->record, get, w->one);
}

static void end(struct written *w)
{
	struct err ignored = ERR_INIT;

	record_close(w->record);
	tensor_unref(w->one);
	place_remove_tree(w->folder, &ignored);
}

static struct calls read_back(const struct written *w)
{
	struct calls c;
	struct err e = ERR_INIT;

	if (calls_read(w->folder, &c, &e))
		fail_msg("%s", e.msg);
	return c;
}

/* y = add(x, weight) */
static void tell_run(struct written *w, const void *x, const void *weight, const void *y)
{
	record_begin(w->record);
	record_source(w->record, x, "x", 1, w->one);
	record_op(w->record, "add");
	record_value(w->record, x);
	record_value(w->record, weight);
	record_run(w->record);
	record_made(w->record, y);
	record_output(w->record, "y", y);
}

/* Every run has its inputs and its initializers, and numbers do not grow with the runs. */
static void test_runs(void **state)
{
	char handles[4];
	struct written w;

	(void)state;
	begin(&w);
	record_source(w.record, &handles[0], "weight", 0, w.one);
	for (int run = 0; run < 50; run++) {
		struct calls c;

		tell_run(&w, &handles[1], &handles[0], &handles[2]);
		c = read_back(&w);
		assert_int_equal(c.calls.n, 1);
		assert_string_equal(c.calls.at[0].name, "add");
		assert_true(c.calls.at[0].done);
		assert_true(c.values.n <= 4);
		for (size_t i = 1; i <= 2; i++)
			assert_non_null(calls_value(&c, c.calls.at[0].expr->items[i]->text));
		calls_release(&c);
	}
	end(&w);
}

/* A copy of an initializer is known as long as that is. */
static void test_copies(void **state)
{
	char handles[4];
	struct written w;

	(void)state;
	begin(&w);
	record_source(w.record, &handles[0], "weight", 0, w.one);
	record_alias(w.record, &handles[3], &handles[0]);
	for (int run = 0; run < 2; run++) {
		struct calls c;

		tell_run(&w, &handles[1], &handles[3], &handles[2]);
		c = read_back(&w);
		assert_int_equal(c.calls.n, 1);
		assert_non_null(calls_value(&c, c.calls.at[0].expr->items[2]->text));
		calls_release(&c);
	}
	end(&w);
}

/* What a session had goes with it; a handle that nobody knows makes the record void. */
static void test_forgotten(void **state)
{
	char handles[4];
	struct written w;
	struct calls c;

	(void)state;
	begin(&w);
	record_source(w.record, &handles[0], "weight", 0, w.one);
	record_forget(w.record, &handles[0]);
	tell_run(&w, &handles[1], &handles[0], &handles[2]);
	c = read_back(&w);
	assert_int_equal(c.calls.n, 0);
	calls_release(&c);
	end(&w);
}

/* An operation that did not come to its end has a line, but no result. */
static void test_unfinished(void **state)
{
	char handles[4];
	struct written w;
	struct calls c;

	(void)state;
	begin(&w);
	record_begin(w.record);
	record_source(w.record, &handles[1], "x", 1, w.one);
	record_op(w.record, "die");
	record_value(w.record, &handles[1]);
	record_run(w.record);
	c = read_back(&w);
	assert_int_equal(c.calls.n, 1);
	assert_false(c.calls.at[0].done);
	calls_release(&c);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_unfinished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
