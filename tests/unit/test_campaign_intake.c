/* test_campaign_intake.c - what many tasks found is taken in at once as it would be one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "methods/campaign/intake.h"
#include "methods/campaign/shares.h"
#include "store/store.h"
#include "support/scratch.h"

#define TASKS 6

static const char text[] = "time: 1h\nmethods:\n  - {method: fuzz, backends: [ort, tract], shards: 9}\n";

/* Signatures of what each task finds: a letter is a cluster. */
static const char *const found[TASKS] = {"ab", "bbc", "", "ca", "dee", "e"};
static const int64_t begun[TASKS] = {2, 1, 0, 0, 2, 0};

struct fixture {
	struct campaign_order order;
	struct ledger ledger;
	struct intake in;
};

/* No two tasks have the same models. */
static void write_findings(const struct fixture *f, size_t task)
{
	struct finding each = {.method = "fuzz", .backend = "ort", .library = "onnxruntime", .version = "1"};
	char path[PLACE_PATH], signature[64], model[64];
	struct err e = ERR_INIT;
	struct store *s;

	assert_int_equal(task_path(f->ledger.folder, task, "", path, &e), 0);
	assert_int_equal(place_make_folder(path, &e), 0);
	assert_int_equal(task_path(f->ledger.folder, task, "findings.db", path, &e), 0);
	assert_int_equal(store_open(path, 1, &s, &e), 0);
	for (const char *p = found[task]; *p; p++) {
		snprintf(signature, sizeof signature, "onnxruntime/Op%c/wrong/", *p);
		snprintf(model, sizeof model, "model %d of task %d", (int)(p - found[task]), (int)task);
		each.signature = signature;
		each.verdict = VERDICT_WRONG;
		each.op = each.node = each.parameter = each.detail = each.evidence = each.command = "";
		each.since = each.until = "";
		each.model = (struct bytes){model, strlen(model)};
		assert_int_equal(store_add(s, &each, &e), 0);
	}
	store_close(s);
}

/* A campaign whose tasks have all ended. */
static void begin(struct fixture *f, const char *name)
{
	struct err e = ERR_INIT;
	char path[PLACE_PATH];

	*f = (struct fixture){.ledger = {.lock = -1}};
	assert_int_equal(place_path(path, &e, "%s/order.yaml", scratch_folder), 0);
	assert_int_equal(buf_write_file(text, strlen(text), path, &e), 0);
	assert_int_equal(order_read(path, &f->order, &e), 0);
	assert_int_equal(place_path(path, &e, "%s/%s", scratch_folder, name), 0);
	assert_int_equal(ledger_open(path, &f->order, &f->ledger, &e), 0);
	f->in = (struct intake){.ledger = &f->ledger, .newest = f->order.n};
	for (size_t i = 0; i < TASKS; i++) {
		const struct ledger_task t = {
			.line = i % 2, .split = {(int64_t)i, 9}, .slice = 1, .progress = STORE_NO_PROGRESS};

		assert_int_equal(vec_push(&f->ledger.tasks, t), 0);
		write_findings(f, i);
	}
}

static void finish(struct fixture *f)
{
	intake_release(&f->in);
	ledger_close(&f->ledger);
	order_release(&f->order);
}

static void end_task(struct fixture *f, size_t task)
{
	const struct task_result r = {.status = 1, .seconds = 2, .host = "n1"};
	struct err e = ERR_INIT;

	assert_int_equal(intake_add(&f->in, task, LEDGER_DONE, &r, &e), 0);
}

static void take(struct fixture *f)
{
	struct err e = ERR_INIT;

	if (intake_take(&f->in, &e))
		fail_msg("%s", e.msg);
	f->in.tasks.n = 0;
}

static int put_cluster(const struct finding *f, void *arg)
{
	buf_printf(arg, "%lld %s %lld\n", (long long)f->id, f->signature, (long long)f->cluster);
	return 0;
}

/* All findings of the campaign with their clusters. */
static void put_store(const struct fixture *f, struct buf *out)
{
	struct err e = ERR_INIT;
	char path[PLACE_PATH];
	struct store *s;

	assert_int_equal(place_path(path, &e, "%s/findings.db", f->ledger.folder), 0);
	assert_int_equal(store_open(path, 0, &s, &e), 0);
	assert_int_equal(store_each(s, NULL, put_cluster, out, &e), 0);
	store_close(s);
}

static void assert_accounts(const struct fixture *f)
{
	for (size_t i = 0; i < TASKS; i++) {
		const struct ledger_task *t = &f->ledger.tasks.at[i];

		assert_int_equal(t->state, LEDGER_DONE);
		assert_int_equal(t->added, strlen(found[i]));
		assert_int_equal(t->clusters, begun[i]);
		assert_true(t->slices == 1 && t->seconds == 2 && !strcmp(t->host, "n1"));
	}
	assert_int_equal(f->ledger.clusters, 5);
	assert_int_equal(f->in.newest, 0); /* d and e are of task 4 */
}

/* The file says what the ledger does: texts that it keeps are not older. */
static void assert_written(const struct fixture *f)
{
	struct err e = ERR_INIT;
	char path[PLACE_PATH];
	json_t *all;

	assert_int_equal(place_path(path, &e, "%s/state.json", f->ledger.folder), 0);
	all = json_load_file(path, 0, NULL);
	assert_int_equal(json_integer_value(json_object_get(all, "clusters")), f->ledger.clusters);
	assert_int_equal(json_array_size(json_object_get(all, "tasks")), TASKS);
	for (size_t i = 0; i < TASKS; i++) {
		const json_t *t = json_array_get(json_object_get(all, "tasks"), i);

		assert_int_equal(json_integer_value(json_object_get(t, "clusters")), begun[i]);
		assert_int_equal(json_integer_value(json_object_get(t, "slices")), 1);
	}
	json_decref(all);
}

static void at_once_is_one_by_one(void **state)
{
	struct fixture apart, together;
	struct buf a, b;

	(void)state;
	begin(&apart, "apart");
	begin(&together, "together");
	for (size_t i = 0; i < TASKS; i++) {
		end_task(&together, i);
		end_task(&apart, i);
		take(&apart);
	}
	take(&together);
	assert_int_equal(apart.in.clusterings, 5); /* task 2 found nothing */
	assert_int_equal(together.in.clusterings, 1);
	assert_accounts(&apart);
	assert_accounts(&together);
	buf_init(&a, 1 << 16);
	buf_init(&b, 1 << 16);
	put_store(&apart, &a);
	put_store(&together, &b);
	assert_string_equal(a.data, b.data);
	buf_release(&a);
	buf_release(&b);
	finish(&apart);
	finish(&together);
}

/* Clusters that take long are made later, for those who are owed them. */
static void clusters_may_wait(void **state)
{
	struct err e = ERR_INIT;
	struct fixture f;

	(void)state;
	begin(&f, "waits");
	for (size_t i = 0; i < TASKS; i++) {
		end_task(&f, i);
		take(&f);
		if (i == 0)
			f.in.not_before = clock_now() + 1e6;
		assert_int_equal(ledger_save(&f.ledger, &e), 0);
	}
	assert_int_equal(f.in.clusterings, 1);
	assert_int_equal(f.ledger.clusters, begun[0]);
	assert_int_equal(f.ledger.tasks.at[1].added, 3);
	assert_int_equal(f.ledger.tasks.at[1].clusters, 0);
	assert_int_equal(intake_finish(&f.in, &e), 0);
	assert_int_equal(f.in.clusterings, 2);
	assert_accounts(&f);
	assert_int_equal(intake_finish(&f.in, &e), 0); /* nothing is owed any more */
	assert_int_equal(f.in.clusterings, 2);
	assert_int_equal(ledger_save(&f.ledger, &e), 0);
	assert_written(&f);
	finish(&f);
}

/* Those before it are accounted for; it and those behind it are as they were. */
static void a_store_is_damaged(void **state)
{
	struct err e = ERR_INIT;
	char path[PLACE_PATH];
	struct fixture f;

	(void)state;
	begin(&f, "damaged");
	assert_int_equal(task_path(f.ledger.folder, 3, "findings.db", path, &e), 0);
	assert_int_equal(buf_write_file("no store", 8, path, &e), 0);
	for (size_t i = 0; i < TASKS; i++)
		end_task(&f, i);
	assert_true(intake_take(&f.in, &e) < 0);
	assert_non_null(strstr(e.msg, "task 3: "));
	assert_int_equal(f.in.tasks.n, 3);
	for (size_t i = 0; i < TASKS; i++) {
		const struct ledger_task *t = &f.ledger.tasks.at[i];

		assert_int_equal(t->state, i < 3 ? LEDGER_DONE : LEDGER_RUNNING);
		assert_int_equal(t->slices, i < 3);
		assert_int_equal(t->clusters, i < 3 ? begun[i] : 0);
	}
	assert_int_equal(f.ledger.clusters, 3);
	finish(&f);
}

/* How far a task was comes from the last run that its store has, and is there for a leader that goes on. */
static void progress_is_kept(void **state)
{
	const struct campaign_key key = {.method = "fuzz", .command = "assay fuzz", .backends = "ort"};
	const struct store_progress first = {90, 9, 9}, last = {12.5, 4, 3};
	struct shares_line lines[2];
	struct campaign c = {0};
	struct err e = ERR_INIT;
	char path[PLACE_PATH], folder[PLACE_PATH];
	struct fixture f;
	struct store *s;

	(void)state;
	begin(&f, "progress");
	assert_int_equal(task_path(f.ledger.folder, 1, "findings.db", path, &e), 0);
	assert_int_equal(store_open(path, 1, &s, &e), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(store_campaign_open(s, &key, 0, &c, &e), 0);
		assert_int_equal(store_add_progress(s, c.id, 1, i ? &last : &first, &e), 0);
		campaign_release(&c);
	}
	store_close(s);
	end_task(&f, 1);
	end_task(&f, 3);
	take(&f);
	assert_int_equal(ledger_save(&f.ledger, &e), 0);
	snprintf(folder, sizeof folder, "%s", f.ledger.folder);
	ledger_close(&f.ledger);
	assert_int_equal(ledger_open(folder, &f.order, &f.ledger, &e), 0);
	shares_count(&f.ledger, &f.order, lines);
	assert_true(isnan(lines[0].progress.coverage) && !lines[0].progress.repeats);
	assert_true(lines[1].progress.coverage == 12.5);
	assert_int_equal(lines[1].progress.repeats, 4);
	assert_int_equal(lines[1].progress.agreed, 3);
	finish(&f);
}

/* It had merged two tasks, and written nothing down. */
static void a_leader_was_killed(void **state)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;
	char path[PLACE_PATH];
	struct fixture f;
	size_t added;

	(void)state;
	begin(&f, "killed");
	assert_int_equal(place_path(path, &e, "%s/findings.db", f.ledger.folder), 0);
	assert_int_equal(store_open(path, 1, &s, &e), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(task_path(f.ledger.folder, i, "findings.db", path, &e), 0);
		assert_int_equal(store_merge(s, path, &added, &e), 0);
	}
	store_close(s);
	for (size_t i = 0; i < TASKS; i++)
		end_task(&f, i);
	take(&f);
	assert_int_equal(f.ledger.clusters, 5);
	assert_int_equal(f.ledger.tasks.at[0].clusters, 3);
	assert_int_equal(f.ledger.tasks.at[1].clusters, 0);
	assert_int_equal(f.ledger.tasks.at[4].clusters, 2);
	finish(&f);
}

static void a_lost_task_keeps_its_results(void **state)
{
	struct err e = ERR_INIT;
	struct fixture f;

	(void)state;
	begin(&f, "lost");
	f.ledger.tasks.at[1].slices = 3;
	assert_int_equal(intake_add(&f.in, 1, LEDGER_LOST, NULL, &e), 0);
	take(&f);
	assert_int_equal(f.ledger.tasks.at[1].state, LEDGER_LOST);
	assert_int_equal(f.ledger.tasks.at[1].slices, 3);
	assert_int_equal(f.ledger.tasks.at[1].added, 3);
	assert_int_equal(f.ledger.tasks.at[1].clusters, 2);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_once_is_one_by_one), cmocka_unit_test(clusters_may_wait),
		cmocka_unit_test(a_store_is_damaged),    cmocka_unit_test(progress_is_kept),
		cmocka_unit_test(a_leader_was_killed),   cmocka_unit_test(a_lost_task_keeps_its_results),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
