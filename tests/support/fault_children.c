/* fault_children.c - processes that a worker leaves behind, for fault_worker. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "support/fault_worker.h"

#define LIFE_SECONDS 20 /* much longer than a test takes when all is well */
#define BREED_LIFE 0.02 /* seconds */
#define BREED_FIRST 100
#define BREED_RATE 400.0 /* births in a second: others use the machine as well */

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Says that it is where it wants to be, and stays. */
static _Noreturn void stay(int ready)
{
	time_t end = now() + LIFE_SECONDS;

	fault_put(ready, "x", 1);
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	while (now() < end)
		sleep(1);
	_exit(FAULT_OUTLIVED);
}

static void child_plain(int ready)
{
	stay(ready);
}

static void child_session(int ready)
{
	setsid();
	stay(ready);
}

static void child_daemon(int ready)
{
	setsid();
	if (!fork())
		stay(ready);
	_exit(0);
}

static void child_deaf(int ready)
{
	setsid();
	for (int i = 1; i < SIGRTMAX; i++)
		signal(i, SIG_IGN);
	stay(ready);
}

/* Takes orphans itself. */
static void child_reaper(int ready)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setsid();
	if (!fork())
		child_daemon(ready);
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	while (waitpid(-1, NULL, 0) > 0 || errno != ECHILD)
		;
	_exit(0);
}

/* Is never the same process for long. */
static void child_restless(int ready)
{
	time_t end = now() + LIFE_SECONDS;

	setsid();
	fault_put(ready, "x", 1);
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	while (now() < end)
		if (fork())
			_exit(0);
	_exit(FAULT_OUTLIVED);
}

/* ---- too many to follow ------------------------------------------------------------------------------------------ */

static struct {
	atomic_long births;
	double begin;
} * brood; /* shared by all of it */

/* Each forks as often as the brood may grow, for as long as it lives: while some are found and killed, those below them
 * have others. */
static _Noreturn void breed(void)
{
	double end = brood->begin + FAULT_BREED_SECONDS, dead = clock_now() + BREED_LIFE, now;

	while ((now = clock_now()) < end && now < dead) {
		if (atomic_fetch_add(&brood->births, 1) > BREED_FIRST + BREED_RATE * (now - brood->begin)) {
			atomic_fetch_sub(&brood->births, 1);
			nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
		} else if (!fork()) {
			setsid();
			dead = clock_now() + BREED_LIFE;
		}
	}
	_exit(now < end ? 0 : FAULT_OUTLIVED);
}

static void child_breeding(int ready)
{
	brood = mmap(NULL, sizeof *brood, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (brood == MAP_FAILED)
		_exit(1);
	brood->begin = clock_now();
	for (int i = 1; i < SIGRTMAX; i++)
		signal(i, SIG_IGN);
	fault_put(ready, "x", 1);
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	breed();
}

/* ---- starting them ----------------------------------------------------------------------------------------------- */

static int start_all(void (*const *kinds)(int), size_t n, struct err *e)
{
	int ends[2];
	char x;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(e, ERR_IO, "pipe: %s", strerror(errno));
	for (size_t i = 0; i < n; i++)
		if (!fork())
			kinds[i](ends[1]);
	for (size_t i = 0; i < n; i++)
		if (read(ends[0], &x, 1) != 1)
			return err_set(e, ERR_INTERNAL, "a child did not start");
	close(ends[0]);
	close(ends[1]);
	return 0;
}

int fault_start_children(struct err *e)
{
	static void (*const kinds[])(int) = {child_plain, child_session, child_daemon,
					     child_deaf,  child_reaper,  child_restless};

	return start_all(kinds, sizeof kinds / sizeof *kinds, e);
}

int fault_start_brood(struct err *e)
{
	return start_all((void (*const[])(int)){child_breeding}, 1, e);
}

/* Out of the control group, whose parent's folder is in the environment. */
int fault_leave_group(struct err *e)
{
	const char *place = getenv("ASSAY_TEST_CGROUP");
	uint64_t clone_args[11] = {UINT64_C(1) << 33, [4] = SIGCHLD};
	int folder = place ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int procs = folder < 0 ? -1 : openat(folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	long pid;

	if (folder < 0)
		return err_set(e, ERR_INPUT, "there is no folder '%s'", place ? place : "");
	if (procs >= 0)
		return err_set(e, ERR_INPUT, "it can be moved into another group");
	clone_args[10] = (uint64_t)folder;
	pid = syscall(SYS_clone3, clone_args, sizeof clone_args);
	if (!pid)
		_exit(0);
	close(folder);
	return pid < 0 && errno == ENOSYS ? 0 : err_set(e, ERR_INPUT, "a child can be born in another group");
}

int fault_signal_others(struct err *e)
{
	const pid_t others[] = {getppid(), -getppid(), -1};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!kill(others[i], 0) || errno != EPERM)
			return err_set(e, ERR_INPUT, "%ld can be sent signals", (long)others[i]);
	return kill(getpid(), 0) ? err_set(e, ERR_INPUT, "it cannot send itself signals") : 0;
}
