/* fault_children.c - processes that a worker leaves behind, for fault_worker. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "support/fault_worker.h"

#define LIFE_SECONDS 20 /* much longer than a test takes when all is well */

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

int fault_start_children(struct err *e)
{
	static void (*const kinds[])(int) = {child_plain, child_session, child_daemon,
					     child_deaf,  child_reaper,  child_restless};
	size_t n = sizeof kinds / sizeof *kinds;
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

int fault_signal_others(struct err *e)
{
	const pid_t others[] = {getppid(), -getppid(), -1};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!kill(others[i], 0) || errno != EPERM)
			return err_set(e, ERR_INPUT, "%ld can be sent signals", (long)others[i]);
	return kill(getpid(), 0) ? err_set(e, ERR_INPUT, "it cannot send itself signals") : 0;
}
