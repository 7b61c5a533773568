/* test_equiv.c - the engine of assay equiv, on a library of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/equiv.h"

/* ---- a library of two operations --------------------------------------------------------------------------------- */

/* What the library does wrong. */
struct wrongs {
	int random; /* other numbers after so many calls */
	int crash, noisy, refuse, hang;
	double gradient; /* how much it is off */
	int huge;        /* element 0 is the lowest number of its type */
	int deaf;        /* gradients are those of a sum, whatever the heads are */
	size_t crash_on; /* tensors of so many elements */
	int calls;
};

static struct value *doubled(const struct tensor *t, const struct wrongs *w)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_zeros(t->dtype, t->rank, t->dims, &e), *packed;

	for (size_t i = 0; i < wide->count; i++) {
		wide->f[i] = 2 * tensor_get(t, i);
		if (w->noisy) /* the difference of large numbers: its last bits are noise */
			wide->f[i] += (double)(float)(tensor_get(t, i) * 3e7) - tensor_get(t, i) * 3e7;
		if (w->random)
			wide->f[i] += w->calls / w->random;
		if (w->huge && !i)
			wide->f[i] = dtype_lowest(t->dtype);
	}
	packed = tensor_pack(wide, &e);
	tensor_unref(wide);
	return value_tensor(packed, &e);
}

/* One gradient: the same number for each element, times its head. */
static struct tensor **slopes(const struct tensor *of, double slope, uint32_t heads)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_zeros(of->dtype, of->rank, of->dims, &e), **all = mem_array(1, sizeof *all);

	for (size_t i = 0; i < wide->count; i++)
		wide->f[i] = slope * backend_head(heads, i);
	all[0] = tensor_pack(wide, &e);
	tensor_unref(wide);
	return all;
}

static enum worker_result toy(void *library, const struct backend_call *c, struct backend_answer *out,
			      struct worker_report *report)
{
	struct wrongs *w = library;
	struct value *x = c->args[0].tensor;

	memset(report, 0, sizeof *report);
	assert_true(c->n_args >= 1 && c->args[0].kind == ARG_TENSOR);
	w->calls++;
	report->result = w->crash || x->tensor->count == w->crash_on ? WORKER_CRASH
			 : w->hang                                   ? WORKER_HANG
			 : w->refuse                                 ? WORKER_REJECTED
								     : WORKER_OK;
	if (report->result != WORKER_OK)
		return report->result;
	out->grads = c->gradient ? slopes(x->tensor, strcmp(c->operation, "same") ? 2 + w->gradient : 1,
					  w->deaf ? 0 : c->heads)
				 : mem_array(0, sizeof *out->grads); /* as a worker gives it */
	out->n_grads = c->gradient != 0;
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = strcmp(c->operation, "same") ? doubled(x->tensor, w) : value_ref(x);
	return WORKER_OK;
}

/* Up to each of the ends, then up to the last input. */
static int promised; /* of side b: that it takes what side a takes */
static int checked;  /* that it refuses what side a refuses */

static struct equiv_result run_in_parts(const char *a, const char *b, struct wrongs *left, struct wrongs *right,
					int plant, const size_t *ends)
{
	static const struct equiv_rule rule = {7, "formula", "test", NULL};
	struct equiv_pair p = {.rule = &rule, .name = "toy", .promised = promised, .checked = checked};
	struct eval sides[2] = {{.invoke = toy, .library = left}, {.invoke = toy, .library = right}};
	struct equiv_options o = {.inputs = 24, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL, .plant = plant};
	struct arena arena = ARENA_INIT;
	struct registry registry;
	struct equiv_result r = {0};
	struct err e = ERR_INIT;
	const char *variables = strstr(a, "derivative") ? "n=1..4 x:float64[n,3]" : "n=1..4 x:float32[n,3]";

	registry_init(&registry, "torch");
	assert_int_equal(draw_parse(variables, &arena, &p.draw, &e), 0);
	assert_int_equal(expr_parse(a, &arena, &p.a, &e), 0);
	assert_int_equal(expr_parse(b, &arena, &p.b, &e), 0);
	for (; *ends; ends++) {
		assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, *ends, &r, &e), 0);
		assert_true(r.done || r.next == *ends);
	}
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	assert_true(r.done);
	assert_true(!sides[0].grads && !sides[1].grads); /* nothing is held on to */
	arena_release(&arena);
	return r;
}

static struct equiv_result run(const char *a, const char *b, struct wrongs *left, struct wrongs *right, int plant)
{
	return run_in_parts(a, b, left, right, plant, (const size_t[]){0});
}

/* twice() has the slope 2; its gradient may say something else. */
static void gradients_are_compared_with_differences(void **state)
{
	struct wrongs off = {.gradient = 0.5}, noisy = {.noisy = 1}, none = {0};
	struct equiv_result r = run("derivative(twice(x))", "difference(twice(x))", &none, &none, 0);

	(void)state;
	assert_false(verdict_is_finding(r.found[0].verdict));
	assert_true(r.equal > 12);
	r = run("derivative(twice(x))", "difference(twice(x))", &off, &off, 0);
	assert_int_equal(r.found[0].verdict, VERDICT_WRONG);
	assert_non_null(strstr(r.found[0].script, "derivative(l, lambda x: out(op(\"twice\", x), 0), tensors)"));
	equiv_result_release(&r);
	r = run("derivative(twice(x))", "difference(twice(x))", &off, &noisy, 0);
	assert_true(r.one_sided > 12); /* steps everywhere: nothing to compare with */
}

/* What is added to a huge number is lost: such a sum has no differences. */
static void huge_results_have_no_differences(void **state)
{
	struct wrongs none = {0}, huge = {.huge = 1};
	struct equiv_result r = run("derivative(twice(x), 5)", "difference(twice(x), 5)", &none, &huge, 0);

	(void)state;
	assert_false(verdict_is_finding(r.found[0].verdict));
	assert_true(r.one_sided > 12);
}

static void heads_are_drawn(void **state)
{
	struct wrongs none = {0}, deaf = {.deaf = 1};
	struct equiv_result r = run("derivative(twice(x), 5)", "difference(twice(x), 5)", &none, &none, 0);

	(void)state;
	assert_false(verdict_is_finding(r.found[0].verdict));
	assert_true(r.equal > 12);
	r = run("derivative(twice(x), 5)", "difference(twice(x), 5)", &deaf, &none, 0);
	assert_int_equal(r.found[0].verdict, VERDICT_WRONG);
	assert_string_equal(r.found[0].b, "difference(twice(x), 5)");
	assert_non_null(strstr(r.found[0].script, "derivative(l, lambda x: out(op(\"twice\", x), 0), tensors, 5)"));
	equiv_result_release(&r);
	r = run("derivative(twice(x))", "difference(twice(x))", &deaf, &none, 0); /* a sum does not show it */
	assert_false(verdict_is_finding(r.found[0].verdict));
}

/* Exact in half precision, never 0, and not the same for all. */
static void heads_are_plain_numbers(void **state)
{
	double least = 1, most = -1;

	(void)state;
	for (size_t k = 0; k < 100; k++) {
		double h = backend_head(7, k);

		assert_true(h != 0 && h >= -1 && h <= 1 && dtype_round(DT_FLOAT16, h, 0) == h);
		assert_true(backend_head(0, k) == 1);
		least = h < least ? h : least;
		most = h > most ? h : most;
	}
	assert_true(least < -0.9 && most > 0.9);
}

/* An error of one side is a finding where documentation promises that both answer, and on that side alone. */
static void a_refusal_is_told_where_it_is_promised_away(void **state)
{
	struct wrongs refuses = {.refuse = 1}, none = {0};
	struct equiv_result r = run("twice(x)", "twice(x)", &none, &refuses, 0);

	(void)state;
	assert_true(r.alone > 12);
	assert_false(verdict_is_finding(r.found[EQUIV_REFUSAL].verdict));
	promised = 1;
	r = run("twice(x)", "twice(x)", &none, &refuses, 0);
	assert_int_equal(r.found[EQUIV_REFUSAL].verdict, VERDICT_REJECTED);
	assert_string_equal(equiv_oracle(&r.found[EQUIV_REFUSAL]), "promise");
	assert_string_equal(equiv_wrong_side(&r.found[EQUIV_REFUSAL]), "b");
	assert_false(verdict_is_finding(r.found[EQUIV_DIFFERENCE].verdict));
	equiv_result_release(&r);
	r = run("twice(x)", "twice(x)", &refuses, &none, 0);
	assert_false(verdict_is_finding(r.found[EQUIV_REFUSAL].verdict));
	promised = 0;
}

/* Likewise of an answer to what the other side refuses. */
static void an_answer_is_told_where_an_error_is_promised(void **state)
{
	struct wrongs refuses = {.refuse = 1}, none = {0};
	struct equiv_result r;

	(void)state;
	checked = 1;
	r = run("twice(x)", "twice(x)", &refuses, &none, 0);
	assert_int_equal(r.found[EQUIV_REFUSAL].verdict, VERDICT_REJECTED);
	assert_non_null(strstr(r.found[EQUIV_REFUSAL].detail, "side a: refused"));
	assert_string_equal(equiv_wrong_side(&r.found[EQUIV_REFUSAL]), "b");
	equiv_result_release(&r);
	r = run("twice(x)", "twice(x)", &none, &refuses, 0);
	assert_false(verdict_is_finding(r.found[EQUIV_REFUSAL].verdict));
	checked = 0;
}

static void parts_give_what_the_whole_gives(void **state)
{
	struct wrongs crash = {.crash_on = 12}, none = {0};
	struct equiv_result whole = run("twice(x)", "same(x)", &none, &crash, 0);
	struct equiv_result parts =
		run_in_parts("twice(x)", "same(x)", &none, &crash, 0, (const size_t[]){1, 2, 9, 23, 0});

	(void)state;
	assert_int_equal(parts.inputs, whole.inputs);
	assert_int_equal(parts.calls, whole.calls);
	assert_int_equal(parts.next, whole.next);
	assert_int_equal(parts.crashes, whole.crashes);
	for (int k = 0; k < EQUIV_REFUSAL; k++) { /* nothing is refused here */
		assert_int_equal(parts.found[k].index, whole.found[k].index);
		assert_int_equal(parts.found[k].shown, whole.found[k].shown);
		assert_string_equal(parts.found[k].script, whole.found[k].script);
	}
	equiv_result_release(&whole);
	equiv_result_release(&parts);
}

static void correct_pairs_are_quiet(void **state)
{
	struct wrongs none = {0};
	struct equiv_result r = run("twice(same(x))", "same(twice(x))", &none, &none, 0);

	(void)state;
	assert_int_equal(r.equal, 24);
	assert_false(verdict_is_finding(r.found[0].verdict));
}

static void a_planted_fault_is_found(void **state)
{
	struct wrongs none = {0};
	struct equiv_result r = run("twice(x)", "twice(x)", &none, &none, 1);

	(void)state;
	assert_int_equal(r.found[0].verdict, VERDICT_WRONG);
	assert_true(r.found[0].ratio > JUDGE_LIMIT);
	assert_int_equal(r.found[0].elements, 3); /* the smallest input that shows it */
	assert_non_null(strstr(r.found[0].script, "out(op(\"twice\", x), 0)"));
	assert_true(r.found[0].inputs.len > 0);
	equiv_result_release(&r);
}

static void different_shapes_are_found(void **state)
{
	struct wrongs none = {0};
	struct equiv_result r = run("twice(x)", "twice(tensor(@float32, [1], [2]))", &none, &none, 0);

	(void)state;
	assert_int_equal(r.found[0].verdict, VERDICT_WRONG);
	equiv_result_release(&r);
}

static void random_operations_are_not_reported(void **state)
{
	struct wrongs random = {.random = 1}, none = {0};
	struct equiv_result r = run("twice(x)", "twice(x)", &random, &none, 0);

	(void)state;
	assert_int_equal(r.random, 24);
	assert_false(verdict_is_finding(r.found[0].verdict));
}

static void nor_are_those_that_may_give_the_same_twice(void **state)
{
	struct wrongs random = {.random = 3}, none = {0};
	struct equiv_result r = run("twice(x)", "twice(x)", &random, &none, 0);

	(void)state;
	assert_int_equal(r.equal + r.random, 24);
	assert_true(r.random > 0);
	assert_false(verdict_is_finding(r.found[0].verdict));
}

static void what_rounding_explains_is_not_reported(void **state)
{
	struct wrongs noisy = {.noisy = 1}, none = {0};
	struct equiv_result r = run("twice(x)", "twice(x)", &noisy, &none, 0);

	(void)state;
	assert_true(r.rounding > 0);
	assert_false(verdict_is_finding(r.found[0].verdict));
}

static void crashes_are_findings_and_refusals_are_not(void **state)
{
	struct wrongs crash = {.crash = 1}, refuse = {.refuse = 1}, none = {0};
	struct equiv_result r = run("twice(x)", "twice(x)", &none, &crash, 0);

	(void)state;
	assert_int_equal(r.found[EQUIV_FAILURE].verdict, VERDICT_CRASH);
	assert_int_equal(r.inputs, 3); /* each costs a process: the third ends the pair */
	equiv_result_release(&r);
	r = run("twice(x)", "twice(x)", &none, &refuse, 0);
	assert_int_equal(r.one_sided, 24);
	assert_false(verdict_is_finding(r.found[0].verdict));
}

static void much_work_does_not_hang(void **state)
{
	struct wrongs hang = {.hang = 1}, none = {0};
	struct equiv_result r = run("twice(x, 3)", "twice(x, 3)", &none, &hang, 0);

	(void)state;
	assert_int_equal(r.found[EQUIV_FAILURE].verdict, VERDICT_HANG);
	equiv_result_release(&r);
	r = run("twice(x, [3, 2147483647])", "twice(x, [3, 2147483647])", &none, &hang, 0);
	assert_false(verdict_is_finding(r.found[EQUIV_FAILURE].verdict));
	assert_int_equal(r.limited, 3); /* it is not tried again and again */
}

static void a_pair_may_differ_and_crash(void **state)
{
	struct wrongs crash = {.crash_on = 12}, none = {0};
	struct equiv_result r = run("twice(x)", "same(x)", &none, &crash, 0);

	(void)state;
	assert_int_equal(r.found[EQUIV_DIFFERENCE].verdict, VERDICT_WRONG);
	assert_int_equal(r.found[EQUIV_FAILURE].verdict, VERDICT_CRASH);
	assert_int_equal(r.found[EQUIV_FAILURE].elements, 12);
	equiv_result_release(&r);
}

/* What a compiler computes itself takes as long as it takes; of other programs a hang is told. */
static void what_a_compiler_folds_may_take_long(void **state)
{
	struct wrongs hangs = {.hang = 1}, none = {0};
	struct eval sides[2] = {{.invoke = toy, .library = &none}, {.invoke = toy, .library = &hangs}};
	struct equiv_options o = {.inputs = 1, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct err e = ERR_INIT;

	(void)state;
	for (int folds = 0; folds < 2; folds++) {
		struct equiv_pair p = {.rule = &rule_optimized, .name = "toy", .folds = folds};
		struct equiv_result r = {0};
		struct arena arena = ARENA_INIT;
		struct registry registry;

		registry_init(&registry, "jaxapi");
		assert_int_equal(draw_parse("x:float32[3]", &arena, &p.draw, &e), 0);
		assert_int_equal(expr_parse("twice(x)", &arena, &p.a, &e), 0);
		assert_int_equal(expr_parse("twice(x)", &arena, &p.b, &e), 0);
		assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
		assert_int_equal(r.found[EQUIV_FAILURE].verdict, folds ? VERDICT_AGREE : VERDICT_HANG);
		assert_int_equal(r.limited, folds);
		equiv_result_release(&r);
		arena_release(&arena);
	}
}

/* While time is short a hang is not tried again at once: what the pair gives in the end is the same. */
static void a_hang_may_wait(void **state)
{
	static const struct equiv_rule rule = {7, "formula", "test", NULL};
	struct equiv_pair p = {.rule = &rule, .name = "toy"};
	struct wrongs hangs = {.hang = 1}, none = {0};
	struct eval sides[2] = {{.invoke = toy, .library = &hangs}, {.invoke = toy, .library = &none}};
	struct equiv_options o = {.inputs = 24, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL, .hangs_wait = 1};
	struct arena arena = ARENA_INIT;
	struct registry registry;
	struct equiv_result r = {0};
	struct err e = ERR_INIT;

	(void)state;
	registry_init(&registry, "torch");
	assert_int_equal(draw_parse("x:float32[3]", &arena, &p.draw, &e), 0);
	assert_int_equal(expr_parse("twice(x)", &arena, &p.a, &e), 0);
	assert_int_equal(expr_parse("twice(x)", &arena, &p.b, &e), 0);
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	assert_true(r.waits && !r.done && !r.next && !r.inputs);
	assert_false(verdict_is_finding(r.found[EQUIV_FAILURE].verdict));
	o.hangs_wait = 0;
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	assert_true(!r.waits && r.done && r.inputs == 1);
	assert_int_equal(r.found[EQUIV_FAILURE].verdict, VERDICT_HANG);
	equiv_result_release(&r);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hang_may_wait),
		cmocka_unit_test(what_a_compiler_folds_may_take_long),
		cmocka_unit_test(correct_pairs_are_quiet),
		cmocka_unit_test(a_planted_fault_is_found),
		cmocka_unit_test(huge_results_have_no_differences),
		cmocka_unit_test(heads_are_drawn),
		cmocka_unit_test(heads_are_plain_numbers),
		cmocka_unit_test(different_shapes_are_found),
		cmocka_unit_test(random_operations_are_not_reported),
		cmocka_unit_test(nor_are_those_that_may_give_the_same_twice),
		cmocka_unit_test(what_rounding_explains_is_not_reported),
		cmocka_unit_test(crashes_are_findings_and_refusals_are_not),
		cmocka_unit_test(a_pair_may_differ_and_crash),
		cmocka_unit_test(gradients_are_compared_with_differences),
		cmocka_unit_test(much_work_does_not_hang),
		cmocka_unit_test(parts_give_what_the_whole_gives),
		cmocka_unit_test(a_refusal_is_told_where_it_is_promised_away),
		cmocka_unit_test(an_answer_is_told_where_an_error_is_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
