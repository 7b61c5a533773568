/* test_equiv_form.c - forms: valid calls of documented functions, read from a file, drawn, and checked again. */
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

#include "base/buf.h"
#include "base/place.h"
#include "methods/equiv/again.h"
#include "methods/equiv/form.h"
#include "methods/equiv/pair.h"

#define ADD "t0:float32[2,3] t1:int64.below5[3] | torch.add(t0, t1)"
#define LINEAR "t0:float32[2,4] | torch.nn.Linear(4, 3) | m(t0)"

static struct backend_parameter of_form[] = {{.name = "form", .type = "form"},
					     {.name = "tensors", .type = "tensors", .is_input = 1, .optional = 1}};
static struct backend_parameter of_kernel[] = {{.name = "x", .type = "tensors", .is_input = 1}};

enum { ADDS, LINEARS, UNKNOWN, N_OPERATIONS };

static struct backend_operation operations[N_OPERATIONS] = {
	[ADDS] = {.name = "torch.add", .parameters = of_form, .n_parameters = 2, .n_outputs = 1},
	[LINEARS] = {.name = "torch.nn.Linear", .parameters = of_form, .n_parameters = 2, .n_outputs = 1},
	[UNKNOWN] = {.name = "torch.unknown", .parameters = of_form, .n_parameters = 2, .n_outputs = 1},
};

static struct api apis[N_OPERATIONS];

/* Reads forms that stand in `text`. */
static int read_forms(struct registry *r, const char *text, struct err *e)
{
	char folder[] = "/tmp/test-forms-XXXXXX", path[64];
	struct err ignored = ERR_INIT;
	int rc;

	registry_init(r, "torchapi");
	r->apis = apis;
	r->n = N_OPERATIONS;
	for (size_t i = 0; i < N_OPERATIONS; i++) {
		apis[i] = (struct api){.op = &operations[i]};
		registry_classify(r, &apis[i]);
	}
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/forms-torchapi.tsv", folder);
	assert_int_equal(buf_write_file(text, strlen(text), path, e), 0);
	rc = form_read(r, folder, e);
	place_remove_tree(folder, &ignored);
	return rc;
}

static void forms_belong_to_their_names(void **state)
{
	struct err e = ERR_INIT;
	struct registry r;

	(void)state;
	assert_int_equal(read_forms(&r,
				    "torchapi\ttorch.add\t" ADD "\n"
				    "torchapi\ttorch.nn.Linear\t" LINEAR "\n"
				    "torchapi\ttorch.gone\t" ADD "\n"
				    "jax\ttorch.unknown\t" ADD "\n",
				    &e),
			 0);
	assert_null(apis[ADDS].why_not);
	assert_int_equal(apis[ADDS].op->parameters[0].n_allowed, 1);
	assert_string_equal(apis[LINEARS].op->parameters[0].allowed[0], LINEAR);
	assert_string_equal(apis[UNKNOWN].why_not, "no valid call of it is known");
	registry_release(&r);
}

static void what_is_no_form_is_refused(void **state)
{
	static const char *const bad[] = {"torchapi\ttorch.add\ttorch.add(t0)\n",
					  "torchapi\ttorch.add\tt0:float32[2] | torch.add(t0, \"x\")\n"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = ERR_INIT;
		struct registry r;

		assert_int_equal(read_forms(&r, bad[i], &e), ERR_INPUT);
		assert_non_null(strstr(e.msg, "torch.add"));
		registry_release(&r);
	}
}

static void a_list_without_forms_is_refused(void **state)
{
	struct backend_operation kept = operations[ADDS];
	struct err e = ERR_INIT;
	struct registry r;

	(void)state;
	operations[ADDS].parameters = of_kernel;
	operations[ADDS].n_parameters = 1;
	assert_int_equal(read_forms(&r, "torchapi\ttorch.add\t" ADD "\n", &e), ERR_INPUT);
	registry_release(&r);
	operations[ADDS] = kept;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static int draw_plan(const struct registry *r, uint64_t plan, enum draw_how how, struct arena *a, struct expr **x,
		     struct bindings *b)
{
	struct err e = ERR_INIT;
	struct rng values;
	struct call_draw draw = {.plan = plan, .values = &values, .how = how};

	rng_init(&values, 3 + plan);
	return registry_call(r, &apis[ADDS], &draw, a, x, b, &e);
}

static int draw_call(const struct registry *r, enum draw_how how, struct arena *a, struct expr **x, struct bindings *b)
{
	return draw_plan(r, 7, how, a, x, b);
}

/* Of a form's own types most calls, others of the same kind the rest; a range holds for all of them. */
static void forms_are_tried_with_other_types(void **state)
{
	struct arena arena = ARENA_INIT;
	size_t own = 0, seen[DT_COUNT] = {0};
	struct err e = ERR_INIT;
	struct bindings b;
	struct registry r;
	struct expr *x;

	(void)state;
	assert_int_equal(read_forms(&r, "torchapi\ttorch.add\t" ADD "\n", &e), 0);
	for (uint64_t plan = 0; plan < 200; plan++) {
		assert_int_equal(draw_plan(&r, plan, DRAW_ANY, &arena, &x, &b), 0);
		own += b.at[0].tensor->tensor->dtype == DT_FLOAT && b.at[1].tensor->tensor->dtype == DT_INT64;
		seen[b.at[0].tensor->tensor->dtype]++;
		seen[b.at[1].tensor->tensor->dtype]++;
		for (size_t i = 0; i < 3; i++)
			assert_in_range(tensor_get(b.at[1].tensor->tensor, i), 0, 4);
		bindings_release(&b);
	}
	assert_in_range(own, 110, 170);
	assert_true(seen[DT_FLOAT16] && seen[DT_DOUBLE] && seen[DT_INT8] && seen[DT_UINT8] && seen[DT_INT32]);
	arena_release(&arena);
	registry_release(&r);
}

/* Whole numbers in place of floats, of all tensors or the first; as floats they are the same numbers. */
static void whole_numbers_stand_for_floats(void **state)
{
#define TWO "t0:float32[2,3] t1:float32[3] | torch.add(t0, t1)"
	size_t all = 0, first = 0, far = 0;
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct registry r;

	(void)state;
	assert_int_equal(read_forms(&r, "torchapi\ttorch.add\t" TWO "\n", &e), 0);
	for (uint64_t plan = 0; plan < 300; plan++) {
		struct bindings b, floats = {0};
		int changed = 0, whole[2];
		struct expr *x;

		assert_int_equal(draw_plan(&r, plan, DRAW_PLAIN, &arena, &x, &b), 0);
		for (size_t i = 0; i < 2; i++)
			whole[i] = !dtype_is_float(b.at[i].tensor->tensor->dtype);
		all += whole[0] && whole[1];
		first += whole[0] && !whole[1];
		assert_false(!whole[0] && whole[1]);
		bindings_copy(&b, &floats);
		assert_int_equal(form_floats(x, &floats, &changed, &e), 0);
		assert_int_equal(changed, whole[0]);
		for (size_t i = 0; i < 3; i++) {
			double number = tensor_get(b.at[0].tensor->tensor, i);

			far += whole[0] && fabs(number) > 12;
			assert_true(tensor_get(floats.at[0].tensor->tensor, i) == number);
		}
		assert_int_equal(dtype_is_float(floats.at[0].tensor->tensor->dtype), 1);
		bindings_release(&floats);
		bindings_release(&b);
	}
	assert_true(all > 10 && first > 10 && far > 10);
	arena_release(&arena);
	registry_release(&r);
}

/* A factor that is no whole number has no meaning beside tensors of whole ones: those stay floats, of any size. */
static void fractions_keep_tensors_floats(void **state)
{
	static const struct {
		const char *call;
		int keeps;
	} rows[] = {{"torch.addmv(t0, t1, alpha=0.6)", 1},
		    {"torch.norm2d_05(t0, t1, eps=1e-05)", 1},
		    {"torch.add_1.x(t0, t1, alpha=2.0)", 0},
		    {"torch.pad10(t0, t1, (2, 13))", 0}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct arena arena = ARENA_INIT;
		struct err e = ERR_INIT;
		struct registry r;
		char text[256];
		size_t whole = 0;

		snprintf(text, sizeof text, "torchapi\ttorch.add\tt0:float32[2] t1:float32[2] | %s\n", rows[k].call);
		assert_int_equal(read_forms(&r, text, &e), 0);
		for (uint64_t plan = 0; plan < 100; plan++) {
			struct bindings b;
			struct expr *x;

			assert_int_equal(draw_plan(&r, plan, DRAW_PLAIN, &arena, &x, &b), 0);
			whole += !dtype_is_float(b.at[0].tensor->tensor->dtype);
			bindings_release(&b);
		}
		assert_int_equal(whole == 0, rows[k].keeps);
		arena_release(&arena);
		registry_release(&r);
	}
}

/* How many of the calls of a form with one tensor have a tensor of whole numbers. */
static size_t count_whole_operands(const char *text)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct registry r;
	size_t whole = 0;

	assert_int_equal(read_forms(&r, text, &e), 0);
	for (uint64_t plan = 0; plan < 200; plan++) {
		struct bindings b;
		struct expr *x;

		assert_int_equal(draw_plan(&r, plan, DRAW_PLAIN, &arena, &x, &b), 0);
		whole += b.n == 1 && !dtype_is_float(b.at[0].tensor->tensor->dtype);
		bindings_release(&b);
	}
	arena_release(&arena);
	registry_release(&r);
	return whole;
}

/* Where a function takes a tensor, a fraction is an operand: the result of whole numbers and it is one of floats. */
static void fractions_are_operands_where_a_tensor_may_stand(void **state)
{
#define FMOD "torchapi\ttorch.add\tt0:float32[5] | torch.fmod(t0, 1.5)\n"
#define PAIR "torchapi\ttorch.add\tt0:float32[5] t1:float32[5] | "
	(void)state;
	assert_int_equal(count_whole_operands(FMOD), 0);
	assert_int_equal(count_whole_operands(FMOD PAIR "torch.where(t0, t1)\n"), 0);
	assert_int_equal(count_whole_operands(FMOD PAIR "torch.fmod(t0, t1, out=t0)\n"), 0);
	assert_true(count_whole_operands(FMOD PAIR "torch.fmod(t0, t1)\n") > 5);
}

/* Between two functions numbers of a type's whole range overflow, as each of them documents. */
static void patterns_have_small_whole_numbers(void **state)
{
	static const struct {
		const char *call;
		int small;
	} rows[] = {{"torch.minimum(t0, torch.subtract(t0, t1))", 1},
		    {"t0.abs().add(t1)", 1},
		    {"torch.roll(t0, (1, (2)))", 0},
		    {"torch.nn.Sequential(torch.nn.Linear(2, 2)) | m(t0)", 0}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct arena arena = ARENA_INIT;
		struct err e = ERR_INIT;
		struct registry r;
		char text[256];
		size_t whole = 0, large = 0;

		snprintf(text, sizeof text, "torchapi\ttorch.add\tt0:float32[2] t1:float32[2] | %s\n", rows[k].call);
		assert_int_equal(read_forms(&r, text, &e), 0);
		for (uint64_t plan = 0; plan < 200; plan++) {
			struct bindings b;
			struct expr *x;

			assert_int_equal(draw_plan(&r, plan, DRAW_PLAIN, &arena, &x, &b), 0);
			if (!dtype_is_float(b.at[0].tensor->tensor->dtype)) {
				whole++;
				large += fabs(tensor_get(b.at[0].tensor->tensor, 0)) > 9;
			}
			bindings_release(&b);
		}
		assert_true(whole > 10);
		assert_int_equal(large == 0, rows[k].small);
		arena_release(&arena);
		registry_release(&r);
	}
}

/* One large number, the first: a sum of several would depend on their order. */
static void the_first_element_may_be_at_the_end_of_the_type(void **state)
{
	static const int64_t dims[] = {4};
	struct err e = ERR_INIT;
	size_t large = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 1);
	for (int k = 0; k < 40; k++) {
		struct value *v = draw_tensor(DT_FLOAT, 1, dims, DRAW_END, 0, &r, &e);

		assert_non_null(v);
		large += fabs(tensor_get(v->tensor, 0)) > 1e18;
		assert_true(fabs(tensor_get(v->tensor, 0)) < 3.2e38);
		for (size_t i = 1; i < 4; i++)
			assert_true(fabs(tensor_get(v->tensor, i)) < 100);
		value_unref(v);
	}
	assert_in_range(large, 20, 38);
}

static double tiny_or_not(size_t i, void *arg)
{
	const double *numbers = arg;

	return numbers[i];
}

/* What a program that takes subnormal numbers for 0 gets. */
static void subnormal_numbers_become_zero(void **state)
{
	static const int64_t dims[] = {4};
	double numbers[] = {1e-40, -1e-40, 2e-38, -3};
	struct err e = ERR_INIT;
	struct value *v = draw_numbers(DT_FLOAT, 1, dims, tiny_or_not, numbers, &e), *flushed = draw_flushed(v, &e);

	(void)state;
	assert_non_null(flushed);
	assert_true(tensor_get(v->tensor, 0) > 0);
	assert_true(tensor_get(flushed->tensor, 0) == 0);
	assert_true(tensor_get(flushed->tensor, 1) == 0 && signbit(tensor_get(flushed->tensor, 1)));
	for (size_t i = 2; i < 4; i++)
		assert_true(tensor_get(flushed->tensor, i) == tensor_get(v->tensor, i));
	value_unref(flushed);
	value_unref(v);
}

static void calls_have_the_tensors_of_their_form(void **state)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct bindings b, again;
	struct registry r;
	struct expr *x;

	(void)state;
	assert_int_equal(read_forms(&r, "torchapi\ttorch.add\t" ADD "\n", &e), 0);
	assert_int_equal(draw_call(&r, DRAW_EDGES, &arena, &x, &b), 0);
	assert_int_equal(x->n, 2);
	assert_string_equal(x->items[0]->text, ADD);
	assert_int_equal(x->items[1]->n, 2);
	assert_int_equal(b.n, 2);
	assert_int_equal(b.at[0].tensor->tensor->dims[1], 3);
	for (size_t i = 0; i < 3; i++) { /* a range that a form says holds for every drawing */
		assert_true(tensor_get(b.at[1].tensor->tensor, i) >= 0);
		assert_true(tensor_get(b.at[1].tensor->tensor, i) < 5);
	}
	assert_int_equal(draw_call(&r, DRAW_EDGES, &arena, &x, &again), 0);
	assert_true(tensor_same_bits(b.at[0].tensor->tensor, again.at[0].tensor->tensor));
	bindings_release(&b);
	bindings_release(&again);
	arena_release(&arena);
	registry_release(&r);
}

static void only_forms_of_the_file_are_called_again(void **state)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct bindings b;
	struct registry r;
	struct expr *x;

	(void)state;
	assert_int_equal(read_forms(&r, "torchapi\ttorch.add\t" ADD "\n", &e), 0);
	assert_int_equal(draw_call(&r, DRAW_ANY, &arena, &x, &b), 0);
	assert_int_equal(again_check(&apis[ADDS], x, &e), 0);
	x->items[0]->text = LINEAR;
	assert_int_equal(again_check(&apis[ADDS], x, &e), ERR_INPUT);
	bindings_release(&b);
	arena_release(&arena);
	registry_release(&r);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* What a library that refuses everything was called with: forms by the size of their tensor, and floats among them. */
struct seen {
	size_t calls, of_size[8], floats;
};

static enum worker_result refuse(void *library, const struct backend_call *c, struct backend_answer *out,
				 struct worker_report *report)
{
	const struct tensor *x = c->args[1].tensors[0]->tensor;
	struct seen *seen = library;

	(void)out;
	memset(report, 0, sizeof *report);
	seen->calls++;
	seen->of_size[x->count]++;
	seen->floats += x->dtype == DT_FLOAT;
	return report->result = WORKER_REJECTED;
}

static struct seen see(const struct equiv_rule *rule, size_t inputs)
{
	static const char forms[] = "torchapi\ttorch.add\tt0:float32[2] | torch.add(t0, t0)\n"
				    "torchapi\ttorch.add\tt0:float32[3] | torch.add(t0, t0)\n"
				    "torchapi\ttorch.add\tt0:float32[4] | torch.add(t0, t0)\n"
				    "torchapi\ttorch.add\tt0:float32[5] | torch.add(t0, t0)\n";
	struct seen seen = {0}, other = {0};
	struct eval sides[2] = {{.invoke = refuse, .library = &seen}, {.invoke = refuse, .library = &other}};
	struct equiv_pair p = {.rule = rule, .name = "torch.add", .api = &apis[ADDS]};
	struct equiv_options o = {.inputs = inputs, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct equiv_result result = {0};
	struct err e = ERR_INIT;
	struct registry r;

	assert_int_equal(read_forms(&r, forms, &e), 0);
	assert_int_equal(equiv_run_pair(&r, &p, sides, &o, 0, &result, &e), 0);
	equiv_result_release(&result);
	registry_release(&r);
	return seen;
}

static void each_form_has_its_turn(void **state)
{
	struct seen seen = see(&rule_optimized, 4);

	(void)state;
	assert_int_equal(seen.calls, 4);
	for (size_t size = 2; size < 6; size++)
		assert_int_equal(seen.of_size[size], 1);
}

static void a_rule_about_types_has_others_more_often(void **state)
{
	struct seen usual = see(&rule_optimized, 60), types = see(&rule_dtypes, 60);

	(void)state;
	assert_true(usual.floats > 30);
	assert_true(types.floats < 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_belong_to_their_names),
		cmocka_unit_test(what_is_no_form_is_refused),
		cmocka_unit_test(a_list_without_forms_is_refused),
		cmocka_unit_test(forms_are_tried_with_other_types),
		cmocka_unit_test(whole_numbers_stand_for_floats),
		cmocka_unit_test(fractions_keep_tensors_floats),
		cmocka_unit_test(fractions_are_operands_where_a_tensor_may_stand),
		cmocka_unit_test(patterns_have_small_whole_numbers),
		cmocka_unit_test(the_first_element_may_be_at_the_end_of_the_type),
		cmocka_unit_test(subnormal_numbers_become_zero),
		cmocka_unit_test(calls_have_the_tensors_of_their_form),
		cmocka_unit_test(only_forms_of_the_file_are_called_again),
		cmocka_unit_test(each_form_has_its_turn),
		cmocka_unit_test(a_rule_about_types_has_others_more_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
