/* tape.h - what the two files of gradients share: the way back through a run whose values were all kept. */
#ifndef REFERENCE_TAPE_H
#define REFERENCE_TAPE_H

#include "reference/internal.h"

/* Adds the gradients of a call's inputs to c->in_grad, in place of the operator's own grad. */
struct tape_step {
	int (*add)(void *arg, struct call *c);
	void *arg;
};

struct tape {
	struct run *run;
	const struct graph *graph;
	unsigned char *live;          /* by wire id: depends on a wanted wire through float values */
	struct tensor **grads;        /* by wire id; NULL: zero so far */
	const struct tape_step *step; /* NULL: grad itself */
};

/* One run forward and back.  `lane` < 0: exact; else its values move by random roundings. */
int tape_run(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o, int lane,
	     const struct tape_step *step, struct tensor **grads, struct err *e);

/* grad of a call into fresh tensors, those that `like` has, [n_in]; and those released. */
int tape_fresh_grads(struct call *c, struct tensor *const *like, struct tensor ***out);
void tape_release_grads(struct tensor **grads, int n); /* NULL is fine */

/* Rounds nothing: outputs are inputs, or of them by sign and place alone, and so are gradients. */
static inline int tape_is_exact(const struct op *op)
{
	return (op->ulps == 0.0f && !op->scale) || op->flags & OP_PICKS;
}

#endif
