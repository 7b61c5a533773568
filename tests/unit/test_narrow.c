/* test_narrow.c - networks of which it is known which nodes have to stay in float32, and narrow models of others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/narrow/narrow.h"
#include "model/build.h"
#include "tensor/stats.h"

#define N 64
#define RUNS 2

static const int64_t row[] = {1, N}, square[] = {N, N};

/* RUNS inputs of float32[1,N] in [lo, hi). */
struct fixture {
	struct value *in[RUNS][1];
	struct value **runs[RUNS];
	struct narrow_data data;
};

static void make_data(struct fixture *f, double lo, double hi)
{
	struct err e = ERR_INIT;
	struct rng rng;

	rng_init(&rng, 7);
	for (size_t i = 0; i < RUNS; i++) {
		struct tensor *t = tensor_new(DT_FLOAT, 2, row, &e);

		assert_int_equal(tensor_fill_random(t, &rng, lo, hi, &e), 0);
		tensor_round(t);
		f->in[i][0] = value_tensor(t, &e);
		f->runs[i] = f->in[i];
	}
	f->data = (struct narrow_data){f->runs, RUNS};
}

static void drop_data(struct fixture *f)
{
	for (size_t i = 0; i < RUNS; i++)
		value_unref(f->in[i][0]);
}

static struct model *finish(struct build *b, struct wire *y)
{
	struct model *m = NULL;

	build_output(b, y);
	assert_int_equal(build_end(b, &m), 0);
	return m;
}

static struct narrow_options options(enum narrow_type type)
{
	return (struct narrow_options){.type = type, .target = {.limit = NARROW_TARGET}};
}

/* Runs a model on inputs in [lo, hi) and frees it. */
static void run(struct model *m, double lo, double hi, const struct narrow_options *o, struct narrow_result *r)
{
	struct err e = ERR_INIT;
	struct fixture f;

	make_data(&f, lo, hi);
	if (narrow_run(m, &f.data, o, r, &e))
		fail_msg("%s", e.msg);
	drop_data(&f);
}

static const struct narrow_row *row_of(const struct narrow_result *r, const char *tensor)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->rows[i].wire->name, tensor))
			return &r->rows[i];
	fail_msg("no row '%s'", tensor);
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
	const struct narrow_options o = options(NARROW_F16);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;
	struct model *m;

	(void)state;
	build_begin(&b, 17, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, 2, row);
	x = build_op(&b, "Relu", "act", x, NULL);
	build_output(&b, build_op(&b, "Mul", "half", x, build_fill(&b, "c", 0, NULL, 0.5), NULL));
	m = finish(&b, build_op(&b, "ReduceSum", "total", x, NULL));
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
	const struct narrow_options o = options(NARROW_BF16);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct build b;
	struct model *m;

	(void)state;
	build_begin(&b, 17, 1, &e);
	m = finish(&b, build_op(&b, "ReduceSum", "total", build_input(&b, "x", DT_FLOAT, 2, row), NULL));
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
	x = build_input(&b, "x", DT_FLOAT, 2, row);
	x = build_op(&b, "Sub", "difference", x, build_fill(&b, "c", 0, NULL, 1000), NULL);
	for (int i = 0; i < before + after; i++)
		x = build_op(&b, "Mul", build_name(&b, "scaled", (const char[]){(char)('a' + i), 0}), x,
			     build_fill(&b, build_name(&b, "k", (const char[]){(char)('a' + i), 0}), 0, NULL, 1.3),
			     NULL);
	return finish(&b, x);
}

static void test_cancellation(void **state)
{
	const struct narrow_options o = options(NARROW_F16);
	struct model *m = cancelling(1, 2);
	struct narrow_result r = {.n = 0};

	(void)state;
	run(m, 1000.1, 1000.9, &o, &r);
	assert_kept(&r, (const char *const[]){"difference"}, 1);
	assert_true(row_of(&r, "difference")->local > 0.1);
	assert_true(row_of(&r, "scaled.a")->local < 1e-3 && row_of(&r, "scaled.a")->accumulated > 0.1);
	assert_int_equal(r.wide.moved, 0);
	assert_int_equal(r.wide.rows, RUNS);
	narrow_result_release(&r);
	model_free(m);
}

/* Too many nodes to try each: groups of them are halved. */
static void test_groups(void **state)
{
	struct narrow_options o = options(NARROW_F16);
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
	const struct narrow_options o = options(NARROW_F16);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;
	struct model *m;

	(void)state;
	build_begin(&b, 17, 1, &e);
	x = build_op(&b, "Relu", "act", build_input(&b, "x", DT_FLOAT, 2, row), NULL);
	x = build_op(&b, "ReduceSum", "total", x, NULL);
	x = build_op(&b, "Div", "mean", x, build_fill(&b, "n", 0, NULL, N), NULL);
	m = finish(&b, build_op(&b, "Sqrt", "root", x, NULL));
	run(m, 1500, 2000, &o, &r);
	assert_kept(&r, (const char *const[]){"total", "mean"}, 2);
	narrow_result_release(&r);
	model_free(m);
}

/* A variance that float16 does not have: statistics are rounded with all the rest of a model. */
static void test_statistics(void **state)
{
	const struct narrow_options o = options(NARROW_F16);
	const int64_t channels[] = {N};
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct build b;
	struct wire *x;
	struct model *m;

	(void)state;
	build_begin(&b, 17, 1, &e);
	x = build_op(&b, "Relu", "act", build_input(&b, "x", DT_FLOAT, 2, row), NULL);
	x = build_op(&b, "BatchNormalization", "norm", x, build_fill(&b, "scale", 1, channels, 1),
		     build_fill(&b, "bias", 1, channels, 0), build_fill(&b, "mean", 1, channels, 0),
		     build_fill(&b, "variance", 1, channels, 1e-9), NULL);
	build_float(&b, "epsilon", 1e-10);
	m = finish(&b, x);
	run(m, 0.01, 0.02, &o, &r);
	assert_kept(&r, (const char *const[]){"norm"}, 1);
	narrow_result_release(&r);
	model_free(m);
}

/* One element far out takes all the steps of int8. */
static void test_int8(void **state)
{
	const struct narrow_options o = options(NARROW_INT8);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	double far[N] = {0}, mask[N];
	struct build b;
	struct wire *x;
	struct model *m;

	(void)state;
	far[N - 1] = 1e4;
	for (size_t i = 0; i < N; i++)
		mask[i] = i < N - 1;
	build_begin(&b, 17, 1, &e);
	x = build_op(&b, "Relu", "act", build_input(&b, "x", DT_FLOAT, 2, row), NULL);
	x = build_op(&b, "Add", "outlier", x, build_floats(&b, "far", 2, row, far), NULL);
	x = build_op(&b, "Mul", "masked", x, build_floats(&b, "mask", 2, row, mask), NULL);
	m = finish(&b, build_op(&b, "Neg", "y", x, NULL)); /* no operator that is quantized */
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
	struct narrow_options o = options(NARROW_F16);
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
	struct narrow_options o = options(NARROW_BF16);
	struct narrow_result r = {.n = 0};
	struct err e = ERR_INIT;
	double bias[N] = {0};
	struct build b;
	struct model *m;

	(void)state;
	bias[3] = 5; /* far above the others */
	build_begin(&b, 17, 1, &e);
	m = finish(&b, build_op(&b, "Add", "scores", build_input(&b, "x", DT_FLOAT, 2, row),
				build_floats(&b, "bias", 2, row, bias), NULL));
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
	x = build_op(&b, "MatMul", "h", build_input(&b, "x", DT_FLOAT, 2, row), weight(&b, "w1", 0), NULL);
	x = build_op(&b, "Relu", "a", x, NULL);
	x = build_op(&b, "MatMul", "g", x, weight(&b, "w2", 0), NULL);
	return finish(&b, build_op(&b, "Tanh", "y", x, NULL));
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
	x = cast(&b, "x_cast", build_input(&b, "x", DT_FLOAT, 2, row), DT_FLOAT16);
	x = build_op(&b, "MatMul", "h", x, cast(&b, "w1_cast", weight(&b, "w1", 0), DT_FLOAT16), NULL);
	x = build_op(&b, "Relu", "other", x, NULL);
	x = build_op(&b, "MatMul", "g", x, cast(&b, "w2_cast", weight(&b, "w2", extra), DT_FLOAT16), NULL);
	x = build_op(&b, "Tanh", "y_half", x, NULL);
	return finish(&b, cast(&b, "y", x, DT_FLOAT));
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
	x = build_op(&b, "MatMul", "h", build_input(&b, "x", DT_FLOAT, 2, row), weight(&b, "w1", 0), NULL);
	x = build_op(&b, "QuantizeLinear", "a_QuantizeLinear_Output", x, scale, zero, NULL);
	x = build_op(&b, "Reshape", "moved", x, build_ints64(&b, "shape", 2, row), NULL);
	x = build_op(&b, "DequantizeLinear", "a_DequantizeLinear_Output", x, scale, zero, NULL);
	x = build_op(&b, "MatMul", "g", x, weight(&b, "w2", 0), NULL);
	return finish(&b, build_op(&b, "Tanh", "y", x, NULL));
}

static void compare(struct model *narrow, struct model *of, struct narrow_against *a)
{
	const struct narrow_options o = options(NARROW_F16);
	struct err e = ERR_INIT;
	struct fixture f;

	make_data(&f, -1, 1);
	if (narrow_against(narrow, of, &f.data, &o, a, &e))
		fail_msg("%s", e.msg);
	drop_data(&f);
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
	struct narrow_options o = options(NARROW_INT8);
	struct model *m = original(), *narrow = quantized();
	struct fixture f;

	(void)state;
	make_data(&f, -1, 1);
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
	drop_data(&f);
	model_free(narrow);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overflow),      cmocka_unit_test(test_range),
		cmocka_unit_test(test_cancellation),  cmocka_unit_test(test_groups),
		cmocka_unit_test(test_two),           cmocka_unit_test(test_int8),
		cmocka_unit_test(test_statistics),    cmocka_unit_test(test_answers),
		cmocka_unit_test(test_top),           cmocka_unit_test(test_against_half),
		cmocka_unit_test(test_against_wrong), cmocka_unit_test(test_against_quantized),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
