/* test_equiv_nan.c - what the specification leaves open of NaN must at least be the same from run to run and on every
 * option set: rule 1 tells where it is not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/equiv.h"

/* ---- a library of one operation: keeps NaN, or takes it for 0, always or every other time, or all is 0 ----------- */

enum of_nan { KEPT, ZERO, EITHER, ALL_ZERO };

struct library_of_test {
	enum of_nan of_nan;
	int calls;
};

static enum worker_result same(void *library, const struct backend_call *c, struct backend_answer *out,
			       struct worker_report *report)
{
	struct library_of_test *l = library;
	const struct tensor *x = c->args[0].tensor->tensor;
	int zero = l->of_nan == ZERO || (l->of_nan == EITHER && l->calls++ % 2);
	struct err e = ERR_INIT;
	struct tensor *wide, *own, *packed;

	memset(report, 0, sizeof *report);
	if (!dtype_is_float(x->dtype)) {
		report->result = WORKER_REJECTED;
		return WORKER_REJECTED;
	}
	wide = tensor_widen((struct tensor *)x, &e);
	own = tensor_copy(wide, &e);
	for (size_t i = 0; i < own->count; i++)
		if (l->of_nan == ALL_ZERO || (zero && isnan(own->f[i])))
			own->f[i] = 0;
	packed = tensor_pack(own, &e);
	tensor_unref(own);
	tensor_unref(wide);
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_tensor(packed, &e);
	return WORKER_OK;
}

/* An operation of that name, of a library that speaks this dialect. */
static struct equiv_result run_as(char *name, const char *dialect, enum of_nan a, enum of_nan b)
{
	static char x[] = "X", tensor[] = "Tensor";
	static struct backend_parameter parameter = {.name = x, .type = tensor, .is_input = 1};
	const struct backend_operation operation = {
		.name = name, .parameters = &parameter, .n_parameters = 1, .n_outputs = 1};
	struct api api = {.op = &operation, .kinds = {PARAMETER_TENSOR}};
	struct equiv_pair p = {.rule = &rule_optimized, .name = name, .api = &api};
	struct library_of_test left = {.of_nan = a}, right = {.of_nan = b};
	struct eval sides[2] = {{.invoke = same, .library = &left}, {.invoke = same, .library = &right}};
	struct equiv_options o = {.inputs = 100, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;

	registry_init(&registry, dialect);
	if (equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e))
		fail_msg("%s", e.msg);
	return r;
}

static struct equiv_result run(enum of_nan a, enum of_nan b)
{
	static char name[] = "same";

	return run_as(name, "torch", a, b);
}

/* A difference where ONNX does not allow the call is none: And has no floats, Identity has. */
static void test_calls_that_onnx_forbids(void **state)
{
	static char forbidden[] = "Not", allowed[] = "Neg";
	struct equiv_result r = run_as(forbidden, "ort", KEPT, ALL_ZERO);

	(void)state;
	assert_false(verdict_is_finding(r.found[EQUIV_DIFFERENCE].verdict));
	assert_true(r.invalid > 0);
	equiv_result_release(&r);
	r = run_as(allowed, "ort", KEPT, ALL_ZERO);
	assert_int_equal(r.found[EQUIV_DIFFERENCE].verdict, VERDICT_WRONG);
	assert_int_equal(r.invalid, 0);
	equiv_result_release(&r);
}

static void test_agreement(void **state)
{
	struct equiv_result kept = run(KEPT, KEPT), zero = run(ZERO, ZERO);

	(void)state;
	assert_false(verdict_is_finding(kept.found[EQUIV_DIFFERENCE].verdict));
	assert_false(verdict_is_finding(zero.found[EQUIV_DIFFERENCE].verdict));
	assert_true(kept.equal > 30 && zero.equal > 30);
	equiv_result_release(&kept);
	equiv_result_release(&zero);
}

static void test_option_sets(void **state)
{
	struct equiv_result r = run(KEPT, ZERO);

	(void)state;
	assert_int_equal(r.found[EQUIV_DIFFERENCE].verdict, VERDICT_WRONG);
	assert_string_equal(equiv_oracle(&r.found[EQUIV_DIFFERENCE]), "rule");
	equiv_result_release(&r);
}

/* Not the same from run to run: it is counted, and is no finding, since it does not come again. */
static void test_runs(void **state)
{
	struct equiv_result r = run(KEPT, EITHER);

	(void)state;
	assert_true(r.random > 0);
	assert_false(verdict_is_finding(r.found[EQUIV_DIFFERENCE].verdict));
	equiv_result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_option_sets),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_calls_that_onnx_forbids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
