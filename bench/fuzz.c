/* fuzz.c - TABLE III of the graph-fuzzing paper, and how fast cases are made.
 *
 *     build/bench_fuzz [models [seeds]]       (default: 400 models, 10 seeds)
 *
 * Random or tree search; WS, RN or both; with mutations or without; 5, 10 and 15 blocks a model.  Operator-level
 * coverage in percent, the mean over the seeds, and microseconds of this process to make a case.  "filled" is random
 * search with the filler of the tree search.  The last rows are in the paper's setting (assay help fuzz: --search), of
 * the tree search without a library: it has no failures as a reward.  With one, exceptions and durations are
 * bench/fuzz-exceptions'. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "methods/fuzz/fuzz.h"

struct strategy {
	const char *name;
	enum graph_model graphs;
	int no_mutations;
	enum fuzz_search search;
	double paper[3]; /* OLC for 5, 10 and 15 blocks */
};

static const struct strategy strategies[] = {
	{"WS+RN mutated random", GRAPH_BOTH, 0, FUZZ_SEARCH_RANDOM, {60.2, 69.9, 71.8}},
	{"WS            MCTS  ", GRAPH_WS, 1, FUZZ_SEARCH_MCTS, {57.2, 62.9, 64.8}},
	{"RN            MCTS  ", GRAPH_RN, 1, FUZZ_SEARCH_MCTS, {57.7, 65.3, 67.3}},
	{"WS+RN         MCTS  ", GRAPH_BOTH, 1, FUZZ_SEARCH_MCTS, {59.2, 65.8, 69.7}},
	{"WS+RN mutated MCTS  ", GRAPH_BOTH, 0, FUZZ_SEARCH_MCTS, {61.5, 76.4, 81.7}},
	{"WS+RN mutated filled", GRAPH_BOTH, 0, FUZZ_SEARCH_FILLED, {60.2, 69.9, 71.8}},
	{"paper: random       ", GRAPH_BOTH, 0, FUZZ_SEARCH_PAPER_RANDOM, {60.2, 69.9, 71.8}},
	{"paper: no mutations ", GRAPH_BOTH, 1, FUZZ_SEARCH_PAPER, {59.2, 65.8, 69.7}},
	{"paper: MCTS         ", GRAPH_BOTH, 0, FUZZ_SEARCH_PAPER, {61.5, 76.4, 81.7}},
};

/* Sums over seeds: coverage in percent, and time. */
struct sums {
	double olc, seconds;
};

/* Adds one seed. */
static int run(const struct corpus *c, const struct strategy *s, int blocks, int models, uint64_t seed,
	       struct sums *sums, struct err *e)
{
	struct fuzz_options o = {.seed = seed,
				 .search = s->search,
				 .graphs = s->graphs,
				 .blocks = blocks,
				 .no_mutations = s->no_mutations};
	struct fuzzer *f;
	clock_t start = clock();
	int rc = fuzzer_new(c, &o, &f, e);

	if (rc)
		return rc;
	for (int i = 0; i < models && !rc; i++) {
		struct fuzz_case made = {0};

		rc = fuzzer_next(f, &made, e);
		fuzz_case_release(&made);
	}
	sums->olc += 100 * fuzzer_figures(f).olc;
	sums->seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
	fuzzer_free(f);
	return rc;
}

static int table(const struct corpus *c, int models, int seeds, struct err *e)
{
	int rc = 0;

	printf("%d models, mean of %d seeds; OLC in %%, in brackets the paper's, then µs a model\n", models, seeds);
	printf("%-22s %24s %24s %24s\n", "", "5 blocks", "10 blocks", "15 blocks");
	for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
		printf("%-22s", strategies[i].name);
		for (int k = 0; k < 3 && !rc; k++) {
			struct sums sums = {0};

			for (int s = 0; s < seeds && !rc; s++)
				rc = run(c, &strategies[i], 5 * (k + 1), models, (uint64_t)s + 1, &sums, e);
			printf("    %5.1f (%4.1f) %7.0f µs", sums.olc / seeds, strategies[i].paper[k],
			       1e6 * sums.seconds / seeds / models);
		}
		printf("\n");
	}
	return rc;
}

int main(int argc, char **argv)
{
	int models = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 400;
	int seeds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10;
	struct corpus c = {0};
	struct err e = ERR_INIT;
	int rc = corpus_load("data/blocks-paper.yaml", 0, &c, &e);

	if (!rc)
		rc = table(&c, models > 0 ? models : 400, seeds > 0 ? seeds : 10, &e);
	if (rc)
		fprintf(stderr, "bench_fuzz: %s\n", e.msg);
	corpus_release(&c);
	return rc ? 1 : 0;
}
