/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_CONTROL_SAMPLERS_H
#define OPS_CONTROL_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_if, sampler_loop, sampler_scan, sampler_sequence, sampler_split_to_sequence,
	sampler_optional;

#endif
