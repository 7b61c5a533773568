/* test_fuzz_paper.c - the searches of the graph-fuzzing paper: whole paths, no model without new coverage, failures as
 * the reward, numbers in [-1, 1]; and models of subgraphs alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "methods/fuzz/fuzz.h"

static struct corpus load(void)
{
	struct corpus c;
	struct err e = ERR_INIT;

	if (corpus_load("data/blocks-paper.yaml", 0, &c, &e))
		fail_msg("%s", e.msg);
	return c;
}

static uint32_t only_relu(struct fuzz_op *op, void *arg)
{
	(void)arg;
	return op->row && !strcmp(op->row->name, "Relu") ? op->types : 0;
}

static int has_op(const struct model *m, const char *op)
{
	for (size_t i = 0; i < m->graph->nodes.n; i++)
		if (!strcmp(m->graph->nodes.at[i]->op_type, op))
			return 1;
	return 0;
}

/* ---- models that cover nothing new ------------------------------------------------------------------------------- */

/* One operator with one input of one shape: after few models nothing is new. */
static void models_are_discarded(void **state)
{
	struct fuzz_options o = {
		.seed = 1, .blocks = 2, .max_spc = 5, .no_mutations = 1, .search = FUZZ_SEARCH_PAPER_RANDOM};
	struct corpus c = load();
	struct fuzzer *f;
	struct err e = ERR_INIT;
	int discarded = 0, last = 0;

	(void)state;
	assert_int_equal(corpus_filter(&c, only_relu, NULL, &e), 0);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 12; i++) {
		struct fuzz_case made = {0};

		assert_int_equal(fuzzer_next(f, &made, &e), 0);
		assert_int_equal(made.index, i);
		assert_true(made.raised || made.discarded == 200); /* the end is reached: it goes on all the same */
		discarded += made.raised ? made.discarded : 0;
		last = made.discarded;
		fuzz_case_release(&made);
	}
	assert_true(discarded > 0);
	assert_int_equal(last, 200);
	fuzzer_free(f);
	corpus_release(&c);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void a_path_fills_places(void **state)
{
	static const double rates[FUZZ_MUTATIONS] = {0};
	struct corpus c = load();
	int blocks[] = {corpus_find(&c, "Relu"), corpus_find(&c, "Add")}, of_path = 0, fitting = 0;
	struct digraph g;
	struct plan_parts parts = {.corpus = &c, .graph = &g, .blocks = blocks, .n_blocks = 2, .path_only = 1};
	struct plan p;
	struct rng r;

	(void)state;
	assert_true(blocks[0] >= 0 && blocks[1] >= 0);
	parts.opset = FUZZ_OPSET;
	parts.rates = rates;
	rng_init(&r, 4);
	digraph_ws(&g, 12, 4, 0.5, &r);
	plan_make(&p, &parts, &r);
	assert_true(p.n >= 12);
	for (int i = 0; i < g.n; i++) /* Relu takes one, Add two; a node without an edge gets an input */
		fitting += digraph_in_degree(&g, i) <= 2;
	for (int i = 0; i < p.n; i++)
		of_path += p.op[i] == blocks[0] || p.op[i] == blocks[1];
	assert_true(fitting > 2 && of_path >= fitting);
	corpus_release(&c);
}

/* Operators that no subgraph of the paper has. */
static void subgraphs_alone(void **state)
{
	static const char *const others[] = {"Exp", "Softmax", "Transpose", "TopK", "MaxPool", "LRN", "Tile"};
	struct fuzz_options o = {.seed = 2, .subgraphs = 1};
	struct corpus c = load();
	struct fuzzer *f;
	struct err e = ERR_INIT;
	int convolutions = 0;

	(void)state;
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 60; i++) {
		struct fuzz_case made = {0};

		assert_int_equal(fuzzer_next(f, &made, &e), 0);
		for (size_t k = 0; k < sizeof others / sizeof *others; k++)
			assert_false(has_op(made.model, others[k]));
		convolutions += has_op(made.model, "Conv");
		fuzz_case_release(&made);
	}
	assert_true(convolutions > 50);
	fuzzer_free(f);
	corpus_release(&c);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static void check_numbers(const struct tensor *t)
{
	const float *x = t->data;

	for (size_t i = 0; i < t->count && t->dtype == DT_FLOAT; i++)
		assert_true(fabs((double)x[i]) <= 1);
}

static void numbers_are_small(void **state)
{
	struct fuzz_options o = {.seed = 3, .blocks = 5, .search = FUZZ_SEARCH_PAPER};
	struct corpus c = load();
	struct fuzzer *f;
	struct err e = ERR_INIT;
	int weights = 0;

	(void)state;
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 60; i++) {
		struct fuzz_case made = {0};
		const struct graph *g;

		assert_int_equal(fuzzer_next(f, &made, &e), 0);
		g = made.model->graph;
		for (size_t k = 0; k < g->inputs.n; k++)
			if (made.inputs[k] && !g->inputs.at[k]->init)
				check_numbers(made.inputs[k]->tensor);
		for (size_t k = 0; k < g->nodes.n; k++)
			if (!strcmp(g->nodes.at[k]->op_type, "Conv") && g->nodes.at[k]->in[1]->init) {
				check_numbers(g->nodes.at[k]->in[1]->init);
				weights++;
			}
		fuzz_case_release(&made);
	}
	assert_true(weights > 5);
	fuzzer_free(f);
	corpus_release(&c);
}

/* ---- the reward -------------------------------------------------------------------------------------------------- */

/* Of 900 models, those that have an operator; with `fails` a library fails on each of them. */
static int models_with(const char *op, int fails)
{
	struct fuzz_options o = {.seed = 6, .blocks = 4, .search = FUZZ_SEARCH_PAPER};
	struct corpus c = load();
	struct fuzzer *f;
	struct err e = ERR_INIT;
	int n = 0;

	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 900; i++) {
		struct fuzz_case made = {0};

		assert_int_equal(fuzzer_next(f, &made, &e), 0);
		if (has_op(made.model, op)) {
			n++;
			if (fails)
				fuzzer_credit(f, made.index, made.node);
		}
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
	corpus_release(&c);
	return n;
}

/* How much more of an operator there is depends on how near to the root its blocks are: all of them together. */
static void failures_are_the_reward(void **state)
{
	static const char *const failing[] = {"Softmax", "Relu", "Conv", "MaxPool", "Add", "Concat", "Tanh"};
	int before = 0, after = 0;

	(void)state;
	for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
		before += models_with(failing[i], 0);
		after += models_with(failing[i], 1);
	}
	print_message("models with them %d, when a library fails on them %d\n", before, after);
	assert_true(before > 0 && after > 2 * before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models_are_discarded),    cmocka_unit_test(a_path_fills_places),
		cmocka_unit_test(subgraphs_alone),         cmocka_unit_test(numbers_are_small),
		cmocka_unit_test(failures_are_the_reward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
