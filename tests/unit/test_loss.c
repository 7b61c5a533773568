/* test_loss.c - what a variance in one pass loses is told as such; what a stable algorithm gives is rounding, and what
 * neither gives is wrong.
 *
 * Answers are computed in float32 here, for lines of one axis. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/trials.h"

#define SEED 11
#define EPSILON 1e-5f

typedef float variance_of(const float *x, size_t n, float mean);

static float mean_of(const float *x, size_t n)
{
	float sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (float)n;
}

static float two_passes(const float *x, size_t n, float mean)
{
	float sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum / (float)n;
}

static float welford(const float *x, size_t n, float unused)
{
	float mean = 0, squares = 0;

	(void)unused;
	for (size_t i = 0; i < n; i++) {
		float d = x[i] - mean;

		mean += d / (float)(i + 1);
		squares += d * (x[i] - mean);
	}
	return squares / (float)n;
}

static float one_pass(const float *x, size_t n, float mean)
{
	float sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i] * x[i];
	return sum / (float)n - mean * mean;
}

/* Wrong by a factor, whatever the mean is. */
static float twice(const float *x, size_t n, float mean)
{
	return 2 * two_passes(x, n, mean);
}

/* The first input is X, of which the last `n` numbers make a line; scale and bias are 1 and 0. */
static struct outcome normalize(const struct trial *t, size_t n, variance_of *variance)
{
	struct outcome o = {.values = mem_array(1, sizeof *o.values), .n = 1};
	struct err e = ERR_INIT;
	struct tensor *x = tensor_pack(t->inputs[0]->tensor, &e), *y;
	const float *in = x->data;
	float *out;

	y = tensor_new_packed(DT_FLOAT, x->rank, x->dims, &e);
	out = y->data;
	for (size_t i = 0; i < x->count; i += n) {
		float mean = mean_of(in + i, n), inv = 1 / sqrtf(variance(in + i, n, mean) + EPSILON);

		for (size_t k = i; k < i + n; k++)
			out[k] = (in[k] - mean) * inv;
	}
	o.values[0] = value_tensor(y, &e);
	tensor_unref(x);
	return o;
}

struct loss {
	const char *line;
	size_t n; /* numbers of a line */
	variance_of *variance;
	enum verdict wanted;
};

static void judge(const struct loss *l, const struct judge_options *options, char *reason, size_t size)
{
	struct trial t = trials_line(l->line, SEED);
	struct party p = trials_open("reference");
	struct err e = ERR_INIT;
	struct outcome o;

	assert_int_equal(trial_truth(&t, &e), 0);
	o = normalize(&t, l->n, l->variance);
	if (trial_judge_values(&t, &p, options, &o, &e) || trial_doubt(&t, options, DOUBT_FULL, &o, &e))
		fail_msg("%s: %s", l->line, e.msg);
	if (o.verdict != l->wanted)
		fail_msg("%s: %s (%s), wanted %s", l->line, verdict_name(o.verdict), o.reason, verdict_name(l->wanted));
	assert_true((o.verdict == VERDICT_EXPLAINED) == (o.explained_by != NULL));
	snprintf(reason, size, "%s", o.reason);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* Deviations of 1 or so around a mean that is as large as the name says. */
#define LAYER(range) "LayerNormalization-17 f32[4,256]@" range " f32[256]@1:1"
#define INSTANCE(range) "InstanceNormalization-6 f32[2,2,16,16]@" range " f32{1,1} f32{0,0}"

static void test_verdicts(void **state)
{
	static const struct loss list[] = {
		{LAYER("0:2"), 256, two_passes, VERDICT_ROUNDING},
		{LAYER("0:2"), 256, one_pass, VERDICT_ROUNDING},
		{LAYER("0:2"), 256, twice, VERDICT_WRONG},
		{LAYER("99:101"), 256, two_passes, VERDICT_ROUNDING},
		{LAYER("99:101"), 256, welford, VERDICT_ROUNDING},
		{LAYER("99:101"), 256, one_pass, VERDICT_EXPLAINED},
		{LAYER("99:101"), 256, twice, VERDICT_WRONG},
		{LAYER("9999:10001"), 256, two_passes, VERDICT_ROUNDING},
		{LAYER("9999:10001"), 256, welford, VERDICT_ROUNDING},
		{LAYER("9999:10001"), 256, one_pass, VERDICT_EXPLAINED}, /* NaN, too */
		{INSTANCE("999:1001"), 256, two_passes, VERDICT_ROUNDING},
		{INSTANCE("999:1001"), 256, welford, VERDICT_ROUNDING},
		{INSTANCE("999:1001"), 256, one_pass, VERDICT_EXPLAINED},
	};
	char reason[512];

	(void)state;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		judge(&list[i], NULL, reason, sizeof reason);
}

static void test_told_with_its_figure(void **state)
{
	const struct loss lost = {INSTANCE("299:301"), 256, one_pass, VERDICT_EXPLAINED};
	char reason[512];

	(void)state;
	judge(&lost, NULL, reason, sizeof reason);
	if (strncmp(reason, "precision loss: a variance as E(x^2) - E(x)^2 gives this; ", 58) ||
	    !strstr(reason, " bits) more than a stable algorithm does"))
		fail_msg("%s", reason);
}

static void test_strict(void **state)
{
	const struct loss lost = {INSTANCE("299:301"), 256, one_pass, VERDICT_WRONG};
	const struct judge_options strict = {.strict = 1};
	char reason[512];

	(void)state;
	judge(&lost, &strict, reason, sizeof reason);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_told_with_its_figure),
		cmocka_unit_test(test_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
