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
#define ALONE 4000 /* models, every other of a single operator */

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

/* ---- operators alone --------------------------------------------------------------------------------------------- */

/* A rule that is broken, as the reference tells it, and the operator that it is looked for at. */
static const struct {
	const char *op, *why;
} rules[] = {
	{"Range", "delta"}, {"Slice", "step"}, {"ArgMax", "empty"}, {"Pad", "cut more"}, {"Gather", "index"},
};

#define RULES_N (sizeof rules / sizeof *rules)

/* Every operator has its turn alone, and each rule is met in a few thousand models, as a minute has. */
static void each_rule_is_met_alone(void **state)
{
	struct fuzz_options o = {.seed = 3, .invalid = 1, .most_blocks = 3};
	struct corpus corpus;
	struct fuzzer *fuzzer;
	int met[RULES_N] = {0}, single = 0;
	struct err e = ERR_INIT;

	(void)state;
	if (corpus_load("data/blocks-large.yaml", 1, &corpus, &e) || fuzzer_new(&corpus, &o, &fuzzer, &e))
		fail_msg("%s", e.msg);
	for (int i = 0; i < ALONE; i++) {
		struct fuzz_case c = {0};
		struct trial t = {0};
		const struct graph *g;

		if (fuzzer_next(fuzzer, &c, &e) || trial_init(&t, c.model, c.inputs, c.seed, &e))
			fail_msg("%s", e.msg);
		c.model = NULL;
		c.inputs = NULL;
		g = t.model->graph;
		single += g->nodes.n == 1;
		trial_truth(&t, &e);
		err_clear(&e);
		/* a size does not fit: a library may make sense of it */
		assert_false(t.invalid && !c.may_run && strstr(t.why.msg, "has 0 features"));
		for (size_t k = 0; k < RULES_N && t.invalid && !c.may_run; k++)
			for (size_t n = 0; n < g->nodes.n; n++)
				met[k] += !strcmp(g->nodes.at[n]->op_type, rules[k].op) &&
					  strstr(t.why.msg, rules[k].why) != NULL;
		trial_release(&t);
		fuzz_case_release(&c);
	}
	for (size_t k = 0; k < RULES_N; k++) {
		print_message("%s, %s: %d\n", rules[k].op, rules[k].why, met[k]);
		assert_true(met[k] > 0);
	}
	assert_true(single > ALONE / 3);
	fuzzer_free(fuzzer);
	corpus_release(&corpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_are_refused),
		cmocka_unit_test(each_rule_is_met_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
