/* onnxconvert.c - ONNX's version converter, a rewriter, from outside. */
#include "libraries/internal.h"

const struct library library_onnxconvert = {
	.name = "onnxconvert",
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_onnxconvert, .package = "onnx"},
};
