/* rounding.h - random roundings of the lanes of a tensor (noisy mode).
 *
 * Element i of every lane moves by + or - size[i].  The coin of an element and lane is a pure function of seed, element
 * and lane, so that a tensor may be rounded piece by piece, in any order, while the pieces are still in the cache. */
#ifndef OPS_NOISE_ROUNDING_H
#define OPS_NOISE_ROUNDING_H

#include <stddef.h>
#include <stdint.h>

#include "tensor/dtype.h"

struct rounding {
	float *sizes; /* [elements of the output]; NULL: the operator is exact */
	uint64_t seed;
	int drifts; /* sizes are those of drifts, which elements share in part: see drift.h */
	int done;   /* set by a delta function that has rounded this output itself */
};

/* Sizes of the roundings of type t: its unit roundoff * factor * |scale|, but never less than the distance of two
 * subnormals; 0 where the scale is 0 or not finite.  Many libraries take subnormal numbers for 0, also the products
 * that a sum is made of: where the smallest normal number is too small to be seen (not in float16), a rounding is as
 * large as that, or as the scale. */
void rounding_sizes(enum dtype t, double factor, const double *scale, size_t n, float *sizes);

/* Adds what an approximation may be off by: op.floor. */
void rounding_add_floor(enum dtype t, double floor, size_t n, float *sizes);

/* Elements [first, first + n), which sizes and d [element][lane] point to; `add`: to what is there, else put. */
void rounding_apply(uint64_t seed, const float *sizes, float *d, size_t first, size_t n, size_t lanes, int add);

/* Makes equal sizes different, by a third more or less, with half of their variance: those of elements
 * [first, first + n), which `sizes` points to. */
void rounding_vary(float *sizes, size_t first, size_t n);

/* The same with what a call has prepared for one of its outputs. */
void rounding_move(const struct rounding *r, float *d, size_t first, size_t n, size_t lanes, int add);

#endif
