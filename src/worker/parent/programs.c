/* programs.c - the programs behind backends: worker programs, Python with the workers' modules, commands (declared in
 * internal_spec.h). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"
#include "worker/parent/internal_spec.h"

static char *path_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A path that exists, as a new string, or NULL. */
static char *path_of(const char *fmt, ...)
{
	char path[SPEC_PATH];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(path, sizeof path, fmt, args);
	va_end(args);
	return n > 0 && n < (int)sizeof path && !access(path, R_OK) ? mem_strdup(path) : NULL;
}

/* A file of the workers: beside this program (as built), where an installation puts it, or, unless it is installed, in
 * the folder it was built in. */
static char *find_beside(const char *built, const char *installed, const char *otherwise, const char *name)
{
	char self[SPEC_PATH], *found = NULL, *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	if (slash)
		found = path_of("%s/%s/%s", self, built, name);
	if (!found && slash)
		found = path_of("%s/%s/%s", self, installed, name);
	return found || place_is_installed() ? found : path_of("%s/%s", otherwise, name);
}

static char *find_given(const char *name)
{
	const char *given = getenv("ASSAY_WORKERS");

	return given && *given ? path_of("%s/%s", given, name) : NULL;
}

/* The same; where there is an $ASSAY_WORKERS, below that alone. */
static char *find_worker_file(const char *built, const char *installed, const char *otherwise, const char *name)
{
	const char *given = getenv("ASSAY_WORKERS");

	return given && *given ? find_given(name) : find_beside(built, installed, otherwise, name);
}

char *spec_find_in_path(const char *program)
{
	const char *path = getenv("PATH");
	char *found = NULL;

	if (strchr(program, '/'))
		return path_of("%s", program);
	while (path && *path && !found) {
		size_t n = strcspn(path, ":");

		if (n)
			found = path_of("%.*s/%s", (int)n, path, program);
		path += n + (path[n] == ':');
	}
	return found;
}

char *spec_find_supervisor(struct err *e)
{
	static const char name[] = "worker-supervisor";
	char *found = find_given(name); /* a folder with somebody's own workers need not have it */

	if (!found)
		found = find_beside("workers", "../libexec/assay/workers", ASSAY_WORKERS_FOLDER, name);
	if (!found)
		err_set(e, ERR_IO,
			"there is no program '%s' beside assay; build it, or set ASSAY_WORKERS to its folder", name);
	return found;
}

/* The program of a worker called `worker`, n bytes of it: somebody's own in $ASSAY_WORKERS, or ours, which is told its
 * name. */
static int find_program(struct worker_spec *s, const char *worker, size_t n, struct err *e)
{
	static const char ours[] = "assay-worker";
	char own[128], name[64];

	snprintf(name, sizeof name, "%.*s", (int)n, worker);
	snprintf(own, sizeof own, "%s-%s", ours, name);
	s->program = find_given(own);
	if (s->program)
		return 0;
	s->program = find_worker_file("workers", "../libexec/assay/workers", ASSAY_WORKERS_FOLDER, ours);
	if (s->program)
		return spec_add_arg(s, name, e);
	return err_set(e, ERR_IO,
		       "backend '%s' has no program '%s' beside assay; build it, or set ASSAY_WORKERS to its folder",
		       s->backend, ours);
}

int spec_find_program(struct worker_spec *s, const struct spec_backend *b, struct err *e)
{
	return find_program(s, b->name, spec_name_length(b->name), e);
}

static char *find_python_file(const char *name)
{
	return find_worker_file("../workers/python", "../share/assay/workers/python", ASSAY_PYTHON_FOLDER, name);
}

/* A local build, which has no version here, may be the folder of the package itself. */
static int set_python_path(struct worker_spec *s, struct err *e)
{
	char path[SPEC_PATH];

	if (snprintf(path, sizeof path, "%s/site", s->folder) >= (int)sizeof path ||
	    snprintf(path, sizeof path, "PYTHONPATH=%s%s", s->folder,
		     !*s->version && access(path, F_OK) ? "" : "/site") >= (int)sizeof path)
		return err_set(e, ERR_LIMIT, "the path of '%s' is too long", s->folder);
	return spec_set_env(s, path, e);
}

/* s->program and its arguments: a script of the workers and the name of one, run by the interpreter that the variable
 * names, or the one in PATH. */
static int find_script(struct worker_spec *s, const struct spec_backend *b, char *script, const char *variable,
		       const char *interpreter, struct err *e)
{
	const char *given = getenv(variable);
	char module[64];
	int rc = 0;

	snprintf(module, sizeof module, "%.*s", (int)spec_name_length(b->name), b->name);
	s->program = spec_find_in_path(given && *given ? given : interpreter);
	if (!script || !s->program)
		rc = err_set(e, ERR_IO, "backend '%s' needs %s, which is not there", b->name,
			     script ? interpreter : "its worker's script");
	if (!rc)
		rc = spec_add_arg(s, script, e);
	if (!rc)
		rc = spec_add_arg(s, module, e);
	mem_free(script);
	return rc;
}

static char *find_node_file(const char *name)
{
	return find_worker_file("../workers/node", "../share/assay/workers/node", ASSAY_NODE_FOLDER, name);
}

/* A worker in Python may have another library's, of those in C, do a part of its work (workers/python/tf_graph.py). */
static int set_worker_program(struct worker_spec *s, struct err *e)
{
	char *found = find_worker_file("workers", "../libexec/assay/workers", ASSAY_WORKERS_FOLDER, "assay-worker");
	char variable[SPEC_PATH];
	int rc = 0;

	if (found && snprintf(variable, sizeof variable, "ASSAY_WORKER_PROGRAM=%s", found) < (int)sizeof variable)
		rc = spec_set_env(s, variable, e);
	mem_free(found);
	return rc;
}

int spec_find_script(struct worker_spec *s, const struct spec_backend *b, struct err *e)
{
	int rc;

	if (b->kind == SPEC_NODE)
		return find_script(s, b, find_node_file("worker.mjs"), "ASSAY_NODE", "node", e);
	rc = find_script(s, b, find_python_file("worker.py"), "ASSAY_PYTHON", "python3", e);
	if (!rc)
		rc = set_python_path(s, e);
	return rc ? rc : set_worker_program(s, e);
}

/* The program "rewrite", which finds Python's part where the variable says. */
static int find_rewrite_program(struct worker_spec *s, struct err *e)
{
	static const char worker[] = "rewrite", file[] = "rewriters.py";
	char *script = find_python_file(file), variable[SPEC_PATH];
	int rc = find_program(s, worker, sizeof worker - 1, e);

	if (!rc &&
	    (!script || snprintf(variable, sizeof variable, "ASSAY_REWRITERS=%s", script) >= (int)sizeof variable))
		rc = err_set(e, ERR_IO, "backend '%s' needs workers/python/%s, which is not there", s->name, file);
	if (!rc)
		rc = spec_set_env(s, variable, e);
	mem_free(script);
	return rc;
}

int spec_find_rewrite(struct worker_spec *s, struct err *e)
{
	int rc = find_rewrite_program(s, e);

	return rc ? rc : set_python_path(s, e);
}

int spec_find_rewrite_command(struct worker_spec *s, const char *command, struct err *e)
{
	char variable[SPEC_PATH];
	int rc = find_rewrite_program(s, e);

	if (!rc && snprintf(variable, sizeof variable, "ASSAY_REWRITE_COMMAND=%s", command) >= (int)sizeof variable)
		rc = err_set(e, ERR_LIMIT, "the command of '%s' is too long", s->name);
	if (!rc && !command[strspn(command, " ")])
		rc = err_set(e, ERR_USAGE, "backend '%s' needs a command", s->name);
	if (!rc)
		rc = spec_set_env(s, variable, e);
	return rc ? rc : spec_set_option(s, "rewriter", "command", e);
}
