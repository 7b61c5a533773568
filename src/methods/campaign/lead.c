/* lead.c - see lead.h. */
#include "methods/campaign/lead.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "methods/campaign/intake.h"
#include "methods/campaign/site.h"
#include "store/store.h"

#define SAVE_SECONDS 5.0
#define LOSSES 5    /* after so many a task is given up */
#define LEAST 1.0   /* seconds: no task is begun for less */
#define OWN_FAULT 3 /* exit status: assay had no memory, or a process of it was killed */
#define KILLED 128  /* exit statuses from here on are signals */

struct lead {
	const struct lead_options *o;
	struct ledger *l;
	struct site *site;
	struct shares_line *lines;
	VEC(size_t) starts; /* tasks to be started now */
	size_t held;        /* tasks that run */
	double begin, saved, before;
	struct intake in; /* tasks that the look at hand has seen to end */
};

static int save(struct lead *x, struct err *e)
{
	x->saved = clock_now();
	x->l->seconds = x->before + x->saved - x->begin;
	return ledger_save(x->l, e);
}

static void show(const struct lead *x, size_t ended, int again)
{
	struct lead_status s = {.order = x->o->order,
				.ledger = x->l,
				.lines = x->lines,
				.running = x->held,
				.newest = x->in.newest,
				.newest_at = x->in.newest_at};

	if (!x->o->show)
		return;
	for (size_t i = 0; i < s.order->n; i++) {
		s.over += x->lines[i].over;
		s.findings += x->lines[i].added;
	}
	if (ended < x->l->tasks.n) {
		s.ended = &x->l->tasks.at[ended];
		s.number = ended;
		s.again = again;
	}
	x->o->show(&s, x->o->arg);
}

/* ---- tasks that have ended --------------------------------------------------------------------------------------- */

/* Exit statuses of a run that came to its end: nothing found, findings, judged on nothing, explained. */
static int is_sound(int status)
{
	return status == 0 || status == 1 || status == 4 || status == 5;
}

static int lose(struct lead *x, size_t n, const char *why, struct err *e)
{
	struct ledger_task *t = &x->l->tasks.at[n];
	char path[PLACE_PATH];
	int rc = task_path(x->l->folder, n, "result.json", path, e);

	if (rc)
		return rc;
	t->losses++;
	snprintf(t->why, sizeof t->why, "%s", why);
	unlink(path);
	if (t->losses >= LOSSES)
		return intake_add(&x->in, n, LEDGER_LOST, NULL, e);
	show(x, n, 1);
	return vec_push(&x->starts, n) ? err_nomem(e, "tasks", 0) : 0;
}

/* What failed for no fault of its order or its library may come to its end another time: it is lost, and run again. */
static int take_result(struct lead *x, size_t n, const struct task_result *r, struct err *e)
{
	char why[64];

	if (r->status == OWN_FAULT)
		return lose(x, n, r->why, e);
	if (r->status >= KILLED) {
		snprintf(why, sizeof why, "ended by signal %d", r->status - KILLED);
		return lose(x, n, why, e);
	}
	return intake_add(&x->in, n, is_sound(r->status) ? LEDGER_DONE : LEDGER_FAILED, r, e);
}

/* Accounts for all that have ended, then removes their folders; those of tasks that go on, or failed and are to be
 * looked at, stay. */
static int account(struct lead *x, struct err *e)
{
	struct err first = ERR_INIT;
	char folder[PLACE_PATH];
	int rc;

	if (!x->in.tasks.n)
		return 0;
	intake_take(&x->in, &first);
	rc = x->in.tasks.n ? save(x, e) : 0;
	for (size_t i = 0; i < x->in.tasks.n && !rc; i++) {
		if (x->in.tasks.at[i].state != LEDGER_DONE)
			continue;
		rc = ledger_task_folder(x->l->folder, x->in.tasks.at[i].n, folder, e);
		if (!rc)
			rc = place_remove_tree(folder, e);
	}
	shares_count(x->l, x->o->order, x->lines);
	for (size_t i = 0; i < x->in.tasks.n; i++)
		show(x, x->in.tasks.at[i].n, 0);
	x->in.tasks.n = 0;
	if (first.code)
		*e = first;
	return first.code ? first.code : rc;
}

/* ---- watching ---------------------------------------------------------------------------------------------------- */

/* Its processes may write the result and end while this one looks: the result is looked for once they are gone. */
static int watch(struct lead *x, size_t n, struct err *e)
{
	struct ledger_task *t = &x->l->tasks.at[n];
	int held = x->site->kind->holds(x->site, n);
	struct task_result r;
	enum task_found found = task_read_result(x->l->folder, n, &r, e);

	if (found == TASK_FAILED)
		return e->code;
	if (found == TASK_ENDED)
		return take_result(x, n, &r, e);
	if (held) {
		x->held++;
		return 0;
	}
	if (*x->o->stop) /* it was asked to end, and goes on the next time */
		return 0;
	if (t->mine)
		return lose(x, n, "its process went away", e);
	return vec_push(&x->starts, n) ? err_nomem(e, "tasks", 0) : 0; /* of a run that was cut off */
}

static int watch_all(struct lead *x, struct err *e)
{
	int rc = x->site->kind->look(x->site, e);

	x->held = 0;
	x->starts.n = 0;
	for (size_t i = 0; i < x->l->tasks.n && !rc; i++)
		if (x->l->tasks.at[i].state == LEDGER_RUNNING)
			rc = watch(x, i, e);
	return rc ? rc : account(x, e);
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

/* A part of the line's work that has no task yet. */
static int add_task(struct lead *x, size_t line, struct err *e)
{
	const struct campaign_order *o = x->o->order;
	int64_t k = x->lines[line].tasks;
	struct ledger_task t = {.line = line,
				.state = LEDGER_OPEN,
				.seed = order_seed(o, line, k),
				.split = order_split(o, line, k),
				.progress = STORE_NO_PROGRESS};

	return vec_push(&x->l->tasks, t) ? err_nomem(e, "tasks", 0) : 0;
}

/* Of those of the line that are open, the one with the fewest slices. */
static size_t find_open(const struct ledger *l, size_t line)
{
	size_t found = l->tasks.n;

	for (size_t i = 0; i < l->tasks.n; i++) {
		const struct ledger_task *t = &l->tasks.at[i];

		if (t->line == line && t->state == LEDGER_OPEN &&
		    (found == l->tasks.n || t->slices < l->tasks.at[found].slices))
			found = i;
	}
	return found;
}

/* All parts have one slice first: one that is new has fewer than those that are open. */
static int begin_task(struct lead *x, double left, int *begun, struct err *e)
{
	const struct campaign_order *o = x->o->order;
	char path[PLACE_PATH];
	struct ledger_task *t;
	size_t line, n;
	int by_finds, is_new, rc = 0;

	*begun = 0;
	if (left < LEAST || shares_next(o, x->lines, &line, &by_finds) == SHARES_NONE)
		return 0;
	is_new = x->lines[line].tasks < order_tasks(o, line);
	if (is_new)
		rc = add_task(x, line, e);
	n = is_new ? x->l->tasks.n - 1 : find_open(x->l, line);
	if (!rc)
		rc = task_path(x->l->folder, n, "result.json", path, e);
	if (rc)
		return rc;
	unlink(path); /* of the slice before, which is accounted for */
	t = &x->l->tasks.at[n];
	t->state = LEDGER_RUNNING;
	t->by_finds = by_finds;
	t->slice = order_slice(o, line, t->slices, t->stalls);
	t->slice = t->slice < left ? t->slice : left;
	if (is_new)
		shares_add_last(x->l, o, x->lines);
	else
		shares_count(x->l, o, x->lines);
	*begun = 1;
	return vec_push(&x->starts, n) ? err_nomem(e, "tasks", 0) : 0;
}

/* Written down first, then started: one that is killed in between starts it the next time. */
static int start_all(struct lead *x, struct err *e)
{
	int rc = 0;

	if (!x->starts.n)
		return 0;
	for (size_t i = 0; i < x->starts.n && !rc; i++) {
		struct ledger_task *t = &x->l->tasks.at[x->starts.at[i]];

		t->starts++;
		t->mine = 1;
		rc = task_write(x->l, x->o->order, x->starts.at[i], x->o->hooks, e);
	}
	if (!rc)
		rc = save(x, e);
	if (!rc)
		rc = x->site->kind->start(x->site, x->starts.at, x->starts.n, e);
	x->held += x->starts.n;
	return rc;
}

static int fill(struct lead *x, struct err *e)
{
	size_t jobs = x->o->order->jobs;
	double left = x->o->order->seconds - (x->before + clock_now() - x->begin);
	int begun = 1, rc = 0;

	if (x->held + x->starts.n > jobs) /* of a run with more jobs: the rest has to wait */
		x->starts.n = x->held < jobs ? jobs - x->held : 0;
	while (!rc && begun && x->held + x->starts.n < jobs)
		rc = begin_task(x, left, &begun, e);
	return rc ? rc : start_all(x, e);
}

static int is_waiting(const struct lead *x)
{
	for (size_t i = 0; i < x->l->tasks.n; i++)
		if (x->l->tasks.at[i].state == LEDGER_RUNNING)
			return 1;
	return 0;
}

static int loop(struct lead *x, struct err *e)
{
	double pause = x->site->kind->pause;
	const struct timespec rest = {(time_t)pause, (long)((pause - (double)(time_t)pause) * 1e9)};
	int rc = 0;

	while (!rc) {
		rc = watch_all(x, e);
		if (rc || *x->o->stop)
			break;
		rc = fill(x, e);
		if (rc || !is_waiting(x))
			break;
		show(x, SIZE_MAX, 0);
		if (clock_now() - x->saved > SAVE_SECONDS)
			rc = save(x, e);
		nanosleep(&rest, NULL);
	}
	return rc;
}

/* It is there from the start, for those who want to look at it. */
static int make_store(const struct ledger *l, struct err *e)
{
	struct store *s = NULL;
	char path[PLACE_PATH];
	int rc = place_path(path, e, "%s/findings.db", l->folder);

	if (!rc)
		rc = store_open(path, 1, &s, e);
	store_close(s);
	return rc;
}

/* A leader before this one may have been killed after it had written that a task is done. */
static int remove_done(const struct ledger *l, struct err *e)
{
	char folder[PLACE_PATH];
	int rc = 0;

	for (size_t i = 0; i < l->tasks.n && !rc; i++) {
		if (l->tasks.at[i].state != LEDGER_DONE)
			continue;
		rc = ledger_task_folder(l->folder, i, folder, e);
		if (!rc)
			rc = place_remove_tree(folder, e);
	}
	return rc;
}

int lead_run(const struct lead_options *o, struct ledger *l, struct err *e)
{
	struct lead x = {.o = o,
			 .l = l,
			 .begin = clock_now(),
			 .saved = clock_now(),
			 .before = l->seconds,
			 .in = {.ledger = l, .newest = o->order->n}};
	struct err ignored = ERR_INIT;
	int rc;

	x.lines = mem_array(o->order->n + 1, sizeof *x.lines);
	if (!x.lines)
		return err_nomem(e, "lines", o->order->n);
	shares_count(l, o->order, x.lines);
	l->leading = 1;
	rc = make_store(l, e);
	if (!rc)
		rc = remove_done(l, e);
	if (!rc)
		rc = (o->slurm ? site_slurm : site_here)(l->folder, o->order, &x.site, e);
	if (!rc)
		rc = loop(&x, e);
	if (x.site && *o->stop)
		x.site->kind->end(x.site);
	if (!rc && *o->stop) /* what has ended in the meantime */
		rc = watch_all(&x, e);
	if (!rc)
		rc = intake_finish(&x.in, e);
	if (x.site)
		x.site->kind->close(x.site);
	l->leading = 0;
	save(&x, rc ? &ignored : e);
	vec_release(&x.starts);
	intake_release(&x.in);
	mem_free(x.lines);
	return rc;
}
