/* serve_fork.c - a worker that makes workers: the library is opened once, and each restart is a fork of that.
 *
 * Only a process without threads can be forked like this, so threads are counted each time.  The new process becomes a
 * child of the parent, not of us, so that the parent can wait for it.  See docs/protocol.md. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/child/serve.h"

enum { FROM_SOCKET, FROM_SHM, FROM_OUTPUT, FROM_COUNT };

struct order { /* for one more process */
	int fd[FROM_COUNT];
	char folder[PATH_MAX];
};

static int count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while (d && (entry = readdir(d)))
		n += entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

/* Where the C library keeps the number of its only thread: fork() would put the new one there. */
static int *tid_address(void)
{
	int *tid = NULL;

	return prctl(PR_GET_TID_ADDRESS, &tid, 0, 0, 0) ? NULL : tid;
}

int serve_can_fork(const struct server *s)
{
	int type = 0;
	socklen_t n = sizeof type;

	return s->control >= 0 && !getsockopt(s->control, SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_SEQPACKET &&
	       count_threads() == 1 && tid_address();
}

/* fork(), but the new process is a sibling. */
static pid_t fork_sibling(void)
{
	const unsigned long flags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
	int *tid = tid_address();

	fflush(NULL); /* what is buffered would be printed twice */
#if defined(__x86_64__)
	return (pid_t)syscall(SYS_clone, flags, NULL, NULL, tid, NULL);
#else
	return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, tid);
#endif
}

enum order_result { ORDER_END = -1 /* the parent will send no more */, ORDER_NONE, ORDER_CAME };

static enum order_result receive_order(int control, struct order *o)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof o->fd)];
	} more;
	struct iovec folder = {o->folder, sizeof o->folder - 1};
	struct msghdr m = {.msg_iov = &folder, .msg_iovlen = 1, .msg_control = &more, .msg_controllen = sizeof more};
	ssize_t n = recvmsg(control, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c;

	if (n <= 0)
		return n < 0 && errno == EINTR ? ORDER_NONE : ORDER_END;
	o->folder[n] = '\0';
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof o->fd))
		return ORDER_END;
	memcpy(o->fd, CMSG_DATA(c), sizeof o->fd);
	return ORDER_CAME;
}

/* The new process takes its place: descriptors, folder, shared memory. */
static int settle(struct server *s, const struct order *o, pid_t parent)
{
	const int to[] = {STDOUT_FILENO, STDERR_FILENO, MESSAGE_DESCRIPTORS};
	const int from[] = {o->fd[FROM_OUTPUT], o->fd[FROM_OUTPUT], o->fd[FROM_SOCKET]};
	struct err e = ERR_INIT;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return -1;
	for (size_t i = 0; i < sizeof to / sizeof *to; i++)
		if (dup2(from[i], to[i]) < 0)
			return -1;
	fcntl(MESSAGE_DESCRIPTORS, F_SETFD, FD_CLOEXEC);
	shm_release(&s->shm);
	if (dup3(o->fd[FROM_SHM], MESSAGE_DESCRIPTORS + 1, O_CLOEXEC) < 0 ||
	    shm_attach(&s->shm, MESSAGE_DESCRIPTORS + 1, &e))
		return -1;
	close(s->control);
	s->control = -1;
	return chdir(o->folder) || setenv("HOME", o->folder, 1) || setenv("TMPDIR", o->folder, 1) ? -1 : 0;
}

static void close_order(const struct order *o)
{
	for (int i = 0; i < FROM_COUNT; i++)
		close(o->fd[i]);
}

/* An order came.  0, or -1 when this process is to end. */
static int take_order(struct server *s)
{
	pid_t parent = getppid(), pid = -1;
	struct order o;
	enum order_result got = receive_order(s->control, &o);
	int rc = 0;

	if (got == ORDER_END) {
		close(s->control);
		s->control = -1;
	}
	if (got != ORDER_CAME)
		return 0;
	if (serve_can_fork(s) && !s->sessions.n)
		pid = fork_sibling();
	if (pid == 0)
		rc = settle(s, &o, parent);
	else if (send(s->control, &pid, sizeof pid, MSG_NOSIGNAL) < 0)
		rc = -1;
	close_order(&o);
	return rc;
}

int serve_await(struct server *s)
{
	while (s->control >= 0) {
		struct pollfd p[] = {{.fd = MESSAGE_DESCRIPTORS, .events = POLLIN},
				     {.fd = s->control, .events = POLLIN}};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return -1;
		if (p[0].revents)
			return 0;
		if (p[1].revents && take_order(s))
			return -1;
	}
	return 0;
}
