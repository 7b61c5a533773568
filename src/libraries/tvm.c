/* tvm.c - Apache TVM, from outside. */
#include "libraries/internal.h"

const struct library library_tvm = {
	.name = "tvm",
	.dialect = &dialect_onnx,
	.blocks = 6,
	.repro = {.how = REPRO_READS, .text = repro_tvm, .package = "tvm"},
};
