/* test_fuzz.c - graph-based fuzzing: coverage, graphs, mutations, and that every case is valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "methods/fuzz/campaign.h"
#include "methods/fuzz/fuzz.h"
#include "ops/op.h"
#include "reference/reference.h"

#define BLOCKS "data/blocks-"

static struct corpus load(const char *name)
{
	struct corpus c;
	struct err e = ERR_INIT;
	char path[4096];

	snprintf(path, sizeof path, "%s%s.yaml", BLOCKS, name);
	if (corpus_load(path, !strcmp(name, "large"), &c, &e))
		fail_msg("%s", e.msg);
	return c;
}

/* ---- coverage ---------------------------------------------------------------------------------------------------- */

static void assert_percent(double share, double percent)
{
	assert_true(fabs(100 * share - percent) < 0.05);
}

static int shape_is_new(struct coverage *seen, int op, uint64_t vector)
{
	struct err e = ERR_INIT;
	int fresh = 0;

	assert_int_equal(coverage_shape(seen, op, vector, &fresh, &e), 0);
	return fresh;
}

/* TABLE I: three blocks, output degrees 0 to 2; TABLE II: what three networks cover of them. */
static void paper_table_ii(void **state)
{
	enum { CONV, RELU, ADD };
	struct fuzz_op ops[3] = {{.in_low = 1, .in_high = 1, .out_high = 2},
				 {.in_low = 1, .in_high = 1, .out_high = 2},
				 {.in_low = 2, .in_high = 2, .out_high = 2}};
	struct corpus c = {.ops = ops, .n_ops = 3};
	struct coverage *seen;
	struct coverage_figures f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(coverage_new(&c, 10, &seen, &e), 0);
	assert_int_equal(coverage_degrees(seen, CONV, 1, 1), 1);
	assert_int_equal(coverage_degrees(seen, CONV, 1, 2), 1);
	assert_int_equal(coverage_degrees(seen, CONV, 1, 2), 0);
	coverage_degrees(seen, RELU, 1, 1);
	coverage_degrees(seen, ADD, 2, 0);
	coverage_degrees(seen, ADD, 2, 1);
	assert_int_equal(coverage_degrees(seen, ADD, 3, 5), 0); /* not in the corpus: does not count */
	assert_int_equal(coverage_edge(seen, CONV, RELU), 1);
	assert_int_equal(coverage_edge(seen, CONV, RELU), 0);
	coverage_edge(seen, RELU, ADD);
	coverage_edge(seen, ADD, CONV);
	for (uint64_t i = 0; i < 3; i++) {
		if (i < 2)
			assert_true(shape_is_new(seen, CONV, i + 10));
		shape_is_new(seen, ADD, i + 100);
	}
	assert_false(shape_is_new(seen, CONV, 11));
	shape_is_new(seen, RELU, 7);
	f = coverage_of_op(seen, CONV);
	assert_percent(f.odc, 66.7);
	assert_percent(f.sec, 33.3);
	assert_percent(f.spc, 20);
	assert_percent(f.olc, 64);
	assert_percent(coverage_of_op(seen, RELU).olc, 55.3);
	assert_percent(coverage_of_op(seen, ADD).olc, 66);
	f = coverage_of_set(seen);
	assert_percent(f.otc, 100);
	assert_percent(f.idc, 100);
	assert_percent(f.odc, 55.6);
	assert_percent(f.sec, 33.3);
	assert_percent(f.spc, 20);
	assert_percent(f.olc, 61.8);
	coverage_free(seen);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static int count_edges(const struct digraph *g)
{
	int n = 0;

	for (int i = 0; i < g->n; i++)
		n += digraph_in_degree(g, i);
	return n;
}

static void graph_models(void **state)
{
	struct digraph g;
	struct rng r;

	(void)state;
	rng_init(&r, 1);
	digraph_ws(&g, 12, 4, 0, &r); /* nothing is moved: a ring with two edges a node */
	assert_int_equal(count_edges(&g), 24);
	digraph_ws(&g, 12, 4, 0.5, &r); /* edges are moved, none is lost */
	assert_int_equal(count_edges(&g), 24);
	for (int k = 2; k <= 6; k += 2) {
		digraph_rn(&g, 12, k, 0.9, &r);
		for (int i = 0; i < 12; i++) {
			int degree = digraph_in_degree(&g, i);

			for (int j = i + 1; j < 12; j++)
				degree += g.edge[i][j];
			assert_true(degree <= k);
			assert_true(i == 11 || g.edge[i][i + 1]);
		}
	}
	digraph_ws(&g, 1, 6, 0.5, &r);
	assert_int_equal(count_edges(&g), 0);
}

static const struct mutation *find_mutation(const char *name)
{
	for (int i = 0; mutation_rows[i].name; i++)
		if (!strcmp(mutation_rows[i].name, name))
			return mutation_rows[i].mutation;
	fail_msg("there is no mutation %s", name);
	return NULL;
}

static void mutations(void **state)
{
	struct fuzz_subgraph s = {.n = 3, .ops = {0, 1, 2}, .n_edges = 3, .from = {0, 0, 1}, .to = {1, 2, 2}};
	struct digraph g;
	struct rng r;

	(void)state;
	rng_init(&r, 2);
	digraph_rn(&g, 10, 2, 0.9, &r);
	assert_int_equal(count_edges(&g), 9);
	find_mutation("GEA")->graph(&g, 0.15, &r); /* ⌈1.5⌉ */
	assert_int_equal(count_edges(&g), 11);
	find_mutation("GER")->graph(&g, 0.15, &r); /* ⌊1.5⌋ */
	assert_int_equal(count_edges(&g), 10);
	find_mutation("BNA")->subgraph(&s, 1, &r);
	assert_int_equal(s.n, 4);
	assert_true(s.n_edges >= 5);
	find_mutation("BNR")->subgraph(&s, 1, &r);
	assert_int_equal(s.n, 3);
	for (int i = 0; i < s.n_edges; i++)
		assert_true(s.from[i] < s.n && s.to[i] < s.n && s.from[i] != s.to[i]);
	find_mutation("BNR")->subgraph(&s, 0, &r);
	assert_int_equal(s.n, 3);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* float8 without saturation: what is too large for it becomes NaN, as ONNX says, up to the next node. */
static int has_unsaturated(const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!strcmp(g->nodes.at[i]->op_type, "QuantizeLinear") && !node_int(g->nodes.at[i], "saturate", 1))
			return 1;
	return 0;
}

static void run_in_reference(struct fuzz_case *c, int special)
{
	int may_be_open = special || c->ends || has_unsaturated(c->model->graph);
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result result;
	struct ref *ref;
	struct err e = ERR_INIT;

	if (ref_open(c->model, &ref, &e))
		fail_msg("%s", e.msg);
	if (ref_run(ref, c->inputs, c->model->graph->inputs.n, &o, &result, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(result.n, c->model->graph->outputs.n);
	assert_true(result.n > 0);
	/* Nothing overflows by accident, and nothing is undefined. */
	for (size_t i = 0; i < result.n; i++) {
		const struct tensor *t = result.outputs[i].value->tensor;

		for (size_t k = 0; t && t->dtype != DT_STRING && k < t->count; k++)
			assert_true(may_be_open || isfinite(tensor_get(t, k)));
	}
	ref_result_release(&result);
	ref_close(ref);
}

static uint32_t of_opset(struct fuzz_op *op, void *arg)
{
	return fuzz_op_types(op, *(int *)arg);
}

static void all_valid(const char *name, int n, int special, int opset)
{
	struct corpus c = load(name);
	struct fuzz_options o = {.seed = 11, .special = special, .opset = opset};
	struct fuzzer *f;
	struct err e = ERR_INIT;

	assert_int_equal(corpus_filter(&c, of_opset, &opset, &e), 0);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < n; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		run_in_reference(&made, special);
		fuzz_case_release(&made);
	}
	assert_true(fuzzer_figures(f).otc > 0.999);
	fuzzer_free(f);
	corpus_release(&c);
}

static void cases_are_valid(void **state)
{
	(void)state;
	all_valid("paper", 300, 0, FUZZ_OPSET);
	all_valid("large", 1500, 0, FUZZ_OPSET);
	all_valid("large", 1000, 1, FUZZ_OPSET);
	all_valid("large", 1500, 0, OP_NEWEST_OPSET);
}

/* What a case tells of its coverage is all that another run needs. */
static void cases_tell_what_they_cover(void **state)
{
	struct corpus c = load("paper");
	struct fuzz_options o = {.seed = 7, .notes = 1};
	struct coverage_figures one, other;
	struct fuzzer *f, *learner;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	assert_int_equal(fuzzer_new(&c, &o, &learner, &e), 0);
	for (int i = 0; i < 20; i++) {
		struct fuzz_case made = {0};

		assert_int_equal(fuzzer_next(f, &made, &e), 0);
		assert_int_equal(fuzzer_learn(learner, made.notes.data, &e), 0);
		fuzz_case_release(&made);
	}
	one = fuzzer_figures(f);
	other = fuzzer_figures(learner);
	assert_memory_equal(&one, &other, sizeof one);
	assert_int_equal(fuzzer_learn(learner, "node\tNobody\t1\t1\tff\nedge\tNobody\tAdd\n", &e), 0);
	assert_int_equal(fuzzer_learn(learner, "nonsense\n", &e), ERR_INPUT);
	fuzzer_free(f);
	fuzzer_free(learner);
	corpus_release(&c);
}

static uint32_t but_relu(struct fuzz_op *op, void *arg)
{
	(void)arg;
	return op->row && !strcmp(op->row->name, "Relu") ? 0 : op->types;
}

static uint32_t nothing(struct fuzz_op *op, void *arg)
{
	(void)op, (void)arg;
	return 0;
}

/* An operator that goes takes the subgraphs with it that have it; the others keep their operators. */
static void operators_are_left_out(void **state)
{
	struct corpus c = load("paper");
	struct err e = ERR_INIT;
	int ops = c.n_ops, subgraphs = c.n_subgraphs;

	(void)state;
	assert_int_equal(corpus_filter(&c, but_relu, NULL, &e), 0);
	assert_int_equal(c.n_ops, ops - 1);
	assert_int_equal(c.n_subgraphs, subgraphs - 1); /* feature maps */
	assert_int_equal(corpus_find(&c, "Relu"), -1);
	assert_string_equal(c.subgraphs[0].name, "arithmetic");
	assert_string_equal(c.ops[c.subgraphs[0].ops[1]].name, "Tanh");
	assert_int_equal(corpus_filter(&c, nothing, NULL, &e), ERR_USAGE);
	corpus_release(&c);
}

static uint32_t but_is_nan(struct fuzz_op *op, void *arg)
{
	(void)arg;
	return op->row && !strcmp(op->row->name, "IsNaN") ? 0 : op->types;
}

/* Where NaN cannot be kept from what has no order, since a library has no IsNaN, there is none in models of several
 * blocks.  test_fuzz_turn.c has those of one operator. */
static void no_nan_without_is_nan(void **state)
{
	struct corpus c = load("large");
	struct fuzz_options o = {.seed = 5, .special = 1};
	struct fuzzer *f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(corpus_filter(&c, but_is_nan, NULL, &e), 0);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 300; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		assert_true(i % 2 == 0 || !made.ends);
		for (size_t k = 0; k < made.model->graph->nodes.n; k++)
			assert_string_not_equal(made.model->graph->nodes.at[k]->op_type, "IsNaN");
		run_in_reference(&made, i % 2 == 0);
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
	corpus_release(&c);
}

static uint64_t digest_of_cases(uint64_t seed, enum fuzz_search search, int n)
{
	struct corpus c = load("paper");
	struct fuzz_options o = {.seed = seed, .blocks = 6, .search = search};
	struct fuzzer *f;
	struct err e = ERR_INIT;
	uint64_t h = HASH_BEGIN;

	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < n; i++) {
		struct fuzz_case made = {0};
		struct buf b;

		assert_int_equal(fuzzer_next(f, &made, &e), 0);
		buf_init(&b, 1 << 24);
		assert_int_equal(model_serialize(made.model, &b, &e), 0);
		h = hash_bytes(h, b.data, b.len);
		buf_release(&b);
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
	corpus_release(&c);
	return h;
}

static void cases_depend_on_the_seed(void **state)
{
	(void)state;
	assert_true(digest_of_cases(3, FUZZ_SEARCH_MCTS, 40) == digest_of_cases(3, FUZZ_SEARCH_MCTS, 40));
	assert_true(digest_of_cases(3, FUZZ_SEARCH_MCTS, 40) != digest_of_cases(4, FUZZ_SEARCH_MCTS, 40));
	assert_true(digest_of_cases(3, FUZZ_SEARCH_RANDOM, 40) != digest_of_cases(3, FUZZ_SEARCH_MCTS, 40));
}

/* The tree search covers more than chance with the same number of models. */
static void search_covers_more(void **state)
{
	struct corpus c = load("paper");
	double olc[2];

	(void)state;
	for (int s = 0; s < 2; s++) {
		struct fuzz_options o = {.seed = 5, .blocks = 10, .search = s ? FUZZ_SEARCH_RANDOM : FUZZ_SEARCH_MCTS};
		struct fuzzer *f;
		struct err e = ERR_INIT;

		assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
		for (int i = 0; i < 200; i++) {
			struct fuzz_case made = {0};

			assert_int_equal(fuzzer_next(f, &made, &e), 0);
			fuzz_case_release(&made);
		}
		olc[s] = fuzzer_figures(f).olc;
		fuzzer_free(f);
	}
	assert_true(olc[0] > olc[1]);
	corpus_release(&c);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void refuse(const char *text, const char *message)
{
	char path[] = "/tmp/test_fuzz_XXXXXX";
	struct corpus c;
	struct err e = ERR_INIT;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(buf_write_file(text, strlen(text), path, &e), 0);
	assert_int_equal(corpus_load(path, 0, &c, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, message));
	remove(path);
}

static void bad_corpus_files(void **state)
{
	(void)state;
	refuse("operators: 3\n", "cannot read blocks");
	refuse("operators:\n  - {name: A, sample: nonsense}\n", "no sampler 'nonsense'");
	refuse("operators:\n  - {name: Bernoulli}\n", "Bernoulli is not drawn: each library");
	refuse("operators:\n  - {name: A, sample: Relu, in: 3, in_max: 2}\n", "degrees");
	refuse("operators:\n  - {name: A, sample: Relu, types: string}\n", "no element type is left");
	refuse("operators:\n  - {name: A, sample: Binarizer, types: int8}\n", "no element type is left");
	refuse("operators:\n  - {name: A, sample: Relu}\n  - {name: A, sample: Tanh}\n", "twice");
	refuse("operators:\n  - {name: A, sample: Relu}\nsubgraphs:\n  - {name: s, nodes: [A, A], edges: \"1>0\"}\n",
	       "edge 1>0");
}

/* Two jobs, of which one lags behind: what a run that goes on will make again is not written down, and so not counted
 * twice. */
static void counts_add_up(void **state)
{
	struct campaign_options o = {.n_specs = 1, .jobs = 2};
	struct fuzz_stats s = {.next = 0};
	struct fuzz_counts c = {.waiting = VEC_INIT};
	struct err e = ERR_INIT;
	struct buf text;
	const int64_t order[] = {0, 2, 4, 1}, next[] = {0, 0, 0, 3}; /* 3 is the first that is not done */

	(void)state;
	buf_init(&text, 4096);
	fuzz_counts_open(&c, &o, &s);
	for (int i = 0; i < 4; i++) {
		struct fuzz_record r = {.index = order[i],
					.findings = 1,
					.notes = {FUZZ_RAN | VERDICT_ROUNDING},
					.held = order[i] > 1 ? 1u << HELD_BIT_nan : 1u << HELD_BIT_infinity};

		s.next = next[i];
		assert_int_equal(fuzz_counts_add(&c, &o, &r, &s, &e), 0);
	}
	assert_int_equal(s.all.tallies[0].judged, 4);
	fuzz_counts_write(&c, 1, 3, &text);
	buf_puts(&text, "7 Conv\n");
	fuzz_counts_release(&c);
	assert_string_equal(fuzz_counts_read(text.data, &o.before, 1), "7 Conv\n");
	assert_int_equal(o.before.tallies[0].judged, 3); /* not case 4 */
	assert_int_equal(o.before.tallies[0].ran, 3);
	assert_int_equal(o.before.held[0].nan, 1); /* of case 2 */
	assert_int_equal(o.before.held[0].infinity, 2);
	assert_int_equal(o.before.findings, 3);
	assert_int_equal(o.before.next, 3);
	c = (struct fuzz_counts){.waiting = VEC_INIT};
	fuzz_counts_open(&c, &o, &s);
	for (s.next = 4; s.next <= 5; s.next++) {
		struct fuzz_record r = {
			.index = s.next - 1, .notes = {FUZZ_RAN | VERDICT_VACUOUS}, .held = 1u << HELD_BIT_nan};

		assert_int_equal(fuzz_counts_add(&c, &o, &r, &s, &e), 0);
	}
	assert_int_equal(s.all.tallies[0].given, 5);
	assert_int_equal(s.all.tallies[0].vacuous, 2);
	assert_int_equal(s.all.held[0].nan, 1); /* nothing was judged on the others */
	assert_int_equal(s.all.findings, 3);    /* the exit status tells of what was found before, too */
	fuzz_counts_release(&c);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paper_table_ii),
		cmocka_unit_test(graph_models),
		cmocka_unit_test(mutations),
		cmocka_unit_test(cases_are_valid),
		cmocka_unit_test(cases_tell_what_they_cover),
		cmocka_unit_test(operators_are_left_out),
		cmocka_unit_test(no_nan_without_is_nan),
		cmocka_unit_test(cases_depend_on_the_seed),
		cmocka_unit_test(search_covers_more),
		cmocka_unit_test(bad_corpus_files),
		cmocka_unit_test(counts_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
