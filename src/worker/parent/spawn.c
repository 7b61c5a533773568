/* spawn.c - see spawn.h. */
#include "worker/parent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "worker/message.h"
#include "worker/parent/environment.h"
#include "worker/parent/groups.h"
#include "worker/parent/internal_spec.h"

#define OUTPUT_SIZE ((off_t)1 << 20) /* what is kept of one request's output */
#define LOWEST_DESCRIPTOR 16         /* above all that the supervisor gets, so that none is overwritten on the way */
#define FORK_SECONDS 5
#define MAX_WRITABLE 32 /* folders */
#define FIXED_ARGS 6    /* of the supervisor: all but folders and the worker's own */

/* ---- what the child needs ---------------------------------------------------------------------------------------- */

struct launch {
	struct arena arena;
	const char *folder;
	char place[PATH_MAX]; /* of control groups */
	char **args, **env;   /* of the supervisor */
	int null, socket;
};

static size_t length(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* The process works elsewhere: what names a file from here must go on naming it. */
static char *from_here(struct arena *a, const char *path, int is_program)
{
	char full[PATH_MAX];

	if (path[0] != '/' && (!is_program || strchr(path, '/')) && realpath(path, full))
		path = full;
	return arena_strdup(a, path);
}

/* ---- folders to write to ----------------------------------------------------------------------------------------- */

struct folder_list {
	char *at[MAX_WRITABLE];
	size_t n;
};

static int add_folder(struct arena *a, struct folder_list *l, const char *path, size_t n, struct err *e)
{
	if (l->n == MAX_WRITABLE)
		return err_set(e, ERR_LIMIT, "more than %d folders for a worker to write to", MAX_WRITABLE);
	l->at[l->n] = arena_printf(a, "%.*s", (int)n, path);
	return l->at[l->n++] ? 0 : err_nomem(e, "a worker", 0);
}

/* A folder, or the one that a file is in or will be. */
static int add_folder_of(struct arena *a, struct folder_list *l, const char *path, struct err *e)
{
	struct stat st;
	size_t n = strlen(path);

	if (*path != '/')
		return 0;
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		while (n > 1 && path[n] != '/')
			n--;
	return add_folder(a, l, path, n, e);
}

/* Its own, those that options name, those that the user allows. */
static int find_folders(struct launch *l, const struct process_order *o, struct folder_list *out, struct err *e)
{
	const char *more = getenv("ASSAY_WORKER_WRITABLE");
	int rc = add_folder(&l->arena, out, l->folder, strlen(l->folder), e);

	for (size_t i = 0; i < o->n_options && !rc; i++)
		rc = add_folder_of(&l->arena, out, o->options[i].value, e);
	while (more && *more && !rc) {
		size_t n = strcspn(more, ":");

		rc = n ? add_folder(&l->arena, out, more, n, e) : 0;
		more += n + (more[n] == ':');
	}
	return rc;
}

/* The supervisor, what it needs to know, and what it is to run: see worker/supervisor/supervisor.h. */
static int make_args(struct launch *l, const struct process_order *o, struct err *e)
{
	struct folder_list folders = {.n = 0};
	size_t n = length(o->args), at = 0;
	char *supervisor;
	int rc = find_folders(l, o, &folders, e);

	supervisor = rc ? NULL : spec_find_supervisor(e);
	if (!supervisor)
		return rc ? rc : ERR_IO;
	groups_find(l->place, sizeof l->place);
	l->args = arena_array(&l->arena, n + folders.n + FIXED_ARGS + 1, sizeof(char *));
	if (l->args) {
		l->args[at++] = arena_strdup(&l->arena, supervisor);
		l->args[at++] = arena_printf(&l->arena, "%ld", (long)getpid());
		l->args[at++] = l->place;
		l->args[at++] = arena_printf(&l->arena, "%zu", o->memory);
		l->args[at++] = arena_printf(&l->arena, "%zu", folders.n);
		for (size_t i = 0; i < folders.n; i++)
			l->args[at++] = folders.at[i];
		l->args[at++] = from_here(&l->arena, o->program, 1);
	}
	for (size_t i = 0; l->args && i < n; i++)
		l->args[at++] = from_here(&l->arena, o->args[i], 0);
	mem_free(supervisor);
	return length(l->args) == n + folders.n + FIXED_ARGS ? 0 : err_nomem(e, "a worker", 0);
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

/* A descriptor that no dup2 on the way to the supervisor will overwrite; fd is closed. */
static int move_up(int fd)
{
	int up = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return up;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_both(int ends[2])
{
	close_one(&ends[0]);
	close_one(&ends[1]);
}

/* Both ends of a socket; negative with errno on failure, the ends are -1 then. */
static int make_pair(int type, int ends[2])
{
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends)) {
		ends[0] = ends[1] = -1;
		return -1;
	}
	ends[0] = move_up(ends[0]);
	ends[1] = move_up(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	close_both(ends);
	return -1;
}

/* A file of fixed size: writing behind its end fails and nothing else happens. */
static int make_output(void)
{
	int fd = move_up(memfd_create("output", MFD_CLOEXEC | MFD_ALLOW_SEALING));

	if (fd >= 0 &&
	    (ftruncate(fd, OUTPUT_SIZE) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* What each process has of its own: folder (below `base`), shared memory, output and a socket, whose other end is
 * *theirs. */
static int make_own(struct process *p, const char *base, int *theirs, struct err *e)
{
	int ends[2], rc;

	*p = (struct process)PROCESS_INIT;
	rc = folder_make(&p->folder, base, e);
	if (!rc)
		rc = shm_create(&p->shm, e);
	if (rc)
		return rc;
	p->shm.fd = move_up(p->shm.fd);
	p->printed = make_output();
	if (p->shm.fd < 0 || p->printed < 0 || make_pair(SOCK_STREAM, ends))
		return err_set(e, ERR_IO, "cannot make what a worker needs: %s", strerror(errno));
	p->socket = ends[0];
	*theirs = ends[1];
	return 0;
}

static int launch(struct process *p, struct launch *l, const char *program, struct err *e)
{
	int control[2] = {-1, -1}, rc;

	_Static_assert(MESSAGE_DESCRIPTORS == 3, "they follow the three that every process has");
	l->null = move_up(open("/dev/null", O_RDONLY | O_CLOEXEC));
	if (l->null < 0 || make_pair(SOCK_SEQPACKET, control)) {
		rc = err_set(e, ERR_IO, "cannot start '%s': %s", program, strerror(errno));
	} else {
		const struct supervision_order o = {
			program,
			l->place,
			l->args,
			l->env,
			{l->null, p->printed, p->printed, l->socket, p->shm.fd, control[1]}};

		rc = supervision_start(&o, &p->supervision, &p->pid, e);
	}
	close_one(&control[1]);
	p->control = control[0];
	close_one(&l->null);
	return rc;
}

int process_start(struct process *p, const struct process_order *o, struct err *e)
{
	struct launch l = {.arena = ARENA_INIT, .null = -1, .socket = -1};
	int rc;

	folder_sweep();
	rc = make_own(p, NULL, &l.socket, e);
	if (!rc) {
		l.folder = p->folder.path;
		rc = make_args(&l, o, e);
		l.env = rc ? NULL : environment_make(&l.arena, o->env, l.folder);
		if (!rc && !l.env)
			rc = err_nomem(e, "a worker", 0);
		if (!rc)
			rc = launch(p, &l, o->program, e);
	}
	close_one(&l.socket);
	arena_release(&l.arena);
	if (rc)
		process_end(p);
	return rc;
}

/* ---- one more by fork -------------------------------------------------------------------------------------------- */

static int send_order(int control, const int fds[3], const char *folder)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(3 * sizeof(int))];
	} more = {.bytes = {0}};
	struct iovec path = {(char *)(uintptr_t)folder, strlen(folder)};
	struct msghdr m = {.msg_iov = &path, .msg_iovlen = 1, .msg_control = &more, .msg_controllen = sizeof more};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(3 * sizeof(int));
	memcpy(CMSG_DATA(c), fds, 3 * sizeof(int));
	return sendmsg(control, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -1 : 0;
}

/* The new process; 0 when there is none. */
static pid_t receive_pid(int control)
{
	struct pollfd p = {.fd = control, .events = POLLIN};
	pid_t pid;
	int ready;

	do
		ready = poll(&p, 1, (int)(clock_patience(FORK_SECONDS) * 1000));
	while (ready < 0 && errno == EINTR);
	if (ready <= 0 || recv(control, &pid, sizeof pid, MSG_DONTWAIT) != sizeof pid || pid <= 0)
		return 0;
	return pid;
}

int process_fork(const struct process *from, struct process *p, struct err *e)
{
	/* What can be written to is inherited and cannot be widened: so it is the folder of the first. */
	int theirs = -1, rc = make_own(p, from->folder.path, &theirs, e);

	if (!rc && !send_order(from->control, (int[]){theirs, p->shm.fd, p->printed}, p->folder.path))
		p->pid = receive_pid(from->control);
	close_one(&theirs);
	if (p->pid)
		p->supervision = supervision_join(from->supervision, p->pid);
	if (!rc && !p->supervision)
		rc = err_set(e, ERR_IO, "a worker cannot be forked");
	if (rc)
		process_end(p);
	return rc;
}

/* ---- watching and ending ----------------------------------------------------------------------------------------- */

int process_ended(const struct process *p, int *status)
{
	return supervision_ended(p->supervision, p->pid, 0, status);
}

int process_wait(const struct process *p, double seconds, int *status)
{
	double end = clock_now() + seconds, left = seconds;
	int ended;

	do {
		ended = supervision_ended(p->supervision, p->pid, 1 + (int)(left * 1000), status);
		left = end - clock_now();
	} while (!ended && left > 0);
	return ended;
}

void process_end(struct process *p)
{
	if (p->supervision)
		supervision_end(p->supervision, p->pid);
	close_one(&p->socket);
	close_one(&p->control);
	close_one(&p->printed);
	shm_release(&p->shm);
	folder_remove(&p->folder);
	*p = (struct process)PROCESS_INIT;
}

int process_ran_out(const struct process *p)
{
	return supervision_ran_out(p->supervision);
}

int process_takes_memory(const struct process *p, size_t limit)
{
	struct usage_tree t = supervision_tree(p->supervision, p->pid);

	return usage_memory(&t, limit) > limit;
}

int process_takes_disk(const struct process *p, size_t limit)
{
	struct usage_tree t = supervision_tree(p->supervision, p->pid);

	return usage_disk(&t, &p->folder) > limit;
}

double process_held_up(const struct process *p)
{
	return usage_held_up(p->pid);
}

void process_rewind_output(const struct process *p)
{
	lseek(p->printed, 0, SEEK_SET); /* parent and child share the position */
}

void process_output_tail(const struct process *p, char *out, size_t size)
{
	off_t end = p->printed < 0 ? 0 : lseek(p->printed, 0, SEEK_CUR);
	off_t start;
	ssize_t n = 0;

	if (end > OUTPUT_SIZE)
		end = OUTPUT_SIZE;
	start = end > (off_t)size - 1 ? end - ((off_t)size - 1) : 0;
	if (end > start)
		n = pread(p->printed, out, (size_t)(end - start), start);
	n = n < 0 ? 0 : n;
	out[n] = '\0';
	for (ssize_t i = 0; i < n; i++)
		out[i] = out[i] ? out[i] : ' ';
}
