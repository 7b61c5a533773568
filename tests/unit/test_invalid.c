/* test_invalid.c - models that break a rule of ONNX on purpose: the reference refuses them, and names the node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "judge/trial.h"
#include "methods/fuzz/fuzz.h"

#define MODELS 400

/* What became of the cases of a seed. */
struct broken {
	int refused, named, may_run;
	uint64_t bytes; /* of all models, added up: equal ones have equal numbers */
};

static struct broken break_all(uint64_t seed)
{
	struct fuzz_options o = {.seed = seed, .blocks = 2, .invalid = 1};
	struct corpus corpus;
	struct fuzzer *fuzzer;
	struct broken all = {0};
	struct err e = ERR_INIT;

	if (corpus_load("data/blocks-large.yaml", 1, &corpus, &e) || fuzzer_new(&corpus, &o, &fuzzer, &e))
		fail_msg("%s", e.msg);
	for (int i = 0; i < MODELS; i++) {
		struct fuzz_case c = {0};
		struct trial t = {0};

		if (fuzzer_next(fuzzer, &c, &e) || trial_init(&t, c.model, c.inputs, c.seed, &e))
			fail_msg("%s", e.msg);
		c.model = NULL;
		c.inputs = NULL;
		trial_truth(&t, &e); /* what is too large, or not there, is no matter here */
		err_clear(&e);
		for (size_t k = 0; k < t.bytes.len; k++)
			all.bytes = all.bytes * 31 + (unsigned char)t.bytes.data[k];
		all.refused += t.invalid;
		all.named += t.invalid && strstr(t.why.msg, "node '") != NULL;
		all.may_run += c.may_run;
		trial_release(&t);
		fuzz_case_release(&c);
	}
	fuzzer_free(fuzzer);
	corpus_release(&corpus);
	return all;
}

static void most_are_refused(void **state)
{
	struct broken all = break_all(1), again = break_all(1);

	(void)state;
	print_message("%d of %d refused, %d by a node's name, %d that may be run\n", all.refused, MODELS, all.named,
		      all.may_run);
	assert_true(all.refused > MODELS / 2);
	assert_true(all.named > all.refused * 9 / 10);
	assert_true(all.may_run > 0 && all.may_run < MODELS);
	assert_true(all.bytes == again.bytes);
	assert_true(all.bytes != break_all(2).bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(most_are_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
