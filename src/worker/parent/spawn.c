/* spawn.c - see spawn.h.  Between fork and exec only system calls are made, with all they need prepared before. */
#include "worker/parent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "worker/message.h"
#include "worker/parent/network.h"

#define OUTPUT_SIZE ((off_t)1 << 20) /* what is kept of one request's output */
#define LOWEST_DESCRIPTOR 16         /* above all that the child gets, so that none is overwritten on the way */
#define FORK_MILLISECONDS 5000
#define LARGEST_FILE ((rlim_t)64 << 30)

extern char **environ;

/* ---- what the child needs ---------------------------------------------------------------------------------------- */

enum spawn_step { STEP_OK, STEP_FOLDER, STEP_DESCRIPTORS, STEP_NETWORK, STEP_EXEC };

static const char *const step_text[] = {
	[STEP_FOLDER] = "cannot enter its folder",
	[STEP_DESCRIPTORS] = "cannot pass it descriptors",
	[STEP_NETWORK] = "cannot cut it from the network",
	[STEP_EXEC] = "cannot run it",
};

struct launch {
	struct arena arena;
	const char *program, *folder;
	char **args, **env;
	int null, socket, shm, output, control, report; /* descriptors; `report` is closed by exec */
	pid_t parent;
};

struct trouble {
	enum spawn_step step;
	int error;
};

static const char *const own_env[] = {"HOME", "TMPDIR"}; /* its folder */
/* One thread and one order of everything, unless somebody wants it otherwise. */
static const char *const default_env[] = {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1",
					  "PYTHONHASHSEED=0"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static size_t length(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* Adds "NAME=VALUE" unless the name is there already. */
static void add_variable(char **env, size_t *n, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1;

	for (size_t i = 0; i < *n; i++)
		if (!strncmp(env[i], entry, name))
			return;
	env[(*n)++] = (char *)(uintptr_t)entry;
}

static int make_env(struct launch *l, char *const *more)
{
	size_t n = 0;

	l->env = arena_array(&l->arena, COUNT(own_env) + length(more) + length(environ) + COUNT(default_env) + 1,
			     sizeof(char *));
	if (!l->env)
		return ERR_MEMORY;
	for (size_t i = 0; i < COUNT(own_env); i++) {
		const char *entry = arena_printf(&l->arena, "%s=%s", own_env[i], l->folder);

		if (!entry)
			return ERR_MEMORY;
		add_variable(l->env, &n, entry);
	}
	for (char *const *e = more; e && *e; e++)
		add_variable(l->env, &n, *e);
	for (char **e = environ; *e; e++)
		add_variable(l->env, &n, *e);
	for (size_t i = 0; i < COUNT(default_env); i++)
		add_variable(l->env, &n, default_env[i]);
	return 0;
}

/* The process works elsewhere: what names a file from here must go on naming it. */
static char *from_here(struct arena *a, const char *path, int is_program)
{
	char full[PATH_MAX];

	if (path[0] != '/' && (!is_program || strchr(path, '/')) && realpath(path, full))
		path = full;
	return arena_strdup(a, path);
}

static int make_args(struct launch *l, const char *program, char *const *args)
{
	size_t n = length(args);

	l->args = arena_array(&l->arena, n + 2, sizeof(char *));
	if (!l->args)
		return ERR_MEMORY;
	l->program = l->args[0] = from_here(&l->arena, program, 1);
	for (size_t i = 0; i < n; i++) {
		l->args[i + 1] = from_here(&l->arena, args[i], 0);
		if (!l->args[i + 1])
			return ERR_MEMORY;
	}
	return l->program ? 0 : ERR_MEMORY;
}

/* ---- the child, until exec --------------------------------------------------------------------------------------- */

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

static enum spawn_step place_descriptors(const struct launch *l)
{
	const int from[] = {l->null, l->output, l->output, l->socket, l->shm, l->control};

	_Static_assert(MESSAGE_DESCRIPTORS == 3, "they follow the three that every process has");
	for (int i = 0; i < (int)COUNT(from); i++)
		if (dup2(from[i], i) < 0)
			return STEP_DESCRIPTORS;
	/* Whatever else the program that uses us has open is not the worker's business. */
	syscall(SYS_close_range, COUNT(from), ~0U, CLOSE_RANGE_CLOEXEC);
	return STEP_OK;
}

static enum spawn_step prepare(const struct launch *l)
{
	const struct rlimit no_core = {0, 0}, file = {LARGEST_FILE, LARGEST_FILE};

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != l->parent) /* it died before we asked to die with it */
		_exit(127);
	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_FSIZE, &file);
	reset_signals();
	if (chdir(l->folder))
		return STEP_FOLDER;
	if (place_descriptors(l))
		return STEP_DESCRIPTORS;
	return network_cut() ? STEP_NETWORK : STEP_OK;
}

static _Noreturn void run_child(const struct launch *l)
{
	struct trouble t = {.step = prepare(l)};

	if (!t.step) {
		execvpe(l->program, l->args, l->env);
		t.step = STEP_EXEC;
	}
	t.error = errno;
	if (write(l->report, &t, sizeof t) < 0)
		_exit(126);
	_exit(127);
}

/* ---- the parent -------------------------------------------------------------------------------------------------- */

/* A descriptor that no dup2 of the child will overwrite; fd is closed. */
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

/* Both ends of a socket, or of a pipe when type is 0; negative with errno on failure, the ends are -1 then. */
static int make_pair(int type, int ends[2])
{
	if (type ? socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) : pipe2(ends, O_CLOEXEC)) {
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

/* Waits until the child has become the program, or says why it did not. */
static int await_exec(int fd, const char *program, struct err *e)
{
	struct trouble t;
	ssize_t n;

	do
		n = read(fd, &t, sizeof t);
	while (n < 0 && errno == EINTR);
	if (n != sizeof t || t.step <= STEP_OK || t.step > STEP_EXEC)
		return 0; /* closed by exec; what dies before that is seen later */
	return err_set(e, ERR_IO, "cannot start '%s': %s: %s", program, step_text[t.step], strerror(t.error));
}

/* What each process has of its own: folder, shared memory, output and a socket, whose other end is *theirs. */
static int make_own(struct process *p, int *theirs, struct err *e)
{
	int ends[2], rc;

	*p = (struct process)PROCESS_INIT;
	rc = folder_make(&p->folder, e);
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

static int launch(struct process *p, struct launch *l, struct err *e)
{
	int control[2] = {-1, -1}, report[2] = {-1, -1}, rc = 0;

	l->null = move_up(open("/dev/null", O_RDONLY | O_CLOEXEC));
	if (l->null >= 0 && !make_pair(SOCK_SEQPACKET, control) && !make_pair(0, report)) {
		l->shm = p->shm.fd;
		l->output = p->printed;
		l->control = control[1];
		l->report = report[1];
		l->parent = getpid();
		p->pid = fork();
		if (p->pid == 0)
			run_child(l);
	} else {
		p->pid = -1;
	}
	if (p->pid < 0) {
		p->pid = 0;
		rc = err_set(e, ERR_IO, "cannot start '%s': %s", l->program, strerror(errno));
		close_one(&control[0]);
	}
	close_one(&report[1]);
	close_one(&control[1]);
	p->control = control[0];
	if (!rc)
		rc = await_exec(report[0], l->program, e);
	close_one(&report[0]);
	close_one(&l->null);
	return rc;
}

int process_start(struct process *p, const char *program, char *const *args, char *const *env, struct err *e)
{
	struct launch l = {.arena = ARENA_INIT, .socket = -1};
	int rc;

	folder_sweep();
	rc = make_own(p, &l.socket, e);

	if (!rc) {
		l.folder = p->folder.path;
		if (make_args(&l, program, args) || make_env(&l, env))
			rc = err_nomem(e, "a worker", 0);
		else
			rc = launch(p, &l, e);
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

/* The new process, which must be a child of ours; 0 when there is none. */
static pid_t receive_pid(int control)
{
	struct pollfd p = {.fd = control, .events = POLLIN};
	siginfo_t info;
	pid_t pid;
	int ready;

	do
		ready = poll(&p, 1, FORK_MILLISECONDS);
	while (ready < 0 && errno == EINTR);
	if (ready <= 0 || recv(control, &pid, sizeof pid, MSG_DONTWAIT) != sizeof pid || pid <= 0)
		return 0;
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ? 0 : pid;
}

int process_fork(const struct process *from, struct process *p, struct err *e)
{
	int theirs = -1, rc = make_own(p, &theirs, e);

	if (!rc && !send_order(from->control, (int[]){theirs, p->shm.fd, p->printed}, p->folder.path))
		p->pid = receive_pid(from->control);
	close_one(&theirs);
	if (!rc && !p->pid)
		rc = err_set(e, ERR_IO, "a worker cannot be forked");
	if (rc)
		process_end(p);
	return rc;
}

/* ---- watching and ending ----------------------------------------------------------------------------------------- */

int process_ended(const struct process *p, int *status)
{
	siginfo_t i = {.si_pid = 0};

	/* It stays a zombie, so that its process group cannot become somebody else's before process_end(). */
	while (waitid(P_PID, (id_t)p->pid, &i, WEXITED | WNOHANG | WNOWAIT))
		if (errno != EINTR) { /* the program ignores SIGCHLD: how it ended is lost */
			*status = 0;
			return errno == ECHILD;
		}
	if (!i.si_pid)
		return 0;
	*status = i.si_code == CLD_EXITED ? (i.si_status & 0xff) << 8 : i.si_status & 0x7f;
	return 1;
}

int process_wait(const struct process *p, double seconds, int *status)
{
	double end = clock_now() + seconds;
	struct timespec nap = {0, 20000};

	while (!process_ended(p, status)) {
		if (clock_now() > end)
			return 0;
		nanosleep(&nap, NULL);
		nap.tv_nsec = nap.tv_nsec < 5000000 ? nap.tv_nsec * 2 : nap.tv_nsec;
	}
	return 1;
}

void process_end(struct process *p)
{
	if (p->pid) {
		if (kill(-p->pid, SIGKILL)) /* no group yet: it had no time to make one */
			kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close_one(&p->socket);
	close_one(&p->control);
	close_one(&p->printed);
	shm_release(&p->shm);
	folder_remove(&p->folder);
	*p = (struct process)PROCESS_INIT;
}

size_t process_resident(const struct process *p)
{
	char path[64], text[128];
	unsigned long pages = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/statm", (long)p->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (sscanf(text, "%*s %lu", &pages) != 1)
		return 0;
	return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
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
