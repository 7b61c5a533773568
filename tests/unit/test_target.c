/* test_target.c - what a smaller case must still show: the same look of what is wrong, and a deviation of the same
 * order, also where the right number is 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/case.h"
#include "triage/reduction.h"

static struct err e = ERR_INIT;

/* A library's answer to a case of one output, judged. */
struct answer {
	struct trial t;
	struct outcome o;
};

static struct answer answer_of(const char *line, struct tensor *got)
{
	struct party nobody = {0};
	struct answer a = {0};
	struct op_case c;

	if (case_parse(line, 3, &c, &e) || trial_init(&a.t, c.model, c.inputs, 3, &e) || trial_truth(&a.t, &e))
		fail_msg("%s: %s", line, e.msg);
	a.o.n = 1;
	a.o.values = mem_array(1, sizeof *a.o.values);
	a.o.values[0] = value_tensor(got, &e);
	if (trial_judge_values(&a.t, &nobody, NULL, &a.o, &e))
		fail_msg("%s: %s", line, e.msg);
	assert_int_equal(a.o.verdict, VERDICT_WRONG);
	return a;
}

static struct tensor *numbers(int64_t n, double first, double last)
{
	struct tensor *t = tensor_new(DT_FLOAT, 1, &n, &e), *packed;

	assert_non_null(t);
	t->f[0] = first;
	t->f[n - 1] = last;
	packed = tensor_pack(t, &e);
	tensor_unref(t);
	assert_non_null(packed);
	return packed;
}

static int still_shows(struct answer first, struct answer small)
{
	struct target t = {.op = NULL};
	int shows;

	target_set(&t, &first.t, &first.o, NULL);
	shows = target_shows(&t, &small.t, &small.o);
	assert_true(target_shows(&t, &first.t, &first.o)); /* a case shows what it shows itself */
	trial_release(&first.t);
	trial_release(&small.t);
	outcome_release(&first.o);
	outcome_release(&small.o);
	return shows;
}

/* -14.4 for 0, where any bit is infinitely far off. */
static struct answer far_from_zero(void)
{
	return answer_of("Identity-13 f32{0,20}", numbers(2, -14.4, 20));
}

static void test_order(void **state)
{
	(void)state;
	assert_false(still_shows(far_from_zero(), answer_of("Identity-13 f32{0,20}", numbers(2, 3e-6, 20))));
	assert_true(still_shows(far_from_zero(), answer_of("Identity-13 f32{0,20}", numbers(2, 1, 20))));
	assert_true(still_shows(far_from_zero(), answer_of("Identity-13 f32{0,1}", numbers(2, 1, 1))));
	/* where 0 is right, and nothing else is there to measure by */
	assert_true(still_shows(far_from_zero(), answer_of("Identity-13 f32{0}", numbers(1, 1, 1))));
	/* units of the element's own rounding: from a tenth of the number to ten times the last bits */
	assert_false(still_shows(answer_of("Identity-13 f32{1,2}", numbers(2, 1.1, 2)),
				 answer_of("Identity-13 f32{1,2}", numbers(2, 1.00001, 2))));
	/* what was little at first may stay little, and need not be as much to the last digit */
	assert_true(still_shows(answer_of("Identity-13 f32{1,2}", numbers(2, 1.000003, 2)),
				answer_of("Identity-13 f32{1,2}", numbers(2, 1.0000025, 2))));
	assert_true(still_shows(answer_of("Identity-13 f32{1,2}", numbers(2, 1.00002, 2)),
				answer_of("Identity-13 f32{1,2}", numbers(2, 1.00001, 2))));
}

static void test_look(void **state)
{
	const char *line = "Identity-13 f32{0,20}";

	(void)state;
	assert_false(still_shows(far_from_zero(), answer_of(line, numbers(3, 0, 20))));
	assert_false(still_shows(answer_of(line, numbers(3, 0, 20)), far_from_zero()));
	assert_true(still_shows(answer_of(line, numbers(3, 0, 20)), answer_of(line, numbers(1, 7, 7))));
	/* a number where there is none, minus infinity here */
	assert_false(still_shows(answer_of("Log-13 f32{0,1}", numbers(2, -7, 0)), far_from_zero()));
	assert_true(still_shows(answer_of("Log-13 f32{0,1}", numbers(2, -7, 0)),
				answer_of("Log-13 f32{0}", numbers(1, -7, -7))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_look)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
