/* roles.h - what parameters are by their names, where a registry says no more than "a tensor" or "a list of numbers".
 *
 * A library uses the same words for the same things: paddings have a row for each dimension, a sparse tensor is three
 * inputs called indices, values and shape, axes are below the rank.  A role says the shape of such an input in terms of
 * the plan's own shape, and which numbers it may hold.  Numbers that say something about shapes follow from the plan,
 * not from the values of an input: so a plan that a library took stays valid.
 *
 * A shape is a text, one letter a size:
 *
 *     *  all sizes of the plan's shape     ^  all but the last     >  all but the first     <  all but the last two
 *     n  the first     s  the last but one     c  the last     d, f  twice and four times the last
 *     r  the rank      q  the rank less two    z  elements of a sparse tensor     m, M  output channels, times the last
 *     @  a small size for each spatial dimension     1 … 9  itself     -  nothing: a single number
 *
 * Numbers, a letter:
 *
 *     0 … 9  itself    _  -1    #  1 to 4    a  an axis    p  a permutation    P  0 or 1    d  the plan's sizes
 *     i  below the smallest size    o  ids that do not fall, from 0    v  the first size    t  from 0 to the first size
 *     z  coordinates of a sparse tensor, in order    w  1, small numbers for spatial dimensions, 1    k  of a filter
 *     y  0, 1, 2 …    b  corners of a box    R  -1, then 1    u  0 to 1    +, >  above 0    <  below 0
 *     !  seldom given
 *
 * Texts that a registry gives no list of are '"', and `shape` has them with a bar between each. */
#ifndef METHODS_EQUIV_ROLES_H
#define METHODS_EQUIV_ROLES_H

#include "base/rng.h"

#define FRAME_RANK 5

/* What shapes and numbers are made from: a plan's shape, and a few sizes besides it. */
struct frame {
	int rank;
	int64_t dims[FRAME_RANK];
	int64_t sparse;   /* elements of a sparse tensor, where the shape has as many */
	int64_t channels; /* of outputs */
	int64_t window[FRAME_RANK];
	int64_t shift; /* of permutations */
};

void frame_draw(struct frame *f, struct rng *r); /* all but the shape */
int64_t frame_sparse(const struct frame *f);     /* no more than the shape has */

struct role {
	const char *library;
	const char *pattern; /* "operation.parameter" */
	const char *shape;   /* NULL: drawn as that of any other */
	char numbers;        /* 0: drawn */
	int rank;            /* that the plan's shape should have; 0: any */
};

/* NULL: nothing is known. */
const struct role *role_find(const char *library, const char *operation, const char *parameter);

/* The shape of an input of this role (shape is not NULL): its rank; dims holds FRAME_RANK. */
int role_shape(const struct role *role, const struct frame *f, int64_t *dims);

/* Number i of a tensor or a list whose last size is `last`. */
double role_number(char numbers, const struct frame *f, int64_t last, size_t i, struct rng *r);
int role_is_float(char numbers); /* differs from input to input */

/* One of the texts of a role, and its length; NULL: it has none. */
const char *role_text(const struct role *role, struct rng *r, size_t *length);

#endif
