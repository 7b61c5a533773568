/* roles.h - shapes and numbers of inputs whose names tell what they are (libraries/role.h).
 *
 * Numbers that say something about shapes follow from the plan, not from the values of an input: so a plan that a
 * library took stays valid. */
#ifndef METHODS_EQUIV_ROLES_H
#define METHODS_EQUIV_ROLES_H

#include "base/rng.h"
#include "libraries/role.h"
#include "tensor/tensor.h"

#define ROLE_RANK 5                   /* that shapes are drawn up to … */
#define ROLE_MAX_RANK TENSOR_MAX_RANK /* … and a few of them are raised to */

/* What shapes and numbers are made from: the main shape of a plan, and a few sizes besides it. */
struct role_frame {
	int rank;
	int64_t dims[ROLE_MAX_RANK];
	int64_t sparse;   /* elements of a sparse tensor, where the shape has as many */
	int64_t channels; /* of outputs */
	int64_t window[ROLE_MAX_RANK];
	int64_t shift;  /* of permutations */
	int64_t listed; /* tensors of a list: most operations want as many in each */
};

void role_frame_draw(struct role_frame *f, struct rng *r); /* all but the shape */
/* More sizes before the others, all 1 but for two of 2, up to so many; fewer than there are change nothing. */
void role_frame_raise(struct role_frame *f, int rank);
int64_t role_frame_sparse(const struct role_frame *f); /* no more than the shape has */

/* The shape of an input of this role (not SHAPE_ANY): its rank; dims holds ROLE_MAX_RANK. */
int role_shape(const struct role *role, const struct role_frame *f, int64_t *dims);

/* Number i of a tensor or a list whose last size is `last`. */
double role_number(enum role_numbers numbers, const struct role_frame *f, int64_t last, size_t i, struct rng *r);
int role_varies(enum role_numbers numbers); /* from input to input */

/* One of the texts of a role, and its length; NULL: it has none. */
const char *role_text(const struct role *role, struct rng *r, size_t *length);

#endif
