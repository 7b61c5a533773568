/* test_quota.c - a container's share of the processors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quota.h"

static char folder[] = "/tmp/test_quota_XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static size_t ask(const char *groups)
{
	char path[256];

	put("groups", groups);
	snprintf(path, sizeof path, "%s/groups", folder);
	return quota_processors(path, folder);
}

static int make_tree(void **state)
{
	char path[256];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/outer", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/outer/inner", folder);
	return mkdir(path, 0700);
}

static int remove_tree(void **state)
{
	static const char *const names[] = {"groups", "cpu.max", "outer/cpu.max", "outer/inner/cpu.max"};
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/outer/inner", folder);
	rmdir(path);
	snprintf(path, sizeof path, "%s/outer", folder);
	rmdir(path);
	return rmdir(folder);
}

static void least_of_all_groups(void **state)
{
	(void)state;
	assert_int_equal(ask("0::/outer/inner\n"), 0); /* no file says anything */
	put("outer/inner/cpu.max", "max 100000\n");
	assert_int_equal(ask("0::/outer/inner\n"), 0);
	put("outer/cpu.max", "250000 100000\n");
	assert_int_equal(ask("0::/outer/inner\n"), 3);
	put("outer/inner/cpu.max", "20000 100000\n");
	assert_int_equal(ask("0::/outer/inner\n"), 1);
	assert_int_equal(ask("0::/outer\n"), 3);
	put("cpu.max", "200000 100000\n"); /* of a container that sees its own group as the root */
	assert_int_equal(ask("0::/\n"), 2);
	assert_int_equal(ask("0::/outer\n"), 2);
}

static void what_is_not_understood_is_no_quota(void **state)
{
	(void)state;
	put("outer/cpu.max", "nonsense\n");
	put("cpu.max", "100000 0\n");
	assert_int_equal(ask("0::/outer\n"), 0);
	put("cpu.max", "200000 100000\n");
	assert_int_equal(ask("1:cpu:/outer\n"), 0); /* of version 1 */
	assert_int_equal(ask("1:cpu:/x\n0::/outer\n"), 2);
	assert_int_equal(quota_processors("/nowhere/groups", folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_of_all_groups),
		cmocka_unit_test(what_is_not_understood_is_no_quota),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
