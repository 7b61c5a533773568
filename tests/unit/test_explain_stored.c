/* test_explain_stored.c - answers of a party that stores numbers in eight bits, each beside a fault of the same look.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "judge/explain.h"
#include "support/explained.h"
#include "support/networks.h"
#include "support/trials.h"

static double range_of(const struct tensor *t, double *low)
{
	double high = *low = t->f[0];

	for (size_t i = 1; i < t->count; i++) {
		*low = fmin(*low, t->f[i]);
		high = fmax(high, t->f[i]);
	}
	return high - *low;
}

/* As with a zero point that is a few steps off. */
static void shifted(struct tensor *y, const struct tensor *exact)
{
	double low, range = range_of(exact, &low);

	for (size_t i = 0; i < y->count; i++)
		y->f[i] += 0.1 * range;
}

/* As with a range that does not reach as far as the numbers. */
static void saturated(struct tensor *y, const struct tensor *exact)
{
	double low, range = range_of(exact, &low);

	for (size_t i = 0; i < y->count; i++)
		y->f[i] = fmin(y->f[i], low + 0.7 * range);
}

/* As with a scale for another tensor. */
static void scaled(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	for (size_t i = 0; i < y->count; i++)
		y->f[i] *= 1.25;
}

/* What a quantizer makes of numbers is no fault, and what it gets wrong is one. */
static void test_quantized(void **state)
{
	static const struct {
		enum ref_precision as;
		explained_fault *fault;
		enum verdict verdict;
	} cases[] = {
		{REF_INT8, NULL, VERDICT_ROUNDING},
		{REF_F16, NULL, VERDICT_ROUNDING},
		{REF_INT8, shifted, VERDICT_WRONG},
		{REF_INT8, saturated, VERDICT_WRONG},
		{REF_INT8, scaled, VERDICT_WRONG},
		{REF_OWN, shifted, VERDICT_WRONG},
		{REF_INT8, explained_not_a_number, VERDICT_NAN},
		{REF_OWN, explained_one_near, VERDICT_ROUNDING},
	};
	struct party p = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "int8", &e), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED, .precision = cases[i].as};
		struct trial t = explained_layers();
		const char *by;
		enum verdict v = explained_judge(&t, &p, NULL, &as, cases[i].fault, &by);

		if (v != cases[i].verdict)
			fail_msg("case %zu: %s", i, verdict_name(v));
		trial_release(&t);
	}
	spec_release(&p.spec);
}

/* x[8] → Sub → Log, which is -inf, and by way of `between` to a Concat, which a quantizer knows. */
static struct trial with_infinity(const char *between)
{
	struct model *m = net_begin((int64_t[]){8}, 1);
	struct err e = ERR_INIT;

	net_add(m->graph, "Sub", "x x", "zero");
	net_add(m->graph, "Log", "zero", "infinite");
	net_add(m->graph, between, "infinite", "t");
	assert_int_equal(node_set_int(net_add(m->graph, "Concat", "x t", "y"), "axis", 0, &e), 0);
	return net_finish(m, "y", net_random(5, 1, (int64_t[]){8}, 0.5, 1));
}

/* Eight bits have no infinity: what becomes of one that is stored in them is open, and of all else it is not. */
static void test_unranged(void **state)
{
	static const struct {
		const char *between;
		int strict;
		enum verdict verdict;
	} cases[] = {
		{"Neg", 0, VERDICT_UNSPECIFIED},
		{"Neg", 1, VERDICT_NAN}, /* Concat stores it */
		{"Exp", 0, VERDICT_NAN}, /* Log and Exp do not */
	};
	struct party p = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "int8", &e), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED};
		const struct judge_options options = {.strict = cases[i].strict};
		struct trial t = with_infinity(cases[i].between);
		const char *by;

		assert_int_equal(explained_judge(&t, &p, &options, &as, explained_not_a_number, &by), cases[i].verdict);
		trial_release(&t);
	}
	spec_release(&p.spec);
}

/* As of steps that begin at another place. */
static void nudged(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	for (size_t i = 0; i < y->count; i++)
		y->f[i] += 0.4 * 2 / 255;
}

/* An output of texts, which are right, beside one of numbers. */
static void test_beside_texts(void **state)
{
	const struct ref_options as = {.mode = REF_ROUNDED, .precision = REF_INT8};
	struct model *m = net_begin((int64_t[]){64}, 1);
	struct party p = {0};
	struct err e = ERR_INIT;
	struct trial t;
	const char *by;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "int8", &e), 0);
	NET_WEIGHTS(m->graph, "w", -1, 1, 64);
	net_add(m->graph, "Shape", "x", "shape");
	assert_int_equal(node_set_int(net_add(m->graph, "Cast", "shape", "text"), "to", 8, &e), 0);
	assert_int_equal(graph_add_output(m->graph, graph_wire(m->graph, "text"), &e), 0);
	net_add(m->graph, "Mul", "x w", "y");
	t = net_finish(m, "y", net_random(5, 1, (int64_t[]){64}, -1, 1));
	assert_int_equal(explained_judge(&t, &p, NULL, &as, NULL, &by), VERDICT_ROUNDING);
	trial_release(&t);
	spec_release(&p.spec);
}

/* Two numbers that are stored one after the other: half steps that are nothing together say nothing of the answer. */
static void test_half_steps(void **state)
{
	const struct ref_options as = {.mode = REF_ROUNDED, .precision = REF_INT8};
	struct model *m = net_begin((int64_t[]){4096}, 1);
	struct party p = {0};
	struct err e = ERR_INIT;
	struct trial t;
	const char *by;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "int8", &e), 0);
	net_add(m->graph, "Neg", "x", "t");
	assert_int_equal(node_set_int(net_add(m->graph, "Concat", "t t", "y"), "axis", 0, &e), 0);
	t = net_finish(m, "y", net_random(5, 1, (int64_t[]){4096}, -1, 1));
	assert_int_equal(explained_judge(&t, &p, NULL, &as, nudged, &by), VERDICT_ROUNDING);
	trial_release(&t);
	spec_release(&p.spec);
}

static void infinite(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	y->f[3] = (double)INFINITY;
}

/* x[8] → Add → Reciprocal: with 1000 beside it 0.5 is less than half a step, and without it is not. */
static struct trial divided(double most)
{
	struct model *m = net_begin((int64_t[]){8}, 1);
	struct tensor *x = net_random(5, 1, (int64_t[]){8}, 0.4, 0.5);
	struct err e = ERR_INIT;
	struct tensor *w = tensor_new(DT_FLOAT, 1, (int64_t[]){8}, &e);

	for (int i = 0; i < 8; i++)
		w->f[i] = i ? 0 : most;
	assert_int_equal(graph_add_init(m->graph, "w", w, NULL, &e), 0);
	net_add(m->graph, "Add", "x w", "t");
	net_add(m->graph, "Reciprocal", "t", "y");
	return net_finish(m, "y", x);
}

/* Which numbers are 0 in steps is chance, and so is what a division by them gives. */
static void test_divided(void **state)
{
	static const struct {
		double most;
		enum verdict verdict;
	} cases[] = {{1000, VERDICT_ROUNDING}, {1, VERDICT_NAN}};
	const struct ref_options as = {.mode = REF_ROUNDED};
	struct party p = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "int8", &e), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trial t = divided(cases[i].most);
		const char *by;

		assert_int_equal(explained_judge(&t, &p, NULL, &as, infinite, &by), cases[i].verdict);
		trial_release(&t);
	}
	spec_release(&p.spec);
}

/* A tensor that a quantizer stores is in steps for a node, too, that it does not know. */
static void test_stored_for_all(void **state)
{
	const struct ref_options o = {.mode = REF_NOISY, .precision = REF_INT8};
	struct model *m = net_begin((int64_t[]){8}, 1);
	struct ref_result r;
	struct err e = ERR_INIT;
	struct trial t;

	(void)state;
	NET_WEIGHTS(m->graph, "w", -1, 1, 8);
	net_add(m->graph, "Exp", "x", "t");
	net_add(m->graph, "Add", "t w", "stored");
	net_add(m->graph, "Neg", "t", "y");
	t = net_finish(m, "y", net_random(5, 1, (int64_t[]){8}, 0.5, 1));
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_int_equal(ref_run(t.ref, t.inputs, 1, &o, &r, &e), 0);
	for (size_t i = 0; i < 8; i++)
		assert_true((double)r.outputs[0].noise[i] > 0.1 * exp(0.5) / 255);
	ref_result_release(&r);
	trial_release(&t);
}

/* A count n alone ends its own range, so that storing it changes nothing: Range makes n elements from it. */
static void add_counted(struct graph *g, const char *count)
{
	struct err e = ERR_INIT;
	struct tensor *zero = tensor_new(DT_FLOAT, 0, NULL, &e), *one = tensor_new(DT_FLOAT, 0, NULL, &e);
	char ports[64];

	zero->f[0] = 0;
	one->f[0] = 1;
	assert_int_equal(graph_add_init(g, "zero", zero, NULL, &e), 0);
	assert_int_equal(graph_add_init(g, "one", one, NULL, &e), 0);
	snprintf(ports, sizeof ports, "zero %s one", count);
	net_add(g, "Range", ports, "steps");
	snprintf(ports, sizeof ports, "steps %s", count);
	net_add(g, "Mul", ports, "y");
}

/* How many elements of x, or x itself, is that count. */
static void test_counts_stay(void **state)
{
	static const int64_t dims[] = {5};
	const struct ref_options o = {.mode = REF_NOISY, .precision = REF_INT8};

	(void)state;
	for (int given = 0; given < 2; given++) {
		struct model *m = net_begin(dims, !given);
		struct ref_result r;
		struct err e = ERR_INIT;
		struct trial t;

		if (!given) {
			net_add(m->graph, "Size", "x", "size");
			assert_int_equal(node_set_int(net_add(m->graph, "Cast", "size", "n"), "to", DT_FLOAT, &e), 0);
		}
		add_counted(m->graph, given ? "x" : "n");
		t = net_finish(m, "y", net_random(5, !given, dims, 5, 5));
		assert_int_equal(trial_truth(&t, &e), 0);
		assert_int_equal(ref_run(t.ref, t.inputs, 1, &o, &r, &e), 0);
		for (size_t i = 1; i < 5; i++)
			assert_true(isfinite(r.outputs[0].noise[i]) && r.outputs[0].noise[i] > 0);
		ref_result_release(&r);
		trial_release(&t);
	}
}

/* What is made of stored numbers is stored anew: the one element that ends its range moves by that as well. */
static void test_made_of_stored(void **state)
{
	const struct ref_options o = {.mode = REF_NOISY, .precision = REF_INT8};
	struct model *m = net_begin((int64_t[]){1}, 1);
	struct ref_result r;
	struct err e = ERR_INIT;
	struct trial t;

	(void)state;
	NET_WEIGHTS(m->graph, "w", 1e-6, 1e-6, 1);
	net_add(m->graph, "Add", "x w", "y");
	t = net_finish(m, "y", net_random(5, 1, (int64_t[]){1}, 1, 1));
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_int_equal(ref_run(t.ref, t.inputs, 1, &o, &r, &e), 0);
	assert_true((double)r.outputs[0].noise[0] > 0.2 / 255);
	ref_result_release(&r);
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_of_stored), cmocka_unit_test(test_quantized),
		cmocka_unit_test(test_unranged),       cmocka_unit_test(test_half_steps),
		cmocka_unit_test(test_divided),        cmocka_unit_test(test_beside_texts),
		cmocka_unit_test(test_stored_for_all), cmocka_unit_test(test_counts_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
