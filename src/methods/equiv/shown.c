/* shown.c - see shown.h. */
#include "methods/equiv/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/place.h"

#define SCRIPT_SECONDS 120 /* a package takes some to load */

/* Runs a file of the folder, or a line of Python; its exit status. */
static int run(const char *python, const char *const words[2], const char *folder, int *status, struct err *e)
{
	const char *const argv[] = {python, words[0], words[1], NULL};
	char log[PLACE_PATH];
	int rc = place_path(log, e, "%s/log", folder);

	return rc ? rc
		  : child_run(&(struct child){.argv = argv,
					      .folder = folder,
					      .log = log,
					      .seconds = clock_patience(SCRIPT_SECONDS)},
			      status, e);
}

int shown_can(const char *python, const char *package, const char *version)
{
	char folder[PLACE_PATH], line[512];
	struct err ignored = ERR_INIT;
	int status = 2;

	if (place_temporary_folder(folder, "script", &ignored))
		return 0;
	snprintf(line, sizeof line, "import sys, numpy, %s as p; sys.exit(0 if p.__version__.startswith('%s') else 1)",
		 package, version);
	if (run(python, (const char *const[]){"-c", line}, folder, &status, &ignored))
		status = 2;
	place_remove_tree(folder, &ignored);
	return status == 0;
}

int shown_choose(const struct equiv *q, const char *asked, struct equiv_options *o, struct err *e)
{
	const struct library *l = q->registry.library;
	const char *python = asked ? asked : getenv("ASSAY_PYTHON");

	if (o->plant || !l || !l->script.package)
		return 0;
	if (!python || !*python)
		python = "python3";
	if (shown_can(python, l->script.package, q->version))
		o->python = python;
	else if (asked)
		return err_set(e, ERR_USAGE, "--python: '%s' is not a Python with numpy, %s %s", asked,
			       l->script.package, q->version);
	return 0;
}

enum shown_result shown_run(const char *python, const char *script, struct err *e)
{
	char folder[PLACE_PATH], path[PLACE_PATH];
	struct err ignored = ERR_INIT;
	int status = 2, rc = place_temporary_folder(folder, "script", e);

	if (rc)
		return SHOWN_FAILED;
	rc = place_path(path, e, "%s/repro.py", folder);
	if (!rc)
		rc = buf_write_file(script, strlen(script), path, e);
	if (!rc)
		rc = run(python, (const char *const[]){path, NULL}, folder, &status, e);
	place_remove_tree(folder, &ignored);
	if (rc)
		return SHOWN_FAILED;
	return status == 1 ? SHOWN_YES : status == 0 ? SHOWN_NO : SHOWN_NOT_RUN;
}
