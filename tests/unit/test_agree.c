/* test_agree.c - where ONNX leaves open what becomes of NaN, a library must agree with itself (proof/agree.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "proof/proof.h"
#include "support/trials.h"

#define DROPS "fault:relu_drops_nan" /* Relu of NaN is 0, which is open */
#define KEEPS "fault:sqrt_of_abs"    /* … is NaN, as the reference has it */
#define LINE "Relu-14 f32{nan,1,-1}"

/* A case on DROPS, and what the same library gives on its other option set: `twin`. */
static void agree(const char *line, const char *twin, struct outcome *o)
{
	struct trial t = trials_line(line, 3);
	struct party p = trials_open(DROPS);
	static char reader[] = "ort"; /* one that reads ONNX and has option sets */
	char *own = p.spec.backend;
	struct err e = ERR_INIT;

	if (trial_judge(&t, &p, NULL, o, &e) || trial_doubt(&t, NULL, DOUBT_FULL, o, &e))
		fail_msg("%s", e.msg);
	p.twin = mem_alloc(sizeof *p.twin);
	*p.twin = trials_open(twin);
	p.spec.backend = reader;
	if (proof_agree(&t, &p, o, &e))
		fail_msg("%s", e.msg);
	p.spec.backend = own;
	party_close(&p);
	trial_release(&t);
}

static void test_the_same_everywhere(void **state)
{
	struct outcome o;

	(void)state;
	agree(LINE, DROPS, &o);
	assert_int_equal(o.verdict, VERDICT_UNSPECIFIED);
	assert_true(o.of_nan);
	outcome_release(&o);
}

static void test_another_set_gives_another_number(void **state)
{
	struct outcome o;

	(void)state;
	agree(LINE, KEEPS, &o);
	assert_true(verdict_is_finding(o.verdict));
	assert_true(o.stands);
	assert_non_null(strstr(o.reason, "must be the same with " KEEPS));
	outcome_release(&o);
}

/* A library that gives another number for NaN in each run: that is wrong whatever ONNX leaves open, and comes again. */
static void another_run(const char *line)
{
	struct trial t = trials_line(line, 3);
	struct party p = trials_open_faulty("nan-drifts", NULL);
	struct err e = ERR_INIT;
	struct outcome o;

	if (trial_judge(&t, &p, NULL, &o, &e) || trial_doubt(&t, NULL, DOUBT_FULL, &o, &e) ||
	    proof_agree(&t, &p, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	assert_true(o.stands && o.unstable);
	assert_non_null(strstr(o.reason, "; other numbers each time"));
	if (trial_confirm(&t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* Of an operator that chooses, too, and each answer is one of the numbers that went in. */
static void test_another_run_gives_another_number(void **state)
{
	(void)state;
	another_run("Relu-14 f32{nan,1}");
	another_run("Max-13 f32{nan,1} f32{1,0}");
}

/* What is right needs no agreement, and what is open for another reason promises none. */
static void test_nothing_to_agree_on(void **state)
{
	struct outcome o;

	(void)state;
	agree("Relu-14 f32{2,1,-1}", KEEPS, &o);
	assert_false(o.of_nan);
	assert_true(verdict_is_right(o.verdict));
	outcome_release(&o);
	agree("Cast-13 f32{nan,1} to=7", KEEPS, &o);
	assert_false(o.of_nan);
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_everywhere),
		cmocka_unit_test(test_another_set_gives_another_number),
		cmocka_unit_test(test_another_run_gives_another_number),
		cmocka_unit_test(test_nothing_to_agree_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
