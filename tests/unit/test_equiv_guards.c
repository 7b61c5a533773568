/* test_equiv_guards.c - what is no wrong value, by its cause and not by its name: errors by the size of a matrix, parts
 * of complex numbers, cuts, whole numbers that a library does not promote.  Each has a twin that is told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/compare.h"
#include "methods/equiv/known.h"
#include "methods/equiv/pair.h"

/* ---- a library of one operation: its argument, with an error ----------------------------------------------------- */

struct library_of_test {
	double by_norm;    /* times one rounding of the largest element: what a stable solver does */
	double by_size;    /* times one rounding of float32 of each element */
	double off;        /* a fault */
	int zeros_of_open; /* all is 0 where a number is not finite */
};

static double largest_of(const struct tensor *wide, int *open)
{
	double largest = 0;

	*open = 0;
	for (size_t i = 0; i < wide->count; i++) {
		*open |= !isfinite(wide->f[i]);
		largest = fmax(largest, isfinite(wide->f[i]) ? fabs(wide->f[i]) : 0);
	}
	return largest;
}

static enum worker_result with_error(void *library, const struct backend_call *c, struct backend_answer *out,
				     struct worker_report *report)
{
	const struct library_of_test *l = library;
	struct tensor *x = c->args[0].tensor->tensor, *wide, *own;
	struct err e = ERR_INIT;
	double error;
	int open;

	memset(report, 0, sizeof *report);
	if (x->dtype != DT_FLOAT)
		return report->result = WORKER_REJECTED;
	wide = tensor_widen(x, &e);
	own = tensor_copy(wide, &e);
	error = l->by_norm * dtype_roundoff(DT_FLOAT) * largest_of(own, &open) + l->off;
	for (size_t i = 0; i < own->count; i++)
		own->f[i] =
			l->zeros_of_open && open ? 0 : own->f[i] * (1 + l->by_size * dtype_roundoff(DT_FLOAT)) + error;
	tensor_round(own);
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_tensor(tensor_pack(own, &e), &e);
	tensor_unref(own);
	tensor_unref(wide);
	return WORKER_OK;
}

static struct equiv_result run_rule(const struct equiv_rule *rule, enum dtype lower, int matrix,
				    struct library_of_test right)
{
	static char name[] = "inverse", x[] = "X", tensor[] = "Tensor";
	static struct backend_parameter parameter = {.name = x, .type = tensor, .is_input = 1};
	const struct backend_operation operation = {
		.name = name, .parameters = &parameter, .n_parameters = 1, .n_outputs = 1};
	struct api api = {.op = &operation, .kinds = {PARAMETER_TENSOR}, .matrix = matrix};
	struct equiv_pair p = {.rule = rule, .name = name, .api = &api, .lower = lower};
	struct library_of_test left = {0};
	struct eval sides[2] = {{.invoke = with_error, .library = &left}, {.invoke = with_error, .library = &right}};
	struct equiv_options o = {.inputs = 200, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;

	registry_init(&registry, "torch");
	if (equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e))
		fail_msg("%s", e.msg);
	return r;
}

static struct equiv_result run(int matrix, struct library_of_test right)
{
	return run_rule(&rule_optimized, DT_UNDEFINED, matrix, right);
}

static void expect(int matrix, struct library_of_test right, int told)
{
	struct equiv_result r = run(matrix, right);

	assert_int_equal(r.found[EQUIV_DIFFERENCE].verdict, told ? VERDICT_WRONG : VERDICT_AGREE);
	assert_true(told || r.rounding + r.invalid > 0); /* it was met */
	equiv_result_release(&r);
}

static void an_error_by_the_size_of_a_matrix_is_rounding(void **state)
{
	(void)state;
	expect(1, (struct library_of_test){.by_norm = 3}, 0);
	expect(0, (struct library_of_test){.by_norm = 3}, 1); /* of single elements it is wrong */
	expect(1, (struct library_of_test){.by_norm = 3, .off = 0.5}, 1);
	expect(1, (struct library_of_test){.off = 0.5}, 1);
}

static enum verdict verdict_of_lowered(enum dtype lower, struct library_of_test right)
{
	struct equiv_result r = run_rule(&rule_lowered, lower, 0, right);
	enum verdict v = r.found[EQUIV_DIFFERENCE].verdict;

	assert_true(verdict_is_finding(v) || r.rounding > 0); /* it was met */
	equiv_result_release(&r);
	return v;
}

/* Two roundings of bfloat16 are what autocast may do, and are wrong elsewhere. */
static void roundings_to_a_lower_type_are_expected_where_one_is_chosen(void **state)
{
	double two = 2 * dtype_roundoff(DT_BFLOAT16) / dtype_roundoff(DT_FLOAT);

	(void)state;
	assert_int_equal(verdict_of_lowered(DT_BFLOAT16, (struct library_of_test){.by_size = two}), VERDICT_AGREE);
	assert_int_equal(verdict_of_lowered(DT_UNDEFINED, (struct library_of_test){.by_size = two}), VERDICT_WRONG);
	assert_int_equal(verdict_of_lowered(DT_BFLOAT16, (struct library_of_test){.by_size = 100 * two}),
			 VERDICT_WRONG);
}

/* A call of two numbers, each a tensor of its own. */
static int strays_of(struct api api, double x, double y)
{
	const double numbers[] = {x, y};
	struct err e = ERR_INIT;
	struct bindings in = {.n = 2};
	int found;

	for (size_t i = 0; i < in.n; i++) {
		struct tensor *wide = tensor_scalar_f(DT_FLOAT, numbers[i], &e);

		in.at[i].tensor = value_tensor(tensor_pack(wide, &e), &e);
		tensor_unref(wide);
	}
	found = known_strays(&api, &in);
	bindings_release(&in);
	return found;
}

static int strays(int matrix, double x)
{
	return strays_of((struct api){.matrix = matrix}, x, 1);
}

static void solvers_promise_nothing_of_extreme_numbers(void **state)
{
	(void)state;
	expect(1, (struct library_of_test){.zeros_of_open = 1}, 0);
	expect(0, (struct library_of_test){.zeros_of_open = 1}, 1);
	assert_true(strays(1, 1e30) && strays(1, -1e30) && strays(1, 1e-30) && strays(1, (double)NAN));
	assert_false(strays(1, 1e15) || strays(1, 0) || strays(1, -1e-15));
	assert_false(strays(0, 1e30));
}

static void what_is_promised_of_numbers_that_are_not_finite(void **state)
{
	const struct api finite = {.finite = 1}, one_nan = {.one_nan = 1};
	const double nan = (double)NAN, inf = (double)INFINITY;

	(void)state;
	assert_true(strays_of(finite, 2, inf) && strays_of(finite, nan, 2));
	assert_false(strays_of(finite, 1e30, -1e-30));
	assert_true(strays_of(one_nan, nan, nan));
	assert_false(strays_of(one_nan, nan, inf) || strays_of(one_nan, inf, inf));
}

/* Whether NaN of one side and a number of the other are taken for the same: a documented function that pads or not. */
static int is_padding(int pads, double x)
{
	struct dialect forms = {.name = "test", .forms = 1};
	struct registry registry = {.dialect = &forms};
	struct api api = {.pads = pads};
	struct equiv_pair pair = {.rule = &rule_layout, .api = &api};
	struct pair_run r = {.registry = &registry, .pair = &pair};
	struct equiv_input in = {.in_a.n = 1};
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_scalar_f(DT_FLOAT, x, &e);
	int is;

	in.in_a.at[0].tensor = value_tensor(tensor_pack(wide, &e), &e);
	is = pair_how(&r, &in).zero_times_inf;
	tensor_unref(wide);
	bindings_release(&in.in_a);
	return is;
}

static void padding_times_infinity_is_nan_or_nothing(void **state)
{
	(void)state;
	assert_true(is_padding(1, (double)INFINITY));
	assert_false(is_padding(1, 2) || is_padding(0, (double)INFINITY));
}

/* ---- complex numbers --------------------------------------------------------------------------------------------- */

static struct value *complex_of(double re, double im)
{
	const int64_t dims[] = {1};
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_zeros(DT_COMPLEX64, 1, dims, &e), *packed;

	wide->f[0] = re;
	wide->f[1] = im;
	packed = tensor_pack(wide, &e);
	tensor_unref(wide);
	return value_tensor(packed, &e);
}

static double part_of(const struct value *v, int k)
{
	double parts[2];

	dtype_unpack(DT_COMPLEX64, v->tensor->data, 0, 1, parts);
	return parts[k];
}

/* Takes a and b. */
static enum compare_result compare(struct value *a, struct value *b, struct compare_how how)
{
	const struct equiv_options o = {.atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	char detail[256];
	enum compare_result r = compare_close(a, b, &how, &o, detail, sizeof detail);

	value_unref(a);
	value_unref(b);
	return r;
}

static enum compare_result compare_complex(double re, double im, double re_b, double im_b)
{
	return compare(complex_of(re, im), complex_of(re_b, im_b), (struct compare_how){0});
}

static void infinite_complex_numbers_have_no_parts(void **state)
{
	const double inf = (double)INFINITY, nan = (double)NAN;

	(void)state;
	assert_int_equal(compare_complex(inf, nan, nan, inf), COMPARE_CLOSE);
	assert_int_equal(compare_complex(1, inf, -inf, nan), COMPARE_CLOSE);
	assert_int_equal(compare_complex(1, nan, 1, 2), COMPARE_BEYOND);
	assert_int_equal(compare_complex(0, 0, 1, inf), COMPARE_BEYOND);
	assert_int_equal(compare_complex(0, 0, -0.149, -1.485), COMPARE_BEYOND);
}

static double ratio_of(double re, double im, double re_b, double im_b)
{
	const struct equiv_options o = {.atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	const struct compare_how how = {0};
	const struct compare_noise noise = {0};
	struct value *a = complex_of(re, im), *b = complex_of(re_b, im_b);
	double ratio = compare_ratio(a, b, &how, &noise, &o);

	value_unref(a);
	value_unref(b);
	return ratio;
}

/* One rounding of the larger part is no fault of the smaller one. */
static void parts_are_measured_by_the_number(void **state)
{
	(void)state;
	assert_true(ratio_of(0, 1e19, 1e12, 1e19) < 20);
	assert_true(ratio_of(0, 1e19, 1e16, 1e19) > 20);
	assert_true(isfinite(ratio_of(0, 1, 1, 1))); /* a rounding of float32, not of nothing */
	assert_true(ratio_of(0, 1, 1, 1) < 1e9);
}

static void complex_numbers_are_nudged(void **state)
{
	struct value *v = complex_of(3, 0), *moved;
	struct err e = ERR_INIT;
	struct rng r;
	int large = 0, small = 0;

	(void)state;
	rng_init(&r, 1);
	for (int k = 0; k < 8; k++) {
		moved = draw_nudged(v, dtype_roundoff(DT_FLOAT), &r, &e);
		large |= part_of(moved, 0) < 3 || part_of(moved, 0) > 3;
		assert_true(part_of(moved, 1) == 0);
		value_unref(moved);
		moved = draw_shaken(v, dtype_roundoff(DT_FLOAT), &r, &e);
		small |= part_of(moved, 1) < 0 || part_of(moved, 1) > 0; /* by the size of the other one */
		assert_true(fabs(part_of(moved, 1)) < 1e-6);
		value_unref(moved);
	}
	assert_true(large && small);
	value_unref(v);
}

/* Some sort NaNs by their sign: neither order is wrong. */
static void nans_have_no_sign(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_scalar_f(DT_FLOAT, copysign((double)NAN, -1.0), &e);
	struct value *v = value_tensor(tensor_pack(wide, &e), &e), *flushed = draw_flushed(v, &e);

	(void)state;
	assert_true(isnan(tensor_get(v->tensor, 0)) && signbit(tensor_get(v->tensor, 0)));
	assert_true(isnan(tensor_get(flushed->tensor, 0)) && !signbit(tensor_get(flushed->tensor, 0)));
	tensor_unref(wide);
	value_unref(flushed);
	value_unref(v);
}

/* On a cut a function has two values: -0 must not decide which one is right. */
static void zeros_of_complex_numbers_have_no_sign(void **state)
{
	struct value *v = complex_of(-0.0, -2e-39), *flushed;
	struct err e = ERR_INIT;

	(void)state;
	flushed = draw_flushed(v, &e);
	for (int k = 0; k < 2; k++) {
		assert_true(part_of(flushed, k) == 0);
		assert_false(signbit(part_of(flushed, k)));
	}
	value_unref(flushed);
	value_unref(v);
}

/* ---- whole numbers ----------------------------------------------------------------------------------------------- */

static struct value *one(enum dtype t, double x)
{
	struct err e = ERR_INIT;
	struct tensor *wide = dtype_is_float(t) ? tensor_scalar_f(t, x, &e) : tensor_scalar_i(t, (int64_t)x, &e);
	struct value *v = value_tensor(tensor_pack(wide, &e), &e);

	tensor_unref(wide);
	return v;
}

static enum compare_result compare_whole(enum dtype a, double x, double y, int whole_apart)
{
	return compare(one(a, x), one(DT_FLOAT, y), (struct compare_how){.whole_apart = whole_apart});
}

/* The mean of 2 and 3 is 2 where whole numbers stay whole. */
static void whole_results_stand_for_no_floats(void **state)
{
	(void)state;
	assert_int_equal(compare_whole(DT_INT32, 2, 2.5, 1), COMPARE_CLOSE);
	assert_int_equal(compare_whole(DT_INT32, 2, 2.5, 0),
			 COMPARE_BEYOND); /* torch.fmod of 2 and 1.5 in PyTorch 1.6 */
	assert_int_equal(compare_whole(DT_FLOAT, 2, 2.5, 1), COMPARE_BEYOND);
}

/* How results of a library are compared, of its registry or of its rows. */
static struct compare_how how_of(const char *backend, int is_row)
{
	struct registry registry;
	struct api api = {0};
	struct equiv_pair pair = {.rule = &rule_optimized, .api = is_row ? NULL : &api};
	struct pair_run r = {.registry = &registry, .pair = &pair};
	struct equiv_input in = {0};

	registry_init(&registry, backend);
	return pair_how(&r, &in);
}

static void an_infinity_beside_the_end_of_a_type_is_no_difference_where_documented(void **state)
{
	static const char *const others[] = {"tf", "tfapi", "jaxapi", "kerasapi", "mxnet", "ort"};
	const double inf = (double)INFINITY;
	const struct compare_how torch = how_of("torchapi@1.9.0", 0);

	(void)state;
	assert_int_equal(compare(one(DT_DOUBLE, inf), one(DT_DOUBLE, 1e308), torch), COMPARE_CLOSE);
	assert_int_equal(compare(one(DT_DOUBLE, inf), one(DT_DOUBLE, 1e307), torch), COMPARE_BEYOND);
	assert_int_equal(compare(one(DT_FLOAT, -inf), one(DT_FLOAT, 3e38), torch), COMPARE_BEYOND);
	assert_int_equal(compare(one(DT_FLOAT, inf), one(DT_FLOAT, 3e38), how_of("torch", 1)), COMPARE_CLOSE);
	for (size_t i = 0; i < 2 * sizeof others / sizeof *others; i++) /* (x * 2) / 2 of a chain is x there */
		assert_int_equal(compare(one(DT_FLOAT, inf), one(DT_FLOAT, 3e38), how_of(others[i / 2], i % 2)),
				 COMPARE_BEYOND);
}

/* Side b is NaN of a number that side a takes for 0, and -infinity once both do: rounding decides.  One that stays NaN
 * is another answer. */
static void nan_that_becomes_infinite_is_unstable(void **state)
{
	const struct equiv_options o = {.atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	const struct compare_how how = {0};
	struct value *infinite = one(DT_FLOAT, -(double)INFINITY), *nan = one(DT_FLOAT, (double)NAN);
	const struct compare_noise moves = {&infinite, &infinite, 1}, stays = {&infinite, &nan, 1};

	(void)state;
	assert_true(compare_ratio(infinite, nan, &how, &moves, &o) < 20);
	assert_true(isinf(compare_ratio(infinite, nan, &how, &stays, &o)));
	value_unref(infinite);
	value_unref(nan);
}

static enum compare_result compare_ints(int64_t x, int64_t y, int converts)
{
	return compare(one(DT_INT32, (double)x), one(DT_INT32, (double)y), (struct compare_how){.converts = converts});
}

static void a_nan_has_no_whole_number(void **state)
{
	(void)state;
	assert_int_equal(compare_ints(INT32_MIN, 0, 1), COMPARE_CLOSE);
	assert_int_equal(compare_ints(0, INT32_MIN, 1), COMPARE_CLOSE);
	assert_int_equal(compare_ints(INT32_MIN, 0, 0), COMPARE_BEYOND);         /* nothing was converted */
	assert_int_equal(compare_ints(INT32_MIN, INT32_MAX, 1), COMPARE_BEYOND); /* an infinity, saturated or not */
	assert_int_equal(compare_ints(1, 0, 1), COMPARE_BEYOND);
}

static enum compare_result compare_derived(double x, double y, int derived)
{
	return compare(one(DT_FLOAT16, x), one(DT_FLOAT16, y), (struct compare_how){.derived = derived});
}

/* inf and inf - inf; a NaN beside a number is another matter. */
static void derivatives_overflow_to_either(void **state)
{
	const double inf = (double)INFINITY, nan = (double)NAN;

	(void)state;
	assert_int_equal(compare_derived(nan, inf, 1), COMPARE_CLOSE);
	assert_int_equal(compare_derived(-inf, inf, 1), COMPARE_CLOSE);
	assert_int_equal(compare_derived(nan, inf, 0), COMPARE_BEYOND);
	assert_int_equal(compare_derived(nan, 1, 1), COMPARE_BEYOND);
	assert_int_equal(compare_derived(1, inf, 1), COMPARE_BEYOND);
}

static int fits(enum dtype narrow, enum dtype wide, double x)
{
	struct value *a = one(narrow, 0), *b = one(wide, x);
	int r = compare_fits(a, b);

	value_unref(a);
	value_unref(b);
	return r;
}

/* 100 * 2 has no place in int8, and what stands there instead nobody says. */
static void a_wider_type_shows_an_overflow(void **state)
{
	(void)state;
	assert_false(fits(DT_INT8, DT_INT32, 200));
	assert_false(fits(DT_UINT8, DT_INT32, -1));
	assert_false(fits(DT_INT32, DT_INT64, 3e9));
	assert_true(fits(DT_INT8, DT_INT32, -128));
	assert_true(fits(DT_INT64, DT_INT64, 3e9));
	assert_true(fits(DT_FLOAT, DT_DOUBLE, 1e300)); /* floats have an infinity */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_by_the_size_of_a_matrix_is_rounding),
		cmocka_unit_test(roundings_to_a_lower_type_are_expected_where_one_is_chosen),
		cmocka_unit_test(what_is_promised_of_numbers_that_are_not_finite),
		cmocka_unit_test(padding_times_infinity_is_nan_or_nothing),
		cmocka_unit_test(solvers_promise_nothing_of_extreme_numbers),
		cmocka_unit_test(infinite_complex_numbers_have_no_parts),
		cmocka_unit_test(parts_are_measured_by_the_number),
		cmocka_unit_test(nan_that_becomes_infinite_is_unstable),
		cmocka_unit_test(an_infinity_beside_the_end_of_a_type_is_no_difference_where_documented),
		cmocka_unit_test(complex_numbers_are_nudged),
		cmocka_unit_test(nans_have_no_sign),
		cmocka_unit_test(zeros_of_complex_numbers_have_no_sign),
		cmocka_unit_test(whole_results_stand_for_no_floats),
		cmocka_unit_test(a_nan_has_no_whole_number),
		cmocka_unit_test(derivatives_overflow_to_either),
		cmocka_unit_test(a_wider_type_shows_an_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
