/* mixed.h - a network whose every node is bound to a backend, run forward and backward through the mix.
 *
 *     nodes     Conv  Relu  MaxPool  Conv  Relu  Gemm           binding  0 0 0 1 0 0
 *     segments  [ tf          tf   ] [mxnet] [   tf   ]
 *
 * Neighbours in topological order that are bound to one backend are one segment: a model of its own, which the backend
 * loads once and may optimize as it likes.  Intervals of a topological order never wait for each other in a circle, so
 * the segments run one after the other.  Sessions are kept: binding one node anew costs three of them at most.
 *
 * On the way back each segment gets the gradients of what it made as seeds, and gives those of what it read and of the
 * parameters it used; a wire that several segments read gets the sum, in double, rounded to its type once. */
#ifndef METHODS_SWAP_MIXED_H
#define METHODS_SWAP_MIXED_H

#include "judge/trial.h"

struct mixed;

struct mixed_run {
	struct value **outputs; /* by graph output; NULL: the forward run failed */
	size_t n_outputs;
	struct tensor **grads; /* by trial->grad_wires, wide; NULL: not asked, or failed */
	size_t n_grads;
	struct worker_report report; /* WORKER_OK, or how a segment failed … */
	size_t party;                /* … and whose it was */
	int backward;                /* … on the way back */
	double seconds;              /* of the backends' own runs, loading left out */
	size_t segments;
};

void mixed_run_release(struct mixed_run *r); /* zeroed is fine */

/* Trial and parties are borrowed; a party without a worker is the reference.  binding: by node->index, a position in
 * parties.  With `gradients` the trial's seeds are made when there are none (trial_seed_gradients()). */
int mixed_open(struct trial *t, struct party *const *parties, size_t n, const size_t *binding, int gradients,
	       struct mixed **out, struct err *e);
void mixed_close(struct mixed *m); /* NULL is fine */

void mixed_rebind(struct mixed *m, const struct node *n, size_t party);
size_t mixed_binding(const struct mixed *m, const struct node *n);

/* The trial's inputs through the mix.  What a backend does is in *out; a negative status means that assay failed. */
int mixed_forward(struct mixed *m, struct mixed_run *out, struct err *e);
/* After mixed_forward() with the same binding: adds the gradients to *run. */
int mixed_backward(struct mixed *m, struct mixed_run *run, struct err *e);

/* The n nodes from position `first` on as a case of their own, fed with the reference's tensors and (with gradients)
 * the reference's gradients of what they make.  *empty: nobody reads what they make, and there is no case. */
int mixed_part(struct mixed *m, size_t first, size_t n, struct trial *out, int *empty, struct err *e);

/* Segment i of the binding as it is: what mixed_part() wants, and whose it is; 0: there is none any more. */
int mixed_segment(struct mixed *m, size_t i, size_t *first, size_t *n, size_t *party);

#endif
