/* fetch.c - see fetch.h. */
#include "install/fetch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child.h"
#include "worker/parent/spec.h"

#define MAX_WORDS 64
#define TAIL 600 /* bytes of a program's last words in a message */
#define ATTEMPTS 4
#define FIRST_PAUSE 2 /* seconds; each further one is four times as long */

/* What tags to ask for begin with when the lock file does not name the exact wheel; the machine is their end. */
static const char *const any_platform[] = {"manylinux_2_39", "manylinux_2_35", "manylinux_2_34", "manylinux_2_31",
					   "manylinux_2_28", "manylinux_2_27", "manylinux_2_26", "manylinux_2_24",
					   "manylinux2014",  "manylinux2010",  "manylinux1"};

/* One package that is being fetched. */
struct fetch_job {
	const struct lock_package *package;
	const struct install_watch *watch;
	char part[PLACE_PATH];   /* folder that the download goes to */
	char log[PLACE_PATH];    /* beside it, so that it does not count */
	char second[PLACE_PATH]; /* another folder to look at for growth; "" none */
	int attempt;             /* 1, 2, … */
	int final;               /* it failed in a way that trying again does not help */
};

/* ---- Python ------------------------------------------------------------------------------------------------------ */

const char *fetch_python(void)
{
	const char *given = getenv("ASSAY_PYTHON");

	return given && *given ? given : "python3";
}

int fetch_python_version(int *out, struct err *e)
{
	static const char program[] = "import sys; print(sys.version_info[0] * 100 + sys.version_info[1])";
	const char *const argv[] = {fetch_python(), "-c", program, NULL};
	struct child c = {.argv = argv, .folder = "/"};
	char cache[PLACE_PATH], log[PLACE_PATH], text[64], *end;
	int status, rc = place_cache(cache, e);

	if (!rc)
		rc = place_path(log, e, "%s/python-version.%ld", cache, (long)getpid());
	if (rc)
		return rc;
	c.log = log;
	rc = child_run(&c, &status, e);
	child_log_tail(log, text, sizeof text);
	unlink(log);
	if (rc)
		return err_prefix(e, "this library runs inside Python; install python3 or set ASSAY_PYTHON");
	*out = (int)strtol(text, &end, 10);
	return status || end == text || *end
		       ? err_set(e, ERR_IO, "'%s' does not say its version: %s", fetch_python(), text)
		       : 0;
}

int fetch_wheel_fits(const struct wheel_name *w, int version)
{
	const char *tag = w->python;

	while (*tag) {
		size_t n = strcspn(tag, ".");

		if (n == 3 && !strncmp(tag, "py3", n))
			return 1;
		if (n > 3 && !strncmp(tag, "cp3", 3)) {
			int wanted = 300 + (int)strtol(tag + 3, NULL, 10);

			if (wanted == version || (wanted < version && strstr(w->abi, "abi3")))
				return 1;
		}
		tag += n + (tag[n] == '.');
	}
	return 0;
}

/* ---- running the clients ----------------------------------------------------------------------------------------- */

static void watch_growth(void *arg)
{
	const struct fetch_job *j = arg;
	uint64_t done = place_tree_bytes(j->part), second = *j->second ? place_tree_bytes(j->second) : 0;

	if (second > done)
		done = second;
	if (j->watch && j->watch->step)
		j->watch->step(j->watch->arg, j->package->name, INSTALL_BYTES,
			       j->package->bytes && done > j->package->bytes ? j->package->bytes : done,
			       j->package->bytes);
}

/* Registries that were reached and do not have it; a pip that did not reach one says so too, after its retries. */
static int is_final(const char *said)
{
	return !strstr(said, "Retrying") &&
	       (strstr(said, "No matching distribution found") || strstr(said, "Could not find artifact") ||
		strstr(said, "code E404") || strstr(said, "code ETARGET"));
}

static int run_client(struct fetch_job *j, const char *const *argv, const char *missing, struct err *e)
{
	char tmp[PLACE_PATH + 16], said[16 * TAIL], tail[TAIL];
	/* A pip that can go on with a broken download (25.1) does so. */
	const char *const environment[] = {tmp, "PIP_PROGRESS_BAR=off", "PIP_NO_COLOR=1", "PIP_RESUME_RETRIES=8", NULL};
	struct child c = {.argv = argv,
			  .folder = j->part,
			  .environment = environment,
			  .log = j->log,
			  .tick = watch_growth,
			  .arg = j};
	int status, rc;

	snprintf(tmp, sizeof tmp, "TMPDIR=%s", j->part); /* pip downloads there before it moves the file */
	rc = child_run(&c, &status, e);
	if (!rc && !status)
		return 0;
	j->final = rc != 0;
	if (rc == ERR_UNSUPPORTED)
		return err_prefix(e, "%s", missing);
	if (rc)
		return rc;
	child_log_tail(j->log, said, sizeof said);
	child_log_tail(j->log, tail, sizeof tail);
	j->final = is_final(said);
	if (strstr(tail, "No module named pip")) {
		j->final = 1;
		return err_set(e, ERR_IO, "%s", missing);
	}
	return err_set(e, ERR_IO, "'%s' failed with status %d: %s", argv[0], status, tail);
}

/* "3.11" for a wheel's Python tag.  abi3 wheels fit all later ones, so the latest is asked for. */
static void python_of(const struct wheel_name *w, char *out, size_t size)
{
	if (!strncmp(w->python, "cp3", 3) && !strstr(w->abi, "abi3"))
		snprintf(out, size, "3.%.*s", (int)strcspn(w->python + 3, "."), w->python + 3);
	else
		snprintf(out, size, "%s", strstr(w->abi, "abi3") ? "3.14" : "3.11");
}

/* The platform tags to ask pip for, with '.' between them. */
static void platforms_of(const struct lock_package *p, const struct wheel_name *w, char *out, size_t size)
{
	size_t at = 0;

	if (*p->sha256 && strcmp(w->platform, "any")) {
		snprintf(out, size, "%s", w->platform);
		return;
	}
	for (size_t i = 0; i < sizeof any_platform / sizeof *any_platform && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s_%s", i ? "." : "", any_platform[i], lock_machine());
}

/* Adds "--platform TAG" for each tag of a list joined by '.'; cuts the list. */
static size_t add_platforms(char *tags, const char **argv, size_t n)
{
	while (tags && n + 4 < MAX_WORDS) {
		char *next = strchr(tags, '.');

		if (next)
			*next++ = '\0';
		argv[n++] = "--platform";
		argv[n++] = tags;
		tags = next;
	}
	return n;
}

static int fetch_wheel(struct fetch_job *j, struct err *e)
{
	const char *argv[MAX_WORDS] = {fetch_python(),     "-m",      "pip",
				       "download",         "--quiet", "--no-deps",
				       "--only-binary",    ":all:",   "--ignore-requires-python",
				       "--implementation", "cp",      "--dest"};
	char python[80], requirement[256], tags[512];
	struct wheel_name w;
	size_t n = 12;

	if (!wheel_name_parse(j->package->name, &w))
		return err_set(e, ERR_INTERNAL, "'%s' is not a wheel", j->package->name);
	python_of(&w, python, sizeof python);
	snprintf(requirement, sizeof requirement, "%s==%s", w.project, w.version);
	platforms_of(j->package, &w, tags, sizeof tags);
	argv[n++] = j->part;
	argv[n++] = "--python-version";
	argv[n++] = python;
	n = add_platforms(tags, argv, n);
	argv[n++] = requirement;
	argv[n] = NULL;
	return run_client(j, argv, "wheels are fetched with pip: install python3-pip, or set ASSAY_PYTHON", e);
}

/* Maven keeps what it gets in a repository of its own, where the download grows. */
static void watch_repository(struct fetch_job *j, const char *group, const char *artifact, const char *version)
{
	const char *home = getenv("HOME");
	struct err ignored = ERR_INIT;
	char folders[256];

	snprintf(folders, sizeof folders, "%s", group);
	for (char *p = folders; *p; p++)
		if (*p == '.')
			*p = '/';
	if (!home || place_path(j->second, &ignored, "%s/.m2/repository/%s/%s/%s", home, folders, artifact, version))
		j->second[0] = '\0';
}

/* Cuts "group:artifact:version[:classifier]". */
static void split_maven(char *text, char *parts[4])
{
	for (size_t i = 0; i < 4; i++) {
		parts[i] = text;
		text += strcspn(text, ":");
		if (*text)
			*text++ = '\0';
	}
}

static int fetch_maven(struct fetch_job *j, struct err *e)
{
	const char *given = getenv("ASSAY_MVN");
	char text[256], artifact[300], folder[PLACE_PATH + 32], *parts[4];
	const char *const argv[] = {given && *given ? given : "mvn",
				    "--batch-mode",
				    "--quiet",
				    "dependency:copy",
				    artifact,
				    folder,
				    "-Dtransitive=false",
				    j->attempt > 1 ? "--update-snapshots" : NULL, /* forget that it was not found */
				    NULL};

	snprintf(text, sizeof text, "%s", j->package->name);
	split_maven(text, parts);
	snprintf(artifact, sizeof artifact, "-Dartifact=%s:%s:%s:jar%s%s", parts[0], parts[1], parts[2],
		 *parts[3] ? ":" : "", parts[3]);
	snprintf(folder, sizeof folder, "-DoutputDirectory=%s", j->part);
	watch_repository(j, parts[0], parts[1], parts[2]);
	return run_client(j, argv, "jars are fetched with Maven: install the package maven, or set ASSAY_MVN", e);
}

static int fetch_npm(struct fetch_job *j, struct err *e)
{
	const char *given = getenv("ASSAY_NPM");
	char folder[PLACE_PATH + 32];
	const char *const argv[] = {
		given && *given ? given : "npm", "pack", "--loglevel=error", folder, j->package->name, NULL};

	snprintf(folder, sizeof folder, "--pack-destination=%s", j->part);
	return run_client(j, argv,
			  "packages of JavaScript are fetched with npm: install the package npm, or set ASSAY_NPM", e);
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

/* The file name of a package. */
static void file_name(const struct lock_package *p, char *out, size_t size)
{
	char text[256], *parts[4];

	if (p->source == LOCK_NPM) {
		size_t n = strcspn(p->name, "@");

		snprintf(out, size, "%.*s-%s.tgz", (int)n, p->name, p->name + n + 1);
		return;
	}
	if (p->source != LOCK_MAVEN) {
		const char *slash = strrchr(p->name, '/');

		snprintf(out, size, "%s", slash ? slash + 1 : p->name);
		return;
	}
	snprintf(text, sizeof text, "%s", p->name);
	split_maven(text, parts);
	snprintf(out, size, "%s-%s%s%s.jar", parts[1], parts[2], *parts[3] ? "-" : "", parts[3]);
}

/* 0 and *out filled when `path` is the package; ERR_INPUT when it is something else. */
static int verify(const char *path, const struct lock_package *p, struct fetched *out, struct err *e)
{
	int rc = hash_file(path, out->sha256, &out->bytes, e);

	if (!rc && *p->sha256 && strcmp(p->sha256, out->sha256))
		rc = err_set(
			e, ERR_INPUT,
			"'%s' is damaged, or not the file of the lock file: SHA-256 %s of %llu bytes, wanted %s of "
			"%llu",
			path, out->sha256, (unsigned long long)out->bytes, p->sha256, (unsigned long long)p->bytes);
	return rc ? rc : place_path(out->path, e, "%s", path);
}

/* A verified copy that is here already: in the cache, or among the wheels that scripts/setup fetched.  *damaged says
 * what is wrong with the one in the cache. */
static const char *find_copy(const char *cache, const struct lock_package *p, struct fetched *out, struct err *damaged)
{
	struct spec_roots roots;
	struct err ignored = ERR_INIT;
	char path[PLACE_PATH];

	if (!place_path(path, &ignored, "%s/%s", cache, out->name) && !verify(path, p, out, damaged))
		return out->path;
	spec_roots(&roots);
	for (size_t i = 0; i < roots.n; i++)
		if (!place_path(path, &ignored, "%s/../wheels/%s", roots.at[i], out->name) &&
		    !verify(path, p, out, &ignored))
			return out->path;
	return NULL;
}

static const struct {
	int (*fetch)(struct fetch_job *j, struct err *e);
	const char *suffix; /* of what it fetches; four bytes */
} clients[] = {
	[LOCK_WHEEL] = {fetch_wheel, ".whl"}, [LOCK_MAVEN] = {fetch_maven, ".jar"}, [LOCK_NPM] = {fetch_npm, ".tgz"}};

/* The one package in the download folder; its name is known only when it is locked. */
static int find_download(struct fetch_job *j, struct fetched *out, char path[PLACE_PATH], struct err *e)
{
	const char *suffix = clients[j->package->source].suffix;
	DIR *d = opendir(j->part);
	int found = 0;

	for (struct dirent *entry; d && (entry = readdir(d));) {
		size_t n = strlen(entry->d_name);

		if (n < 5 || n >= sizeof out->name || strcmp(entry->d_name + n - 4, suffix))
			continue;
		found++;
		snprintf(out->name, sizeof out->name, "%s", entry->d_name);
	}
	if (d)
		closedir(d);
	if (found != 1)
		return err_set(e, ERR_IO, "%d packages were fetched where one was wanted", found);
	return place_path(path, e, "%s/%s", j->part, out->name);
}

static int download(struct fetch_job *j, const char *cache, struct fetched *out, struct err *e)
{
	char path[PLACE_PATH], wanted[256], kept[PLACE_PATH];
	int rc = place_remove_tree(j->part, e);

	snprintf(wanted, sizeof wanted, "%s", out->name);
	if (!rc)
		rc = place_make_folders(j->part, e);
	if (!rc)
		rc = clients[j->package->source].fetch(j, e);
	if (!rc)
		rc = find_download(j, out, path, e);
	if (!rc)
		rc = verify(path, j->package, out, e);
	if (!rc)
		rc = place_path(kept, e, "%s/%s", cache, *j->package->sha256 ? wanted : out->name);
	if (!rc && rename(path, kept))
		rc = err_set(e, ERR_IO, "cannot keep '%s': %s", kept, strerror(errno));
	return rc ? rc : place_path(out->path, e, "%s", kept);
}

/* Seconds before the next attempt; $ASSAY_RETRY_SECONDS, 2 without it, is the first pause. */
static void pause_after(int attempt)
{
	const char *given = getenv("ASSAY_RETRY_SECONDS");
	double seconds = given && *given ? strtod(given, NULL) : FIRST_PAUSE;
	struct timespec t;

	for (; attempt > 1; attempt--)
		seconds *= 4;
	if (!(seconds > 0 && seconds < 3600))
		return;
	t.tv_sec = (time_t)seconds;
	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Networks fail for moments, and registries too. */
static int download_patiently(struct fetch_job *j, const char *cache, struct fetched *out, struct err *e)
{
	char wanted[sizeof out->name];
	int rc;

	snprintf(wanted, sizeof wanted, "%s", out->name);
	for (j->attempt = 1; (rc = download(j, cache, out, e)) && !j->final && j->attempt < ATTEMPTS; j->attempt++) {
		err_clear(e);
		snprintf(out->name, sizeof out->name, "%s", wanted);
		pause_after(j->attempt);
	}
	return rc && j->attempt > 1 ? err_prefix(e, "tried %d times", j->attempt) : rc;
}

/* What went wrong, and the way that always works. */
static int by_hand(const struct lock_package *p, const char *name, const char *cache, struct err *e)
{
	char why[TAIL];

	snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, e->msg);
	return err_set(e, e->code, "cannot fetch '%s': %s; put '%s' into '%s' by hand where there is no network",
		       p->name, why, name, cache);
}

/* Removes what downloads left whose process is gone: "part-<process>" and its log. */
static void clear_leftovers(const char *cache)
{
	struct err ignored = ERR_INIT;
	char path[PLACE_PATH];
	DIR *d = opendir(cache);

	for (struct dirent *entry; d && (entry = readdir(d));) {
		long pid = strncmp(entry->d_name, "part-", 5) ? 0 : strtol(entry->d_name + 5, NULL, 10);

		if (pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH &&
		    !place_path(path, &ignored, "%s/%s", cache, entry->d_name))
			place_remove_tree(path, &ignored);
	}
	if (d)
		closedir(d);
}

static int fetch_into_cache(struct fetch_job *j, const char *cache, struct fetched *out, struct err *e)
{
	struct err ignored = ERR_INIT;
	int rc = place_path(j->part, e, "%s/part-%ld", cache, (long)getpid());

	clear_leftovers(cache);
	if (!rc)
		rc = place_path(j->log, e, "%s/part-%ld.log", cache, (long)getpid());
	if (!rc)
		rc = download_patiently(j, cache, out, e);
	place_remove_tree(j->part, &ignored);
	unlink(j->log);
	return rc ? by_hand(j->package, out->name, cache, e) : 0;
}

/* A file of this machine is used where it is. */
static int find_file(const struct lock *l, const struct lock_package *p, struct fetched *out, struct err *e)
{
	const char *slash = strrchr(l->path, '/');
	char path[PLACE_PATH];
	int rc;

	if (p->name[0] == '/' || !slash)
		rc = place_path(path, e, "%s", p->name);
	else
		rc = place_path(path, e, "%.*s/%s", (int)(slash - l->path), l->path, p->name);
	return rc ? rc : verify(path, p, out, e);
}

int fetch_package(const struct lock *l, const struct lock_package *p, int offline, const struct install_watch *watch,
		  struct fetched *out, struct err *e)
{
	struct fetch_job j = {.package = p, .watch = watch};
	struct err damaged = ERR_INIT;
	char cache[PLACE_PATH];
	int rc;

	file_name(p, out->name, sizeof out->name);
	if (p->source == LOCK_FILE)
		return find_file(l, p, out, e);
	rc = place_cache(cache, e);
	if (rc)
		return rc;
	if ((*p->sha256 || offline) && find_copy(cache, p, out, &damaged))
		return 0;
	if (offline && damaged.code == ERR_INPUT)
		return err_set(e, ERR_IO, "%s; --offline fetches no other", damaged.msg);
	if (offline)
		return err_set(e, ERR_IO, "'%s' is not in '%s', and --offline fetches nothing", out->name, cache);
	return fetch_into_cache(&j, cache, out, e);
}
