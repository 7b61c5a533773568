/* How a library was made: the digest follows the sources that a step compiles, and all headers of theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "install/recipe.h"

static char root[] = "/tmp/assay-recipe-XXXXXX";

static const char *const names[] = {"shim.cpp", "shim.h", "shim_values.h", "other.h"};

static void write_file(const char *name, const char *text)
{
	struct err e = ERR_INIT;
	char path[256];

	snprintf(path, sizeof path, "%s/src/x/%s", root, name);
	assert_int_equal(buf_write_file(text, strlen(text), path, &e), 0);
}

static void digest(char out[HASH_TEXT])
{
	static const char text[] = "version 1\nwheel a-1-py3-none-any.whl 1 "
				   "0000000000000000000000000000000000000000000000000000000000000000\n  take ** lib/\n"
				   "step compile-shim src/x/shim.cpp shim/s.so\n";
	struct err e = ERR_INIT;
	struct lock l;

	if (lock_parse(text, sizeof text - 1, "x.lock", &l, &e))
		fail_msg("%s", e.msg);
	recipe_digest(NULL, 0, &l.versions.at[0], out);
	lock_release(&l);
}

static void test_sources(void **state)
{
	char first[HASH_TEXT], now[HASH_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		write_file(names[i], "one");
	digest(first);
	digest(now);
	assert_string_equal(first, now);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		write_file(names[i], "two");
		digest(now);
		assert_int_equal(strcmp(first, now) != 0, strncmp(names[i], "shim", 4) == 0);
		write_file(names[i], "one");
	}
}

static int set_up(void **state)
{
	static const char *const folders[] = {"/src", "/src/x"};
	char path[256];

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s%s", root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	return setenv("ASSAY_DATA", root, 1);
}

static int tear_down(void **state)
{
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/src/x/%s", root, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/src/x", root);
	rmdir(path);
	snprintf(path, sizeof path, "%s/src", root);
	rmdir(path);
	return rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sources)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
