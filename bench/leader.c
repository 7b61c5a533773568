/* leader.c - what the leader of a campaign does for each look, for each task that ends and for each that it starts.
 *
 *     build/bench_leader [findings N] [tasks T] [each F] [running R]
 *
 * Makes a campaign whose store has N findings (default 100,000), whose ledger has T tasks that are done (default
 * 100,000), and R tasks that run (default 100), each with F findings in a store of its own (default 10).  One of them
 * ends; then all others do, and are taken in at once.  Clusters are made once before, as of a campaign that goes on,
 * and state.json was written before, too.  Times are of the processor: what a shared disk adds is not in them.
 * bench/thousand-cores computes with them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "methods/campaign/intake.h"
#include "methods/campaign/shares.h"
#include "store/store.h"
#include "support/bench.h"
#include "support/stores.h"

static const char order_text[] = "time: 24h\nmethods:\n  - {method: fuzz, backends: [ort, openvino, tract, torch]}\n";

struct sizes {
	int findings, tasks, each, running;
};

struct setup {
	struct sizes n;
	struct campaign_order order;
	struct ledger ledger;
	struct intake in;
	struct shares_line lines[4];
};

static double processor(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void report(const char *what, double value, const char *unit)
{
	bench_at_most(what, value, unit, INFINITY);
}

/* ---- a campaign that has run for long ---------------------------------------------------------------------------- */

static json_t *counts(void)
{
	const struct tally tally = {.given = 23456, .ran = 22345, .judged = 21234, .unsupported = 1111};
	json_t *all = json_object();

	json_object_set_new(all, "ort", tally_json(&tally));
	return all;
}

static void add_tasks(struct setup *c)
{
	struct err e = ERR_INIT;

	for (int i = 0; i < c->n.tasks + c->n.running; i++) {
		int runs = i >= c->n.tasks;
		struct ledger_task t = {.line = (size_t)i % c->order.n,
					.split = {i, 1000000},
					.slice = 300,
					.state = runs ? LEDGER_RUNNING : LEDGER_DONE,
					.starts = 1,
					.slices = !runs,
					.seconds = runs ? 0 : 300.123456,
					.cpu = runs ? 0 : 298.765432,
					.added = runs ? 0 : c->n.each,
					.host = "node0123",
					.counts = runs ? NULL : counts()};

		if (vec_push(&c->ledger.tasks, t))
			bench_must(err_nomem(&e, "tasks", 0), &e);
	}
}

static void make(struct setup *c, const char *folder)
{
	char path[PLACE_PATH];
	struct err e = ERR_INIT;

	bench_must(place_path(path, &e, "%s/order.yaml", folder), &e);
	bench_must(buf_write_file(order_text, strlen(order_text), path, &e), &e);
	bench_must(order_read(path, &c->order, &e), &e);
	bench_must(place_path(path, &e, "%s/campaign", folder), &e);
	bench_must(ledger_open(path, &c->order, &c->ledger, &e), &e);
	c->in = (struct intake){.ledger = &c->ledger, .newest = c->order.n};
	bench_must(place_path(path, &e, "%s/findings.db", c->ledger.folder), &e);
	stores_fill(path, 0, c->n.findings);
	report("store, all findings", stores_megabytes(path), "MB");
	report("store, a finding", c->n.findings ? 1e6 * stores_megabytes(path) / c->n.findings : 0, "B");
	add_tasks(c);
}

static int no_digest(const char *backend, char out[TASK_DIGEST], struct err *e)
{
	(void)backend;
	(void)e;
	*out = '\0';
	return 0;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static void start(struct setup *c)
{
	const struct task_hooks hooks = {.digest = no_digest};
	double begin = processor();
	char path[PLACE_PATH];
	struct err e = ERR_INIT;

	for (int i = 0; i < c->n.running; i++)
		bench_must(task_write(&c->ledger, &c->order, (size_t)(c->n.tasks + i), &hooks, &e), &e);
	report("writing a task to be started", 1e6 * (processor() - begin) / c->n.running, "us");
	for (int i = 0; i < c->n.running; i++) {
		size_t n = (size_t)(c->n.tasks + i);

		bench_must(task_path(c->ledger.folder, n, "lock", path, &e), &e);
		bench_must(buf_write_file("", 0, path, &e), &e);
		bench_must(task_path(c->ledger.folder, n, "findings.db", path, &e), &e);
		stores_fill(path, c->n.findings + i * c->n.each, c->n.each);
	}
	report("store of a task", 1e3 * stores_megabytes(path), "kB");
}

/* All are counted once a look, and each that is begun then. */
static void choose(struct setup *c)
{
	double begin = processor();
	int by_finds;
	size_t line;

	shares_count(&c->ledger, &c->order, c->lines);
	report("counting all tasks", processor() - begin, "s");
	begin = processor();
	for (int i = 0; i < c->n.running; i++) {
		shares_next(&c->order, c->lines, &line, &by_finds);
		shares_add_last(&c->ledger, &c->order, c->lines);
	}
	report("choosing the next task", 1e6 * (processor() - begin) / c->n.running, "us");
}

static void look(struct setup *c)
{
	double begin = processor();
	struct task_result r;
	struct err e = ERR_INIT;
	int held = 0;

	for (int i = 0; i < c->n.running; i++) {
		size_t n = (size_t)(c->n.tasks + i);

		held += task_is_held(c->ledger.folder, n) || task_read_result(c->ledger.folder, n, &r, &e);
	}
	if (held)
		bench_missed = 1;
	report("looking at a task that runs", 1e6 * (processor() - begin) / c->n.running, "us");
}

/* Running tasks from..to end; seconds for all of them. */
static double take(struct setup *c, int from, int to)
{
	const struct task_result r = {.status = 1, .seconds = 300.1, .cpu = 299.9, .host = "node0123"};
	double begin = processor();
	struct err e = ERR_INIT;

	for (int i = from; i < to; i++)
		bench_must(intake_add(&c->in, (size_t)(c->n.tasks + i), LEDGER_DONE, &r, &e), &e);
	bench_must(intake_take(&c->in, &e), &e);
	if ((int)c->in.tasks.n != to - from)
		bench_missed = 1;
	c->in.tasks.n = 0;
	return processor() - begin;
}

static void cluster(struct setup *c)
{
	double begin = processor();
	struct err e = ERR_INIT;

	bench_must(intake_finish(&c->in, &e), &e);
	report("making clusters", processor() - begin, "s");
}

static void save(struct setup *c)
{
	char path[PLACE_PATH];
	struct err e = ERR_INIT;
	double begin;

	bench_must(ledger_save(&c->ledger, &e), &e);
	begin = processor();
	bench_must(ledger_save(&c->ledger, &e), &e);
	report("writing state.json", processor() - begin, "s");
	bench_must(place_path(path, &e, "%s/state.json", c->ledger.folder), &e);
	report("state.json, a task", 1e6 * stores_megabytes(path) / (c->n.tasks + c->n.running), "B");
}

static void tidy(struct setup *c)
{
	double begin = processor();
	char path[PLACE_PATH];
	struct err e = ERR_INIT;

	for (int i = 0; i < c->n.running; i++) {
		bench_must(ledger_task_folder(c->ledger.folder, (size_t)(c->n.tasks + i), path, &e), &e);
		bench_must(place_remove_tree(path, &e), &e);
	}
	report("removing the folder of a task", 1e6 * (processor() - begin) / c->n.running, "us");
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/bench_leader.XXXXXX";
	struct setup c = {.n = {100000, 100000, 10, 100}, .ledger = {.lock = -1}};
	const struct bench_option options[] = {{"findings", NULL, &c.n.findings, NULL},
					       {"tasks", NULL, &c.n.tasks, NULL},
					       {"each", NULL, &c.n.each, NULL},
					       {"running", NULL, &c.n.running, NULL},
					       {0}};
	struct err e = ERR_INIT;

	bench_options(argc, argv, options, "[findings N] [tasks T] [each F] [running R]");
	if (c.n.running < 2 || !mkdtemp(folder))
		return 2;
	make(&c, folder);
	start(&c);
	choose(&c);
	look(&c);
	take(&c, 0, 1);
	c.in.not_before = clock_now() + 1e6;
	report("taking in a task", 1e6 * take(&c, 1, c.n.running) / (c.n.running - 1), "us");
	cluster(&c);
	save(&c);
	tidy(&c);
	intake_release(&c.in);
	ledger_close(&c.ledger);
	order_release(&c.order);
	bench_must(place_remove_tree(folder, &e), &e);
	return bench_missed;
}
