/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_IMAGE_SAMPLERS_H
#define OPS_IMAGE_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_resize_linear, sampler_resize_nearest, sampler_resize_cubic, sampler_upsample,
	sampler_crop_and_resize, sampler_grid_sample, sampler_affine_grid;

#endif
