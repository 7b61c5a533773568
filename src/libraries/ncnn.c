/* ncnn.c - ncnn, from outside. */
#include "libraries/internal.h"

const struct library library_ncnn = {
	.name = "ncnn",
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_CALLS, .text = repro_ncnn, .package = "ncnn"},
	.calls = {.bound = 1, .eager = "model=layers"},
};
