/* backends_install.c - assay backends install. */
#include <stdio.h>
#include <string.h>

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
};

static int install_one(const struct job *j, const struct lock *l, const char *version, struct err *e)
{
	struct bars bars = {.running = 0};
	struct install_options o = {.root = j->o->root,
				    .unlocked = j->o->unlocked,
				    .force = j->o->force,
				    .offline = j->o->offline,
				    .watch = {show_step, &bars}};
	struct install_result r;
	char size[32];
	int rc = install_library(l, version, &o, &r, e);

	if (bars.running)
		progress_end(&bars.bar);
	if (rc)
		return rc;
	fprintf(j->out, "%s@%s: %s in '%s', %s%s\n", l->name, r.version, r.was_there ? "is already" : "installed",
		r.folder, backends_size_text(r.bytes, size, sizeof size),
		r.foreign ? "; not put there by this command: --force replaces it" : "");
	if (r.rows.len)
		fprintf(j->out, "not locked; for '%s':\n%s", l->path, r.rows.data);
	fflush(j->out);
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
			fprintf(j->out, "%s: skipped: %s\n", j->locks.at[i].name, e.msg);
		else if (j->locks.at[i].apart)
			fprintf(j->out, "%s: not one of 'all': %s\n", j->locks.at[i].name, j->locks.at[i].apart);
		else if (install_one(j, &j->locks.at[i], NULL, &e))
			status = cli_fail(&e);
	}
	return status;
}

/* All names are tried: one library that cannot be installed does not keep the others away. */
int backends_install(struct cli *c, const struct texts *names, void *options, struct err *e)
{
	struct job j = {.out = c->out, .o = options, .locks = VEC_INIT};
	int status = CLI_OK, rc = install_read_locks(&j.locks, e);

	for (size_t i = 0; i < names->n && !rc; i++) {
		struct err own = ERR_INIT;
		int failed;

		if (strcmp(names->at[i], "all"))
			failed = install_named(&j, names->at[i], &own) ? cli_fail(&own) : CLI_OK;
		else
			failed = install_all(&j);
		status = failed ? failed : status;
	}
	install_locks_release(&j.locks);
	return rc ? rc : status;
}
