/* test_trial.c - cases, parties and verdicts: the reference, planted faults, a worker that misbehaves, ONNX Runtime. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/trials.h"
#include "support/workers.h"
#include "worker/parent/quirks.h"

#define SEED 7

static void check(const char *line, const char *backend, enum verdict wanted)
{
	struct trial t = trials_line(line, SEED);
	struct party p = trials_open(backend);
	struct outcome o;

	trials_judge(&t, &p, wanted, &o);
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
	struct trial t = trials_line("Sign-13 f32{-1,0,2}", SEED);
	struct party p = trials_open("fault:sign_of_zero");
	struct outcome o;

	(void)state;
	trials_judge(&t, &p, VERDICT_WRONG, &o);
	assert_int_equal(o.n, 1);
	assert_int_equal(o.judged[0].worst, 1);
	assert_int_equal(o.judged[0].beyond, 1);
	assert_true(o.judged[0].exact == 0);
	assert_non_null(strstr(o.reason, "element 1: got"));
	assert_false(o.values[0]->tensor->wide);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* Sequences come out of a worker as out of this process. */
static void test_sequences_pass(void **state)
{
	(void)state;
	check("SplitToSequence-11 f32[4,2]", "fault:pads_swapped", VERDICT_AGREE);
	check("SplitToSequence-11 f32[4,2]", "reference", VERDICT_AGREE);
}

static void test_random_is_not_compared(void **state)
{
	struct trial t = trials_line("RandomNormalLike-1 f32[3,4]", SEED);
	struct party p = trials_open("reference");
	struct outcome o;

	(void)state;
	trials_judge(&t, &p, VERDICT_VACUOUS, &o);
	assert_non_null(strstr(o.reason, "random"));
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
	check("Dropout-13 f32[3,4] f32{0.5}[] bool{1}[]", "fault:relu6", VERDICT_VACUOUS);
	check("Dropout-13 f32[3,4] f32{0.5}[] bool{0}[]", "fault:relu6", VERDICT_AGREE);
	check("Dropout-6 f32[3,4]", "fault:relu6", VERDICT_VACUOUS);
	check("Dropout-6 f32[3,4] is_test=1", "fault:relu6", VERDICT_AGREE);
}

/* ---- invalid models ---------------------------------------------------------------------------------------------- */

static void test_invalid(void **state)
{
	struct trial t = trials_line("Concat-13 f32[2,3] f32[3,4] axis=0", SEED);
	struct party ort = trials_open("ort"), faulty = trials_open_faulty("ok", NULL);
	struct outcome o;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_true(t.invalid);
	assert_true(*t.why.msg);
	trials_judge(&t, &ort, VERDICT_AGREE, &o);
	outcome_release(&o);
	trials_judge(&t, &faulty, VERDICT_ACCEPTED, &o);
	assert_non_null(strstr(o.reason, "not valid"));
	outcome_release(&o);
	assert_int_equal(spec_set_option(&faulty.spec, "rewriter", "any", &e), 0);
	trials_judge(&t, &faulty, VERDICT_UNSPECIFIED, &o);
	assert_non_null(strstr(o.reason, "wrote a valid model"));
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
		{"garbage", "protocol", VERDICT_PROTOCOL},      {"hang", "hang", VERDICT_HANG},
		{"rejected", "not this one", VERDICT_REJECTED}, {"unsupported", "not here", VERDICT_UNSUPPORTED},
		{"memory", "no memory", VERDICT_OOM},           {"ok", "", VERDICT_AGREE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct worker_limits limits = {.run_seconds = cases[i].verdict == VERDICT_HANG ? 1 : 0};
		struct trial t = trials_line("Identity-13 f32[2,3]", SEED);
		struct party p = trials_open_faulty(cases[i].run, &limits);
		struct outcome o;

		trials_judge(&t, &p, cases[i].verdict, &o);
		if (!strstr(o.reason, cases[i].says))
			fail_msg("'%s' does not say '%s'", o.reason, cases[i].says);
		outcome_release(&o);
		party_close(&p);
		trial_release(&t);
	}
}

/* A library need not have another one's operators, nor run a model that breaks rules. */
static void test_refusals_that_are_no_fault(void **state)
{
	struct trial foreign = trials_line("com.microsoft:QuickGelu-1 f32[2,3]", SEED);
	struct trial sloppy = trials_line("Identity-13 f32[2,3]", SEED);
	struct party p = trials_open_faulty("rejected", NULL);
	struct err e = ERR_INIT;
	struct outcome o;

	(void)state;
	trials_judge(&foreign, &p, VERDICT_UNSUPPORTED, &o);
	assert_non_null(strstr(o.reason, "QuickGelu is an operator of another library: "));
	assert_non_null(strstr(o.reason, "not this one"));
	outcome_release(&o);
	assert_int_equal(model_complain(sloppy.model, &e, "'y' is declared as %s", "float32[7]"), 0);
	trials_judge(&sloppy, &p, VERDICT_UNSUPPORTED, &o);
	assert_non_null(strstr(o.reason, "it breaks the rules of ONNX ('y' is declared as float32[7]): "));
	outcome_release(&o);
	party_close(&p);
	trial_release(&foreign);
	trial_release(&sloppy);
}

static void confirm_as(const char *run, const char *line, enum verdict first, enum verdict wanted, const char *says)
{
	const struct worker_limits limits = {.run_seconds = first == VERDICT_HANG ? 1 : 0};
	struct trial t = trials_line(line, SEED);
	struct party p = trials_open_faulty(run, &limits);
	struct err e = ERR_INIT;
	struct outcome o;

	trials_judge(&t, &p, first, &o);
	if (trial_confirm(&t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	if (o.verdict != wanted || !strstr(o.reason, says))
		fail_msg("%s: %s (%s)", run, verdict_name(o.verdict), o.reason);
	assert_int_equal(o.unstable, !strcmp(run, "unset"));
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

static void test_confirm(void **state)
{
	(void)state;
	confirm_as("segfault", "Identity-13 f32[2,3]", VERDICT_CRASH, VERDICT_CRASH, "signal 11");
	confirm_as("ok", "Neg-13 f32[2,3]", VERDICT_WRONG, VERDICT_WRONG, "element");
	confirm_as("first", "Identity-13 f32[2,3]", VERDICT_NAN, VERDICT_FLAKY, "same worker");
	confirm_as("poison", "Identity-13 f32[2,3]", VERDICT_NAN, VERDICT_FLAKY, "filled with a pattern");
	confirm_as("unset", "Neg-13 f32[2,3]", VERDICT_WRONG, VERDICT_WRONG, "; other numbers each time");
	confirm_as("hang", "Identity-13 f32[2,3]", VERDICT_HANG, VERDICT_HANG, "no answer");
	confirm_as("late", "Identity-13 f32[2,3]", VERDICT_HANG, VERDICT_FLAKY, "when it is given 10 seconds");
}

/* A process that a case has spoilt is replaced, once it is seen that a fresh one is right. */
static void test_spoilt_process(void **state)
{
	struct trial t = trials_line("Identity-13 f32[2,3]", SEED);
	struct party p = trials_open_faulty("spoilt", NULL);
	struct err e = ERR_INIT;
	struct outcome o;

	(void)state;
	trials_judge(&t, &p, VERDICT_AGREE, &o);
	outcome_release(&o);
	trials_judge(&t, &p, VERDICT_NAN, &o);
	if (trial_confirm(&t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_FLAKY);
	assert_non_null(strstr(o.reason, "in a fresh worker: "));
	outcome_release(&o);
	trials_judge(&t, &p, VERDICT_AGREE, &o);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
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
		"faulty\t*\tAdd most_in1>64\tquirk\t-\tOf large ones.\t-\n"
		"faulty\t*\tAbs\tbug\t-\tA bug.\t-\nfaulty\t*\tAbs opset=12\tquirk\t-\tOf old ones.\t-\n";
	struct quirks q;
	struct judge_options options = {.quirks = &q};
	static const struct {
		const char *line;
		enum verdict verdict;
		const char *reason;
	} cases[] = {{"Neg-13 f32[2,3]", VERDICT_UNSPECIFIED, "It is left open."},
		     {"Abs-13 f32[2,3]", VERDICT_WRONG, ""},
		     {"Add-14 f32[2] f32{-65,3}", VERDICT_UNSPECIFIED, "Of large ones."},
		     {"Add-14 f32[2] f32{-64,3}", VERDICT_WRONG, ""},
		     {"Add-14 f32[2] f32[2]@70:80", VERDICT_UNSPECIFIED, "Of large ones."},
		     {"Add-14 f32[2]@70:80 f32[2]@1:2", VERDICT_WRONG, ""}};
	struct party p = trials_open_faulty("ok", NULL);
	struct err e = ERR_INIT;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(buf_write_file(rows, sizeof rows - 1, path, &e), 0);
	assert_int_equal(quirks_load(path, &q, &e), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trial t = trials_line(cases[i].line, SEED);
		struct outcome o;

		assert_int_equal(trial_judge(&t, &p, &options, &o, &e), 0);
		assert_int_equal(o.verdict, cases[i].verdict);
		if (*cases[i].reason)
			assert_string_equal(o.reason, cases[i].reason);
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
	struct trial t = trials_line("SplitToSequence-11 f32[4,2]", SEED);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_int_equal(t.truth.outputs[0].value->kind, VALUE_SEQUENCE);
	assert_non_null(t.truth.outputs[0].noise);
	trial_release(&t);
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
	struct party p = trials_open("ort");

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trial t = trials_line(cases[i].line, SEED);
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
		TEST(test_sequences_pass),
		TEST(test_random_is_not_compared),
		TEST(test_invalid),
		TEST(test_processes),
		TEST(test_refusals_that_are_no_fault),
		TEST(test_confirm),
		TEST(test_spoilt_process),
		TEST(test_absent),
		TEST(test_quirks),
		TEST(test_sequences_item_by_item),
		TEST(test_noise_of_sequences),
		TEST(test_ort),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
