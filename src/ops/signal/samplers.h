/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_SIGNAL_SAMPLERS_H
#define OPS_SIGNAL_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_dft, sampler_stft, sampler_window;

#endif
