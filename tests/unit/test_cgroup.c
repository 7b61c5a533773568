/* test_cgroup.c - control groups: where they are found, what is written into their files, and one of this machine's.
 *
 * Files are those of a plain folder, so that memory and processes are tested where no controller is delegated: what is
 * written, not what the kernel makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "worker/cgroup.h"
#include "worker/guards.h"
#include "worker/parent/groups.h"

static char folder[] = "/tmp/test-cgroup-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4096];

	assert_true(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
	return path;
}

static void write_file(const char *name, const char *text)
{
	struct err e = ERR_INIT;

	assert_int_equal(buf_write_file(text, strlen(text), path_of(name), &e), 0);
}

static void assert_file(const char *name, const char *text)
{
	FILE *f = fopen(path_of(name), "re");
	char got[256];
	size_t n;

	assert_non_null(f);
	n = fread(got, 1, sizeof got - 1, f);
	got[n] = '\0';
	fclose(f);
	assert_string_equal(got, text);
}

static int setup(void **state)
{
	(void)state;
	memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	static const char *const files[] = {"mounts",          "own",
					    "cgroup.procs",    "cgroup.kill",
					    "memory.max",      "memory.current",
					    "memory.swap.max", "memory.oom.group",
					    "memory.events",   "pids.max",
					    "cgroup.freeze"};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlink(path_of(files[i]));
	return rmdir(folder);
}

/* ---- where it is ------------------------------------------------------------------------------------------------- */

static void assert_found(const char *mounts, const char *own, const char *wanted)
{
	char mounts_path[4096], got[128];

	write_file("mounts", mounts);
	write_file("own", own);
	snprintf(mounts_path, sizeof mounts_path, "%s", path_of("mounts"));
	groups_find_in(mounts_path, path_of("own"), got, sizeof got);
	assert_string_equal(got, wanted);
}

#define V1 "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
#define V2 "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n"

static void test_find(void **state)
{
	char line[20000];

	(void)state;
	assert_found(V1 V2, "4:memory:/a\n0::/\n", "/sys/fs/cgroup/unified");
	assert_found(V1 V2, "4:memory:/a\n0::/user.slice/x.scope\n", "/sys/fs/cgroup/unified/user.slice/x.scope");
	assert_found("1 2 0:3 / /a\\040b rw - cgroup2 none rw\n", "0::/c d", "/a b/c d");
	assert_found("1 2 0:3 /user.slice /mnt rw - cgroup2 none rw\n", "0::/user.slice/x\n", "/mnt/x");
	assert_found("1 2 0:3 /user.slice /mnt rw - cgroup2 none rw\n", "0::/user.slice\n", "/mnt");
	assert_found("1 2 0:3 /other /mnt rw - cgroup2 none rw\n" V2, "0::/x\n", "/sys/fs/cgroup/unified/x");
	assert_found("1 2 0:3 /user /mnt rw - cgroup2 none rw\n", "0::/user.slice\n", "");
	assert_found(V1, "0::/\n", "");                /* not mounted */
	assert_found(V2, "4:memory:/a\n", "");         /* a kernel without */
	assert_found(V2, "0::/../elsewhere\n", "");    /* outside of the namespace */
	assert_found("1 2 - cgroup2 x\n", "0::/", ""); /* no such lines are written */
	assert_found("", "", "");
	memset(line, 'x', sizeof line);
	memcpy(line, "1 2 0:3 / /over rw - overlay o rw,", 34);
	memcpy(line + 12288, " - cgroup2 ", 11); /* behind what is read of a line */
	memcpy(line + sizeof line - sizeof V2, "\n" V2, sizeof V2);
	line[sizeof line - 1] = '\0';
	assert_found(line, "0::/\n", "/sys/fs/cgroup/unified");
	assert_found(V2,
		     "0::/0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
		     "890123456789012345678901234567890123456789\n",
		     ""); /* longer than its room */
}

static void test_given(void **state)
{
	char got[64];

	(void)state;
	setenv("ASSAY_WORKER_CGROUP", "/some/where", 1);
	groups_find(got, sizeof got);
	assert_string_equal(got, "/some/where");
	setenv("ASSAY_WORKER_CGROUP", "none", 1);
	groups_find(got, sizeof got);
	assert_string_equal(got, "");
	unsetenv("ASSAY_WORKER_CGROUP");
}

/* ---- its files --------------------------------------------------------------------------------------------------- */

static struct cgroup plain_group(void)
{
	struct cgroup g = {.number = 1, .folder = -1};

	snprintf(g.path, sizeof g.path, "%s", folder);
	return g;
}

static void test_limits(void **state)
{
	struct cgroup g = plain_group(), none = {.number = 0, .folder = -1};

	(void)state;
	assert_int_equal(cgroup_limit(&g, 1000), 0); /* no controller, and no file is made */
	assert_int_equal(access(path_of("memory.max"), F_OK), -1);
	write_file("memory.max", "max\n");
	write_file("memory.swap.max", "max\n");
	write_file("memory.oom.group", "0\n");
	assert_int_equal(cgroup_limit(&g, (size_t)1 << 30), GUARD_BIT(GUARD_MEMORY));
	assert_file("memory.max", "1140850688"); /* 64 MiB more */
	assert_file("memory.swap.max", "0");
	assert_file("memory.oom.group", "1");
	write_file("pids.max", "max\n");
	write_file("memory.current", "1048576\n"); /* as taken by one that has forked another */
	assert_int_equal(cgroup_limit(&g, (size_t)1 << 30), GUARD_BIT(GUARD_MEMORY) | GUARD_BIT(GUARD_TASKS));
	assert_file("memory.max", "1141899264");
	assert_file("pids.max", "8192");
	assert_int_equal(cgroup_limit(&g, SIZE_MAX - 1), GUARD_BIT(GUARD_MEMORY) | GUARD_BIT(GUARD_TASKS));
	assert_file("memory.max", "18446744073709551615");
	assert_int_equal(cgroup_limit(&none, 1000), 0);
}

static void test_ooms(void **state)
{
	struct cgroup g = plain_group();

	(void)state;
	assert_int_equal(cgroup_ooms(&g), 0);
	write_file("memory.events", "low 0\nhigh 0\nmax 17\noom 2\noom_kill 3\noom_group_kill 1\n");
	assert_int_equal(cgroup_ooms(&g), 3);
	write_file("memory.events", "low 0\noom_kill_not 3\n");
	assert_int_equal(cgroup_ooms(&g), 0);
}

/* A process that waits for ever. */
static pid_t start_child(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void test_kill(void **state)
{
	struct cgroup g = plain_group();
	pid_t one = start_child(), other = start_child();
	char text[64];
	int status;

	(void)state;
	assert_false(cgroup_is_used(&g));
	snprintf(text, sizeof text, "0\n%ld\n%ld\n", (long)one, (long)other);
	write_file("cgroup.procs", text);
	assert_true(cgroup_is_used(&g));
	write_file("cgroup.kill", "");
	cgroup_kill(&g, NULL, 0);
	assert_file("cgroup.kill", "1"); /* the kernel's part */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
	write_file("cgroup.freeze", "");
	snprintf(text, sizeof text, "%ld\n", (long)other); /* this list never gets shorter, and yet it ends */
	write_file("cgroup.procs", text);
	cgroup_kill(&g, &one, 1);
	assert_file("cgroup.freeze", "0");
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	unlink(path_of("cgroup.kill")); /* an older kernel */
	snprintf(text, sizeof text, "%ld\n", (long)one);
	write_file("cgroup.procs", text);
	cgroup_kill(&g, NULL, 0);
	assert_int_equal(waitpid(one, &status, 0), one);
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* A leader of a session (0), a child of it there (1), and one in a session of its own (2); each tells its number. */
static void start_family(pid_t pids[3])
{
	pid_t told[2] = {0};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	pids[0] = fork();
	assert_true(pids[0] >= 0);
	if (!pids[0]) {
		setsid();
		if (!fork()) {
			told[0] = 1;
		} else if (!fork()) {
			told[0] = 2;
			setsid();
		}
		told[1] = getpid();
		if (write(ends[1], told, sizeof told) != sizeof told)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(read(ends[0], told, sizeof told), sizeof told);
		pids[told[0]] = told[1];
	}
	close(ends[0]);
}

/* A worker that lives keeps what it started in its session, as the process that has a rewriter's library open. */
static void test_kill_spares_session(void **state)
{
	struct cgroup g = plain_group();
	pid_t pids[3];
	char text[96];
	int status;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	start_family(pids);
	snprintf(text, sizeof text, "%ld\n%ld\n%ld\n", (long)pids[0], (long)pids[1], (long)pids[2]);
	write_file("cgroup.procs", text);
	write_file("cgroup.freeze", "");
	cgroup_kill(&g, pids, 1);
	kill(pids[0], SIGKILL); /* its children come to this process */
	assert_int_equal(waitpid(pids[0], NULL, 0), pids[0]);
	assert_int_equal(waitpid(pids[2], &status, 0), pids[2]);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(waitpid(pids[1], NULL, WNOHANG), 0); /* it lives */
	kill(pids[1], SIGTERM);
	assert_int_equal(waitpid(pids[1], &status, 0), pids[1]);
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* A folder in which no groups can be made is left as it was. */
static void test_no_place(void **state)
{
	struct cgroup g;
	pid_t pid;

	(void)state;
	cgroup_make(&g, folder); /* teardown sees that nothing is there */
	assert_int_equal(g.number, 0);
	assert_int_equal(g.folder, -1);
	cgroup_make(&g, "/nonexistent");
	assert_int_equal(g.number, 0);
	cgroup_make(&g, "");
	assert_int_equal(g.number, 0);
	pid = cgroup_fork(&g);
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(cgroup_is_used(&g));
	cgroup_kill(&g, NULL, 0);
	cgroup_end(&g);
	cgroup_sweep(folder);
	cgroup_sweep("/nonexistent");
	cgroup_sweep("");
}

/* ---- one of this machine's --------------------------------------------------------------------------------------- */

static void make_group(struct cgroup *g, char *place, size_t size)
{
	groups_find(place, size);
	cgroup_make(g, place);
	if (!g->number) {
		print_message("no control group (version 2) can be made here\n");
		skip();
	}
}

static void test_group(void **state)
{
	char place[4096];
	struct cgroup g, second;
	pid_t pid;
	int status;

	(void)state;
	make_group(&g, place, sizeof place);
	assert_int_equal(g.number, 1);
	cgroup_make(&second, place);
	assert_int_equal(second.number, 2);
	assert_false(cgroup_is_used(&g));
	pid = cgroup_fork(&g);
	assert_true(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	cgroup_sweep(place); /* ours are not left behind */
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	assert_int_equal(access(second.path, F_OK), 0);
	cgroup_end(&second);
	cgroup_end(&g);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(access(g.path, F_OK), -1);
	assert_int_equal(g.number, 0);
	assert_int_equal(g.folder, -1);
}

/* What a supervisor does that is killed right after its worker has started. */
static _Noreturn void leave_group_behind(const char *place)
{
	char below[PATH_MAX + 8], x;
	struct cgroup g;
	int ends[2];

	cgroup_make(&g, place);
	snprintf(below, sizeof below, "%s/below", g.path);
	if (!g.number || mkdir(below, 0700) || pipe2(ends, O_CLOEXEC))
		_exit(1);
	if (!cgroup_fork(&g)) {
		close(g.folder); /* as exec does */
		x = write(ends[1], "x", 1) == 1;
		while (x)
			pause();
		_exit(1);
	}
	if (read(ends[0], &x, 1) == 1)
		raise(SIGKILL);
	_exit(1);
}

/* A supervisor that was killed, and assay with it: what it left is ended by the next one, and groups in it as well. */
static void test_left_behind(void **state)
{
	char place[4096];
	struct cgroup g;
	pid_t pid;
	int status;

	(void)state;
	make_group(&g, place, sizeof place);
	cgroup_end(&g);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		leave_group_behind(place);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	cgroup_name(&g, place, pid, 1);
	assert_int_equal(access(g.path, F_OK), 0);
	cgroup_sweep(place);
	assert_int_equal(access(g.path, F_OK), -1);
	assert_true(waitpid(-1, &status, 0) > 0); /* the one that was in it */
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_find),     TEST(test_given), TEST(test_limits),
		TEST(test_ooms),     TEST(test_kill),  TEST(test_kill_spares_session),
		TEST(test_no_place), TEST(test_group), TEST(test_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
