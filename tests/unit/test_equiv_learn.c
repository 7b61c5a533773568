/* test_equiv_learn.c - which plans are kept: those that were taken, and, when plans are looked for, beyond the usual
 * number those alone that hold something new. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "methods/equiv/learn.h"

#define USUAL 8

static struct bindings bindings_of(enum dtype t, int64_t elements)
{
	static char name[] = "t0";
	struct bindings b = {.n = 1};
	struct err e = ERR_INIT;
	struct rng r;

	rng_init(&r, 1);
	b.at[0].name = name;
	b.at[0].tensor = draw_tensor(t, 1, &elements, DRAW_PLAIN, 0, &r, &e);
	assert_non_null(b.at[0].tensor);
	return b;
}

/* The call of a plan, `word` in it where there is one. */
static void take(struct equiv_result *r, uint64_t plan, enum dtype t, const char *word, int looking, int accepted)
{
	struct arena arena = ARENA_INIT;
	struct expr *call = expr_new(&arena, EXPR_CALL, "", "f");
	struct bindings b = bindings_of(t, 3);

	assert_int_equal(expr_push(&arena, call, expr_new(&arena, EXPR_VARIABLE, "x", "t0")), 0);
	if (word)
		assert_int_equal(expr_push(&arena, call, expr_new(&arena, EXPR_STRING, "mode", word)), 0);
	learn_plan(r, plan, call, &b, looking, accepted);
	bindings_release(&b);
	arena_release(&arena);
}

static void a_run_keeps_what_was_taken(void **state)
{
	struct equiv_result r = {0};

	(void)state;
	for (uint64_t plan = 0; plan < 40; plan++)
		take(&r, plan / 2, DT_FLOAT, NULL, 0, 1);
	assert_int_equal(r.n_plans, 16);
	assert_int_equal(r.accepted, 40);
}

/* A file may have more plans than a run adds. */
static void plans_of_a_file_stay(void **state)
{
	struct equiv_result r = {.n_plans = 20};

	(void)state;
	for (uint64_t plan = 0; plan < 20; plan++)
		r.plans[plan] = plan + 1;
	for (int i = 0; i < 20; i++)
		take(&r, 20, DT_FLOAT, NULL, 0, 1);
	take(&r, 21, DT_FLOAT, NULL, 0, 1);
	assert_int_equal(r.n_plans, 20);
	assert_int_equal(r.strikes[19], 0);
}

static void looking_keeps_few_that_are_alike(void **state)
{
	struct equiv_result r = {0};

	(void)state;
	for (uint64_t plan = 0; plan < 40; plan++)
		take(&r, plan, DT_FLOAT, NULL, 1, 1);
	assert_int_equal(r.n_plans, USUAL);
	take(&r, 40, DT_INT32, NULL, 1, 1); /* another type */
	assert_int_equal(r.n_plans, USUAL + 1);
	take(&r, 41, DT_INT32, "trunc", 1, 1); /* a word */
	assert_int_equal(r.n_plans, USUAL + 2);
	take(&r, 42, DT_INT32, "floor", 1, 1); /* another */
	assert_int_equal(r.n_plans, USUAL + 3);
	take(&r, 43, DT_FLOAT, "floor", 1, 1); /* with another type */
	assert_int_equal(r.n_plans, USUAL + 4);
	take(&r, 44, DT_INT32, "trunc", 1, 1);
	take(&r, 45, DT_INT8, NULL, 1, 0); /* new, and refused */
	assert_int_equal(r.n_plans, USUAL + 4);
}

static void a_plan_that_is_refused_again_and_again_goes(void **state)
{
	struct equiv_result r = {0};

	(void)state;
	take(&r, 1, DT_FLOAT, NULL, 0, 1);
	take(&r, 2, DT_FLOAT, NULL, 0, 1);
	for (int i = 0; i < 7; i++)
		take(&r, 1, DT_FLOAT, NULL, 0, 0);
	take(&r, 1, DT_FLOAT, NULL, 0, 1); /* not in a row */
	for (int i = 0; i < 7; i++)
		take(&r, 1, DT_FLOAT, NULL, 0, 0);
	assert_int_equal(r.n_plans, 2);
	take(&r, 1, DT_FLOAT, NULL, 0, 0);
	assert_int_equal(r.n_plans, 1);
	assert_int_equal(r.plans[0], 2);
}

static void what_is_empty_or_odd_is_no_plan(void **state)
{
	struct equiv_result r = {0};
	struct arena arena = ARENA_INIT;
	struct expr *call = expr_new(&arena, EXPR_CALL, "", "f");
	struct bindings b = bindings_of(DT_FLOAT, 0);

	(void)state;
	learn_plan(&r, 1, call, &b, 0, 1);
	bindings_release(&b);
	arena_release(&arena);
	take(&r, PLAN_RARE(UINT64_C(1), 0), DT_INT16, NULL, 0, 1);
	assert_int_equal(r.n_plans, 0);
	assert_int_equal(r.accepted, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_keeps_what_was_taken),
		cmocka_unit_test(plans_of_a_file_stay),
		cmocka_unit_test(looking_keeps_few_that_are_alike),
		cmocka_unit_test(a_plan_that_is_refused_again_and_again_goes),
		cmocka_unit_test(what_is_empty_or_odd_is_no_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
