/* test_judge.c - distances of the papers on their own examples; verdicts on each side of every limit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "judge/distance.h"
#include "judge/judge.h"

static struct tensor *vector(enum dtype t, size_t n, const double *x)
{
	struct err e = ERR_INIT;
	struct tensor *v = tensor_new(t, 1, (int64_t[]){(int64_t)n}, &e);

	assert_non_null(v);
	for (size_t i = 0; i < n; i++)
		if (dtype_is_float(t))
			v->f[i] = x[i];
		else
			v->i[i] = (int64_t)x[i];
	return v;
}

#define VECTOR(...) vector(DT_FLOAT, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

/* CRADLE, section III: steering angles 0.4 and -0.1 where 0 is right give 0.6. */
static void test_mad_based(void **state)
{
	struct tensor *a = VECTOR(0.4), *b = VECTOR(-0.1), *truth = VECTOR(0);

	(void)state;
	assert_true(fabs(distance_mad_based(a, b, truth) - 0.6) < 1e-12);
	assert_true(distance_mad_based(truth, truth, truth) == 0);
	assert_true(distance_mad_based(a, truth, truth) == 1);
	tensor_unref(a);
	tensor_unref(b);
	tensor_unref(truth);
}

/* CRADLE: rank 1 scores 16, rank 3 scores 4, outside of the top five 0. */
static void test_class(void **state)
{
	struct tensor *first = VECTOR(9, 1, 2, 3, 4, 5, 6), *third = VECTOR(5, 7, 6, 1, 2, 3, 4);
	struct tensor *last = VECTOR(0, 1, 2, 3, 4, 5, 6), *nan = VECTOR(NAN, 1, 2, 3, 4, 5, 6);

	(void)state;
	assert_int_equal(distance_rank(third, 0, 7, 0), 3);
	assert_true(distance_class(first, last, 0, 7, 0, 5) == 16);
	assert_true(distance_class(first, third, 0, 7, 0, 5) == 12);
	assert_true(distance_class(last, last, 0, 7, 0, 5) == 0);
	assert_true(isnan(distance_class(first, nan, 0, 7, 0, 5)));
	assert_true(distance_argmax_differs(first, last, 0, 7));
	assert_false(distance_argmax_differs(first, first, 0, 7));
	tensor_unref(first);
	tensor_unref(third);
	tensor_unref(last);
	tensor_unref(nan);
}

static void test_tolerances(void **state)
{
	struct tensor *a = VECTOR(1, 2, 3, 4), *b = VECTOR(1, 2.005, 3, 4), *c = VECTOR(1, 2.02, 3, NAN);
	struct tensor *inf = VECTOR(INFINITY, NAN), *same = VECTOR(INFINITY, NAN), *other = VECTOR(-INFINITY, NAN);

	(void)state;
	assert_true(distance_beyond_tolerance(b, a, 1e-2, 1e-5) <= 0);
	assert_true(distance_beyond_tolerance(c, a, 1e-2, 1e-5) > 0);
	assert_true(distance_beyond_tolerance(inf, same, 1e-2, 1e-5) <= 0);
	assert_true(distance_beyond_tolerance(inf, other, 1e-2, 1e-5) > 0);
	assert_true(distance_relative_share(b, a, 1e-3) == 0.25);
	assert_true(distance_relative_share(c, a, 1e-3) == 0.5);
	assert_true(distance_mad(a, b) > 0.00124 && distance_mad(a, b) < 0.00126);
	assert_true(isnan(distance_mad(a, c)));
	tensor_unref(a);
	tensor_unref(b);
	tensor_unref(c);
	tensor_unref(inf);
	tensor_unref(same);
	tensor_unref(other);
}

static struct judgement judged(struct tensor *exact, const float *noise, struct tensor *got)
{
	struct judgement j;

	judge_tensor(exact, noise, got, JUDGE_LIMIT, &j);
	tensor_unref(exact);
	tensor_unref(got);
	return j;
}

static void test_verdicts(void **state)
{
	const float noise[] = {1e-6f, 1e-6f, 0, INFINITY};
	struct judgement j;

	(void)state;
	j = judged(VECTOR(1.00000001, 2, 3, 4), noise, VECTOR(1, 2, 3, 4));
	assert_int_equal(j.verdict, VERDICT_AGREE);
	j = judged(VECTOR(1, 2, 3, 4), noise, VECTOR(1 + 19e-6, 2, 3, 4));
	assert_int_equal(j.verdict, VERDICT_ROUNDING);
	assert_true(j.ratio > 18.9 && j.ratio < 19.1);
	j = judged(VECTOR(1, 2, 3, 4), noise, VECTOR(1 + 21e-6, 2, 3, 4));
	assert_int_equal(j.verdict, VERDICT_WRONG);
	assert_int_equal(j.worst, 0);
	/* without noise one rounding of the result is left: u |x| = 1.8e-7 here */
	j = judged(VECTOR(1, 2, 3, 4), noise, VECTOR(1, 2, 3 + 3e-6, 4));
	assert_int_equal(j.verdict, VERDICT_ROUNDING);
	j = judged(VECTOR(1, 2, 3, 4), noise, VECTOR(1, 2, 3.00001, 4));
	assert_int_equal(j.verdict, VERDICT_WRONG);
	/* an unstable element is not judged */
	j = judged(VECTOR(1, 2, 3, 4), noise, VECTOR(1, 2, 3, 100));
	assert_int_equal(j.verdict, VERDICT_AGREE);
	assert_int_equal(j.unstable, 1);
	j = judged(VECTOR(1, 2, 3, 4), noise, VECTOR(1, NAN, 3, 4));
	assert_int_equal(j.verdict, VERDICT_NAN);
	j = judged(VECTOR(1, NAN, 3, 4), noise, VECTOR(1, NAN, 3, 4));
	assert_int_equal(j.verdict, VERDICT_AGREE);
	/* float32 overflows where the reference, in double, does not */
	j = judged(VECTOR(1, 1e39, 3, 4), noise, VECTOR(1, INFINITY, 3, 4));
	assert_int_equal(j.verdict, VERDICT_AGREE);
	j = judged(VECTOR(5, 5, 5, 5), NULL, VECTOR(5, 5, 5, 5));
	assert_int_equal(j.verdict, VERDICT_VACUOUS);
}

static void test_integers_and_shapes(void **state)
{
	const float flipped[] = {0, 0.35f};
	struct judgement j;

	(void)state;
	j = judged(vector(DT_INT32, 2, (double[]){7, 9}), NULL, vector(DT_INT32, 2, (double[]){7, 8}));
	assert_int_equal(j.verdict, VERDICT_WRONG);
	j = judged(vector(DT_INT32, 2, (double[]){7, 9}), flipped, vector(DT_INT32, 2, (double[]){7, 8}));
	assert_int_equal(j.verdict, VERDICT_ROUNDING);
	j = judged(vector(DT_INT32, 2, (double[]){7, 9}), NULL, vector(DT_INT64, 2, (double[]){7, 9}));
	assert_int_equal(j.verdict, VERDICT_WRONG);
	j = judged(VECTOR(1, 2, 3), NULL, VECTOR(1, 2));
	assert_int_equal(j.verdict, VERDICT_WRONG);
	assert_non_null(strstr(j.reason, "float32[2]"));
	assert_int_equal(verdict_worse(VERDICT_ROUNDING, VERDICT_WRONG), VERDICT_WRONG);
	assert_true(verdict_is_finding(VERDICT_NAN) && !verdict_is_finding(VERDICT_ROUNDING));
	assert_string_equal(verdict_name(VERDICT_REJECTED), "rejected");
}

/* Flushing subnormal numbers to zero is no finding; losing a normal one is. */
static void test_integers_beyond_double(void **state)
{
	static const enum dtype types[] = {DT_INT64, DT_UINT64};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct tensor *exact = tensor_zeros(types[k], 1, (int64_t[]){2}, &e), *got = tensor_copy(exact, &e);
		struct judgement j;

		exact->i[1] = got->i[1] = INT64_C(9007199254740993);
		judge_tensor(exact, NULL, got, JUDGE_LIMIT, &j);
		assert_int_equal(j.verdict, VERDICT_AGREE);
		got->i[1]--;
		judge_tensor(exact, NULL, got, JUDGE_LIMIT, &j);
		assert_int_equal(j.verdict, VERDICT_WRONG);
		tensor_unref(exact);
		tensor_unref(got);
	}
}

static void test_subnormal(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *exact = tensor_zeros(DT_FLOAT, 1, &(int64_t){2}, &e),
		      *got = tensor_zeros(DT_FLOAT, 1, &(int64_t){2}, &e);
	struct judgement j;

	(void)state;
	exact->f[0] = got->f[0] = 1;
	exact->f[1] = 2e-39;
	judge_tensor(exact, NULL, got, JUDGE_LIMIT, &j);
	assert_int_equal(j.verdict, VERDICT_ROUNDING);
	exact->f[1] = 2e-38;
	judge_tensor(exact, NULL, got, JUDGE_LIMIT, &j);
	assert_int_equal(j.verdict, VERDICT_WRONG);
	tensor_unref(exact);
	tensor_unref(got);
}

/* Outputs of equal elements prove little when they agree, and are wrong where any other would be. */
static void test_equal_elements(void **state)
{
	struct tensor *equal = VECTOR(1, 1, 1), *got = VECTOR(1, 1.00001, 1);
	float noise[] = {1e-6f, 1e-6f, 1e-6f};
	struct judgement j;

	(void)state;
	judge_tensor(equal, noise, got, JUDGE_LIMIT, &j);
	assert_int_equal(j.verdict, VERDICT_VACUOUS);
	got->f[1] = 1.0001;
	judge_tensor(equal, noise, got, JUDGE_LIMIT, &j);
	assert_int_equal(j.verdict, VERDICT_WRONG);
	tensor_unref(equal);
	tensor_unref(got);
}

/* Where there are no elements nothing is compared but type and shape: right is vacuous, another shape is wrong. */
static void test_no_elements(void **state)
{
	const int64_t shapes[][2] = {{0, 3}, {0, 4}};
	struct err e = ERR_INIT;
	struct judgement j;

	(void)state;
	for (int strings = 0; strings < 2; strings++) {
		enum dtype type = strings ? DT_STRING : DT_FLOAT;
		struct tensor *none = tensor_new(type, 2, shapes[0], &e), *other = tensor_new(type, 2, shapes[1], &e);

		judge_tensor(none, NULL, none, JUDGE_LIMIT, &j);
		assert_int_equal(j.verdict, VERDICT_VACUOUS);
		assert_string_equal(j.reason, "there are no elements");
		judge_tensor(none, NULL, other, JUDGE_LIMIT, &j);
		assert_int_equal(j.verdict, VERDICT_WRONG);
		tensor_unref(none);
		tensor_unref(other);
	}
}

/* A sequence of some vectors of three elements; `fill`: a letter each, E: all equal, D: all differ, N: has none. */
static struct value *sequence(const char *fill)
{
	struct value *items[4];
	struct err e = ERR_INIT;
	size_t n = strlen(fill);

	assert_true(n <= 4);
	for (size_t i = 0; i < n; i++)
		items[i] = value_tensor(fill[i] == 'D'   ? VECTOR(1, 2, 3)
					: fill[i] == 'E' ? VECTOR(1, 1, 1)
							 : vector(DT_FLOAT, 0, NULL),
					&e);
	return value_sequence(DT_FLOAT, items, n, &e);
}

static enum verdict judge_sequence(const char *fill, double change)
{
	struct value *exact = sequence(fill), *got = sequence(fill);
	struct judgement j;

	for (size_t i = 0; i < got->n; i++)
		if (got->items[i]->tensor->count)
			got->items[i]->tensor->f[0] += change;
	judge_value(exact, NULL, got, JUDGE_LIMIT, &j);
	value_unref(exact);
	value_unref(got);
	return j.verdict;
}

/* One item that proves little does not undo another that was judged. */
static void test_items(void **state)
{
	(void)state;
	assert_int_equal(judge_sequence("", 0), VERDICT_VACUOUS);
	assert_int_equal(judge_sequence("NN", 0), VERDICT_VACUOUS);
	assert_int_equal(judge_sequence("EN", 0), VERDICT_VACUOUS);
	assert_int_equal(judge_sequence("EDN", 0), VERDICT_AGREE);
	assert_int_equal(judge_sequence("NDE", 1e-7), VERDICT_ROUNDING);
	assert_int_equal(judge_sequence("NDE", 1), VERDICT_WRONG);
	assert_int_equal(judge_sequence("NE", 1), VERDICT_WRONG);
}

/* Beyond 2^53 a double does not have every integer: the sentence must tell the two apart. */
static void test_large_integers_are_told(void **state)
{
	static const struct {
		enum dtype type;
		int64_t exact, got;
		const char *reason;
	} cases[] = {
		{DT_INT64, INT64_C(9007199254740992), INT64_C(9007199254740993),
		 "element 1: got 9007199254740993, expected 9007199254740992; it is off by 1, and nothing rounds "
		 "there"},
		{DT_INT64, INT64_MIN, INT64_MIN + 1,
		 "element 1: got -9223372036854775807, expected -9223372036854775808; it is off by 1, and nothing "
		 "rounds "
		 "there"},
		{DT_UINT64, -1, -3,
		 "element 1: got 18446744073709551613, expected 18446744073709551615; it is off by 2, and nothing "
		 "rounds "
		 "there"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tensor *exact = vector(cases[i].type, 2, (double[]){1, 2}),
			      *got = vector(cases[i].type, 2, (double[]){1, 2});
		struct judgement j;

		exact->i[1] = cases[i].exact;
		got->i[1] = cases[i].got;
		judge_tensor(exact, NULL, got, JUDGE_LIMIT, &j);
		assert_int_equal(j.verdict, VERDICT_WRONG);
		assert_true(judge_is_told(&j));
		assert_string_equal(j.reason, cases[i].reason);
		tensor_unref(exact);
		tensor_unref(got);
	}
}

static void test_numbers_are_not_told(void **state)
{
	struct tensor *exact = VECTOR(1, (double)NAN), *got = VECTOR(1, 2);
	struct judgement j;

	(void)state;
	judge_tensor(exact, NULL, got, JUDGE_LIMIT, &j);
	assert_int_equal(j.verdict, VERDICT_WRONG);
	assert_false(judge_is_told(&j)); /* expected nan and got 2: numbers tell it */
	judge_tensor(exact, NULL, exact, JUDGE_LIMIT, &j);
	assert_false(judge_is_told(&j));
	tensor_unref(exact);
	tensor_unref(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_elements),
		cmocka_unit_test(test_no_elements),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_mad_based),
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_tolerances),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_integers_and_shapes),
		cmocka_unit_test(test_integers_beyond_double),
		cmocka_unit_test(test_subnormal),
		cmocka_unit_test(test_large_integers_are_told),
		cmocka_unit_test(test_numbers_are_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
