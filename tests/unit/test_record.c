/* test_record.c - what bindings tell their libraries, written down (backends/bind/record.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/bind/record.h"
#include "base/buf.h"
#include "base/place.h"

struct written {
	char folder[64];
	struct record *record;
};

static void begin(struct written *w)
{
	struct err e = ERR_INIT;

	snprintf(w->folder, sizeof w->folder, "/tmp/assay-record-XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	assert_int_equal(record_open(w->folder, 0, &w->record, &e), 0);
}

static void end(struct written *w)
{
	struct err e = ERR_INIT;

	record_close(w->record);
	place_remove_tree(w->folder, &e);
}

static void expect(const struct written *w, const char *text)
{
	struct err e = ERR_INIT;
	struct buf b;
	char path[96];

	snprintf(path, sizeof path, "%s/calls.py", w->folder);
	buf_init(&b, 65536);
	assert_int_equal(buf_read_file(&b, path, 65536, &e), 0);
	assert_string_equal(b.data, text);
	buf_release(&b);
}

static void give_scalar(struct written *w, const void *handle, const char *name)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_scalar_f(DT_FLOAT, 1, &e), *packed = tensor_pack(wide, &e);

	assert_non_null(packed);
	record_source(w->record, handle, name, 1, packed);
	tensor_unref(wide);
	tensor_unref(packed);
}

/* An operation whose argument is the result of another one that runs while it is told. */
static void test_within_one_another(void **state)
{
	struct written w = {.record = NULL};
	int x, inner, outer;

	(void)state;
	begin(&w);
	record_begin(w.record);
	give_scalar(&w, &x, "x");
	record_op(w.record, "outer");
	record_value(w.record, &x);
	record_op(w.record, "inner");
	record_value(w.record, &x);
	record_run(w.record);
	record_made(w.record, &inner);
	record_value(w.record, &inner);
	record_key(w.record, "axis");
	record_word(w.record, "1");
	record_run(w.record);
	record_made(w.record, &outer);
	record_output(w.record, "y", &outer);
	expect(&w, "    v0 = take(\"x\", inputs[\"x\"], \"float32\")\n"
		   "    v2 = op(\"inner\", v0)\n"
		   "    v1 = op(\"outer\", v0, v2, axis=1)\n"
		   "    give(\"y\", v1)\n");
	end(&w);
}

/* One worker runs many cases: numbers do not grow from each to the next. */
static void test_numbers_begin_again(void **state)
{
	struct written w = {.record = NULL};
	int x, y;

	(void)state;
	begin(&w);
	for (int i = 0; i < 3; i++) {
		record_join(w.record);
		record_begin(w.record);
		give_scalar(&w, &x, "x");
		record_op(w.record, "f");
		record_value(w.record, &x);
		record_run(w.record);
		record_made(w.record, &y);
		record_leave(w.record);
	}
	expect(&w, "    v0 = take(\"x\", inputs[\"x\"], \"float32\")\n    v1 = op(\"f\", v0)\n");
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_within_one_another),
		cmocka_unit_test(test_numbers_begin_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
