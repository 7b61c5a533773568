/* mnntf.c - MNN, which gets models as graphs of TensorFlow (.pb) by its own converter, from outside. */
#include "libraries/internal.h"

const struct library library_mnntf = {
	.name = "mnntf",
	.dialect = &dialect_onnx,
	.blocks = 8,
	.repro = {.how = REPRO_CALLS, .text = repro_mnntf, .package = "MNN"},
};
