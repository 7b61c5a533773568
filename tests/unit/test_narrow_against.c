/* test_narrow_against.c - float16 and quantized models against the one that they were made of. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/narrow_inputs.h"

static const int64_t square[] = {NARROW_N, NARROW_N};

/* ---- against an original ----------------------------------------------------------------------------------------- */

static struct wire *weight(struct build *b, const char *name, double extra)
{
	struct wire *w = build_normal(b, name, 2, square, 0.2);

	for (size_t i = 0; extra != 0 && i < w->init->count; i += 3)
		((float *)w->init->data)[i] += (float)extra;
	return w;
}

static struct model *original(void)
{
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;

	build_begin(&b, 17, 1, &e);
	x = build_op(&b, "MatMul", "h", build_input(&b, "x", DT_FLOAT, 2, narrow_row), weight(&b, "w1", 0), NULL);
	x = build_op(&b, "Relu", "a", x, NULL);
	x = build_op(&b, "MatMul", "g", x, weight(&b, "w2", 0), NULL);
	return narrow_inputs_model(&b, build_op(&b, "Tanh", "y", x, NULL));
}

static struct wire *cast(struct build *b, const char *name, struct wire *x, enum dtype to)
{
	struct wire *y = build_op(b, "Cast", name, x, NULL);

	build_int(b, "to", to);
	return y;
}

/* The same in float16, with casts at both ends and another name for what Relu gives; w2 is off by `extra`. */
static struct model *halved(double extra)
{
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;

	build_begin(&b, 17, 1, &e);
	x = cast(&b, "x_cast", build_input(&b, "x", DT_FLOAT, 2, narrow_row), DT_FLOAT16);
	x = build_op(&b, "MatMul", "h", x, cast(&b, "w1_cast", weight(&b, "w1", 0), DT_FLOAT16), NULL);
	x = build_op(&b, "Relu", "other", x, NULL);
	x = build_op(&b, "MatMul", "g", x, cast(&b, "w2_cast", weight(&b, "w2", extra), DT_FLOAT16), NULL);
	x = build_op(&b, "Tanh", "y_half", x, NULL);
	return narrow_inputs_model(&b, cast(&b, "y", x, DT_FLOAT));
}

/* Quantized between nodes, Relu fused away by the quantization. */
static struct model *quantized(void)
{
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x, *scale, *zero;

	build_begin(&b, 17, 1, &e);
	scale = build_fill(&b, "scale", 0, NULL, 0.03);
	zero = cast(&b, "zero", build_fill(&b, "zero_float", 0, NULL, 0), DT_UINT8);
	x = build_op(&b, "MatMul", "h", build_input(&b, "x", DT_FLOAT, 2, narrow_row), weight(&b, "w1", 0), NULL);
	x = build_op(&b, "QuantizeLinear", "a_QuantizeLinear_Output", x, scale, zero, NULL);
	x = build_op(&b, "Reshape", "moved", x, build_ints64(&b, "shape", 2, narrow_row), NULL);
	x = build_op(&b, "DequantizeLinear", "a_DequantizeLinear_Output", x, scale, zero, NULL);
	x = build_op(&b, "MatMul", "g", x, weight(&b, "w2", 0), NULL);
	return narrow_inputs_model(&b, build_op(&b, "Tanh", "y", x, NULL));
}

static void compare(struct model *narrow, struct model *of, struct narrow_against *a)
{
	const struct narrow_options o = narrow_inputs_options(NARROW_F16);
	struct err e = ERR_INIT;
	struct narrow_inputs f;

	narrow_inputs_make(&f, -1, 1);
	if (narrow_against(narrow, of, &f.data, &o, a, &e))
		fail_msg("%s", e.msg);
	narrow_inputs_drop(&f);
}

static const struct narrow_pair *pair_of(const struct narrow_against *a, const char *tensor)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->pairs[i].wire->name, tensor))
			return &a->pairs[i];
	fail_msg("no tensor '%s'", tensor);
	return NULL;
}

static void test_against_half(void **state)
{
	struct model *of = original(), *narrow = halved(0);
	struct narrow_against a = {.n = 0};

	(void)state;
	compare(narrow, of, &a);
	assert_int_equal(a.n, 4);
	assert_int_equal(a.n_matched, 4);
	assert_int_equal(pair_of(&a, "h")->match, NARROW_BY_NAME);
	assert_int_equal(pair_of(&a, "a")->match, NARROW_BY_VALUES);
	assert_string_equal(pair_of(&a, "a")->other->name, "other");
	assert_true(a.reach.error > 1e-5 && a.reach.error < 2e-3);
	assert_true(pair_of(&a, "a")->local < pair_of(&a, "a")->accumulated);
	assert_null(a.first);
	narrow_against_release(&a);
	model_free(narrow);
	model_free(of);
}

/* A weight that is off: the loss begins there, and not where it is passed on. */
static void test_against_wrong(void **state)
{
	struct model *of = original(), *narrow = halved(0.2);
	struct narrow_against a = {.n = 0};

	(void)state;
	compare(narrow, of, &a);
	assert_non_null(a.first);
	assert_string_equal(a.first->wire->name, "g");
	assert_string_equal(a.worst->wire->name, "g");
	assert_true(a.worst->effect > 1 && pair_of(&a, "h")->effect < 0.2 && pair_of(&a, "y")->effect < 0.2);
	assert_true(pair_of(&a, "y")->accumulated > 0.01 && pair_of(&a, "y")->local < 0.001);
	assert_true(a.reach.error > 0.01);
	narrow_against_release(&a);
	model_free(narrow);
	model_free(of);
}

static void test_against_quantized(void **state)
{
	struct model *of = original(), *narrow = quantized();
	struct narrow_against a = {.n = 0};

	(void)state;
	compare(narrow, of, &a);
	assert_string_equal(pair_of(&a, "a")->other->name, "a_DequantizeLinear_Output");
	assert_string_equal(pair_of(&a, "g")->other->name, "g");
	assert_true(pair_of(&a, "h")->accumulated < 1e-6);
	assert_true(pair_of(&a, "a")->local > 1e-3);
	assert_string_equal(a.worst->wire->name, "a");
	narrow_against_release(&a);
	model_free(narrow);
	model_free(of);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Each allocation fails once: nothing crashes, and the failure is told. */
static void test_memory(void **state)
{
	struct narrow_options o = narrow_inputs_options(NARROW_INT8);
	struct model *m = original(), *narrow = quantized();
	struct narrow_inputs f;

	(void)state;
	narrow_inputs_make(&f, -1, 1);
	o.target.limit = 1e-4; /* a set is looked for */
	for (int against = 0; against < 2; against++)
		for (size_t k = 1, failed = 1; failed; k++) {
			struct narrow_against a = {.n = 0};
			struct narrow_result r = {.n = 0};
			struct err e = ERR_INIT;
			int rc;

			mem_fail_after(k, 0);
			rc = against ? narrow_against(narrow, m, &f.data, &o, &a, &e)
				     : narrow_run(m, &f.data, &o, &r, &e);
			failed = mem_fail_after(0, 0) >= k;
			assert_true(failed ? !rc || rc == ERR_MEMORY : !rc);
			narrow_against_release(&a);
			narrow_result_release(&r);
		}
	narrow_inputs_drop(&f);
	model_free(narrow);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_half),
		cmocka_unit_test(test_against_wrong),
		cmocka_unit_test(test_against_quantized),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
