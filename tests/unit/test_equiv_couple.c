/* test_equiv_couple.c - what equiv draws of whole numbers that go together, of rare types, and at the end of floats. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/equiv.h"

/* ---- a library of one operation, which looks at its two tensors -------------------------------------------------- */

struct seen {
	size_t met;             /* the lowest of a type stood over -1 */
	size_t types[DT_COUNT]; /* calls, by the type of the first tensor */
	size_t far, calls;      /* floats above 1e15 */
};

static int stand_together(const struct tensor *a, const struct tensor *b)
{
	if (a->dtype != b->dtype || !dtype_is_int(a->dtype) || dtype_is_unsigned(a->dtype) || !tensor_same_shape(a, b))
		return 0;
	for (size_t i = 0; i < a->count; i++)
		if (tensor_get(a, i) <= dtype_lowest(a->dtype) && tensor_get(b, i) == -1)
			return 1;
	return 0;
}

static enum worker_result look(void *library, const struct backend_call *c, struct backend_answer *out,
			       struct worker_report *report)
{
	const struct backend_argument *last = &c->args[c->n_args - 1];
	struct value *const *list = last->kind == ARG_TENSORS ? last->tensors : NULL;
	struct value *a = list ? list[0] : c->args[0].tensor, *b = list ? list[1] : c->args[1].tensor;
	const struct tensor *x = a->tensor;
	struct seen *s = library;

	memset(report, 0, sizeof *report);
	s->calls++;
	s->types[x->dtype]++;
	s->met += (size_t)stand_together(x, b->tensor);
	for (size_t i = 0; (x->dtype == DT_FLOAT || x->dtype == DT_DOUBLE) && i < x->count; i++)
		s->far += isfinite(tensor_get(x, i)) && fabs(tensor_get(x, i)) > 1e15;
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_ref(a);
	return WORKER_OK;
}

static char name_a[] = "A", name_b[] = "B", tensor[] = "Tensor", div_name[] = "Div";
static char name_form[] = "form", name_tensors[] = "tensors";
static char form[] = "t0:int32[2,3] t1:int32[2,3] | torch.div(t0, t1)", *forms[] = {form};

static struct seen run(const char *library, struct backend_parameter parameters[2], const enum parameter_kind kinds[2])
{
	const struct backend_operation operation = {
		.name = div_name, .parameters = parameters, .n_parameters = 2, .n_outputs = 1};
	struct api api = {.op = &operation, .kinds = {kinds[0], kinds[1]}};
	struct equiv_pair p = {.rule = &rule_optimized, .name = div_name, .api = &api};
	struct equiv_options o = {.inputs = 400, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct seen seen = {0}, other = {0};
	struct eval sides[2] = {{.invoke = look, .library = &seen}, {.invoke = look, .library = &other}};
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;

	registry_init(&registry, library);
	if (equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(seen.calls, 400);
	equiv_result_release(&r);
	return seen;
}

static void a_kernel_meets_all(void **state)
{
	struct backend_parameter parameters[] = {{.name = name_a, .type = tensor, .is_input = 1},
						 {.name = name_b, .type = tensor, .is_input = 1}};
	struct seen s = run("torch", parameters, (enum parameter_kind[]){PARAMETER_TENSOR, PARAMETER_TENSOR});

	(void)state;
	assert_true(s.met > 0);
	assert_true(s.far > 0);
	for (size_t i = 0; i < RARE_TYPES; i++)
		assert_true(s.types[registry_rare[i]] > 0);
	assert_true(s.types[DT_FLOAT] > 200); /* rare types are rare */
}

static void a_form_meets_pairs(void **state)
{
	struct backend_parameter parameters[] = {
		{.name = name_form, .type = name_form, .allowed = forms, .n_allowed = 1},
		{.name = name_tensors, .type = name_tensors, .is_input = 1}};
	struct seen s = run("torchapi", parameters, (enum parameter_kind[]){PARAMETER_FORM, PARAMETER_TENSORS});

	(void)state;
	assert_true(s.met > 0);
	assert_true(s.types[DT_UINT16] > 0 && s.types[DT_UINT64] > 0);
	assert_true(s.types[DT_INT32] > 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_meets_all),
		cmocka_unit_test(a_form_meets_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
