/* case_file.c - see case_file.h. */
#include "model/case_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/place.h"

#define MAX_FILE ((size_t)4 << 20)
#define SUFFIX ".case"

static int add_lines(struct case_lines *l, const char *file, const char *text, struct err *e)
{
	for (int number = 1; *text; number++) {
		size_t n = strcspn(text, "\n");
		struct case_line line = {NULL, file, number};

		if (n && *text != '#') {
			line.text = arena_strndup(&l->arena, text, n);
			if (!line.text || vec_push(&l->all, line))
				return err_nomem(e, "cases", n);
		}
		text += n + (text[n] == '\n');
	}
	return 0;
}

static int read_file(struct case_lines *l, const char *path, struct err *e)
{
	const char *name = arena_strdup(&l->arena, path);
	struct buf text;
	int rc;

	buf_init(&text, MAX_FILE);
	rc = name ? buf_read_file(&text, path, MAX_FILE, e) : err_nomem(e, "cases", 0);
	if (!rc && text.data)
		rc = add_lines(l, name, text.data, e);
	buf_release(&text);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int is_case_file(const char *name)
{
	size_t n = strlen(name), suffix = sizeof SUFFIX - 1;

	return *name != '.' && n > suffix && !strcmp(name + n - suffix, SUFFIX);
}

static int read_folder(struct case_lines *l, const char *folder, struct err *e)
{
	VEC(const char *) names = VEC_INIT;
	DIR *d = opendir(folder);
	int rc = d ? 0 : err_set(e, ERR_IO, "cannot read '%s': %s", folder, strerror(errno));

	for (const struct dirent *entry; !rc && (entry = readdir(d));) {
		const char *name = is_case_file(entry->d_name) ? arena_strdup(&l->arena, entry->d_name) : NULL;

		if (is_case_file(entry->d_name) && (!name || vec_push(&names, name)))
			rc = err_nomem(e, "names", 0);
	}
	if (d)
		closedir(d);
	if (names.n)
		qsort(names.at, names.n, sizeof *names.at, by_name);
	for (size_t i = 0; i < names.n && !rc; i++) {
		char path[PLACE_PATH];

		rc = place_path(path, e, "%s/%s", folder, names.at[i]);
		if (!rc)
			rc = read_file(l, path, e);
	}
	vec_release(&names);
	return rc;
}

int case_lines_read(const char *path, struct case_lines *out, struct err *e)
{
	struct case_lines l = {VEC_INIT, ARENA_INIT};
	char place[PLACE_PATH];
	int rc = place_data_file(path, "cases", place, e);

	arena_init(&l.arena, 16 * MAX_FILE);
	if (!rc)
		rc = place_is_folder(place) ? read_folder(&l, place, e) : read_file(&l, place, e);
	if (rc)
		case_lines_release(&l);
	else
		*out = l;
	return rc;
}

void case_lines_release(struct case_lines *l)
{
	vec_release(&l->all);
	arena_release(&l->arena);
}
