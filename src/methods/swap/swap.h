/* swap.h - meta operators: one operator after the other changes from one library to another, and what changes with it
 * is that operator's doing (Gu et al., Defect Detection for Deep Learning Frameworks Based on Meta Operators).
 *
 *   Algorithm 1    all nodes are bound to the base library; from the last to the first each is bound to the library
 *                  under test, so that an operator reads the same tensors before and after its change.  δ_C is the mean
 *                  absolute deviation of the outputs before and after (equation 1), δ_G the mean over all parameters
 *                  and inputs of that of their gradients (equation 2).
 *   judging        the same change in units of rounding noise; where that is more than rounding explains, the operator
 *                  alone on both libraries against the reference, so that one of the two is named
 *   verification   the whole network on the library that is named, the blamed operators bound to a backend that is
 *                  right: with them the network must be right, with this one bound back it must not */
#ifndef METHODS_SWAP_SWAP_H
#define METHODS_SWAP_SWAP_H

#include "base/tally.h"
#include "judge/trial.h"
#include "methods/swap/mixed.h"
#include "triage/kinds.h"
#include "triage/triage.h"

#define SWAP_LIMIT 1.5e-4 /* T_C and T_G of the paper */
#define SWAP_VERIFY 8     /* operators that are verified, those of the first ranks */

enum swap_side { SWAP_BASE, SWAP_TEST, SWAP_REFERENCE, SWAP_SIDES };

struct swap_op {
	struct node *node;       /* of the trial's model */
	int rank;                /* 1 is the first */
	double delta_c, delta_g; /* NAN: there is none */
	double ratio;            /* largest change of an output or gradient in units of rounding noise; NAN: none */
	int beyond;              /* δ_C or δ_G is above its threshold */
	enum verdict verdict;    /* of `side` on this operator */
	enum swap_side side;     /* whom the verdict is about */
	int both;                /* the base library is wrong as well */
	int gradient;            /* it is the gradient that is wrong */
	size_t together;         /* not alone, but in a segment of so many nodes; 0: alone */
	enum swap_effect effect; /* of a right operator */
	char reason[512];
	enum swap_side home; /* who computes it before: the base library, or the reference where that does not, … */
	char lacking[256];   /* … and why */
	int base_failed;     /* … which is not only that it does not have the operator */
	struct trial part;   /* a finding: the operator, or the segment, as a case … */
	struct outcome outcome; /* … and what the library named made of it */
};

struct swap_options {
	int gradients;
	double limit_c, limit_g; /* 0: the paper's */
	int no_verify;
	struct judge_options judge;
	void (*progress)(const char *backend, size_t done, size_t total, void *arg); /* (optional) */
	void *progress_arg;
};

struct swap_result {
	struct swap_op *ops; /* by rank */
	size_t n;
	enum verdict verdict; /* the worst of the operators' */
	int gradients;        /* gradients were compared */
	char no_gradients[512];
	/* Of the whole network on one library, as far as it has its operators; VERDICT_UNSUPPORTED: it computes none.
	 */
	enum verdict base_verdict, test_verdict;
	double base_ratio, test_ratio;
	double seconds, verify_seconds, backend_seconds;
};

/* parties: base and test, borrowed.  Operators that the base library does not have are bound to the reference.
 * ERR_UNSUPPORTED, ERR_INPUT: the base library does not run the network even so. */
int swap_run(struct trial *t, struct party *base, struct party *test, const struct swap_options *o,
	     struct swap_result *out, struct err *e);
void swap_result_release(struct swap_result *r); /* zeroed is fine */

/* How many of the operators are findings. */
size_t swap_findings(const struct swap_result *r);
/* The operators on one side (base or test): an operator that agrees is judged on both. */
struct tally swap_tally(const struct swap_result *r, enum swap_side side);

/* A network that the reference cannot run (t->untold, after swap_run() failed) has no right answer to hold operators
 * against.  Both libraries run it whole: their processes may fail, and they may differ from each other. */
struct swap_untold {
	struct outcome outcomes[2]; /* base and test */
	struct tally tallies[2];
	enum verdict verdict; /* the worse */
	char differ[256];     /* how they differ beyond any tolerance; "": they do not */
};

int swap_untold_run(struct trial *t, struct party *const parties[2], const struct judge_options *judge,
		    struct swap_untold *out, struct err *e);
void swap_untold_release(struct swap_untold *r);

/* Where the findings of one network on two libraries go; the kinds are told over all its analyses. */
struct swap_keeper {
	struct keeper *keeper; /* NULL: nothing is recorded */
	struct party *base, *test;
	struct kinds kinds; /* first: 1 */
};

/* *out, from mem_array(): what was kept, by operator. */
int swap_keep(struct swap_keeper *k, struct swap_result *r, struct kept **out, struct err *e);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

struct swapping {
	struct trial *t;
	const struct swap_options *o;
	struct party reference;            /* without a worker */
	struct party *parties[SWAP_SIDES]; /* by side */
	struct mixed *mixed;
	unsigned char *random; /* by wire id: depends on chance, and is not compared */
	struct swap_op *ops;   /* by node index until they are ranked */
	struct swap_result *out;
};

/* The right answers, what can be compared, and the mix with all operators on the base library; release with
 * swap_shut() also when it failed. */
int swap_open(struct swapping *s, struct err *e);
void swap_shut(struct swapping *s); /* the operators too, unless s->ops was taken */
/* Binds all operators to one side, and those that it does not have to the reference, as ops[].home says then.  *run:
 * the mix bound so. */
int swap_settle(struct swapping *s, enum swap_side side, struct mixed_run *run, struct err *e);

/* The largest noise ratio that is still rounding. */
double swap_noise_limit(const struct swapping *s);
/* Outputs and gradients of a run against the reference: the worst verdict, and the largest ratio. */
enum verdict swap_judge_run(const struct swapping *s, const struct mixed_run *run, double *ratio);
/* δ_C, δ_G and noise ratio of op between two runs. */
int swap_measure(const struct swapping *s, const struct mixed_run *before, const struct mixed_run *after,
		 struct swap_op *op, struct err *e);
/* Who is wrong on an operator that changed more than rounding explains, or failed. */
int swap_judge_op(struct swapping *s, struct swap_op *op, struct err *e);
/* One run of the mix, with the way back when gradients are compared. */
int swap_run_mix(struct swapping *s, struct mixed_run *out, struct err *e);
/* Verifies the operators of the first ranks. */
int swap_verify(struct swapping *s, struct err *e);

#endif
