/* test_equiv_overflow.c - whole numbers that do not fit their type are not told, those that do are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/overflow.h"

/* A library whose only function multiplies by 100. */
struct toy {
	int saturates; /* what does not fit its type becomes the type's end, else it wraps around */
	double off;    /* an error of its own */
};

static double fitted(const struct toy *t, enum dtype type, double x)
{
	double width = dtype_max(type) - dtype_lowest(type) + 1;

	if (t->saturates)
		return fmin(fmax(x, dtype_lowest(type)), dtype_max(type));
	return x - width * floor((x - dtype_lowest(type)) / width);
}

static enum worker_result toy(void *library, const struct backend_call *c, struct backend_answer *out,
			      struct worker_report *report)
{
	const struct tensor *x = c->args[0].tensor->tensor;
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_zeros(x->dtype, x->rank, x->dims, &e);
	const struct toy *t = library;

	memset(report, 0, sizeof *report);
	for (size_t i = 0; i < wide->count; i++)
		wide->i[i] = (int64_t)fitted(t, x->dtype, 100 * tensor_get(x, i) + t->off);
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_tensor(tensor_pack(wide, &e), &e);
	tensor_unref(wide);
	return WORKER_OK;
}

static struct equiv_result run(const char *library, const char *variables, struct toy *left, struct toy *right)
{
	static const struct equiv_rule rule = {7, "formula", "test", NULL};
	struct equiv_pair p = {.rule = &rule, .name = "toy"};
	struct eval sides[2] = {{.invoke = toy, .library = left}, {.invoke = toy, .library = right}};
	struct equiv_options o = {.inputs = 24, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct arena arena = ARENA_INIT;
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;

	registry_init(&registry, library);
	assert_int_equal(draw_parse(variables, &arena, &p.draw, &e), 0);
	assert_int_equal(expr_parse("hundred(x)", &arena, &p.a, &e), 0);
	assert_int_equal(expr_parse("hundred(x)", &arena, &p.b, &e), 0);
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	arena_release(&arena);
	return r;
}

static int tells(const char *library, const char *variables, struct toy left, struct toy right, size_t *undefined)
{
	struct equiv_result r = run(library, variables, &left, &right);
	int told = verdict_is_finding(r.found[EQUIV_DIFFERENCE].verdict);

	*undefined = r.invalid;
	equiv_result_release(&r);
	return told;
}

static void what_does_not_fit_is_not_told(void **state)
{
	struct toy wraps = {0}, saturates = {.saturates = 1};
	size_t undefined;

	(void)state;
	assert_false(tells("torchapi", "x:int8[3]", wraps, saturates, &undefined));
	assert_true(undefined > 12);
	assert_true(tells("torch", "x:int8[3]", wraps, saturates, &undefined)); /* kernels are judged as they are */
}

/* 100 times 0 or 1 fits int8. */
static void what_fits_is_told(void **state)
{
	struct toy right = {0}, wrong = {.off = 7};
	size_t undefined;

	(void)state;
	assert_true(tells("torchapi", "x:int8.below2[1]", right, wrong, &undefined));
	assert_true(tells("torchapi", "x:int64[3]", right, wrong, &undefined)); /* there is no wider type */
	assert_int_equal(undefined, 0);
	assert_false(tells("torchapi", "x:int8[3]", right, right, &undefined));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_fit_is_not_told),
		cmocka_unit_test(what_fits_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
