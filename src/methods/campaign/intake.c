/* intake.c - see intake.h. */
#include "methods/campaign/intake.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/tally.h"
#include "store/store.h"
#include "triage/triage.h"

#define STALL 3600 /* seconds: a slice of so many that brings nothing is the last one of its task */
#define CHEAP 0.5  /* seconds for clusters that are made at each look … */
#define REST 9.0   /* … and how many times as long as they take the next ones have to wait, when they take longer */

int intake_add(struct intake *in, size_t task, enum ledger_state state, const struct task_result *result, struct err *e)
{
	struct intake_task t = {.n = task, .state = state, .ended = result != NULL};

	if (result)
		t.result = *result;
	return vec_push(&in->tasks, t) ? err_nomem(e, "tasks", 0) : 0;
}

void intake_release(struct intake *in)
{
	vec_release(&in->tasks);
	vec_release(&in->owed);
}

/* ---- the counts of a task ---------------------------------------------------------------------------------------- */

struct intake_counts {
	int64_t campaign;
	json_t *by_backend;
};

/* By campaign, the oldest first.  A task that was killed when all was done but its result was not written has run
 * twice: the last run counts, which had all of the work, or went on with it. */
static int add_tally(const struct store_tally *t, void *arg)
{
	struct intake_counts *c = arg;
	struct tally sum = t->tally;

	if (t->campaign != c->campaign)
		json_object_clear(c->by_backend);
	c->campaign = t->campaign;
	tally_add_json(&sum, json_object_get(c->by_backend, t->backend));
	json_object_set_new(c->by_backend, t->backend, tally_json(&sum));
	return 0;
}

struct intake_run {
	json_t *counts;
	int64_t campaign;
	int done; /* nothing of its work is left */
	struct store_progress progress;
};

/* The last one counts here, too. */
static int note_run(const struct campaign *c, void *arg)
{
	struct intake_run *run = arg;

	run->campaign = c->id;
	run->done = c->done;
	return 0;
}

static int read_run(const char *from, struct intake_run *out, struct err *e)
{
	struct intake_counts c = {0, out->counts};
	struct store *own = NULL;
	int rc = store_open(from, 0, &own, e);

	if (!rc)
		rc = store_each_tally(own, add_tally, &c, e);
	if (!rc)
		rc = store_each_campaign(own, note_run, out, e);
	if (!rc)
		rc = store_last_progress(own, out->campaign, &out->progress, e);
	store_close(own);
	return rc;
}

/* Its slice is over, and its work is not: it gets another slice, unless a long one brought nothing. */
static enum ledger_state state_of_open(struct ledger_task *t, const json_t *counts, struct task_result *r)
{
	t->stalls = t->counts && json_equal(t->counts, counts) ? t->stalls + 1 : 0;
	if (!t->stalls || t->slice < STALL)
		return LEDGER_OPEN;
	snprintf(r->why, sizeof r->why, "its work is not done, and the last slice of %.0f s brought nothing", t->slice);
	return LEDGER_FAILED;
}

/* ---- all tasks --------------------------------------------------------------------------------------------------- */

/* Both are as often done as the leader is killed in between: merging twice is merging once, and the counts are set. */
static int take_one(struct intake *in, struct store *all, struct intake_task *i, struct err *e)
{
	struct ledger_task *t = &in->ledger->tasks.at[i->n];
	struct intake_run run = {.counts = json_object(), .done = 1};
	char from[PLACE_PATH];
	size_t added = 0;
	struct stat st;
	int rc = place_path(from, e, "%s/tasks/%zu/findings.db", in->ledger->folder, i->n);

	if (!rc)
		rc = store_newest(all, &i->after, e);
	if (!rc && !stat(from, &st)) {
		rc = read_run(from, &run, e);
		if (!rc)
			rc = store_merge(all, from, &added, e);
		if (!rc && i->state == LEDGER_DONE && !run.done && order_goes_on(in->ledger->order, t->line))
			i->state = state_of_open(t, run.counts, &i->result);
		if (!rc) {
			json_decref(t->counts);
			t->counts = json_incref(run.counts);
			t->progress = run.progress;
		}
	}
	i->added = (int64_t)added;
	json_decref(run.counts);
	return rc ? err_prefix(e, "task %zu", i->n) : 0;
}

/* What a leader has merged that was killed then is nobody's by its ids: the first task is credited with it. */
static void credit(struct intake *in, const struct cluster_part *parts, size_t clusters)
{
	int64_t rest = (int64_t)clusters - in->ledger->clusters;

	for (size_t i = 0; i < in->owed.n; i++)
		rest -= (int64_t)parts[i].clusters;
	for (size_t i = 0; i < in->owed.n; i++) {
		struct ledger_task *t = &in->ledger->tasks.at[in->owed.at[i].n];
		int64_t own = (int64_t)parts[i].clusters + (i == 0 && rest > 0 ? rest : 0);

		t->clusters += own;
		if (own) {
			ledger_forget_text(t);
			in->newest = t->line;
			in->newest_at = clock_now();
		}
	}
	in->ledger->clusters = (int64_t)clusters;
}

static int make_clusters(struct intake *in, struct store *all, struct err *e)
{
	struct cluster_part *parts = mem_array(in->owed.n, sizeof *parts);
	double begin = clock_now(), took;
	size_t clusters = 0;
	int rc;

	if (!parts)
		return err_nomem(e, "clusters", in->owed.n);
	for (size_t i = 0; i < in->owed.n; i++)
		parts[i] = (struct cluster_part){.after = in->owed.at[i].after};
	rc = cluster_parts(all, parts, in->owed.n, &clusters, e);
	if (!rc) {
		in->clusterings++;
		credit(in, parts, clusters);
		in->owed.n = 0;
		took = clock_now() - begin;
		in->not_before = took > CHEAP ? clock_now() + REST * took : 0;
	}
	mem_free(parts);
	mem_give_back(); /* clusters are made of all findings at once, and seldom */
	return rc;
}

/* Those that brought nothing are owed nothing, once it is known what there is. */
static int owe(struct intake *in, struct err *e)
{
	for (size_t i = 0; i < in->tasks.n; i++) {
		const struct intake_task *t = &in->tasks.at[i];

		if ((t->added || !in->clusterings) && vec_push(&in->owed, ((struct intake_owed){t->n, t->after})))
			return err_nomem(e, "clusters", 0);
	}
	return 0;
}

static void settle(struct ledger_task *t, const struct intake_task *i)
{
	const struct task_result *r = &i->result;

	t->state = i->state;
	t->added += i->added;
	if (!i->ended)
		return;
	t->slices++;
	t->status = r->status;
	t->seconds += r->seconds;
	t->finds_seconds += t->by_finds ? r->seconds : 0;
	t->cpu += r->cpu;
	memcpy(t->host, r->host, sizeof t->host);
	memcpy(t->why, r->why, sizeof t->why);
}

int intake_finish(struct intake *in, struct err *e)
{
	struct store *all = NULL;
	char path[PLACE_PATH];
	int rc;

	if (!in->owed.n)
		return 0;
	rc = place_path(path, e, "%s/findings.db", in->ledger->folder);
	if (!rc)
		rc = store_open(path, 1, &all, e);
	if (!rc)
		rc = make_clusters(in, all, e);
	store_close(all);
	return rc;
}

/* The store is opened once, and closed before anything is written down of its tasks. */
int intake_take(struct intake *in, struct err *e)
{
	struct err failed = ERR_INIT;
	struct store *all = NULL;
	char path[PLACE_PATH];
	size_t taken = 0;
	int rc = place_path(path, e, "%s/findings.db", in->ledger->folder), bad = 0;

	if (!in->tasks.n)
		return 0;
	if (!rc)
		rc = store_open(path, 1, &all, e);
	while (!rc && !bad && taken < in->tasks.n) {
		bad = take_one(in, all, &in->tasks.at[taken], &failed);
		taken += !bad;
	}
	in->tasks.n = taken;
	if (!rc)
		rc = owe(in, e);
	if (!rc && in->owed.n && clock_now() >= in->not_before)
		rc = make_clusters(in, all, e);
	store_close(all);
	if (rc)
		in->tasks.n = 0;
	for (size_t i = 0; i < in->tasks.n; i++)
		settle(&in->ledger->tasks.at[in->tasks.at[i].n], &in->tasks.at[i]);
	return rc ? rc : bad ? (*e = failed, bad) : 0;
}
