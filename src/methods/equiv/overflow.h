/* overflow.h - a whole number that does not fit its type: what becomes of it no library documents, and two array
 * libraries, or two programs, make different numbers of it. */
#ifndef METHODS_EQUIV_OVERFLOW_H
#define METHODS_EQUIV_OVERFLOW_H

#include "methods/equiv/pair.h"

/* *overflows 1: with the same whole numbers of a wider type a side gives a result that has no place in the type of v.
 * What overflows inside of a function, and would fit in the end, is a fault of the function and none of these. */
int overflow_ask(struct pair_run *r, const struct equiv_input *in, struct value *const v[2], int *overflows);

#endif
