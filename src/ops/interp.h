/* interp.h - linear interpolation between the grid points around a place, for any number of axes: what GridSample,
 * DeformConv and RoiAlign share.  Grid points outside of the image count as zero and are left out. */
#ifndef OPS_INTERP_H
#define OPS_INTERP_H

#include "ops/spatial.h"

#define INTERP_MAX_TAPS (1 << SPATIAL_MAX)

struct interp {
	int axes;
	size_t n;                                /* taps inside the image */
	size_t at[INTERP_MAX_TAPS];              /* offsets in the image */
	double w[INTERP_MAX_TAPS];               /* weights */
	double dw[SPATIAL_MAX][INTERP_MAX_TAPS]; /* their derivatives by the coordinate along each axis */
};

/* The 2^axes points around `coord`.  A coordinate that is no number, or beyond everything, has none. */
void interp_linear(struct interp *t, int axes, const int64_t *size, const double *coord);

/* Σ w x and Σ dw[axis] x */
double interp_value(const struct interp *t, const double *x);
double interp_slope(const struct interp *t, int axis, const double *x);

/* x += w g: the gradient by the image */
void interp_scatter(const struct interp *t, double g, double *x);

#endif
