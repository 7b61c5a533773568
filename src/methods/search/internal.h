/* internal.h - what the files of the search share. */
#ifndef METHODS_SEARCH_INTERNAL_H
#define METHODS_SEARCH_INTERNAL_H

#include "base/rng.h"
#include "methods/search/search.h"

#define SEARCH_EDITS 6 /* genes of a network */

/* Scales of noise against a tensor's spread, as powers of ten: from an ulp of float32 up. */
#define SCALE_FINEST (-7.0)
#define SCALE_COARSEST 2.0

/* ---- individuals ------------------------------------------------------------------------------------------------- */

struct individual {
	struct trial trial;           /* the case; model NULL: none */
	uint64_t genes[SEARCH_EDITS]; /* network level: seeds of edits; 0: none */
	char edits[SEARCH_SAID];
	size_t number;            /* of the case */
	int invalid;              /* on purpose */
	int hears_layers;         /* every layer is an output */
	int has_logits;           /* its last output is the layer before the decision */
	struct outcome *outcomes; /* by backend */
	size_t n_outcomes;
	double distance, closeness, spread; /* kinds of fitness; -1: nothing came out */
	double scale;                       /* of the noise that made it, as a power of ten (genes.c) */
	double fitness;
	int covers; /* something new: novelty.h */
	int failed; /* some oracle reported it */
};

void individual_release(struct individual *x); /* zeroed is fine */

/* ---- variation: genes.c, network.c ------------------------------------------------------------------------------- */

/* A child of a and b (the same twice: a mutant) at a level, from `base` (a case). */
struct variation {
	const struct trial *base;
	enum search_level level;
	const struct search_options *options;
	double crossover, mutation;
	double scale; /* when it has one: that the noise is to have, nearly; else any */
	int has_scale;
};

/* `mutate` 0: as the mutation rate says, 1: always. */
int variation_child(const struct variation *v, const struct individual *a, const struct individual *b, struct rng *rng,
		    int mutate, struct individual *out, struct err *e);

/* gradient.c: moves the numbers of a level in a copy of a case, m and in, by `length` of a step that would make the two
 * best scores equal if the network were linear.  *taken 0: there is no gradient to follow, nothing has moved. */
int gradient_step(const struct variation *v, int has_logits, double length, struct model *m, struct value **in,
		  int *taken, struct err *e);
/* Whether an initializer (NULL: none) is a weight: floats, more than one. */
int gene_is_weight(const struct tensor *t);

/* The base itself as the first case. */
int variation_base(const struct variation *v, struct individual *x, struct err *e);

/* The case of a network that x->genes make, with the inputs of another of its kind: x->trial, edits and invalid. */
int variation_network(const struct variation *v, const struct trial *like, struct individual *x, struct err *e);

/* Whether there is anything to change at a level: networks always, numbers where there are some. */
int variation_has_genes(const struct trial *base, enum search_level level);

/* Exposes the layer before the decision of a model; *exposed: it is the last output now, or was (a variant that was
 * saved). */
int search_expose_logits(struct model *m, int *exposed, struct err *e);

/* Makes an output of every float tensor that a node makes; the last output stays the last. */
int search_expose_layers(struct model *m, struct err *e);

/* The network that genes make of a model, and what was done in words.  *invalid: on purpose. */
int network_make(const struct model *base, const uint64_t *genes, const struct layers *layers, struct model **out,
		 char *said, int *invalid, struct err *e);

/* ---- edits.def: one row and one file a kind of edit -------------------------------------------------------------- */

struct editing {
	struct model *model; /* a copy that only this edit has touched */
	const struct layers *layers;
	struct rng rng;
	char *said;  /* SEARCH_SAID bytes: what it did */
	int uniform; /* lists have the same number on every axis */
};

enum edit_result {
	EDIT_FAILED = -1,
	EDIT_IMPOSSIBLE, /* there is nothing here to do it to */
	EDIT_DONE
};

struct edit {
	const char *summary;
	unsigned share; /* how often, beside the others' */
	int invalid;    /* makes a model that ONNX forbids: nothing is mended behind it */
	enum edit_result (*apply)(struct editing *x, struct err *e);
};

/* A row that matches the node, by chance among several; NULL: none. */
const struct layer *edit_layer_of(struct editing *x, const struct node *n);
/* A node by chance among those that `fits`; NULL: none. */
struct node *edit_pick(struct editing *x, int (*fits)(const struct editing *x, const struct node *n));
/* Gives a parameter the value of a word. */
int edit_set(struct editing *x, struct node *n, const struct layer_parameter *p, const char *word, struct err *e);

/* ---- repair.c ---------------------------------------------------------------------------------------------------- */

/* Infers all shapes anew and gives weights that no longer fit new ones of the right shape.  ERR_INPUT when that does
 * not help. */
int repair_model(struct model *m, struct rng *rng, struct err *e);
/* Input i of a node becomes this constant, which is taken over. */
int repair_set(struct node *n, int i, struct tensor *take, struct err *e);
/* Weights for a node that was added without. */
int repair_new_node(struct node *n, struct rng *rng, struct err *e);
/* Forgets the shapes of all that nodes make. */
void repair_forget(struct model *m);
/* A weight of this shape in the place of input i of a node, as widely spread as the old one; makes the input where
 * there is none. */
int repair_weight(struct node *n, int i, int rank, const int64_t *dims, struct rng *rng, struct err *e);

/* ---- rivals.c ---------------------------------------------------------------------------------------------------- */

/* Runs n cases on all backends: outcomes, not judged.  one_model: they differ in their inputs alone.  When the options
 * say that it is over no more are begun. */
int rivals_run(struct rivals *all, struct individual **cases, size_t n, int one_model, const struct search_options *o,
	       struct err *e);
/* The deadline has passed, or somebody wants it to stop. */
int search_is_over(const struct search_options *o);

/* ---- report.c: the oracles --------------------------------------------------------------------------------------- */

/* Distance, spread and what the oracles see. */
unsigned report_look(struct individual *x, const struct rivals *rivals);
/* Whether another backend gave numbers that those of backend i were compared with. */
int report_was_compared(const struct individual *x, size_t i);
/* The layer before the decision as the first backend that gave one has it; NULL: none has. */
const struct tensor *report_activations(const struct individual *x);
/* Asks the reference about a reported case, tells the caller of each library that is wrong, and counts. */
int report_judge(struct individual *x, struct rivals *rivals, const struct search_options *o, unsigned saw,
		 struct search_failure *f, struct search_counts *counts, struct err *e);

#endif
