/* blame.h - which node (and which of its parameters) makes a backend's answer wrong: one interface, several blamers.
 *
 *   map        CRADLE §III: hidden states of both sides, δ of each node against δ_pre of its inputs, rate of change R_L
 *   causal     Audee, Algorithm 2: fix layer by layer, then parameter by parameter, until the difference goes
 *   isolated   every node alone on the backend, fed with the reference's own tensors, judged by the rounding oracle
 *   swap       verification: the blamed node alone is computed by the reference instead; the difference must go
 *
 * Each is a row in blamers.def and a descriptor in one file; blame_run() asks those that are wanted and merges their
 * answers into one ranking.  A graph is cut and fed with recorded tensors rather than only made to expose
 * intermediates, because an extra output blocks fusion and can hide the bug; `exposing_hides` says when that was seen.
 */
#ifndef BLAME_BLAME_H
#define BLAME_BLAME_H

#include <jansson.h>

#include "base/arena.h"
#include "judge/trial.h"

/* What becomes of a difference when a node is computed right. */
enum swap_effect { SWAP_UNTRIED, SWAP_STAYS, SWAP_GOES };

struct suspect {
	const struct node *node; /* of the trial's model */
	const char *parameter;   /* attributes and inputs without which it goes: "alpha, bias"; "": none */
	int rank;                /* 1 is the first */
	double score;            /* what the ranking is by: higher is guiltier */
	double rate, delta;      /* map: R_L and δ; NAN when not asked */
	double noise_ratio;      /* isolated: of this node alone; NAN when not asked */
	enum swap_effect effect; /* swap */
	int together;            /* isolated: right alone, wrong with others */
	unsigned blamers;        /* bit i: blamer i of blamers.def named it */
};

struct blame {
	struct suspect *at; /* by rank */
	size_t n;
	int exposing_hides; /* with intermediates exposed the backend gave other outputs */
	double seconds;     /* of backend time */
	char *evidence;     /* JSON: what each blamer said */
	struct arena texts;
};

/* A value that a parameter of a layer may have, put in place of the one it has. */
struct blame_value {
	const char *parameter; /* its name, borrowed for as long as the request lasts */
	char said[128];        /* "strides=2" */
};

/* Algorithm 2 of Audee (causal.c, parameters.c) other than by default. */
struct blame_causal {
	double inconsistent; /* t1: layers whose change rate is above this are looked into; 0: 1000 */
	double consistent;   /* t2: gone is a difference whose rate stays below this; 0: one that rounding explains */
	size_t steps;        /* of the amplification; 0: 6 */
	/* (optional) Sets value number i, counted over all parameters that the node may have; out->parameter is NULL
	 * where there are not that many. */
	int (*value)(struct node *n, size_t i, struct blame_value *out, void *arg, struct err *e);
	/* (optional) A layer alone, with a value replaced, on which the process dies or numbers are NaN, though not so
	 * before: the paper's set Y.  The trial is borrowed. */
	int (*fails)(const struct trial *t, const struct node *n, const struct blame_value *v, void *arg,
		     struct err *e);
	void *arg;
};

struct blame_request {
	struct trial *trial;
	struct party *accused;
	struct party *other; /* (optional) a second library, for the map as in the paper; NULL: the reference */
	const struct outcome *outcome; /* of `accused` on `trial` */
	int gradient;                  /* the gradient is wrong */
	const char *blamers;           /* "map,isolated,swap"; NULL: a sensible choice for the verdict */
	const struct judge_options *options;
	const struct blame_causal *causal; /* (optional) */
	double seconds;                    /* backend time to spend; 0: 60 */
	double deadline; /* (optional) of clock_now(): ends then, however little the backend took; 0: none */
};

int blame_run(const struct blame_request *r, struct blame *out, struct err *e);
void blame_release(struct blame *b); /* zeroed is fine */
/* Of the nodes that fail only together, the next in the network behind node number `at` (-1: the first); NULL: none. */
const struct suspect *blame_next_together(const struct blame *b, int at);

/* A case whose numbers are explained (judge/explain.h): is there a node, or in large networks some neighbouring ones,
 * that alone is wrong and that nothing explains?  *guilty: the last node of the first such part; NULL: none was seen in
 * the time there was.  r->outcome is not looked at. */
int blame_alone(const struct blame_request *r, const struct node **guilty, struct err *e);

/* What a node of the main graph alone, fed with the reference's own tensors, comes to on r->accused; vacuous where
 * nobody reads it. */
int blame_verdict_alone(const struct blame_request *r, const struct node *n, enum verdict *out, struct err *e);

/* The paper's localization map in full, for pictures and bench: one entry a node. */
struct blame_map_entry {
	const struct node *node;
	double delta, rate; /* δ and R_L; NAN: a constant, or nothing was seen */
	double noise_ratio; /* of the accused against the reference at this node */
	int above;          /* R_L above the third quartile */
};
struct blame_map {
	struct blame_map_entry *at; /* by node->index */
	size_t n;
	double third_quartile;
	int exposing_hides;
	char failed[256]; /* why a side showed no hidden states; "": both did */
};
/* R_L = (δ - δ_pre) / (δ_pre + ε), ε = 1e-7, δ_pre the largest δ of the nodes that L reads, and the third quartile of
 * R_L, from the δ of each entry.  Constants (rate NAN before) have no rate.  A δ that is not finite is infinite: the
 * node that makes it out of finite ones has an infinite rate, those that pass it on have none beyond. */
#define BLAME_EPSILON 1e-7
int blame_map_rates(struct blame_map *m, struct err *e);

int blame_map_make(const struct blame_request *r, struct blame_map *out, struct err *e);
void blame_map_release(struct blame_map *m);

/* ---- the table --------------------------------------------------------------------------------------------------- */

extern const char *const blamer_names[]; /* NULL-terminated; bit i of suspect.blamers is blamer i */

/* The ranking as check prints it: [{"backend","node","op","rank","rate","noise_ratio", …}].  Numbers that JSON does not
 * have are null (NaN, not asked) or "inf". */
json_t *blame_to_json(const struct blame *b, const char *backend);

#endif
