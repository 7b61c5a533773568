/* test_narrow.c - networks of which it is known which nodes have to stay in float32. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/narrow_inputs.h"

/* Runs a model on inputs in [lo, hi) and frees it. */
static void run(struct model *m, double lo, double hi, const struct narrow_options *o, struct narrow_result *r)
{
	struct err e = ERR_INIT;
	struct narrow_inputs f;

	narrow_inputs_make(&f, lo, hi);
	if (narrow_run(m, &f.data, o, r, &e))
		fail_msg("%s", e.msg);
	narrow_inputs_drop(&f);
}

static const struct narrow_row *row_of(const struct narrow_result *r, const char *tensor)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->rows[i].wire->name, tensor))
			return &r->rows[i];
	fail_msg("no narrow_row '%s'", tensor);
	return NULL;
}

/* The set is these nodes, in any order. */
static void assert_kept(const struct narrow_result *r, const char *const *names, size_t n)
{
	assert_int_equal(r->answer, NARROW_SOME);
	assert_int_equal(r->n_kept, n);
	for (size_t i = 0; i < n; i++) {
		int found = 0;

		for (size_t k = 0; k < r->n_kept; k++)
			found |= !strcmp(r->kept[k]->name, names[i]);
		assert_true(found);
		assert_true(row_of(r, names[i])->kept);
	}
	assert_true(r->minimal);
	assert_true(r->mixed.error <= r->o.target.limit && r->narrow.error > r->o.target.limit);
}

/* ---- one node has to stay ---------------------------------------------------------------------------------------- */

/* A sum beyond 65504. */
static void test_overflow(void **state)
{
	const struct narrow_options o = narrow_inputs_options(NARROW_F16);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;
	struct model *m;

	(void)state;
	build_begin(&b, 17, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, 2, narrow_row);
	x = build_op(&b, "Relu", "act", x, NULL);
	build_output(&b, build_op(&b, "Mul", "half", x, build_fill(&b, "c", 0, NULL, 0.5), NULL));
	m = narrow_inputs_model(&b, build_op(&b, "ReduceSum", "total", x, NULL));
	run(m, 1500, 2000, &o, &r);
	assert_kept(&r, (const char *const[]){"total"}, 1);
	assert_int_equal(row_of(&r, "total")->overflows, 1);
	assert_true(isinf(row_of(&r, "total")->local) && isinf(row_of(&r, "total")->effect));
	assert_int_equal(row_of(&r, "half")->overflows, 0);
	assert_true(row_of(&r, "half")->local < 1e-3);
	narrow_result_release(&r);
	model_free(m);
}

/* The same in bfloat16, which has the range. */
static void test_range(void **state)
{
	const struct narrow_options o = narrow_inputs_options(NARROW_BF16);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct build b;
	struct model *m;

	(void)state;
	build_begin(&b, 17, 1, &e);
	m = narrow_inputs_model(
		&b, build_op(&b, "ReduceSum", "total", build_input(&b, "x", DT_FLOAT, 2, narrow_row), NULL));
	run(m, 1500, 2000, &o, &r);
	assert_int_equal(r.answer, NARROW_ALL);
	assert_int_equal(r.n_kept, 0);
	assert_int_equal(row_of(&r, "total")->overflows, 0);
	narrow_result_release(&r);
	model_free(m);
}

/* x is near 1000: what is left of x - 1000 is lost when x is rounded. */
static struct model *cancelling(int before, int after)
{
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;

	build_begin(&b, 17, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, 2, narrow_row);
	x = build_op(&b, "Sub", "difference", x, build_fill(&b, "c", 0, NULL, 1000), NULL);
	for (int i = 0; i < before + after; i++)
		x = build_op(&b, "Mul", build_name(&b, "scaled", (const char[]){(char)('a' + i), 0}), x,
			     build_fill(&b, build_name(&b, "k", (const char[]){(char)('a' + i), 0}), 0, NULL, 1.3),
			     NULL);
	return narrow_inputs_model(&b, x);
}

static void test_cancellation(void **state)
{
	const struct narrow_options o = narrow_inputs_options(NARROW_F16);
	struct model *m = cancelling(1, 2);
	struct narrow_result r = {.n = 0};

	(void)state;
	run(m, 1000.1, 1000.9, &o, &r);
	assert_kept(&r, (const char *const[]){"difference"}, 1);
	assert_true(row_of(&r, "difference")->local > 0.1);
	assert_true(row_of(&r, "scaled.a")->local < 1e-3 && row_of(&r, "scaled.a")->accumulated > 0.1);
	assert_int_equal(r.wide.moved, 0);
	assert_int_equal(r.wide.rows, NARROW_INPUTS);
	narrow_result_release(&r);
	model_free(m);
}

/* Too many nodes to try each: groups of them are halved. */
static void test_groups(void **state)
{
	struct narrow_options o = narrow_inputs_options(NARROW_F16);
	struct model *m = cancelling(10, 10);
	struct narrow_result r = {.n = 0};

	(void)state;
	o.runs = 15;
	run(m, 1000.1, 1000.9, &o, &r);
	assert_kept(&r, (const char *const[]){"difference"}, 1);
	assert_int_equal(row_of(&r, "difference")->together, 1);
	assert_true(row_of(&r, "scaled.t")->together > 1);
	narrow_result_release(&r);
	model_free(m);
}

/* What overflows must be read in float32 as well. */
static void test_two(void **state)
{
	const struct narrow_options o = narrow_inputs_options(NARROW_F16);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;
	struct model *m;

	(void)state;
	build_begin(&b, 17, 1, &e);
	x = build_op(&b, "Relu", "act", build_input(&b, "x", DT_FLOAT, 2, narrow_row), NULL);
	x = build_op(&b, "ReduceSum", "total", x, NULL);
	x = build_op(&b, "Div", "mean", x, build_fill(&b, "n", 0, NULL, NARROW_N), NULL);
	m = narrow_inputs_model(&b, build_op(&b, "Sqrt", "root", x, NULL));
	run(m, 1500, 2000, &o, &r);
	assert_kept(&r, (const char *const[]){"total", "mean"}, 2);
	narrow_result_release(&r);
	model_free(m);
}

/* A variance that float16 does not have: statistics are rounded with all the rest of a model. */
static void test_statistics(void **state)
{
	const struct narrow_options o = narrow_inputs_options(NARROW_F16);
	const int64_t channels[] = {NARROW_N};
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;
	struct model *m;

	(void)state;
	build_begin(&b, 17, 1, &e);
	x = build_op(&b, "Relu", "act", build_input(&b, "x", DT_FLOAT, 2, narrow_row), NULL);
	x = build_op(&b, "BatchNormalization", "norm", x, build_fill(&b, "scale", 1, channels, 1),
		     build_fill(&b, "bias", 1, channels, 0), build_fill(&b, "mean", 1, channels, 0),
		     build_fill(&b, "variance", 1, channels, 1e-9), NULL);
	build_float(&b, "epsilon", 1e-10);
	m = narrow_inputs_model(&b, x);
	run(m, 0.01, 0.02, &o, &r);
	assert_kept(&r, (const char *const[]){"norm"}, 1);
	narrow_result_release(&r);
	model_free(m);
}

/* One element far out takes all the steps of int8. */
static void test_int8(void **state)
{
	const struct narrow_options o = narrow_inputs_options(NARROW_INT8);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	double far[NARROW_N] = {0}, mask[NARROW_N];
	struct build b;
	struct wire *x;
	struct model *m;

	(void)state;
	far[NARROW_N - 1] = 1e4;
	for (size_t i = 0; i < NARROW_N; i++)
		mask[i] = i < NARROW_N - 1;
	build_begin(&b, 17, 1, &e);
	x = build_op(&b, "Relu", "act", build_input(&b, "x", DT_FLOAT, 2, narrow_row), NULL);
	x = build_op(&b, "Add", "outlier", x, build_floats(&b, "far", 2, narrow_row, far), NULL);
	x = build_op(&b, "Mul", "masked", x, build_floats(&b, "mask", 2, narrow_row, mask), NULL);
	m = narrow_inputs_model(&b, build_op(&b, "Neg", "y", x, NULL)); /* no operator that is quantized */
	run(m, 0, 1, &o, &r);
	assert_kept(&r, (const char *const[]){"outlier", "masked"}, 2);
	assert_int_equal(r.nodes, 3);
	assert_true(isnan(row_of(&r, "y")->local) && isnan(row_of(&r, "y")->effect));
	assert_true(row_of(&r, "act")->local < 0.01);
	narrow_result_release(&r);
	model_free(m);
}

/* ---- other answers ----------------------------------------------------------------------------------------------- */

static void test_answers(void **state)
{
	struct narrow_options o = narrow_inputs_options(NARROW_F16);
	struct model *m = cancelling(0, 1);
	struct narrow_result r = {.n = 0};

	(void)state;
	o.target.limit = 1e-9; /* finer than float32 */
	run(m, 1000.1, 1000.9, &o, &r);
	assert_int_equal(r.answer, NARROW_BEYOND);
	narrow_result_release(&r);
	o.target.limit = 1e-5; /* finer than one rounding to float16 */
	run(m, 1000.1, 1000.9, &o, &r);
	assert_int_equal(r.answer, NARROW_NONE);
	assert_int_equal(r.n_kept, r.nodes);
	narrow_result_release(&r);
	model_free(m);
}

/* The order of entries counts, not how far they are off. */
static void test_top(void **state)
{
	struct narrow_options o = narrow_inputs_options(NARROW_BF16);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	double bias[NARROW_N] = {0};
	struct build b;
	struct model *m;

	(void)state;
	bias[3] = 5; /* far above the others */
	build_begin(&b, 17, 1, &e);
	m = narrow_inputs_model(&b, build_op(&b, "Add", "scores", build_input(&b, "x", DT_FLOAT, 2, narrow_row),
					     build_floats(&b, "bias", 2, narrow_row, bias), NULL));
	assert_int_equal(narrow_target_parse("top1", &o.target, &e), 0);
	run(m, 0, 1, &o, &r);
	assert_int_equal(r.answer, NARROW_ALL);
	assert_true(r.narrow.error > 0 && r.narrow.error < 0.01 && r.narrow.moved == 0);
	narrow_result_release(&r);
	assert_int_equal(narrow_target_parse("1e-4", &o.target, &e), 0);
	run(m, 0, 1, &o, &r);
	assert_int_equal(r.answer, NARROW_NONE);
	narrow_result_release(&r);
	model_free(m);
	assert_int_equal(narrow_target_parse("-1", &o.target, &e), ERR_USAGE);
	assert_int_equal(narrow_target_parse("1x", &o.target, &e), ERR_USAGE);
	assert_int_equal(narrow_type_parse("f8", &o.type, &e), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overflow),   cmocka_unit_test(test_range),   cmocka_unit_test(test_cancellation),
		cmocka_unit_test(test_groups),     cmocka_unit_test(test_two),     cmocka_unit_test(test_int8),
		cmocka_unit_test(test_statistics), cmocka_unit_test(test_answers), cmocka_unit_test(test_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
