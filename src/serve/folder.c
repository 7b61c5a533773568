/* folder.c - the folder of a campaign, as far as it is shown (see internal.h).
 *
 * Its leader replaces state.json as a whole, every few seconds and whenever a task starts or ends.  It is read like any
 * file of strangers: nothing in it is believed, and nothing of the folder is locked or written, so that the campaign
 * does not notice. */
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "base/place.h"
#include "serve/internal.h"

#define MAX_STATE ((size_t)256 << 20)
#define MAX_LINES 10000
#define MAX_SECONDS 1e12
#define MAX_COUNT 1000000000 /* of findings of a task: sums of such are far from overflowing */
#define QUIET_SECONDS 30     /* a leader that has written nothing for so long is gone */

const char *const folder_state_names[FOLDER_STATES] = {"running", "open", "done", "failed", "lost"};

static int state_path(const char *folder, char out[PLACE_PATH], struct err *e)
{
	return place_path(out, e, "%s/state.json", folder);
}

static int is_fresh(const struct stat *st)
{
	return difftime(time(NULL), st->st_mtime) < QUIET_SECONDS;
}

uint32_t folder_version(const char *folder)
{
	struct err ignored = ERR_INIT;
	char path[PLACE_PATH];
	struct stat st;
	uint64_t h;
	int fresh;

	if (state_path(folder, path, &ignored) || stat(path, &st))
		return 0;
	fresh = is_fresh(&st);
	h = hash_bytes(HASH_BEGIN, &st.st_mtim, sizeof st.st_mtim);
	h = hash_bytes(h, &st.st_size, sizeof st.st_size);
	h = hash_bytes(h, &st.st_ino, sizeof st.st_ino);
	h = hash_bytes(h, &fresh, sizeof fresh);
	return (uint32_t)(h ^ h >> 32);
}

/* ---- what is in it ----------------------------------------------------------------------------------------------- */

static int64_t whole(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static double seconds_at(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static int is_length(double seconds)
{
	return seconds >= 0 && seconds <= MAX_SECONDS;
}

static int is_count(int64_t n)
{
	return n >= 0 && n <= MAX_COUNT;
}

static int read_lines(struct folder_view *v, const char *path, struct err *e)
{
	const json_t *lines = json_object_get(v->all, "lines"), *line;
	size_t i;

	if (!json_is_array(lines) || json_array_size(lines) > MAX_LINES)
		return err_set(e, ERR_INPUT, "'%s' does not say which methods run on which backends", path);
	json_array_foreach(lines, i, line)
	{
		struct folder_line l = {.method = json_text_at(line, "method"),
					.backend = json_text_at(line, "backend"),
					.share = json_number_value(json_object_get(line, "share"))};

		if (!*l.method || !*l.backend || !(l.share >= 0 && l.share <= 1))
			return err_set(e, ERR_INPUT, "'%s': line %zu makes no sense", path, i);
		if (vec_push(&v->lines, l))
			return err_nomem(e, "lines", 0);
	}
	return 0;
}

static struct tally_row *row_of(struct folder_view *v, const char *backend)
{
	for (size_t i = 0; i < v->counts.n; i++)
		if (!strcmp(v->counts.at[i].backend, backend))
			return &v->counts.at[i];
	return vec_push(&v->counts, (struct tally_row){.backend = backend}) ? NULL : &v->counts.at[v->counts.n - 1];
}

/* {BACKEND: tally} of one task. */
static int add_counts(struct folder_view *v, struct folder_line *l, json_t *counts, struct err *e)
{
	const char *backend;
	json_t *own;

	json_object_foreach(counts, backend, own)
	{
		struct tally_row *row = row_of(v, backend);

		if (!row)
			return err_nomem(e, "counts", 0);
		if (v->counts.n > MAX_LINES)
			return err_set(e, ERR_INPUT, "more than %d backends have counts", MAX_LINES);
		tally_add_json(&row->tally, own);
		l->cases += (size_t)whole(own, "given");
	}
	return 0;
}

static int read_task(const struct folder_view *v, const json_t *j, struct folder_task *out)
{
	const char *state = json_text_at(j, "state");
	int64_t line = whole(j, "line");
	int s = 0;

	while (s < FOLDER_STATES && strcmp(folder_state_names[s], state) != 0)
		s++;
	if (s == FOLDER_STATES || line < 0 || (uint64_t)line >= v->lines.n || !is_length(seconds_at(j, "seconds")) ||
	    !is_count(whole(j, "added")) || !is_count(whole(j, "clusters")))
		return ERR_INPUT;
	*out = (struct folder_task){.line = (size_t)line,
				    .state = (enum folder_state)s,
				    .seed = whole(j, "seed"),
				    .shard = whole(j, "shard"),
				    .shards = whole(j, "shards"),
				    .starts = whole(j, "starts"),
				    .findings = whole(j, "added"),
				    .clusters = whole(j, "clusters"),
				    .seconds = seconds_at(j, "seconds"),
				    .host = json_text_at(j, "host"),
				    .why = json_text_at(j, "why")};
	return 0;
}

static int read_tasks(struct folder_view *v, const char *path, struct err *e)
{
	const json_t *tasks = json_object_get(v->all, "tasks"), *task;
	int rc = 0;
	size_t i;

	if (!json_is_array(tasks))
		return err_set(e, ERR_INPUT, "'%s' has no list of tasks", path);
	json_array_foreach(tasks, i, task)
	{
		struct folder_line *l;
		struct folder_task t;

		if (read_task(v, task, &t))
			return err_set(e, ERR_INPUT, "'%s': task %zu makes no sense", path, i);
		l = &v->lines.at[t.line];
		l->tasks[t.state]++;
		l->seconds += t.seconds;
		l->findings += t.findings;
		l->clusters += t.clusters;
		rc = vec_push(&v->tasks, t) ? err_nomem(e, "tasks", 0)
					    : add_counts(v, l, json_object_get(task, "counts"), e);
		if (rc)
			return err_prefix(e, "'%s': task %zu", path, i);
	}
	return 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int load(const char *path, json_t **out, struct err *e)
{
	json_error_t bad;
	struct buf text;
	int rc;

	buf_init(&text, MAX_STATE);
	rc = buf_read_file(&text, path, MAX_STATE, e);
	if (!rc) {
		*out = json_loadb(text.data, text.len, 0, &bad);
		if (!*out)
			rc = err_set(e, ERR_INPUT, "cannot read '%s': %s", path, bad.text);
	}
	buf_release(&text);
	return rc;
}

int folder_read(const char *folder, struct folder_view *out, struct err *e)
{
	struct folder_view v = {0};
	char path[PLACE_PATH];
	struct stat st;
	int rc = state_path(folder, path, e);

	if (!rc && stat(path, &st))
		rc = err_set(e, ERR_INPUT, "'%s' is not the folder of a campaign: there is no state.json in it",
			     folder);
	if (!rc)
		rc = load(path, &v.all, e);
	if (rc)
		return rc;
	v.written = (double)st.st_mtime;
	v.running = json_is_true(json_object_get(v.all, "leading")) && is_fresh(&st);
	v.time = seconds_at(v.all, "time");
	v.seconds = seconds_at(v.all, "seconds");
	v.runs = whole(v.all, "runs");
	if (whole(v.all, "version") != 1 || !is_length(v.time) || !is_length(v.seconds))
		rc = err_set(e, ERR_INPUT, "'%s' is not the state of a campaign that this program knows", path);
	if (!rc)
		rc = read_lines(&v, path, e);
	if (!rc)
		rc = read_tasks(&v, path, e);
	if (rc)
		folder_release(&v);
	else
		*out = v;
	return rc;
}

void folder_release(struct folder_view *v)
{
	vec_release(&v->lines);
	vec_release(&v->tasks);
	vec_release(&v->counts);
	json_decref(v->all);
	*v = (struct folder_view){0};
}

int serve_check_campaign(const char *folder, struct err *e)
{
	struct folder_view v;
	int rc = folder_read(folder, &v, e);

	if (!rc)
		folder_release(&v);
	return rc;
}
