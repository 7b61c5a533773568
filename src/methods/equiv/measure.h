/* measure.h - how far two sides are apart, in units of what rounding of their inputs does. */
#ifndef METHODS_EQUIV_MEASURE_H
#define METHODS_EQUIV_MEASURE_H

#include "methods/equiv/pair.h"

/* The ratio of the difference of v to that noise. */
int measure_ratio(struct pair_run *r, const struct equiv_input *in, struct value *const v[2], double *ratio);

#endif
