/* spatial.h - the geometry of sliding windows: what Conv, the pools and their kin share.
 *
 * A window of `kernel` positions, `dilation` apart, starts at o * stride - pad_begin for output position o of an axis.
 * Sizes may be unknown or symbolic (DIM_UNKNOWN, DIM_SYMBOL) while a model is only checked; after a run's own inference
 * all are known. */
#ifndef OPS_KIT_SPATIAL_H
#define OPS_KIT_SPATIAL_H

#include "ops/op.h"

#define SPATIAL_MAX 8 /* axes */

/* Attributes of convolutions, in a list of an operator's. */
#define OP_CONV_ATTRS                                                                 \
	OP_STRING("auto_pad", "NOTSET"), OP_INTS("dilations", 1), OP_INT("group", 1), \
		OP_ATTR("kernel_shape", ATTR_INTS), OP_INTS("pads", 0), OP_INTS("strides", 1)

struct spatial {
	int n; /* axes */
	int64_t in[SPATIAL_MAX];
	int64_t kernel[SPATIAL_MAX];
	int64_t stride[SPATIAL_MAX];
	int64_t dilation[SPATIAL_MAX];
	int64_t pad_begin[SPATIAL_MAX]; /* DIM_UNKNOWN where auto_pad needs a size that is not known */
	int64_t pad_end[SPATIAL_MAX];
	int64_t out[SPATIAL_MAX];
	int same; /* auto_pad: 0 NOTSET or VALID, -1 SAME_LOWER, 1 SAME_UPPER (pads are then not read by spatial_attrs)
		   */
	int automatic; /* auto_pad is not NOTSET: ceil_mode has no say */
};

/* Reads and checks kernel_shape, strides, pads, dilations and auto_pad.  `kernel`: the sizes that the weights have
 * (unknown ones are taken from kernel_shape, known ones must agree with it), or NULL: kernel_shape must be there.
 * Fills all but in and out; no attribute is above INT32_MAX, so that products of two do not overflow. */
int spatial_attrs(struct call *c, struct spatial *s, int n, const int64_t *kernel);

/* The same, then pads by auto_pad and output sizes.  With ceil_mode a last window may hang over the end, but it must
 * start inside the input or the padding in front of it. */
int spatial_init(struct call *c, struct spatial *s, int n, const int64_t *in, const int64_t *kernel, int ceil_mode);

/* The positions [*first, *end) of window o along `axis` that lie inside the input (sizes known; possibly none). */
void spatial_clip(const struct spatial *s, int axis, int64_t o, int64_t *first, int64_t *end);

#endif
