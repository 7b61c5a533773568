/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_LINEAR_SAMPLERS_H
#define OPS_LINEAR_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_einsum, sampler_matmul, sampler_gemm, sampler_det;

#endif
