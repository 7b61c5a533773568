/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_POOL_SAMPLERS_H
#define OPS_POOL_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_pool, sampler_average, sampler_lp_pool, sampler_global, sampler_global_lp,
	sampler_unpool, sampler_roi_align, sampler_max_roi_pool;

#endif
