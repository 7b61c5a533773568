/* test_equiv_form.c - forms: valid calls of documented functions, read from a file, drawn, and checked again. */
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

static int draw_call(const struct registry *r, enum draw_how how, struct arena *a, struct expr **x, struct bindings *b)
{
	struct err e = ERR_INIT;
	struct rng values;
	struct call_draw draw = {.plan = 7, .values = &values, .how = how};

	rng_init(&values, 3);
	return registry_call(r, &apis[ADDS], &draw, a, x, b, &e);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_belong_to_their_names),
		cmocka_unit_test(what_is_no_form_is_refused),
		cmocka_unit_test(a_list_without_forms_is_refused),
		cmocka_unit_test(calls_have_the_tensors_of_their_form),
		cmocka_unit_test(only_forms_of_the_file_are_called_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
