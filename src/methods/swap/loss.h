/* loss.h - a loss behind the first output of a network, and mini-batches with what is right for them.
 *
 *   mse             mean of (y - right)² over all elements
 *   cross-entropy   mean over the items of -Σ right · log y; of scores that no Softmax made, of their LogSoftmax
 *
 * The loss is made of nodes, so that each library computes it and its gradient, too.  What is right is a further input,
 * LOSS_RIGHT, and the loss is the only output. */
#ifndef METHODS_SWAP_LOSS_H
#define METHODS_SWAP_LOSS_H

#include "case/dataset.h"
#include "judge/trial.h"

#define LOSS_RIGHT "loss.right"

struct loss_row {
	const char *name;
	int of_classes; /* the output has items and two or more classes */
	/* Adds the nodes; y has so many items. */
	int (*add)(struct graph *g, struct wire *y, struct wire *right, int64_t items, struct wire **out,
		   struct err *e);
};

extern const struct loss_row loss_rows[]; /* up to the first without a name */

const struct loss_row *loss_find(const char *name, struct err *e); /* NULL: e says so */

/* What is put behind the network, and how it is trained. */
struct loss_plan {
	const struct loss_row *loss;
	int training_form; /* of its normalizations and dropouts (training_form.h) */
};

/* Inputs of each mini-batch in the order of the network's, then masks, LOSS_RIGHT last. */
struct loss_batches {
	struct value ***at;
	size_t n, n_inputs;
};

/* The network of t with the loss, on the first mini-batch, and all of them.  ERR_INPUT: the data have no labels and no
 * targets, or none that fit the output. */
int loss_make(struct trial *t, const struct loss_plan *plan, const struct dataset *d, struct trial *out,
	      struct loss_batches *batches, struct err *e);
void loss_batches_release(struct loss_batches *b); /* zeroed is fine */

#endif
