/* installed.c - which libraries lie in the backends folders (declared in spec.h). */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/place.h"
#include "base/vec.h"
#include "worker/parent/spec.h"

static void add_root(struct spec_roots *r, const char *folder, const char *below)
{
	if (folder && *folder && snprintf(r->at[r->n], SPEC_PATH, "%s%s", folder, below) < SPEC_PATH)
		r->n++;
}

/* The folder of the tree that this program was built from, where that tree still is. */
static void add_built(struct spec_roots *r)
{
	if (place_is_folder(ASSAY_DEPS_FOLDER))
		add_root(r, ASSAY_DEPS_FOLDER, "/backends");
}

void spec_roots(struct spec_roots *out)
{
	const char *deps = getenv("ASSAY_DEPS"), *data = getenv("XDG_DATA_HOME");

	out->n = 0;
	add_root(out, getenv("ASSAY_BACKENDS"), "");
	if (deps && *deps)
		add_root(out, deps, "/backends");
	else if (!place_is_installed())
		add_built(out);
	if (data && *data)
		add_root(out, data, "/assay/backends");
	else
		add_root(out, getenv("HOME"), "/.local/share/assay/backends");
}

int spec_version_order(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			char *a_end, *b_end;
			unsigned long long x = strtoull(a, &a_end, 10), y = strtoull(b, &b_end, 10);

			if (x != y)
				return x < y ? -1 : 1;
			a = a_end;
			b = b_end;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return (*a != '\0') - (*b != '\0');
}

static int is_there(const struct spec_installed_list *l, const char *name, const char *version)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].name, name) && !strcmp(l->at[i].version, version))
			return 1;
	return 0;
}

static int add(struct spec_installed_list *l, const char *name, const char *version, const char *folder, struct err *e)
{
	struct spec_installed one = {mem_strdup(name), mem_strdup(version), mem_strdup(folder)};

	if (one.name && one.version && one.folder && !vec_push(l, one))
		return 0;
	mem_free(one.name);
	mem_free(one.version);
	mem_free(one.folder);
	return err_nomem(e, "a list of backends", 0);
}

/* Calls visit(arg, entry, path) for each folder in a folder; a folder that is not there has none. */
typedef int folder_visitor(void *arg, const char *entry, const char *path, struct err *e);

static int for_each_folder(const char *folder, folder_visitor *visit, void *arg, struct err *e)
{
	struct dirent *entry;
	char path[SPEC_PATH];
	DIR *d = opendir(folder);
	int rc = 0;

	while (d && !rc && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
		    !place_is_folder(path))
			continue;
		rc = visit(arg, entry->d_name, path, e);
	}
	if (d)
		closedir(d);
	return rc;
}

struct installed_search {
	struct spec_installed_list *list;
	const char *wanted; /* NULL: all */
	const char *name;   /* whose versions are visited now */
};

static int visit_version(void *arg, const char *entry, const char *path, struct err *e)
{
	struct installed_search *s = arg;

	return is_there(s->list, s->name, entry) ? 0 : add(s->list, s->name, entry, path, e);
}

static int visit_name(void *arg, const char *entry, const char *path, struct err *e)
{
	struct installed_search *s = arg;

	if (s->wanted && strcmp(s->wanted, entry))
		return 0;
	s->name = entry;
	return for_each_folder(path, visit_version, s, e);
}

static int by_name_then_newest(const void *a, const void *b)
{
	const struct spec_installed *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : spec_version_order(y->version, x->version);
}

int spec_find_installed(const char *name_or_null, struct spec_installed_list *out, struct err *e)
{
	struct spec_installed_list found = VEC_INIT;
	struct installed_search s = {&found, name_or_null, NULL};
	struct spec_roots roots;
	int rc = 0;

	spec_roots(&roots);
	for (size_t i = 0; i < roots.n && !rc; i++)
		rc = for_each_folder(roots.at[i], visit_name, &s, e);
	if (rc) {
		spec_installed_release(&found);
		return rc;
	}
	if (found.n)
		qsort(found.at, found.n, sizeof *found.at, by_name_then_newest);
	*out = found;
	return 0;
}

void spec_installed_release(struct spec_installed_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		mem_free(l->at[i].name);
		mem_free(l->at[i].version);
		mem_free(l->at[i].folder);
	}
	vec_release(l);
}

/* ---- what can be run here ---------------------------------------------------------------------------------------- */

int spec_is_absent(const char *name, struct err *why)
{
	struct worker_spec spec;

	err_clear(why);
	if (spec_make(name, &spec, why))
		return why->code == ERR_UNSUPPORTED;
	spec_release(&spec);
	return 0;
}

int spec_all_installed(struct buf *names, struct err *e)
{
	struct spec_installed_list l = {0};
	const char *last = "";
	int rc = spec_find_installed(NULL, &l, e);

	buf_puts(names, "reference");
	for (size_t i = 0; i < l.n && !rc; i++) {
		struct err absent = ERR_INIT;

		/* A folder that an older or newer assay made, or a user, may have a name that is none. */
		if (spec_find(l.at[i].name) && strcmp(l.at[i].name, last) != 0 &&
		    !spec_is_absent(l.at[i].name, &absent))
			buf_printf(names, ",%s", l.at[i].name);
		last = l.at[i].name;
	}
	if (!rc)
		rc = buf_check(names, e);
	spec_installed_release(&l);
	return rc;
}
