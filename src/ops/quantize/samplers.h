/* samplers.h - ways to draw nodes of this family (see ops/sample/maker.h). */
#ifndef OPS_QUANTIZE_SAMPLERS_H
#define OPS_QUANTIZE_SAMPLERS_H

#include "ops/op.h"

struct maker;

extern const struct sampler sampler_quantize, sampler_dynamic_quantize, sampler_qdq_conv, sampler_qdq_matmul,
	sampler_qlinear_conv, sampler_qlinear_matmul, sampler_matmul_integer, sampler_conv_integer;

/* Parameters of a quantization. */
struct quant_scheme {
	struct wire *scale, *zero; /* zero: NULL, it is 0 */
	int axis;                  /* -1: one for all */
};

struct wire *quant_sample_there(struct maker *m, struct wire *x, const struct quant_scheme *s);
struct wire *quant_sample_back(struct maker *m, struct wire *q, const struct quant_scheme *s);

#endif
