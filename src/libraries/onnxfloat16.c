/* onnxfloat16.c - onnxconverter-common's float16, a rewriter, from outside. */
#include "libraries/internal.h"

const struct library library_onnxfloat16 = {
	.name = "onnxfloat16",
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_onnxfloat16, .package = "onnxconverter_common"},
};
