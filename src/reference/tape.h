/* tape.h - what the two files of gradients share: the way back through a run whose values were all kept. */
#ifndef REFERENCE_TAPE_H
#define REFERENCE_TAPE_H

#include "reference/internal.h"

struct gradient_noise; /* gradient_noise.c */

struct tape {
	struct run *run;
	const struct graph *graph;
	unsigned char *live;          /* by wire id: depends on a wanted wire through float values */
	struct tensor **grads;        /* by wire id; NULL: zero so far */
	struct gradient_noise *noise; /* NULL: none is wanted */
};

/* One run forward and back.  `lane` < 0: exact; else its values and gradients move by random roundings. */
int tape_run(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o, int lane,
	     struct gradient_noise *noise, struct tensor **grads, struct err *e);

/* The gradients of a call's inputs are added to c->in_grad: as they are (and how far rounding may move them is noted),
 * or, in a lane, moved. */
int gradient_noise_step(struct gradient_noise *g, struct call *c);

#endif
