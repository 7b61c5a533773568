/* supervision.c - see supervision.h.  Between fork and exec only system calls are made, with all they need prepared
 * before. */
#include "worker/parent/supervision.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "worker/cgroup.h"

#define MAX_WORKERS 8 /* of one supervisor: there are two */

struct supervision {
	pid_t pid;
	int socket;
	pid_t workers[MAX_WORKERS]; /* the one that was asked about last is the last */
	int users;
	int gone; /* it ended, which it never does by itself: somebody killed it */
	struct {
		pid_t pid;
		int status;
	} dead[MAX_WORKERS]; /* workers that ended by themselves */
	size_t n;
	struct cgroup group; /* the supervisor's to remove while it lives */
	unsigned guards;
	unsigned long ooms; /* that are known */
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void note_dead(struct supervision *s, const struct supervisor_message *m)
{
	if (s->n == MAX_WORKERS)
		memmove(s->dead, s->dead + 1, --s->n * sizeof *s->dead);
	s->dead[s->n].pid = m->pid;
	s->dead[s->n++].status = m->status;
}

/* The next message that is no news of a death, within a time; those are noted.  0: none came. */
static int receive(struct supervision *s, int milliseconds, struct supervisor_message *m)
{
	while (!s->gone) {
		struct pollfd p = {.fd = s->socket, .events = POLLIN};
		int ready = poll(&p, 1, milliseconds);
		ssize_t n;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return 0;
		n = recv(s->socket, m, sizeof *m, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n != sizeof *m) {
			s->gone = 1;
		} else if (m->kind == SUPERVISOR_DIED) {
			note_dead(s, m);
			return 0;
		} else {
			return 1;
		}
	}
	return 0;
}

/* Sends an order and waits until it was carried out: the pid that comes back, 0 for none. */
static pid_t ask(struct supervision *s, enum supervisor_kind kind, pid_t pid)
{
	struct supervisor_message m = {.kind = (int32_t)kind, .pid = pid};

	if (send(s->socket, &m, sizeof m, MSG_NOSIGNAL) != sizeof m)
		return 0;
	while (!s->gone)
		if (receive(s, -1, &m) && m.kind == (int32_t)kind)
			return m.pid;
	return 0;
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static _Noreturn void run_child(const struct supervision_order *o, int socket)
{
	struct supervisor_message m = {.kind = SUPERVISOR_STARTED, .status = STEP_SUPERVISOR};
	int placed = 1;

	for (int i = 0; i < SUPERVISOR_PASSED && placed; i++)
		placed = dup2(o->fds[i], i) == i;
	if (placed && dup2(socket, SUPERVISOR_SOCKET) == SUPERVISOR_SOCKET) {
		/* Whatever else the program that uses us has open is not the worker's business. */
		syscall(SYS_close_range, SUPERVISOR_SOCKET + 1, ~0U, CLOSE_RANGE_CLOEXEC);
		execve(o->args[0], o->args, o->env);
	}
	m.error = errno;
	send(socket, &m, sizeof m, MSG_NOSIGNAL);
	_exit(127);
}

static const char *step_text(int step)
{
	static const char *const texts[] = {
#define X(id, text) [id] = text,
		SUPERVISOR_STEP_MAP(X)
#undef X
	};

	return step > 0 && step < STEP_COUNT ? texts[step] : "its supervisor died";
}

static void release(struct supervision *s)
{
	int status = -1;

	if (s->socket >= 0)
		close(s->socket);
	if (s->pid > 0)
		while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
			;
	if (status) /* somebody killed it: what it held is ours to end */
		cgroup_end(&s->group);
	mem_free(s);
}

/* A pair of sockets, ours and one above all that is passed on. */
static int make_sockets(struct supervision *s, int *theirs)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	s->socket = ends[0];
	*theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, SUPERVISOR_SOCKET + 1);
	close(ends[1]);
	return *theirs < 0 ? -1 : 0;
}

int supervision_start(const struct supervision_order *o, struct supervision **out, pid_t *worker, struct err *e)
{
	struct supervision *s = mem_zalloc(sizeof *s);
	struct supervisor_message m = {0};
	int theirs = -1, rc = 0;

	if (!s)
		return err_nomem(e, "a supervisor", sizeof *s);
	s->socket = -1;
	s->users = 1;
	if (!make_sockets(s, &theirs)) {
		s->pid = fork();
		if (s->pid == 0)
			run_child(o, theirs);
	} else {
		s->pid = -1;
	}
	if (s->pid < 0)
		rc = err_set(e, ERR_IO, "cannot start '%s': %s", o->program, strerror(errno));
	if (theirs >= 0)
		close(theirs);
	if (!rc && (!receive(s, -1, &m) || !m.pid))
		rc = err_set(e, ERR_IO, "cannot start '%s': %s: %s", o->program, step_text(m.status),
			     strerror(m.error));
	if (rc) {
		release(s);
		return rc;
	}
	cgroup_name(&s->group, o->place, s->pid, m.group);
	s->guards = (unsigned)m.guards;
	*worker = s->workers[0] = m.pid;
	*out = s;
	return 0;
}

struct supervision *supervision_join(struct supervision *s, pid_t forked)
{
	if (s->users == MAX_WORKERS || ask(s, SUPERVISOR_WATCH, forked) != forked)
		return NULL;
	s->workers[s->users++] = forked;
	return s;
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

static int is_dead(const struct supervision *s, pid_t worker, int *status)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->dead[i].pid == worker) {
			*status = s->dead[i].status;
			return 1;
		}
	*status = SIGKILL;
	return s->gone;
}

int supervision_ended(struct supervision *s, pid_t worker, int milliseconds, int *status)
{
	struct supervisor_message m;

	if (!is_dead(s, worker, status))
		receive(s, milliseconds, &m);
	return is_dead(s, worker, status);
}

unsigned supervision_guards(const struct supervision *s)
{
	return s->guards;
}

int supervision_ran_out(struct supervision *s)
{
	unsigned long before = s->ooms;

	s->ooms = cgroup_ooms(&s->group);
	return s->ooms > before;
}

/* Makes a worker the last of the list. */
static void put_last(struct supervision *s, pid_t worker)
{
	for (int i = 0; i < s->users; i++)
		if (s->workers[i] == worker) {
			s->workers[i] = s->workers[s->users - 1];
			s->workers[s->users - 1] = worker;
		}
}

struct usage_tree supervision_tree(struct supervision *s, pid_t worker)
{
	put_last(s, worker);
	return (struct usage_tree){s->pid, s->workers, (size_t)s->users - 1};
}

void supervision_end(struct supervision *s, pid_t worker)
{
	put_last(s, worker);
	if (--s->users == 0) {
		release(s);
		return;
	}
	ask(s, SUPERVISOR_END, worker);
	for (size_t i = 0; i < s->n; i++)
		if (s->dead[i].pid == worker) /* the number may come again */
			s->dead[i] = s->dead[--s->n];
}
