/* groups.c - see groups.h.
 *
 *   /proc/self/cgroup      0::/user.slice/x.scope                   the group, from the root of our namespace
 *   /proc/self/mountinfo   41 31 0:38 /user.slice /mnt … - cgroup2 …   a group, and where its folder is
 *
 * Of a mount that begins at a group above ours the rest of the path leads to ours: /mnt/x.scope. */
#include "worker/parent/groups.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE (3 * PATH_MAX)

/* The next line without its end; what is longer than the buffer is cut.  0: there is none. */
static int next_line(FILE *f, char *line, size_t size)
{
	size_t n = 0;
	int c;

	while ((c = fgetc(f)) != EOF && c != '\n')
		if (n < size - 1)
			line[n++] = (char)c;
	line[n] = '\0';
	return n || c != EOF;
}

static int find_own(const char *file, char *out, size_t size)
{
	FILE *f = fopen(file, "re");
	char line[LINE];
	int found = 0;

	while (f && !found && next_line(f, line, sizeof line))
		found = !strncmp(line, "0::/", 4) && strlen(line + 3) < size;
	if (f)
		fclose(f);
	if (found)
		memcpy(out, line + 3, strlen(line + 3) + 1);
	return found && strncmp(out, "/..", 3) != 0; /* outside of our namespace */
}

static int is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Blanks and the like are written as \040. */
static void decode(char *s)
{
	char *to = s;

	while (*s)
		if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) && is_octal(s[3])) {
			*to++ = (char)(((s[1] - '0') << 6) + ((s[2] - '0') << 3) + (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	*to = '\0';
}

/* The root and the mount point of a line, when that is of cgroup2. */
static int split_mount(char *line, char **root, char **point)
{
	char *after = strstr(line, " - "), *rest = NULL, *words[5];
	size_t n = 0;

	if (!after || strncmp(after + 3, "cgroup2 ", 8) != 0)
		return 0;
	*after = '\0';
	for (char *w = strtok_r(line, " ", &rest); w && n < 5; w = strtok_r(NULL, " ", &rest))
		words[n++] = w;
	if (n < 5)
		return 0;
	*root = words[3];
	*point = words[4];
	decode(*root);
	decode(*point);
	return 1;
}

/* The path below the mount's root; NULL when it does not lead there. */
static const char *below(const char *path, const char *root)
{
	size_t n = strcmp(root, "/") ? strlen(root) : 0;

	if (strncmp(path, root, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return strcmp(path + n, "/") ? path + n : "";
}

void groups_find_in(const char *mounts, const char *own, char *out, size_t size)
{
	char line[LINE], path[PATH_MAX], *root, *point;
	FILE *f = find_own(own, path, sizeof path) ? fopen(mounts, "re") : NULL;
	const char *rest = NULL;

	*out = '\0';
	while (f && !rest && next_line(f, line, sizeof line))
		if (split_mount(line, &root, &point))
			rest = below(path, root);
	if (rest && (size_t)snprintf(out, size, "%s%s", point, rest) >= size)
		*out = '\0';
	if (f)
		fclose(f);
}

void groups_find(char *out, size_t size)
{
	const char *given = getenv("ASSAY_WORKER_CGROUP");

	if (!given || !*given)
		groups_find_in("/proc/self/mountinfo", "/proc/self/cgroup", out, size);
	else if (*given != '/' || (size_t)snprintf(out, size, "%s", given) >= size)
		*out = '\0';
}
