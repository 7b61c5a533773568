/* test_equiv_measure.c - whole numbers that become floats round on the way: what that does is not told, other errors
 * are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/measure.h"

/* A library whose only function sums whole numbers in float32, from the first or from the last on; or as whole ones. */
struct toy {
	int backwards, whole;
	double off; /* an error of its own */
};

static struct tensor *summed(const struct toy *t, const struct tensor *x, struct err *e)
{
	struct tensor *wide;
	float sum = 0;
	int64_t all = 0;

	for (size_t i = 0; i < x->count; i++) {
		double one = tensor_get(x, t->backwards ? x->count - 1 - i : i);

		sum += (float)one;
		all += (int64_t)one;
	}
	wide = t->whole ? tensor_scalar_i(DT_INT64, all + (int64_t)t->off, e)
			: tensor_scalar_f(DT_FLOAT, (double)sum + t->off, e);
	return wide;
}

static enum worker_result toy(void *library, const struct backend_call *c, struct backend_answer *out,
			      struct worker_report *report)
{
	struct err e = ERR_INIT;
	struct tensor *wide = summed(library, c->args[0].tensor->tensor, &e);

	memset(report, 0, sizeof *report);
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_tensor(tensor_pack(wide, &e), &e);
	tensor_unref(wide);
	return WORKER_OK;
}

static int tells(const char *variables, struct toy left, struct toy right, size_t *rounding)
{
	static const struct equiv_rule rule = {7, "formula", "test", NULL};
	struct equiv_pair p = {.rule = &rule, .name = "toy"};
	struct eval sides[2] = {{.invoke = toy, .library = &left}, {.invoke = toy, .library = &right}};
	struct equiv_options o = {.inputs = 2000, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct arena arena = ARENA_INIT;
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;
	int told;

	registry_init(&registry, "torch");
	assert_int_equal(draw_parse(variables, &arena, &p.draw, &e), 0);
	assert_int_equal(expr_parse("sum(x)", &arena, &p.a, &e), 0);
	assert_int_equal(expr_parse("sum(x)", &arena, &p.b, &e), 0);
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	told = verdict_is_finding(r.found[EQUIV_DIFFERENCE].verdict);
	*rounding = r.rounding;
	equiv_result_release(&r);
	arena_release(&arena);
	return told;
}

/* 1, 2147483646, -2147483647 is 0 or 1 in float32, as it is summed. */
static void what_floats_have_no_digits_for_is_rounding(void **state)
{
	size_t rounding;

	(void)state;
	assert_false(tells("x:int32.edges[9]", (struct toy){0}, (struct toy){.backwards = 1}, &rounding));
	assert_true(rounding > 0); /* it was met */
}

static void what_they_have_digits_for_is_told(void **state)
{
	struct toy right = {0}, wrong = {.off = 0.5};
	size_t rounding;

	(void)state;
	assert_true(tells("x:int32[6]", right, wrong, &rounding));
	assert_true(tells("x:int8.edges[6]", right, wrong, &rounding));
	assert_false(tells("x:int32[6]", right, right, &rounding));
}

/* Whole results do not round: 1 of 2147483647 is wrong. */
static void whole_results_are_told(void **state)
{
	struct toy right = {.whole = 1}, wrong = {.whole = 1, .off = 1};
	size_t rounding;

	(void)state;
	assert_true(tells("x:int32.edges[1]", right, wrong, &rounding));
	assert_int_equal(rounding, 0);
}

static void numbers_stay_in_their_type(void **state)
{
	const int64_t dims[] = {3};
	const int64_t at[] = {2147483647, -2147483648, 5};
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_zeros(DT_INT32, 1, dims, &e);
	struct value *v, *moved;
	struct rng r;
	int far = 0;

	(void)state;
	memcpy(wide->i, at, sizeof at);
	v = value_tensor(tensor_pack(wide, &e), &e);
	rng_init(&r, 1);
	for (int k = 0; k < 16; k++) {
		moved = draw_nudged_whole(v, dtype_roundoff(DT_FLOAT), &r, &e);
		far |= tensor_get(moved->tensor, 0) < 2147483647;
		assert_true(tensor_get(moved->tensor, 0) > 2147483000 && tensor_get(moved->tensor, 1) < -2147483000);
		assert_int_equal((int64_t)tensor_get(moved->tensor, 2), 5);
		value_unref(moved);
	}
	assert_true(far);
	tensor_unref(wide);
	value_unref(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_floats_have_no_digits_for_is_rounding),
		cmocka_unit_test(what_they_have_digits_for_is_told),
		cmocka_unit_test(whole_results_are_told),
		cmocka_unit_test(numbers_stay_in_their_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
