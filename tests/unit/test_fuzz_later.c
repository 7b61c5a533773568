/* test_fuzz_later.c - findings that wait until triage has time for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

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
		struct flight f = later_take(&l);

		assert_int_equal(f.record.index, i);
		flight_release(&f, 2);
	}
	assert_int_equal(later_first(&l, 10), 10);
	later_release(&l, 2);
}

/* Where time is limited, what a case is likely to take must fit into the share: by its nodes, as those before took. */
static void large_cases_wait_for_small_ones(void **state)
{
	struct later l = {.begin = 100, .is_timed = 1};
	struct flight large = {0}, small = {0};
	struct outcome outcomes[1] = {{0}};
	struct wire *w;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(later_is_due(&l, 104, 3)); /* 0.1 s a node, before anything is known */
	assert_false(later_is_due(&l, 104, 50));
	assert_true(later_is_due(&l, 120, 50));
	l.spent = 19; /* … and now it is known that it is 1 s */
	l.nodes = 10;
	assert_true(later_is_due(&l, 167, 3));
	assert_false(later_is_due(&l, 167, 50));
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

/* Behind the end of a campaign there is a tenth of its time for triage, at least five seconds, and the screen says so. */
static void triage_is_cut_off(void **state)
{
	struct fuzz_stats s = {.seconds = 602, .grace = later_grace(600) - 2};
	char text[192];

	(void)state;
	assert_float_equal(later_grace(600), 60, 0);
	assert_true(later_grace(1) >= 5);
	fuzz_triage_text(&s, text, sizeof text);
	assert_string_equal(text, "triage took 0 % of the time; the time is over, and triage is cut off in 58 s");
	s.grace = 0;
	fuzz_triage_text(&s, text, sizeof text);
	assert_string_equal(text, "triage took 0 % of the time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings_wait),
		cmocka_unit_test(large_cases_wait_for_small_ones),
		cmocka_unit_test(triage_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
