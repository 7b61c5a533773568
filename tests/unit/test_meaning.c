/* test_meaning.c - the language that data/meanings is written in: rows, conditions, defaults, results, functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "judge/trial.h"
#include "proof/meaning.h"
#include "support/recorded.h"

/* ---- what a call gives by a row ---------------------------------------------------------------------------------- */

struct evaluated {
	struct recorded record;
	struct meanings rows;
	struct meaning meaning;
	struct err err;
	int rc;
};

/* v0 = [1, 2, 3], v1 = [4, 5, 6], v2 = int32 [[0, -1], [2, 3]], v3 = complex [1+2i, 3+4i]; then the call. */
static void evaluate(struct evaluated *v, const char *rows, const char *call)
{
	struct recorded *r = &v->record;

	memset(v, 0, sizeof *v);
	recorded_begin(r);
	recorded_vector(r, 0, 3, (double[]){1, 2, 3});
	recorded_vector(r, 1, 3, (double[]){4, 5, 6});
	recorded_line(r, "v2 = take(\"i\", inputs[\"i\"], \"int32\")");
	recorded_value(r, 2, DT_INT32, 2, (int64_t[]){2, 2}, (double[]){0, -1, 2, 3});
	recorded_line(r, "v3 = take(\"c\", inputs[\"c\"], \"complex64\")");
	recorded_value(r, 3, DT_COMPLEX64, 1, (int64_t[]){2}, (double[]){1, 2, 3, 4});
	recorded_line(r, "v4 = op(%s)", call);
	recorded_read(r);
	if (meanings_parse(rows, &v->rows, &v->err))
		fail_msg("%s", v->err.msg);
	v->rc = meaning_of(&v->rows, &r->calls, &r->calls.calls.at[0], &v->meaning, &v->err);
}

static void release(struct evaluated *v)
{
	meaning_release(&v->meaning);
	meanings_release(&v->rows);
	recorded_end(&v->record);
}

/* Result `output` of the call is a tensor of these elements; the model is used up. */
static void expect_results(struct evaluated *v, size_t n_results, size_t output, int rank, const int64_t *dims,
			   const double *x)
{
	struct trial t = {0};
	const struct tensor *got;

	if (v->rc || !v->meaning.model)
		fail_msg("%s", v->rc ? v->err.msg : "no row fits");
	assert_int_equal(trial_init(&t, v->meaning.model, v->meaning.inputs, 1, &v->err), 0);
	v->meaning.model = NULL;
	v->meaning.inputs = NULL;
	if (trial_truth(&t, &v->err) || t.invalid)
		fail_msg("%s", t.invalid ? t.why.msg : v->err.msg);
	assert_int_equal(t.truth.n, n_results);
	got = t.truth.outputs[output].value->tensor;
	assert_int_equal(got->rank, rank);
	for (int i = 0; i < rank; i++)
		assert_int_equal(got->dims[i], dims[i]);
	for (size_t i = 0; i < got->count; i++)
		assert_float_equal(tensor_get(got, i), x[i], 1e-6);
	trial_release(&t);
}

/* The only result, a vector. */
static void expect(const char *rows, const char *call, int64_t n, const double *x)
{
	struct evaluated v;

	evaluate(&v, rows, call);
	expect_results(&v, 1, 0, 1, &n, x);
	release(&v);
}

static void expect_error(const char *rows, const char *call, const char *part)
{
	struct evaluated v;

	evaluate(&v, rows, call);
	assert_true(v.rc < 0);
	if (!strstr(v.err.msg, part))
		fail_msg("'%s' has no '%s'", v.err.msg, part);
	release(&v);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void test_rows(void **state)
{
	(void)state;
	expect("add(x, y) = Add(x, y)\n", "\"add\", v0, v1", 3, (double[]){5, 7, 9});
	expect("# words\n\nsub(x, y) = Sub(y, x)", "\"sub\", v0, v1", 3, (double[]){3, 3, 3}); /* no line end */
	expect("add(x, y) = \\\n  Add(x, \\\n  y)\n", "\"add\", v0, v1", 3, (double[]){5, 7, 9});
	expect("scale(x, by) = Mul(x, by)\n", "\"scale\", v0, 0.5", 3, (double[]){0.5, 1, 1.5});
	expect("scale(x, by) = Mul(x, by)\n", "\"scale\", v0, by=2", 3, (double[]){2, 4, 6});
	expect("cat(xs) = Concat(xs, axis=0)\n", "\"cat\", [v0, v1]", 6, (double[]){1, 2, 3, 4, 5, 6});
}

static void test_when(void **state)
{
	static const char rows[] = "f(x, mode) when eq(mode, \"double\") = Add(x, x)\n"
				   "f(x, mode) when eq(mode, \"none\") limit \"there is none\"\n"
				   "f(x, mode) = x\n";
	struct evaluated v;

	(void)state;
	expect(rows, "\"f\", v0, \"double\"", 3, (double[]){2, 4, 6});
	expect(rows, "\"f\", v0, \"other\"", 3, (double[]){1, 2, 3});
	evaluate(&v, rows, "\"f\", v0, \"none\"");
	assert_int_equal(v.rc, 0);
	assert_null(v.meaning.model);
	assert_true(v.meaning.known);
	assert_string_equal(v.meaning.limit, "there is none");
	release(&v);
	evaluate(&v, "f(x) when eq(rank(x), 2) = x\n", "\"f\", v0"); /* no row fits */
	assert_int_equal(v.rc, 0);
	assert_false(v.meaning.known);
	release(&v);
}

static void test_defaults(void **state)
{
	static const char rows[] = "f(x, by=2, plus=None) = if(eq(plus, None), Mul(x, by), Add(Mul(x, by), plus))\n";

	(void)state;
	expect(rows, "\"f\", v0", 3, (double[]){2, 4, 6});
	expect(rows, "\"f\", v0, 3", 3, (double[]){3, 6, 9});
	expect(rows, "\"f\", v0, DEFAULT, 1.0", 3, (double[]){3, 5, 7});
	expect(rows, "\"f\", v0, plus=v1", 3, (double[]){6, 9, 12});
	expect_error(rows, "\"f\"", "argument 'x' is missing");
	expect_error(rows, "\"f\", v0, 1, 1.0, 2", "it has 4 arguments, the row 3");
}

static void test_several_results(void **state)
{
	static const char rows[] = "both(x, y) = [Add(x, y), Sub(x, y)]\n"
				   "top(x) = [TopK(x, [2])#0, TopK(x, [2])#1]\n"
				   "largest(x) = TopK(x, [1])\n"
				   "split(x) = map(i, range(0, size(x, 0)), Slice(x, [i], [i+1]))\n";
	struct evaluated v;

	(void)state;
	evaluate(&v, rows, "\"both\", v0, v1");
	expect_results(&v, 2, 1, 1, (int64_t[]){3}, (double[]){-3, -3, -3});
	release(&v);
	evaluate(&v, rows, "\"top\", v0");
	expect_results(&v, 2, 1, 1, (int64_t[]){2}, (double[]){2, 1});
	release(&v);
	expect(rows, "\"largest\", v0", 1,
	       (double[]){3}); /* the operator has two outputs, whether they are used or not */
	evaluate(&v, rows, "\"split\", v0");
	expect_results(&v, 3, 2, 1, (int64_t[]){1}, (double[]){3});
	release(&v);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void test_rows_as_functions(void **state)
{
	static const char rows[] = "twice(x) = Add(x, x)\n"
				   "signed(x, way=1) when lt(way, 0) = Neg(x)\n"
				   "signed(x, way=1) = x\n"
				   "nothing(x) = None\n"
				   "both(x) = [x, twice(x)]\n"
				   "f(x) = twice(twice(x))\n"
				   "g(x, way) = signed(twice(x), way)\n"
				   "h(x) = signed(twice(x))\n"
				   "k(x) = at(both(x), 1)\n"
				   "m(x) = Clip(x, nothing(x), 2.0)\n"
				   "endless(x) = endless(x)\n";

	(void)state;
	expect(rows, "\"f\", v0", 3, (double[]){4, 8, 12});
	expect(rows, "\"g\", v0, -1", 3, (double[]){-2, -4, -6});
	expect(rows, "\"h\", v0", 3, (double[]){2, 4, 6});
	expect(rows, "\"k\", v0", 3, (double[]){2, 4, 6});
	expect(rows, "\"m\", v0", 3, (double[]){1, 2, 2});
	expect_error(rows, "\"endless\", v0", "there is no function endless");
}

static void test_lists(void **state)
{
	static const char rows[] = "even(x, l) = as(0, x)\n"
				   "f(l) = Identity(part(l, 0, len(l), 2))\n"
				   "g(l) = Identity(rev(part(l, 1, len(l), 2)))\n"
				   "s(l) = Identity([sum(l), prod(l)])\n"
				   "w(l) = Identity(swap(l, 0, -1))\n"
				   "r(a, b) = Identity([ratio(a, b), 0.0])\n"
				   "q(l) = Identity(map(n, l, if(lt(n, 0), 0, n*10)))\n";

	(void)state;
	expect(rows, "\"f\", [1, 2, 3, 4, 5]", 3, (double[]){1, 3, 5});
	expect(rows, "\"g\", [1, 2, 3, 4]", 2, (double[]){4, 2});
	expect(rows, "\"s\", [2, 3, 4]", 2, (double[]){9, 24});
	expect(rows, "\"s\", []", 2, (double[]){0, 1});
	expect(rows, "\"w\", [1, 2, 3]", 3, (double[]){3, 2, 1});
	expect(rows, "\"r\", 1, 4", 2, (double[]){0.25, 0});
	expect(rows, "\"q\", [1, -2, 3]", 3, (double[]){10, 0, 30});
	expect_error("f(l) = Identity(swap(l, 0, 5))\n", "\"f\", [1, 2]", "swap: the list has 2 items");
}

static void test_types(void **state)
{
	static const char rows[] = "f(x) = Identity([is_float(x), is_complex(x), rank(x)])\n"
				   "cast(x, dtype) = Cast(Reshape(x, [-1]), to=dtype)\n"
				   "texts(x) = RNN(x, x, x, activations=[\"Tanh\"], hidden_size=1)\n";

	(void)state;
	expect(rows, "\"f\", v0", 3, (double[]){1, 0, 1});
	expect(rows, "\"f\", v2", 3, (double[]){0, 0, 2});
	expect(rows, "\"cast\", v2, dtype(\"float32\")", 4, (double[]){0, -1, 2, 3});
	expect_error("f(x) = Add(x, \"text\")\n", "\"f\", v0", "a text or a type where a tensor is wanted");
}

/* A complex tensor has the two parts as its last axis. */
static void test_complex(void **state)
{
	struct evaluated v;

	(void)state;
	expect("f(x) = Identity([is_complex(x), rank(x), size(x, -1)])\n", "\"f\", v3", 3, (double[]){1, 2, 2});
	evaluate(&v, "view_as_real(x) = x\n", "\"view_as_real\", v3");
	expect_results(&v, 1, 0, 2, (int64_t[]){2, 2}, (double[]){1, 2, 3, 4});
	release(&v);
	evaluate(&v, "fft(x) = DFT(x, None, as(0, @int64))\n", "\"fft\", v3"); /* 4+6i, -2-2i */
	expect_results(&v, 1, 0, 2, (int64_t[]){2, 2}, (double[]){4, 6, -2, -2});
	release(&v);
}

/* Axes and sizes that a library takes as tensors, parameters that it takes as texts, inputs that it takes as a list. */
static void test_recorded_elements(void **state)
{
	static const char rows[] = "f(i) = Identity(map(n, values(i), n*2))\n"
				   "g(x) = Identity([value(x), value(7)])\n"
				   "h(i) = Identity([low(values(i)), high(values(i))])\n"
				   "b(m) = Identity([bit(m, 0), bit(m, 1), bit(m, 2)])\n"
				   "t(i, axis, sign) = Identity([ties(i, axis, sign), repeats(i)])\n";

	(void)state;
	expect(rows, "\"f\", v2", 4, (double[]){0, -2, 4, 6});
	expect(rows, "\"h\", v2", 2, (double[]){-1, 3});
	expect(rows, "\"b\", 6", 3, (double[]){0, 1, 1});
	expect(rows, "\"t\", v2, 1, 1", 2, (double[]){0, 0});
	expect("f(x) = Identity([beyond(x, @int2), beyond(x, @uint8), beyond(x, @bool), bits(x), bits(@int8)])\n",
	       "\"f\", v0", 5, (double[]){1, 0, 0, 32, 8});
	expect("f(i) = Identity([beyond(i, @uint8)])\n", "\"f\", v2", 1, (double[]){0}); /* integers wrap */
	expect_error(rows, "\"g\", v0", "value: there are 3");
	expect_error("f(x) = values(Neg(x))\n", "\"f\", v0", "an argument with recorded elements is wanted");
	expect_error(rows, "\"t\", v2, 2, 1", "ties: there is no such axis");
}

static void test_texts(void **state)
{
	static const char rows[] = "f(x, by=\"2\") = Mul(x, read(by))\n"
				   "g(shape) = Identity(map(n, read(shape), if(eq(n, None), 0, n)))\n"
				   "h(a) = Identity([eq(read(a), \"word\"), eq(read(a), 1), eq(read(a), None)])\n"
				   "c(x, dtype) = Cast(x, to=type(dtype))\n";

	(void)state;
	expect(rows, "\"f\", v0", 3, (double[]){2, 4, 6});
	expect(rows, "\"f\", v0, by=\"-5e-1\"", 3, (double[]){-0.5, -1, -1.5});
	expect(rows, "\"g\", \"(1, None,-3,)\"", 3, (double[]){1, 0, -3});
	expect(rows, "\"g\", \"[4]\"", 1, (double[]){4});
	expect(rows, "\"h\", \"word\"", 3, (double[]){1, 0, 0});
	expect(rows, "\"h\", \"True\"", 3, (double[]){0, 1, 0});
	expect(rows, "\"h\", \"None\"", 3, (double[]){0, 0, 1});
	expect(rows, "\"c\", v0, \"int32\"", 3, (double[]){1, 2, 3});
	expect("f(s) = Identity([has(s, \"..\"), has(after(s, \">\"), \"..\"), has(after(s, \"?\"), \"a\")])\n",
	       "\"f\", \"a..->a\"", 3, (double[]){1, 0, 1});
	expect("f(x) = Identity([finite(x), single(0.1)])\n", "\"f\", v0", 2, (double[]){1, 0.1f});
	expect_error(rows, "\"c\", v0, \"half\"", "type: the name of an element type is wanted");
}

static void test_inputs_as_a_list(void **state)
{
	static const char rows[] = "f([x, y], by=1) = if(eq(y, None), Mul(x, by), Add(x, y))\n"
				   "g([], n) = Identity([n])\n"
				   "h(x) = let(y, Add(x, x), let(z, Add(y, y), Sub(z, y)))\n";

	(void)state;
	expect(rows, "\"f\", [v0, v1]", 3, (double[]){5, 7, 9});
	expect(rows, "\"f\", [v0], by=3", 3, (double[]){3, 6, 9});
	expect(rows, "\"g\", [], n=4", 1, (double[]){4});
	expect(rows, "\"h\", v0", 3, (double[]){2, 4, 6});
	expect_error(rows, "\"f\", [v0, v1, v0]", "a list of at most 2 is wanted");
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void test_bad_files(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"add(x) = Add(x, x)\n\nadd = Add(x, x)\n", "line 3: 'add' is not an operation"},
		{"add(x) = \\\n  Add(x, \\\n  x)\nsub(x)\n", "line 4: there is neither"},
		{"# a\n# b\nadd(x) limit 3\n", "line 3: a limit has its reason in quotes"},
		{"log(x) = Log(x) limit \"less\"\n", "line 1: no row above says in full what log means"},
		{"add(x) = Add(x,\n", "line 1"},
		{"add(x) when ( = x\n", "line 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct meanings m;
		struct err e = ERR_INIT;

		assert_int_equal(meanings_parse(bad[i].text, &m, &e), ERR_INPUT);
		if (strncmp(e.msg, bad[i].message, strlen(bad[i].message)) != 0)
			fail_msg("'%s' does not begin with '%s'", e.msg, bad[i].message);
	}
}

static void test_bad_rows(void **state)
{
	(void)state;
	expect_error("# one\nf(x) = Add(x, \\\n  z)\n", "\"f\", v0", "f (line 2 of its meanings): there is no 'z'");
	expect_error("f(x) = unheard(x)\n", "\"f\", v0", "there is no function unheard of 1 arguments");
	expect_error("f(x) = Unheard(x)\n", "\"f\", v0", "Unheard");
	expect_error("f(x) = Reshape(x, [7])\n", "\"f\", v0", "Reshape");
	expect_error("twice(x) = Add(x, x)\nf(x) = twice(x, by=2)\n", "\"f\", v0", "the row has no argument 'by'");
	expect_error("twice(x) = Add(x, x)\nf(x) = twice(x, x)\n", "\"f\", v0", "it has 2 arguments, the row 1");
	expect_error("f(x) = x\n", "\"f\", v0, by=2", "the row has no argument 'by'");
	expect_error("f(x) = size(x, 4)\n", "\"f\", v0", "size: there is no such axis");
	expect_error("f(x) = x\n", "\"f\", v9", "the value of v9 was not recorded");
	expect_error("f(x) = x+1\n", "\"f\", v0", "'+' is for numbers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_several_results),
		cmocka_unit_test(test_rows_as_functions),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_complex),
		cmocka_unit_test(test_recorded_elements),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_inputs_as_a_list),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_bad_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
