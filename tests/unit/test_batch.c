/* test_batch.c - cases that are run as one model give what they give alone, or are run alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "judge/batch.h"
#include "judge/session.h"
#include "libraries/libraries.h"
#include "methods/fuzz/campaign.h"
#include "methods/fuzz/runner.h"
#include "support/trials.h"
#include "support/workers.h"

#define SEED 3
#define N 5

struct batch_of_lines {
	struct trial trials[N];
	struct trial *cases[N];
	struct outcome all[N], *outcomes[N];
	unsigned char joined[N];
};

/* Runs the lines together on a backend. */
static void run(struct batch_of_lines *b, const char *const *lines, const char *backend)
{
	struct party p = trials_open(backend);
	struct err e = ERR_INIT;

	*b = (struct batch_of_lines){.joined = {0}};
	for (size_t i = 0; i < N; i++) {
		b->trials[i] = trials_line(lines[i], SEED + i);
		b->cases[i] = &b->trials[i];
		b->outcomes[i] = &b->all[i];
		assert_true(batch_fits(b->cases[0], b->cases[i]));
	}
	if (batch_run(&p, b->cases, N, b->outcomes, b->joined, &e))
		fail_msg("%s: %s", backend, e.msg);
	party_close(&p);
}

static void release(struct batch_of_lines *b)
{
	for (size_t i = 0; i < N; i++) {
		outcome_release(&b->all[i]);
		trial_release(&b->trials[i]);
	}
}

/* Bit by bit what the case gives alone, and as many outputs. */
static void assert_as_alone(struct batch_of_lines *b, size_t i, const char *backend)
{
	struct party p = trials_open(backend);
	struct outcome alone = {0};
	struct err e = ERR_INIT;

	assert_int_equal(party_run(&p, b->cases[i], &alone, &e), 0);
	assert_int_equal(b->all[i].report.result, alone.report.result);
	assert_int_equal(b->all[i].n, alone.n);
	for (size_t k = 0; k < alone.n; k++) {
		const struct tensor *x = b->all[i].values[k]->tensor, *y = alone.values[k]->tensor;

		assert_int_equal(x->dtype, y->dtype);
		assert_true(tensor_same_shape(x, y));
		assert_memory_equal(x->data, y->data, dtype_packed_size(y->dtype, y->count));
	}
	outcome_release(&alone);
	party_close(&p);
}

static const char *const plain[N] = {"Tanh-13 f32[2,3]", "Split-13 f32[4,3] axis=0 -> 2", "Exp-13 f32[4]",
				     "Add-13 f32[2,3] f32[3]", "Exp-13 f32[2,2]"};

/* Names are those of other cases too: c0 and x0 of each. */
static void test_right(void **state)
{
	struct batch_of_lines b;

	(void)state;
	run(&b, plain, "reference");
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(b.joined[i], 1);
		assert_as_alone(&b, i, "reference");
	}
	release(&b);
}

/* Only the cases that a fault touches do not hold. */
static void test_wrong(void **state)
{
	struct party reference = trials_open("reference");
	struct batch_of_lines b;
	struct err e = ERR_INIT;

	(void)state;
	run(&b, plain, "fault:exp_coarse");
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(b.joined[i], 1);
		assert_int_equal(trial_truth(b.cases[i], &e), 0);
		assert_int_equal(trial_judge_values(b.cases[i], &reference, NULL, &b.all[i], &e), 0);
		assert_int_equal(batch_holds(&b.all[i]), i != 2 && i != 4);
	}
	release(&b);
	party_close(&reference);
}

/* A refusal is that of the case alone, and the others have their values. */
static void test_refused(void **state)
{
	static const char *const lines[N] = {"Tanh-13 f32[2,3]", "Exp-13 f32[4]", "Abs-13 f32[2]",
					     "Reshape-13 f32[2,3] i64{4}", "Exp-13 f32[2,2]"};
	struct batch_of_lines b;

	(void)state;
	run(&b, lines, "reference");
	for (size_t i = 0; i < N; i++)
		assert_as_alone(&b, i, "reference");
	assert_int_equal(b.all[3].report.result, WORKER_REJECTED);
	assert_int_equal(b.joined[0], 1);
	assert_int_equal(b.joined[3], 0);
	release(&b);
}

/* A process that dies is run case by case. */
static void test_dead(void **state)
{
	static const char *const lines[N] = {"Tanh-13 f32[2,3]", "Exp-13 f32[4]", "Abs-13 f32[0,2]", "Abs-13 f32[3]",
					     "Exp-13 f32[2,2]"};
	struct batch_of_lines b;

	(void)state;
	run(&b, lines, "fault:crash_zero_dim");
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(b.joined[i], 0);
		assert_int_equal(b.all[i].report.result, i == 2 ? WORKER_CRASH : WORKER_OK);
	}
	release(&b);
}

/* What cannot be put into one model is run alone. */
static void test_long_names(void **state)
{
	struct trial t[2] = {trials_line("Exp-13 f32[4]", SEED), trials_line("Tanh-13 f32[2]", SEED)};
	struct trial *cases[] = {&t[0], &t[1]};
	struct party p = trials_open("reference");
	struct outcome all[2] = {{0}}, *outcomes[] = {&all[0], &all[1]};
	unsigned char joined[2] = {0};
	struct err e = ERR_INIT;
	char name[600];

	(void)state;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	assert_int_equal(graph_rename_wire(t[1].model->graph->outputs.at[0], name, &e), 0);
	if (batch_run(&p, cases, 2, outcomes, joined, &e))
		fail_msg("%s", e.msg);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(joined[i], 0);
		assert_int_equal(all[i].n, 1);
		outcome_release(&all[i]);
		trial_release(&t[i]);
	}
	party_close(&p);
}

static int fits(const char *a, const char *b)
{
	struct trial x = trials_line(a, SEED), y = trials_line(b, SEED);
	int fit = batch_fits(&x, &y);

	trial_release(&x);
	trial_release(&y);
	return fit;
}

static void test_fits(void **state)
{
	(void)state;
	assert_true(fits("Exp-13 f32[4]", "Tanh-13 f32[2]"));
	assert_false(fits("Exp-13 f32[4]", "Relu-14 f32[2]"));
}

/* A runner gives a library that compiles long all cases of a batch at once, whole or not, and takes them back in turn.
 */
static void check_runner(char *library, int joins)
{
	enum { GIVEN = RUNNER_BATCH + 3 };
	struct worker_spec made, spec;
	struct trial trials[GIVEN];
	struct runner *r;
	struct err e = ERR_INIT;
	size_t given = 0;

	assert_int_equal(spec_make("fault:exp_coarse", &made, &e), 0);
	spec = made;
	spec.backend = library;
	if (runner_new(&spec, 1, joins, &r, &e))
		fail_msg("%s", e.msg);
	joins = joins && library_find(library)->blocks > 0;
	assert_int_equal(runner_depth(r), joins ? RUNNER_DEPTH : 2);
	for (size_t i = 0; i < GIVEN; i++)
		trials[i] = trials_line(plain[i % N], SEED + i);
	for (size_t i = 0; i < GIVEN; i++) {
		struct outcome *o;

		while (given < GIVEN && runner_count(r) < runner_depth(r))
			runner_give(r, &trials[given++]);
		assert_int_equal(runner_take(r, &o, &e), 0);
		assert_int_equal(o->report.result, WORKER_OK);
		assert_int_equal(o->n, i % N == 1 ? 2 : 1);
		assert_int_equal(runner_joined(r, 0), joins);
		outcome_release(o);
	}
	runner_free(r);
	for (size_t i = 0; i < GIVEN; i++)
		trial_release(&trials[i]);
	spec_release(&made);
}

static void test_runner(void **state)
{
	(void)state;
	check_runner("openvino", 1);
	check_runner("openvino", 0);
	check_runner("ort", 1);
	assert_non_null(library_find("openvino"));
	assert_true(library_find("openvino")->blocks > 0);
	assert_int_equal(library_find("ort")->blocks, 0);
}

/* What a job that waits for others leaves for later: a batch is sent when it is whole, or when one of it is taken. */
static void test_unsent(void **state)
{
	struct worker_spec made, spec;
	struct trial trials[RUNNER_BATCH + 1];
	struct runner *r;
	struct outcome *o;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_make("fault:exp_coarse", &made, &e), 0);
	spec = made;
	spec.backend = "openvino";
	if (runner_new(&spec, 1, 1, &r, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i <= RUNNER_BATCH; i++) {
		trials[i] = trials_line(plain[i % N], SEED + i);
		runner_give(r, &trials[i]);
		assert_int_equal(runner_unsent(r), (i + 1) % RUNNER_BATCH);
	}
	for (size_t i = 0; i <= RUNNER_BATCH; i++) {
		assert_int_equal(runner_unsent(r), 1);
		assert_int_equal(runner_take(r, &o, &e), 0);
		outcome_release(o);
	}
	assert_int_equal(runner_unsent(r), 0);
	runner_free(r);
	for (size_t i = 0; i <= RUNNER_BATCH; i++)
		trial_release(&trials[i]);
	spec_release(&made);
}

static struct fuzz_stats run_campaign(const struct corpus *corpus, int jobs)
{
	struct worker_spec made, spec;
	struct campaign_options o = {.fuzz = {.seed = 7, .special = 1, .most_blocks = 2, .shards = FUZZ_SHARDS},
				     .corpus = corpus,
				     .specs = &spec,
				     .n_specs = 1,
				     .command = "",
				     .jobs = jobs,
				     .models = 5 * FUZZ_SHARDS};
	struct fuzz_stats stats;
	struct err e = ERR_INIT;

	assert_int_equal(spec_make("fault:broadcast_slip", &made, &e), 0);
	spec = made;
	spec.backend = "openvino"; /* so that cases are joined */
	if (campaign_run(&o, &stats, &e))
		fail_msg("%s", e.msg);
	spec_release(&made);
	return stats;
}

/* Jobs join other cases with each other; what comes of each is the same. */
static void test_jobs(void **state)
{
	struct corpus corpus;
	struct fuzz_stats one, more;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(corpus_load("data/blocks-large.yaml", 1, &corpus, &e), 0);
	one = run_campaign(&corpus, 1);
	assert_true(one.findings > 0);
	for (int jobs = 3; jobs <= 4; jobs++) {
		more = run_campaign(&corpus, jobs);
		assert_int_equal(more.cases, one.cases);
		assert_int_equal(more.findings, one.findings);
		for (int i = 0; i < FUZZ_STATUSES; i++)
			assert_int_equal(more.status[i], one.status[i]);
	}
	corpus_release(&corpus);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {TEST(test_right),  TEST(test_wrong),      TEST(test_refused),
					   TEST(test_dead),   TEST(test_long_names), TEST(test_fits),
					   TEST(test_runner), TEST(test_unsent),     TEST(test_jobs)};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
