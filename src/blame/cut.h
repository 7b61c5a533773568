/* cut.h - parts of a network as cases of their own: cuts through a graph, and the tensors that feed them.
 *
 * Used by the blamers and by methods that run a network piece by piece. */
#ifndef BLAME_CUT_H
#define BLAME_CUT_H

#include "judge/trial.h"

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

enum wire_kind {
	WIRE_CONSTANT, /* depends on no input */
	WIRE_SHAPE,    /* depends on shapes of inputs only: libraries may want to know it when they load */
	WIRE_DATA
};

/* What stands on the border of a set of nodes: wires they read that others make, wires they make that others read. */
struct cut {
	struct wire **from, **to;
	size_t n_from, n_to; /* n_to 0: nobody reads what these nodes make */
};

/* Kinds of all wires of t's main graph, by id; from mem_array(). */
unsigned char *cut_kinds(const struct trial *t, struct err *e);
/* Constants are computed in the part as in the whole (so that they are folded alike), or given as `values`. */
int cut_plan(const struct trial *t, const unsigned char *kinds, struct node *const *nodes, size_t n, int values,
	     struct cut *out, struct err *e);
void cut_release(struct cut *c); /* zeroed is fine */

/* ---- recorded tensors -------------------------------------------------------------------------------------------- */

/* The reference's own tensors, rounded to their type, by wire id; and, for gradients, those of the case's outputs. */
struct states {
	size_t n;
	char *wanted;      /* bit 0: the value, bit 1: the gradient */
	struct value **at; /* packed */
	struct tensor **grads;
};

int states_init(struct states *s, const struct trial *t, struct err *e);
void states_release(struct states *s); /* zeroed is fine */
void states_want(struct states *s, const struct cut *c, int gradient);
void states_want_all(struct states *s, int gradient); /* every wire: for cuts that are not known yet */
/* One run of the reference (and one backward) records all that is wanted. */
int states_take(struct states *s, struct trial *t, struct err *e);

/* The part between the ends of a cut as a case of its own, fed with recorded tensors. */
int cut_trial(struct trial *t, const unsigned char *kinds, const struct cut *c, const struct states *s,
	      struct trial *out, struct err *e);

/* Nodes that are to be a case of their own.  They belong to the trial that is cut, the list to the caller. */
struct cut_nodes {
	struct node *const *at;
	size_t n;
	int values;   /* constants are given, as in cut_plan() */
	int gradient; /* the case is about gradients */
};

/* The cut around some nodes as a case, when no other cut of the same case is wanted.  *empty: nobody reads it. */
int cut_once(struct trial *t, const unsigned char *kinds, const struct cut_nodes *nodes, struct trial *out, int *empty,
	     struct err *e);

#endif
