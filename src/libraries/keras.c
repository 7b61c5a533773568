/* keras.c - Keras, from outside. */
#include "libraries/internal.h"

const struct library library_keras = {
	.name = "keras",
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_CALLS, .text = repro_keras, .package = "keras"},
	.blocks = 8,
	.patience = 6,
	.calls = {.bound = 1},
	.tells_lines = 1,
};
