/* ncnn.c - ncnn, from outside. */
#include "libraries/internal.h"

const struct library library_ncnn = {
	.name = "ncnn",
	.dialect = &dialect_onnx,
	.repro = {REPRO_CALLS, repro_ncnn, "ncnn", NULL, NULL},
};
