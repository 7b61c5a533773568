/* test_elf.c - what a shared library asks of others, read from its file. */
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
#include "install/elf.h"

static int count(void *arg, const char *name, struct err *e)
{
	(void)e;
	*(int *)arg += !strcmp(name, "_cmocka_run_group_tests");
	return 0;
}

/* This program takes cmocka from its library. */
static void test_undefined(void **state)
{
	struct err e = ERR_INIT;
	int n = 0;

	(void)state;
	assert_int_equal(elf_undefined("/proc/self/exe", count, &n, &e), 0);
	assert_int_equal(n, 1);
}

static int stop(void *arg, const char *name, struct err *e)
{
	(void)arg;
	return err_set(e, ERR_INPUT, "stopped at '%s'", name);
}

static void test_errors(void **state)
{
	/* A file that ends in the middle of its head, one whose sections lie far behind its end, and none at all. */
	unsigned char head[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
	char path[] = "/tmp/assay-elf-XXXXXX";
	struct err e = ERR_INIT;
	int n = 0, file = mkstemp(path);

	(void)state;
	assert_true(file >= 0);
	close(file);
	assert_int_equal(buf_write_file(head, 20, path, &e), 0);
	assert_int_equal(elf_undefined(path, count, &n, &e), ERR_INPUT);
	head[0x28 + 7] = 0x7f; /* e_shoff */
	head[0x3c] = 4;        /* e_shnum */
	assert_int_equal(buf_write_file(head, sizeof head, path, &e), 0);
	assert_int_equal(elf_undefined(path, count, &n, &e), ERR_INPUT);
	unlink(path);
	assert_int_equal(elf_undefined(path, count, &n, &e), ERR_IO);
	assert_int_equal(elf_undefined("/proc/self/exe", stop, NULL, &e), ERR_INPUT);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
