/* test_told_sizes.c - the line that says which sizes of an input were made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "case/told_sizes.h"

static void expect(const char *dims, const char *line)
{
	json_t *sizes =
		json_pack("[{s:s, s:s, s:o}]", "name", "x", "dtype", "float32", "dims", json_loads(dims, 0, NULL));
	struct buf out;

	assert_non_null(sizes);
	buf_init(&out, 4096);
	told_sizes_text(sizes, &out);
	assert_string_equal(out.len ? out.data : "", line);
	buf_release(&out);
	json_decref(sizes);
}

#define GIVEN(size) "{\"name\": null, \"size\": " size ", \"made_up\": false}"
#define MADE_UP(name, size) "{\"name\": \"" name "\", \"size\": " size ", \"made_up\": true}"

static void test_each_name_once(void **state)
{
	(void)state;
	expect("[" MADE_UP("N", "1") "," GIVEN("3") "," MADE_UP("H", "8") "," MADE_UP("W", "9") "]",
	       "x: float32[N=1, 3, H=8, W=9]; H and W were made up: --dim H=…\n");
	/* Some exporters call every open dimension by one name. */
	expect("[" MADE_UP("?", "1") "," GIVEN("3") "," MADE_UP("?", "8") "," MADE_UP("?", "8") "]",
	       "x: float32[?=1, 3, ?=8, ?=8]; ? was made up: --dim ?=…\n");
}

static void test_nothing_to_tell(void **state)
{
	(void)state;
	expect("[" GIVEN("2") "," GIVEN("3") "]", "");
	expect("[" MADE_UP("N", "1") "," GIVEN("3") "]", ""); /* a batch of one */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_name_once),
		cmocka_unit_test(test_nothing_to_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
