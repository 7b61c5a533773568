/* test_trial.c - cases, parties and verdicts: the reference, planted faults, a worker that misbehaves, ONNX Runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "judge/trial.h"
#include "model/case.h"
#include "support/protos.h"
#include "support/workers.h"
#include "worker/parent/quirks.h"

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static struct trial make(const char *line)
{
	struct op_case c;
	struct err e = ERR_INIT;
	struct trial t = {0};

	if (case_parse(line, 7, &c, &e) || trial_init(&t, c.model, c.inputs, 7, &e))
		fail_msg("%s: %s", line, e.msg);
	return t;
}

static struct party open_party(const char *name)
{
	struct err e = ERR_INIT;
	struct party p;

	if (party_open(&p, name, NULL, &e))
		fail_msg("%s: %s", name, e.msg);
	return p;
}

/* The worker of tests/support, told what RUN is to do. */
static struct party open_faulty(const char *run, const struct worker_limits *limits)
{
	struct backend_option options[] = {{"model", "any"}, {"run", run}};
	struct worker_spec s = fault_spec();
	struct err e = ERR_INIT;
	struct party p;

	s.backend = "faulty";
	s.options = options;
	s.n_options = 2;
	if (party_open_spec(&p, &s, limits, &e))
		fail_msg("%s: %s", run, e.msg);
	return p;
}

static void judge(struct trial *t, struct party *p, enum verdict wanted, struct outcome *o)
{
	struct err e = ERR_INIT;

	if (trial_judge(t, p, NULL, o, &e))
		fail_msg("%s: %s", p->spec.name, e.msg);
	if (o->verdict != wanted)
		fail_msg("%s: %s (%s), wanted %s", p->spec.name, verdict_name(o->verdict), o->reason,
			 verdict_name(wanted));
}

static void check(const char *line, const char *backend, enum verdict wanted)
{
	struct trial t = make(line);
	struct party p = open_party(backend);
	struct outcome o;

	judge(&t, &p, wanted, &o);
	assert_true(wanted == VERDICT_AGREE ? !*o.reason : *o.reason);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static void test_reference_agrees(void **state)
{
	(void)state;
	check("Abs-13 f32[3,4]", "reference", VERDICT_AGREE);
	check("TopK-11 f32[3,5] i64{3} -> 2", "reference", VERDICT_AGREE);
}

static void test_faults_are_findings(void **state)
{
	(void)state;
	check("Conv-11 f32[1,2,6,6] f32[3,2,3,3] f32[3] pads=[1,0,0,1]", "fault:pads_swapped", VERDICT_WRONG);
	check("Exp-13 f32[3,4]", "fault:pads_swapped", VERDICT_AGREE);
	check("Softmax-13 f32{800,1,2}[1,3]", "fault:softmax_overflow", VERDICT_NAN);
}

static void test_numbers_of_a_finding(void **state)
{
	struct trial t = make("Sign-13 f32{-1,0,2}");
	struct party p = open_party("fault:sign_of_zero");
	struct outcome o;

	(void)state;
	judge(&t, &p, VERDICT_WRONG, &o);
	assert_int_equal(o.n, 1);
	assert_int_equal(o.judged[0].worst, 1);
	assert_int_equal(o.judged[0].beyond, 1);
	assert_true(o.judged[0].exact == 0);
	assert_non_null(strstr(o.reason, "element 1 is"));
	assert_false(o.values[0]->tensor->wide);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

static void test_unsupported(void **state)
{
	(void)state;
	/* the fault backend takes tensors only */
	check("SplitToSequence-11 f32[4,2]", "fault:pads_swapped", VERDICT_UNSUPPORTED);
	check("SplitToSequence-11 f32[4,2]", "reference", VERDICT_AGREE);
}

static void test_random_is_not_compared(void **state)
{
	struct trial t = make("RandomNormalLike-1 f32[3,4]");
	struct party p = open_party("reference");
	struct outcome o;

	(void)state;
	judge(&t, &p, VERDICT_VACUOUS, &o);
	assert_non_null(strstr(o.reason, "random"));
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
	check("Dropout-13 f32[3,4] f32{0.5}[] bool{1}[]", "fault:relu6", VERDICT_VACUOUS);
	check("Dropout-13 f32[3,4] f32{0.5}[] bool{0}[]", "fault:relu6", VERDICT_AGREE);
}

/* ---- invalid models ---------------------------------------------------------------------------------------------- */

static void test_invalid(void **state)
{
	struct trial t = make("Concat-13 f32[2,3] f32[3,4] axis=0");
	struct party ort = open_party("ort"), faulty = open_faulty("ok", NULL);
	struct outcome o;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_true(t.invalid);
	assert_true(*t.why.msg);
	judge(&t, &ort, VERDICT_AGREE, &o);
	outcome_release(&o);
	judge(&t, &faulty, VERDICT_ACCEPTED, &o);
	assert_non_null(strstr(o.reason, "not valid"));
	outcome_release(&o);
	party_close(&ort);
	party_close(&faulty);
	trial_release(&t);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static void test_processes(void **state)
{
	static const struct {
		const char *run, *says;
		enum verdict verdict;
	} cases[] = {
		{"segfault", "signal 11", VERDICT_CRASH},       {"exit", "exit status 3", VERDICT_CRASH},
		{"garbage", "protocol", VERDICT_CRASH},         {"hang", "hang", VERDICT_HANG},
		{"rejected", "not this one", VERDICT_REJECTED}, {"unsupported", "not here", VERDICT_UNSUPPORTED},
		{"memory", "no memory", VERDICT_OOM},           {"ok", "", VERDICT_AGREE},
	};
	struct worker_limits limits = {.run_seconds = 1};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trial t = make("Identity-13 f32[2,3]");
		struct party p = open_faulty(cases[i].run, &limits);
		struct outcome o;

		judge(&t, &p, cases[i].verdict, &o);
		if (!strstr(o.reason, cases[i].says))
			fail_msg("'%s' does not say '%s'", o.reason, cases[i].says);
		outcome_release(&o);
		party_close(&p);
		trial_release(&t);
	}
}

static void confirm_as(const char *run, const char *line, enum verdict first, enum verdict wanted, const char *says)
{
	struct trial t = make(line);
	struct party p = open_faulty(run, NULL);
	struct err e = ERR_INIT;
	struct outcome o;

	judge(&t, &p, first, &o);
	if (trial_confirm(&t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	if (o.verdict != wanted || !strstr(o.reason, says))
		fail_msg("%s: %s (%s)", run, verdict_name(o.verdict), o.reason);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

static void test_confirm(void **state)
{
	(void)state;
	confirm_as("segfault", "Identity-13 f32[2,3]", VERDICT_CRASH, VERDICT_CRASH, "signal 11");
	confirm_as("ok", "Neg-13 f32[2,3]", VERDICT_WRONG, VERDICT_WRONG, "element");
	confirm_as("flaky", "Neg-13 f32[2,3]", VERDICT_WRONG, VERDICT_FLAKY, "same worker");
	confirm_as("poison", "Neg-13 f32[2,3]", VERDICT_WRONG, VERDICT_FLAKY, "filled with a pattern");
}

/* ---- doubt ------------------------------------------------------------------------------------------------------- */

static struct wire *node2(struct graph *g, const char *op, struct wire *a, struct wire *b)
{
	struct wire *in[2] = {a, b};
	struct err e = ERR_INIT;
	struct node *n = NULL;
	char name[32];

	snprintf(name, sizeof name, "v%zu", g->nodes.n);
	assert_int_equal(graph_append_node(g, op, in, 2, name, &n, &e), 0);
	return n->out[0];
}

static struct wire *constant(struct graph *g, double x, int64_t count)
{
	const int64_t dims[] = {1, count};
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, 2, dims, &e);
	struct wire *w = NULL;
	char name[32];

	snprintf(name, sizeof name, "c%zu", g->wires.n);
	for (size_t i = 0; i < t->count; i++)
		t->f[i] = i % 2 && count > 1 ? -x : x;
	assert_int_equal(graph_add_init(g, name, t, &w, &e), 0);
	return w;
}

/* (x·w + 1) - (x·w + 0.5), where the terms of the product are large and cancel: what a library gives that multiplies
 * once for each of the sums is off by roundings of the product, of which the difference of one has none. */
static struct trial make_shared_product(void)
{
	const int64_t dims[] = {64, 1};
	struct type type = TYPE_INIT;
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct tensor *x = tensor_new(DT_FLOAT, 2, dims, &e);
	struct wire *w, *product;
	struct trial t;

	assert_int_equal(model_new(17, &m, &e), 0);
	type_set(&type, DT_FLOAT, 2, dims);
	assert_int_equal(graph_add_input(m->graph, "x", &type, &w, &e), 0);
	for (size_t i = 0; i < x->count; i++)
		x->f[i] = (double)(float)(1000.1 + (double)(i / 2));
	product = node2(m->graph, "MatMul", constant(m->graph, 1, 64), w);
	w = node2(m->graph, "Sub", node2(m->graph, "Add", product, constant(m->graph, 1, 1)),
		  node2(m->graph, "Add", product, constant(m->graph, 0.5, 1)));
	assert_int_equal(graph_add_output(m->graph, w, &e), 0);
	in[0] = value_tensor(x, &e);
	if (trial_init(&t, m, in, 3, &e))
		fail_msg("%s", e.msg);
	return t;
}

/* The verdict on numbers that came, before and after doubt. */
static void doubt_about(struct trial t, enum dtype type, const double *numbers, enum verdict wanted)
{
	struct party p = open_party("reference");
	struct outcome o = {.values = mem_array(1, sizeof *o.values), .n = 1};
	struct err e = ERR_INIT;
	struct tensor *y;

	assert_int_equal(trial_truth(&t, &e), 0);
	y = tensor_new(type, 2, t.truth.outputs[0].value->tensor->dims, &e);
	for (size_t i = 0; i < y->count; i++)
		if (type == DT_FLOAT)
			y->f[i] = numbers[i];
		else
			y->i[i] = (int64_t)numbers[i];
	o.values[0] = value_tensor(y, &e);
	assert_int_equal(trial_judge_values(&t, &p, NULL, &o, &e), 0);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	assert_int_equal(trial_doubt(&t, NULL, DOUBT_FULL, &o, &e), 0);
	assert_string_equal(verdict_name(o.verdict), verdict_name(wanted));
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* log(1 + exp(-18)) is 1.5e-8, and 0 to a library that rounds the sum; as a bool that is true and false. */
static struct trial make_small_logarithm(void)
{
	struct trial t = make("LogSoftmax-13 f32{9,-9,-9,9}[2,2]"), both;
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct node *cast = NULL;
	struct wire *w;

	assert_int_equal(model_copy(t.model, &m, &e), 0);
	w = m->graph->outputs.at[0];
	vec_remove(&m->graph->outputs, 0);
	assert_int_equal(graph_append_node(m->graph, "Cast", &w, 1, "y_bool", &cast, &e), 0);
	assert_int_equal(node_set_int(cast, "to", DT_BOOL, &e), 0);
	assert_int_equal(graph_add_output(m->graph, cast->out[0], &e), 0);
	if (trial_init(&both, m, in, 7, &e))
		fail_msg("%s", e.msg);
	trial_release(&t);
	return both;
}

static void test_zero_where_terms_cancel(void **state)
{
	(void)state;
	doubt_about(make_small_logarithm(), DT_BOOL, (const double[]){0, 1, 1, 0}, VERDICT_ROUNDING);
	doubt_about(make_small_logarithm(), DT_BOOL, (const double[]){0, 0, 1, 0}, VERDICT_WRONG);
}

static void test_value_computed_twice(void **state)
{
	(void)state;
	doubt_about(make_shared_product(), DT_FLOAT, (const double[]){0.51}, VERDICT_ROUNDING);
	doubt_about(make_shared_product(), DT_FLOAT, (const double[]){1.5}, VERDICT_WRONG);
}

static void test_absent(void **state)
{
	struct err e = ERR_INIT;
	struct party p;

	(void)state;
	assert_true(party_open(&p, "no-such-library", NULL, &e) < 0);
	assert_true(party_open(&p, "exec:/no/such/program", NULL, &e) < 0);
}

/* ---- quirks ------------------------------------------------------------------------------------------------------ */

static void test_quirks(void **state)
{
	char path[] = "/tmp/test-trial-XXXXXX";
	static const char rows[] =
		"faulty\t1.2-\tNeg in0=int8\tquirk\t-\tOf other types.\t-\n"
		"faulty\t1.2-\tNeg in0=int8|float32 opset=13\tquirk\t-\tIt is left open.\t-\n"
		"faulty\t*\tAbs\tbug\t-\tA bug.\t-\nfaulty\t*\tAbs opset=12\tquirk\t-\tOf old ones.\t-\n";
	struct quirks q;
	struct judge_options options = {.quirks = &q};
	static const struct {
		const char *line;
		enum verdict verdict;
	} cases[] = {{"Neg-13 f32[2,3]", VERDICT_UNSPECIFIED}, {"Abs-13 f32[2,3]", VERDICT_WRONG}};
	struct party p = open_faulty("ok", NULL);
	struct err e = ERR_INIT;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(buf_write_file(rows, sizeof rows - 1, path, &e), 0);
	assert_int_equal(quirks_load(path, &q, &e), 0);
	for (size_t i = 0; i < 2; i++) {
		struct trial t = make(cases[i].line);
		struct outcome o;

		assert_int_equal(trial_judge(&t, &p, &options, &o, &e), 0);
		assert_int_equal(o.verdict, cases[i].verdict);
		assert_true(i == 1 || !strcmp(o.reason, "It is left open."));
		outcome_release(&o);
		trial_release(&t);
	}
	quirks_release(&q);
	unlink(path);
	party_close(&p);
}

/* ---- values that are no tensors ---------------------------------------------------------------------------------- */

static struct value *sequence_of(const double *x, size_t n, size_t items)
{
	struct value *at[8];
	struct err e = ERR_INIT;

	for (size_t i = 0; i < items; i++) {
		struct tensor *t = tensor_new(DT_FLOAT, 1, &(int64_t){(int64_t)n}, &e);

		assert_non_null(t);
		memcpy(t->f, x + i * n, n * sizeof *x);
		at[i] = value_tensor(t, &e);
	}
	return value_sequence(DT_FLOAT, at, items, &e);
}

static void test_sequences_item_by_item(void **state)
{
	static const double a[] = {1, 2, 3, 4}, b[] = {1, 2, 3, 5};
	const float small[] = {0.1f, 0.1f, 0.1f, 0.1f}, large[] = {0.1f, 0.1f, 0.1f, 1.0f};
	struct value *right = sequence_of(a, 2, 2), *wrong = sequence_of(b, 2, 2), *longer = sequence_of(b, 1, 3);
	struct judgement j;

	(void)state;
	judge_value(right, small, right, 5, &j);
	assert_int_equal(j.verdict, VERDICT_AGREE);
	judge_value(right, small, wrong, 5, &j);
	assert_int_equal(j.verdict, VERDICT_WRONG);
	assert_int_equal(j.worst, 3);
	assert_true(j.got == 5 && j.exact == 4 && fabs(j.ratio - 10) < 1e-4);
	judge_value(right, large, wrong, 5, &j);
	assert_int_equal(j.verdict, VERDICT_ROUNDING);
	judge_value(right, small, longer, 5, &j);
	assert_int_equal(j.verdict, VERDICT_WRONG);
	assert_non_null(strstr(j.reason, "3 items where 2"));
	value_unref(right);
	value_unref(wrong);
	value_unref(longer);
}

static void test_noise_of_sequences(void **state)
{
	struct trial t = make("SplitToSequence-11 f32[4,2]");
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_int_equal(t.truth.outputs[0].value->kind, VALUE_SEQUENCE);
	assert_non_null(t.truth.outputs[0].noise);
	trial_release(&t);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void check_same_case(struct trial *a, struct trial *b)
{
	struct party p = open_party("fault:relu6");
	struct outcome x, y;
	struct err e = ERR_INIT;

	assert_int_equal(trial_judge(a, &p, NULL, &x, &e), 0);
	assert_int_equal(trial_judge(b, &p, NULL, &y, &e), 0);
	assert_int_equal(x.verdict, VERDICT_WRONG);
	assert_int_equal(y.verdict, VERDICT_WRONG);
	assert_true(x.ratio == y.ratio);
	outcome_release(&x);
	outcome_release(&y);
	party_close(&p);
}

static void test_files(void **state)
{
	char folder[] = "/tmp/test-trial-XXXXXX", path[256];
	static const char *const files[] = {"model.onnx", "inputs.npz", "expected.npz"};
	struct trial t = make("Relu-14 f32[3,4]@5:9"), back, copy, again;
	struct buf npz;
	struct err e = ERR_INIT;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_int_equal(trial_save(&t, folder, &e), 0);
	if (trial_load(folder, 7, &back, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(back.bytes.len, t.bytes.len);
	assert_memory_equal(back.bytes.data, t.bytes.data, t.bytes.len);
	check_same_case(&t, &back);
	assert_int_equal(trial_copy(&t, &copy, &e), 0);
	check_same_case(&t, &copy);
	buf_init(&npz, 1 << 20);
	assert_int_equal(trial_inputs_npz(&t, &npz, &e), 0);
	if (trial_from_bytes(t.bytes.data, t.bytes.len, npz.data, npz.len, 7, &again, &e))
		fail_msg("%s", e.msg);
	check_same_case(&t, &again);
	buf_clear(&npz);
	assert_int_equal(trial_expected_npz(&t, &npz, &e), 0);
	assert_true(npz.len > 100);
	buf_release(&npz);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		assert_int_equal(unlink(path), 0);
	}
	rmdir(folder);
	trial_release(&t);
	trial_release(&back);
	trial_release(&copy);
	trial_release(&again);
}

/* Sequences and types that numpy lacks come back as they were. */
static void test_other_inputs_in_npz(void **state)
{
	static const char *const lines[] = {"Cast-19 bf16[2,3] to=1", "Cast-21 i4{1,-3,7} to=1"};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trial t = make(lines[i]), back;
		struct party p = open_party("reference");
		struct outcome o;
		struct buf npz;

		buf_init(&npz, 1 << 20);
		assert_int_equal(trial_inputs_npz(&t, &npz, &e), 0);
		assert_int_equal(trial_from_bytes(t.bytes.data, t.bytes.len, npz.data, npz.len, 7, &back, &e), 0);
		judge(&back, &p, VERDICT_AGREE, &o);
		outcome_release(&o);
		buf_release(&npz);
		party_close(&p);
		trial_release(&t);
		trial_release(&back);
	}
}

/* ---- a library --------------------------------------------------------------------------------------------------- */

static void test_ort(void **state)
{
	static const struct {
		const char *line;
		enum verdict worst;
	} cases[] = {
		{"Conv-11 f32[1,2,9,9] f32[3,2,3,3] f32[3] pads=[1,1,1,1]", VERDICT_ROUNDING},
		{"MatMul-13 f32[17,90] f32[90,5]", VERDICT_ROUNDING},
		{"Softmax-13 f32[3,50]", VERDICT_ROUNDING},
		{"ArgMax-13 f32[4,9]", VERDICT_AGREE},
		{"SplitToSequence-11 f32[4,2]", VERDICT_AGREE},
	};
	struct party p = open_party("ort");

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trial t = make(cases[i].line);
		struct outcome o;
		struct err e = ERR_INIT;

		if (trial_judge(&t, &p, NULL, &o, &e))
			fail_msg("%s: %s", cases[i].line, e.msg);
		if (o.verdict > cases[i].worst || o.ratio > 8)
			fail_msg("%s: %s %g (%s)", cases[i].line, verdict_name(o.verdict), o.ratio, o.reason);
		outcome_release(&o);
		trial_release(&t);
	}
	assert_true(strlen(party_version(&p)) >= 5);
	party_close(&p);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_reference_agrees),
		TEST(test_faults_are_findings),
		TEST(test_numbers_of_a_finding),
		TEST(test_unsupported),
		TEST(test_random_is_not_compared),
		TEST(test_invalid),
		TEST(test_processes),
		TEST(test_confirm),
		TEST(test_value_computed_twice),
		TEST(test_zero_where_terms_cancel),
		TEST(test_absent),
		TEST(test_quirks),
		TEST(test_sequences_item_by_item),
		TEST(test_noise_of_sequences),
		TEST(test_files),
		TEST(test_other_inputs_in_npz),
		TEST(test_ort),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
