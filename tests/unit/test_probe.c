/* What a backend supports, as it is kept between runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "probe/support.h"

static char path[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "/tmp/assay-support-%ld.json", (long)getpid());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove(path);
	return 0;
}

static struct support empty(const char *version)
{
	return (struct support){.backend = "lib", .version = version, .options = "a=1", .probes = "0"};
}

static void write_example(void)
{
	struct support s = empty("1.0");
	struct support_op op = {.domain = "ai.onnx.ml", .name = "Scaler", .message = "no \"int8\""};
	struct support_variant v = {"ai.onnx.ml:Scaler-1 f32[2]", "crash", "signal 11"};
	struct err e = ERR_INIT;

	op.dtypes[DT_FLOAT] = "ok";
	op.dtypes[DT_INT8] = "unsupported";
	assert_int_equal(vec_push(&op.variants, v), 0);
	assert_int_equal(vec_push(&s.ops, op), 0);
	if (support_write(path, &s, &e))
		fail_msg("%s", e.msg);
	support_release(&s);
}

static void test_there_and_back(void **state)
{
	struct support s = empty("1.0");
	const struct support_op *op;
	struct err e = ERR_INIT;
	int found, ok, tried;

	(void)state;
	write_example();
	assert_int_equal(support_read(path, &s, &found, &e), 0);
	assert_true(found);
	op = support_find(&s, "ai.onnx.ml", "Scaler");
	assert_non_null(op);
	assert_null(support_find(&s, "", "Scaler"));
	assert_string_equal(op->dtypes[DT_INT8], "unsupported");
	assert_null(op->dtypes[DT_DOUBLE]);
	assert_string_equal(op->message, "no \"int8\"");
	assert_int_equal(op->variants.n, 1);
	assert_string_equal(op->variants.at[0].result, "crash");
	support_count(op, &ok, &tried);
	assert_int_equal(ok, 1);
	assert_int_equal(tried, 2);
	support_release(&s);
}

/* Another version of the library is another matter. */
static void test_other_version(void **state)
{
	struct support s = empty("1.1");
	struct err e = ERR_INIT;
	int found = 1;

	(void)state;
	write_example();
	assert_int_equal(support_read(path, &s, &found, &e), 0);
	assert_false(found);
	assert_int_equal(s.ops.n, 0);
	support_release(&s);
}

static void test_broken_file(void **state)
{
	static const char *const texts[] = {"", "{", "[]", "{\"backend\": 3}"};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct support s = empty("1.0");
		int found = 1;

		assert_int_equal(buf_write_file(texts[i], strlen(texts[i]), path, &e), 0);
		assert_int_equal(support_read(path, &s, &found, &e), 0);
		assert_false(found);
		support_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_other_version),
		cmocka_unit_test(test_broken_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
