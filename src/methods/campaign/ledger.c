/* ledger.c - see ledger.h. */
#include "methods/campaign/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define MAX_LEDGER ((size_t)1 << 30)
#define VERSION 1

static const char *const state_names[] = {"running", "open", "done", "failed", "lost"};
#define N_STATES (sizeof state_names / sizeof *state_names)

const char *ledger_state_name(enum ledger_state s)
{
	return state_names[s];
}

int ledger_task_folder(const char *folder, size_t task, char out[PLACE_PATH], struct err *e)
{
	return place_path(out, e, "%s/tasks/%zu", folder, task);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static json_t *task_json(const struct ledger_task *t)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:f, s:b, s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:i, s:I, s:I, s:o, "
			 "s:I, s:I, s:o, s:o, "
			 "s:O?}",
			 "line", (json_int_t)t->line, "seed", (json_int_t)t->seed, "shard", (json_int_t)t->split.at + 1,
			 "shards", (json_int_t)t->split.of, "slice", t->slice, "by_finds", t->by_finds, "state",
			 state_names[t->state], "starts", t->starts, "losses", t->losses, "slices", t->slices, "stalls",
			 t->stalls, "seconds", t->seconds, "seconds_by_finds", t->finds_seconds, "cpu_seconds", t->cpu,
			 "status", t->status, "added", (json_int_t)t->added, "clusters", (json_int_t)t->clusters,
			 "coverage", json_number_or_null(t->progress.coverage), "repeats",
			 (json_int_t)t->progress.repeats, "agreed", (json_int_t)t->progress.agreed, "host",
			 json_text(t->host), "why", json_text(t->why), "counts", t->counts);
}

/* What the numbers of lines stand for, to those who have the folder and not the order: `assay serve`. */
static json_t *lines_json(const struct campaign_order *o)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < o->n; i++)
		json_array_append_new(lines,
				      json_pack("{s:o, s:o, s:f}", "method", json_text(o->lines[i].part->method),
						"backend", json_text(o->lines[i].backend), "share", o->lines[i].share));
	return lines;
}

void ledger_forget_text(struct ledger_task *t)
{
	mem_free(t->text);
	t->text = NULL;
}

/* A campaign of days has many tasks that are over, and is written twice for each that ends: their texts are kept. */
static void put_task(struct ledger_task *t, struct buf *out)
{
	size_t begin = out->len;
	json_t *j;

	if (t->text) {
		buf_puts(out, t->text);
		return;
	}
	j = task_json(t);
	json_write(out, j, JSON_COMPACT);
	json_decref(j);
	if (t->state > LEDGER_OPEN && !out->failed)
		t->text = mem_strdup(out->data + begin); /* NULL: it is made again the next time */
}

/* An object without its end. */
static void put_head(const struct ledger *l, struct buf *out)
{
	char print[32];
	json_t *head;

	snprintf(print, sizeof print, "%016" PRIx64, l->print);
	head = json_pack("{s:i, s:s, s:b, s:f, s:f, s:I, s:I, s:O, s:o}", "version", VERSION, "order", print, "leading",
			 l->leading, "time", l->order->seconds, "seconds", l->seconds, "runs", (json_int_t)l->runs,
			 "clusters", (json_int_t)l->clusters, "digests", l->digests, "lines", lines_json(l->order));
	json_write(out, head, JSON_COMPACT);
	json_decref(head);
	if (out->len)
		out->len--;
}

int ledger_save(struct ledger *l, struct err *e)
{
	char path[PLACE_PATH];
	struct buf out;
	int rc = place_path(path, e, "%s/state.json", l->folder);

	buf_init(&out, MAX_LEDGER);
	put_head(l, &out);
	buf_puts(&out, ",\"tasks\":[");
	for (size_t i = 0; i < l->tasks.n; i++) {
		buf_puts(&out, i ? "," : "");
		put_task(&l->tasks.at[i], &out);
	}
	buf_puts(&out, "]}\n");
	if (!rc)
		rc = buf_check(&out, e);
	if (!rc)
		rc = buf_write_file(out.data, out.len, path, e);
	buf_release(&out);
	return rc;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int64_t whole(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static double figure(const json_t *o, const char *key)
{
	const json_t *x = json_object_get(o, key);

	return json_is_number(x) ? json_number_value(x) : NAN;
}

static int read_task(const json_t *j, const struct campaign_order *o, struct ledger_task *out)
{
	const char *state = json_text_at(j, "state");
	const json_t *finds = json_object_get(j, "seconds_by_finds");
	size_t s = 0;

	*out = (struct ledger_task){.line = (size_t)whole(j, "line"),
				    .seed = (uint64_t)whole(j, "seed"),
				    .split = {whole(j, "shard") - 1, whole(j, "shards")},
				    .slice = json_number_value(json_object_get(j, "slice")),
				    .by_finds = json_is_true(json_object_get(j, "by_finds")),
				    .starts = (int)whole(j, "starts"),
				    .losses = (int)whole(j, "losses"),
				    .slices = (int)whole(j, "slices"),
				    .stalls = (int)whole(j, "stalls"),
				    .seconds = json_number_value(json_object_get(j, "seconds")),
				    .cpu = json_number_value(json_object_get(j, "cpu_seconds")),
				    .status = (int)whole(j, "status"),
				    .added = whole(j, "added"),
				    .clusters = whole(j, "clusters"),
				    .progress = {figure(j, "coverage"), whole(j, "repeats"), whole(j, "agreed")}};
	/* Before there was more than one slice it was not written. */
	out->finds_seconds = finds ? json_number_value(finds) : out->by_finds ? out->seconds : 0;
	while (s < N_STATES && strcmp(state_names[s], state) != 0)
		s++;
	if (s == N_STATES || out->line >= o->n || out->split.of < 1 || out->split.at < 0 || !(out->slice >= 0) ||
	    !(out->seconds >= 0) || !(out->finds_seconds >= 0) || !(out->cpu >= 0) || out->slices < 0 ||
	    out->stalls < 0 || out->progress.repeats < 0 || out->progress.agreed < 0)
		return ERR_INPUT;
	out->state = (enum ledger_state)s;
	snprintf(out->host, sizeof out->host, "%s", json_text_at(j, "host"));
	snprintf(out->why, sizeof out->why, "%s", json_text_at(j, "why"));
	if (json_is_object(json_object_get(j, "counts")))
		out->counts = json_incref(json_object_get(j, "counts"));
	return 0;
}

static int read_tasks(struct ledger *l, const json_t *all, const struct campaign_order *o, const char *path,
		      struct err *e)
{
	const json_t *task;
	size_t i;

	json_array_foreach(json_object_get(all, "tasks"), i, task)
	{
		struct ledger_task t;

		if (read_task(task, o, &t))
			return err_set(e, ERR_INPUT, "'%s': task %zu makes no sense", path, i);
		if (vec_push(&l->tasks, t)) {
			json_decref(t.counts);
			return err_nomem(e, "tasks", 0);
		}
	}
	return 0;
}

static int check_order(const struct ledger *l, const json_t *all, const char *path, struct err *e)
{
	char print[32];

	snprintf(print, sizeof print, "%016" PRIx64, l->print);
	if (whole(all, "version") != VERSION)
		return err_set(e, ERR_INPUT, "'%s' is not the state of a campaign that this program knows", path);
	if (strcmp(json_text_at(all, "order"), print) != 0)
		return err_set(e, ERR_INPUT,
			       "'%s' was begun with other methods, backends, seeds or slices: use another folder (-o)",
			       l->folder);
	return 0;
}

static int read_ledger(struct ledger *l, const struct campaign_order *o, struct err *e)
{
	char path[PLACE_PATH];
	json_error_t bad;
	struct stat st;
	json_t *all;
	int rc = place_path(path, e, "%s/state.json", l->folder);

	if (rc || (stat(path, &st) && errno == ENOENT))
		return rc;
	all = json_load_file(path, 0, &bad);
	if (!all)
		return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, bad.text);
	rc = check_order(l, all, path, e);
	l->seconds = json_number_value(json_object_get(all, "seconds"));
	l->runs = whole(all, "runs");
	l->clusters = whole(all, "clusters");
	if (json_is_object(json_object_get(all, "digests")))
		json_object_update(l->digests, json_object_get(all, "digests"));
	if (!rc)
		rc = read_tasks(l, all, o, path, e);
	json_decref(all);
	return rc;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int take_lock(struct ledger *l, struct err *e)
{
	char path[PLACE_PATH];
	int rc = place_path(path, e, "%s/lock", l->folder);

	if (rc)
		return rc;
	l->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (l->lock < 0)
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	if (flock(l->lock, LOCK_EX | LOCK_NB))
		return err_set(e, ERR_INPUT, "another process runs the campaign in '%s'", l->folder);
	return 0;
}

static int make_folders(const char *folder, struct err *e)
{
	static const char *const below[] = {"tasks", "nodes"};
	char path[PLACE_PATH];
	int rc = place_make_folders(folder, e);

	for (size_t i = 0; i < 2 && !rc; i++) {
		rc = place_path(path, e, "%s/%s", folder, below[i]);
		if (!rc)
			rc = place_make_folder(path, e);
	}
	return rc;
}

int ledger_open(const char *folder, const struct campaign_order *o, struct ledger *out, struct err *e)
{
	struct ledger l = {.print = order_print(o), .digests = json_object(), .order = o, .lock = -1};
	int rc = make_folders(folder, e);

	if (!rc && !realpath(folder, l.folder)) /* tasks run in other folders, and on other machines */
		rc = err_set(e, ERR_IO, "cannot find '%s': %s", folder, strerror(errno));
	if (!rc)
		rc = take_lock(&l, e);
	if (!rc)
		rc = read_ledger(&l, o, e);
	l.runs++;
	if (!rc)
		rc = ledger_save(&l, e);
	if (rc)
		ledger_close(&l);
	else
		*out = l;
	return rc;
}

void ledger_close(struct ledger *l)
{
	for (size_t i = 0; i < l->tasks.n; i++) {
		json_decref(l->tasks.at[i].counts);
		mem_free(l->tasks.at[i].text);
	}
	vec_release(&l->tasks);
	json_decref(l->digests);
	if (l->lock > 0)
		close(l->lock);
	*l = (struct ledger){.lock = -1};
}
