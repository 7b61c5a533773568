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
#include "support/networks.h"
#include "support/trials.h"

/* x[8,32] → MatMul → Relu → MatMul → Add: 8 × 24 numbers. */
static struct trial layers(void)
{
	struct model *m = net_begin((int64_t[]){8, 32}, 2);

	NET_WEIGHTS(m->graph, "w1", -0.5, 0.5, 32, 48);
	NET_WEIGHTS(m->graph, "w2", -0.5, 0.5, 48, 24);
	NET_WEIGHTS(m->graph, "b", -0.5, 0.5, 24);
	net_add(m->graph, "MatMul", "x w1", "h");
	net_add(m->graph, "Relu", "h", "r");
	net_add(m->graph, "MatMul", "r w2", "p");
	net_add(m->graph, "Add", "p b", "y");
	return net_finish(m, "y", net_random(5, 2, (int64_t[]){8, 32}, -1, 1));
}

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

/* What a library in some precision gives, changed by `fault` unless that is NULL. */
typedef void fault_fn(struct tensor *y, const struct tensor *exact);

static enum verdict judge_party(struct trial *t, struct party *p, const struct judge_options *options,
				const struct ref_options *as, fault_fn *fault, const char **by)
{
	struct outcome o = {.n = 1, .values = mem_array(1, sizeof(struct value *))};
	struct ref_result r;
	struct err e = ERR_INIT;
	enum verdict v;

	assert_int_equal(trial_truth(t, &e), 0);
	assert_int_equal(ref_run(t->ref, t->inputs, 1, as, &r, &e), 0);
	if (fault)
		fault(r.outputs[0].value->tensor, t->truth.outputs[0].value->tensor);
	o.values[0] = value_tensor(tensor_pack(r.outputs[0].value->tensor, &e), &e);
	ref_result_release(&r);
	assert_int_equal(trial_judge_values(t, p, options, &o, &e), 0);
	assert_int_equal(trial_doubt(t, options, DOUBT_FULL, &o, &e), 0);
	assert_int_equal(trial_explain(t, p, options, &o, &e), 0);
	v = o.verdict;
	*by = o.explained_by ? o.explained_by : "";
	outcome_release(&o);
	return v;
}

static enum verdict judge(struct trial *t, const struct ref_options *as, fault_fn *fault, const char **by)
{
	struct party nobody = {0};

	return judge_party(t, &nobody, NULL, as, fault, by);
}

static void one_far(struct tensor *y, const struct tensor *exact)
{
	y->f[7] = exact->f[7] * 1.25;
}

static void one_near(struct tensor *y, const struct tensor *exact)
{
	y->f[7] = exact->f[7] * (1 + 0x1p-7);
}

static void all_larger(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	for (size_t i = 0; i < y->count; i++)
		y->f[i] = dtype_round(DT_BFLOAT16, y->f[i] * 1.06, 0);
}

static void not_a_number(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	y->f[3] = (double)NAN;
}

/* ---- precisions -------------------------------------------------------------------------------------------------- */

static void test_precisions(void **state)
{
	static const struct {
		enum ref_precision as;
		fault_fn *fault;
		enum verdict verdict;
		const char *by;
	} cases[] = {
		{REF_OWN, NULL, VERDICT_ROUNDING, ""},
		{REF_BF16, NULL, VERDICT_EXPLAINED, "bfloat16"},
		{REF_F16, NULL, VERDICT_EXPLAINED, "float16"},
		/* faults of a library in bfloat16 */
		{REF_BF16, one_far, VERDICT_WRONG, ""},
		{REF_BF16, all_larger, VERDICT_WRONG, ""},
		{REF_BF16, not_a_number, VERDICT_NAN, ""},
		/* faults of a library in float32 that are no larger than roundings of bfloat16 */
		{REF_OWN, one_near, VERDICT_WRONG, ""},
		{REF_F16, one_near, VERDICT_WRONG, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED, .precision = cases[i].as};
		struct trial t = layers();
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
	struct trial t = layers();
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
		fault_fn *fault;
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
		fault_fn *fault;
		int strict;
		enum verdict verdict;
	} cases[] = {
		{REF_OWN, NULL, 0, VERDICT_ROUNDING},  {REF_F16, NULL, 0, VERDICT_ROUNDING},
		{REF_F16, NULL, 1, VERDICT_WRONG},     {REF_BF16, NULL, 0, VERDICT_WRONG}, /* eight times as far */
		{REF_F16, one_far, 0, VERDICT_WRONG},  {REF_F16, not_a_number, 0, VERDICT_NAN},
		{REF_OWN, one_near, 0, VERDICT_WRONG}, /* in float32, but for one */
	};
	struct party p = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "f16", &e), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED, .precision = cases[i].as};
		const struct judge_options options = {.strict = cases[i].strict};
		struct trial t = layers();
		const char *by;

		assert_int_equal(judge_party(&t, &p, &options, &as, cases[i].fault, &by), cases[i].verdict);
		assert_string_equal(by, "");
		trial_release(&t);
	}
	spec_release(&p.spec);
}

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
		fault_fn *fault;
		enum verdict verdict;
	} cases[] = {
		{REF_INT8, NULL, VERDICT_ROUNDING},    {REF_F16, NULL, VERDICT_ROUNDING},
		{REF_INT8, shifted, VERDICT_WRONG},    {REF_INT8, saturated, VERDICT_WRONG},
		{REF_INT8, scaled, VERDICT_WRONG},     {REF_OWN, shifted, VERDICT_WRONG},
		{REF_INT8, not_a_number, VERDICT_NAN}, {REF_OWN, one_near, VERDICT_ROUNDING},
	};
	struct party p = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_set_option(&p.spec, PARTY_LOWERS, "int8", &e), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ref_options as = {.mode = REF_ROUNDED, .precision = cases[i].as};
		struct trial t = layers();
		const char *by;
		enum verdict v = judge_party(&t, &p, NULL, &as, cases[i].fault, &by);

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

		assert_int_equal(judge_party(&t, &p, &options, &as, not_a_number, &by), cases[i].verdict);
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
	assert_int_equal(judge_party(&t, &p, NULL, &as, nudged, &by), VERDICT_ROUNDING);
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

		assert_int_equal(judge_party(&t, &p, NULL, &as, infinite, &by), cases[i].verdict);
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
		cmocka_unit_test(test_divided),        cmocka_unit_test(test_stored_for_all),
		cmocka_unit_test(test_counts_stay),    cmocka_unit_test(test_precisions),
		cmocka_unit_test(test_lowered),        cmocka_unit_test(test_strict),
		cmocka_unit_test(test_steps),          cmocka_unit_test(test_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
