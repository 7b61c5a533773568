/* What a backend supports, as it is kept between runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/place.h"
#include "probe/support.h"
#include "worker/parent/spec.h"

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

static void count_cases(void *arg, size_t done, size_t total, const char *line)
{
	(void)done;
	(void)total;
	(void)line;
	++*(size_t *)arg;
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

/* What is kept of a command is kept by the version that its worker tells: of another one it is not read. */
static void test_command_version(void **state)
{
	static const char *const versions[] = {"1.0", "1.0", "2.0"};
	char folder[] = "/tmp/assay-support-XXXXXX", probes[128];
	size_t asked = 0, before;
	struct worker_spec spec;
	struct err e = ERR_INIT;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(probes, sizeof probes, "%s/one.case", folder);
	assert_int_equal(buf_write_file("Identity-14 f32[2]\n", 19, probes, &e), 0);
	setenv("XDG_CACHE_HOME", folder, 1);
	assert_int_equal(spec_make("exec:" FAULT_WORKER, &spec, &e), 0);
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		struct support_request q = {.spec = &spec, .probes = probes, .progress = count_cases, .arg = &asked};
		struct support s;
		int kept;

		before = asked;
		setenv("ASSAY_TEST_VERSION", versions[i], 1);
		if (support_get(&q, &s, &kept, &e))
			fail_msg("%s", e.msg);
		assert_string_equal(s.version, versions[i]);
		assert_int_equal(asked > before, i != 1);
		support_release(&s);
	}
	spec_release(&spec);
	assert_int_equal(place_remove_tree(folder, &e), 0);
}

/* A variable that says where a script lies makes no other backend. */
static void test_other_tree(void **state)
{
	static const char *const places[] = {"ASSAY_REWRITERS=/one/rewriters.py", "ASSAY_REWRITERS=/two/rewriters.py",
					     "MKL_CBWR=COMPATIBLE"};
	char folder[] = "/tmp/assay-support-XXXXXX", probes[128];
	size_t asked = 0, before;
	struct err e = ERR_INIT;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(probes, sizeof probes, "%s/one.case", folder);
	assert_int_equal(buf_write_file("Identity-14 f32[2]\n", 19, probes, &e), 0);
	setenv("XDG_CACHE_HOME", folder, 1);
	setenv("ASSAY_TEST_VERSION", "1.0", 1);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct worker_spec spec;
		struct support_request q = {.spec = &spec, .probes = probes, .progress = count_cases, .arg = &asked};
		struct support s;
		int kept;

		before = asked;
		assert_int_equal(spec_make("exec:" FAULT_WORKER, &spec, &e), 0);
		assert_int_equal(spec_set_env(&spec, places[i], &e), 0);
		if (support_get(&q, &s, &kept, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(asked > before, i != 1);
		support_release(&s);
		spec_release(&spec);
	}
	assert_int_equal(place_remove_tree(folder, &e), 0);
}

static int is_identity(const struct op_row *row, const void *arg)
{
	(void)arg;
	return !strcmp(row->name, "Identity");
}

/* How many lines are asked for a request; the rest of what is found out is `s`. */
static size_t ask(struct support_request q, struct support *s)
{
	struct err e = ERR_INIT;
	size_t asked = 0;
	int kept;

	q.progress = count_cases;
	q.arg = &asked;
	if (support_get(&q, s, &kept, &e))
		fail_msg("%s", e.msg);
	return asked;
}

/* Of one operator its own lines are asked, once; of all those that are not known yet. */
static void test_one_operator(void **state)
{
	static const char cases[] =
		"Identity-14 f32[2]\nRelu-14 f32[2]\nIdentity-14 f32[3]\nRelu-14 f32[3]\nAbs-13 f32[2]\n";
	const struct probe_wish wish = {is_identity, NULL};
	char folder[] = "/tmp/assay-support-XXXXXX", probes[128];
	struct worker_spec spec;
	struct support_request q = {.spec = &spec, .probes = probes, .wish = &wish};
	struct err e = ERR_INIT;
	struct support s;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(probes, sizeof probes, "%s/some.case", folder);
	assert_int_equal(buf_write_file(cases, sizeof cases - 1, probes, &e), 0);
	setenv("XDG_CACHE_HOME", folder, 1);
	setenv("ASSAY_TEST_VERSION", "1.0", 1);
	assert_int_equal(spec_make("exec:" FAULT_WORKER, &spec, &e), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask(q, &s), i ? 0 : 2);
		assert_int_equal(s.ops.n, 1);
		support_release(&s);
	}
	q.wish = NULL;
	assert_int_equal(ask(q, &s), 3);
	support_release(&s);
	q.wish = &wish;
	assert_int_equal(ask(q, &s), 0);
	support_release(&s);
	q.fresh = 1;
	assert_int_equal(ask(q, &s), 2);
	support_release(&s);
	q = (struct support_request){.spec = &spec, .probes = probes};
	assert_int_equal(ask(q, &s), 0);
	assert_int_equal(s.ops.n, 3);
	assert_string_equal(s.ops.at[0].name, "Identity");
	assert_int_equal(s.ops.at[0].variants.n, 2);
	support_release(&s);
	spec_release(&spec);
	assert_int_equal(place_remove_tree(folder, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_other_version),
		cmocka_unit_test(test_broken_file),    cmocka_unit_test(test_command_version),
		cmocka_unit_test(test_other_tree),     cmocka_unit_test(test_one_operator),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
