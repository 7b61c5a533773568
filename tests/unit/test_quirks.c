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
	static const char *const domains[] = {"", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training",
					      "com.microsoft"};
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

/* A node by the type of its first input, with wrong values that nobody has measured yet. */
static void look_up(const char *name, const void *node, char *out, size_t size)
{
	snprintf(out, size, "%s",
		 !strcmp(name, "in0")       ? (const char *)node
		 : !strcmp(name, "verdict") ? "wrong"
		 : !strcmp(name, "ratio")   ? QUIRK_UNKNOWN
					    : "");
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

/* What a node is like, and what came of it: "name=value" separated by blanks. */
static void look_up_list(const char *name, const void *node, char *out, size_t size)
{
	size_t n = strlen(name);

	for (const char *at = node; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
		if (!strncmp(at, name, n) && at[n] == '=') {
			snprintf(out, size, "%.*s", (int)strcspn(at + n + 1, " "), at + n + 1);
			return;
		}
}

struct narrow {
	const char *backend, *version, *op, *known, *fault; /* what the row is about, and a fault that it is not */
};

/* A row says no more than its reason: another fault of the same operator is told. */
static void test_rows_are_narrow(void **state)
{
	static const struct narrow list[] = {
		{"ort", "1.31.1", "Cast", "in0=float32 out0=int4 verdict=wrong", "in0=int32 out0=int4 verdict=wrong"},
		{"ort", "1.31.1", "MaxUnpool", "in2=int64 verdict=wrong", "verdict=wrong"},
		{"ort", "1.31.1", "MaxUnpool", "in2=int64 verdict=wrong", "in2=int64 verdict=rejected"},
		{"ort", "1.31.1", "Resize", "coordinate_transformation_mode=align_corners in2=float32 verdict=wrong",
		 "coordinate_transformation_mode=align_corners in3=int64 verdict=wrong"},
		{"ort", "1.31.1", "Resize", "opset=10 verdict=wrong", "opset=10 mode=linear verdict=wrong"},
		{"ort", "1.31.1", "AffineGrid", "align_corners=1 shape_out0=2,1,5,2 verdict=wrong",
		 "align_corners=1 shape_out0=1,4,5,2 verdict=wrong"},
		{"ort", "1.31.1", "MatMulInteger", "in0=uint8 in1=int8 most_in1=65 processor=x86-64 verdict=wrong",
		 "in0=uint8 in1=int8 most_in1=64 processor=x86-64 verdict=wrong"},
		{"ort", "1.31.1", "QLinearConv", "in0=uint8 in3=int8 most_in3=127 processor=x86-64 verdict=wrong",
		 "in0=uint8 in3=int8 most_in3=127 processor=vnni verdict=wrong"},
		{"openvino", "2026.4.1", "Erf", "verdict=wrong off=3e-7", "verdict=wrong off=3e-5"},
		{"openvino", "2026.4.1", "Tan", "in0=float64 verdict=wrong ratio=1e9",
		 "in0=float64 verdict=wrong ratio=1e13"},
		{"openvino", "2026.4.1", "Tan", "in0=float64 verdict=wrong ratio=inf got=-0 exact=-5.6e-102",
		 "in0=float64 verdict=wrong ratio=inf got=0 exact=1e-3"},
		{"openvino", "2026.4.1", "Tan", "in0=float64 verdict=wrong ratio=inf got=3.40282347e+38",
		 "in0=float64 verdict=wrong ratio=inf got=7"},
		{"openvino", "2026.4.1", "MaxPool", "ceil_mode=1 opset=12 verdict=wrong",
		 "ceil_mode=1 opset=22 verdict=wrong"},
		{"openvino", "2026.4.1", "Col2Im", "shape_in1=3 verdict=rejected", "shape_in1=2 verdict=rejected"},
		{"tract", "0.23.9", "Scan", "opset=8 verdict=rejected", "opset=9 verdict=rejected"},
		{"tract", "0.23.9", "PRelu", "opset=6 verdict=rejected", "opset=7 verdict=rejected"},
		{"tract", "0.23.9", "QLinearMatMul", "in1=float16 verdict=rejected", "in1=float32 verdict=rejected"},
		{"tract", "0.23.9", "BatchNormalization", "training_mode=1 verdict=rejected",
		 "training_mode=1 verdict=wrong"},
		{"mxnet", "1.9.1", "TopK", "verdict=wrong output=1", "verdict=wrong output=0"},
	};
	struct quirks q;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(quirks_load("data/quirks.tsv", &q, &e), 0);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct narrow *n = &list[i];

		if (!quirks_for_op(&q, n->backend, n->version, n->op, look_up_list, n->known))
			fail_msg("%s %s: no row is about %s", n->backend, n->op, n->known);
		if (quirks_for_op(&q, n->backend, n->version, n->op, look_up_list, n->fault))
			fail_msg("%s %s: a row hides %s", n->backend, n->op, n->fault);
	}
	for (size_t i = 0; i < q.n; i++)
		if (!strcmp(q.at[i].kind, "quirk") && !strstr(q.at[i].when, "verdict="))
			fail_msg("row %zu, %s %s, does not say what the difference does", i + 1, q.at[i].backend,
				 q.at[i].op);
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
		cmocka_unit_test(test_versions),        cmocka_unit_test(test_file),   cmocka_unit_test(test_cases),
		cmocka_unit_test(test_conditions),      cmocka_unit_test(test_absent), cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_rows_are_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
