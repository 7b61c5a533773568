/* test_equiv.c - expressions, drawings and the engine of assay equiv, on a library of the test's own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/compare.h"
#include "methods/equiv/equiv.h"
#include "methods/equiv/journal.h"

/* ---- a library of two operations --------------------------------------------------------------------------------- */

/* What the library does wrong. */
struct wrongs {
	int random; /* other numbers after so many calls */
	int crash, noisy, refuse, hang;
	double gradient; /* how much it is off */
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
	}
	packed = tensor_pack(wide, &e);
	tensor_unref(wide);
	return value_tensor(packed, &e);
}

/* One gradient: the same number for each element. */
static struct tensor **slopes(const struct tensor *of, double slope)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_zeros(of->dtype, of->rank, of->dims, &e), **all = mem_array(1, sizeof *all);

	for (size_t i = 0; i < wide->count; i++)
		wide->f[i] = slope;
	all[0] = tensor_pack(wide, &e);
	tensor_unref(wide);
	return all;
}

static enum worker_result toy(void *library, const char *operation, const struct backend_argument *args, size_t n_args,
			      int gradient, struct value ***out, size_t *n_out, struct tensor ***grads, size_t *n_grads,
			      struct worker_report *report)
{
	struct wrongs *w = library;

	memset(report, 0, sizeof *report);
	assert_true(n_args >= 1 && args[0].kind == ARG_TENSOR);
	w->calls++;
	report->result = w->crash || args[0].tensor->tensor->count == w->crash_on ? WORKER_CRASH
			 : w->hang                                                ? WORKER_HANG
			 : w->refuse                                              ? WORKER_REJECTED
										  : WORKER_OK;
	if (report->result != WORKER_OK)
		return report->result;
	*grads = gradient ? slopes(args[0].tensor->tensor, strcmp(operation, "same") ? 2 + w->gradient : 1)
			  : mem_array(0, sizeof **grads); /* as a worker gives it */
	*n_grads = gradient != 0;
	*out = mem_array(1, sizeof **out);
	*n_out = 1;
	if (!strcmp(operation, "same"))
		(*out)[0] = value_ref(args[0].tensor);
	else
		(*out)[0] = doubled(args[0].tensor->tensor, w);
	return WORKER_OK;
}

/* Up to each of the ends, then up to the last input. */
static struct equiv_result run_in_parts(const char *a, const char *b, struct wrongs *left, struct wrongs *right,
					int plant, const size_t *ends)
{
	static const struct equiv_rule rule = {7, "formula", "test", NULL};
	struct equiv_pair p = {.rule = &rule, .name = "toy"};
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
	for (int k = 0; k < EQUIV_KINDS; k++) {
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

/* ---- journals ---------------------------------------------------------------------------------------------------- */

/* Two pairs of one rule, and what they gave. */
struct two {
	struct equiv_pair pairs[2];
	struct equiv_result results[2];
	struct equiv q;
};

static void two_init(struct two *t)
{
	static char name[] = "torch";

	*t = (struct two){.q = {.spec = {.name = name}, .version = "1", .n = 2}};
	t->pairs[0] = (struct equiv_pair){.rule = &rule_optimized, .name = "aten::a", .sets = {NULL, "jit"}};
	t->pairs[1] = (struct equiv_pair){.rule = &rule_optimized, .name = "aten::b", .sets = {NULL, "jit"}};
	t->q.pairs = t->pairs;
	t->q.results = t->results;
}

static void write_journal(const char *path, const struct equiv_options *o)
{
	struct err e = ERR_INIT;
	char a[] = "f(x)", b[] = "g(x)";
	struct journal j;
	struct two t;

	two_init(&t);
	t.results[0] = (struct equiv_result){.run = 1, .inputs = 7, .equal = 5, .n_plans = 1, .plans = {11}};
	t.results[0].strikes[0] = 3;
	t.results[0].next = 6;
	t.results[0].found[0] = (struct equiv_finding){
		.verdict = VERDICT_WRONG, .ratio = (double)INFINITY, .a = a, .b = b, .detail = "they differ"};
	buf_init(&t.results[0].found[0].inputs, 16);
	buf_add(&t.results[0].found[0].inputs, "\0\xff", 2);
	assert_int_equal(journal_open(&j, path, &t.q, o, &e), 0);
	assert_int_equal(journal_add(&j, &t.q, 0, &e), 0);
	fputs("{\"pair\": \"1//jit/aten::b\", \"inp", j.file); /* killed while it wrote */
	journal_close(&j);
	buf_release(&t.results[0].found[0].inputs);
}

static void make_file(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
}

static void a_journal_gives_back_what_was_done(void **state)
{
	char path[] = "/tmp/assay-journal-XXXXXX";
	struct equiv_options o = {.inputs = 7, .seed = 3}, other = {.inputs = 7, .seed = 4};
	struct err e = ERR_INIT;
	struct journal j;
	struct two t;

	(void)state;
	make_file(path);
	write_journal(path, &o);
	two_init(&t);
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	assert_int_equal(journal_add(&j, &t.q, 1, &e), 0); /* behind whole lines alone */
	journal_close(&j);
	assert_int_equal(t.results[0].run, 1);
	assert_int_equal(t.results[0].equal, 5);
	assert_int_equal(t.results[0].plans[0], 11);
	assert_int_equal(t.results[0].strikes[0], 3);
	assert_int_equal(t.results[0].next, 6);
	assert_int_equal(t.results[0].done, 0);
	assert_true(isinf(t.results[0].found[0].ratio));
	assert_string_equal(t.results[0].found[0].b, "g(x)");
	assert_memory_equal(t.results[0].found[0].inputs.data, "\0\xff", 2);
	assert_int_equal(t.results[1].run, 0);
	equiv_result_release(&t.results[0]);
	two_init(&t);
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	journal_close(&j);
	assert_int_equal(t.results[0].run + t.results[1].run, 2);
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	t.results[0].done = 1; /* the next round ends */
	assert_int_equal(journal_add(&j, &t.q, 0, &e), 0);
	journal_close(&j);
	t.results[0].done = 0;
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	journal_close(&j);
	assert_int_equal(t.results[0].done, 1); /* of a pair's lines the last counts */
	equiv_result_release(&t.results[0]);
	assert_int_equal(journal_open(&j, path, &t.q, &other, &e), ERR_INPUT);
	journal_close(&j);
	unlink(path);
}

static void rows_of_one_name_are_told_apart(void **state)
{
	char path[] = "/tmp/assay-journal-XXXXXX";
	struct equiv_options o = {.inputs = 7};
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct journal j;
	struct two t;

	(void)state;
	make_file(path);
	two_init(&t);
	t.pairs[1].name = t.pairs[0].name;
	assert_int_equal(expr_parse("f(x)", &arena, &t.pairs[0].a, &e), 0);
	assert_int_equal(expr_parse("g(x)", &arena, &t.pairs[1].a, &e), 0);
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	t.results[0] = (struct equiv_result){.run = 1, .equal = 5};
	assert_int_equal(journal_add(&j, &t.q, 0, &e), 0);
	journal_close(&j);
	t.results[0] = (struct equiv_result){0};
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	journal_close(&j);
	assert_int_equal(t.results[0].equal, 5);
	assert_int_equal(t.results[1].run, 0);
	arena_release(&arena);
	unlink(path);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

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
	prints_as("f(n+1, 2*h-1, 0.5, -3, @float32, [])", "f(n+1, 2*h-1, 0.5, -3, @float32, [])");
}

static void bad_expressions_are_refused(void **state)
{
	static const char *const bad[] = {"", "f(", "f(x", "f(x))", "[1,", "\"a", "@nothing", "f(x,)", "1+"};
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
		assert_true(compare_same(a.at[1].tensor, b.at[1].tensor));
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
		cmocka_unit_test(correct_pairs_are_quiet),
		cmocka_unit_test(a_planted_fault_is_found),
		cmocka_unit_test(different_shapes_are_found),
		cmocka_unit_test(random_operations_are_not_reported),
		cmocka_unit_test(nor_are_those_that_may_give_the_same_twice),
		cmocka_unit_test(what_rounding_explains_is_not_reported),
		cmocka_unit_test(crashes_are_findings_and_refusals_are_not),
		cmocka_unit_test(a_pair_may_differ_and_crash),
		cmocka_unit_test(gradients_are_compared_with_differences),
		cmocka_unit_test(rows_of_one_name_are_told_apart),
		cmocka_unit_test(much_work_does_not_hang),
		cmocka_unit_test(parts_give_what_the_whole_gives),
		cmocka_unit_test(a_journal_gives_back_what_was_done),
		cmocka_unit_test(expressions_are_read_and_printed),
		cmocka_unit_test(bad_expressions_are_refused),
		cmocka_unit_test(deep_expressions_are_refused),
		cmocka_unit_test(drawings_repeat),
		cmocka_unit_test(a_plan_has_empty_twins),
		cmocka_unit_test(rows_are_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
