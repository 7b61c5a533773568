/* test_explain.c - wrong numbers that a lower precision or one quantization step explains, each beside a fault of the
 * same look that stays wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "blame/blame.h"
#include "judge/explain.h"
#include "support/explained.h"
#include "support/networks.h"
#include "support/trials.h"

/* A scale of 0.017 and a zero point of 0. */
static void add_steps(struct graph *g)
{
	struct err e = ERR_INIT;
	struct tensor *scale = tensor_new(DT_FLOAT, 0, NULL, &e), *zero = tensor_new(DT_INT8, 0, NULL, &e);

	scale->f[0] = (double)0.017f;
	zero->i[0] = 0;
	assert_int_equal(graph_add_init(g, "s", scale, NULL, &e), 0);
	assert_int_equal(graph_add_init(g, "z", zero, NULL, &e), 0);
}

/* x[64,16] times a matrix, in steps of 0.017. */
static struct trial quantized(void)
{
	struct model *m = net_begin((int64_t[]){64, 16}, 2);

	add_steps(m->graph);
	NET_WEIGHTS(m->graph, "w", -0.3, 0.3, 16, 32);
	net_add(m->graph, "MatMul", "x w", "h");
	net_add(m->graph, "QuantizeLinear", "h s z", "q");
	return net_finish(m, "q", net_random(5, 2, (int64_t[]){64, 16}, -1, 1));
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static enum verdict judge(struct trial *t, const struct ref_options *as, explained_fault *fault, const char **by)
{
	struct party nobody = {0};

	return explained_judge(t, &nobody, NULL, as, fault, by);
}

static void one_far(struct tensor *y, const struct tensor *exact)
{
	y->f[7] = exact->f[7] * 1.25;
}

static void all_larger(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	for (size_t i = 0; i < y->count; i++)
		y->f[i] = dtype_round(DT_BFLOAT16, y->f[i] * 1.06, 0);
}

/* ---- precisions -------------------------------------------------------------------------------------------------- */

static void test_precisions(void **state)
{
	static const struct {
		enum ref_precision as;
		explained_fault *fault;
		enum verdict verdict;
		const char *by;
	} cases[] = {
		{REF_OWN, NULL, VERDICT_ROUNDING, ""},
		{REF_BF16, NULL, VERDICT_EXPLAINED, "bfloat16"},
		{REF_F16, NULL, VERDICT_EXPLAINED, "float16"},
		/* faults of a library in bfloat16 */
		{REF_BF16, one_far, VERDICT_WRONG, ""},
		{REF_BF16, all_larger, VERDICT_WRONG, ""},
		{REF_BF16, explained_not_a_number, VERDICT_NAN, ""},
		/* faults of a library in float32 that are no larger than roundings of bfloat16 */
		{REF_OWN, explained_one_near, VERDICT_WRONG, ""},
		{REF_F16, explained_one_near, VERDICT_WRONG, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED, .precision = cases[i].as};
		struct trial t = explained_layers();
		const char *by;
		enum verdict v = judge(&t, &as, cases[i].fault, &by);

		if (v != cases[i].verdict && !(cases[i].as == REF_OWN && v == VERDICT_AGREE))
			fail_msg("case %zu: %s, explained by '%s'", i, verdict_name(v), by);
		assert_string_equal(by, cases[i].by);
		trial_release(&t);
	}
}

/* A library that is asked to be strict is told what it gives. */
static void test_strict(void **state)
{
	const struct ref_options as = {.mode = REF_ROUNDED, .precision = REF_BF16};
	const struct judge_options strict = {.strict = 1};
	struct outcome o = {.verdict = VERDICT_WRONG};
	struct party nobody = {0};
	struct trial t = explained_layers();
	struct err e = ERR_INIT;
	const char *by;

	(void)state;
	assert_int_equal(judge(&t, &as, NULL, &by), VERDICT_EXPLAINED);
	assert_int_equal(trial_explain(&t, &nobody, &strict, &o, &e), 0);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	trial_release(&t);
}

/* ---- quantization steps ------------------------------------------------------------------------------------------ */

static const struct tensor *before_steps; /* quotients, exact */

/* Those next to a half go the other way. */
static void near_halves(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	for (size_t i = 0; i < y->count; i++) {
		double q = before_steps->f[i] / (double)0.017f, fraction = q - floor(q);

		if (fabs(fraction - 0.5) < 0.02 && fabs(q) < 126)
			y->i[i] = (int64_t)(fraction < 0.5 ? ceil(q) : floor(q));
	}
}

/* Cut off in place of rounded: half of them are a step lower. */
static void cut_off(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	for (size_t i = 0; i < y->count; i++)
		y->i[i] = (int64_t)fmax(-128, fmin(127, floor(before_steps->f[i] / (double)0.017f)));
}

static void all_higher(struct tensor *y, const struct tensor *exact)
{
	for (size_t i = 0; i < y->count; i++)
		y->i[i] = exact->i[i] + (exact->i[i] < 127);
}

static void two_steps(struct tensor *y, const struct tensor *exact)
{
	y->i[5] = exact->i[5] + (exact->i[5] > 0 ? -2 : 2);
}

static void test_steps(void **state)
{
	static const struct {
		explained_fault *fault;
		enum verdict verdict;
	} cases[] = {{near_halves, VERDICT_EXPLAINED},
		     {cut_off, VERDICT_WRONG},
		     {all_higher, VERDICT_WRONG},
		     {two_steps, VERDICT_WRONG}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED}, exact = {.mode = REF_EXACT};
		struct trial t = quantized(), whole = quantized();
		struct err e = ERR_INIT;
		struct ref_result r;
		const char *by;
		enum verdict v;

		assert_int_equal(graph_add_output(whole.model->graph, graph_wire(whole.model->graph, "h"), &e), 0);
		assert_int_equal(trial_truth(&whole, &e), 0);
		assert_int_equal(ref_run(whole.ref, whole.inputs, 1, &exact, &r, &e), 0);
		before_steps = r.outputs[1].value->tensor;
		v = judge(&t, &as, cases[i].fault, &by);
		if (v != cases[i].verdict)
			fail_msg("case %zu: %s", i, verdict_name(v));
		if (v == VERDICT_EXPLAINED)
			assert_string_equal(by, "one quantization step");
		ref_result_release(&r);
		trial_release(&whole);
		trial_release(&t);
	}
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* x + Sigmoid(x) / 1000 in steps of 0.017: what a wrong Sigmoid makes of it is a step, of few numbers. */
static struct trial hiding(void)
{
	struct model *m = net_begin((int64_t[]){64, 64}, 2);

	add_steps(m->graph);
	NET_WEIGHTS(m->graph, "little", 0.001, 0.001, 1);
	net_add(m->graph, "Sigmoid", "x", "g");
	net_add(m->graph, "Mul", "g little", "l");
	net_add(m->graph, "Add", "x l", "h");
	net_add(m->graph, "QuantizeLinear", "h s z", "q");
	return net_finish(m, "q", net_random(5, 2, (int64_t[]){64, 64}, -2, 2));
}

static void test_nodes(void **state)
{
	static const struct {
		const char *backend, *guilty;
	} cases[] = {{"fault:sigmoid_hard", "g"}, {"fault:relu6", NULL}, {"fault:relu6+precision=bf16", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trial t = hiding();
		struct party p = trials_open(cases[i].backend);
		struct outcome o = {0};
		struct blame_request q = {.trial = &t, .accused = &p, .outcome = &o, .seconds = 60};
		const struct node *guilty;
		struct err e = ERR_INIT;

		if (trial_judge(&t, &p, NULL, &o, &e) || trial_doubt(&t, NULL, DOUBT_QUICK, &o, &e) ||
		    trial_explain(&t, &p, NULL, &o, &e) || blame_alone(&q, &guilty, &e))
			fail_msg("%s", e.msg);
		if (i == 0)
			assert_true(o.verdict == VERDICT_EXPLAINED || o.doubtful);
		assert_false(verdict_is_finding(o.verdict));
		if (cases[i].guilty) {
			assert_non_null(guilty);
			assert_string_equal(guilty->name, cases[i].guilty);
		} else {
			assert_null(guilty);
		}
		outcome_release(&o);
		party_close(&p);
		trial_release(&t);
	}
}

/* A party that is there to lower the precision: its own roundings are those of that precision, and only these. */
static void test_lowered(void **state)
{
	static const struct {
		enum ref_precision as;
		explained_fault *fault;
		int strict;
		enum verdict verdict;
	} cases[] = {
		{REF_OWN, NULL, 0, VERDICT_ROUNDING},
		{REF_F16, NULL, 0, VERDICT_ROUNDING},
		{REF_F16, NULL, 1, VERDICT_WRONG},
		{REF_BF16, NULL, 0, VERDICT_WRONG}, /* eight times as far */
		{REF_F16, one_far, 0, VERDICT_WRONG},
		{REF_F16, explained_not_a_number, 0, VERDICT_NAN},
		{REF_OWN, explained_one_near, 0, VERDICT_WRONG}, /* in float32, but for one */
	};
	struct party p = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "f16", &e), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED, .precision = cases[i].as};
		const struct judge_options options = {.strict = cases[i].strict};
		struct trial t = explained_layers();
		const char *by;

		assert_int_equal(explained_judge(&t, &p, &options, &as, cases[i].fault, &by), cases[i].verdict);
		assert_string_equal(by, "");
		trial_release(&t);
	}
	spec_release(&p.spec);
}

/* Numbers that are 0 in the precision: how many are not decides the size of what comes out. */
static struct trial vanishing(void)
{
	struct model *m = net_begin((int64_t[]){8}, 1);
	struct tensor *x = net_random(5, 1, (int64_t[]){8}, 1, 2);

	x->f[2] = x->f[5] = 1e-30;
	net_add(m->graph, "NonZero", "x", "y");
	return net_finish(m, "y", x);
}

static void another_place(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	y->i[3]++;
}

static void test_vanished(void **state)
{
	static const struct {
		enum ref_precision as;
		explained_fault *fault;
		enum verdict verdict;
	} cases[] = {
		{REF_F16, NULL, VERDICT_ROUNDING},
		{REF_F16, another_place, VERDICT_WRONG},
		{REF_OWN, another_place, VERDICT_WRONG},
	};
	struct party p = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "f16", &e), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED, .precision = cases[i].as};
		struct trial t = vanishing();
		const char *by;

		assert_int_equal(explained_judge(&t, &p, NULL, &as, cases[i].fault, &by), cases[i].verdict);
		trial_release(&t);
	}
	spec_release(&p.spec);
}

/* Integers that a double has not the places for. */
static struct trial large(void)
{
	struct model *m = net_begin((int64_t[]){4}, 1);
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_INT64, 1, (int64_t[]){4}, &e);

	assert_non_null(t);
	for (size_t i = 0; i < t->count; i++)
		t->i[i] = (int64_t)(i + 1) << 60;
	assert_int_equal(graph_add_init(m->graph, "large", t, NULL, &e), 0);
	assert_int_equal(node_set_int(net_add(m->graph, "Cast", "x", "whole"), "to", DT_INT64, &e), 0);
	net_add(m->graph, "Add", "whole large", "y");
	return net_finish(m, "y", net_random(5, 1, (int64_t[]){4}, 1, 2));
}

/* No precision makes another integer of one. */
static void test_last_places(void **state)
{
	const struct ref_options as = {.mode = REF_ROUNDED, .precision = REF_F16};
	struct party p = {0};
	struct err e = ERR_INIT;
	const char *by;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "f16", &e), 0);
	for (int wrong = 0; wrong < 2; wrong++) {
		struct trial t = large();

		assert_int_equal(explained_judge(&t, &p, NULL, &as, wrong ? another_place : NULL, &by),
				 wrong ? VERDICT_WRONG : VERDICT_AGREE);
		trial_release(&t);
	}
	spec_release(&p.spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precisions),  cmocka_unit_test(test_lowered), cmocka_unit_test(test_strict),
		cmocka_unit_test(test_steps),       cmocka_unit_test(test_nodes),   cmocka_unit_test(test_vanished),
		cmocka_unit_test(test_last_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
