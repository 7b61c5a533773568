/* conform.c - finding ONNX backend test cases (see conform.h). */
#include "methods/conform/conform.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define MAX_DEPTH 16 /* of folders */
#define PATH_SIZE 4096

/* ---- finding cases ----------------------------------------------------------------------------------------------- */

static const char *last_part(const char *path, size_t *n)
{
	size_t end = strlen(path), start;

	while (end && path[end - 1] == '/')
		end--;
	start = end;
	while (start && path[start - 1] != '/')
		start--;
	*n = end - start;
	return path + start;
}

static char *name_of_folder(const char *path, int up)
{
	char copy[PATH_SIZE], *name;
	size_t n;

	snprintf(copy, sizeof copy, "%s", path);
	for (;;) {
		const char *part = last_part(copy, &n);

		if (!up--) {
			name = mem_zalloc(n + 1);
			return name ? memcpy(name, part, n) : NULL;
		}
		copy[part - copy] = '\0';
	}
}

static int add_case(const char *dir, struct conform_list *out, struct err *e)
{
	struct conform_case c = {
		.name = name_of_folder(dir, 0), .suite = name_of_folder(dir, 1), .path = mem_strdup(dir)};

	if (c.name && c.suite && c.path && !vec_push(out, c))
		return 0;
	mem_free(c.name);
	mem_free(c.suite);
	mem_free(c.path);
	return err_nomem(e, "test cases", sizeof c);
}

static int find_below(const char *dir, const char *filter, int depth, struct conform_list *out, struct err *e)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *d;
	int rc = 0;

	if (snprintf(path, sizeof path, "%s/model.onnx", dir) < (int)sizeof path && !access(path, R_OK))
		return !filter || strstr(dir, filter) ? add_case(dir, out, e) : 0;
	d = opendir(dir);
	if (!d)
		return depth ? 0 : err_set(e, ERR_IO, "cannot open folder '%s': %s", dir, strerror(errno));
	while (!rc && depth < MAX_DEPTH && (entry = readdir(d))) {
		struct stat st;

		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof path, "%s/%s", dir, entry->d_name) >= (int)sizeof path)
			continue;
		if (!lstat(path, &st) && S_ISDIR(st.st_mode))
			rc = find_below(path, filter, depth + 1, out, e);
	}
	closedir(d);
	return rc;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct conform_case *)a)->path, ((const struct conform_case *)b)->path);
}

int conform_find_all(const struct texts *dirs, const char *filter, struct conform_list *out, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < dirs->n && !rc; i++)
		rc = conform_find(dirs->at[i], filter, out, e);
	if (!rc && !out->n && filter)
		rc = err_set(e, ERR_INPUT, "no test case below '%s' has '%s' in its path", dirs->at[0], filter);
	else if (!rc && !out->n)
		rc = err_set(e, ERR_INPUT, "no test case (model.onnx beside test_data_set_0) below '%s'", dirs->at[0]);
	return rc;
}

int conform_find(const char *dir, const char *filter, struct conform_list *out, struct err *e)
{
	size_t before = out->n;
	int rc = find_below(dir, filter, 0, out, e);

	if (!rc && out->n > before)
		qsort(out->at + before, out->n - before, sizeof *out->at, by_path);
	return rc;
}

void conform_case_release(const struct conform_case *c)
{
	mem_free(c->name);
	mem_free(c->suite);
	mem_free(c->path);
}

void conform_keep(struct conform_list *l, const struct split *part)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		if (split_has(part, i))
			l->at[kept++] = l->at[i];
		else
			conform_case_release(&l->at[i]);
	l->n = kept;
}

void conform_list_release(struct conform_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		conform_case_release(&l->at[i]);
	vec_release(l);
}

void conform_results_release(struct conform_results *r)
{
	for (size_t i = 0; i < r->n; i++)
		conform_list_release(&r->at[i].cases);
	vec_release(r);
}

const char *conform_status_name(enum conform_status s)
{
	static const char *const names[] = {
		[CONFORM_PASSED] = "passed", [CONFORM_FAILED] = "failed", [CONFORM_UNSUPPORTED] = "unsupported"};

	return names[s];
}

const char *conform_how_text(enum conform_how h)
{
	static const char *const texts[] = {[CONFORM_EXACT] = "",
					    [CONFORM_ROUNDED] = "matches after rounding each node",
					    [CONFORM_NOISE] = "differs by no more than float rounding explains",
					    [CONFORM_RANDOM] = "random by specification: types and shapes compared"};

	return texts[h];
}

struct tally conform_tally(const struct conform_list *l)
{
	static const enum verdict verdicts[] = {[CONFORM_PASSED] = VERDICT_AGREE,
						[CONFORM_FAILED] = VERDICT_WRONG,
						[CONFORM_UNSUPPORTED] = VERDICT_UNSUPPORTED};
	struct tally t = {0};

	for (size_t i = 0; i < l->n; i++) {
		const struct conform_case *c = &l->at[i];
		int random = c->status == CONFORM_PASSED && c->how == CONFORM_RANDOM;

		tally_note(&t, c->ran, random ? VERDICT_VACUOUS : verdicts[c->status]);
	}
	return t;
}

size_t conform_count(const struct conform_list *l, enum conform_status s)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->at[i].status == s;
	return n;
}
