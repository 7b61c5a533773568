/* reduction.h - what the reducer's driver offers to its passes, and what their files share.
 *
 * A pass makes candidates, simpler variants of the case that is the smallest so far, and hands them over as a numbered
 * list.  The driver judges them, several at once when there are several threads, and keeps the first of the list
 * that still shows the finding: the answer does not depend on the number of threads.  Candidates that break the rules
 * of ONNX cost nothing but shape inference; those that were judged before are known by their hash. */
#ifndef TRIAGE_REDUCTION_H
#define TRIAGE_REDUCTION_H

#include "ops/op.h"
#include "triage/triage.h"

struct tries;

/* What a case means nothing by: rules that its nodes break, and values. */
struct domain {
	VEC(const struct op_rule *) rules; /* each once; a rule is in its operator's list, so that it tells that too */
	int not_finite, empty;             /* a NaN or an infinity, a tensor without elements */
	int anything;                      /* the reference cannot tell: no rule holds */
};

/* What is wrong with a wrong output. */
enum target_look {
	LOOK_NUMBERS,    /* other numbers */
	LOOK_NOT_FINITE, /* an infinity or NaN for a number, or the other way round */
	LOOK_SHAPE       /* another shape or type */
};

/* What must stay the same. */
struct target {
	enum verdict verdict;
	const char *op; /* of a node that must remain; NULL: any */
	double limit;   /* of rounding */
	/* Of wrong results: what they look like, and at least how far off they are, in units of the element's noise and
	 * in units of rounding of the largest number in the case. */
	enum target_look look;
	double ratio, coarse;
	int signal;      /* of a crash */
	char words[128]; /* of a refusal: the library's message without names and numbers */
	int invalid;     /* it breaks a rule of ONNX, … */
	char rule[128];  /* … this one: the reference's words without names and numbers */
	int gradient;
	struct domain broken; /* by the case from the start */
};

struct reduction {
	struct trial now; /* the smallest case so far */
	struct target target;
	const struct reduce_options *options;
	const struct judge_options *judge;
	struct tries *tries;
	struct map seen; /* hashes of cases that did not show it */
	size_t tried, kept;
	double deadline, backend_seconds;
	struct outcome outcome; /* on `now` */
	/* Rows of the library's switches that make the case that came in right, once they are known. */
	unsigned first_alone;
	int knows_switches;
	/* Values of wires of `now` in the exact reference, by wire id, packed; NULL: not recorded.  See record.c. */
	struct value **recorded;
	size_t n_recorded;
};

/* ---- candidates -------------------------------------------------------------------------------------------------- */

struct candidate {
	struct model *model;
	struct value **inputs; /* by graph->inputs, from mem_array() */
};

void candidate_release(struct candidate *c);
/* A copy of r->now, to be edited. */
int candidate_copy(const struct reduction *r, struct candidate *out, struct err *e);
/* Takes input i off the graph's list. */
void candidate_drop_input(struct candidate *c, size_t i);
/* The tensor of a graph input or an initializer, of a model and its inputs; NULL: the wire has none. */
struct tensor *candidate_tensor(const struct model *m, struct value *const *inputs, const struct wire *w);
/* Puts a tensor in the place of input i's value. */
int candidate_set_input(struct candidate *c, size_t i, struct tensor *take, struct err *e);
/* The same for the default of input i: the initializer of its name.  It stays an input. */
int candidate_set_default(struct candidate *c, size_t i, struct tensor *take, struct err *e);
/* The same for what a wire of the graph has: an input's value, the default where none is given, an initializer. */
int candidate_set_tensor(struct candidate *c, struct wire *w, struct tensor *take, struct err *e);
/* Makes input i an initializer. */
int candidate_make_constant(struct candidate *c, size_t i, struct err *e);
/* Two tensors that can stand for one another: of one element type and shape. */
int candidate_same_type(const struct type *a, const struct type *b);
/* Drops what is not needed any more and infers all types anew.  ERR_INPUT: it came out invalid, which `lenient` lets
 * pass. */
int candidate_finish(struct candidate *c, int lenient, struct err *e);

/* Makes candidate i of a list, or leaves *out empty when there is nothing to try at i.  ERR_INPUT, ERR_UNSUPPORTED and
 * ERR_LIMIT: it came out invalid, which is no failure. */
typedef int candidate_fn(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e);

enum reduce_step {
	REDUCE_FAILED = -1,
	REDUCE_NOTHING, /* none shows it, or time is up */
	REDUCE_KEPT     /* r->now is another case, all pointers into the old one are gone */
};

/* Tries candidates 0 … n - 1 and keeps the first that shows the finding. */
enum reduce_step reduce_first(struct reduction *r, size_t n, candidate_fn *make, void *arg, struct err *e);

int reduce_time_is_up(const struct reduction *r);

/* ---- record.c: parts of the graph, fed with what the reference has there ----------------------------------------- */

/* By node index: 1 when nothing but constants goes into it. */
char *part_constant_nodes(const struct graph *g, struct value *const *inputs, struct err *e);
/* Nodes that compute something from the inputs, in order; free the list with mem_free(). */
int part_list(const struct reduction *r, int **nodes, size_t *n, struct err *e);
/* The nodes that keep[] names (by index), fed with recorded values where a node that is left out made them.  What nodes
 * outside use becomes an output.  Constant nodes come along on need, or, with `fold`, their values as initializers. */
int part_extract(struct reduction *r, const char *keep, int fold, struct candidate *out, struct err *e);
void record_clear(struct reduction *r);

/* ---- target.c: what must stay the same --------------------------------------------------------------------------- */

/* From the case and its outcome, with its values; t->op and t->gradient are the caller's. */
void target_set(struct target *t, const struct trial *trial, const struct outcome *o,
		const struct judge_options *judge);
/* Whether a case breaks the rule of ONNX that the first one did, and none where that was valid; after trial_truth(). */
int target_breaks_rule(const struct target *t, const struct trial *trial);
/* Whether an outcome shows the same; no look at domains and doubts. */
int target_shows(const struct target *t, const struct trial *trial, const struct outcome *o);

/* ---- domain.c: what a smaller case must not come to mean --------------------------------------------------------- */

/* What the case breaks; its truth is known.  Nothing for what the reference cannot run. */
int domain_broken(struct trial *t, struct domain *out, struct err *e);
void domain_release(struct domain *d);
/* Why ONNX leaves open what comes of node n of the case, which its operator's rules tell; NULL: it does not. */
int domain_why_open(struct trial *t, const struct node *n, const char **why, struct err *e);
int domain_within(const struct domain *a, const struct domain *b); /* whether b breaks all that a does */

/* ---- tries.c: who judges candidates ------------------------------------------------------------------------------ */

/* n at once, on workers like that of p, which lives as long. */
int tries_open(struct reduction *r, const struct party *p, size_t n, struct err *e);
void tries_close(struct reduction *r); /* also when it was not opened, or that failed */
/* Judges a case in this thread while none is tried; *shows: it shows the finding. */
int tries_judge(struct reduction *r, struct trial *t, struct outcome *out, int *shows, struct err *e);

/* ---- the passes -------------------------------------------------------------------------------------------------- */

#define PASS(id) extern const struct pass pass_##id;
#include "triage/passes.def"
#undef PASS

#endif
