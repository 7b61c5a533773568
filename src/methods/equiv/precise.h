/* precise.h - a difference that float64 has no more: each formula of a second derivative cancels in its own places, and
 * one rounding of an input shows little of what is lost there. */
#ifndef METHODS_EQUIV_PRECISE_H
#define METHODS_EQUIV_PRECISE_H

#include "methods/equiv/pair.h"

/* *agrees 1: both sides give the same of the same numbers in float64.  Only asked of derivatives that other code
 * computes; what is wrong with a formula is wrong in any type. */
int precise_ask(struct pair_run *r, const struct equiv_input *in, int *agrees);

#endif
