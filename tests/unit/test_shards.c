/* test_shards.c - cases are the same for any number of jobs, and what jobs tell each other is all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/hash.h"
#include "methods/fuzz/exchange.h"
#include "methods/fuzz/keys.h"

#define MODELS 500 /* some rounds, and part of one */
#define BLOCKS 3

struct run {
	uint64_t digests[MODELS]; /* of the cases */
	int made[MODELS];         /* how often */
	struct coverage_figures figures;
};

static struct corpus load(void)
{
	struct corpus c = {0};
	struct err e = ERR_INIT;

	assert_int_equal(corpus_load("data/blocks-paper.yaml", 0, &c, &e), 0);
	return c;
}

static void make_one(struct fuzzer *f, struct run *out)
{
	struct fuzz_case c = {0};
	struct err e = ERR_INIT;
	struct buf b;

	if (fuzzer_next(f, &c, &e))
		fail_msg("%s", e.msg);
	buf_init(&b, MODEL_MAX_FILE);
	assert_int_equal(model_serialize(c.model, &b, &e), 0);
	out->digests[c.index] = hash_bytes(HASH_BEGIN, b.data, b.len);
	out->made[c.index]++;
	buf_release(&b);
	fuzz_case_release(&c);
}

/* Jobs in turn, each as far as it gets without the others: job k of each turn is the slowest. */
static void run_jobs(const struct corpus *c, int jobs, struct run *out)
{
	struct fuzzer *all[FUZZ_MAX_JOBS];
	struct fuzz_exchange *x;
	struct exchange_reader reader = {{0}};
	struct coverage *seen;
	struct err e = ERR_INIT;
	int left = 1;

	memset(out, 0, sizeof *out);
	assert_int_equal(exchange_new(jobs, &x, &e), 0);
	for (int i = 0; i < jobs; i++) {
		struct fuzz_options o = {
			.seed = 3, .blocks = BLOCKS, .shards = FUZZ_SHARDS, .job = i, .jobs = jobs, .exchange = x};

		assert_int_equal(fuzzer_new(c, &o, &all[i], &e), 0);
	}
	for (int turn = 0; left; turn++) {
		left = 0;
		for (int k = 0; k < jobs; k++) {
			struct fuzzer *f = all[(k + turn) % jobs];

			while (fuzzer_index(f) < MODELS && fuzzer_is_ready(f))
				make_one(f, out);
			left |= fuzzer_index(f) < MODELS;
		}
	}
	assert_int_equal(coverage_new(c, FUZZ_MAX_SPC, &seen, &e), 0);
	assert_int_equal(exchange_read(x, &reader, INT64_MAX, seen, &e), 0);
	out->figures = coverage_of_set(seen);
	coverage_free(seen);
	for (int i = 0; i < jobs; i++)
		fuzzer_free(all[i]);
	exchange_free(x);
}

static void assert_all_made_once(const struct run *r)
{
	for (int i = 0; i < MODELS; i++)
		assert_int_equal(r->made[i], 1);
}

static void cases_do_not_depend_on_jobs(void **state)
{
	static const int jobs[] = {2, 3, 8, 64};
	struct corpus c = load();
	struct run one, other;

	(void)state;
	run_jobs(&c, 1, &one);
	assert_all_made_once(&one);
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		run_jobs(&c, jobs[i], &other);
		assert_all_made_once(&other);
		assert_memory_equal(&one, &other, sizeof one);
	}
	corpus_release(&c);
}

/* What was told is the coverage of all cases together: that of their notes. */
static void union_is_of_all_cases(void **state)
{
	struct fuzz_options o = {.seed = 3, .blocks = BLOCKS, .shards = FUZZ_SHARDS, .notes = 1};
	struct coverage_figures figures;
	struct corpus c = load();
	struct coverage *seen;
	struct fuzzer *f;
	struct run told;
	struct err e = ERR_INIT;

	(void)state;
	run_jobs(&c, 3, &told);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	assert_int_equal(coverage_new(&c, FUZZ_MAX_SPC, &seen, &e), 0);
	for (int i = 0; i < MODELS; i++) {
		struct fuzz_case made = {0};

		assert_int_equal(fuzzer_next(f, &made, &e), 0);
		assert_int_equal(coverage_learn(seen, made.notes.data, &e), 0);
		fuzz_case_release(&made);
	}
	figures = coverage_of_set(seen);
	assert_memory_equal(&figures, &told.figures, sizeof figures);
	assert_true(fuzzer_figures(f).olc < figures.olc); /* a shard knows the others' by and by */
	assert_true(fuzzer_figures(f).olc > 0.8 * figures.olc);
	coverage_free(seen);
	fuzzer_free(f);
	corpus_release(&c);
}

/* A job that is ahead waits; one that is behind does not. */
static void a_job_waits_for_another(void **state)
{
	struct corpus c = load();
	struct fuzz_exchange *x;
	struct fuzzer *ahead, *behind;
	struct run ignored = {.made = {0}};
	struct err e = ERR_INIT;
	struct fuzz_options o = {.seed = 1, .blocks = BLOCKS, .shards = 4, .jobs = 2};

	(void)state;
	assert_int_equal(exchange_new(2, &x, &e), 0);
	o.exchange = x;
	assert_int_equal(fuzzer_new(&c, &o, &ahead, &e), 0);
	o.job = 1;
	assert_int_equal(fuzzer_new(&c, &o, &behind, &e), 0);
	while (fuzzer_is_ready(ahead) && fuzzer_index(ahead) < MODELS)
		make_one(ahead, &ignored);
	assert_int_equal(fuzzer_index(ahead), 8); /* cases 0, 2, 4 and 6: round 2 needs all of round 0 */
	make_one(behind, &ignored);
	assert_false(fuzzer_is_ready(ahead));
	make_one(behind, &ignored); /* 1 and 3 */
	assert_true(fuzzer_is_ready(ahead));
	assert_true(fuzzer_is_ready(behind));
	fuzzer_free(ahead);
	fuzzer_free(behind);
	exchange_free(x);
	corpus_release(&c);
}

static void keys_are_a_set(void **state)
{
	struct keys k = {0};

	(void)state;
	assert_false(keys_have(&k, 0));
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(keys_add(&k, 7 * i * i), 0);
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(keys_have(&k, 7 * i * i));
	assert_false(keys_have(&k, 8));
	assert_int_equal(k.n, 1000);
	assert_int_equal(keys_add(&k, 0), 0);
	assert_int_equal(k.n, 1000);
	keys_clear(&k);
	assert_false(keys_have(&k, 0));
	keys_release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_do_not_depend_on_jobs),
		cmocka_unit_test(union_is_of_all_cases),
		cmocka_unit_test(a_job_waits_for_another),
		cmocka_unit_test(keys_are_a_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
