/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_CONV_SAMPLERS_H
#define OPS_CONV_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_conv, sampler_depthwise, sampler_deconv, sampler_deform_conv, sampler_col2im;

#endif
