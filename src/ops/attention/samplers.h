/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_ATTENTION_SAMPLERS_H
#define OPS_ATTENTION_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_attention, sampler_rotary;

#endif
