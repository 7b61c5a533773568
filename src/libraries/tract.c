/* tract.c - tract, from outside. */
#include "libraries/internal.h"

const struct library library_tract = {
	.name = "tract",
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_tract, .package = "tract"},
	.script = {.text = equiv_tract, .before = equiv_onnx, .package = "onnx and tract"},
};
