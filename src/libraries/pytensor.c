/* pytensor.c - PyTensor, from outside. */
#include "libraries/internal.h"

#define MODULES "pytensor_library pytensor_math pytensor_nn pytensor_shape " ONNX_MODULES

const struct library library_pytensor = {
	.name = "pytensor",
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_BINDING, .text = repro_pytensor, .package = "pytensor", .modules = MODULES},
	.calls = {.bound = 1},
};
