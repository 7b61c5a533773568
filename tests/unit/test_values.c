/* test_values.c - the numbers at which libraries part ways are drawn, stay in their range, and reach operators. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "methods/fuzz/fuzz.h"
#include "ops/attr.h"

#define DRAWS 4000

static const enum dtype whole[] = {DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static int draws_int(enum dtype t, int64_t wanted)
{
	struct rng r;
	int found = 0;

	rng_init(&r, 3);
	for (int i = 0; i < DRAWS; i++) {
		int64_t x = values_int(t, &r);

		assert_true(dtype_wrap(t, x) == x);
		found |= x == wanted;
	}
	return found;
}

static void test_integers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
		enum dtype t = whole[i];

		assert_true(draws_int(t, 0));
		assert_true(draws_int(t, 1));
		assert_true(draws_int(t, dtype_wrap(t, -1)));
		assert_true(draws_int(t, dtype_wrap(t, (int64_t)(UINT64_C(1) << (dtype_bits(t) - 1)))));
		assert_true(draws_int(t, dtype_wrap(t, (int64_t)((UINT64_C(1) << (dtype_bits(t) - 1)) - 1))));
	}
	assert_true(draws_int(DT_INT32, 16777217));
	assert_true(draws_int(DT_INT64, INT64_C(4294967297)));
	assert_true(draws_int(DT_INT64, INT64_C(9007199254740993)));
}

static int is_subnormal(double x)
{
	return x > 0 && x < (double)1.17e-38f;
}

static int is_beyond_exp(double x)
{
	return x > 88.72 && x < 90;
}

static int is_largest(double x)
{
	return x == dtype_max(DT_FLOAT);
}

static int is_minus_zero(double x)
{
	return x == 0 && signbit(x);
}

static int is_nan(double x)
{
	return isnan(x);
}

static int is_infinite(double x)
{
	return isinf(x);
}

static void test_floats(void **state)
{
	static int (*const kinds[])(double) = {is_subnormal,  is_beyond_exp, is_largest,
					       is_minus_zero, is_nan,        is_infinite};
	int found[sizeof kinds / sizeof *kinds] = {0};
	struct rng r;

	(void)state;
	rng_init(&r, 4);
	for (int i = 0; i < DRAWS; i++) {
		double x = values_float(DT_FLOAT, &r);

		assert_true(isnan(x) || x == (double)(float)x);
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			found[k] |= kinds[k](x);
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		assert_true(found[k]);
}

static void test_ranges(void **state)
{
	static const struct value_range ranges[] = {
		{.lo = -8, .hi = 5}, {.lo = 1, .hi = 1e6}, {.lo = -100, .hi = -2}, {.lo = 0, .hi = INFINITY}};
	static const enum dtype types[] = {DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT32, DT_INT64};
	struct err e = ERR_INIT;
	struct rng r;

	(void)state;
	rng_init(&r, 5);
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		for (size_t n = 0; n < sizeof ranges / sizeof *ranges; n++) {
			struct tensor *t = tensor_new(types[k], 1, (int64_t[]){500}, &e);

			for (size_t i = 0; i < t->count; i++) {
				values_put(t, i, &ranges[n], &r);
				values_put_pair(t, i, &ranges[n], (unsigned)i, i);
				assert_true(tensor_get(t, i) >= ranges[n].lo && tensor_get(t, i) <= ranges[n].hi);
			}
			tensor_unref(t);
		}
}

/* What a Clip would make of a number, and 0 for NaN. */
static void test_within(void **state)
{
	const struct value_range small = {-2, 3, 0, 0, 0}, above = {1, 3, 1, 1, 0};

	(void)state;
	assert_float_equal(values_within(&small, 2.5), 2.5, 0);
	assert_float_equal(values_within(&small, -7), -2, 0);
	assert_float_equal(values_within(&small, INFINITY), 3, 0);
	assert_float_equal(values_within(&small, NAN), 0, 0);
	assert_true(isnan(values_within(&above, NAN)));
	assert_true(isinf(values_within(&above, INFINITY)));
	assert_float_equal(values_within(&above, -INFINITY), 1, 0);
	assert_true(isnan(values_within(&values_all, NAN)));
}

static void test_pairs(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_zeros(DT_INT32, 1, (int64_t[]){2}, &e);

	(void)state;
	for (size_t i = 0; i < 2; i++)
		values_put_pair(t, i, &values_all, 0, i);
	assert_true(t->i[0] == INT32_MIN && t->i[1] == -1);
	tensor_unref(t);
}

/* ---- what operators get ------------------------------------------------------------------------------------------ */

struct look {
	const char *op;
	enum dtype type; /* of a model's input that goes into the operator as it is */
	double number;   /* at least as far from 0 as this, on the same side */
};

static int has_number(const struct fuzz_case *c, const struct look *l)
{
	for (size_t i = 0; i < c->model->graph->nodes.n; i++) {
		const struct node *n = c->model->graph->nodes.at[i];

		for (size_t k = 0; !strcmp(n->op_type, l->op) && k < c->model->graph->inputs.n; k++) {
			const struct tensor *x = c->inputs[k] ? c->inputs[k]->tensor : NULL; /* a default */

			if (!x || n->in[0] != c->model->graph->inputs.at[k] || x->dtype != l->type)
				continue;
			for (size_t j = 0; j < x->count; j++)
				if (l->number < 0 ? tensor_get(x, j) <= l->number : tensor_get(x, j) >= l->number)
					return 1;
		}
	}
	return 0;
}

static int draws(const struct corpus *all, const struct look *l)
{
	struct fuzz_op op = all->ops[corpus_find(all, l->op)];
	struct corpus alone = {.ops = &op, .n_ops = 1};
	struct fuzz_options o = {.seed = 6, .blocks = 1, .opset = 21};
	struct err e = ERR_INIT;
	struct fuzzer *f = NULL;
	int found = 0;

	op.types = fuzz_op_types(&op, o.opset);
	assert_int_equal(fuzzer_new(&alone, &o, &f, &e), 0);
	for (int i = 0; i < 400 && !found; i++) {
		struct fuzz_case c = {0};

		assert_int_equal(fuzzer_next(f, &c, &e), 0);
		found = has_number(&c, l);
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
	return found;
}

static void test_ends_reach_operators(void **state)
{
	static const struct look list[] = {
		{"Exp", DT_FLOAT, 89},
		{"Log", DT_FLOAT, -1},
		{"Sqrt", DT_DOUBLE, 1e300},
		{"Softplus", DT_FLOAT, 1e20},
		{"Tanh", DT_FLOAT, 3.4e38},
		{"Pow", DT_FLOAT, -2},
		{"Add", DT_INT8, 60},
		{"Mul", DT_UINT16, 200},
		{"Div", DT_INT32, -2147483648.0},
		{"Mod", DT_INT64, -9.2e18},
		{"BitShift", DT_UINT64, 1.8e19},
		{"Max", DT_UINT32, 4294967295.0},
		{"ReduceMax", DT_INT8, -128},
		{"ArgMax", DT_UINT64, 1.8e19},
		{"TopK", DT_INT16, 32767},
		{"MatMul", DT_UINT32, 100},
		{"CumSum", DT_UINT64, 1e12},
		{"Equal", DT_INT64, 9.2e18},
		{"Transpose", DT_UINT16, 65535},
	};
	struct err e = ERR_INIT;
	struct corpus all;
	int bad = 0;

	(void)state;
	assert_int_equal(corpus_load("data/blocks-large.yaml", 1, &all, &e), 0);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!draws(&all, &list[i])) {
			print_error("%s is never given %s %g\n", list[i].op, dtype_name(list[i].type), list[i].number);
			bad++;
		}
	corpus_release(&all);
	assert_int_equal(bad, 0);
}

/* ---- types by version, and what is open -------------------------------------------------------------------------- */

static void test_types_by_version(void **state)
{
	const struct op_row *add = ops_find("", "Add"), *shift = ops_find("", "BitShift");

	(void)state;
	assert_false(ops_types(add, 7) & TM(DT_INT8));
	assert_true(ops_types(add, 14) & TM(DT_INT8));
	assert_false(ops_types(shift, 11) & TM(DT_INT32));
	assert_true(ops_types(shift, 28) & TM(DT_INT32));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_ends_reach_operators),
		cmocka_unit_test(test_types_by_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
