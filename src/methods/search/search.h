/* search.h - Audee: a genetic search over networks, inputs and weights for cases on which libraries fail.
 *
 *     level      chromosome                                     one gene
 *     network    a row of edits of the seed network             an edit (edits.def): a parameter, a layer more or less
 *     input      the inputs                                     an element
 *     weight     the float initializers                         an element
 *     both       inputs and weights
 *
 * Algorithm 1 of the paper: a population of n; the m fittest are parents; children take each gene from one parent with
 * rate r1, from the other otherwise, and get Cauchy noise (at network level: other edits) with rate r2.  A population
 * is evaluated on all backends at once (rivals.c); three oracles look at what comes out (crash, NaN, arg-max differs),
 * and the reference is asked only about what one of them reports: who is wrong, or whether rounding explains it. */
#ifndef METHODS_SEARCH_SEARCH_H
#define METHODS_SEARCH_SEARCH_H

#include <signal.h>

#include "base/tally.h"
#include "judge/trial.h"
#include "methods/search/layers.h"

enum search_level { SEARCH_NETWORK, SEARCH_INPUT, SEARCH_WEIGHT, SEARCH_BOTH, SEARCH_LEVELS };

extern const char *const search_level_names[SEARCH_LEVELS + 1]; /* and NULL */

/* What the search is drawn to. */
enum search_fitness {
	SEARCH_RANDOM = 0,
	SEARCH_INCONSISTENCY = 1, /* δ of two libraries before the decision, in units of the margin of that decision */
	SEARCH_NAN = 2,           /* the spread of the values there */
	SEARCH_DISTANCE = 4,      /* δ as it is, as in the paper: it grows with the numbers, up to NaN */
	SEARCH_COVERAGE = 8       /* new activations (novelty.h); for comparison, and never with another */
};

/* What the oracles report of a case; one bit each. */
enum search_report {
	SEARCH_SAW_CRASH = 1,        /* a process died, hung or ran out of memory */
	SEARCH_SAW_NAN = 2,          /* NaN in some library's outputs */
	SEARCH_SAW_INCONSISTENT = 4, /* two libraries differ in the arg-max */
	SEARCH_SAW_REFUSAL = 8,      /* a library refuses the case with an error */
	SEARCH_SAW_INVALID = 16,     /* the case is invalid on purpose */
	SEARCH_SAW_DISTANCE = 32     /* same arg-max, but the layer before the decision is far off */
};

/* The paper's manual sorting, done by the program. */
enum search_class {
	SEARCH_NONE,       /* nothing to sort: refused as it should be */
	SEARCH_PRECISION,  /* rounding, or the range of the type, explains it */
	SEARCH_DIFFERENCE, /* ONNX leaves it open, or the libraries are known to differ */
	SEARCH_BUG         /* a library is wrong, and the reference says which */
};

extern const char *const search_class_names[];

#define SEARCH_SAID 512 /* bytes that edits are told in */

#define SEARCH_POPULATION 12
#define SEARCH_PARENTS 3
#define SEARCH_CROSSOVER 0.5
#define SEARCH_MUTATION 0.8
#define SEARCH_CASES 100
#define SEARCH_BASES 2

struct search_counts {
	size_t networks, networks_nan, networks_inconsistent; /* bases; those on which that was reached */
	size_t cases, evaluations;                            /* evaluations: a case on a backend */
	size_t invalid;                                       /* of the cases, on purpose */
	size_t crash, nan, inconsistent, distance, refused, accepted;
	size_t by_class[SEARCH_BUG + 1];      /* of reported cases */
	size_t first_nan, first_inconsistent; /* cases on the first base until then, that one included; 0: none */
	/* δ of the first base as it is, the largest finite one of its cases, and that of the first of them with another
	 * class; -1: none */
	double base_distance, most_distance, inconsistent_distance;
	double seconds;
};

struct individual;
struct variation;

/* One case on which a library is wrong, while it is at hand. */
struct search_failure {
	enum search_level level;
	size_t generation, number; /* of the case within its level */
	unsigned saw;
	struct trial *trial;
	struct party *party;
	size_t backend;
	struct outcome *outcome; /* judged */
	enum search_class class; /* difference: refused, or another library gives the same; else bug */
	const char *edits;       /* of the network; "" when none */
	const char *evidence;    /* who has NaN and who has not, whose arg-max differs, what the reference says */
	const struct individual *individual;
	const struct variation *variation; /* that made it */
};

struct search_options {
	unsigned levels; /* bit of each; 0: all */
	unsigned fitness;
	size_t population, parents; /* 0: as above */
	double crossover, mutation; /* 0: as above */
	size_t cases;               /* of each level on each base; 0: as above */
	size_t bases;               /* networks that input and weight level work on: the seed, then its variants */
	double deadline;            /* clock_now() at which it ends; 0: never */
	const volatile sig_atomic_t *stop; /* (optional) set by a signal: it ends with the case at hand */
	unsigned until; /* SEARCH_NAN, SEARCH_INCONSISTENCY: a level on a base ends with the first of these */
	int no_judge;   /* only what the paper does */
	int gradients;  /* half of the children follow the reference's gradient towards another class (gradient.c) */
	int nan_layers; /* every layer is an output, so that NaN which a later one hides is seen, too */
	uint64_t seed;
	struct judge_options judge;
	const struct layers *layers;
	/* (optional) By backend: counts of cases are added.  A case is judged where the reference was asked about it,
	 * where another backend gave numbers to compare with, or where a process failed. */
	struct tally *tallies;
	/* (optional) May end the search with a negative status. */
	int (*failure)(const struct search_failure *f, void *arg, struct err *e);
	/* (optional) Each network that the levels of numbers work on, the seed first; may end the search. */
	int (*base)(struct trial *t, size_t i, void *arg, struct err *e);
	/* (optional) The operator that first leaves the numbers where float32 itself does, for each case with NaN. */
	void (*nan_source)(const char *op, void *arg);
	void (*progress)(enum search_level level, size_t done, size_t total, void *arg);
	void *arg;
};

struct search_result {
	struct search_counts levels[SEARCH_LEVELS];
	size_t bases;    /* networks for the levels of numbers */
	int out_of_time; /* or stopped */
};

struct rivals;

/* The backends, each with a worker of its own; at most `jobs` of them work at a time (0: all). */
int rivals_open(const struct spec_list *specs, size_t jobs, struct rivals **out, struct err *e);
void rivals_close(struct rivals *all); /* NULL is fine */
size_t rivals_count(const struct rivals *all);
/* For the caller's own use while no case is run. */
struct party *rivals_party(struct rivals *all, size_t i);

/* The smallest set of the network's edits with which it still fails so, found within about as many seconds; its edits
 * as they are at the other levels.  From search_options.failure. */
int search_smallest(const struct search_failure *f, const struct judge_options *judge, double seconds,
		    char said[SEARCH_SAID], struct err *e);

/* Searches from one case, which is borrowed. */
int search_run(const struct trial *seed, struct rivals *rivals, const struct search_options *o,
	       struct search_result *out, struct err *e);

#endif
