/* test_noise.c - the noisy mode: sizes of noise, seeds, numbers of lanes, random operators inside of loops. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "ops/noise/drift.h"
#include "reference/reference.h"

/* Runs a case of one node in the noisy mode. */
static void run_line(const char *line, int runs, uint64_t seed, struct ref_result *out)
{
	struct ref_options o = {.mode = REF_NOISY, .noise_runs = runs, .seed = seed};
	struct err e = ERR_INIT;
	struct op_case c;
	struct ref *r;

	assert_int_equal(case_parse(line, 1, &c, &e), 0);
	assert_int_equal(ref_open(c.model, &r, &e), 0);
	assert_int_equal(ref_run(r, c.inputs, c.n, &o, out, &e), 0);
	ref_close(r);
	case_release(&c);
}

static double mean_noise(const struct ref_result *r)
{
	const struct ref_output *o = &r->outputs[0];
	double sum = 0;

	for (size_t i = 0; i < o->value->tensor->count; i++)
		sum += (double)o->noise[i];
	return sum / (double)o->value->tensor->count;
}

/* One rounding: the noise of a sum of two numbers is u |y|, exactly, since every lane moves by that much. */
static void test_one_rounding(void **state)
{
	struct ref_result r;

	(void)state;
	run_line("Add-14 f32[3,5] f32[3,5]", 8, 1, &r);
	for (size_t i = 0; i < 15; i++) {
		double want = 0x1p-24 * fabs(r.outputs[0].value->tensor->f[i]);

		assert_true(fabs((double)r.outputs[0].noise[i] - want) <= 1e-6 * want);
	}
	ref_result_release(&r);
}

/* A subnormal result is rounded to a multiple of the smallest number, whatever its own size. */
static void test_subnormal_floor(void **state)
{
	struct ref_result r;

	(void)state;
	run_line("Mul-14 f32{1e-40,3e-44}[2] f32[2]@0.5:0.6", 8, 1, &r);
	assert_true(r.outputs[0].noise[0] >= FLT_TRUE_MIN);
	assert_true(r.outputs[0].noise[1] >= FLT_TRUE_MIN);
	ref_result_release(&r);
}

/* Mean noise relative to `size`, or to element 0 when that is 0, in unit roundoffs. */
static double roundings_against(const char *line, double size)
{
	struct ref_result r;
	double out;

	run_line(line, 8, 1, &r);
	out = mean_noise(&r) / (size > 0 ? size : fabs(r.outputs[0].value->tensor->f[0])) / 0x1p-24;
	ref_result_release(&r);
	return out;
}

static double roundings_of(const char *line)
{
	return roundings_against(line, 0);
}

/* The error of n equal terms added in float, one after the other, in roundings of the sum. */
static double drift_of(float term, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += term;
	return fabs((double)sum - n * (double)term) / (n * (double)term) / 0x1p-24;
}

/* Equal terms round in one direction: a sum of 4096 of them, added in order, is beyond what independent roundings
 * explain, and within what the noise of such sums is taken for.  Terms that differ have the noise of a sum in order,
 * √n/3 of the sum, where they have one sign, and that of a tree, √log₂ n of Σ|terms|, where they have both. */
static void test_drift(void **state)
{
	double equal = roundings_of("MatMul-13 f32[2,4096]@0.1:0.1 f32[4096,3]@0.3:0.3");
	double conv = roundings_of("Conv-11 f32[1,512,4,4]@0.1:0.1 f32[2,512,3,3]@0.3:0.3");
	double other = roundings_of("MatMul-13 f32[2,4096]@0.1:0.9 f32[4096,3]@0.3:0.3");
	double both = roundings_against("MatMul-13 f32[2,4096]@-0.9:0.9 f32[4096,3]@0.3:0.3", 4096 * 0.45 * 0.3);
	double largest = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		largest = fmax(largest, drift_of(0.03f + (float)i * 0.001f, 4096));
	assert_true(largest > 20 * other);
	assert_true(largest < 3 * equal);
	assert_true(equal > 500 && equal < 4096);
	assert_true(conv > 200 && conv < 2000);
	assert_true(fabs(other - 64.0 / 3) < 0.5);
	assert_true(both > 3 && both < 4);
}

/* Sums are long, and there is none of them: no operand has what their length promises. */
static void test_sums_of_nothing(void **state)
{
	static const char *const lines[] = {
		"MatMul-13 f32[0,1,4194304] f32[0,4194304,1]",
		"MatMul-13 f32[1,1,65536]@1:1 f32[0,65536,1]",
		"MatMul-13 f32[0,0,4194304] f32[0,4194304,0]",
		"Gemm-13 f32[0,65536] f32[65536,1]@1:1",
		"Conv-11 f32[0,65536,1] f32[1,65536,1]@1:1",
		"Einsum-12 f32[0,1,4194304] f32[0,4194304,1] equation=\"bij,bjk->bik\"",
	};
	struct ref_result r;

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		run_line(lines[i], 2, 7, &r);
		assert_int_equal(r.outputs[0].value->tensor->count, 0);
		ref_result_release(&r);
	}
}

/* Where a sum is cut off at 0, rounding may leave something of it; further away it does not. */
static void test_ends_of_hard_functions(void **state)
{
	struct ref_result r;

	(void)state;
	run_line("HardSwish-14 f32{-3,-3.1,-2.9}", 8, 1, &r);
	assert_true(r.outputs[0].noise[0] > 3e-8 && r.outputs[0].noise[0] < 1e-6);
	assert_true(r.outputs[0].noise[1] == 0);
	ref_result_release(&r);
	run_line("HardSigmoid-6 f32{-2.5,2.5,-2.6,2.6} alpha=0.2 beta=0.5", 8, 1, &r);
	assert_true(r.outputs[0].noise[0] > 1e-8 && r.outputs[0].noise[0] < 1e-6);
	assert_true(r.outputs[0].noise[1] > 1e-8);
	assert_true(r.outputs[0].noise[2] == 0 && r.outputs[0].noise[3] == 0);
	ref_result_release(&r);
}

static void test_seed_decides(void **state)
{
	const char *line = "RandomNormal-1 shape=[28]";
	struct ref_result a, b, c;

	(void)state;
	run_line(line, 8, 1, &a);
	run_line(line, 8, 1, &b);
	run_line(line, 8, 2, &c);
	assert_memory_equal(a.outputs[0].value->tensor->f, b.outputs[0].value->tensor->f, 28 * sizeof(double));
	assert_memory_not_equal(a.outputs[0].value->tensor->f, c.outputs[0].value->tensor->f, 28 * sizeof(double));
	ref_result_release(&a);
	ref_result_release(&b);
	ref_result_release(&c);
}

/* A convolution after a convolution, so that lanes travel: few, the usual, and many lanes measure the same. */
static struct model *two_convolutions(void)
{
	struct err e = ERR_INIT;
	struct op_case c;
	struct graph *g;
	struct node *n;
	struct wire *in[2];

	assert_int_equal(case_parse("Conv-11 f32[1,40,6,6] f32[40,40,3,3] pads=[1,1,1,1]", 3, &c, &e), 0);
	struct model *m;
	assert_int_equal(model_copy(c.model, &m, &e), 0);
	case_release(&c);
	g = m->graph;
	in[0] = graph_wire(g, "y0");
	in[1] = graph_wire(g, "x1");
	assert_int_equal(graph_append_node(g, "Conv", in, 2, "z", &n, &e), 0);
	graph_remove_output(g, in[0]);
	assert_int_equal(graph_add_output(g, n->out[0], &e), 0);
	return m;
}

static void test_lanes_agree(void **state)
{
	struct err e = ERR_INIT;
	struct model *m = two_convolutions();
	struct op_case c;
	struct ref *r;
	double few, usual, many;
	int runs[] = {3, 8, 40};
	double *means[] = {&few, &usual, &many};

	(void)state;
	assert_int_equal(case_parse("Conv-11 f32[1,40,6,6] f32[40,40,3,3] pads=[1,1,1,1]", 3, &c, &e), 0);
	assert_int_equal(ref_open(m, &r, &e), 0);
	for (int i = 0; i < 3; i++) {
		struct ref_options o = {.mode = REF_NOISY, .noise_runs = runs[i]};
		struct ref_result out;

		assert_int_equal(ref_run(r, c.inputs, c.n, &o, &out, &e), 0);
		*means[i] = mean_noise(&out);
		ref_result_release(&out);
	}
	ref_close(r);
	case_release(&c);
	model_free(m);
	assert_true(few > 0 && fabs(few / many - 1) < 0.25);
	assert_true(fabs(usual / many - 1) < 0.15);
}

/* Loop of three iterations whose body draws two random numbers; scan output [3,2]. */
static struct model *random_loop(void)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct graph *g, *body;
	struct wire *trip, *iter, *cond;
	struct node *n, *loop;
	struct type t = TYPE_INIT;
	struct tensor *three = tensor_scalar_i(DT_INT64, 3, &e);

	assert_int_equal(model_new(16, &m, &e), 0);
	g = m->graph;
	body = graph_new(m, g, "body");
	assert_non_null(body);
	type_set(&t, DT_INT64, 0, NULL);
	assert_int_equal(graph_add_input(body, "i", &t, &iter, &e), 0);
	type_set(&t, DT_BOOL, 0, NULL);
	assert_int_equal(graph_add_input(body, "go", &t, &cond, &e), 0);
	assert_int_equal(graph_append_node(body, "Identity", &cond, 1, "on", &n, &e), 0);
	assert_int_equal(graph_add_output(body, n->out[0], &e), 0);
	assert_int_equal(graph_append_node(body, "RandomUniform", NULL, 0, "r", &n, &e), 0);
	assert_int_equal(node_set_ints(n, "shape", (int64_t[]){2}, 1, &e), 0);
	assert_int_equal(graph_add_output(body, n->out[0], &e), 0);
	assert_int_equal(graph_add_init(g, "trip", tensor_pack(three, &e), &trip, &e), 0);
	tensor_unref(three);
	assert_int_equal(graph_append_node(g, "Loop", (struct wire *[]){trip, NULL}, 2, "rs", &loop, &e), 0);
	assert_int_equal(node_set_graph(loop, "body", body, &e), 0);
	assert_int_equal(graph_add_output(g, loop->out[0], &e), 0);
	return m;
}

static void test_random_in_a_loop(void **state)
{
	struct ref_options o = {.mode = REF_NOISY};
	struct model *m = random_loop();
	struct err e = ERR_INIT;
	struct ref_result out;
	struct ref *r;
	const double *x;

	(void)state;
	assert_int_equal(ref_open(m, &r, &e), 0);
	assert_int_equal(ref_run(r, NULL, 0, &o, &out, &e), 0);
	x = out.outputs[0].value->tensor->f;
	assert_true(x[0] != x[2] && x[2] != x[4] && x[0] != x[4]);
	for (int i = 0; i < 6; i++) /* the lanes draw what the exact run drew */
		assert_true((double)out.outputs[0].noise[i] <= 1e-6);
	ref_result_release(&out);
	ref_close(r);
	model_free(m);
}

/* Words by index, the index a sum of 1/4 and 3/4 as an integer: less than 1 in some lanes. */
static struct model *words_by_sum(void)
{
	static const int64_t two[] = {2}, many[] = {16};
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct tensor *words = tensor_new(DT_STRING, 1, two, &e), *x[2];
	struct wire *w[3];
	struct node *n;

	assert_int_equal(model_new(17, &m, &e), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(tensor_set_string(words, i, i ? "one" : "none", i ? 3 : 4, &e), 0);
		x[i] = tensor_new(DT_FLOAT, 1, many, &e);
		for (size_t k = 0; k < x[i]->count; k++)
			x[i]->f[k] = i ? 0.75 : 0.25;
		assert_int_equal(graph_add_init(m->graph, i ? "b" : "a", x[i], &w[i], &e), 0);
	}
	assert_int_equal(graph_add_init(m->graph, "words", words, &w[2], &e), 0);
	assert_int_equal(graph_append_node(m->graph, "Add", w, 2, "sum", &n, &e), 0);
	w[0] = n->out[0];
	assert_int_equal(graph_append_node(m->graph, "Cast", w, 1, "index", &n, &e), 0);
	assert_int_equal(node_set_int(n, "to", DT_INT64, &e), 0);
	w[0] = w[2];
	w[1] = n->out[0];
	assert_int_equal(graph_append_node(m->graph, "Gather", w, 2, "y", &n, &e), 0);
	assert_int_equal(graph_add_output(m->graph, n->out[0], &e), 0);
	return m;
}

static void test_strings_that_flip(void **state)
{
	struct ref_options o = {.mode = REF_NOISY};
	struct model *m = words_by_sum();
	struct err e = ERR_INIT;
	struct ref_result out;
	struct ref *r;
	int open = 0;

	(void)state;
	assert_int_equal(ref_open(m, &r, &e), 0);
	assert_int_equal(ref_run(r, NULL, 0, &o, &out, &e), 0);
	assert_non_null(out.outputs[0].noise);
	for (int i = 0; i < 16; i++)
		open += isinf(out.outputs[0].noise[i]) != 0;
	assert_true(open > 12);
	ref_result_release(&out);
	ref_close(r);
	model_free(m);
}

/* The same count as one pair at a time, for parts that are shorter and longer than a block, in both types. */
static void test_changes_are_counted(void **state)
{
	enum { OUTER = 3, MOST_INNER = 150, LENGTH = 90 };
	static double x[OUTER * LENGTH * MOST_INNER];
	static float y[OUTER * LENGTH * MOST_INNER];
	static const size_t inners[] = {1, 2, 63, 64, 65, MOST_INNER};

	(void)state;
	for (size_t t = 0; t < sizeof inners / sizeof *inners; t++) {
		size_t inner = inners[t], worst = 0;

		for (size_t i = 0; i < OUTER * LENGTH * inner; i++)
			y[i] = (float)(x[i] = (i * 2654435761u >> 7) % (13 * inner) ? 1 : 2);
		for (size_t part = 0; part < OUTER; part++) {
			size_t changes = 0;

			for (size_t k = 1; k < LENGTH; k++) {
				const double *here = x + (part * LENGTH + k) * inner;

				changes += memcmp(here, here - inner, inner * sizeof *here) != 0;
			}
			worst = changes > worst ? changes : worst;
		}
		assert_true(worst > 3 && worst < LENGTH);
		assert_int_equal(drift_changes((struct reals){.f64 = x}, OUTER, LENGTH, inner, LENGTH), worst);
		assert_int_equal(drift_changes((struct reals){.f32 = y}, OUTER, LENGTH, inner, LENGTH), worst);
		assert_int_equal(drift_changes((struct reals){.f64 = x}, OUTER, LENGTH, inner, 2), 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_rounding),
		cmocka_unit_test(test_subnormal_floor),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_changes_are_counted),
		cmocka_unit_test(test_sums_of_nothing),
		cmocka_unit_test(test_ends_of_hard_functions),
		cmocka_unit_test(test_seed_decides),
		cmocka_unit_test(test_lanes_agree),
		cmocka_unit_test(test_random_in_a_loop),
		cmocka_unit_test(test_strings_that_flip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
