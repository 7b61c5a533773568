/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_SHAPE_SAMPLERS_H
#define OPS_SHAPE_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_slice, sampler_strided, sampler_split, sampler_trilu, sampler_concat, sampler_pad,
	sampler_tile, sampler_expand, sampler_crop_pad, sampler_reverse_sequence, sampler_depth_to_space,
	sampler_space_to_depth, sampler_reshape, sampler_flatten, sampler_unsqueeze, sampler_squeeze, sampler_transpose,
	sampler_shape, sampler_size, sampler_eye_like, sampler_range, sampler_constant_of_shape;

#endif
