/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_NORM_SAMPLERS_H
#define OPS_NORM_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_batch_norm, sampler_instance_norm, sampler_layer_norm, sampler_rms_norm,
	sampler_lrn, sampler_group_norm, sampler_mean_variance, sampler_lp_norm;

#endif
