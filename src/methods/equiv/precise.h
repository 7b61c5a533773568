/* precise.h - a difference that float64 has no more.
 *
 * It counts as rounding where something says that float32 has not the digits, or not the range:
 *  - derivatives by other code, each formula of which cancels in its own places;
 *  - a difference not far above the noise, since six nudges need not hit the worst rounding;
 *  - neither side is near what float64 gives: an intermediate result lost too much;
 *  - a compiler that may rearrange, and numbers whose products are too small for the type: some programs take these for
 *    0.
 * A wrong formula is wrong in any type; and where a kernel of float32 is wrong, the other side is right. */
#ifndef METHODS_EQUIV_PRECISE_H
#define METHODS_EQUIV_PRECISE_H

#include "methods/equiv/pair.h"

/* *agrees 1: both sides of v, `ratio` times the noise apart, give the same of the same numbers in float64, and one of
 * the above holds.  Only asked where both are one call on two option sets. */
int precise_ask(struct pair_run *r, const struct equiv_input *in, struct value *const v[2], double ratio, int *agrees);

#endif
