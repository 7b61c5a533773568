/* test_equiv_precise.c - what float32 has not the digits or the range for is not told, what is wrong is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/precise.h"

/* A library whose only function triples, but for errors. */
struct toy {
	double narrow, wide;        /* of float32, and of float64 */
	double roundings;           /* of float32: so many of the result */
	int flushes;                /* in float32 it is 1 more where the square of x is below the type's range */
	int nan_at_zero, nan_above; /* it is NaN of 0, of numbers above 1 */
};

static double tripled(const struct toy *t, double x, int wide)
{
	if ((t->nan_at_zero && x == 0) || (t->nan_above && x > 1))
		return (double)NAN;
	if (wide)
		return 3 * x + t->wide;
	return 3 * x * (1 + t->roundings * dtype_roundoff(DT_FLOAT)) + t->narrow +
	       (t->flushes && x != 0 && x * x < dtype_smallest(DT_FLOAT));
}

static enum worker_result toy(void *library, const struct backend_call *c, struct backend_answer *out,
			      struct worker_report *report)
{
	const struct tensor *x = c->args[0].tensor->tensor;
	struct err e = ERR_INIT;
	struct tensor *made = tensor_zeros(x->dtype, x->rank, x->dims, &e);

	memset(report, 0, sizeof *report);
	for (size_t i = 0; i < made->count; i++)
		made->f[i] = tripled(library, tensor_get(x, i), x->dtype == DT_DOUBLE);
	tensor_round(made);
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_tensor(tensor_pack(made, &e), &e);
	tensor_unref(made);
	return WORKER_OK;
}

static int tells_pair(struct equiv_pair p, const char *variables, struct toy left, struct toy right)
{
	struct eval sides[2] = {{.invoke = toy, .library = &left}, {.invoke = toy, .library = &right}};
	/* without an absolute tolerance some tens of roundings count */
	struct equiv_options o = {.inputs = 400, .atol = 1e-7, .rtol = 1e-6};
	struct arena arena = ARENA_INIT;
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;
	int told;

	p.name = "toy";
	registry_init(&registry, "torchapi");
	assert_int_equal(draw_parse(variables, &arena, &p.draw, &e), 0);
	assert_int_equal(expr_parse("triple(x)", &arena, &p.a, &e), 0);
	assert_int_equal(expr_parse("triple(x)", &arena, &p.b, &e), 0);
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	told = verdict_is_finding(r.found[EQUIV_DIFFERENCE].verdict);
	assert_true(told || r.rounding + r.invalid > 0); /* it was met */
	equiv_result_release(&r);
	arena_release(&arena);
	return told;
}

static int tells(const struct equiv_rule *rule, int unlike_kernels, struct toy left, struct toy right)
{
	return tells_pair((struct equiv_pair){.rule = rule, .unlike_kernels = unlike_kernels}, "x:float32.plain[3]",
			  left, right);
}

static void what_float64_has_no_more_is_rounding(void **state)
{
	const struct toy off = {.narrow = 0.5}, wrong = {.narrow = 0.5, .wide = 0.5}, right = {0};

	(void)state;
	assert_false(tells(&rule_derived, 1, right, off));
	assert_true(tells(&rule_derived, 1, right, wrong));
	assert_true(tells(&rule_derived, 0, right, off)); /* first derivatives: what inputs' rounding shows is enough */
}

/* Six nudges need not hit the worst rounding; what is far off is wrong, and so is what float64 has, too. */
static void a_little_more_than_the_noise_is_rounding_where_float64_has_it_not(void **state)
{
	const struct toy little = {.roundings = 80}, much = {.roundings = 2000}, right = {0};
	const struct toy both = {.roundings = 80, .wide = 0.5};

	(void)state;
	assert_false(tells(&rule_optimized, 0, right, little));
	assert_true(tells(&rule_optimized, 0, right, much));
	assert_true(tells(&rule_optimized, 0, right, both));
	assert_true(tells(&rule_dtypes, 0, right, little)); /* its sides are of two types already */
}

/* Too few digits inside, as erfinv(tanh(x)) near 1 has: float64 says what is right, and neither is. */
static void what_neither_side_has_the_digits_for_is_rounding(void **state)
{
	const struct toy above = {.narrow = 0.5}, below = {.narrow = -0.5}, right = {0};

	(void)state;
	assert_false(tells(&rule_optimized, 0, above, below));
	assert_true(tells(&rule_optimized, 0, above, right));
	assert_true(tells(&rule_optimized, 0, right, below));
}

/* A compiler that may rearrange may take a product that is too small for 0. */
static void small_products_are_rounding_where_a_compiler_rearranges(void **state)
{
	struct equiv_pair p = {.rule = &rule_optimized, .rearranged = 1};
	const struct toy flushes = {.flushes = 1}, off = {.narrow = 0.5}, right = {0};

	(void)state;
	assert_false(tells_pair(p, "x:float32.edges[1]", right, flushes));
	assert_true(tells_pair(p, "x:float32.edges[1]", right, off)); /* also of other numbers */
	p.rearranged = 0;
	assert_true(tells_pair(p, "x:float32.edges[1]", right, flushes));
}

/* Where 0 meets an infinity on the way back; a NaN of other numbers is told, and so is another number. */
static void a_documented_nan_of_a_derivative_is_left_out(void **state)
{
	struct equiv_pair p = {.rule = &rule_derived, .nan_steps = 1};
	const struct toy at_zero = {.nan_at_zero = 1}, above = {.nan_above = 1}, right = {0};
	const struct toy off = {.nan_at_zero = 1, .narrow = 0.5};

	(void)state;
	assert_false(tells_pair(p, "x:float32[3]", right, at_zero));
	assert_true(tells_pair(p, "x:float32[3]", right, above));
	assert_true(tells_pair(p, "x:float32[3]", right, off));
	p.nan_steps = 0;
	assert_true(tells_pair(p, "x:float32[3]", right, at_zero));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_float64_has_no_more_is_rounding),
		cmocka_unit_test(a_little_more_than_the_noise_is_rounding_where_float64_has_it_not),
		cmocka_unit_test(what_neither_side_has_the_digits_for_is_rounding),
		cmocka_unit_test(small_products_are_rounding_where_a_compiler_rearranges),
		cmocka_unit_test(a_documented_nan_of_a_derivative_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
