/* versions.c - see versions.h. */
#include "install/versions.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "worker/parent/spec.h"

void versions_release(struct versions *v)
{
	for (size_t i = 0; i < v->n; i++)
		mem_free(v->at[i]);
	vec_release(v);
	install_locks_release(&v->locks);
}

/* Puts a version in its place, oldest first; one that is there already is left out. */
static int add(struct versions *v, const char *text, size_t n, struct err *e)
{
	size_t i = 0;
	char *copy = mem_zalloc(n + 1);

	if (!copy)
		return err_nomem(e, "versions", n);
	memcpy(copy, text, n);
	while (i < v->n && spec_version_order(v->at[i], copy) < 0)
		i++;
	if (!n || (i < v->n && !strcmp(v->at[i], copy))) {
		mem_free(copy);
		return 0;
	}
	if (vec_insert(v, i, copy)) {
		mem_free(copy);
		return err_nomem(e, "versions", n);
	}
	return 0;
}

static int add_given(struct versions *v, const char *given, struct err *e)
{
	int rc = 0;

	while (*given && !rc) {
		size_t n = strcspn(given, ",");

		rc = add(v, given, n, e);
		given += n + (given[n] == ',');
	}
	return rc;
}

static int add_installed(struct versions *v, const char *backend, struct err *e)
{
	struct spec_installed_list list = {0};
	int rc = spec_find_installed(backend, &list, e);

	for (size_t i = 0; i < list.n && !rc; i++)
		rc = add(v, list.at[i].version, strlen(list.at[i].version), e);
	spec_installed_release(&list);
	return rc;
}

int versions_list(const char *backend, const char *given, int installed, struct versions *out, struct err *e)
{
	struct versions v = {0};
	int rc = install_read_locks(&v.locks, e);

	v.lock = rc ? NULL : install_find_lock(&v.locks, backend);
	if (!rc)
		rc = given ? add_given(&v, given, e) : add_installed(&v, backend, e);
	for (size_t i = 0; v.lock && !given && !installed && i < v.lock->versions.n && !rc; i++)
		rc = add(&v, v.lock->versions.at[i].version, strlen(v.lock->versions.at[i].version), e);
	if (rc)
		versions_release(&v);
	else
		*out = v;
	return rc;
}

static int is_installed(const char *backend, const char *version)
{
	struct spec_installed_list list = {0};
	struct err ignored = ERR_INIT;
	int found = 0;

	if (spec_find_installed(backend, &list, &ignored))
		return 0;
	for (size_t i = 0; i < list.n && !found; i++)
		found = !strcmp(list.at[i].version, version);
	spec_installed_release(&list);
	return found;
}

int versions_provide(const char *backend, const char *version, void *arg, struct err *e)
{
	const struct versions *v = arg;
	struct install_options o = {0};
	struct install_result r = {0};
	int rc;

	if (is_installed(backend, version))
		return 0;
	if (!v->lock)
		return err_set(e, ERR_INPUT, "%s %s is not installed", backend, version);
	log_print(LOG_INFO, "installing %s@%s", backend, version);
	rc = install_library(v->lock, version, &o, &r, e);
	if (!rc)
		install_result_release(&r);
	return rc;
}
