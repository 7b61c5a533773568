/* unlocked.c - see unlocked.h. */
#include "install/unlocked.h"

#include <string.h>

#include "worker/parent/spec.h"

static const struct lock_version *nearest(const struct lock *l, const char *version)
{
	const struct lock_version *newer = NULL, *newest = &l->versions.at[0];

	for (size_t i = 0; i < l->versions.n; i++) {
		const struct lock_version *v = &l->versions.at[i];

		if (spec_version_order(v->version, newest->version) > 0)
			newest = v;
		if (spec_version_order(v->version, version) > 0 &&
		    (!newer || spec_version_order(v->version, newer->version) < 0))
			newer = v;
	}
	return newer ? newer : newest;
}

/* The name with `from` between its separators replaced by `to`; NULL when it is not there. */
static const char *with_version(const char *name, char separator, const char *from, const char *to, struct arena *arena)
{
	size_t n = strlen(from);

	for (const char *p = strchr(name, separator); p; p = strchr(p + 1, separator))
		if (!strncmp(p + 1, from, n) && (p[1 + n] == separator || !p[1 + n]))
			return arena_printf(arena, "%.*s%s%s", (int)(p + 1 - name), name, to, p + 1 + n);
	return NULL;
}

static char separator_of(enum lock_source s)
{
	if (s == LOCK_NPM)
		return '@';
	return s == LOCK_MAVEN ? ':' : '-';
}

static int copy_package(struct unlocked *u, const struct lock_package *from, const char *name, struct err *e)
{
	struct lock_package p = *from;

	memset(&p.rules, 0, sizeof p.rules);
	if (name) {
		p.name = name;
		p.sha256 = "";
		p.bytes = 0;
	}
	if (vec_push(&u->version.packages, p))
		return err_nomem(e, "packages", 0);
	for (size_t i = 0; i < from->rules.n; i++)
		if (vec_push(&u->version.packages.at[u->version.packages.n - 1].rules, from->rules.at[i]))
			return err_nomem(e, "rules", 0);
	return 0;
}

int unlocked_make(const struct lock *l, const char *version, struct unlocked *out, struct err *e)
{
	const struct lock_version *from = nearest(l, version);
	int replaced = 0, rc = 0;

	if (!lock_is_name(version))
		return err_set(e, ERR_USAGE, "'%s' is not a version", version);
	out->version.version = version;
	out->version.python = from->python;
	out->version.line = from->line;
	for (size_t i = 0; !rc && i < from->packages.n; i++) {
		const struct lock_package *p = &from->packages.at[i];
		const char *name = NULL;

		if (p->source != LOCK_FILE)
			name = with_version(p->name, separator_of(p->source), from->version, version, &out->arena);
		replaced += name != NULL;
		rc = copy_package(out, p, name, e);
	}
	for (size_t i = 0; !rc && i < from->needs.n; i++)
		if (vec_push(&out->version.needs, from->needs.at[i]))
			rc = err_nomem(e, "needs", 0);
	for (size_t i = 0; !rc && i < from->steps.n; i++) /* their words are borrowed: released with the lock */
		if (vec_push(&out->version.steps, from->steps.at[i]))
			rc = err_nomem(e, "steps", 0);
	if (!rc && !replaced)
		rc = err_set(e, ERR_UNSUPPORTED, "no package of '%s' version %s is named by that version", l->path,
			     from->version);
	return rc;
}

void unlocked_release(struct unlocked *u)
{
	for (size_t i = 0; i < u->version.packages.n; i++)
		vec_release(&u->version.packages.at[i].rules);
	vec_release(&u->version.packages);
	vec_release(&u->version.needs);
	vec_release(&u->version.steps);
	arena_release(&u->arena);
}
