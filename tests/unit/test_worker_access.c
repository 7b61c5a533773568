/* test_worker_access.c - what a worker can reach of the machine: files to write to, variables of the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "support/workers.h"
#include "worker/parent/environment.h"

static void make_path(char *out, size_t size, const char *name)
{
	assert_true(snprintf(out, size, "%s/%s", worker_folder, name) < (int)size);
}

static void test_files(void **state)
{
	char folder[4096], victim[4096], file[8192];
	struct err e = ERR_INIT;
	struct stat st;
	struct worker *w;

	(void)state;
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 3) {
		print_message("this kernel has no Landlock, or one that does not know of truncation\n");
		skip();
	}
	make_path(folder, sizeof folder, "allowed");
	make_path(victim, sizeof victim, "victim");
	snprintf(file, sizeof file, "%s/file", folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(buf_write_file("text", 4, victim, &e), 0);
	setenv("ASSAY_WORKER_WRITABLE", folder, 1);
	setenv("ASSAY_TEST_WRITABLE", folder, 1);
	setenv("ASSAY_TEST_ABOVE", worker_folder, 1);
	w = open_fault();
	assert_result(invoke(w, "write-around"), WORKER_OK, "files");
	assert_result(invoke(w, "exit"), WORKER_CRASH, "exit");
	assert_result(invoke(w, "write-around"), WORKER_OK, "files of one that was forked");
	worker_close(w);
	unsetenv("ASSAY_WORKER_WRITABLE");
	assert_int_equal(stat(victim, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(unlink(victim), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void test_environment(void **state)
{
	struct worker *w;

	(void)state;
	setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
	setenv("GITHUB_TOKEN", "secret", 1);
	setenv("HF_TOKEN", "secret", 1);
	setenv("SSH_AUTH_SOCK", "/tmp/socket", 1);
	setenv("PATHS_OF_MINE", "x", 1); /* PATH is a name, not a beginning */
	setenv("LC_ALL", "C", 1);
	setenv("MKL_DEBUG", "1", 1);
	setenv("CUDA_VISIBLE_DEVICES", "0", 1);
	setenv("ASSAY_TEST", "1", 1);
	setenv("ALLOWED", "1", 1);
	setenv("ASSAY_WORKER_ENV", "OTHER,ALLOWED", 1);
	w = open_fault();
	assert_result(invoke(w, "environment"), WORKER_OK, "environment");
	worker_close(w);
	unsetenv("ASSAY_WORKER_ENV");
	assert_false(environment_passes("ALLOWED=1"));
	assert_true(environment_passes("PYTHONPATH=x"));
	assert_false(environment_passes("LC=x"));
	assert_false(environment_passes("=x"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_files),
		TEST(test_environment),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
