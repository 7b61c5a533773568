/* pytensor.c - PyTensor, from outside. */
#include "libraries/internal.h"

#define MODULES "pytensor_library pytensor_math pytensor_nn pytensor_shape " ONNX_MODULES

const struct library library_pytensor = {
	.name = "pytensor",
	.dialect = &dialect_onnx,
	.repro = {REPRO_BINDING, repro_pytensor, "pytensor", MODULES, NULL},
};
