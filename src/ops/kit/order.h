/* order.h - a total order of the elements of any tensor, for operators that sort.
 *
 * Numbers by value; -0 and +0 are equal; all NaNs are equal and above everything else, as numpy sorts.  Complex numbers
 * by real, then imaginary part.  Strings byte by byte. */
#ifndef OPS_KIT_ORDER_H
#define OPS_KIT_ORDER_H

#include "tensor/tensor.h"

/* A number whose unsigned order is the order of the elements.  Not for strings and complex numbers. */
uint64_t order_key(const struct tensor *t, size_t i);

/* Below, equal to or above 0. */
int order_compare(const struct tensor *t, size_t i, size_t j);

#endif
