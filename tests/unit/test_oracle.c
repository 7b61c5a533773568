/* test_oracle.c - every oracle on both sides of its threshold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "judge/oracle.h"

static struct value *row(const double *x, size_t n)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, 2, (int64_t[]){1, (int64_t)n}, &e);
	struct value *v;

	assert_non_null(t);
	memcpy(t->f, x, n * sizeof *x);
	v = value_tensor(t, &e);
	assert_non_null(v);
	return v;
}

/* b against a; the reference says a, with the noise given. */
static int ask(const char *name, const double *a, const double *b, size_t n, float noise)
{
	float noises[8];
	struct value *va = row(a, n), *vb = row(b, n);
	struct ref_output right = {"y", va, noises};
	struct ref_result truth = {.outputs = &right, .n = 1};
	struct oracle_case c = {.truth = &truth, .a = &va, .b = &vb, .n = 1};
	struct oracle_answer answer;

	for (size_t i = 0; i < n; i++)
		noises[i] = noise;
	assert_non_null(oracle_find(name));
	oracle_ask(oracle_find(name)->oracle, &c, 0, &answer);
	assert_int_equal(answer.inconsistent, *answer.reason != '\0');
	if (!strcmp(name, "rounding"))
		assert_int_equal(answer.wrong, answer.inconsistent ? 2 : 0);
	value_unref(va);
	value_unref(vb);
	return answer.inconsistent;
}

static void test_both_sides(void **state)
{
	static const double a[] = {0.5, 0.3, 0.2}, second[] = {0.3, 0.5, 0.2}, close[] = {0.5001, 0.2999, 0.2};
	static const double nan[] = {0.5, NAN, 0.2}, far[] = {0.511, 0.3, 0.2}, near[] = {0.509, 0.3, 0.2};
	static const struct {
		const char *name;
		const double *beyond, *within;
	} cases[] = {
		{"cradle", second, far}, {"audee", second, far}, {"eagle", far, near},
		{"meta", near, close},   {"gbft", near, close},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(ask(cases[i].name, a, cases[i].beyond, 3, 1e-6f), 1);
		assert_int_equal(ask(cases[i].name, a, cases[i].within, 3, 1e-6f), 0);
		assert_int_equal(ask(cases[i].name, a, a, 3, 1e-6f), 0);
		assert_int_equal(ask(cases[i].name, a, nan, 3, 1e-6f), 1);
		assert_int_equal(ask(cases[i].name, nan, nan, 3, 1e-6f), 0);
	}
	assert_int_equal(ask("rounding", a, close, 3, 1e-6f), 1);
	assert_int_equal(ask("rounding", a, close, 3, 1e-4f), 0);
	assert_int_equal(ask("rounding", a, nan, 3, 1e-4f), 1);
}

static void test_labels_and_targets(void **state)
{
	static const double a[] = {0.5, 0.3, 0.2}, b[] = {0.5, 0.2, 0.3}, x[] = {1}, y[] = {2}, want[] = {1.1};
	struct value *va = row(a, 3), *vb = row(b, 3), *vx = row(x, 1), *vy = row(y, 1), *target = row(want, 1);
	struct err e = ERR_INIT;
	struct tensor *label = tensor_scalar_i(DT_INT64, 1, &e);
	struct oracle_case c = {.a = &va, .b = &vb, .n = 1};
	struct oracle_answer answer;
	const struct oracle *cradle = oracle_find("cradle")->oracle;

	(void)state;
	oracle_ask(cradle, &c, 0, &answer); /* the first class stays the first */
	assert_int_equal(answer.inconsistent, 0);
	c.labels = label; /* the right class goes from the second to the third place: 8 - 4 */
	oracle_ask(cradle, &c, 0, &answer);
	assert_true(answer.distance == 4);
	oracle_ask(cradle, &c, 4, &answer);
	assert_int_equal(answer.inconsistent, 1);
	c = (struct oracle_case){.a = &vx, .b = &vy, .n = 1, .target = target->tensor};
	oracle_ask(cradle, &c, 0, &answer); /* (0.9 - 0.1) / (0.9 + 0.1) = 0.8 */
	assert_true(fabs(answer.distance - 32) < 1e-9);
	assert_int_equal(answer.inconsistent, 1);
	assert_null(oracle_find("no-such-oracle"));
	value_unref(va);
	value_unref(vb);
	value_unref(vx);
	value_unref(vy);
	value_unref(target);
	tensor_unref(label);
}

static void test_shapes(void **state)
{
	static const double a[] = {0.5, 0.3, 0.2};
	struct value *va = row(a, 3), *vb = row(a, 2);
	struct oracle_case c = {.a = &va, .b = &vb, .n = 1};
	struct oracle_answer answer;

	(void)state;
	for (const struct oracle_row *r = oracle_rows; r->name; r++) {
		if (r->oracle->needs_truth)
			continue;
		oracle_ask(r->oracle, &c, 0, &answer);
		assert_int_equal(answer.inconsistent, 1);
	}
	value_unref(va);
	value_unref(vb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_sides),
		cmocka_unit_test(test_labels_and_targets),
		cmocka_unit_test(test_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
