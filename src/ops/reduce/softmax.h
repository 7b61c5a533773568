/* softmax.h - the softmax of one line, for operators that have one inside.  All are lines_fn: in[0] holds x; the
 * gradients take the output's gradient in in[1]; the scales are those of op.scale. */
#ifndef OPS_REDUCE_SOFTMAX_H
#define OPS_REDUCE_SOFTMAX_H

#include "ops/kit/lines.h"

lines_fn softmax_line, softmax_line_grad, softmax_line_scale;
lines_fn log_softmax_line, log_softmax_line_grad, log_softmax_line_scale;

#endif
