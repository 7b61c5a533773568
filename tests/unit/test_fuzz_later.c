/* test_fuzz_later.c - findings that wait until triage has time for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "methods/fuzz/later.h"

/* Triage has a third of the time; of what looks alike two wait, and one each time their number has doubled. */
static void findings_wait(void **state)
{
	struct later l = {.looks = {.doubling = 1}, .begin = 100};
	struct party p = {.spec = {.name = (char[]){"lib"}}};
	struct outcome refused = {.verdict = VERDICT_REJECTED}, outcomes[2] = {{0}};
	struct trial t = {0};
	struct err e = ERR_INIT;
	int waited = 0;

	(void)state;
	assert_int_equal(model_new(13, &t.model, &e), 0);
	assert_true(later_is_due(&l, 100, 50));
	l.spent = 4;
	assert_false(later_is_due(&l, 111, 50));
	assert_true(later_is_due(&l, 112, 50));
	snprintf(refused.report.message, sizeof refused.report.message, "no such thing");
	for (int i = 1; i <= 9; i++) {
		struct flight f = {.record = {.index = i}};
		int waits = 0;

		assert_int_equal(model_new(13, &f.trial.model, &e), 0);

		assert_int_equal(later_choose(&l, &t, &p, &refused, &waits, &e), 0);
		assert_int_equal(waits, i == 1 || i == 2 || i == 4 || i == 8);
		waited += waits;
		if (waits)
			assert_int_equal(later_add(&l, &f, outcomes, 2, &e), 0);
		flight_release(&f, 0);
	}
	assert_int_equal(l.waiting.n, waited);
	assert_int_equal(later_first(&l, 10), 1); /* not done as long as it waits */
	for (int i = 1; i <= 8; i *= 2) {         /* of equal size: in the order in which they came */
		struct flight f;

		assert_int_equal(later_take(&l, &f, &e), 0);
		assert_int_equal(f.record.index, i);
		flight_release(&f, 2);
	}
	assert_int_equal(later_first(&l, 10), 10);
	later_release(&l, 2);
	trial_release(&t);
}

/* Where time is limited, what a case is likely to take must fit into the share: by its nodes, as those before took. */
static void large_cases_wait_for_small_ones(void **state)
{
	struct later l = {.begin = 100, .seconds = 1e9};
	struct flight large = {0}, small = {0};
	struct outcome outcomes[1] = {{0}};
	struct wire *w;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(later_is_due(&l, 104, 3)); /* 0.1 s a node and 0.4 s a case, before anything is known */
	assert_false(later_is_due(&l, 104, 50));
	assert_true(later_is_due(&l, 121, 50));
	l.spent = 19; /* … and now it is known that it is ten times that */
	later_done(&l, 6);
	assert_true(later_is_due(&l, 198, 3));
	assert_false(later_is_due(&l, 198, 50));
	assert_int_equal(model_new(13, &large.trial.model, &e), 0);
	assert_int_equal(model_new(13, &small.trial.model, &e), 0);
	assert_int_equal(graph_add_input(large.trial.model->graph, "x", NULL, &w, &e), 0);
	assert_int_equal(graph_append_node(large.trial.model->graph, "Relu", &w, 1, "y", NULL, &e), 0);
	assert_int_equal(later_add(&l, &large, outcomes, 1, &e), 0);
	assert_int_equal(later_least(&l), 1);
	assert_int_equal(later_add(&l, &small, outcomes, 1, &e), 0);
	assert_int_equal(later_least(&l), 0);
	later_release(&l, 1);
}

/* A case with so many nodes, one after the other. */
static struct flight flight_with(int64_t index, int nodes)
{
	struct flight f = {.record = {.index = index}};
	struct err e = ERR_INIT;
	struct node *n;
	struct wire *w;
	char name[16];

	assert_int_equal(model_new(13, &f.trial.model, &e), 0);
	assert_int_equal(graph_add_input(f.trial.model->graph, "x", NULL, &w, &e), 0);
	for (int i = 0; i < nodes; i++, w = n->out[0]) {
		snprintf(name, sizeof name, "y%d", i);
		assert_int_equal(graph_append_node(f.trial.model->graph, "Relu", &w, 1, name, &n, &e), 0);
	}
	return f;
}

/* Where too many wait, the largest gives way to smaller ones only. */
static void the_largest_gives_way(void **state)
{
	struct later l = {0};
	struct outcome outcomes[1] = {{0}};
	struct err e = ERR_INIT;
	struct flight f;

	(void)state;
	for (int i = 0; i < LATER_MOST; i++) {
		f = flight_with(i, i == 5 ? 3 : 2);
		assert_true(later_has_room(&l, &f));
		assert_int_equal(later_add(&l, &f, outcomes, 1, &e), 0);
	}
	assert_false(later_is_crowded(&l));
	f = flight_with(LATER_MOST, 3);
	assert_false(later_has_room(&l, &f));
	flight_release(&f, 0);
	f = flight_with(LATER_MOST, 1);
	assert_true(later_has_room(&l, &f));
	assert_int_equal(later_add(&l, &f, outcomes, 1, &e), 0);
	assert_true(later_is_crowded(&l));
	f = later_give_way(&l);
	assert_int_equal(f.record.index, 5);
	flight_release(&f, 1);
	assert_int_equal(l.waiting.n, LATER_MOST);
	assert_int_equal(later_take(&l, &f, &e), 0);
	assert_int_equal(f.record.index, LATER_MOST);
	flight_release(&f, 1);
	later_release(&l, 1);
}

/* The more often what looks like a case was looked into, the larger are those that go before it. */
static void one_kind_does_not_keep_others_out(void **state)
{
	struct later l = {0};
	struct outcome outcomes[1] = {{0}};
	struct flight known = flight_with(0, 1), fresh = flight_with(1, 5), f;
	struct err e = ERR_INIT;

	(void)state;
	known.roughly = 7;
	fresh.roughly = 8;
	assert_true(later_is_next(&l, &known));
	assert_int_equal(later_add(&l, &fresh, outcomes, 1, &e), 0);
	assert_true(later_is_next(&l, &known));
	assert_int_equal(later_note(&l, &known, &e), 0);
	assert_true(later_is_next(&l, &known)); /* four nodes against five */
	assert_int_equal(later_note(&l, &known, &e), 0);
	assert_false(later_is_next(&l, &known));
	assert_int_equal(later_add(&l, &known, outcomes, 1, &e), 0);
	assert_int_equal(later_take(&l, &f, &e), 0);
	assert_int_equal(f.record.index, 1);
	flight_release(&f, 1);
	later_release(&l, 1);
}

/* The more wait, the less time each is reduced in; where there is no end there is time. */
static void many_are_reduced_in_less_time(void **state)
{
	struct later l = {.seconds = 600};
	struct outcome outcomes[1] = {{0}};
	struct err e = ERR_INIT;
	double alone = later_patience(&l), before = alone;

	(void)state;
	assert_true(alone > 0);
	assert_false(later_is_pressed(&l));
	for (int i = 0; i < LATER_MOST; i++) {
		struct flight f = flight_with(i, 2);

		assert_int_equal(later_add(&l, &f, outcomes, 1, &e), 0);
		assert_true(later_patience(&l) <= before && later_patience(&l) > 0);
		before = later_patience(&l);
	}
	assert_true(before < alone);
	assert_true(later_is_pressed(&l));
	l.seconds = 0;
	assert_false(later_is_pressed(&l));
	assert_float_equal(later_patience(&l), alone, 0);
	later_release(&l, 1);
}

/* Behind the end of a campaign there is a tenth of its time for triage, at least five seconds, and the screen says so.
 */
static void triage_is_cut_off(void **state)
{
	struct fuzz_stats s = {.seconds = 6002, .grace = later_grace(6000) - 2};
	char text[192];

	(void)state;
	assert_float_equal(later_grace(6000), 600, 0);
	assert_true(later_grace(1) >= 5);
	assert_float_equal(later_share(6000) * 6000 + 600, 6600 * LATER_SHARE, 1e-6); /* the grace is part of it */
	assert_float_equal(later_share(0), LATER_SHARE, 0);
	fuzz_triage_text(&s, text, sizeof text);
	assert_string_equal(text, "triage took 0 % of the time; the time is over, and triage is cut off in 598 s");
	s.grace = 0;
	fuzz_triage_text(&s, text, sizeof text);
	assert_string_equal(text, "triage took 0 % of the time");
}

/* What was looked into, roughly, stands behind what is new and somewhat larger. */
static void what_is_new_comes_first(void **state)
{
	static const struct {
		int nodes;
		uint64_t roughly;
	} cases[] = {{1, 7}, {1, 7}, {2, 8}, {5, 9}};
	static const int64_t order[] = {0, 2, 1, 3};
	struct later l = {0};
	struct outcome outcomes[1] = {{0}};
	struct err e = ERR_INIT;
	struct flight f;

	(void)state;
	for (int i = 0; i < 4; i++) {
		f = flight_with(i, cases[i].nodes);
		f.roughly = cases[i].roughly;
		assert_int_equal(later_add(&l, &f, outcomes, 1, &e), 0);
	}
	for (int i = 0; i < 4; i++) {
		assert_int_equal(later_take(&l, &f, &e), 0);
		assert_int_equal(f.record.index, order[i]);
		flight_release(&f, 1);
	}
	later_release(&l, 1);
}

/* A library that hangs does not hold a campaign up whose time is over: a request may take half a minute, and a hang is
 * confirmed with ten times that. */
static void a_hang_is_cut_off(void **state)
{
	struct backend_option options[] = {{"run", "hang"}, {"model", "any"}};
	struct worker_spec spec;
	struct corpus corpus;
	struct fuzz_stats stats;
	struct err e = ERR_INIT;
	struct campaign_options o = {.fuzz = {.seed = 1, .blocks = 1, .shards = FUZZ_SHARDS},
				     .corpus = &corpus,
				     .specs = &spec,
				     .n_specs = 1,
				     .command = "",
				     .jobs = 2,
				     .seconds = 1,
				     .late = 0.1};

	(void)state;
	setenv("ASSAY_PATIENCE", "1", 1); /* of the grace: five seconds, not a hundred */
	assert_int_equal(corpus_load("data/blocks-paper.yaml", 0, &corpus, &e), 0);
	assert_int_equal(spec_make("exec:" FAULT_WORKER, &spec, &e), 0);
	spec.options = options;
	spec.n_options = 2;
	/* A process that has begun no case when time is up ends by itself, as may be on a busy machine. */
	do {
		if (campaign_run(&o, &stats, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(stats.cases, 0);
		o.seconds *= 2;
	} while (stats.cut_off < 2 && o.seconds < 100);
	assert_int_equal(stats.cut_off, 2);
	spec.options = NULL;
	spec.n_options = 0;
	spec_release(&spec);
	corpus_release(&corpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings_wait),
		cmocka_unit_test(large_cases_wait_for_small_ones),
		cmocka_unit_test(the_largest_gives_way),
		cmocka_unit_test(one_kind_does_not_keep_others_out),
		cmocka_unit_test(many_are_reduced_in_less_time),
		cmocka_unit_test(triage_is_cut_off),
		cmocka_unit_test(what_is_new_comes_first),
		cmocka_unit_test(a_hang_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
