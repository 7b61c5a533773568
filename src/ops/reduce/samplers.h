/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_REDUCE_SAMPLERS_H
#define OPS_REDUCE_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_axis, sampler_reduce, sampler_reduce_sum, sampler_extremum, sampler_arg,
	sampler_cumulate, sampler_cumulate_whole, sampler_loss;

#endif
