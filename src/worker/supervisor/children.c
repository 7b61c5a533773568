/* children.c - see children.h.
 *
 * Only direct children need to be found: when one is killed, its own children become ours.  A process that forks and
 * exits without pause is caught between the two, for which looking and killing must be quick. */
#include "worker/supervisor/children.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 1024 /* what is found beyond that is found the next time */

/* All of a small file, NUL-terminated; its length or -1. */
static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && n < size - 1) {
		got = read(fd, text + n, size - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	text[n] = '\0';
	return fd < 0 || got < 0 ? -1 : (ssize_t)n;
}

/* The kernel's own list, where it keeps one; -1 where not. */
static ssize_t list_quickly(pid_t *at)
{
	char text[AT_ONCE * 8], *end = text;
	ssize_t n = 0;

	if (read_file("/proc/thread-self/children", text, sizeof text) < 0)
		return -1;
	for (char *p = text; n < AT_ONCE; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p || !isspace((unsigned char)*end)) /* the last may be cut */
			break;
		at[n++] = (pid_t)pid;
	}
	return n;
}

static pid_t parent_of(const char *pid)
{
	char path[64], text[512];
	const char *after;
	int parent;

	if (snprintf(path, sizeof path, "/proc/%s/stat", pid) >= (int)sizeof path ||
	    read_file(path, text, sizeof text) < 0)
		return 0;
	after = strrchr(text, ')'); /* a program's name may hold anything */
	return after && sscanf(after + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static ssize_t list_all(pid_t *at)
{
	DIR *d = opendir("/proc");
	struct dirent *entry;
	pid_t self = getpid();
	ssize_t n = 0;

	while (d && n < AT_ONCE && (entry = readdir(d)))
		if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == self)
			at[n++] = (pid_t)strtol(entry->d_name, NULL, 10);
	if (d)
		closedir(d);
	return n;
}

static int is_spared(pid_t pid, const pid_t *spared, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (spared[i] == pid)
			return 1;
	return 0;
}

void children_end(const pid_t *spared, size_t n_spared)
{
	pid_t at[AT_ONCE];
	size_t killed;

	do {
		ssize_t n = list_quickly(at);

		if (n < 0)
			n = list_all(at);
		killed = 0;
		for (ssize_t i = 0; i < n; i++)
			if (!is_spared(at[i], spared, n_spared)) {
				kill(at[i], SIGKILL);
				at[killed++] = at[i];
			}
		for (size_t i = 0; i < killed; i++)
			waitpid(at[i], NULL, __WALL);
	} while (killed);
}
