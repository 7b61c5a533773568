/* test_proof.c - recorded calls against their meanings: whose fault is it? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "proof/proof.h"
#include "support/recorded.h"
#include "support/trials.h"

static const char rows[] = "*(x) takes eq(dtype(x), @float32)\n"
			   "add.Tensor(x, y, alpha=1) = Add(x, Mul(y, alpha))\n"
			   "relu(x) = Relu(x)\n"
			   "join(xs) = Concat(xs, axis=0)\n"
			   "pool(x, size) when lt(3, size) limit \"a window is not larger than 3\"\n"
			   "pool(x, size) = Unsqueeze(ReduceMax(Slice(x, [0], [size]), [0], keepdims=0), [0])\n"
			   "pick(x, i) takes eq(i, 1) = Slice(x, [i], [i+1])\n"
			   "split(x) = [Slice(x, [0], [1]), Slice(x, [1], [3])]\n"
			   "reshape(x, shape) = Reshape(x, shape)\n";

/* v0 = [1, -2, 3], v1 = add.Tensor(v0, v0), v2 = relu(v1); what came of relu is given. */
static void record_two(struct recorded *r, const double *relu)
{
	recorded_begin(r);
	recorded_vector(r, 0, 3, (double[]){1, -2, 3});
	recorded_line(r, "v1 = op(\"add.Tensor\", v0, v0)");
	recorded_made(r, 1, 3, (double[]){2, -4, 6});
	recorded_line(r, "v2 = op(\"relu\", v1)");
	recorded_made(r, 2, 3, relu);
}

static void settle(struct recorded *r, enum proof_end end, struct proof *p)
{
	recorded_settle(r, rows, end, p);
}

/* ---- calls that came to their end -------------------------------------------------------------------------------- */

static void test_all_right(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	record_two(&r, (double[]){2, 0, 6});
	recorded_line(&r, "give(\"y\", v2)");
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, PROOF_OURS);
	assert_false(proof_accuses(p.result));
	assert_int_equal(p.judged, 2);
	assert_int_equal(p.unknown, 0);
	assert_non_null(strstr(p.why, "all 2 calls are right"));
	proof_release(&p);
}

static void test_second_is_wrong(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	record_two(&r, (double[]){2, -4, 6});
	recorded_line(&r, "v3 = op(\"relu\", v0)"); /* wrong, too, but not the first */
	recorded_made(&r, 3, 3, (double[]){7, 7, 7});
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, PROOF_CALL);
	assert_true(proof_accuses(p.result));
	assert_string_equal(p.name, "relu");
	assert_int_equal(p.number, 2);
	assert_int_equal(p.total, 3);
	assert_string_equal(p.call.data, "relu(float32[3])");
	assert_non_null(p.meaning.model); /* the call alone, as a model */
	assert_int_equal(p.meaning.model->graph->inputs.n, 1);
	assert_non_null(strstr(p.why, "-4"));
	proof_release(&p);
}

static void test_named_arguments(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	recorded_begin(&r);
	recorded_vector(&r, 0, 2, (double[]){100, -100});
	recorded_line(&r, "v1 = op(\"add.Tensor\", v0, v0, alpha=2)");
	recorded_made(&r, 1, 2, (double[]){200, -200}); /* as if it had been left out */
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, PROOF_CALL);
	assert_string_equal(p.call.data, "add.Tensor(float32[2], float32[2], alpha=2)");
	proof_release(&p);
}

/* An argument that the row does not have: what it does to the result is not known, be the result right or wrong. */
static void check_strange_argument(const char *call, const double *sum, enum proof_result wanted)
{
	struct recorded r;
	struct proof p;

	recorded_begin(&r);
	recorded_vector(&r, 0, 2, (double[]){100, -100});
	recorded_line(&r, "v1 = op(%s)", call);
	recorded_made(&r, 1, 2, sum);
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, wanted);
	assert_int_equal(p.unknown, wanted == PROOF_UNKNOWN);
	if (wanted == PROOF_UNKNOWN)
		assert_non_null(strstr(p.why, "'beta'"));
	proof_release(&p);
}

static void test_strange_argument(void **state)
{
	(void)state;
	check_strange_argument("\"add.Tensor\", v0, v0, beta=2", (double[]){200, -200}, PROOF_UNKNOWN);
	check_strange_argument("\"add.Tensor\", v0, v0, beta=2", (double[]){300, -300}, PROOF_UNKNOWN);
	check_strange_argument("\"add.Tensor\", v0, v0, build_beta=2", (double[]){300, -300}, PROOF_CALL);
	check_strange_argument("\"add.Tensor\", v0, v0, beta=DEFAULT", (double[]){300, -300}, PROOF_CALL);
}

static void test_rounding_is_no_fault(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	recorded_begin(&r);
	recorded_vector(&r, 0, 1, (double[]){0.1});
	recorded_vector(&r, 1, 1, (double[]){0.2});
	recorded_line(&r, "v2 = op(\"add.Tensor\", v0, v1)");
	recorded_made(&r, 2, 1, (double[]){(double)(0.1F + 0.2F) + 2.9e-8}); /* the next number but one at most */
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, PROOF_OURS);
	proof_release(&p);
}

static void test_lists_of_results(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	recorded_begin(&r);
	recorded_vector(&r, 0, 3, (double[]){1, 2, 3});
	recorded_line(&r, "v1 = op(\"split\", v0)");
	recorded_line(&r, "v2 = v1[0]");
	recorded_made(&r, 2, 1, (double[]){1});
	recorded_line(&r, "v3 = v1[1]");
	recorded_made(&r, 3, 2, (double[]){2, 4});
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, PROOF_CALL);
	assert_string_equal(p.name, "split");
	assert_non_null(strstr(p.why, "element 1: got 4"));
	proof_release(&p);
}

/* ---- calls that were refused ------------------------------------------------------------------------------------- */

/* After two calls that are right. */
static void end_with(enum proof_end end, const char *call, struct proof *p)
{
	struct recorded r;

	record_two(&r, (double[]){2, 0, 6});
	recorded_line(&r, "v3 = op(%s)", call);
	settle(&r, end, p);
	assert_int_equal(p->number, 3);
}

static void refuse(const char *call, struct proof *p)
{
	end_with(PROOF_END_REFUSED, call, p);
}

static void test_valid_call_refused(void **state)
{
	struct proof p;

	(void)state;
	refuse("\"pool\", v2, 2", &p);
	assert_int_equal(p.result, PROOF_CALL);
	assert_string_equal(p.name, "pool");
	assert_string_equal(p.call.data, "pool(float32[3], 2)");
	assert_non_null(strstr(p.why, "the call is valid"));
	assert_non_null(p.meaning.model);
	proof_release(&p);
}

/* A binding that goes on after the refusal, with a call that is right: the refused one is told of all the same. */
static void test_refused_in_the_middle(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	record_two(&r, (double[]){2, 0, 6});
	recorded_line(&r, "v3 = op(\"pool\", v2, 2)");
	recorded_line(&r, "v4 = op(\"relu\", v0)");
	recorded_made(&r, 4, 3, (double[]){1, 0, 3});
	settle(&r, PROOF_END_REFUSED, &p);
	assert_int_equal(p.result, PROOF_CALL);
	assert_string_equal(p.name, "pool");
	assert_int_equal(p.number, 3);
	proof_release(&p);
}

/* Of tensors without elements the row for all operations does not speak. */
static void test_empty_refused(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	recorded_begin(&r);
	recorded_vector(&r, 0, 3, (double[]){1, -2, 3});
	recorded_vector(&r, 1, 0, NULL);
	recorded_line(&r, "v2 = op(\"join\", [v0, v1])");
	settle(&r, PROOF_END_REFUSED, &p);
	assert_int_equal(p.result, PROOF_LIMIT);
	assert_non_null(strstr(p.why, "does not say that it takes"));
	proof_release(&p);
	refuse("\"join\", [v2, v2]", &p);
	assert_int_equal(p.result, PROOF_CALL);
	proof_release(&p);
}

static void test_limit(void **state)
{
	struct proof p;

	(void)state;
	refuse("\"pool\", v2, 5, mode=\"max\"", &p); /* a limit is about the arguments that it names */
	assert_int_equal(p.result, PROOF_LIMIT);
	proof_release(&p);
	refuse("\"pool\", v2, 5", &p);
	assert_int_equal(p.result, PROOF_LIMIT);
	assert_false(proof_accuses(p.result));
	assert_string_equal(p.name, "pool");
	assert_string_equal(p.why, "a window is not larger than 3");
	proof_release(&p);
}

/* What the documentation does not say that it takes may be refused; it may not kill. */
static void test_not_said_to_be_taken(void **state)
{
	struct proof p;

	(void)state;
	refuse("\"pick\", v2, 1", &p);
	assert_int_equal(p.result, PROOF_CALL);
	proof_release(&p);
	refuse("\"pick\", v2, 2", &p);
	assert_int_equal(p.result, PROOF_LIMIT);
	assert_string_equal(p.name, "pick");
	assert_non_null(strstr(p.why, "does not say that it takes"));
	assert_string_equal(p.call.data, "pick(float32[3], 2)");
	proof_release(&p);
	end_with(PROOF_END_DEAD, "\"pick\", v2, 2", &p);
	assert_int_equal(p.result, PROOF_CALL);
	proof_release(&p);
}

/* The row for all operations is about the first tensor of a call. */
static void test_type_not_taken(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	recorded_begin(&r);
	recorded_line(&r, "v0 = take(\"x\", inputs[\"x\"], \"int32\")");
	recorded_value(&r, 0, DT_INT32, 1, (int64_t[]){2}, (double[]){1, -1});
	recorded_line(&r, "v1 = op(\"relu\", v0)");
	settle(&r, PROOF_END_REFUSED, &p);
	assert_int_equal(p.result, PROOF_LIMIT);
	proof_release(&p);
}

/* Before the refused call one was wrong: that is the finding. */
static void test_refused_after_a_wrong_one(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	record_two(&r, (double[]){2, 4, 6});
	recorded_line(&r, "v3 = op(\"pool\", v2, 5)");
	settle(&r, PROOF_END_REFUSED, &p);
	assert_int_equal(p.result, PROOF_CALL);
	assert_int_equal(p.number, 2);
	proof_release(&p);
}

/* ---- calls of unknown meaning ------------------------------------------------------------------------------------ */

static void test_unknown(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	record_two(&r, (double[]){2, 0, 6});
	recorded_line(&r, "v3 = op(\"frobnicate\", v2)");
	recorded_made(&r, 3, 3, (double[]){1, 1, 1});
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, PROOF_UNKNOWN);
	assert_false(proof_accuses(p.result));
	assert_string_equal(p.name, "frobnicate");
	assert_int_equal(p.judged, 2);
	assert_int_equal(p.unknown, 1);
	proof_release(&p);
	refuse("\"frobnicate\", v2", &p);
	assert_int_equal(p.result, PROOF_UNKNOWN);
	proof_release(&p);
	refuse("\"reshape\", v2, [7]", &p); /* the row cannot be evaluated: nothing is said */
	assert_false(proof_accuses(p.result));
	proof_release(&p);
}

/* ---- calls that are right, put together -------------------------------------------------------------------------- */

/* Whether what came is right but for rounding: the right answer is that of a line, the calls are in the record. */
static int compose(struct recorded *r, const char *line, const double *came)
{
	struct trial t = trials_line(line, 1);
	struct outcome o = {.values = mem_array(1, sizeof *o.values), .n = 1};
	struct party p = trials_open("reference");
	struct err e = ERR_INIT;
	struct tensor *y = tensor_new(DT_FLOAT, 1, (int64_t[]){3}, &e);
	struct meanings m;
	int right;

	memcpy(y->f, came, 3 * sizeof *came);
	o.values[0] = value_tensor(y, &e);
	assert_int_equal(trial_judge_values(&t, &p, NULL, &o, &e), 0);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	recorded_read(r);
	assert_int_equal(meanings_parse(rows, &m, &e), 0);
	if (proof_compose(&r->calls, &m, &t, &o, &right, &e))
		fail_msg("%s", e.msg);
	meanings_release(&m);
	recorded_end(r);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
	return right;
}

/* 2, 0, 6 is right; the roundings of the calls, each a right one, have added up to something else. */
static void test_roundings_add_up(void **state)
{
	const double came[] = {2.0625, 0, 6};
	struct recorded r;

	(void)state;
	record_two(&r, came);
	assert_true(compose(&r, "Relu-14 f32{2,-4,6}", came));
}

/* The same where the calls mean something else, are told of another value, or did not make what came. */
static void test_put_together_wrongly(void **state)
{
	const double came[] = {2.0625, 0, 6}, other[] = {2.125, 0, 6};
	struct recorded r;

	(void)state;
	record_two(&r, came);
	assert_false(compose(&r, "Relu-14 f32{2.25,-4,6}", came));
	record_two(&r, came);
	assert_false(compose(&r, "Relu-14 f32{2,-4,6}", other));
	recorded_begin(&r);
	recorded_vector(&r, 0, 3, (double[]){1, -2, 3});
	recorded_line(&r, "v1 = op(\"add.Tensor\", v0, v0)");
	recorded_made(&r, 1, 3, (double[]){2, -4, 6});
	recorded_line(&r, "v2 = op(\"relu\", v0)");
	recorded_made(&r, 2, 3, came);
	assert_false(compose(&r, "Relu-14 f32{2,-4,6}", came));
	record_two(&r, came);
	recorded_line(&r, "v3 = op(\"frobnicate\", v2)");
	recorded_made(&r, 3, 3, came);
	assert_false(compose(&r, "Relu-14 f32{2,-4,6}", came));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roundings_add_up),
		cmocka_unit_test(test_put_together_wrongly),
		cmocka_unit_test(test_all_right),
		cmocka_unit_test(test_second_is_wrong),
		cmocka_unit_test(test_named_arguments),
		cmocka_unit_test(test_strange_argument),
		cmocka_unit_test(test_rounding_is_no_fault),
		cmocka_unit_test(test_lists_of_results),
		cmocka_unit_test(test_valid_call_refused),
		cmocka_unit_test(test_refused_in_the_middle),
		cmocka_unit_test(test_empty_refused),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_not_said_to_be_taken),
		cmocka_unit_test(test_type_not_taken),
		cmocka_unit_test(test_refused_after_a_wrong_one),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
