/* resize_taps.h - resampling one axis: which input elements, with which weights, make each output element.
 *
 * All modes of Resize are separable: an n-dimensional resize is one resampling after another, and its gradient the
 * transposed ones in any order. */
#ifndef OPS_IMAGE_RESIZE_TAPS_H
#define OPS_IMAGE_RESIZE_TAPS_H

#include "ops/call.h"

enum resize_mode { RESIZE_NEAREST, RESIZE_LINEAR, RESIZE_CUBIC };

enum resize_coord {
	COORD_HALF_PIXEL,
	COORD_HALF_PIXEL_SYMMETRIC,
	COORD_PYTORCH_HALF_PIXEL,
	COORD_ALIGN_CORNERS,
	COORD_ASYMMETRIC,
	COORD_TF_HALF_PIXEL_FOR_NN,
	COORD_TF_CROP_AND_RESIZE
};

enum resize_nearest { NEAREST_PREFER_FLOOR, NEAREST_PREFER_CEIL, NEAREST_FLOOR, NEAREST_CEIL };

struct resize_rule {
	enum resize_mode mode;
	enum resize_coord coord;
	enum resize_nearest nearest;
	double cubic_a;
	int exclude_outside, antialias;
};

struct resize_axis {
	int64_t in, out;
	double scale;      /* as given, or out / in */
	double start, end; /* of the region of interest, 0 to 1 */
};

/* Output o is the sum over j < count[o] of w[o * most + j] * x[first[o] + j]. */
struct taps {
	int64_t in, out;
	size_t most; /* taps of an output, at most */
	int64_t *first, *count;
	double *w;
	double *slope;          /* derivative of w by the coordinate, times what rounding may move the coordinate by */
	double *terms;          /* what rounding may move w itself by, in roundoffs: cubics are sums that cancel, and
				 * next to the end of a linear kernel a weight of 0 may become a little more */
	int sparse;             /* weights of 0 are no terms of the sum: they stand there for that reason alone */
	unsigned char *outside; /* tf_crop_and_resize: the output has the extrapolation value */
	int identity;           /* nothing to do */
};

/* Whether rounding alone may choose another element for an output, or put it outside of a region. */
int taps_flip(const struct resize_rule *rule, const struct resize_axis *axis);

int taps_build(struct call *c, const struct resize_rule *rule, const struct resize_axis *axis, struct taps *t);

/* x is [outer, in, inner], y is [outer, out, inner]; w is t->w, t->slope or other weights of that form. */
void taps_apply(const struct taps *t, const double *w, size_t outer, size_t inner, const double *x, double *y);
void taps_apply_transposed(const struct taps *t, size_t outer, size_t inner, const double *gy, double *gx);

/* The same with one tap of weight 1 each, for elements of 8 bytes of any type. */
void taps_move(const struct taps *t, size_t outer, size_t inner, const void *x, void *y);

#endif
