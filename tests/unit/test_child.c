/* test_child.c - other programs: their status, what is not there, and what does not come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child.h"

static int run(const char *command, double seconds)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct err e = ERR_INIT;
	int status = -1;

	if (child_run(&(struct child){.argv = argv, .folder = "/", .log = "/dev/null", .seconds = seconds}, &status,
		      &e))
		fail_msg("%s", e.msg);
	return status;
}

static void test_status(void **state)
{
	(void)state;
	assert_int_equal(run("exit 3", 0), 3);
	assert_int_equal(run("exit 0", 60), 0);
	assert_int_equal(run("kill -9 $$", 0), 128 + SIGKILL);
}

static void test_missing(void **state)
{
	const char *const argv[] = {"no-such-program-here", NULL};
	struct err e = ERR_INIT;
	int status;

	(void)state;
	assert_int_equal(child_run(&(struct child){.argv = argv, .folder = "/", .log = "/dev/null"}, &status, &e),
			 ERR_UNSUPPORTED);
}

/* It would wait for ever. */
static void test_killed(void **state)
{
	(void)state;
	assert_int_equal(run("exec tail -f /dev/null", 0.01), 128 + SIGKILL);
}

/* kill -9 of the one that waits: the program ends with it, as the pipe that it holds shows. */
static void test_parent_is_killed(void **state)
{
	int fds[2];
	char c = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[1], 9), 9);
	close(fds[1]);
	pid = fork();
	if (!pid) {
		run("echo >&9; exec tail -f /dev/null", 0);
		_exit(0);
	}
	close(9);
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, 60000), 1);
	assert_int_equal(read(fds[0], &c, 1), 0);
	close(fds[0]);
}

/* Of a long log only the error counts, wherever it stands; without one its last line. */
static void test_error_of_log(void **state)
{
	static const struct {
		const char *log, *told;
	} rows[] = {
		{"1000 models\nassay: no memory\n2000 models\n", "assay: no memory"},
		{"assay: first\nassay: second\nmore\n\n", "assay: second"},
		{"1000 models\n  the \tend  \n\n \n", "the end"},
		{"unfinished assay: line", "unfinished assay: line"},
		{"assay: 0123456789012345678901234567890123456789\nrest", "assay: 012345678901234567890123"},
		{"", ""},
	};
	char path[] = "/tmp/test_child.XXXXXX", told[32];
	struct err e = ERR_INIT;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(buf_write_file(rows[i].log, strlen(rows[i].log), path, &e), 0);
		child_log_error(path, "assay: ", told, sizeof told);
		assert_string_equal(told, rows[i].told);
	}
	close(fd);
	unlink(path);
	child_log_error(path, "assay: ", told, sizeof told);
	assert_string_equal(told, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_status), cmocka_unit_test(test_missing),
					   cmocka_unit_test(test_killed), cmocka_unit_test(test_parent_is_killed),
					   cmocka_unit_test(test_error_of_log)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
