/* test_tally.c - counts of every verb, and answers that nobody can judge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/tally.h"
#include "judge/unjudged.h"
#include "model/build.h"

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* Every case that was looked at is one of four. */
static void each_verdict_counts_once(void **state)
{
	struct tally t = {0};
	size_t n = 0;

	(void)state;
#define X(id, word, finding, means)   \
	tally_note(&t, !finding, id); \
	n++;
	VERDICT_MAP(X)
#undef X
	assert_int_equal(t.given, n);
	assert_int_equal(t.judged + t.unsupported + t.vacuous + t.unjudged, n);
	assert_int_equal(t.unsupported, 1);
	assert_int_equal(t.vacuous, 1);
	assert_int_equal(t.unjudged, 4); /* unjudged, unspecified, unproven, ours */
	assert_false(tally_is_hollow(&t));
}

static void nothing_judged_is_told(void **state)
{
	struct tally_row rows[2] = {{.backend = "mnn"}, {.backend = "ort"}};
	struct buf text;

	(void)state;
	for (int i = 0; i < 250; i++) {
		tally_note(&rows[0].tally, 1, VERDICT_VACUOUS);
		tally_note(&rows[1].tally, 1, VERDICT_ROUNDING);
	}
	assert_true(tally_is_hollow(&rows[0].tally));
	assert_false(tally_is_hollow(&rows[1].tally));
	assert_true(tally_is_hollow(&(struct tally){0})); /* a filter that leaves nothing */
	buf_init(&text, 4096);
	tally_warning(&rows[0], &text);
	assert_string_equal(text.data, "mnn was judged on nothing: 250 cases given, 250 vacuous");
	buf_clear(&text);
	tally_text(rows, 2, &text);
	assert_string_equal(text.data,
			    "backend   given     ran  judged  unsupported  vacuous  unjudged\n"
			    "mnn         250     250       0            0      250         0\n"
			    "ort         250     250     250            0        0         0\n"
			    "vacuous: it agrees, but that proves little: there are no elements, all are equal, or "
			    "chance or rounding alone decides them\n");
	buf_release(&text);
}

/* What was written down is read again, and adds up. */
static void json_keeps_counts(void **state)
{
	struct tally t = {.given = 7, .ran = 6, .judged = 3, .unsupported = 1, .vacuous = 2, .unjudged = 1}, again = t;
	json_t *j = tally_json(&t);

	(void)state;
	tally_add_json(&again, j);
	tally_add(&t, &t);
	assert_memory_equal(&again, &t, sizeof t);
	assert_true(json_is_false(json_object_get(j, "judged_on_nothing")));
	json_decref(j);
}

/* A vacuous output beside one that was judged; one that is off where float32 itself leaves the numbers is excused. */
static void one_judged_output_counts(void **state)
{
	struct judgement mixed[2] = {{.verdict = VERDICT_VACUOUS}, {.verdict = VERDICT_ROUNDING}};
	struct judgement excused[2] = {{.verdict = VERDICT_VACUOUS}, {.verdict = VERDICT_NAN}};
	struct outcome o = {.verdict = VERDICT_VACUOUS, .judged = mixed, .n = 2};

	(void)state;
	assert_int_equal(outcome_counts_as(&o), VERDICT_ROUNDING);
	o.judged = excused;
	assert_int_equal(outcome_counts_as(&o), VERDICT_VACUOUS);
}

/* ---- answers that nobody can judge ------------------------------------------------------------------------------- */

/* x → y, of a library's own operator. */
static struct trial odd_case(const float *x)
{
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new_packed(DT_FLOAT, 1, (int64_t[]){4}, &e);
	struct model *m = NULL;
	struct trial out;
	struct build b;

	memcpy(t->data, x, 4 * sizeof *x);
	build_begin(&b, 17, 0, &e);
	build_output(&b, build_op(&b, "Relu", "y", build_input(&b, "x", DT_FLOAT, 1, (int64_t[]){4}), NULL));
	assert_int_equal(build_end(&b, &m), 0);
	m->graph->nodes.at[0]->domain = "com.example";
	m->graph->nodes.at[0]->op_type = "Odd";
	in[0] = value_tensor(t, &e);
	assert_int_equal(trial_init(&out, m, in, 0, &e), 0);
	return out;
}

static struct outcome answer(enum dtype type, const float *y, size_t n)
{
	struct outcome o = {.n = 1, .values = mem_array(1, sizeof(struct value *))};
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_new(type, 1, (int64_t[]){(int64_t)n}, &e), *t;

	for (size_t i = 0; i < n; i++) {
		if (dtype_is_float(type))
			wide->f[i] = (double)y[i];
		else
			wide->i[i] = (int64_t)y[i];
	}
	t = tensor_pack(wide, &e);
	tensor_unref(wide);
	o.values[0] = value_tensor(t, &e);
	return o;
}

static const float plain[4] = {1, 2, 3, 4};

static void unknown_operators_are_unjudged(void **state)
{
	static const float with_nan[4] = {1, NAN, 3, 4}, infinite[4] = {1, INFINITY, 3, 4};
	const struct {
		const float *in, *out;
		int suspicious;
	} cases[] = {{plain, plain, 0}, {plain, with_nan, 1}, {infinite, with_nan, 0}, {plain, infinite, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trial t = odd_case(cases[i].in);
		struct outcome o = answer(DT_FLOAT, cases[i].out, 4);
		struct party nobody = {0};
		struct err e = ERR_INIT;

		assert_int_equal(trial_judge_values(&t, &nobody, NULL, &o, &e), 0);
		assert_int_equal(o.verdict, VERDICT_UNJUDGED);
		assert_int_equal(o.suspicious, cases[i].suspicious);
		assert_non_null(strstr(o.reason, "the reference does not have com.example/Odd"));
		assert_int_equal(trial_truth(&t, &e), ERR_UNSUPPORTED); /* who needs the right answer is told */
		outcome_release(&o);
		trial_release(&t);
	}
}

/* A process that fails is a finding all the same; a refusal is none, for nobody knows whether the model is valid. */
static void processes_are_judged(void **state)
{
	static const struct {
		enum worker_result result;
		enum verdict verdict;
	} cases[] = {{WORKER_CRASH, VERDICT_CRASH},
		     {WORKER_HANG, VERDICT_HANG},
		     {WORKER_REJECTED, VERDICT_UNJUDGED},
		     {WORKER_UNSUPPORTED, VERDICT_UNSUPPORTED}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trial t = odd_case(plain);
		struct outcome o = {.report = {.result = cases[i].result}};
		struct party nobody = {0};
		struct err e = ERR_INIT;

		assert_int_equal(trial_judge_values(&t, &nobody, NULL, &o, &e), 0);
		assert_int_equal(o.verdict, cases[i].verdict);
		outcome_release(&o);
		trial_release(&t);
	}
}

static void differ(enum dtype ta, const float *a, enum dtype tb, const float *b, size_t n_b, const char *how)
{
	struct trial t = odd_case(plain);
	struct outcome x = answer(ta, a, 4), y = answer(tb, b, n_b);
	struct err e = ERR_INIT;
	char said[256];

	assert_int_equal(unjudged_compare(t.model->graph, &x, &y, said, sizeof said, &e), 0);
	assert_string_equal(said, how);
	outcome_release(&x);
	outcome_release(&y);
	trial_release(&t);
}

/* Rounding is none, and each that is none has a twin that is one. */
static void only_what_nothing_explains_differs(void **state)
{
	static const float near[4] = {1.2f, 2, 3, 3.7f}, far[4] = {1, 2, 2.5f, 4}, nan[4] = {1, NAN, 3, 4};
	static const float one_off[4] = {1, 2, 3, 5};

	(void)state;
	differ(DT_FLOAT, plain, DT_FLOAT, near, 4, "");
	differ(DT_FLOAT, plain, DT_FLOAT, far, 4, "output 'y': element 2 is 3 and 2.5");
	differ(DT_FLOAT, nan, DT_FLOAT, nan, 4, "");
	differ(DT_FLOAT, plain, DT_FLOAT, nan, 4, "output 'y': element 1 is 2 and nan");
	differ(DT_INT32, plain, DT_INT32, plain, 4, "");
	differ(DT_INT32, plain, DT_INT32, one_off, 4, "output 'y': element 3 is 4 and 5");
	differ(DT_FLOAT, plain, DT_FLOAT, plain, 3, "output 'y' is float32[4] and float32[3]");
	differ(DT_FLOAT, plain, DT_DOUBLE, plain, 4, "output 'y' is float32[4] and float64[4]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verdict_counts_once),
		cmocka_unit_test(nothing_judged_is_told),
		cmocka_unit_test(json_keeps_counts),
		cmocka_unit_test(one_judged_output_counts),
		cmocka_unit_test(unknown_operators_are_unjudged),
		cmocka_unit_test(processes_are_judged),
		cmocka_unit_test(only_what_nothing_explains_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
