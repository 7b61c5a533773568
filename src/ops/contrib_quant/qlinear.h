/* qlinear.h - what the operators of com.microsoft share that take quantized tensors and give one.
 *
 *   real = (x - x_zero) · x_scale   y = saturate(round(f(real) / y_scale + y_zero))
 *
 * Microsoft's text says no more than this: not what is computed in which order, nor whether a half is rounded before
 * or after the zero point is added, which differs where that is odd.  So next to a half either of two steps is right,
 * whatever the scale. */
#ifndef OPS_CONTRIB_QUANT_QLINEAR_H
#define OPS_CONTRIB_QUANT_QLINEAR_H

#include "ops/call.h"

#define T_8BIT (TM(DT_INT8) | TM(DT_UINT8))

/* Input i is one number, as far as known; left out is fine.  Some operators take no list of one number for it. */
int qlinear_check_single(struct call *c, int i);
int qlinear_check_scalar(struct call *c, int i);

struct qlinear {
	double scale;
	int64_t zero;
};

/* What inputs `scale` and `zero` say; a zero point that is left out is 0. */
struct qlinear qlinear_read(const struct call *c, int scale, int zero);

static inline double qlinear_real(struct qlinear p, int64_t x)
{
	return (double)(x - p.zero) * p.scale;
}

/* real quantized to type t.  size: how large the numbers are that rounding acts on where that is computed, in units of
 * real: |real| itself, or more where terms cancel. */
int64_t qlinear_quantize(const struct call *c, enum dtype t, struct qlinear p, double real, double size);

/* A call of operator `name` of ai.onnx inside of c, with the attributes of c's node.  It has one output; the caller
 * sets its inputs (as many as the node has at most, none of them left out) and version. */
struct call qlinear_inner(const struct call *c, const char *name);

/* A new tensor of reals, of input i; NULL with the error set. */
struct tensor *qlinear_reals(struct call *c, int i, struct qlinear p);

#endif
