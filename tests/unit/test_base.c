/* Small helpers of base: names of files, folders, lengths of time, JSON as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/place.h"

static void suffixes(void **state)
{
	(void)state;
	assert_true(place_has_suffix("a.npy", ".npy"));
	assert_true(place_has_suffix("A.PNG", ".png"));
	assert_true(place_has_suffix("digits.csv.gz", ".csv.gz"));
	assert_true(place_has_suffix(".npy", ".npy"));
	assert_false(place_has_suffix("npy", ".npy"));
	assert_false(place_has_suffix("a.npy.txt", ".npy"));
}

static void folders(void **state)
{
	char top[] = "/tmp/assay-base-XXXXXX", path[PLACE_PATH];
	struct err e = ERR_INIT;

	(void)state;
	assert_non_null(mkdtemp(top));
	assert_int_equal(place_path(path, &e, "%s/a/b", top), 0);
	assert_false(place_is_folder(path));
	assert_int_equal(place_make_folder(path, &e), ERR_IO);
	assert_int_equal(place_make_folders(path, &e), 0);
	assert_true(place_is_folder(path));
	assert_int_equal(place_make_folders(path, &e), 0); /* it is there */
	assert_int_equal(place_path(path, &e, "%s/a/b/file", top), 0);
	assert_int_equal(buf_write_file("x", 1, path, &e), 0);
	assert_int_equal(place_make_folders(path, &e), ERR_IO); /* … as a file */
	assert_non_null(strstr(e.msg, "cannot make folder"));
	assert_int_equal(place_remove_tree(top, &e), 0);
}

static void times(void **state)
{
	static const struct {
		const char *text;
		double seconds; /* 0: refused */
	} rows[] = {{"90", 90}, {"90s", 90},     {"5m", 300}, {"1h", 3600}, {"0.5m", 30}, {"", 0},
		    {"m", 0},   {"5 apples", 0}, {"-3s", 0},  {"0", 0},     {"nan", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = ERR_INIT;
		double seconds = 0;

		assert_int_equal(clock_parse(rows[i].text, &seconds, &e), rows[i].seconds > 0 ? 0 : ERR_USAGE);
		assert_true(seconds == rows[i].seconds);
	}
}

static void json_as_text(void **state)
{
	json_t *j = json_pack("{s:s, s:o, s:o, s:o}", "word", "a\"b", "inf", json_number(-INFINITY), "nan",
			      json_number(NAN), "none", json_number_or_null(NAN));
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, 256);
	assert_int_equal(json_write(&b, j, JSON_COMPACT), 0);
	assert_string_equal(b.data, "{\"word\":\"a\\\"b\",\"inf\":\"-inf\",\"nan\":\"nan\",\"none\":null}");
	assert_string_equal(json_text_at(j, "word"), "a\"b");
	assert_string_equal(json_text_at(j, "none"), "");
	assert_string_equal(json_text_at(NULL, "none"), "");
	assert_int_equal(json_write(&b, NULL, 0), ERR_MEMORY); /* what could not be made is not left out in silence */
	assert_int_equal(buf_check(&b, &e), ERR_MEMORY);
	buf_release(&b);
	buf_init(&b, 8);
	assert_int_equal(json_write(&b, j, JSON_COMPACT), ERR_LIMIT);
	buf_release(&b);
	json_decref(j);
}

static void json_documents(void **state)
{
	static const struct {
		const char *given, *document;
	} rows[] = {
		{"{\"a\":{\"b\":1}}", "{\"schema\":\"assay/1\",\"a\":{\"b\":1}}"},
		{"[{\"a\":[{}]},{}]", "[{\"schema\":\"assay/1\",\"a\":[{}]},{\"schema\":\"assay/1\"}]"},
		{"[]", "[]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		json_t *j = json_document(json_loads(rows[i].given, 0, NULL));
		struct buf b;

		buf_init(&b, 256);
		assert_int_equal(json_write(&b, j, JSON_COMPACT), 0);
		assert_string_equal(b.data, rows[i].document);
		buf_release(&b);
		json_decref(j);
	}
	assert_null(json_document(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes),     cmocka_unit_test(folders),        cmocka_unit_test(times),
		cmocka_unit_test(json_as_text), cmocka_unit_test(json_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
