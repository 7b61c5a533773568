/* test_constants.c - weights that stay packed give what wide ones give: values bit by bit, noise up to the order in
 * which lanes are summed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "reference/reference.h"

/* Input 1 gets an initializer beside its place among the inputs, so that one model runs with both. */
static void give_default(struct op_case *c)
{
	struct err e = ERR_INIT;
	struct tensor *packed = tensor_pack(c->inputs[1]->tensor, &e);

	assert_non_null(packed);
	assert_int_equal(vec_push(&c->model->tensors, packed), 0); /* what the model frees */
	c->model->graph->inputs.at[1]->init = packed;
}

static void compare(struct ref *r, const struct op_case *c, enum ref_mode mode)
{
	struct ref_options o = {.mode = mode};
	struct value *defaults[3] = {c->inputs[0], NULL, c->n > 2 ? c->inputs[2] : NULL};
	struct ref_result packed, wide;
	struct err e = ERR_INIT;
	size_t n;

	assert_int_equal(ref_run(r, defaults, c->n, &o, &packed, &e), 0);
	assert_int_equal(ref_run(r, c->inputs, c->n, &o, &wide, &e), 0);
	n = wide.outputs[0].value->tensor->count;
	assert_int_equal(n, packed.outputs[0].value->tensor->count);
	assert_memory_equal(packed.outputs[0].value->tensor->f, wide.outputs[0].value->tensor->f, n * sizeof(double));
	for (size_t i = 0; mode == REF_NOISY && i < n; i++) {
		double a = (double)packed.outputs[0].noise[i], b = (double)wide.outputs[0].noise[i];

		if (!(fabs(a - b) <= 1e-4 * b))
			fail_msg("noise of element %zu is %g with packed weights, %g with wide ones", i, a, b);
	}
	ref_result_release(&packed);
	ref_result_release(&wide);
}

/* Large enough to stay packed; a group of few filters goes through OpenBLAS, others through panels. */
static void test_packed_weights(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[2,40,6,7] f32[33,40,3,3] f32[33] pads=[1,1,1,1]",
		"Conv-11 f32[1,64,5,5] f32[65,64,2,1]",
		"Conv-11 f32[1,90,9] f32[6,45,31] group=2 pads=[15,15]",
	};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct op_case c;
		struct ref *r;

		assert_int_equal(case_parse(lines[i], 1, &c, &e), 0);
		give_default(&c);
		assert_int_equal(ref_open(c.model, &r, &e), 0);
		compare(r, &c, REF_EXACT);
		compare(r, &c, REF_NOISY);
		ref_close(r);
		case_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed_weights)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
