/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_ELEMENTWISE_SAMPLERS_H
#define OPS_ELEMENTWISE_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_sum, sampler_difference, sampler_add_up, sampler_mirror, sampler_product,
	sampler_quotient, sampler_choose, sampler_compare, sampler_logic, sampler_power, sampler_where, sampler_prelu,
	sampler_bitwise, sampler_bitwise_not, sampler_shift, sampler_remainder, sampler_unary, sampler_alpha,
	sampler_clip, sampler_shrink, sampler_cast, sampler_cast_like, sampler_bit_cast, sampler_dropout;

#endif
