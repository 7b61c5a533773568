/* task.c - see task.h. */
#include "methods/campaign/task.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"

#define MAX_JSON ((size_t)16 << 20)
#define WAIT_SECONDS 60.0 /* for processes of the same task that are about to end */
#define WAIT_NANOSECONDS 50000000

static int write_json(json_t *take, const char *path, struct err *e)
{
	int rc = json_save(take, JSON_COMPACT, MAX_JSON, path, e);

	json_decref(take);
	return rc;
}

int task_path(const char *folder, size_t n, const char *name, char out[PLACE_PATH], struct err *e)
{
	return place_path(out, e, "%s/tasks/%zu/%s", folder, n, name);
}

/* ---- the leader's part ------------------------------------------------------------------------------------------- */

/* A backend of a list of them, "reference,ort" say. */
static int note_digests(struct ledger *l, const char *list, const struct task_hooks *h, json_t *out, struct err *e)
{
	char name[512], digest[TASK_DIGEST];
	int rc = 0;

	for (const char *p = list; *p && !rc; p += *p == ',') {
		size_t n = strcspn(p, ",");

		snprintf(name, sizeof name, "%.*s", (int)n, p);
		p += n;
		if (!json_object_get(l->digests, name)) {
			rc = h->digest(name, digest, e);
			json_object_set_new(l->digests, name, json_string(rc ? "" : digest));
		}
		json_object_set(out, name, json_object_get(l->digests, name));
	}
	return rc;
}

static json_t *words_json(const struct buf *words)
{
	json_t *list = json_array();

	for (size_t i = 0; i < words->len; i += strlen(words->data + i) + 1)
		json_array_append_new(list, json_text(words->data + i));
	return list;
}

int task_write(struct ledger *l, const struct campaign_order *o, size_t n, const struct task_hooks *h, struct err *e)
{
	const struct ledger_task *t = &l->tasks.at[n];
	char folder[PLACE_PATH], path[PLACE_PATH], here[PLACE_PATH];
	struct order_task task = {t->line, t->seed, t->split, t->slice, folder};
	json_t *digests = json_object();
	struct buf words;
	int rc = ledger_task_folder(l->folder, n, folder, e);

	buf_init(&words, MAX_JSON);
	if (!rc)
		rc = place_make_folder(folder, e);
	if (!rc)
		rc = task_path(l->folder, n, "task.json", path, e);
	if (!rc && !getcwd(here, sizeof here))
		rc = err_set(e, ERR_IO, "the current folder has no name: %s", strerror(errno));
	if (!rc)
		rc = note_digests(l, o->lines[t->line].backend, h, digests, e);
	if (!rc) {
		order_command(o, &task, &words);
		rc = buf_check(&words, e);
	}
	if (!rc)
		rc = write_json(
			json_pack("{s:o, s:s, s:O}", "command", words_json(&words), "folder", here, "digests", digests),
			path, e);
	json_decref(digests);
	buf_release(&words);
	return rc;
}

enum task_found task_read_result(const char *folder, size_t n, struct task_result *out, struct err *e)
{
	char path[PLACE_PATH];
	json_t *j;

	if (task_path(folder, n, "result.json", path, e))
		return TASK_FAILED;
	j = json_load_file(path, 0, NULL); /* it is written as a whole, or not there */
	if (!j)
		return TASK_NONE;
	*out = (struct task_result){.status = (int)json_integer_value(json_object_get(j, "status")),
				    .seconds = json_number_value(json_object_get(j, "seconds")),
				    .cpu = json_number_value(json_object_get(j, "cpu_seconds"))};
	snprintf(out->host, sizeof out->host, "%s", json_text_at(j, "host"));
	snprintf(out->why, sizeof out->why, "%s", json_text_at(j, "why"));
	json_decref(j);
	return TASK_ENDED;
}

int task_is_held(const char *folder, size_t n)
{
	struct err ignored = ERR_INIT;
	char path[PLACE_PATH];
	int fd = task_path(folder, n, "lock", path, &ignored) ? -1 : open(path, O_RDWR | O_CLOEXEC), held;

	if (fd < 0)
		return 0;
	held = flock(fd, LOCK_EX | LOCK_NB) != 0;
	close(fd);
	return held;
}

/* ---- running it -------------------------------------------------------------------------------------------------- */

/* Its processes inherit the lock, so that it is free when the last of them is gone. */
static int hold(const char *folder, size_t n, const volatile sig_atomic_t *stop, struct err *e)
{
	const struct timespec pause = {.tv_nsec = WAIT_NANOSECONDS};
	double end = clock_now() + clock_patience(WAIT_SECONDS);
	char path[PLACE_PATH];
	int fd, rc = task_path(folder, n, "lock", path, e);

	if (rc)
		return rc;
	fd = open(path, O_RDWR | O_CREAT, 0666);
	if (fd < 0)
		return err_set(e, ERR_INPUT, "'%s' has no task %zu: %s", folder, n, strerror(errno));
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (clock_now() > end || *stop)
			return err_set(e, ERR_IO, "another process still runs task %zu of '%s'", n, folder);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Once for each machine and content. */
static int verify(const char *folder, const char *host, const char *backend, const char *wanted,
		  const struct task_hooks *h, struct err *e)
{
	char digest[TASK_DIGEST], path[PLACE_PATH];
	int rc = h->digest(backend, digest, e);

	if (!rc && strcmp(digest, wanted) != 0)
		rc = err_set(e, ERR_INPUT,
			     "%s on %s is not what the campaign was begun with: other files are installed", backend,
			     host);
	if (rc || !*digest)
		return rc;
	rc = place_path(path, e, "%s/nodes/%s-%.16s", folder, host, digest);
	if (rc || !access(path, F_OK))
		return rc;
	rc = h->verify(backend, e);
	return rc ? err_prefix(e, "%s", host) : buf_write_file(backend, strlen(backend), path, e);
}

static int verify_all(const char *folder, const char *host, const json_t *task, const struct task_hooks *h,
		      struct err *e)
{
	json_t *digests = json_object_get(task, "digests"), *digest;
	const char *backend;
	int rc = 0;

	json_object_foreach(digests, backend, digest)
	{
		if (!rc)
			rc = verify(folder, host, backend, json_string_value(digest), h, e);
	}
	return rc;
}

static int run_command(const char *folder, size_t n, const json_t *task, const volatile sig_atomic_t *stop,
		       struct task_result *out, struct err *e)
{
	const json_t *list = json_object_get(task, "command");
	const char **words = mem_array(json_array_size(list) + 2, sizeof *words);
	char log[PLACE_PATH];
	struct child c = {.argv = words, .folder = json_text_at(task, "folder"), .log = log, .stop = stop};
	int rc = words ? task_path(folder, n, "log", log, e) : err_nomem(e, "a command", 0);

	if (!rc)
		words[0] = "/proc/self/exe";
	for (size_t i = 0; i < json_array_size(list) && !rc; i++)
		words[i + 1] = json_string_value(json_array_get(list, i));
	if (!rc)
		rc = child_run(&c, &out->status, e);
	if (!rc && out->status >= 2) /* nothing was found, and something else happened */
		child_log_error(log, "assay: ", out->why, sizeof out->why);
	mem_free(words);
	return rc;
}

static int write_result(const char *folder, size_t n, const struct task_result *r, struct err *e)
{
	char path[PLACE_PATH];
	int rc = task_path(folder, n, "result.json", path, e);

	return rc ? rc
		  : write_json(json_pack("{s:i, s:f, s:f, s:o, s:o}", "status", r->status, "seconds", r->seconds,
					 "cpu_seconds", r->cpu, "host", json_text(r->host), "why", json_text(r->why)),
			       path, e);
}

static int run_task(const char *folder, size_t n, const struct task_hooks *h, const volatile sig_atomic_t *stop,
		    struct err *e)
{
	struct task_result r = {.status = 0};
	double start = clock_now();
	char path[PLACE_PATH];
	json_t *task;
	int rc = task_path(folder, n, "task.json", path, e);

	if (rc)
		return rc;
	task = json_load_file(path, 0, NULL);
	if (!task)
		return err_set(e, ERR_INPUT, "'%s' has no task %zu", folder, n);
	gethostname(r.host, sizeof r.host - 1);
	rc = verify_all(folder, r.host, task, h, e);
	if (rc) { /* no other node would do better with what is installed here */
		r.status = err_exit_status(rc);
		snprintf(r.why, sizeof r.why, "%.*s", (int)sizeof r.why - 1, e->msg);
		err_clear(e);
		rc = 0;
	} else {
		rc = run_command(folder, n, task, stop, &r, e);
	}
	r.seconds = clock_now() - start;
	r.cpu = clock_children();
	if (!rc && !*stop)
		rc = write_result(folder, n, &r, e);
	json_decref(task);
	return rc;
}

int task_run(const char *folder, size_t n, const struct task_hooks *h, const volatile sig_atomic_t *stop, struct err *e)
{
	struct task_result ignored;
	int rc = hold(folder, n, stop, e);

	/* A node that was thought to be lost may have ended it. */
	if (rc || task_read_result(folder, n, &ignored, e) == TASK_ENDED)
		return rc;
	return run_task(folder, n, h, stop, e);
}
