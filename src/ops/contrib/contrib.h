/* contrib.h - what the operators of com.microsoft share.
 *
 * ONNX Runtime has them beside those of ONNX: exporters write them, and so does its own optimizer.  Each is made of
 * operators of ONNX (ops/engine/compose.h).  Their meaning is that of ONNX Runtime's list of contributed operators;
 * docs/reference.md says what is open there. */
#ifndef OPS_CONTRIB_CONTRIB_H
#define OPS_CONTRIB_CONTRIB_H

#include "ops/engine/compose.h"

/* Element types that most of them take; few take double. */
#define T_CONTRIB (TM(DT_FLOAT) | TM(DT_FLOAT16) | TM(DT_BFLOAT16))

/* x + v, v a vector along the last dimension of x (activation.c); v may be NULL: x. */
struct compose_part *contrib_add_vector(struct compose *p, struct compose_part *x, struct compose_part *v);

/* Reshape; 0 keeps a dimension, -1 is what is left. */
struct compose_part *contrib_reshape(struct compose *p, struct compose_part *x, const int64_t *dims, int rank);

/* (B, heads, L, H) as (B, L, heads H): the heads of each place side by side. */
struct compose_part *contrib_side_by_side(struct compose *p, struct compose_part *x);

/* Part `i` of x along an axis, which goes. */
struct compose_part *contrib_pick(struct compose *p, struct compose_part *x, int axis, int64_t i);

/* Positions (batch, length), int64: batch b counts from first[b] on (rotary.c). */
struct compose_part *contrib_positions(struct compose *p, int64_t batch, int64_t length, const int64_t *first);

/* Attributes activation and activation_params, as FusedConv has them (fused.c). */
struct compose_part *contrib_conv_activation(struct compose *p, struct compose_part *y);

/* The attributes of the node that the convolution or pool of ONNX has as well. */
struct attr *contrib_window_attrs(struct compose *p);

#endif
