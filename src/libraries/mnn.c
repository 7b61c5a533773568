/* mnn.c - MNN, from outside. */
#include "libraries/internal.h"

const struct library library_mnn = {
	.name = "mnn",
	.dialect = &dialect_onnx,
	.blocks = 8,
	.repro = {.how = REPRO_READS, .text = repro_mnn, .package = "MNN"},
};
