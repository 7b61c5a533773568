/* mnn.c - MNN, from outside. */
#include "libraries/internal.h"

const struct library library_mnn = {
	.name = "mnn",
	.dialect = &dialect_onnx,
	.repro = {REPRO_READS, repro_mnn, "MNN", NULL, NULL},
};
