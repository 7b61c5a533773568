/* couple.h - numbers of two tensors that go together: (lowest, -1), (0, 0) and others of ops/sample/values.h, at which
 * quotients, products and shifts leave a type.  Each alone is drawn often, both at one place hardly ever. */
#ifndef METHODS_EQUIV_COUPLE_H
#define METHODS_EQUIV_COUPLE_H

#include "methods/equiv/draw.h"

/* In one call of two, an element of the first two tensors of whole numbers that have `type`; DT_UNDEFINED: that have
 * one type.  The same element, where the shapes are the same.  r is left as it is. */
int couple_numbers(struct bindings *b, enum dtype type, const struct rng *r, struct err *e);

#endif
