/* main.c - the supervisor of one worker: see supervisor.h.
 *
 * The worker may fork others like itself (docs/protocol.md), so there can be more than one that assay knows of.  All
 * other children are strays: orphans that came to us when the worker's children ended. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/cgroup.h"
#include "worker/guards.h"
#include "worker/supervisor/children.h"
#include "worker/supervisor/enter.h"
#include "worker/supervisor/files.h"

#define MAX_KNOWN 8
#define ARGS_BEFORE_FOLDERS 5

struct supervisor {
	pid_t parent;
	pid_t known[MAX_KNOWN]; /* that live */
	size_t n;
	int ending;
	const char *place; /* where control groups are */
	size_t memory;     /* that one worker may take */
	struct cgroup group;
};

static void tell(enum supervisor_kind kind, pid_t pid, int status, int error)
{
	const struct supervisor_message m = {(int32_t)kind, pid, status, error, 0, 0};

	send(SUPERVISOR_SOCKET, &m, sizeof m, MSG_NOSIGNAL);
}

static int forget(struct supervisor *s, pid_t pid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->known[i] == pid) {
			s->known[i] = s->known[--s->n];
			return 1;
		}
	return 0;
}

/* ---- starting the worker ----------------------------------------------------------------------------------------- */

/* The parent's signals must not reach us; what remains of its descriptors would keep them open. */
static void leave_parent(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < SUPERVISOR_PASSED; fd++)
		if (fd > STDERR_FILENO || dup2(null, fd) < 0)
			close(fd);
	if (null > STDERR_FILENO)
		close(null);
	if (chdir("/"))
		return; /* then it stays where it is */
}

/* Waits until the child has become the program; STEP_OK and 0, or why not. */
static enum supervisor_step await_exec(int fd, int *error)
{
	int trouble[2];

	if (read(fd, trouble, sizeof trouble) != sizeof trouble)
		return STEP_OK; /* closed by exec; what dies before that is seen later */
	*error = trouble[1];
	return (enum supervisor_step)trouble[0];
}

/* What holds the worker, in the message that tells of its start. */
static void tell_started(const struct supervisor *s, pid_t pid, enum supervisor_step step, int error, unsigned guards)
{
	const struct supervisor_message m = {SUPERVISOR_STARTED, step ? 0 : pid, (int32_t)step, error,
					     s->group.number,    (int32_t)guards};

	send(SUPERVISOR_SOCKET, &m, sizeof m, MSG_NOSIGNAL);
}

/* A group that nobody could be put into is none. */
static unsigned find_guards(struct supervisor *s, unsigned limits)
{
	unsigned guards = GUARD_BIT(GUARD_CALLS) | GUARD_BIT(GUARD_ORPHANS);

	if (files_can_restrict())
		guards |= GUARD_BIT(GUARD_FILES);
	if (cgroup_is_used(&s->group))
		guards |= GUARD_BIT(GUARD_GROUP) | limits;
	else
		cgroup_end(&s->group);
	return guards;
}

static void start_worker(struct supervisor *s, const struct enter_order *o)
{
	enum supervisor_step step = STEP_FORK;
	pid_t self = getpid(), pid = -1;
	int ends[2], error = 0;
	unsigned limits, guards;

	cgroup_make(&s->group, s->place);
	limits = cgroup_limit(&s->group, s->memory);
	if (!pipe2(ends, O_CLOEXEC))
		pid = cgroup_fork(&s->group);
	if (pid == 0) {
		int trouble[2] = {(int)enter_worker(self, o), errno};

		_exit(write(ends[1], trouble, sizeof trouble) < 0 ? 126 : 127);
	}
	error = errno;
	if (pid > 0) {
		close(ends[1]);
		step = await_exec(ends[0], &error);
		close(ends[0]);
		s->known[s->n++] = pid;
	}
	guards = find_guards(s, limits);
	leave_parent();
	tell_started(s, pid, step, error, guards);
	cgroup_sweep(s->place); /* while the worker opens its library */
}

/* ---- what comes -------------------------------------------------------------------------------------------------- */

static void reap(struct supervisor *s)
{
	siginfo_t i = {.si_pid = 0};

	while (!waitid(P_ALL, 0, &i, WEXITED | WNOHANG | __WALL) && i.si_pid) {
		int status = i.si_code == CLD_EXITED ? (i.si_status & 0xff) << 8 : i.si_status & 0x7f;

		if (forget(s, i.si_pid))
			tell(SUPERVISOR_DIED, i.si_pid, status, 0);
		i.si_pid = 0;
	}
}

static void watch(struct supervisor *s, pid_t pid)
{
	siginfo_t i;
	int ours = s->n < MAX_KNOWN && pid > 0 && !waitid(P_PID, (id_t)pid, &i, WEXITED | WNOHANG | WNOWAIT | __WALL);

	if (ours) {
		s->known[s->n++] = pid;
		cgroup_limit(&s->group, s->memory); /* it is in the same group as the one that forked it */
	}
	tell(SUPERVISOR_WATCH, ours ? pid : 0, 0, 0);
}

static void take_order(struct supervisor *s)
{
	struct supervisor_message m;
	ssize_t n = recv(SUPERVISOR_SOCKET, &m, sizeof m, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != sizeof m) {
		s->ending = 1;
	} else if (m.kind == SUPERVISOR_WATCH) {
		watch(s, m.pid);
	} else if (m.kind == SUPERVISOR_END) {
		forget(s, m.pid);
		cgroup_kill(&s->group, s->known, s->n);
		children_end(s->known, s->n);
		tell(SUPERVISOR_END, m.pid, 0, 0);
	}
}

/* A descriptor on which a child's end and assay's end can be read; all other signals wait for ever. */
static int take_signals(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t all, heard;

	sigaction(SIGCHLD, &plain, NULL); /* ignored, as it may be in assay, it would take our children's ends */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&heard);
	sigaddset(&heard, SIGCHLD);
	sigaddset(&heard, SIGTERM);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	return signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What a signal means is looked up anyway: SIGTERM comes when the thread ends that started us, which may not be the end
 * of assay. */
static void hear(int fd)
{
	struct signalfd_siginfo heard;

	while (read(fd, &heard, sizeof heard) == sizeof heard)
		;
}

int main(int argc, char **argv)
{
	struct enter_order o = {argv + ARGS_BEFORE_FOLDERS, argc > 4 ? strtoul(argv[4], NULL, 10) : 0, NULL};
	struct supervisor s = {.ending = 0};
	int signals = take_signals();

	if (!o.n_folders || o.n_folders > (size_t)argc || (size_t)argc < ARGS_BEFORE_FOLDERS + o.n_folders + 1 ||
	    signals < 0 || fcntl(SUPERVISOR_SOCKET, F_SETFD, FD_CLOEXEC) || prctl(PR_SET_CHILD_SUBREAPER, 1))
		return 2;
	s.parent = (pid_t)strtol(argv[1], NULL, 10);
	s.place = argv[2];
	s.memory = strtoul(argv[3], NULL, 10);
	setsid();
	prctl(PR_SET_DUMPABLE, 0);
	o.program = argv + ARGS_BEFORE_FOLDERS + o.n_folders;
	start_worker(&s, &o);
	while (!s.ending && getppid() == s.parent) {
		struct pollfd p[] = {{.fd = SUPERVISOR_SOCKET, .events = POLLIN}, {.fd = signals, .events = POLLIN}};

		poll(p, 2, -1);
		hear(signals);
		reap(&s);
		if (p[0].revents)
			take_order(&s);
	}
	cgroup_kill(&s.group, NULL, 0);
	children_end(NULL, 0);
	cgroup_end(&s.group);
	_exit(0);
}
