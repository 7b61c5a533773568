/* pytensor.c - PyTensor, from outside. */
#include "libraries/internal.h"

const struct library library_pytensor = {
	.name = "pytensor",
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_CALLS, .text = repro_pytensor, .package = "pytensor"},
	.calls = {.bound = 1},
	.tells_lines = 1,
	.patience = 6, /* mode c calls a compiler */
};
