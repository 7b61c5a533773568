/* install.c - see install.h.
 *
 * A library is made in <root>/<name>/.part-<version> and renamed when it is whole.  One installer works on a version at
 * a time, others wait; what an interrupted one left behind is cleared away by the next. */
#include "install/install.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "install/manifest.h"
#include "install/modules.h"
#include "install/recipe.h"
#include "install/steps.h"
#include "install/unlocked.h"
#include "install/unpack.h"

struct install_job {
	const struct lock *lock;
	const struct lock_version *version;
	const struct install_options *options;
	struct install_result *out;
	VEC(const struct lock_package *) packages; /* those of the version for this machine and its Python */
	struct manifest_packages fetched;
	struct unpacked files;
	char recipe[HASH_TEXT];
	char root[PLACE_PATH], part[PLACE_PATH], old[PLACE_PATH];
};

void install_result_release(struct install_result *r)
{
	buf_release(&r->rows);
}

/* ---- what to install --------------------------------------------------------------------------------------------- */

int install_check_needs(const struct lock_version *v, struct err *e)
{
	for (size_t i = 0; i < v->needs.n; i++) {
		void *library = dlopen(v->needs.at[i].soname, RTLD_LAZY | RTLD_LOCAL);

		if (!library)
			return err_set(e, ERR_IO, "it needs the shared library '%s': install the package '%s'",
				       v->needs.at[i].soname, v->needs.at[i].package);
		dlclose(library);
	}
	return 0;
}

/* True when a wheel of the same project was chosen already. */
static int has_project(const struct install_job *j, const struct wheel_name *w)
{
	struct wheel_name other;

	for (size_t i = 0; i < j->packages.n; i++)
		if (j->packages.at[i]->source == LOCK_WHEEL && wheel_name_parse(j->packages.at[i]->name, &other) &&
		    !strcmp(other.project, w->project))
			return 1;
	return 0;
}

/* "3.11, 3.12": the Pythons that a lock file has wheels of a project for on this machine; "" when it has none. */
static const char *pythons_of(const struct lock_version *v, const char *project, char *out, size_t size)
{
	const char *machine = lock_machine();
	struct wheel_name w;
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < v->packages.n && at < size; i++)
		if (v->packages.at[i].source == LOCK_WHEEL && wheel_name_parse(v->packages.at[i].name, &w) &&
		    lock_fits(&v->packages.at[i], machine) && !strcmp(w.project, project) &&
		    !strncmp(w.python, "cp3", 3))
			at += (size_t)snprintf(out + at, size - at, "%s3.%s", at ? ", " : "", w.python + 3);
	return out;
}

/* Says why there is no wheel of a project: this machine, or this Python. */
static int no_wheel(const struct install_job *j, const char *project, int python, struct err *e)
{
	char has[256];

	if (!j->version->python || !*pythons_of(j->version, project, has, sizeof has))
		return err_set(e, ERR_UNSUPPORTED, "no wheel of '%s' for %s in '%s'", project, lock_machine(),
			       j->lock->path);
	return err_set(e, ERR_UNSUPPORTED,
		       "no wheel of '%s' for Python %d.%d in '%s', which has them for %s; set ASSAY_PYTHON to one of "
		       "these",
		       project, python / 100, python % 100, j->lock->path, has);
}

/* A project has a wheel for every machine that the lock file knows, and for a library inside Python one for every
 * Python. */
static int choose_packages(struct install_job *j, struct err *e)
{
	const struct lock_version *v = j->version;
	const char *machine = lock_machine();
	int python = 0, rc = v->python ? fetch_python_version(&python, e) : 0;
	struct wheel_name w;

	for (size_t i = 0; !rc && i < v->packages.n; i++) {
		const struct lock_package *p = &v->packages.at[i];

		if (!lock_fits(p, machine) || (v->python && p->source == LOCK_WHEEL && wheel_name_parse(p->name, &w) &&
					       (!fetch_wheel_fits(&w, python) || has_project(j, &w))))
			continue;
		if (vec_push(&j->packages, p))
			rc = err_nomem(e, "packages", 0);
	}
	for (size_t i = 0; !rc && i < v->packages.n; i++)
		if (v->packages.at[i].source == LOCK_WHEEL && wheel_name_parse(v->packages.at[i].name, &w) &&
		    !has_project(j, &w))
			rc = no_wheel(j, w.project, python, e);
	return rc;
}

/* ---- installing -------------------------------------------------------------------------------------------------- */

static int fetch_all(struct install_job *j, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < j->packages.n; i++) {
		struct manifest_package p = {.package = j->packages.at[i]};

		rc = fetch_package(j->lock, p.package, j->options->offline, &j->options->watch, &p.file, e);
		if (!rc && vec_push(&j->fetched, p))
			rc = err_nomem(e, "packages", 0);
		if (!rc && !*p.package->sha256)
			buf_printf(&j->out->rows, "%s %s %llu %s\n", lock_source_word(p.package->source),
				   p.package->source == LOCK_WHEEL ? p.file.name : p.package->name,
				   (unsigned long long)p.file.bytes, p.file.sha256);
	}
	return rc;
}

struct unpack_watch {
	const struct install_watch *watch;
	char what[300];
};

static void unpack_step(void *arg, size_t done, size_t total)
{
	struct unpack_watch *w = arg;

	if (w->watch->step)
		w->watch->step(w->watch->arg, w->what, INSTALL_MEMBERS, done, total);
}

static int fill(struct install_job *j, struct err *e)
{
	int rc = place_remove_tree(j->part, e);

	if (!rc)
		rc = place_make_folders(j->part, e);
	for (size_t i = 0; !rc && i < j->fetched.n; i++) {
		struct unpack_watch w = {.watch = &j->options->watch};
		struct unpack_progress progress = {unpack_step, &w};

		snprintf(w.what, sizeof w.what, "unpacking %s", j->fetched.at[i].file.name);
		rc = unpack_package(j->fetched.at[i].file.path, j->fetched.at[i].package, j->part, &j->files, &progress,
				    e);
	}
	for (size_t i = 0; !rc && i < j->version->steps.n; i++)
		rc = step_run(&j->version->steps.at[i], j->part, &j->files, &j->options->watch, e);
	if (!rc && j->version->python)
		rc = modules_compile(j->part, e);
	if (!rc)
		rc = manifest_write(j->part, j->lock->name, j->version->version, j->recipe, &j->fetched, &j->files, e);
	return rc;
}

/* The old folder, if any, steps aside first: a rename does not replace a folder that is not empty. */
static int put_in_place(struct install_job *j, struct err *e)
{
	struct err ignored = ERR_INIT;
	int had_old, rc = place_remove_tree(j->old, e);

	if (rc)
		return rc;
	had_old = !rename(j->out->folder, j->old);
	if (!had_old && errno != ENOENT)
		return err_set(e, ERR_IO, "cannot replace '%s': %s", j->out->folder, strerror(errno));
	if (rename(j->part, j->out->folder)) {
		rc = err_set(e, ERR_IO, "cannot rename '%s' to '%s': %s", j->part, j->out->folder, strerror(errno));
		if (had_old && rename(j->old, j->out->folder))
			err_prefix(e, "the old folder is '%s' now", j->old);
		return rc;
	}
	place_remove_tree(j->old, &ignored);
	return 0;
}

/* Whether there is nothing to do.  A folder that was filled by other means (`make` puts ONNX Runtime there) is kept. */
static int is_there(struct install_job *j)
{
	struct stat st;
	enum manifest_state state;

	if (j->options->force || stat(j->out->folder, &st))
		return 0;
	state = manifest_compare(j->out->folder, j->recipe, j->packages.at, j->packages.n);
	j->out->foreign = state == MANIFEST_NONE;
	return state == MANIFEST_SAME || j->out->foreign;
}

static int install_held(struct install_job *j, struct err *e)
{
	struct err ignored = ERR_INIT;
	int rc;

	if (is_there(j)) {
		j->out->was_there = 1;
		j->out->bytes = place_tree_bytes(j->out->folder);
		return 0;
	}
	rc = install_check_needs(j->version, e);
	if (!rc)
		rc = fetch_all(j, e);
	if (!rc)
		rc = fill(j, e);
	if (!rc)
		rc = put_in_place(j, e);
	if (rc)
		place_remove_tree(j->part, &ignored);
	j->out->bytes = j->files.bytes;
	j->out->files = j->files.files.n;
	return rc;
}

static int set_paths(struct install_job *j, struct err *e)
{
	const char *name = j->lock->name, *version = j->version->version;
	int rc = install_root(j->options->root, j->root, e);

	if (!rc)
		rc = place_path(j->out->folder, e, "%s/%s/%s", j->root, name, version);
	if (!rc)
		rc = place_path(j->part, e, "%s/%s/.part-%s", j->root, name, version);
	if (!rc)
		rc = place_path(j->old, e, "%s/%s/.old-%s", j->root, name, version);
	return rc;
}

/* Waits for other installers of the version: what they compile takes minutes. */
static int wait_for(int fd, const struct install_job *j)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		log_print(LOG_INFO, "another process installs %s@%s: waiting for it", j->lock->name,
			  j->version->version);
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return -1;
	return 0;
}

/* Holds the version's folder against other installers; a descriptor to close, or a negative status. */
static int hold_version(const struct install_job *j, struct err *e)
{
	char path[PLACE_PATH];
	int fd = place_path(path, e, "%s/.lock-%s@%s", j->root, j->lock->name, j->version->version);

	if (fd)
		return fd;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(e, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
	if (wait_for(fd, j)) {
		err_set(e, ERR_IO, "cannot lock '%s': %s", path, strerror(errno));
		close(fd);
		return ERR_IO;
	}
	return fd;
}

static int run_job(struct install_job *j, struct err *e)
{
	int fd, rc = set_paths(j, e);

	if (!rc)
		rc = choose_packages(j, e);
	if (rc)
		return rc;
	recipe_digest(j->packages.at, j->packages.n, j->version, j->recipe);
	fd = hold_version(j, e);
	if (fd < 0)
		return fd;
	rc = install_held(j, e);
	close(fd);
	return rc;
}

int install_library(const struct lock *l, const char *version, const struct install_options *o,
		    struct install_result *out, struct err *e)
{
	struct install_result result = {0};
	struct unlocked made = UNLOCKED_INIT;
	struct install_job j = {.lock = l, .options = o, .out = &result, .files = UNPACKED_INIT};
	int rc = 0;

	buf_init(&result.rows, 1 << 16);
	j.version = version ? lock_find(l, version) : &l->versions.at[0];
	if (!j.version && o->unlocked) {
		rc = unlocked_make(l, version, &made, e);
		j.version = &made.version;
	} else if (!j.version) {
		rc = err_set(e, ERR_USAGE,
			     "'%s' has no version '%s' (--unlocked fetches it without a digest to compare)", l->path,
			     version);
	}
	if (!rc)
		rc = run_job(&j, e);
	result.version = version ? version : l->versions.at[0].version;
	vec_release(&j.packages);
	vec_release(&j.fetched);
	unpacked_release(&j.files);
	unlocked_release(&made);
	if (rc) {
		install_result_release(&result);
		return err_prefix(e, "%s%s%s", l->name, version ? "@" : "", version ? version : "");
	}
	*out = result;
	return 0;
}
