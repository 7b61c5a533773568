/* test_worker_children.c - nothing that a worker starts outlives the worker or the process that started it.
 *
 * This process adopts whatever is orphaned below it, so that all that survives ends up as its child, to be seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fault_worker.h"
#include "support/workers.h"
#include "worker/guards.h"
#include "worker/parent/groups.h"

static int adopt(void **state)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1) || worker_group_setup(state);
}

/* Reaps all that is left; none may have reached its own end. */
static void assert_none_outlived(const char *what)
{
	int status;

	while (waitpid(-1, &status, 0) > 0)
		if (WIFEXITED(status) && WEXITSTATUS(status) == FAULT_OUTLIVED)
			fail_msg("a child outlived its worker: %s", what);
	assert_int_equal(errno, ECHILD);
}

/* ---- the worker ends --------------------------------------------------------------------------------------------- */

static void test_normal_end(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "children"), WORKER_OK, "children");
	worker_close(w);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* at once, none is left */
	assert_int_equal(errno, ECHILD);
}

static void test_worker_dies(void **state)
{
	struct worker_spec s = fault_spec();
	static const char *const deaths[] = {"exit", "segfault", "hang", "close"};
	struct worker *w = open_worker(&s, &(struct worker_limits){.run_seconds = 1});

	(void)state;
	for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
		assert_result(worker_set_patience(w, 30) > 0 ? invoke(w, "children") : WORKER_ABSENT, WORKER_OK,
			      "children");
		worker_set_patience(w, 1);
		assert_true(invoke(w, deaths[i]) != WORKER_OK);
	}
	worker_close(w);
	assert_none_outlived("a worker that died");
}

/* ---- the parent ends --------------------------------------------------------------------------------------------- */

typedef void how_to_end(int number);

static void end_by_signal(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void end_by_exit(int number)
{
	_exit(number);
}

/* A process that opens a worker, asks it for something, and ends. */
static pid_t start_parent(const char *operation, how_to_end *end, int number)
{
	pid_t parent = fork();

	assert_true(parent >= 0);
	if (!parent) {
		struct worker_spec s = fault_spec();
		struct worker *w;
		struct err e = ERR_INIT;

		if (!worker_open(&s, NULL, &w, &worker_report, &e) && (!operation || !invoke(w, operation)))
			end(number);
		_exit(1);
	}
	return parent;
}

static void test_parent_ends(void **state)
{
	static const struct {
		how_to_end *end;
		int number;
		const char *operation;
	} cases[] = {
		{end_by_exit, 0, NULL},
		{end_by_exit, 0, "children"},
		{end_by_signal, SIGINT, "children"},
		{end_by_signal, SIGTERM, "children"},
		{end_by_signal, SIGHUP, "children"},
		{end_by_signal, SIGQUIT, "children"},
		{end_by_signal, SIGSEGV, "children"},
		{end_by_signal, SIGKILL, "children"},
	};
	int status;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		pid_t parent = start_parent(cases[i].operation, cases[i].end, cases[i].number);

		assert_int_equal(waitpid(parent, &status, 0), parent);
		if (cases[i].end == end_by_signal)
			assert_int_equal(WTERMSIG(status), cases[i].number);
		else
			assert_int_equal(status, 0);
		assert_none_outlived("its parent ended");
	}
	worker_close(open_fault()); /* nobody was left to remove their folders: this does */
}

/* A host that ignores the ends of its children, as some do. */
static void test_deaf_host(void **state)
{
	struct worker *w;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	w = open_fault();
	assert_result(invoke(w, "children"), WORKER_OK, "children");
	assert_result(invoke(w, "exit"), WORKER_CRASH, "exit");
	assert_int_equal(worker_report.exit_status, 3);
	worker_close(w);
	signal(SIGCHLD, SIG_DFL);
	assert_none_outlived("its host ignores SIGCHLD");
}

/* ---- a control group --------------------------------------------------------------------------------------------- */

/* Skips the test where workers have no group of their own. */
static void need_group(void)
{
	struct worker *w = open_fault();
	unsigned guards = worker_guards(w);

	worker_close(w);
	if (guards & GUARD_BIT(GUARD_GROUP))
		return;
	print_message("no control group (version 2) can be made here\n");
	skip();
}

/* Processes that fork faster than orphans are found are gone with their worker, and the next one starts. */
static void test_brood(void **state)
{
	struct worker *w;

	(void)state;
	need_group();
	w = open_fault();
	assert_result(invoke(w, "brood"), WORKER_OK, "brood");
	assert_result(invoke(w, "exit"), WORKER_CRASH, "exit");
	assert_alive(w, "brood");
	worker_close(w);
	assert_none_outlived("a brood");
}

static void test_brood_parent_killed(void **state)
{
	pid_t parent;
	int status;

	(void)state;
	need_group();
	parent = start_parent("brood", end_by_signal, SIGKILL);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_none_outlived("a brood, its parent was killed");
	worker_close(open_fault()); /* removes its folder */
}

/* Our only child. */
static pid_t find_supervisor(void)
{
	FILE *f = fopen("/proc/thread-self/children", "re");
	int pid = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	return pid;
}

static void test_supervisor_killed(void **state)
{
	struct worker *w;

	(void)state;
	need_group();
	w = open_fault();
	assert_result(invoke(w, "children"), WORKER_OK, "children");
	kill(find_supervisor(), SIGKILL);
	worker_close(w);
	assert_none_outlived("its supervisor was killed");
}

static void test_stays_in_group(void **state)
{
	char place[4096];
	struct worker *w;

	(void)state;
	need_group();
	groups_find(place, sizeof place);
	setenv("ASSAY_TEST_CGROUP", place, 1);
	w = open_fault();
	if (!(worker_guards(w) & GUARD_BIT(GUARD_FILES))) {
		worker_close(w);
		print_message("this kernel has no Landlock, without which a worker can leave its group\n");
		skip();
	}
	assert_result(invoke(w, "leave-group"), WORKER_OK, "another group");
	worker_close(w);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_normal_end),        TEST(test_worker_dies),    TEST(test_parent_ends),
		TEST(test_deaf_host),         TEST(test_brood),          TEST(test_brood_parent_killed),
		TEST(test_supervisor_killed), TEST(test_stays_in_group),
	};

	return cmocka_run_group_tests(tests, adopt, worker_group_teardown);
}
