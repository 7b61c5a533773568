/* place.c - see place.h. */
#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int place_path(char *out, struct err *e, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(out, PLACE_PATH, fmt, args);
	va_end(args);
	return n < 0 || n >= PLACE_PATH ? err_set(e, ERR_LIMIT, "a path of more than %d bytes", PLACE_PATH - 1) : 0;
}

/* ---- temporary ones ---------------------------------------------------------------------------------------------- */

const char *place_temporary(void)
{
	const char *given = getenv("TMPDIR");

	return given && *given == '/' ? given : "/tmp";
}

static int cannot_make(const char *what, struct err *e)
{
	return err_set(e, ERR_IO, "cannot make a %s in '%s': %s", what, place_temporary(), strerror(errno));
}

int place_temporary_folder(char *out, const char *name, struct err *e)
{
	int rc = place_path(out, e, "%s/assay-%s-XXXXXX", place_temporary(), name);

	return rc ? rc : mkdtemp(out) ? 0 : cannot_make("folder", e);
}

int place_temporary_file(char *out, const char *name, struct err *e)
{
	int rc = place_path(out, e, "%s/assay-%s-XXXXXX", place_temporary(), name), fd = rc ? -1 : mkstemp(out);

	if (rc || fd < 0)
		return rc ? rc : cannot_make("file", e);
	close(fd);
	return 0;
}

int place_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int place_has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n >= m && !strcasecmp(path + n - m, suffix);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* The folder of this program, without a '/' at its end. */
static int own_folder(char out[PLACE_PATH])
{
	ssize_t n = readlink("/proc/self/exe", out, PLACE_PATH - 1);
	char *slash;

	if (n <= 0)
		return 0;
	out[n] = '\0';
	slash = strrchr(out, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	return 1;
}

int place_is_installed(void)
{
	char self[PLACE_PATH], libraries[PLACE_PATH];
	struct err ignored = ERR_INIT;

	return own_folder(self) && !place_path(libraries, &ignored, "%s/../share/assay/libraries", self) &&
	       place_is_folder(libraries);
}

int place_data(char *out, struct err *e)
{
	const char *given = getenv("ASSAY_DATA");
	char self[PLACE_PATH] = "";

	own_folder(self);
	if (given && *given)
		return place_is_folder(given)
			       ? place_path(out, e, "%s", given)
			       : err_set(e, ERR_IO, "ASSAY_DATA names '%s', which is not a folder", given);
	if (place_is_installed())
		return place_path(out, e, "%s/../share/assay", self);
	if (place_is_folder(ASSAY_SOURCE_FOLDER "/data"))
		return place_path(out, e, "%s", ASSAY_SOURCE_FOLDER "/data");
	return err_set(e, ERR_IO, "no data files: neither '%s/../share/assay' nor '%s' is there; set ASSAY_DATA", self,
		       ASSAY_SOURCE_FOLDER "/data");
}

int place_data_file(const char *given, const char *name, char *out, struct err *e)
{
	char data[PLACE_PATH];
	int rc;

	if (given)
		return place_path(out, e, "%s", given);
	rc = place_data(data, e);
	return rc ? rc : place_path(out, e, "%s/%s", data, name);
}

int place_source(const char *name, char *out, struct err *e)
{
	char data[PLACE_PATH];
	int rc = place_data(data, e);

	if (!rc)
		rc = place_path(out, e, "%s/%s", data, name);
	if (!rc && access(out, R_OK) && !place_is_installed())
		rc = place_path(out, e, "%s/%s", ASSAY_SOURCE_FOLDER, name);
	if (!rc && access(out, R_OK))
		rc = err_set(e, ERR_IO, "no source file '%s' in '%s'", name, data);
	return rc;
}

int place_deps(const char *name, char *out, struct err *e)
{
	const char *deps = getenv("ASSAY_DEPS");
	int given = deps && *deps, rc;

	if (!given && place_is_installed())
		return err_set(e, ERR_IO, "no '%s': set ASSAY_DEPS to the folder .deps of a source tree", name);
	rc = place_path(out, e, "%s/%s", given ? deps : ASSAY_SOURCE_FOLDER "/.deps", name);

	if (!rc && access(out, R_OK))
		rc = err_set(e, ERR_IO, "no '%s'; 'make setup' in the source tree fetches it", out);
	return rc;
}

/* ---- folders to write to ----------------------------------------------------------------------------------------- */

int place_make_folder(const char *path, struct err *e)
{
	if (mkdir(path, 0777) && (errno != EEXIST || !place_is_folder(path)))
		return err_set(e, ERR_IO, "cannot make folder '%s': %s", path, strerror(errno));
	return 0;
}

int place_make_folders(const char *path, struct err *e)
{
	char part[PLACE_PATH];
	int rc = place_path(part, e, "%s/", path);

	for (char *p = rc ? NULL : strchr(part + 1, '/'); p && !rc; p = strchr(p + 1, '/')) {
		*p = '\0';
		rc = place_make_folder(part, e);
		*p = '/';
	}
	return rc;
}

int place_make_parents(const char *path, struct err *e)
{
	char folder[PLACE_PATH];
	int rc = place_path(folder, e, "%s", path);
	char *slash = rc ? NULL : strrchr(folder, '/');

	if (!slash || slash == folder)
		return rc;
	*slash = '\0';
	return place_make_folders(folder, e);
}

int place_cache(char *out, struct err *e)
{
	const char *given = getenv("ASSAY_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int rc;

	if (given && *given)
		rc = place_path(out, e, "%s", given);
	else if (xdg && *xdg)
		rc = place_path(out, e, "%s/assay/packages", xdg);
	else if (home && *home)
		rc = place_path(out, e, "%s/.cache/assay/packages", home);
	else
		rc = err_set(e, ERR_IO, "no folder for fetched packages: set ASSAY_CACHE or HOME");
	return rc ? rc : place_make_folders(out, e);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

static FTS *open_tree(const char *path)
{
	char *paths[] = {(char *)path, NULL};

	return fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
}

int place_remove_tree(const char *path, struct err *e)
{
	FTS *tree = open_tree(path);
	FTSENT *entry;
	int rc = tree ? 0 : err_set(e, ERR_IO, "cannot remove '%s': %s", path, strerror(errno));

	while (!rc && (entry = fts_read(tree))) {
		int failed = 0;

		if (entry->fts_info == FTS_D)
			continue;
		if (entry->fts_info == FTS_DP)
			failed = rmdir(entry->fts_accpath);
		else if (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR)
			failed = (errno = entry->fts_errno) != ENOENT;
		else
			failed = unlink(entry->fts_accpath);
		if (failed)
			rc = err_set(e, ERR_IO, "cannot remove '%s': %s", entry->fts_path, strerror(errno));
	}
	if (tree)
		fts_close(tree);
	return rc;
}

uint64_t place_tree_bytes(const char *path)
{
	FTS *tree = open_tree(path);
	uint64_t bytes = 0;

	for (FTSENT *entry; tree && (entry = fts_read(tree));)
		if (entry->fts_info == FTS_F)
			bytes += (uint64_t)entry->fts_statp->st_size;
	if (tree)
		fts_close(tree);
	return bytes;
}
