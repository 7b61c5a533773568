/* test_equiv_expr.c - expressions of assay equiv, what is drawn for them, and the rows of data/equiv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "methods/equiv/compare.h"
#include "methods/equiv/equiv.h"

static void prints_as(const char *text, const char *want)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct expr *x;
	struct buf out;

	buf_init(&out, 65536);
	assert_int_equal(expr_parse(text, &arena, &x, &e), 0);
	expr_print(x, &out);
	assert_string_equal(out.data, want);
	buf_release(&out);
	arena_release(&arena);
}

static void expressions_are_read_and_printed(void **state)
{
	(void)state;
	prints_as("conv(x,[1, 2],None,\"same\",k=true)#1", "conv(x, [1, 2], None, \"same\", k=true)#1");
	prints_as("f(_axis=1, 0.1, 1e-30, inf, -inf, nan)", "f(_axis=1, 0.1, 1e-30, inf, -inf, nan)");
	prints_as("f(0.30000000000000004, 1e300, -0.0)", "f(0.30000000000000004, 1e+300, -0.0)");
	prints_as("f(n+1, 2*h-1, 0.5, -3, @float32, [])", "f(n+1, 2*h-1, 0.5, -3, @float32, [])");
}

/* s = 3, p = 5 */
static int64_t number_of(const char *text)
{
	const struct bindings b = {.at = {{.name = "s", .i = 3}, {.name = "p", .i = 5}}, .n = 2};
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct expr *x;
	int64_t out;

	assert_int_equal(expr_parse(text, &arena, &x, &e), 0);
	assert_int_equal(bindings_int(&b, x, &out, &e), 0);
	arena_release(&arena);
	return out;
}

static void products_come_before_sums(void **state)
{
	(void)state;
	assert_int_equal(number_of("s+2*p"), 13);
	assert_int_equal(number_of("2*p+s"), 13);
	assert_int_equal(number_of("s - p*2 - 1"), -8);
	assert_int_equal(number_of("s-p-1"), -3);
	assert_int_equal(number_of("2*s*p-s*-1"), 33);
}

static void bad_expressions_are_refused(void **state)
{
	static const char *const bad[] = {"",         "f(",    "f(x", "f(x))", "[1,", "\"a",
					  "@nothing", "f(x,)", "1+",  "1+2*",  "*"};
	struct arena arena = ARENA_INIT;
	struct expr *x;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = ERR_INIT;

		assert_int_equal(expr_parse(bad[i], &arena, &x, &e), ERR_INPUT);
	}
	arena_release(&arena);
}

static void deep_expressions_are_refused(void **state)
{
	char text[400];
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct expr *x;

	(void)state;
	for (size_t i = 0; i < 198; i += 2)
		memcpy(text + i, "f(", 2);
	memcpy(text + 198, "x", 2);
	assert_int_equal(expr_parse(text, &arena, &x, &e), ERR_INPUT);
	arena_release(&arena);
}

static void drawings_repeat(void **state)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct bindings a, b;
	struct draw d;
	struct rng r;

	(void)state;
	rng_init(&r, 5);
	assert_int_equal(draw_parse("n=2..4 x:float32.edges[n,n+1] k:int64.below3[n]", &arena, &d, &e), 0);
	for (uint64_t i = 0; i < 16; i++) {
		assert_int_equal(draw_make(&d, &r, i, &a, &e), 0);
		assert_int_equal(draw_make(&d, &r, i, &b, &e), 0);
		assert_int_equal(a.at[0].i, b.at[0].i);
		assert_true(compare_same(a.at[1].tensor, b.at[1].tensor, 0));
		assert_int_equal(a.at[1].tensor->tensor->dims[1], a.at[0].i + 1);
		for (size_t k = 0; k < a.at[2].tensor->tensor->count; k++)
			assert_in_range((int)tensor_get(a.at[2].tensor->tensor, k), 0, 2);
		bindings_release(&a);
		bindings_release(&b);
	}
	arena_release(&arena);
}

static int count_row(const struct equiv_pair *p, void *arg)
{
	struct bindings b;
	struct err e = ERR_INIT;
	struct rng r;

	rng_init(&r, 1);
	for (uint64_t i = 0; i < 8; i++) {
		assert_int_equal(draw_make(&p->draw, &r, i, &b, &e), 0);
		bindings_release(&b);
	}
	++*(size_t *)arg;
	return 0;
}

/* The sizes of a call's only tensor under a plan, and its rank. */
static int drawn_sizes(uint64_t plan, int64_t *dims)
{
	struct backend_parameter x = {.name = (char *)"x", .type = (char *)"Tensor", .is_input = 1};
	struct backend_operation op = {.name = (char *)"twice", .parameters = &x, .n_parameters = 1, .n_outputs = 1};
	struct api api = {.op = &op, .kinds = {PARAMETER_TENSOR}};
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct bindings b;
	struct registry r;
	struct rng values;
	const struct call_draw draw = {.plan = plan, .values = &values, .how = DRAW_ANY};
	struct expr *call;
	int rank;

	registry_init(&r, "torch");
	rng_init(&values, 1);
	assert_int_equal(registry_call(&r, &api, &draw, &arena, &call, &b, &e), 0);
	assert_int_equal(b.n, 1);
	rank = b.at[0].tensor->tensor->rank;
	memcpy(dims, b.at[0].tensor->tensor->dims, (size_t)rank * sizeof *dims);
	bindings_release(&b);
	arena_release(&arena);
	return rank;
}

static void a_plan_has_empty_twins(void **state)
{
	int64_t full[TENSOR_MAX_RANK], empty[TENSOR_MAX_RANK];
	int changed = 0;

	(void)state;
	for (uint64_t plan = 1; plan < 200; plan++) {
		int rank = drawn_sizes(plan, full);

		assert_int_equal(drawn_sizes(PLAN_EMPTY(plan, 0), empty), rank);
		for (int i = 0; i < rank; i++) {
			assert_true(empty[i] == full[i] || empty[i] == 0);
			changed += empty[i] != full[i];
		}
	}
	assert_true(changed > 100);
}

/* As many axes as a tensor may have, and no more elements than a few times those before. */
static void a_plan_has_twins_of_high_rank(void **state)
{
	int64_t dims[TENSOR_MAX_RANK], high[TENSOR_MAX_RANK];
	int raised = 0;

	(void)state;
	for (uint64_t plan = 1; plan < 200; plan++) {
		int rank = drawn_sizes(plan, dims), more = drawn_sizes(PLAN_HIGH(plan, TENSOR_MAX_RANK), high);
		int64_t count = 1;

		for (int i = 0; i < more; i++)
			count *= high[i];
		assert_true(count <= 4096);
		raised += more == TENSOR_MAX_RANK;
		for (int i = 0; i < rank && more == TENSOR_MAX_RANK; i++)
			assert_int_equal(high[more - rank + i], dims[i]);
		assert_int_equal(drawn_sizes(PLAN_HIGH(plan, 0), high), rank);
	}
	assert_true(raised > 100);
}

/* Every row of every file can be read and drawn. */
static void rows_are_good(void **state)
{
	static const char *const libraries[] = {"torch", "tf", "mxnet", "onnx"};
	struct arena arena = ARENA_INIT;
	size_t rows = 0;

	(void)state;
	for (const struct equiv_rule *const *rule = equiv_rules; *rule; rule++)
		for (size_t i = 0; i < 4; i++) {
			struct err e = ERR_INIT;

			if (equiv_rows(*rule, libraries[i], "data/equiv", &arena, count_row, &rows, &e))
				fail_msg("%s", e.msg);
		}
	assert_true(rows > 150);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_are_read_and_printed),
		cmocka_unit_test(products_come_before_sums),
		cmocka_unit_test(bad_expressions_are_refused),
		cmocka_unit_test(deep_expressions_are_refused),
		cmocka_unit_test(drawings_repeat),
		cmocka_unit_test(a_plan_has_empty_twins),
		cmocka_unit_test(a_plan_has_twins_of_high_rank),
		cmocka_unit_test(rows_are_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
