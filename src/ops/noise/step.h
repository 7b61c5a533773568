/* step.h - elementwise operators as steps behind another operator.
 *
 * A node that changes every element of what the node before it wrote, and is its only reader, need not wait for the
 * whole tensor: its step is done to each piece right after that is computed, in place, while it is in the cache.  Who
 * runs nodes makes the list of steps; an operator that writes its output in pieces calls steps_apply() on each of them
 * and sets `done`, behind others it is done in one go.  The results are those of whole nodes, bit by bit. */
#ifndef OPS_NOISE_STEP_H
#define OPS_NOISE_STEP_H

#include "ops/op.h"

struct step {
	struct call *call; /* all inputs are there but the data of in[from]; in the noisy mode in_delta and lanes too */
	int from;          /* the input that the step before writes */
	const void *state; /* what prepare() made, in the call's scratch */
	uint64_t seed;     /* of its roundings */
};

/* Functions on n elements, x of them the input and y the output, starting with element `first` of the tensor. */
struct op_step {
	int (*prepare)(struct step *s); /* once, before the others; whether this call can be done in steps */
	void (*eval)(const struct step *s, size_t first, size_t n, const double *x, double *y); /* x may be y */
	/* as op.scale and op.delta, the latter in place; no scale: op.ulps counts */
	void (*scale)(const struct step *s, size_t first, size_t n, const double *x, double *scale);
	void (*delta)(const struct step *s, size_t first, size_t n, const double *x, float *d);
};

struct steps {
	struct step *at;
	int n;
	int done; /* set by an operator that has applied them itself */
};

/* All steps to elements [first, first + n), which y and (noisy mode, else NULL) d point to. */
void steps_apply(const struct steps *s, size_t first, size_t n, double *y, float *d);

#endif
