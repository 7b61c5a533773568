/* interp.h - interpolation between the grid points around a place, for any number of axes: what GridSample, DeformConv
 * and RoiAlign share.  A place has taps: grid points inside the image, their weights, and how these change with the
 * place.  Taps are built an axis at a time, outermost first, as products. */
#ifndef OPS_KIT_INTERP_H
#define OPS_KIT_INTERP_H

#include "ops/kit/spatial.h"

#define INTERP_MAX_TAPS (1 << SPATIAL_MAX)
#define INTERP_MAX_REACH 4 /* taps along one axis */

struct interp {
	int axes;
	size_t n;                                /* taps */
	size_t at[INTERP_MAX_TAPS];              /* offsets in the image */
	double w[INTERP_MAX_TAPS];               /* weights */
	double dw[SPATIAL_MAX][INTERP_MAX_TAPS]; /* their derivatives by the coordinate along each axis */
};

/* The taps along one axis. */
struct interp_axis {
	int n;
	int64_t at[INTERP_MAX_REACH];
	double w[INTERP_MAX_REACH], dw[INTERP_MAX_REACH];
	double terms[INTERP_MAX_REACH]; /* sizes of what weights are sums of, which their rounding goes by; GridSample's
					 */
};

/* No axes yet: one tap of weight 1. */
void interp_begin(struct interp *t);

/* Adds an axis of `size` points; the number of taps is multiplied by a->n (at most INTERP_MAX_TAPS in all). */
void interp_add(struct interp *t, int64_t size, const struct interp_axis *a);

/* The 2^axes points around `coord`; those outside of the image count as zero and are left out.  A coordinate that is no
 * number, or beyond everything, has none. */
void interp_linear(struct interp *t, int axes, const int64_t *size, const double *coord);

/* Σ w x and Σ dw[axis] x */
double interp_value(const struct interp *t, const double *x);
double interp_slope(const struct interp *t, int axis, const double *x);

/* x += w g: the gradient by the image */
void interp_scatter(const struct interp *t, double g, double *x);

#endif
