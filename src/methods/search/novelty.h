/* novelty.h - a baseline for the search: coverage as TensorFuzz (Odena, Goodfellow, 2018) has it.
 *
 * A case covers something new when its activations, those before the decision, are farther than d (by L2) from those of
 * every case that did so before.  d is a tenth of the length of the first vector, that of the unchanged network. */
#ifndef METHODS_SEARCH_NOVELTY_H
#define METHODS_SEARCH_NOVELTY_H

#include "base/vec.h"
#include "tensor/tensor.h"

struct novelty_vector;

struct novelty {
	VEC(struct novelty_vector) seen; /* what was new */
	double limit;                    /* d; set by the first */
};

int novelty_note(struct novelty *c, const struct tensor *t, int *is_new, struct err *e);
void novelty_release(struct novelty *c); /* zeroed is fine */

#endif
