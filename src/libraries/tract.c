/* tract.c - tract, from outside. */
#include "libraries/internal.h"

const struct library library_tract = {
	.name = "tract",
	.dialect = &dialect_onnx,
	.repro = {REPRO_READS, repro_tract, "tract", NULL, NULL},
	.script = {equiv_tract, equiv_onnx, "onnx and tract"},
};
