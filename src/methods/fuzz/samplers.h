/* samplers.h - samplers that belong to no single operator: patterns of several nodes.  samplers.def lists them. */
#ifndef METHODS_FUZZ_SAMPLERS_H
#define METHODS_FUZZ_SAMPLERS_H

#include "ops/sample/maker.h"

#define SAMPLER(name) extern const struct sampler sampler_##name;
#include "methods/fuzz/samplers.def"
#undef SAMPLER

const struct sampler *sampler_find(const char *name); /* NULL: unknown */

#endif
