/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_INDEX_SAMPLERS_H
#define OPS_INDEX_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_gather, sampler_gather_elements, sampler_scatter_elements, sampler_scatter,
	sampler_top_k, sampler_one_hot, sampler_gather_nd, sampler_scatter_nd, sampler_tensor_scatter, sampler_non_zero,
	sampler_unique, sampler_compress;

#endif
