/* test_meaning_arrays.c - functions of meanings for libraries that compute as NumPy does (proof/functions_arrays.c):
 * recorded calls on small tensors, and what they come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/place.h"
#include "judge/trial.h"
#include "proof/meaning.h"
#include "tensor/io.h"

static char folder[] = "/tmp/assay-meaning-XXXXXX";
static struct err e = ERR_INIT;

/* vN.npy: 0, 1, 2, … + first */
static void write_value(size_t number, enum dtype t, int rank, const int64_t *dims, int first)
{
	struct tensor *wide = tensor_new(t, rank, dims, &e), *packed;
	char path[64];

	assert_non_null(wide);
	for (size_t i = 0; i < wide->count; i++)
		if (dtype_is_float(t))
			wide->f[i] = (double)i + first;
		else
			wide->i[i] = (int64_t)i + first;
	packed = tensor_pack(wide, &e);
	assert_non_null(packed);
	snprintf(path, sizeof path, "%s/v%zu.npy", folder, number);
	assert_int_equal(npy_save(packed, path, &e), 0);
	tensor_unref(wide);
	tensor_unref(packed);
}

/* v0 float32[3,4] from 0, v1 int64[2] {1, 2}, v2 int64[2] {0, 1}, v3 float32[2] {10, 11}, v4 int32[2] {1, 2} */
static void write_calls(const char *call)
{
	static const int64_t dims[] = {3, 4}, two[] = {2};
	char path[64];
	FILE *f;

	write_value(0, DT_FLOAT, 2, dims, 0);
	write_value(1, DT_INT64, 1, two, 1);
	write_value(2, DT_INT64, 1, two, 0);
	write_value(3, DT_FLOAT, 1, two, 10);
	write_value(4, DT_INT32, 1, two, 1);
	snprintf(path, sizeof path, "%s/calls.py", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 5; i++)
		fprintf(f, "    v%d = take(None, constants[\"c%d\"], \"%s\")\n", i, i,
			i == 0 || i == 3 ? "float32"
			: i == 4         ? "int32"
					 : "int64");
	fprintf(f, "    v9 = op(%s)\n", call);
	fclose(f);
}

static void print_output(const struct value *v, struct buf *out)
{
	struct tensor *wide = tensor_widen(v->tensor, &e);

	assert_non_null(wide);
	buf_printf(out, "%s%s[", out->len ? " " : "", dtype_name(wide->dtype));
	for (int i = 0; i < wide->rank; i++)
		buf_printf(out, "%s%d", i ? "," : "", (int)wide->dims[i]);
	buf_puts(out, "]{");
	for (size_t i = 0; i < wide->count; i++)
		buf_printf(out, "%s%g", i ? "," : "", dtype_is_float(wide->dtype) ? wide->f[i] : (double)wide->i[i]);
	buf_puts(out, "}");
	tensor_unref(wide);
}

/* The call by its row: "float32[2]{1,2}" for each result, or the message. */
static void check(const char *row, const char *call, const char *wanted)
{
	struct meanings m = {.arena = ARENA_INIT};
	struct calls c = {.arena = ARENA_INIT};
	struct meaning meaning = {0};
	struct trial t = {0};
	struct buf text;

	write_calls(call);
	buf_init(&text, 4096);
	if (meanings_parse(row, &m, &e) || calls_read(folder, &c, &e))
		fail_msg("%s: %s", row, e.msg);
	if (meaning_of(&m, &c, &c.calls.at[0], &meaning, &e)) {
		buf_puts(&text, e.msg);
		err_clear(&e);
	} else {
		if (trial_init(&t, meaning.model, meaning.inputs, 1, &e) || trial_truth(&t, &e))
			fail_msg("%s: %s", row, e.msg);
		assert_int_equal(t.invalid, 0);
		for (size_t i = 0; i < t.truth.n; i++)
			print_output(t.truth.outputs[i].value, &text);
	}
	assert_string_equal(text.data, wanted);
	buf_release(&text);
	trial_release(&t);
	calls_release(&c);
	meanings_release(&m);
}

static void test_slices(void **state)
{
	(void)state;
	check("f(x, i) = index(x, i)", "\"f\", v0, [slice(None, None, -1), 1]", "float32[3]{9,5,1}");
	check("f(x, i) = index(x, i)", "\"f\", v0, [-1, slice(1, 3, None)]", "float32[2]{9,10}");
	check("f(x, i) = index(x, i)", "\"f\", v0, [slice(0, 1, 1), None, slice(None, None, 2)]",
	      "float32[1,1,2]{0,2}");
	check("f(x, i) = index(x, i)", "\"f\", v0, [0]", "f (line 1 of its meanings): index: 1 items for 2 axes");
}

static void test_tensors_as_indices(void **state)
{
	(void)state;
	check("f(x, i) = index(x, i)", "\"f\", v0, [v1, v2]", "float32[2]{4,9}");
	check("f(x, i) = index(x, i)", "\"f\", v0, [v1, slice(None, None, None)]", "float32[2,4]{4,5,6,7,8,9,10,11}");
	check("f(x, i) = index(x, i)", "\"f\", v0, [slice(None, None, None), v1]", "float32[3,2]{1,2,5,6,9,10}");
}

static void test_updates(void **state)
{
	(void)state;
	check("f(x, i, y) = update(x, i, y, \"add\")", "\"f\", v0, [v1, v2], v3",
	      "float32[3,4]{0,1,2,3,14,5,6,7,8,20,10,11}");
	check("f(x, i, y) = update(x, i, y, \"none\")", "\"f\", v0, [slice(0, 2, None), slice(2, 4, None)], v3",
	      "float32[3,4]{0,1,10,11,4,5,10,11,8,9,10,11}");
	check("f(x, i, y) = update(x, i, y, \"none\")", "\"f\", v0, [0, 0], v3",
	      "f (line 1 of its meanings): update: 1 axes for a part of 0");
}

static void test_pieces(void **state)
{
	(void)state;
	check("f(x, at, axis) = pieces(x, at, axis)", "\"f\", v0, [1], 1",
	      "float32[3,1]{0,4,8} float32[3,3]{1,2,3,5,6,7,9,10,11}");
	check("f(x, at, axis) = pieces(x, at, axis)", "\"f\", v0, 3, 0",
	      "float32[1,4]{0,1,2,3} float32[1,4]{4,5,6,7} float32[1,4]{8,9,10,11}");
}

static void test_dilated(void **state)
{
	(void)state;
	check("f(x, n) = dilated(x, n)", "\"f\", v3, [3]", "float32[4]{10,0,0,11}");
	check("f(x, n) = index(dilated(x, n), [1, [0, 4, 1]])", "\"f\", v0, [1]", "float32[4]{4,5,6,7}");
}

static void test_axes(void **state)
{
	(void)state;
	check("f(n, a, b) = moved(n, a, b)", "\"f\", 3, 0, -1", "int64[]{1} int64[]{2} int64[]{0}");
	check("f(n, a, b) = moved(n, a, b)", "\"f\", 3, 2, 0", "int64[]{2} int64[]{0} int64[]{1}");
	check("f(n, a, b) = swapped(n, a, b)", "\"f\", 3, 0, -1", "int64[]{2} int64[]{1} int64[]{0}");
	check("f(x) = column(x, 1)", "\"f\", [[1, 2], [3, 4]]", "int64[]{2} int64[]{4}");
}

static void test_types(void **state)
{
	(void)state;
	check("f(x, y) = beside_jax(x, y)", "\"f\", v4, v3", "float32[2]{1,2}");
	check("f(x, y) = beside_numpy(x, y)", "\"f\", v4, v3", "float64[2]{1,2}");
	check("f(x, y) = beside_jax(x, y)", "\"f\", v4, v1", "int64[2]{1,2}");
	check("f(x, y) = beside_jax(x, y)", "\"f\", v4, 0.5", "float64[2]{1,2}");
	check("f(x, y) = beside_jax(y, x)", "\"f\", v3, 2", "float32[]{2}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices),  cmocka_unit_test(test_tensors_as_indices),
		cmocka_unit_test(test_updates), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_dilated), cmocka_unit_test(test_axes),
		cmocka_unit_test(test_types),
	};
	struct err ignored = ERR_INIT;
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	place_remove_tree(folder, &ignored);
	return failed;
}
