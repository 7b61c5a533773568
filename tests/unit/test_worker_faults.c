/* test_worker_faults.c - the pool against workers that die in every way, that lie, and that never start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fault_worker.h"
#include "support/workers.h"

/* ---- workers that die -------------------------------------------------------------------------------------------- */

static void test_deaths(void **state)
{
	static const struct {
		const char *operation;
		enum worker_result result;
		int signal, status;
	} cases[] = {
		{"segfault", WORKER_CRASH, SIGSEGV, 0}, {"abort", WORKER_CRASH, SIGABRT, 0},
		{"exit", WORKER_CRASH, 0, 3},           {"half", WORKER_CRASH, SIGKILL, 0},
		{"garbage", WORKER_PROTOCOL, 0, 0},     {"orphan", WORKER_CRASH, 0, 5},
		{"close", WORKER_PROTOCOL, 0, 0},
	};
	struct worker *w = open_fault();

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_result(invoke(w, cases[i].operation), cases[i].result, cases[i].operation);
		assert_int_equal(worker_report.signal, cases[i].signal);
		assert_int_equal(worker_report.exit_status, cases[i].status);
		assert_true(worker_report.message[0] != '\0');
		assert_alive(w, cases[i].operation);
	}
	worker_close(w);
}

static void test_what_it_printed(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "abort"), WORKER_CRASH, "abort");
	assert_string_equal(worker_report.stderr_tail, "about to abort\n");
	assert_result(invoke(w, "rejected"), WORKER_REJECTED, "rejected");
	assert_string_equal(worker_report.stderr_tail, "");
	worker_close(w);
}

static void test_flood(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "flood"), WORKER_OK, "flood");
	assert_result(invoke(w, "abort"), WORKER_CRASH, "abort"); /* what it prints is kept again */
	assert_string_equal(worker_report.stderr_tail, "about to abort\n");
	assert_result(invoke(w, "flood-abort"), WORKER_CRASH, "flood-abort");
	assert_int_equal(strlen(worker_report.stderr_tail), sizeof worker_report.stderr_tail - 1);
	assert_alive(w, "flood-abort");
	worker_close(w);
}

static void test_hang(void **state)
{
	struct worker_spec s = fault_spec();
	struct worker *w = open_worker(&s, &(struct worker_limits){.run_seconds = 1});

	(void)state;
	for (const char **how = (const char *[]){"hang", "late", NULL}; *how; how++) {
		worker_set_patience(w, 1);
		assert_result(invoke(w, *how), WORKER_HANG, *how);
		worker_set_patience(w, 60);
		assert_alive(w, *how); /* a late answer must not be taken for the next one's */
	}
	worker_close(w);
}

static void test_memory(void **state)
{
	struct worker_spec s = fault_spec();
	struct worker *w = open_worker(&s, &(struct worker_limits){.memory = (size_t)256 << 20});

	(void)state;
	assert_result(invoke(w, "allocate"), WORKER_OOM, "allocate");
	assert_alive(w, "allocate");
	worker_close(w);
}

/* What the size of the worker's own process does not tell. */
static void test_memory_elsewhere(void **state)
{
	static const char *const ways[] = {"memory-children", "memory-unnamed", "memory-many"};
	struct worker_spec s = fault_spec();
	struct worker *w = open_worker(&s, &(struct worker_limits){.memory = FAULT_LIMIT, .run_seconds = 60});

	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		assert_result(invoke(w, ways[i]), WORKER_OOM, ways[i]);
		assert_non_null(strstr(worker_report.message, "256 MiB of memory"));
	}
	assert_result(invoke(w, "shared-once"), WORKER_OK, "memory that several share");
	worker_close(w);
}

static void test_disk(void **state)
{
	static const char *const ways[] = {"fill-folder", "fill-removed"};
	struct worker_spec s = fault_spec();
	struct worker *w = open_worker(&s, &(struct worker_limits){.disk = FAULT_LIMIT, .run_seconds = 60});

	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		assert_result(invoke(w, ways[i]), WORKER_OOM, ways[i]);
		assert_non_null(strstr(worker_report.message, "wrote more than 256 MiB"));
	}
	assert_alive(w, "a full folder");
	worker_close(w);
}

static void test_close_without_answer(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "abort"), WORKER_CRASH, "abort");
	worker_close(w); /* the new one has not said HELLO yet */
}

/* ---- workers that lie -------------------------------------------------------------------------------------------- */

static void test_lies(void **state)
{
	static const char *const truths[] = {"truth", "grown", "cannot-shrink"};
	static const char *const lies[] = {
		"id",
		"status",
		"status-negative",
		"body",
		"no-body",
		"offset",
		"offset-near-end",
		"offset-overflow",
		"unaligned",
		"size",
		"dtype",
		"dtype-negative",
		"dims-negative",
		"dims-huge",
		"dims-overflow",
		"rank",
		"inline-short",
		"no-data",
		"strings",
		"no-tensor",
		"kind",
		"optional-of-two",
		"shm-size",
		"shm-too-large",
		"deep",
		"trailing",
		"cut",
		"length",
		"empty",
	};
	struct worker *w = open_raw();

	(void)state;
	for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
		assert_result(invoke(w, truths[i]), WORKER_OK, truths[i]);
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		assert_result(invoke(w, lies[i]), WORKER_PROTOCOL, lies[i]);
		assert_result(invoke(w, "truth"), WORKER_OK, lies[i]);
	}
	worker_close(w);
}

static void test_other_outputs(void **state)
{
	struct worker *w = open_raw();
	const char *names[] = {"y", "z"};
	struct named_value *out;
	uint64_t session;
	size_t n;

	(void)state;
	assert_result(worker_load(w, "m", 1, NULL, 0, &session, &worker_report), WORKER_OK, "load");
	assert_result(worker_run(w, session, &(struct backend_run){.wanted = {names, 1}}, &out, &n, &worker_report),
		      WORKER_PROTOCOL, "another name");
	assert_result(worker_load(w, "m", 1, NULL, 0, &session, &worker_report), WORKER_OK, "load");
	assert_result(worker_run(w, session, &(struct backend_run){.wanted = {names, 2}}, &out, &n, &worker_report),
		      WORKER_PROTOCOL, "too few");
	worker_close(w);
}

/* The number of a session is the worker's to choose: its RUN answers with another name when a bit of it is lost. */
static void test_session_numbers(void **state)
{
	struct worker *w = open_raw();
	const char *names[] = {"other"};
	struct named_value *out;
	uint64_t first, second;
	size_t n;

	(void)state;
	assert_result(worker_load(w, "m", 1, NULL, 0, &first, &worker_report), WORKER_OK, "load");
	assert_result(worker_load(w, "m", 1, NULL, 0, &second, &worker_report), WORKER_OK, "load");
	assert_true(first != second);
	assert_result(worker_run(w, second, &(struct backend_run){.wanted = {names, 1}}, &out, &n, &worker_report),
		      WORKER_OK, "run");
	worker_values_free(out, n);
	worker_close(w);
}

/* ---- isolation --------------------------------------------------------------------------------------------------- */

static void test_isolation(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "connect"), WORKER_REJECTED, "a socket of the internet");
	assert_result(invoke(w, "unix"), WORKER_OK, "a socket of this machine");
	assert_result(invoke(w, "descriptors"), WORKER_OK, "descriptors");
	assert_result(invoke(w, "signals"), WORKER_OK, "signals to its supervisor and to everybody");
	assert_result(invoke(w, "litter"), WORKER_OK, "litter"); /* teardown sees that it goes away */
	worker_close(w);
}

static int count_folders(void)
{
	DIR *d = opendir(worker_folder);
	struct dirent *entry;
	int n = 0;

	assert_non_null(d);
	while ((entry = readdir(d)))
		n += entry->d_name[0] != '.';
	closedir(d);
	return n;
}

/* What a parent that was killed left behind goes when the next worker starts; what is in use stays. */
static void test_folders_of_the_dead(void **state)
{
	struct worker *first, *second;
	int status, folders;
	pid_t parent;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	parent = fork();
	assert_true(parent >= 0);
	if (!parent) {
		struct worker *w = open_fault();

		if (invoke(w, "litter") == WORKER_OK)
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_true(WIFSIGNALED(status));
	while (waitpid(-1, &status, 0) > 0)
		;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	assert_true(count_folders() > 0);
	first = open_fault();
	folders = count_folders();
	second = open_fault();
	assert_int_equal(count_folders(), 2 * folders);
	assert_result(invoke(first, "litter"), WORKER_OK, "litter");
	worker_close(second);
	assert_int_equal(count_folders(), folders);
	worker_close(first);
	assert_int_equal(count_folders(), 0);
}

/* ---- workers that do not start ----------------------------------------------------------------------------------- */

static void assert_absent(const struct worker_spec *s, const struct worker_limits *limits, const char *why)
{
	struct worker *w = NULL;
	struct err e = ERR_INIT;

	assert_true(worker_open(s, limits, &w, &worker_report, &e) < 0);
	assert_null(w);
	assert_result(worker_report.result, WORKER_ABSENT, why);
	if (!strstr(e.msg, why))
		fail_msg("'%s' does not say '%s'", e.msg, why);
}

static void test_absent(void **state)
{
	struct worker_spec s = fault_spec();
	struct backend_option start = {"start", "refuse"};

	(void)state;
	s.program = "/nonexistent/worker";
	assert_absent(&s, NULL, "No such file");
	s.program = "no-such-worker";
	assert_absent(&s, NULL, "No such file");
	s.program = "/bin/true";
	assert_absent(&s, NULL, "exited with status 0");
	s.program = FAULT_WORKER;
	s.options = &start;
	s.n_options = 1;
	assert_absent(&s, NULL, "no library in ''");
	start.value = "abort";
	assert_absent(&s, NULL, "signal 6");
	assert_string_equal(worker_report.stderr_tail, "about to abort\n");
	assert_absent(&s, NULL, "(Aborted); it printed: about to abort");
	s.backend = "fault";
	s.folder = "/opt/library"; /* one that was installed can be examined */
	assert_absent(&s, NULL, "; 'assay backends doctor fault' says what helps");
	start.value = "hang";
	assert_absent(&s, &(struct worker_limits){.init_seconds = 1}, "no answer within 1 seconds");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_deaths),
		TEST(test_what_it_printed),
		TEST(test_flood),
		TEST(test_hang),
		TEST(test_memory),
		TEST(test_memory_elsewhere),
		TEST(test_disk),
		TEST(test_close_without_answer),
		TEST(test_lies),
		TEST(test_other_outputs),
		TEST(test_session_numbers),
		TEST(test_isolation),
		TEST(test_folders_of_the_dead),
		TEST(test_absent),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
