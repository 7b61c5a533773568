/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_QUANTIZE_SAMPLERS_H
#define OPS_QUANTIZE_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_quantize, sampler_dynamic_quantize, sampler_qdq_conv, sampler_qdq_matmul,
	sampler_qlinear_conv, sampler_qlinear_matmul, sampler_matmul_integer, sampler_conv_integer;

#endif
