/* format.c - see format.h. */
#include "worker/parent/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/place.h"
#include "worker/parent/folder.h"
#include "worker/parent/spec.h"

#define SECONDS 600 /* large weights take some to read */
#define MAX_ONNX ((size_t)2 << 30)
#define PREFIX "error: " /* of what a script says last when it gives up */

struct format {
	const char *suffix, *backend, *script;
};

static const struct format formats[] = {
#define BACKEND(name, library, kind, options, environment, summary)
#define OPTION_SET(backend, name, options, environment)
#define ALSO(also, backend)
#define FORMAT(suffix, backend, script) {suffix, backend, script},
#include "worker/backends.def"
#undef BACKEND
#undef OPTION_SET
#undef ALSO
#undef FORMAT
	{NULL, NULL, NULL}};

static const struct format *find(const char *path)
{
	const struct format *f = formats;

	while (f->suffix && !place_has_suffix(path, f->suffix))
		f++;
	return f->suffix ? f : NULL;
}

int format_is_known(const char *path)
{
	return find(path) != NULL;
}

/* The script lies beside the one that starts the library's worker. */
static int find_script(const struct format *f, const struct worker_spec *spec, char *out, struct err *e)
{
	const char *worker = spec->args && spec->args[0] ? spec->args[0] : "", *slash = strrchr(worker, '/');

	return place_path(out, e, "%.*s/%s", slash ? (int)(slash - worker) : 1, slash ? worker : ".", f->script);
}

/* What is wrong, in the script's words, or how it ended. */
static int tell(const char *path, const char *log, int status, struct err *e)
{
	char said[1024] = "";

	child_log_error(log, PREFIX, said, sizeof said);
	if (status == 1 && !strncmp(said, PREFIX, strlen(PREFIX)))
		return err_set(e, ERR_INPUT, "%s: %s", path, said + strlen(PREFIX));
	return err_set(e, ERR_INPUT, "%s: it cannot be made into ONNX: the converter ended with status %d%s%s", path,
		       status, *said ? ": " : "", said);
}

static int run_script(const struct worker_spec *spec, const char *script, const char *path, const char *folder,
		      struct buf *out, struct err *e)
{
	char whole[PLACE_PATH], onnx[PLACE_PATH], log[PLACE_PATH];
	const char *const argv[] = {spec->program, script, whole, onnx, NULL};
	int status = 0, rc;

	if (!realpath(path, whole))
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	rc = place_path(onnx, e, "%s/model.onnx", folder);
	if (!rc)
		rc = place_path(log, e, "%s/log", folder);
	if (!rc)
		rc = child_run(&(struct child){.argv = argv,
					       .folder = folder,
					       .environment = (const char *const *)spec->env,
					       .log = log,
					       .seconds = clock_patience(SECONDS)},
			       &status, e);
	if (!rc && status)
		rc = tell(path, log, status, e);
	return rc ? rc : buf_read_file(out, onnx, MAX_ONNX, e);
}

int format_read(const char *path, struct buf *out, struct err *e)
{
	const struct format *f = find(path);
	struct folder folder = FOLDER_INIT;
	char script[PLACE_PATH];
	struct worker_spec spec;
	int rc;

	if (access(path, R_OK))
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	rc = spec_make(f->backend, &spec, e);
	if (rc) {
		err_prefix(e, "%s is read with the packages of '%s'", path, f->backend);
		return rc;
	}
	rc = find_script(f, &spec, script, e);
	if (!rc)
		rc = folder_make(&folder, NULL, e);
	if (!rc)
		rc = run_script(&spec, script, path, folder.path, out, e);
	folder_remove(&folder);
	spec_release(&spec);
	return rc;
}
