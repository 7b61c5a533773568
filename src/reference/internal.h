/* internal.h - what the files of the reference share.
 *
 * A frame holds the values of one graph while it runs; subgraphs get frames of their own that see the outer ones.  A
 * cell is the value of one wire.  In the noisy mode the main graph runs all lanes (perturbed copies) in lockstep: a
 * cell then also has what the lanes see, as float differences where that is possible (delta), else as whole values. */
#ifndef REFERENCE_INTERNAL_H
#define REFERENCE_INTERNAL_H

#include "ops/noise/step.h"
#include "ops/op.h"
#include "reference/reference.h"

/* What is known of a graph before it runs. */
struct ref_plan {
	const struct graph *graph;
	int *last_use; /* by wire id: index of the last node that reads it; PLAN_KEEP: an output or read from outside */
	char *unpacked;  /* by wire id: some reader wants it wide, see PORT_PACKED */
	char *quantized; /* by wire id: a node reads it that quantizes, or reads what comes of it */
};

#define PLAN_KEEP INT32_MAX
#define PLAN_NEVER (-1)

struct ref {
	struct model *model;
	struct ref_plan *plans; /* one for each of model->graphs, in that order */
	size_t n_plans;
	struct value **constants; /* by main-graph wire id: values that are the same in every run; see constants.c */
	int folded;               /* some of them are outputs of nodes, which then need not run */
	struct arena scratch;     /* for calls; kept between runs */
};

struct cell {
	struct value *value;
	float *delta;        /* [count][lanes]; NULL: lanes see the exact value */
	struct value **lane; /* [lanes] whole values, where differences do not do; NULL: none */
	int unstable;        /* rounding alone can change its shape, or make the run fail */
	int lent;            /* lowered.c: what stands here is to go back into the cell of an input */
};

struct ref_frame {
	const struct ref_plan *plan;
	struct cell *cells; /* by wire id */
	struct ref_frame *outer;
	int lockstep; /* its cells have lanes */
};

/* One run.  env must be first: operators hand it back to run_graph. */
struct run {
	struct op_env env;
	struct ref *ref;
	const struct ref_options *o;
	struct ref_frame *frame;   /* the graph that runs now */
	enum ref_precision asked;  /* of the main graph's node that runs now */
	struct rng root;           /* of the run's seed */
	struct rng random;         /* for random operators */
	uint64_t body_runs;        /* runs of subgraphs begun so far */
	uint64_t body_runs_before; /* … when the current node of the main graph began */
	int lanes;                 /* REF_NOISY: k, else 0 */
	int lane;                  /* -1: exact; else the perturbed copy that runs alone now (inside control flow) */
	struct rng lane_rng;       /* its roundings */
	double work;               /* what it has cost so far, see ref_set_max_work() */
	size_t done;               /* nodes of the main graph */
	int keep_all;              /* nothing is released: backward needs it */
	int folded;                /* this run may use folded constants */
	struct err *err;
};

#define CHAIN_MAX 4

/* A node and what is done to its output as steps; see chain.c. */
struct chain {
	size_t first, next; /* indices of the node, and of the first behind the chain */
	int n;              /* nodes behind the first: */
	struct node *nodes[CHAIN_MAX];
	struct call calls[CHAIN_MAX];
	struct step steps[CHAIN_MAX];
	struct steps list;
	int begun;    /* calls to end */
	int unstable; /* an input of a step is */
	struct err ignored;
};

/* Scratch arrays of one call; made by call_begin(), released by call_end(). */
int run_call_begin(struct run *r, struct node *n, struct call *c);
void run_call_end(struct call *c);

/* Sets `ties` and `near` of a call: see ref_options. */
void ref_ties(const struct run *r, struct call *c);

/* Counts a call before it is made, in a frame with lanes once for all of them; ERR_LIMIT: it is beyond the limit. */
int run_spend(struct run *r, const struct call *c);

/* Fills c->in from values, and infers. */
int run_infer(struct call *c);
/* The same, then allocates outputs, evaluates, wraps integers (and rounds when `round`).  `chain` (or NULL) is prepared
 * as soon as the output is there.  On failure c's outputs are released. */
int run_eval(struct run *r, struct call *c, int round, struct chain *chain);

/* chain.c: the nodes that may be steps behind node `first` of the current graph. */
void chain_plan(const struct run *r, size_t first, struct chain *ch);
/* Makes calls of them, once the output of c is allocated; keeps those that work as steps. */
void chain_prepare(struct run *r, struct chain *ch, struct call *c);
/* Applies the steps unless c has, and gives what is in the cell of c's output to that of the last step's. */
void chain_finish(struct run *r, struct chain *ch, struct call *c);
void chain_end(struct chain *ch);

/* The value of a wire as the current lane (or the exact run) sees it: a new reference, tensors wide. */
int run_lookup(struct run *r, const struct wire *w, struct value **out);
/* Input i of n, which is not left out: the same, but a constant may be packed where the operator takes it so. */
int run_lookup_input(struct run *r, const struct node *n, int i, struct value **out);
int ref_takes_packed(const struct node *n, int i);

int run_frame(struct run *r, const struct graph *g, struct value *const *in, size_t n_in, struct ref_frame *f);
void run_frame_release(struct run *r, struct ref_frame *f);
/* Sets the stream of a random operator that is about to run. */
void run_seed_random(struct run *r, const struct node *n);
int run_start(struct run *r, struct ref *ref, const struct ref_options *o, struct err *e);

/* noise.c: after the exact evaluation of c, moves the lanes of its outputs. */
int noise_step(struct run *r, struct call *c);
/* Size of one rounding for every element of output `out`: u * scale; NULL when the operator is exact. */
int noise_sizes(struct call *c, int out, float **sizes);
struct rng noise_stream(const struct run *r, const struct node *n, int out, int lane);
/* Seed of the roundings of an output. */
uint64_t noise_seed(const struct run *r, const struct node *n, int out);
/* Perturbs the outputs of a call in place: the lane that runs alone. */
int noise_perturb(struct run *r, struct call *c);
/* The same for what all lanes move around: ref_options.moved. */
int noise_move(struct run *r, struct call *c);
/* Rounds them to what is left of the terms behind them: ref_options.coarse. */
int noise_coarsen(struct run *r, struct call *c);
/* spread.c: standard deviation of each element over the lanes; *out NULL when the cell holds no numbers. */
int noise_of_cell(struct run *r, const struct cell *cell, float **out);
/* lanes.c: room for the lanes of a tensor of `count` elements; NULL with the error set. */
float *noise_new_lanes(struct run *r, size_t count);
/* The lanes of a call's outputs, each evaluated by itself. */
int noise_lanes_by_eval(struct run *r, struct call *c);
/* The value of a lockstep cell as one lane sees it. */
int noise_lane_value(struct run *r, const struct cell *cell, int lane, struct value **out);
void noise_cell_release(struct run *r, struct cell *cell);

/* lowered.c: nodes in a lower precision.  What is asked for, for a node of the main graph. */
enum ref_precision lowered_asked(const struct run *r, const struct node *n);
/* Rounded mode: the inputs of a call, and an output in place of tensor_round(). */
int lowered_round_inputs(struct run *r, struct call *c);
void lowered_round_output(const struct call *c, struct tensor *y);
/* Noisy mode: roundings of an output, and of inputs, whose cells get other lanes until they are taken back. */
void lowered_sizes(const struct call *c, const struct tensor *y, float *sizes);
int lowered_lend_inputs(struct run *r, struct call *c, struct cell **lent);
void lowered_take_back(struct run *r, const struct call *c, struct cell *lent);
/* Whether y, which a call makes, is stored in steps, however exact the operator is. */
int lowered_has_steps(const struct call *c, const struct tensor *y);

/* constants.c: what is the same in every run. */
int constants_prepare(struct ref *r, struct err *e);
void constants_release(struct ref *r);
/* True when all outputs of a main-graph node are folded constants. */
int constants_cover(const struct ref *r, const struct node *n);

const struct ref_plan *ref_plan(const struct ref *ref, const struct graph *g);

#endif
