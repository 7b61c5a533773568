/* resize_shape.h - what a Resize or Upsample node asks for: rule, axes, sizes. */
#ifndef OPS_IMAGE_RESIZE_SHAPE_H
#define OPS_IMAGE_RESIZE_SHAPE_H

#include "ops/image/resize_taps.h"

struct resize {
	struct resize_rule rule;
	int rank;
	int known;     /* scales or sizes are known; else only the rank is */
	uint32_t mask; /* axes that are resized */
	struct resize_axis axis[TENSOR_MAX_RANK];
	double extrapolation;
	struct taps taps[TENSOR_MAX_RANK]; /* of axes in mask; for eval and its kin */
};

/* Reads everything but the taps.  dims may be unknown; then, or when scales, sizes or roi are not known yet, r->known
 * is 0 and only the rank and the axes of the output can be told. */
int resize_init(struct call *c, struct resize *r, int rank, const int64_t *dims);

#endif
