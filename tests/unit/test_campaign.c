/* test_campaign.c - how a campaign shares its time, what its file may say, and what its state survives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "methods/campaign/shares.h"
#include "support/scratch.h"

#define TASKS 400
#define SLICE 60.0

static int read_text(const char *text, struct campaign_order *out, struct err *e)
{
	char path[128];

	snprintf(path, sizeof path, "%s/order.yaml", scratch_folder);
	assert_int_equal(buf_write_file(text, strlen(text), path, e), 0);
	return order_read(path, out, e);
}

static const char three[] = "time: 10h\nslice: 1m\nseeds: [5, 9]\nmethods:\n"
			    "  - {method: fuzz, share: 60, backends: [ort], shards: 1000}\n"
			    "  - {method: fuzz, share: 30, backends: [tract, openvino], shards: 1000}\n"
			    "  - {method: check, share: 10, backends: [ort], shards: 1000, models: [a, b]}\n";

static void assert_same_line(const struct shares_line *a, const struct shares_line *b)
{
	assert_true(a->seconds[0] == b->seconds[0] && a->seconds[1] == b->seconds[1]);
	assert_true(a->tasks == b->tasks && a->over == b->over && a->failed == b->failed && a->open == b->open);
	assert_true(a->added == b->added && a->clusters == b->clusters && a->resting == b->resting);
}

/* A task more is counted as all are. */
static void count_last(const struct ledger *l, const struct campaign_order *o, struct shares_line *lines)
{
	struct shares_line all[4];

	shares_add_last(l, o, lines);
	shares_count(l, o, all);
	for (size_t i = 0; i < o->n; i++)
		assert_same_line(&lines[i], &all[i]);
}

/* As the leader does, one task at a time: each finds what its line finds. */
static void run_tasks(const struct campaign_order *o, const int64_t *finds, struct shares_line *lines)
{
	struct ledger l = {.lock = -1};

	for (int i = 0; i < TASKS; i++) {
		struct ledger_task t = {.state = LEDGER_RUNNING, .slice = SLICE};

		shares_count(&l, o, lines);
		assert_int_equal(shares_next(o, lines, &t.line, &t.by_finds), SHARES_CHOSEN);
		assert_int_equal(vec_push(&l.tasks, t), 0);
		count_last(&l, o, lines);
		l.tasks.at[i].state = LEDGER_DONE;
		l.tasks.at[i].seconds = SLICE;
		l.tasks.at[i].clusters = finds[t.line];
		l.tasks.at[i].finds_seconds = t.by_finds ? SLICE : 0;
	}
	shares_count(&l, o, lines);
	ledger_close(&l);
}

static void shares_are_kept(void **state)
{
	static const int64_t nothing[4] = {0}, one[4] = {0, 0, 0, 3};
	struct campaign_order o;
	struct shares_line lines[4];
	struct err e = ERR_INIT;
	double total = TASKS * SLICE;

	(void)state;
	assert_int_equal(read_text(three, &o, &e), 0);
	assert_int_equal(o.n, 4);
	run_tasks(&o, nothing, lines);
	for (size_t i = 0; i < o.n; i++) /* half of the time exactly by the shares, up to a slice */
		assert_true(lines[i].seconds[0] >= 0.5 * o.lines[i].share * total - SLICE &&
			    lines[i].seconds[0] <= 0.5 * o.lines[i].share * total + SLICE);
	run_tasks(&o, one, lines);
	for (size_t i = 0; i < o.n; i++)
		assert_true(lines[i].seconds[0] >= 0.5 * o.lines[i].share * total - SLICE);
	assert_true(lines[3].seconds[1] > 0.4 * total); /* the one that finds has nearly all of the other half */
	assert_true(lines[0].seconds[1] < 0.05 * total);
	order_release(&o);
}

static void tasks_of_a_line_are_all_its_work(void **state)
{
	char seen[2][1000] = {{0}};
	struct campaign_order o;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(read_text(three, &o, &e), 0);
	assert_int_equal(order_tasks(&o, 0), 2000);
	for (int64_t k = 0; k < 2000; k++) {
		const struct split s = order_split(&o, 0, k);
		uint64_t seed = order_seed(&o, 0, k);

		assert_true(seed == 5 || seed == 9);
		assert_int_equal(s.of, 1000);
		assert_int_equal(seen[seed == 9][s.at]++, 0);
	}
	order_release(&o);
}

static void a_line_rests(void **state)
{
	static const char text[] = "time: 1h\nmethods:\n  - {method: fuzz, backends: [ort, tract], shards: 3}\n";
	struct ledger l = {.lock = -1};
	struct campaign_order o;
	struct shares_line lines[2];
	struct err e = ERR_INIT;
	size_t line;
	int by_finds;

	(void)state;
	assert_int_equal(read_text(text, &o, &e), 0);
	for (int i = 0; i < 2; i++) /* two failures of the first, in a row */
		assert_int_equal(vec_push(&l.tasks, ((struct ledger_task){.line = 0, .state = LEDGER_FAILED})), 0);
	shares_count(&l, &o, lines);
	assert_true(lines[0].resting && !lines[1].resting);
	for (int i = 0; i < 3; i++) { /* all shards of the second */
		assert_int_equal(shares_next(&o, lines, &line, &by_finds), SHARES_CHOSEN);
		assert_int_equal(line, 1);
		assert_int_equal(vec_push(&l.tasks, ((struct ledger_task){.line = 1, .state = LEDGER_DONE})), 0);
		shares_count(&l, &o, lines);
	}
	assert_int_equal(shares_next(&o, lines, &line, &by_finds), SHARES_NONE);
	ledger_close(&l);
	order_release(&o);
}

/* All methods on all libraries: what the file says of shares and models is there. */
static void the_example_is_read(void **state)
{
	struct campaign_order o;
	struct err e = ERR_INIT;
	double sum = 0;

	(void)state;
	if (order_read("examples/hunt.yaml", &o, &e))
		fail_msg("%s", e.msg);
	assert_true(o.n > 50);
	for (size_t i = 0; i < o.n; i++) {
		assert_true(order_tasks(&o, i) > 0);
		sum += o.lines[i].share;
	}
	assert_true(sum > 0.999 && sum < 1.001);
	order_release(&o);
}

/* One whose slice was not enough: the line has work as long as there is one. */
static void open_tasks_are_work(void **state)
{
	static const char text[] = "time: 1h\nslice: 1m\nmethods:\n  - {method: equiv, backends: [ort], shards: 2}\n"
				   "  - {method: search, backends: [ort]}\n  - {method: fuzz, backends: [ort]}\n"
				   "  - {method: fuzz, backends: [ort], options: [--models=5000]}\n";
	struct ledger l = {.lock = -1};
	struct campaign_order o;
	struct shares_line lines[4];
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(read_text(text, &o, &e), 0);
	assert_int_equal(
		vec_push(&l.tasks, ((struct ledger_task){.state = LEDGER_OPEN, .seconds = 90, .finds_seconds = 60})),
		0);
	assert_int_equal(vec_push(&l.tasks, ((struct ledger_task){.state = LEDGER_DONE, .seconds = 5})), 0);
	shares_count(&l, &o, lines);
	assert_true(!lines[0].resting && lines[0].open == 1 && lines[0].over == 1);
	assert_true(lines[0].seconds[0] == 35 && lines[0].seconds[1] == 60);
	l.tasks.at[0].state = LEDGER_RUNNING;
	l.tasks.at[0].slice = 60;
	shares_count(&l, &o, lines);
	assert_true(lines[0].resting && lines[0].seconds[0] == 95);
	assert_int_equal(order_tasks(&o, 3), 1000);
	assert_true(order_tasks(&o, 2) >= 288000); /* a day of a thousand cores, five minutes each */
	assert_true(order_goes_on(&o, 0) && order_goes_on(&o, 1) && !order_goes_on(&o, 2));
	assert_true(order_slice(&o, 0, 5, 0) == 60 && order_slice(&o, 0, 5, 2) == 240); /* its journal has the others */
	assert_true(order_slice(&o, 1, 0, 0) == 60 && order_slice(&o, 1, 3, 0) == 480);
	ledger_close(&l);
	order_release(&o);
}

static void state_survives(void **state)
{
	struct campaign_order o;
	struct ledger l, again;
	struct err e = ERR_INIT;
	char path[128];

	(void)state;
	assert_int_equal(read_text(three, &o, &e), 0);
	snprintf(path, sizeof path, "%s/c", scratch_folder);
	assert_int_equal(ledger_open(path, &o, &l, &e), 0);
	assert_int_equal(ledger_open(path, &o, &again, &e), ERR_INPUT); /* one leader at a time */
	assert_int_equal(vec_push(&l.tasks, ((struct ledger_task){.line = 2,
								  .seed = UINT64_MAX,
								  .split = {7, 1000},
								  .slice = 1.5,
								  .by_finds = 1,
								  .state = LEDGER_LOST,
								  .losses = 5,
								  .cpu = 2.25,
								  .counts = json_pack("{s:{s:i}}", "ort", "given", 4),
								  .why = "a \"reason\""})),
			 0);
	l.seconds = 12.5;
	assert_int_equal(ledger_save(&l, &e), 0);
	ledger_close(&l);
	assert_int_equal(ledger_open(path, &o, &again, &e), 0);
	assert_int_equal(again.tasks.n, 1);
	assert_true(again.seconds == 12.5 && again.runs == 2);
	assert_true(again.tasks.at[0].seed == UINT64_MAX && again.tasks.at[0].split.at == 7);
	assert_true(again.tasks.at[0].state == LEDGER_LOST && again.tasks.at[0].by_finds);
	assert_true(again.tasks.at[0].cpu == 2.25);
	assert_string_equal(again.tasks.at[0].why, "a \"reason\"");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(again.tasks.at[0].counts, "ort"), "given")),
			 4);
	ledger_close(&again);
	order_release(&o);
}

/* Whatever is in the file, it is refused with a message. */
static void hostile_states(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{\"version\": 2}",
		"{\"version\": 1, \"order\": \"%s\", \"tasks\": [{}]}",
		"{\"version\": 1, \"order\": \"%s\", \"tasks\": [{\"state\": \"done\", \"line\": 99, \"shard\": 1, "
		"\"shards\": 1}]}",
		"{\"version\": 1, \"order\": \"%s\", \"tasks\": [{\"state\": \"done\", \"line\": 0, \"shard\": -1, "
		"\"shards\": 1}]}",
		"{\"version\": 1, \"order\": \"%s\", \"tasks\": [{\"state\": \"done\", \"line\": 0, \"shard\": 1, "
		"\"shards\": 1, \"seconds\": -4}]}"};
	struct campaign_order o;
	struct ledger l;
	struct err e = ERR_INIT;
	char path[160], text[512], print[32];

	(void)state;
	assert_int_equal(read_text(three, &o, &e), 0);
	snprintf(print, sizeof print, "%016llx", (unsigned long long)order_print(&o));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *at = strstr(bad[i], "%s");

		snprintf(path, sizeof path, "%s/hostile/state.json", scratch_folder);
		assert_int_equal(place_make_parents(path, &e), 0);
		if (at)
			snprintf(text, sizeof text, "%.*s%s%s", (int)(at - bad[i]), bad[i], print, at + 2);
		else
			snprintf(text, sizeof text, "%s", bad[i]);
		assert_int_equal(buf_write_file(text, strlen(text), path, &e), 0);
		snprintf(path, sizeof path, "%s/hostile", scratch_folder);
		if (ledger_open(path, &o, &l, &e) != ERR_INPUT)
			fail_msg("'%s' is taken", text);
		err_clear(&e);
	}
	order_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_tasks_are_work), cmocka_unit_test(the_example_is_read),
		cmocka_unit_test(shares_are_kept),     cmocka_unit_test(tasks_of_a_line_are_all_its_work),
		cmocka_unit_test(a_line_rests),        cmocka_unit_test(state_survives),
		cmocka_unit_test(hostile_states),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
