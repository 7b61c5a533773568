/* usage.c - see usage.h. */
#include "worker/parent/usage.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PROCESSES 1024
#define MAX_FILES 256 /* that are told apart; more may count twice */
#define MAX_DEPTH 64  /* of folders */

/* ---- processes --------------------------------------------------------------------------------------------------- */

struct usage_list {
	pid_t at[MAX_PROCESSES];
	size_t n;
};

static int is_spared(const struct usage_tree *t, pid_t pid)
{
	for (size_t i = 0; i < t->n_spared; i++)
		if (t->spared[i] == pid)
			return 1;
	return 0;
}

/* A thread's children, as many as fit. */
static void add_children_of(const struct usage_tree *t, const char *path, struct usage_list *l)
{
	FILE *f = fopen(path, "re");
	long pid;

	while (f && l->n < MAX_PROCESSES && fscanf(f, "%ld", &pid) == 1)
		if (!is_spared(t, (pid_t)pid))
			l->at[l->n++] = (pid_t)pid;
	if (f)
		fclose(f);
}

static void add_children(const struct usage_tree *t, pid_t pid, struct usage_list *l)
{
	char path[320];
	struct dirent *entry;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
	d = opendir(path);
	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof path, "/proc/%ld/task/%s/children", (long)pid, entry->d_name);
		if (isdigit((unsigned char)entry->d_name[0]))
			add_children_of(t, path, l);
	}
	if (d)
		closedir(d);
}

static void list_processes(const struct usage_tree *t, struct usage_list *l)
{
	l->n = 0;
	add_children(t, t->root, l);
	for (size_t i = 0; i < l->n; i++)
		add_children(t, l->at[i], l);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct usage_pages {
	size_t own, shared; /* bytes: of its own and of files; of shared memory */
};

/* Adds up lines "NAME: 123 kB" of a file of /proc; 0 when it cannot be read. */
static int add_lines(pid_t pid, const char *file, const char *const own[2], const char *shared, struct usage_pages *p)
{
	char line[256], path[64];
	int found = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, file);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		size_t n = strcspn(line, ":");
		size_t bytes = line[n] ? (size_t)strtoull(line + n + 1, NULL, 10) << 10 : 0;

		line[n] = '\0';
		if (!strcmp(line, own[0]) || !strcmp(line, own[1]))
			p->own += bytes;
		else if (!strcmp(line, shared))
			p->shared += bytes;
		else
			continue;
		found = 1;
	}
	if (f)
		fclose(f);
	return found;
}

static void add_resident(pid_t pid, struct usage_pages *p)
{
	add_lines(pid, "status", (const char *const[2]){"RssAnon", "RssFile"}, "RssShmem", p);
}

/* Pages by how many processes share them. */
static void add_proportional(pid_t pid, struct usage_pages *p)
{
	if (!add_lines(pid, "smaps_rollup", (const char *const[2]){"Pss_Anon", "Pss_File"}, "Pss_Shmem", p))
		add_resident(pid, p);
}

/* ---- open files -------------------------------------------------------------------------------------------------- */

struct usage_files {
	dev_t memory[2]; /* where files lie in memory: those without a name, and /dev/shm */
	struct {
		dev_t dev;
		ino_t ino;
	} seen[MAX_FILES];
	size_t n;
	size_t shared, removed; /* bytes */
};

static int is_new(struct usage_files *f, const struct stat *st)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->seen[i].dev == st->st_dev && f->seen[i].ino == st->st_ino)
			return 0;
	if (f->n < MAX_FILES) {
		f->seen[f->n].dev = st->st_dev;
		f->seen[f->n++].ino = st->st_ino;
	}
	return 1;
}

static void add_open_files(pid_t pid, struct usage_files *f)
{
	char path[64];
	struct dirent *entry;
	struct stat st;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
	d = opendir(path);
	while (d && (entry = readdir(d))) {
		if (fstatat(dirfd(d), entry->d_name, &st, 0) || !S_ISREG(st.st_mode))
			continue;
		if (st.st_dev == f->memory[0] || st.st_dev == f->memory[1])
			f->shared += is_new(f, &st) ? (size_t)st.st_blocks * 512 : 0;
		else if (!st.st_nlink)
			f->removed += is_new(f, &st) ? (size_t)st.st_blocks * 512 : 0;
	}
	if (d)
		closedir(d);
}

static void look_at_files(const struct usage_list *l, struct usage_files *f)
{
	int fd = memfd_create("", MFD_CLOEXEC);
	struct stat st;

	*f = (struct usage_files){.n = 0};
	f->memory[0] = fd >= 0 && !fstat(fd, &st) ? st.st_dev : 0;
	f->memory[1] = !stat("/dev/shm", &st) ? st.st_dev : f->memory[0];
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < l->n; i++)
		add_open_files(l->at[i], f);
}

size_t usage_memory(const struct usage_tree *t, size_t limit)
{
	struct usage_pages p = {0, 0};
	struct usage_files f;
	struct usage_list l;

	list_processes(t, &l);
	if (l.n == MAX_PROCESSES)
		return SIZE_MAX;
	look_at_files(&l, &f);
	for (size_t i = 0; i < l.n; i++)
		add_resident(l.at[i], &p);
	if (p.own + p.shared + f.shared <= limit)
		return p.own + p.shared + f.shared;
	p = (struct usage_pages){0, 0};
	for (size_t i = 0; i < l.n; i++)
		add_proportional(l.at[i], &p);
	return p.own + (p.shared > f.shared ? p.shared : f.shared); /* what is mapped is mostly what is open */
}

/* ---- processors -------------------------------------------------------------------------------------------------- */

double usage_held_up(pid_t pid)
{
	unsigned long long ran, waited = 0; /* ns */
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%llu %llu", &ran, &waited) != 2)
		waited = 0;
	if (f)
		fclose(f);
	return (double)waited * 1e-9;
}

/* ---- disk -------------------------------------------------------------------------------------------------------- */

/* Takes the descriptor. */
static size_t disk_below(int fd, dev_t device, int depth)
{
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t total = 0;
	struct stat st;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((entry = readdir(d))) {
		if (!strcmp(entry->d_name, "..") || fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    st.st_dev != device)
			continue;
		total += (size_t)st.st_blocks * 512 / (st.st_nlink && S_ISREG(st.st_mode) ? st.st_nlink : 1);
		if (S_ISDIR(st.st_mode) && strcmp(entry->d_name, ".") != 0 && depth < MAX_DEPTH)
			total += disk_below(openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
					    device, depth + 1);
	}
	closedir(d);
	return total;
}

size_t usage_disk(const struct usage_tree *t, const struct folder *f)
{
	struct usage_files files;
	struct usage_list l;
	struct stat st;

	list_processes(t, &l);
	look_at_files(&l, &files);
	if (!f->path || stat(f->path, &st))
		return files.removed;
	return files.removed + disk_below(open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), st.st_dev, 0);
}
