/* start.c - see start.h. */
#include "methods/fuzz/start.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define MAX_NOTES ((size_t)1 << 20)
#define MAX_PATH 4096

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_folder(struct start *s, const char *parent, const char *name, struct err *e)
{
	size_t size = strlen(parent) + strlen(name) + 2;
	char *path = mem_alloc(size);

	if (path)
		snprintf(path, size, "%s/%s", parent, name);
	if (!path || vec_push(&s->folders, path)) {
		mem_free(path);
		return err_nomem(e, "a path", size);
	}
	return 0;
}

int start_open(const char *folder, struct start *out, struct err *e)
{
	struct start s = {VEC_INIT};
	const struct dirent *entry;
	char path[MAX_PATH];
	DIR *d;
	int rc = 0;

	snprintf(path, sizeof path, "%s/corpus", folder);
	d = opendir(path);
	if (!d)
		return err_set(e, ERR_IO,
			       "cannot read '%s': %s; 'assay fuzz -o DIR' and 'assay extract -o DIR' write such "
			       "a folder",
			       path, strerror(errno));
	while (!rc && (entry = readdir(d)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			rc = add_folder(&s, path, entry->d_name, e);
	closedir(d);
	if (rc) {
		start_release(&s);
		return rc;
	}
	if (s.folders.n)
		qsort(s.folders.at, s.folders.n, sizeof *s.folders.at, by_name);
	*out = s;
	return 0;
}

void start_release(struct start *s)
{
	for (size_t i = 0; i < s->folders.n; i++)
		mem_free(s->folders.at[i]);
	vec_release(&s->folders);
}

int start_notes(const struct start *s, size_t i, struct buf *out, struct err *e)
{
	char path[MAX_PATH];

	snprintf(path, sizeof path, "%s/coverage.txt", s->folders.at[i]);
	buf_init(out, MAX_NOTES);
	if (access(path, F_OK)) /* a corpus of another origin: nothing is said of what it covers */
		return 0;
	return buf_read_file(out, path, MAX_NOTES, e);
}

int start_cover(const char *folder, struct coverage *into, struct err *e)
{
	struct start s = {VEC_INIT};
	int rc = start_open(folder, &s, e);

	for (size_t i = 0; i < s.folders.n && !rc; i++) {
		struct buf notes;

		rc = start_notes(&s, i, &notes, e);
		if (!rc)
			rc = coverage_learn(into, notes.data ? notes.data : "", e);
		buf_release(&notes);
	}
	start_release(&s);
	return rc;
}
