/* cgroup.c - see cgroup.h. */
#include "worker/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "worker/guards.h"

#define PREFIX "assay-worker-"
#define MAX_NUMBER 8
/* Beyond a worker's own limit, for what it does not count as its own: the kernel's pages for it, sockets, its output.
 */
#define SLACK ((size_t)64 << 20)
#define MAX_TASKS "8192" /* threads count, and some libraries start several for each processor */
#define ROUNDS 1000      /* of a millisecond each, for what was killed to be gone */
#define MAX_DEPTH 16

/* ---- the group's files ------------------------------------------------------------------------------------------- */

static FILE *open_file(const struct cgroup *g, const char *file)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof path, "%s/%s", g->path, file);
	return g->number ? fopen(path, "re") : NULL;
}

/* Only system calls but for snprintf(): called between fork and exec.  Files are the kernel's to make. */
static int put(const struct cgroup *g, const char *file, const char *text)
{
	char path[PATH_MAX + 64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%s/%s", g->path, file);
	fd = g->number ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) : -1;
	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -1 : 0;
}

/* The number behind a word at a line's beginning, or the file's first one; 0 when there is none. */
static unsigned long get(const struct cgroup *g, const char *file, const char *word)
{
	FILE *f = open_file(g, file);
	size_t n = strlen(word);
	unsigned long got = 0;
	char line[128];

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, word, n) && (!n || line[n] == ' ')) {
			got = strtoul(line + n, NULL, 10);
			break;
		}
	if (f)
		fclose(f);
	return got;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

void cgroup_name(struct cgroup *g, const char *place, pid_t supervisor, int number)
{
	int n = snprintf(g->path, sizeof g->path, "%s/" PREFIX "%ld-%d", place, (long)supervisor, number);

	g->number = n < (int)sizeof g->path ? number : 0;
	g->folder = -1;
}

/* A folder's descriptor when nobody else holds its lock, or -1. */
static int lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void forget(struct cgroup *g)
{
	if (g->folder >= 0)
		close(g->folder);
	g->folder = -1;
	g->number = 0;
}

void cgroup_make(struct cgroup *g, const char *place)
{
	*g = (struct cgroup){.number = 0, .folder = -1};
	for (int i = 1; *place && i <= MAX_NUMBER; i++) {
		cgroup_name(g, place, getpid(), i);
		if (mkdirat(AT_FDCWD, g->path, 0755)) {
			g->number = 0;
			if (errno != EEXIST)
				return;
			continue; /* left by another with our number */
		}
		g->folder = lock(g->path);
		if (g->folder >= 0 && !faccessat(g->folder, "cgroup.procs", W_OK, 0)) {
			put(g, "cgroup.pressure", "0"); /* nobody reads it, and it costs at each switch of processes */
			return;
		}
		rmdir(g->path); /* no group but a plain folder; or somebody has just swept it */
		forget(g);
	}
}

unsigned cgroup_limit(const struct cgroup *g, size_t memory)
{
	size_t now = get(g, "memory.current", "");
	unsigned guards = 0;
	char text[32];

	memory = memory < SIZE_MAX - now - SLACK ? memory + now + SLACK : SIZE_MAX;
	snprintf(text, sizeof text, "%zu", memory);
	if (!put(g, "memory.max", text))
		guards |= GUARD_BIT(GUARD_MEMORY);
	put(g, "memory.swap.max", "0");
	put(g, "memory.oom.group", "1"); /* a worker that lost a child at random is of no use */
	if (!put(g, "pids.max", MAX_TASKS))
		guards |= GUARD_BIT(GUARD_TASKS);
	return guards;
}

/* ---- entering ---------------------------------------------------------------------------------------------------- */

/* The arguments of clone3() up to Linux 5.7, where it learned of groups; headers may be older. */
struct clone_order {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size;
	uint64_t cgroup;
};
#define INTO_CGROUP (UINT64_C(1) << 33)

/* To be born in a group costs nothing; to be moved there stops the whole machine's forks for milliseconds. */
pid_t cgroup_fork(const struct cgroup *g)
{
	struct clone_order o = {.flags = INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)g->folder};
	pid_t pid = g->number ? (pid_t)syscall(SYS_clone3, &o, sizeof o) : -1;

	if (pid >= 0)
		return pid;
	pid = fork();
	if (!pid)
		put(g, "cgroup.procs", "0");
	return pid;
}

int cgroup_is_used(const struct cgroup *g)
{
	FILE *f = open_file(g, "cgroup.procs");
	int used = f && fgetc(f) != EOF;

	if (f)
		fclose(f);
	return used;
}

unsigned long cgroup_ooms(const struct cgroup *g)
{
	return get(g, "memory.events", "oom_kill");
}

/* ---- ending ------------------------------------------------------------------------------------------------------ */

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* One of the spared, or of a session that one of them leads: a worker that forks others may keep a process of its own,
 * which opened the library.  What it forks for others leads a session of its own. */
static int is_spared(pid_t pid, const pid_t *spared, size_t n)
{
	pid_t session = n ? getsid(pid) : -1;

	for (size_t i = 0; i < n; i++)
		if (spared[i] == pid || spared[i] == session)
			return 1;
	return 0;
}

/* How many were there. */
static size_t kill_listed(const struct cgroup *g, const pid_t *spared, size_t n)
{
	FILE *f = open_file(g, "cgroup.procs");
	size_t killed = 0;
	long pid;

	while (f && fscanf(f, "%ld", &pid) == 1) {
		if (pid <= 0 || is_spared((pid_t)pid, spared, n)) /* 0: it cannot be seen from this namespace */
			continue;
		kill((pid_t)pid, SIGKILL);
		killed++;
	}
	if (f)
		fclose(f);
	return killed;
}

void cgroup_kill(const struct cgroup *g, const pid_t *spared, size_t n)
{
	if (!g->number || (!n && !put(g, "cgroup.kill", "1")))
		return;               /* Linux 5.14: all at once */
	put(g, "cgroup.freeze", "1"); /* what stands still has no children; it can be killed all the same */
	for (int i = 0; i < ROUNDS && kill_listed(g, spared, n); i++)
		wait_a_little();
	put(g, "cgroup.freeze", "0");
}

/* Where there is no Landlock a worker may have made groups in its own. */
static int remove_tree(const char *path, int depth)
{
	char below[PATH_MAX];
	struct dirent *entry;
	DIR *d;

	if (!rmdir(path) || errno == ENOENT)
		return 0;
	d = errno == EBUSY && depth < MAX_DEPTH ? opendir(path) : NULL;
	while (d && (entry = readdir(d)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    snprintf(below, sizeof below, "%s/%s", path, entry->d_name) < (int)sizeof below)
			remove_tree(below, depth + 1);
	if (d)
		closedir(d);
	return rmdir(path) && errno != ENOENT ? -1 : 0;
}

void cgroup_end(struct cgroup *g)
{
	if (!g->number)
		return;
	cgroup_kill(g, NULL, 0);
	for (int i = 0; i < ROUNDS && remove_tree(g->path, 0) && errno == EBUSY; i++) {
		wait_a_little(); /* what is dead is not yet gone */
		cgroup_kill(g, NULL, 0);
	}
	forget(g);
}

/* A group by its name, of this user, whose supervisor is dead.  The lock alone would do but for namespaces, which may
 * have locks of their own. */
static int is_left_behind(const char *name, const struct stat *st)
{
	int number, end = 0;
	long pid;

	return sscanf(name, PREFIX "%ld-%d%n", &pid, &number, &end) == 2 && end > 0 && !name[end] && pid > 0 &&
	       S_ISDIR(st->st_mode) && st->st_uid == geteuid() && kill((pid_t)pid, 0) && errno == ESRCH;
}

void cgroup_sweep(const char *place)
{
	DIR *d = *place ? opendir(place) : NULL;
	struct dirent *entry;
	struct stat st;

	while (d && (entry = readdir(d))) {
		struct cgroup g = {.number = 1, .folder = -1};

		if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) ||
		    fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) || !is_left_behind(entry->d_name, &st) ||
		    snprintf(g.path, sizeof g.path, "%s/%s", place, entry->d_name) >= (int)sizeof g.path)
			continue;
		g.folder = lock(g.path);
		if (g.folder >= 0)
			cgroup_end(&g);
	}
	if (d)
		closedir(d);
}
