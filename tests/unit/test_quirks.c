/* data/quirks.tsv: it reads, its rows are complete, and versions are told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ops/op.h"
#include "worker/parent/quirks.h"
#include "worker/parent/spec.h"

static void test_versions(void **state)
{
	(void)state;
	assert_true(quirks_covers("*", "1.31.1"));
	assert_true(quirks_covers("1.31.1", "1.31.1"));
	assert_false(quirks_covers("1.31.1", "1.31.0"));
	assert_true(quirks_covers("1.8.1-1.17.0", "1.9.0"));
	assert_true(quirks_covers("1.8.1-1.17.0", "1.17.0"));
	assert_false(quirks_covers("1.8.1-1.17.0", "1.17.1"));
	assert_true(quirks_covers("1.20-", "1.31.1"));
	assert_false(quirks_covers("1.20-", "1.9.9"));
	assert_true(quirks_covers("-1.20", "1.9.9"));
}

/* "Cast", also without its domain, or "com.microsoft:QGemm". */
static int is_operator(const char *name)
{
	static const char *const domains[] = {"", "ai.onnx.ml", "com.microsoft"};
	size_t n = strcspn(name, ":");

	for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
		if (name[n] ? strlen(domains[i]) == n && !strncmp(domains[i], name, n) &&
				      ops_find(domains[i], name + n + 1)
			    : ops_find(domains[i], name) != NULL)
			return 1;
	return 0;
}

/* Every row names a known backend and operator and says why. */
static void test_file(void **state)
{
	struct quirks q;
	struct err e = ERR_INIT;

	(void)state;
	if (quirks_load("data/quirks.tsv", &q, &e))
		fail_msg("%s", e.msg);
	assert_true(q.n > 0);
	for (size_t i = 0; i < q.n; i++) {
		if (!spec_find(q.at[i].backend))
			fail_msg("row %zu: no backend '%s'", i + 1, q.at[i].backend);
		if (strcmp(q.at[i].op, "*") && !is_operator(q.at[i].op))
			fail_msg("row %zu: no operator '%s'", i + 1, q.at[i].op);
		assert_true(strlen(q.at[i].reason) > 20);
		if (!strcmp(q.at[i].kind, "quirk") && strncmp(q.at[i].link, "https://", 8))
			fail_msg("row %zu: a quirk needs a link", i + 1);
	}
	quirks_release(&q);
}

static void test_cases(void **state)
{
	struct quirks q;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(quirks_load("data/quirks.tsv", &q, &e), 0);
	assert_non_null(quirks_for_case(&q, "ort", "1.31.1", "test_cast_FLOAT_to_STRING"));
	assert_null(quirks_for_case(&q, "ort", "1.31.1", "test_add"));
	assert_null(quirks_for_case(&q, "reference", "", "test_cast_FLOAT_to_STRING"));
	quirks_release(&q);
}

static void look_up(const char *name, const void *node, char *out, size_t size)
{
	snprintf(out, size, "%s", !strcmp(name, "in0") ? (const char *)node : "");
}

/* A node that has all there is. */
static void look_up_any(const char *name, const void *node, char *out, size_t size)
{
	(void)name;
	(void)node;
	snprintf(out, size, "1");
}

static void test_conditions(void **state)
{
	struct quirks q;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(quirks_load("data/quirks.tsv", &q, &e), 0);
	assert_non_null(quirks_for_op(&q, "openvino", "2026.4.1", "Tan", look_up, "float64")); /* any operator */
	assert_null(quirks_for_op(&q, "openvino", "2026.4.1", "Tan", look_up, "float32"));
	assert_null(quirks_for_op(&q, "openvino", "2026.4.1", "Tan", NULL, NULL)); /* nothing is known of the node */
	assert_non_null(quirks_for_op(&q, "ort", "1.31.1", "Shrink", look_up, "int16"));
	assert_null(quirks_for_op(&q, "ort", "1.31.1", "Shrink", look_up, "int"));
	quirks_release(&q);
}

static void test_absent(void **state)
{
	static const char nbits[] = "com.microsoft:MatMulNBits", gelu[] = "com.microsoft:FastGelu";
	struct quirks q;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(quirks_load("data/quirks.tsv", &q, &e), 0);
	assert_non_null(quirks_absent(&q, "ort", "1.20.1", nbits, look_up, "float32")); /* no bits: "bits=" */
	assert_null(quirks_absent(&q, "ort", "1.23.2", nbits, look_up, "float32"));
	assert_non_null(quirks_absent(&q, "ort", "1.20.1", gelu, look_up, "float64"));
	assert_null(quirks_absent(&q, "ort", "1.20.1", gelu, look_up, "float32"));
	assert_null(quirks_for_op(&q, "ort", "1.20.1", gelu, look_up, "float64")); /* it explains no wrong values */
	assert_non_null(quirks_absent(&q, "ort", "1.23.2", "com.microsoft:GroupQueryAttention", look_up_any, ""));
	quirks_release(&q);
}

static void load_text(const char *text, int want, const char *part)
{
	char path[64];
	struct quirks q;
	struct err e = ERR_INIT;

	snprintf(path, sizeof path, "/tmp/assay-quirks-%ld.tsv", (long)getpid());

	assert_int_equal(buf_write_file(text, strlen(text), path, &e), 0);
	assert_int_equal(quirks_load(path, &q, &e), want);
	remove(path);
	if (!want)
		quirks_release(&q);
	else if (!strstr(e.msg, part))
		fail_msg("'%s' does not say '%s'", e.msg, part);
}

static void test_bad_files(void **state)
{
	(void)state;
	load_text("", 0, "");
	load_text("# only a comment\n\n", 0, "");
	load_text("ort\t*\tCast\n", ERR_INPUT, "line 1 has 3 columns, not 7");
	load_text("ort\t*\tCast\twrong\t-\tr\t-\n", ERR_INPUT, "kind 'wrong'");
	load_text("ort\t*\tCast\tbug\t-\tr\t-\tmore\n", ERR_INPUT, "8 columns");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),   cmocka_unit_test(test_file),   cmocka_unit_test(test_cases),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_absent), cmocka_unit_test(test_bad_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
