/* quota.c - see quota.h. */
#include "base/quota.h"

#include <stdio.h>
#include <string.h>

#define MAX_PATH 4096
#define WHOLE "0::" /* begins the line of version 2, before the path */

/* The group's path, "" for the root; 0: it is in none. */
static int read_group(const char *groups, char *out, size_t size)
{
	char line[MAX_PATH];
	FILE *f = fopen(groups, "re");
	int found = 0;

	while (f && !found && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strncmp(line, WHOLE, strlen(WHOLE));
	}
	if (f)
		fclose(f);
	if (!found || snprintf(out, size, "%s", line + strlen(WHOLE)) >= (int)size)
		return 0;
	if (!strcmp(out, "/"))
		*out = '\0';
	return 1;
}

/* Of one group: microseconds in each period, or "max". */
static size_t read_quota(const char *root, const char *group)
{
	char path[2 * MAX_PATH];
	unsigned long long quota = 0, period = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s%s/cpu.max", root, group);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &quota, &period) != 2 || !period)
		quota = 0;
	fclose(f);
	return quota ? (size_t)((quota + period - 1) / period) : 0;
}

/* A part of a processor counts as one: it is there, now and then. */
size_t quota_processors(const char *groups, const char *root)
{
	char group[MAX_PATH];
	size_t least = 0;
	char *end;

	if (!read_group(groups, group, sizeof group))
		return 0;
	do {
		size_t n = read_quota(root, group);

		if (n && (!least || n < least))
			least = n;
		end = strrchr(group, '/');
		if (end)
			*end = '\0';
	} while (end);
	return least;
}
