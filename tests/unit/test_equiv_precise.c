/* test_equiv_precise.c - derivatives that float32 has not the digits for are not told, wrong ones are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/precise.h"

/* A library whose only function triples, but for an error in float32 and one in float64. */
struct toy {
	double narrow, wide;
};

static enum worker_result toy(void *library, const struct backend_call *c, struct backend_answer *out,
			      struct worker_report *report)
{
	const struct tensor *x = c->args[0].tensor->tensor;
	struct err e = ERR_INIT;
	struct tensor *made = tensor_zeros(x->dtype, x->rank, x->dims, &e);
	const struct toy *t = library;

	memset(report, 0, sizeof *report);
	for (size_t i = 0; i < made->count; i++)
		made->f[i] = 3 * tensor_get(x, i) + (x->dtype == DT_DOUBLE ? t->wide : t->narrow);
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_tensor(tensor_pack(made, &e), &e);
	tensor_unref(made);
	return WORKER_OK;
}

static int tells(struct toy right, int unlike_kernels)
{
	struct equiv_pair p = {.rule = &rule_derived, .name = "toy", .unlike_kernels = unlike_kernels};
	struct toy left = {0};
	struct eval sides[2] = {{.invoke = toy, .library = &left}, {.invoke = toy, .library = &right}};
	struct equiv_options o = {.inputs = 12, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct arena arena = ARENA_INIT;
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;
	int told;

	registry_init(&registry, "torchapi");
	assert_int_equal(draw_parse("x:float32.plain[3]", &arena, &p.draw, &e), 0);
	assert_int_equal(expr_parse("triple(x)", &arena, &p.a, &e), 0);
	assert_int_equal(expr_parse("triple(x)", &arena, &p.b, &e), 0);
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	told = verdict_is_finding(r.found[EQUIV_DIFFERENCE].verdict);
	assert_true(told || r.rounding + r.equal == r.inputs);
	equiv_result_release(&r);
	arena_release(&arena);
	return told;
}

static void what_float64_has_no_more_is_rounding(void **state)
{
	(void)state;
	assert_false(tells((struct toy){.narrow = 0.5}, 1));
	assert_true(tells((struct toy){.narrow = 0.5, .wide = 0.5}, 1));
	assert_true(
		tells((struct toy){.narrow = 0.5}, 0)); /* first derivatives: what inputs' rounding shows is enough */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_float64_has_no_more_is_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
