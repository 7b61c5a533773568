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
	int64_t block;             /* places of the axis that share a scale; 0: no blocks */
	int from_end;              /* the axis is written as counted from the end */
	enum dtype told;           /* output_dtype of QuantizeLinear; DT_UNDEFINED: not written */
	enum dtype precision;      /* that attribute, the same way */
	enum dtype real;           /* output_dtype of DequantizeLinear, the same way */
	int overflows;             /* saturate=0 */
	int lone;                  /* DequantizeLinear is written without a zero point */
};

struct wire *quant_sample_there(struct maker *m, struct wire *x, const struct quant_scheme *s);
struct wire *quant_sample_back(struct maker *m, struct wire *q, const struct quant_scheme *s);

/* What came with opset 19 and later: other types than bytes, blocks, attributes. */
#define QUANT_NEWER 19
struct wire *quant_sample_newer(struct maker *m, struct wire *x);

/* Weights of 4, 8 or 16 bits, within 1, with scales for blocks of an axis: opset 21. */
#define QUANT_BLOCKS 21
struct wire *quant_sample_blocks(struct maker *m, int rank, const int64_t *dims, int axis);

#endif
