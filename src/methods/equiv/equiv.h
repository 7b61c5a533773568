/* equiv.h - EAGLE: two ways to compute the same inside one library must agree.
 *
 * A pair is two expressions (expr.h) over the same variables: of a row of data/equiv/<rule>.tsv, or made from an
 * operation of the library's registry.  Each pair is run on many inputs.  An input counts as different when
 *
 *     |a_i - b_i| > atol + rtol |b_i|            (1e-2 and 1e-5 as in the paper), and
 *     |a_i - b_i| > 20 max(noise_i, u |b_i|)     noise_i: how far a_i or b_i move when inputs move by one rounding
 *
 * and both sides give the same bits when they are run again: what is random is not reported.  A process that dies or
 * hangs twice on the same input is a finding as well. */
#ifndef METHODS_EQUIV_EQUIV_H
#define METHODS_EQUIV_EQUIV_H

#include <jansson.h>

#include "base/split.h"
#include "base/tally.h"
#include "judge/judge.h"
#include "methods/equiv/registry.h"
#include "store/progress.h"
#include "triage/triage.h"
#include "worker/parent/spec.h"

#define EQUIV_ATOL 1e-2
#define EQUIV_RTOL 1e-5
#define EQUIV_INPUTS 400
#define EQUIV_NO_WORD "no_such_word" /* in the place of one that there is */

/* Whether an argument of a call is not legal, see struct rule_every. */
enum equiv_spoiled {
	EQUIV_LEGAL,
	EQUIV_SPOILED,
	EQUIV_SPOILED_FIRMLY /* so that no library may make sense of it, where the reference finds it invalid as well */
};

/* One input of a pair. */
struct equiv_input {
	const struct expr *a, *b;
	struct bindings in_a, in_b;
	double steps; /* of a recursion, each of which rounds; 0: as 1 */
	enum equiv_spoiled spoiled;
	uint32_t heads; /* of rules with of_call: see derive.h */
};

struct equiv_pair;

struct equiv_rule {
	int number; /* of the paper up to 16 */
	const char *id, *title;
	const struct rule_every *every; /* NULL: rows of data/equiv/<id>.tsv alone, which others may have as well */
};

/* A rule over the whole registry. */
struct rule_every {
	/* Does it make a pair of this operation?  `registry` is complete. */
	int (*applies)(const struct registry *r, const struct api *api);
	/* The other side of a call; in_b is a copy of in_a that may be changed.  *b NULL: not for this input. */
	int (*other)(const struct registry *r, const struct expr *a, struct bindings *in_b, struct arena *arena,
		     const struct expr **b, struct err *e);
	enum library_pair_kind sets; /* a pair for each of the library's option sets of this kind; none: one pair */
	int same_type;               /* results of different element types are not the same thing, and not compared */
	const char *of_call;         /* what side a computes of the call (derive.h); NULL: the call itself */
	/* One argument of a call that the library took becomes one that is not legal, if *spoiled: only what happens to
	 * its process is told then, and an answer to what ONNX forbids.  Such a rule is run when it is named, and not
	 * among all.  NULL: calls stay. */
	int (*spoil)(struct expr *call, struct bindings *in, struct rng *r, enum equiv_spoiled *spoiled, struct err *e);
	int plain; /* no input has numbers at an edge, though both sides run the same call */
	int zeros; /* every other input has zeros and subnormal numbers, though the sides differ */
	int types; /* it is about element types: forms are called with others as often as with their own */
};

#define RULE(id) extern const struct equiv_rule rule_##id;
#include "methods/equiv/rules.def"
#undef RULE

extern const struct equiv_rule *const equiv_rules[]; /* up to the first NULL, by number */
const struct equiv_rule *rule_find(const char *number_or_id);

struct equiv_pair {
	const struct equiv_rule *rule;
	const char *name;    /* the operation, or the row's name */
	struct api *api;     /* of a rule over the registry; NULL: a row */
	const char *sets[2]; /* of the sides; NULL: as the user chose; of rule 27 side b has the name of a backend */
	int unlike_kernels;  /* libraries.h */
	int promised;        /* likewise, of side b: that it refuses what side a takes is a finding */
	int checked;         /* likewise: that it takes what side a refuses is one */
	int rearranged;      /* likewise: it computes in another order */
	int folds;           /* likewise: that it takes long to compile is no finding */
	int nan_steps;       /* likewise: derivatives are NaN where a step on the way is not finite */
	enum dtype lower;    /* libraries.h */
	struct expr *a, *b;
	struct draw draw;
};

/* What kind of finding it is, by what the program knows (classify.h). */
enum equiv_class {
	CLASS_WRONG,
	CLASS_CRASH,
	CLASS_REFUSED,
	CLASS_DOCUMENTED,
	CLASS_UNDEFINED,
	CLASS_PRECISION,
	CLASS_INTERNAL,
	EQUIV_CLASSES
};

const char *equiv_class_name(enum equiv_class c);
enum equiv_class equiv_class_find(const char *name); /* CLASS_WRONG where there is none of that name */

struct equiv_finding {
	enum verdict verdict; /* VERDICT_AGREE: none */
	enum equiv_class class;
	double ratio;    /* of the noise */
	size_t index;    /* of the input */
	size_t elements; /* of its tensors: the smallest of all inputs that show it */
	size_t shown;    /* inputs that show it */
	double at;       /* clock_now() when it was first seen */
	int repeats;     /* how often both sides gave the same again */
	int checked;     /* its script was run, and shows it */
	int handed;      /* equiv_options.found() was told of this or of a larger example … */
	int told;        /* … and of it as it is now … */
	int64_t id;      /* … and what that made of it: its number in a store, 0: none, … */
	int own;         /* … which this run has put there */
	char *a, *b;     /* the two expressions */
	char *script;    /* repro.py */
	char detail[512];
	char why[96];      /* it is of its class */
	char wrong;        /* the side that is held to be wrong, 'a' or 'b'; 0: not known */
	struct buf inputs; /* .npz: tensors of side a */
	json_t *again;     /* what it takes to run it again (again.h); NULL: it cannot be written down */
};

/* Which oracle spoke, a word of report/evidence.h, and the side that is held to be wrong: "a", "b", or "". */
const char *equiv_oracle(const struct equiv_finding *f);
const char *equiv_wrong_side(const struct equiv_finding *f);

/* A pair may show all: results that differ, a process that died or hung, an error where the other side answers. */
enum equiv_kind { EQUIV_DIFFERENCE, EQUIV_FAILURE, EQUIV_REFUSAL, EQUIV_KINDS };

#define EQUIV_PARTS 64

struct equiv_result {
	size_t inputs, equal, rounding, refused, one_sided, random, limited, crashes;
	size_t invalid; /* inputs that are not valid: known beforehand, by the forward operation, or by ONNX */
	size_t untold;  /* inputs that differ, of an operation that promises nothing */
	size_t unshown; /* findings dropped: their own scripts do not show them */
	size_t calls, refusals;
	uint64_t plans[API_MAX_PLANS];   /* that worked, of this run: the same for any number of jobs */
	unsigned strikes[API_MAX_PLANS]; /* how often a plan was refused in a row */
	size_t n_plans, accepted;
	uint64_t parts[EQUIV_PARTS]; /* what calls had that were taken, when plans are looked for (learn.c) */
	size_t n_parts;
	char said[160]; /* what the library said to the last call it refused */
	size_t alone; /* inputs that one side answers and the other refuses with an error, not as something it lacks */
	char said_alone[160]; /* what it said to the last of them */
	size_t next;          /* input to go on with */
	int run, done;        /* it was begun; it needs no more inputs */
	int waits;            /* input `next` took too long, and is to be run again when there is time for that */
	struct equiv_finding found[EQUIV_KINDS];
};

/* A finding, as soon as it is confirmed; when its pair has been run once more, if a smaller example of it came; one
 * that the journal has at the beginning.  By one thread at a time. */
struct equiv;
typedef int equiv_found_fn(const struct equiv *q, size_t pair, struct equiv_finding *f, void *arg, struct err *e);

struct equiv_options {
	size_t inputs; /* 0: EQUIV_INPUTS */
	double atol, rtol;
	uint64_t seed;
	size_t jobs;
	double seconds;      /* of wall time, which all pairs share (rounds of equiv.c); 0: none */
	const char *rule;    /* NULL: all */
	const char *api;     /* pattern of names; NULL: all */
	double share;        /* percent of the names, picked by their hash; 0: all */
	const char *against; /* rule 27 alone: side b, "torchapi@2.11.0" or an option set; NULL: the other rules */
	const char *without; /* option sets whose pairs are left out, with commas between; NULL: none */
	struct split split;  /* which of the pairs that are left */
	int learn;           /* no rule: look for calls that operations take, up to `inputs` each */
	int rows;            /* only pairs that stand in files */
	const char *python;  /* runs the scripts of findings: one that does not show is dropped; NULL: none is run */
	int hangs_wait;      /* a call that takes too long is not tried again at once: its pair waits */
	int plant;           /* for tests: side a gets a fault */
	const char *journal; /* file of finished pairs: those in it are not run again (journal.h); NULL: none */
	struct worker_limits limits;
	void (*progress)(size_t done, size_t total, const char *name, void *arg); /* (optional) */
	void *progress_arg;
	equiv_found_fn *found; /* (optional) */
	void *found_arg;
};

struct equiv {
	struct worker_spec spec;
	struct arena arena;
	struct registry registry;
	struct equiv_pair *pairs;
	struct equiv_result *results; /* by pair */
	char *busy;                   /* by pair, while they are run: some thread writes its result; NULL: none */
	size_t n;
	char version[64];
	double seconds;
};

/* Reads registry and rows, makes the pairs.  `folder`: data/equiv. */
struct worker_limits equiv_limits(void); /* of a call, where nobody has given others */
int equiv_open(struct equiv *q, const char *backend, const char *folder, const struct equiv_options *o, struct err *e);
int equiv_run(struct equiv *q, const struct equiv_options *o, struct err *e);
void equiv_release(struct equiv *q); /* zeroed is fine */

/* "tf@2.12.0:graph": a backend with one of its option sets; set NULL: as it is.  A set with a version is a name. */
#define EQUIV_NAME 512
void equiv_name_side(const char *backend, const char *set, char out[EQUIV_NAME]);

/* One pair up to input `end`, 0: all; `sides`: of a and b.  *out is zeroed, or what inputs before gave: how they are
 * divided changes nothing.  With o->found it ends behind an input that showed the first finding of its kind. */
int equiv_run_pair(const struct registry *r, struct equiv_pair *p, struct eval sides[2], const struct equiv_options *o,
		   size_t end, struct equiv_result *out, struct err *e);

/* ---- what came of it --------------------------------------------------------------------------------------------- */

/* Sums over all pairs that nobody runs at the moment: from equiv_options.progress they are those so far. */
struct equiv_totals {
	size_t pairs, run, compared, apis, reached, inputs, calls, valid, findings;
	size_t inner; /* failures of inner operations, which are no findings */
	size_t equal, rounding, random, one_sided;
	size_t alone;  /* pairs with an error of one side alone */
	size_t judged; /* inputs on which two results were held against each other */
	size_t invalid, untold, unshown;
	size_t waiting;                /* pairs with a hang that there was no time to confirm */
	size_t classes[EQUIV_CLASSES]; /* of the findings, and of what is inner */
	size_t shown;                  /* inputs that show a finding, each after it was run again */
	const struct equiv_pair *last; /* with the newest finding, and when that came; NULL: there is none */
	double last_at;
};

/* What fails in an operation that nothing documented calls is told apart. */
int equiv_is_finding(const struct equiv_finding *f);
int equiv_is_inner(const struct equiv_finding *f);

struct equiv_totals equiv_totals(const struct equiv *q);
struct store_progress equiv_progress(const struct equiv *q, const struct equiv_totals *t);
/* Whether there is a pair that needs more inputs. */
int equiv_is_open(const struct equiv *q);
/* The inputs of all pairs: judged where two results were held against each other, or a process failed; unsupported
 * where a side refuses them; vacuous where the results are random; unjudged where the operation promises nothing, its
 * arguments turn out to be invalid, or memory was at its limit. */
struct tally equiv_tally(const struct equiv *q);

/* "assay equiv -b tf --rule 7 --api Softplus --seed 3": runs the finding again. */
void equiv_repro(const struct equiv *q, size_t pair, const struct equiv_options *o, struct buf *out);
/* What was found, for programs (json.c). */
json_t *equiv_json(const struct equiv *q, const struct equiv_options *o);

/* Where findings go: an equiv_found_fn, arg is the keeper. */
struct equiv_keeper {
	struct keeper keeper;
	const struct equiv_options *o;
};
equiv_found_fn equiv_keep;

/* FOLDER/<number>/repro.py and inputs.npz of each finding. */
int equiv_save(const struct equiv *q, const char *folder, struct err *e);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

struct worker_limits equiv_limits_of(const struct equiv *q, const struct equiv_options *o); /* of a call */

/* What the library's descriptor says of one of its option sets. */
void equiv_choose_sets(struct equiv_pair *p, const struct library *l, const struct library_pair *set);

/* Makes the pairs of a registry that is there. */
int equiv_gather(struct equiv *q, const char *folder, const struct equiv_options *o, struct err *e);

/* The rows of one rule for one library, as pairs; a row that cannot be read is ERR_INPUT with its line. */
typedef int equiv_row_fn(const struct equiv_pair *p, void *arg);
int equiv_rows(const struct equiv_rule *rule, const char *library, const char *folder, struct arena *a,
	       equiv_row_fn *fn, void *arg, struct err *e);

/* For rules whose sides are one call on two option sets: every operation, and the call as it is. */
int equiv_any(const struct registry *r, const struct api *api);
int equiv_same_call(const struct registry *r, const struct expr *a, struct bindings *in_b, struct arena *arena,
		    const struct expr **b, struct err *e);

/* function(call, number); without the number when it is 0. */
int equiv_function_of(const char *function, struct expr *call, uint32_t number, struct arena *a, struct expr **out,
		      struct err *e);

/* Whether calls with tensors can be made; whether a call names an element type itself. */
int equiv_has_tensors(const struct api *api);
int equiv_says_dtype(const struct expr *call);

/* All tensors of type `from` become `to`, which holds their numbers; *changed 1: there were some. */
int equiv_widen(struct bindings *b, enum dtype from, enum dtype to, int *changed, struct err *e);

/* Whether there is a finding that nobody was told of. */
int equiv_has_news(const struct equiv_result *r);

void equiv_finding_release(struct equiv_finding *f); /* zeroed is fine */
void equiv_result_release(struct equiv_result *r);   /* likewise */

/* The script of a finding, from the library's own package and numpy alone; NULL: none for this library. */
char *equiv_script(const struct registry *r, const char *title, const struct equiv_pair *p,
		   const struct equiv_input *in);

#endif
