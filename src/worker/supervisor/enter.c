/* enter.c - see enter.h. */
#include "worker/supervisor/enter.h"

#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/supervisor/calls.h"
#include "worker/supervisor/files.h"

#define LARGEST_FILE ((rlim_t)64 << 30)

static void reset_signals(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
	sigset_t none;

	for (int i = 1; i < SIGRTMAX; i++)
		sigaction(i, &plain, NULL);
	sigaction(SIGXFSZ, &ignored, NULL); /* a write that is too large fails; that is enough */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

enum supervisor_step enter_worker(pid_t supervisor, const struct enter_order *o)
{
	const struct rlimit no_core = {0, 0}, file = {LARGEST_FILE, LARGEST_FILE};

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != supervisor) { /* it died before we asked to die with it */
		errno = ECHILD;
		return STEP_FORK;
	}
	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_FSIZE, &file);
	reset_signals();
	syscall(SYS_close_range, SUPERVISOR_PASSED, ~0U, CLOSE_RANGE_CLOEXEC);
	if (chdir(o->folders[0]))
		return STEP_FOLDER;
	if (files_restrict(o->folders, o->n_folders))
		return STEP_FILES;
	if (calls_restrict(supervisor))
		return STEP_CALLS;
	execvp(o->program[0], o->program);
	return STEP_EXEC;
}
