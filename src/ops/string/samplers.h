/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_STRING_SAMPLERS_H
#define OPS_STRING_SAMPLERS_H

#include "ops/op.h"

extern const struct sampler sampler_string_equal, sampler_string_concat, sampler_string_split, sampler_regex_match,
	sampler_string_normalizer, sampler_tf_idf;

#endif
