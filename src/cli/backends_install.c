/* backends_install.c - assay backends install. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/progress.h"
#include "cli/backends.h"

#define MIB (1 << 20)

/* A progress bar for each thing that takes its time: downloads, archives, compilers. */
struct bars {
	struct progress bar;
	char what[300];
	int running;
};

static const struct {
	const char *name;
	uint64_t size;
} units[] = {[INSTALL_BYTES] = {"MiB", MIB}, [INSTALL_MEMBERS] = {"members", 1}, [INSTALL_SECONDS] = {"seconds", 1}};

static void show_step(void *arg, const char *what, enum install_unit unit, uint64_t done, uint64_t total)
{
	uint64_t size = units[unit].size;
	struct bars *b = arg;

	if (!b->running || strcmp(b->what, what)) {
		if (b->running)
			progress_end(&b->bar);
		snprintf(b->what, sizeof b->what, "%s", what);
		progress_start(&b->bar, units[unit].name, (size_t)((total + size - 1) / size));
		b->running = 1;
	}
	progress_step(&b->bar, (size_t)(done / size), b->what);
}

struct job {
	FILE *out;
	const struct backends_options *o;
	struct lock_list locks;
	json_t *list; /* NULL: text */
};

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void tell_installed(const struct job *j, const struct lock *l, const struct install_result *r)
{
	char size[32];

	if (j->list) {
		json_array_append_new(j->list,
				      json_pack("{s:s, s:o, s:s, s:o, s:I, s:b, s:o}", "name", l->name, "version",
						json_text(r->version), "status", r->was_there ? "present" : "installed",
						"path", json_text(r->folder), "bytes", (json_int_t)r->bytes, "foreign",
						r->foreign, "unlocked", json_text(r->rows.len ? r->rows.data : "")));
		return;
	}
	fprintf(j->out, "%s@%s: %s in '%s', %s%s\n", l->name, r->version, r->was_there ? "is already" : "installed",
		r->folder, backends_size_text(r->bytes, size, sizeof size),
		r->foreign ? "; not put there by this command: --force replaces it" : "");
	if (r->rows.len)
		fprintf(j->out, "not locked; for '%s':\n%s", l->path, r->rows.data);
	fflush(j->out);
}

static void tell_not(const struct job *j, const char *name, const char *status, const char *reason)
{
	json_array_append_new(j->list, json_pack("{s:o, s:s, s:o}", "name", json_text(name), "status", status, "reason",
						 json_text(reason)));
}

static void tell_left_out(const struct job *j, const char *name, const char *prefix, const char *reason)
{
	if (j->list)
		tell_not(j, name, "skipped", reason);
	else
		fprintf(j->out, "%s: %s: %s\n", name, prefix, reason);
}

/* One that cannot be installed: a message, and a row of the JSON; a status. */
static int tell_failed(const struct job *j, const char *name, const struct err *e)
{
	if (j->list)
		tell_not(j, name, "failed", e->msg);
	return cli_fail(e);
}

/* ---- installing -------------------------------------------------------------------------------------------------- */

static int install_one(const struct job *j, const struct lock *l, const char *version, struct err *e)
{
	struct bars bars = {.running = 0};
	struct install_options o = {.root = j->o->root,
				    .unlocked = j->o->unlocked,
				    .force = j->o->force,
				    .offline = j->o->offline,
				    .watch = {show_step, &bars}};
	struct install_result r;
	int rc = install_library(l, version, &o, &r, e);

	if (bars.running)
		progress_end(&bars.bar);
	if (rc)
		return rc;
	tell_installed(j, l, &r);
	install_result_release(&r);
	return 0;
}

static int install_named(const struct job *j, const char *text, struct err *e)
{
	struct backend_name n;
	const struct lock *l;
	int rc = backend_name_split(text, &n, e);

	if (rc)
		return rc;
	l = install_find_lock(&j->locks, n.name);
	if (!l)
		return err_set(e, ERR_USAGE,
			       "no lock file for '%s'%s; 'assay backends list' shows what can be installed", n.name,
			       spec_hint(&(struct near)NEAR(n.name)));
	if (!n.version || strcmp(n.version, "all"))
		return install_one(j, l, n.version, e);
	for (size_t i = 0; !rc && i < l->versions.n; i++)
		rc = install_one(j, l, l->versions.at[i].version, e);
	return rc;
}

/* Of every library that can run here the first version, whatever becomes of the others; a status. */
static int install_all(const struct job *j)
{
	int status = CLI_OK;

	for (size_t i = 0; i < j->locks.n; i++) {
		struct err e = ERR_INIT;

		if (spec_is_absent(j->locks.at[i].name, &e))
			tell_left_out(j, j->locks.at[i].name, "skipped", e.msg);
		else if (j->locks.at[i].apart)
			tell_left_out(j, j->locks.at[i].name, "not one of 'all'", j->locks.at[i].apart);
		else if (install_one(j, &j->locks.at[i], NULL, &e))
			status = tell_failed(j, j->locks.at[i].name, &e);
	}
	return status;
}

/* All names are tried: one library that cannot be installed does not keep the others away. */
int backends_install(struct cli *c, const struct texts *names, void *options, struct err *e)
{
	struct job j = {.out = c->out, .o = options, .locks = VEC_INIT};
	int status = CLI_OK, rc = install_read_locks(&j.locks, e);

	j.list = j.o->json ? json_array() : NULL;

	for (size_t i = 0; i < names->n && !rc; i++) {
		struct err own = ERR_INIT;
		int failed;

		if (strcmp(names->at[i], "all"))
			failed = install_named(&j, names->at[i], &own) ? tell_failed(&j, names->at[i], &own) : CLI_OK;
		else
			failed = install_all(&j);
		status = failed ? failed : status;
	}
	if (!rc && j.list && cli_print_json(c->out, json_pack("{s:O}", "backends", j.list)))
		status = CLI_FAILED;
	json_decref(j.list);
	install_locks_release(&j.locks);
	return rc ? rc : status;
}
