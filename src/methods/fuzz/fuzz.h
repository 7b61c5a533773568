/* fuzz.h - graph-based fuzzing: random graphs of blocks, guided by operator-level coverage.
 *
 *   corpus     blocks: operators, patterns and small subgraphs, with the degrees they may have
 *   chooser    which blocks go into the next model: Monte Carlo tree search, or random
 *   digraph    how they are connected: Watts-Strogatz or residual network, then mutated
 *   block      one block of a model: what leads into it made to fit, then its sampler (ops/sample/maker.h)
 *   case       an ONNX model with inputs, valid by construction
 *   coverage   what the cases so far have exercised: types, degrees, edges, shapes and parameters
 *   shards     who makes which case, and what it knows of the others' by then (shards.h)
 *
 * A case depends on the seed and on cases before it, never on what a library does with it.  So it does not matter who
 * makes it, and a run that was killed goes on by making its cases again. */
#ifndef METHODS_FUZZ_FUZZ_H
#define METHODS_FUZZ_FUZZ_H

#include "base/rng.h"
#include "base/split.h"
#include "judge/trial.h"
#include "ops/sample/maker.h"

#define FUZZ_OPSET 21               /* of models, unless told otherwise */
#define FUZZ_MIN_OPSET 7            /* broadcasting is as today since */
#define FUZZ_MAX_NODES 30           /* blocks of a graph */
#define FUZZ_MAX_PLAN 320           /* operators of a model, the subgraphs' included */
#define FUZZ_MAX_DEGREE MAKE_MAX_IN /* inputs of a block */
#define FUZZ_MAX_INNER 16           /* operators of a subgraph, added ones included */
#define FUZZ_MAX_EDGES 40           /* of a subgraph */
#define FUZZ_MAX_SPC 200            /* n_maxspc of the paper, unless told otherwise */
#define FUZZ_SHARDS 64              /* of a campaign: which cases a seed makes depends on it */
#define FUZZ_MAX_JOBS FUZZ_SHARDS
#define FUZZ_OUT 5 /* largest output degree, as in the paper */

/* ---- corpus.c ---------------------------------------------------------------------------------------------------- */

struct fuzz_op {
	const char *name;         /* of the block: "Conv2d" */
	const struct op_row *row; /* the operator that it is of; NULL: a pattern of several */
	int is_form;              /* one of several ways to draw that operator: a form of it, or more nodes around it */
	const struct sampler *sampler;
	const struct op_case **cases;     /* up to NULL: what it is drawn from; NULL: it has a sampler of its own */
	const struct pattern *pattern;    /* that is written down in the file; NULL: it is none */
	uint32_t types;                   /* element types it takes here */
	uint32_t at[OP_NEWEST_OPSET + 1]; /* … by the model's opset; 0: it is not there */
	uint32_t opsets;                  /* those of which it has types, as bits */
	int in_low, in_high, out_low, out_high;
	double low, high; /* values of the first input that it is given, where low < high */
	double far;       /* … and with FILL_ENDS, where it is not 0 */
	double bound;     /* of the result's absolute value; 0: as the sampler says */
	int ordered;      /* it gets no NaN */
};

struct fuzz_subgraph {
	const char *name;
	int in_low, in_high, out_low, out_high;
	int n, ops[FUZZ_MAX_INNER]; /* indices of operators */
	int n_edges, from[FUZZ_MAX_EDGES], to[FUZZ_MAX_EDGES];
	uint32_t opsets; /* that have all of its operators, as bits */
};

struct corpus {
	struct fuzz_op *ops;
	struct fuzz_subgraph *subgraphs;
	int n_ops, n_subgraphs; /* block i is operator i, or subgraph i - n_ops */
	int with_operators; /* it is the corpus of all of them: blocks have something around them now and then, and most
			     * models are small */
	int whole_bits;     /* of integers that all backends compute with; 0: as many as their types have */
	VEC(struct op_case *) cases;
	struct arena arena;
};

/* Reads a file of blocks (data/blocks-paper.yaml says what stands in it).  with_operators: every operator that can be
 * drawn is a block as well, by each of its samples. */
int corpus_load(const char *path, int with_operators, struct corpus *out, struct err *e);
/* Adds the subgraphs of real networks in DIR/corpus (seeds.c), in the order of their names; before corpus_filter().
 * ERR_USAGE when there is none that the corpus has the operators of. */
int corpus_add_seeds(struct corpus *c, const char *folder, struct err *e);
void corpus_set_subgraph_opsets(const struct corpus *c, struct fuzz_subgraph *s); /* those of all its operators */
/* Element types of a block in models of an opset; 0: none that it could be given. */
uint32_t fuzz_op_types(const struct fuzz_op *op, int opset);
/* Whether models of an opset can have a block. */
int corpus_has(const struct corpus *c, int block, int opset);
/* Keeps the operators for which `fn` gives element types, with those types, in the opsets that op->at says (it may have
 * taken some away), and the subgraphs that have only such.  ERR_USAGE when none is left. */
typedef uint32_t corpus_types(struct fuzz_op *op, void *arg);
int corpus_filter(struct corpus *c, corpus_types *fn, void *arg, struct err *e);
int corpus_find(const struct corpus *c, const char *name); /* index of an operator, -1: there is none */
void corpus_release(struct corpus *c);

/* ---- coverage.c -------------------------------------------------------------------------------------------------- */

struct coverage_figures {
	double otc, idc, odc, sec, spc, olc; /* 0 … 1 */
};

struct coverage; /* of one test set */

/* max_spc: n_maxspc of equation 5. */
int coverage_new(const struct corpus *c, int max_spc, struct coverage **out, struct err *e);
void coverage_free(struct coverage *c);
/* Whether that is new; *fresh is set when it is, else left alone. */
int coverage_degrees(struct coverage *c, int op, int in, int out);
int coverage_edge(struct coverage *c, int from, int to);
int coverage_shape(struct coverage *c, int op, uint64_t vector, int *fresh, struct err *e);
int coverage_has_edge(const struct coverage *c, int from, int to);
/* How often an operator that was put in raised the coverage of late: 0 … 1, and before the first time more than an edge
 * that is new counts: of a large corpus every block is drawn soon. */
#define COVERAGE_NEW 3
double coverage_promise(const struct coverage *c, int op);
void coverage_note(struct coverage *c, int op, int raised);
/* What is new beside `base`, which must not change while it is asked; coverage_restart() drops that, after it did. */
int coverage_beside(const struct coverage *base, struct coverage **out, struct err *e);
void coverage_restart(struct coverage *c);

enum covered { COVERED_DEGREES, COVERED_EDGE, COVERED_SHAPE };

struct coverage_item {
	enum covered kind;
	int op, a, b;    /* degrees: in and out; edge: the operator behind it */
	uint64_t vector; /* of shapes and parameters */
};

struct coverage_news {
	struct coverage_item *at;
	size_t n, size;
};

/* What was new beside the base, in its order; whoever has read it sets n to 0. */
struct coverage_news *coverage_news(struct coverage *c);
int coverage_add(struct coverage *c, const struct coverage_item *item, struct err *e);
/* Lines of a case's notes, from this run or another: what they name is covered.  Operators that the corpus does not
 * have are passed over. */
int coverage_learn(struct coverage *c, const char *notes, struct err *e);
struct coverage_figures coverage_of_op(const struct coverage *c, int op);
struct coverage_figures coverage_of_set(const struct coverage *c);

/* ---- digraph.c --------------------------------------------------------------------------------------------------- */

/* Edges go from lower to higher numbers: it has no cycle. */
struct digraph {
	int n;
	unsigned char edge[FUZZ_MAX_NODES][FUZZ_MAX_NODES];
};

enum graph_model { GRAPH_BOTH, GRAPH_WS, GRAPH_RN };

void digraph_ws(struct digraph *g, int n, int k, double p, struct rng *r);
void digraph_rn(struct digraph *g, int n, int k, double p, struct rng *r);
int digraph_in_degree(const struct digraph *g, int node);

/* ---- mutations.def: one row and one file each -------------------------------------------------------------------- */

struct plan;

struct mutation {
	const char *summary;
	void (*graph)(struct digraph *g, double rate, struct rng *r);          /* before blocks are chosen */
	void (*subgraph)(struct fuzz_subgraph *s, double rate, struct rng *r); /* each that is put in */
	void (*source)(struct maker *m, double rate, struct rng *r);           /* before shapes are chosen */
};

struct mutation_row {
	const char *name;
	const struct mutation *mutation;
};

extern const struct mutation_row mutation_rows[]; /* up to the first without a name */
#define FUZZ_MUTATIONS 6

/* ---- chooser.c --------------------------------------------------------------------------------------------------- */

enum fuzz_search {
	FUZZ_SEARCH_MCTS,
	FUZZ_SEARCH_RANDOM,
	FUZZ_SEARCH_FILLED, /* random, with the filler of the tree search */
	FUZZ_SEARCH_PAPER,  /* the tree search, and … */
	FUZZ_SEARCH_PAPER_RANDOM,
	FUZZ_SEARCHES
};

/* What a search is made of. */
struct fuzz_search_row {
	const char *name;
	int tree;   /* blocks come from the tree search */
	int filler; /* places that it leaves get what makes new edges, not just anything */
	int paper;  /* a path fills all places that it can, models that cover nothing new are thrown away, failures are
		     * the reward, and numbers are uniform in [-1, 1] */
};

extern const struct fuzz_search_row fuzz_searches[FUZZ_SEARCHES + 1]; /* and one without a name */

struct chooser;

/* shards: that choose at the same time, 1: this one alone. */
int chooser_new(const struct corpus *c, enum fuzz_search kind, int shards, struct chooser **out, struct err *e);
void chooser_free(struct chooser *c);
/* Blocks that must be in the next model, of an opset, of `max` places; returns how many.  Random search wants none. */
int chooser_next(struct chooser *c, const struct coverage *seen, int opset, struct rng *r, int *blocks, int max,
		 struct err *e);
/* What came of them: by how much the model raised the coverage.  Gives the node that was explored, -1: none. */
int chooser_reward(struct chooser *c, double gain);
/* The model is thrown away: as if it had not been asked for. */
void chooser_drop(struct chooser *c);
/* One more success for a node and those above it, for what a library showed later. */
void chooser_credit(struct chooser *c, int node);

/* ---- plan.c: operators and how they are connected ---------------------------------------------------------------- */

struct plan {
	int n, op[FUZZ_MAX_PLAN];
	int n_in[FUZZ_MAX_PLAN], in[FUZZ_MAX_PLAN][FUZZ_MAX_DEGREE]; /* producers; -1: an input of the model */
	int n_out[FUZZ_MAX_PLAN];
};

/* What a plan is made of; all of it is borrowed. */
struct plan_parts {
	const struct corpus *corpus;
	const struct coverage *seen; /* NULL: chance decides alone */
	const struct digraph *graph;
	const int *blocks; /* of the corpus, that must be put in */
	int n_blocks;
	int path_only;       /* and others only where none of these has the right number of inputs */
	int subgraphs_only;  /* others are subgraphs */
	int opset;           /* blocks that it has not are not chosen */
	int inputs;          /* of a block that none leads into, as far as it takes so many; 0: as few as it takes */
	const double *rates; /* of the mutations of subgraphs */
};

/* Puts blocks on the nodes of a graph: those given, and on the other nodes any of the corpus that takes the node's
 * number of inputs; with `seen` such as make edges that were not seen before. */
void plan_make(struct plan *p, const struct plan_parts *of, struct rng *r);

/* ---- block.c ----------------------------------------------------------------------------------------------------- */

/* Makes one block of a corpus; NULL when m->b.rc is set. */
struct wire *block_make(struct maker *m, const struct corpus *c, const struct fuzz_op *op, struct wire *const *in,
			int n);

/* Whether an operator gives some of the numbers that it is given, or their positions: ArgMax, TopK … */
int block_chooses(const struct op *op);

/* ---- vector.c ---------------------------------------------------------------------------------------------------- */

/* Types, shapes and parameters of the nodes from `first` on, as a number. */
uint64_t vector_of_nodes(const struct graph *g, size_t first);

/* ---- frame.c ----------------------------------------------------------------------------------------------------- */

/* Takes inputs off the graph that nothing reads, and nodes that nothing comes of. */
int frame_drop_unread(struct graph *g, struct err *e);
/* More outputs of nodes become the model's; initializers are inputs, too: some of floats, or all, as in IR 3. */
int frame_widen(struct model *m, struct rng *r, struct err *e);
/* What such an input is given: *out is NULL for its default, or the same numbers in other places. */
int frame_value(const struct model *m, const struct wire *w, struct rng *r, struct value **out, struct err *e);
/* Inputs of some models become constants, all of them or some: an optimizer computes what is constant beforehand. */
struct fuzz_case;
int frame_settle(struct fuzz_case *c, struct rng *r, struct err *e);
/* Sizes of inputs become symbols or unknown, and what follows of them with them; the inputs are there already. */
int frame_open(struct model *m, struct rng *r, struct err *e);
/* Types of all nodes anew, after a change; left as they were where they cannot be told. */
int fuzz_infer_again(struct model *m, struct err *e);

/* ---- inputs.c ---------------------------------------------------------------------------------------------------- */

/* Fills c->inputs as the maker's fill and ranges have it; `own` is chance for inputs that have a default. */
int fuzz_draw_inputs(struct maker *m, struct rng *own, struct fuzz_case *c, struct err *e);

/* ---- case.c ------------------------------------------------------------------------------------------------------ */

struct fuzz_options {
	uint64_t seed;
	enum fuzz_search search;
	enum graph_model graphs;
	int blocks;                     /* of a model; 0: 1 … most_blocks */
	int most_blocks;                /* 0: FUZZ_MAX_NODES */
	int no_mutations;               /* five input shapes, no mutation */
	int max_spc;                    /* 0: FUZZ_MAX_SPC */
	int opset;                      /* of most models; 0: FUZZ_OPSET */
	int oldest, newest;             /* opsets of the others; 0: they are of that one too */
	int special;                    /* NaN and infinities among the inputs */
	int invalid;                    /* each model breaks one rule of ONNX, where that can be done */
	int subgraphs;                  /* models of 1 or 3 subgraphs, and nothing else */
	int notes;                      /* write down what each case covers */
	struct split split;             /* which cases of the whole run are made: other parts are not known of */
	int shards;                     /* 0: 1, which knows all cases before it */
	int job, jobs;                  /* whose share of the shards is made, of how many; 0: all of them */
	struct fuzz_exchange *exchange; /* of all jobs; NULL: this is the only one */
};

/* --opset: one, or a range ("9-13"), into oldest and newest. */
int fuzz_options_opset(struct fuzz_options *o, const char *text, struct err *e);

struct fuzz_case {
	int64_t index; /* among the cases of all shards, and all parts of a split run */
	struct model *model;
	struct value **inputs; /* by graph->inputs; NULL: the input's default */
	uint64_t seed;
	int ends;          /* inputs have the ends of types: what comes of them may be infinite, or no number */
	int raised;        /* the coverage */
	int discarded;     /* models that were thrown away for it, since they covered nothing new */
	const char *about; /* the block put in first; borrowed from the corpus */
	struct buf notes;  /* when asked for: what it covers, as fuzzer_learn() reads it */
	int may_run;       /* --invalid: a library that runs it is not to be told of */
	int node;          /* of the search tree, for fuzzer_credit(); -1: none */
};

/* invalid.c: breaks one rule of ONNX in the case, where one is found to be broken. */
int invalid_make(struct fuzz_case *c, struct rng *r, struct err *e);

struct fuzzer; /* makes the cases of one job, one after the other */

int fuzzer_new(const struct corpus *c, const struct fuzz_options *o, struct fuzzer **out, struct err *e);
void fuzzer_free(struct fuzzer *f);
/* Whether the next case can be made: other jobs have told what it must know.  Always, where there is but one. */
int fuzzer_is_ready(const struct fuzzer *f);
int64_t fuzzer_index(const struct fuzzer *f); /* of the next case */
int fuzzer_next(struct fuzzer *f, struct fuzz_case *out, struct err *e);
/* As coverage_learn(), before the first case: all shards know it. */
int fuzzer_learn(struct fuzzer *f, const char *notes, struct err *e);
/* Case `index` did something beside raising the coverage: the second reward, for its node. */
void fuzzer_credit(struct fuzzer *f, int64_t index, int node);
void fuzz_case_release(struct fuzz_case *c);                    /* zeroed is fine */
struct coverage_figures fuzzer_figures(const struct fuzzer *f); /* as the shard of the last case knows them */

#endif
