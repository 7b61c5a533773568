/* locks.c - all lock files of the data folder, and removing what they installed (declared in install.h). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "install/install.h"

void install_locks_release(struct lock_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		lock_release(&l->at[i]);
	vec_release(l);
}

static int by_name(const void *a, const void *b)
{
	const struct lock *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int add_lock(struct lock_list *l, const char *folder, const char *name, struct err *e)
{
	char path[PLACE_PATH];
	struct lock one;
	int rc = place_path(path, e, "%s/%s", folder, name);

	if (!rc)
		rc = lock_read(path, &one, e);
	if (rc)
		return rc;
	if (!vec_push(l, one))
		return 0;
	lock_release(&one);
	return err_nomem(e, "lock files", 0);
}

int install_read_locks(struct lock_list *out, struct err *e)
{
	struct lock_list l = VEC_INIT;
	char data[PLACE_PATH], folder[PLACE_PATH];
	DIR *d = NULL;
	int rc = place_data(data, e);

	if (!rc)
		rc = place_path(folder, e, "%s/libraries", data);
	if (!rc && !(d = opendir(folder)))
		rc = err_set(e, ERR_IO, "cannot read '%s': %s", folder, strerror(errno));
	for (struct dirent *entry; !rc && (entry = readdir(d));) {
		size_t n = strlen(entry->d_name), suffix = sizeof LOCK_SUFFIX - 1;

		if (entry->d_name[0] != '.' && n > suffix && !strcmp(entry->d_name + n - suffix, LOCK_SUFFIX))
			rc = add_lock(&l, folder, entry->d_name, e);
	}
	if (d)
		closedir(d);
	if (rc) {
		install_locks_release(&l);
		return rc;
	}
	if (l.n)
		qsort(l.at, l.n, sizeof *l.at, by_name);
	*out = l;
	return 0;
}

const struct lock *install_find_lock(const struct lock_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].name, name))
			return &l->at[i];
	return NULL;
}

/* Renamed first, so that nothing finds half of it. */
int install_remove(const char *folder, struct err *e)
{
	const char *slash = strrchr(folder, '/');
	char aside[PLACE_PATH];
	int rc;

	if (!slash || !slash[1])
		return err_set(e, ERR_INTERNAL, "'%s' is not a library's folder", folder);
	rc = place_path(aside, e, "%.*s/.old-%s", (int)(slash - folder), folder, slash + 1);
	if (!rc)
		rc = place_remove_tree(aside, e);
	if (!rc && rename(folder, aside))
		rc = err_set(e, ERR_IO, "cannot remove '%s': %s", folder, strerror(errno));
	return rc ? rc : place_remove_tree(aside, e);
}
