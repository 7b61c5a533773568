/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_RECURRENT_SAMPLERS_H
#define OPS_RECURRENT_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_recurrent;

#endif
