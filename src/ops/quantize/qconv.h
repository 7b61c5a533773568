/* qconv.h - what QLinearConv of ONNX and that of com.microsoft have in common. */
#ifndef OPS_QUANTIZE_QCONV_H
#define OPS_QUANTIZE_QCONV_H

#include "ops/kit/domain.h"

#define QCONV_8BIT (TM(DT_INT8) | TM(DT_UINT8))

/* Rules and ports of the row. */
#define QLINEAR_CONV_PORTS                                                                                         \
	.rules = RULES({.broken = domain_not_positive, .port = 1}, {.broken = domain_not_positive, .port = 4},     \
		       {.broken = domain_not_positive, .port = 6}, {.broken = domain_is_lone, .port = 4, .of = 3}, \
		       {.broken = domain_is_lone, .port = 5, .of = 3}),                                            \
	.in = {{"x", QCONV_8BIT, 'X', 0},                                                                          \
	       {"x_scale", TM(DT_FLOAT), 0, 0},                                                                    \
	       {"x_zero_point", QCONV_8BIT, 'X', 0},                                                               \
	       {"w", QCONV_8BIT, 'W', 0},                                                                          \
	       {"w_scale", TM(DT_FLOAT), 0, 0},                                                                    \
	       {"w_zero_point", QCONV_8BIT, 'W', 0},                                                               \
	       {"y_scale", TM(DT_FLOAT), 0, 0},                                                                    \
	       {"y_zero_point", QCONV_8BIT, 'Y', 0},                                                               \
	       {"B", TM(DT_INT32), 0, PORT_OPTIONAL}},                                                             \
	.out = {{"y", QCONV_8BIT, 'Y', 0}}

#endif
