/* tflite.c - TensorFlow Lite, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"kernels=auto", "builtin", "XNNPACK delegate", NULL},
	{"", "reference", "optimized kernels", NULL},
	{0},
};

const struct library library_tflite = {
	.name = "tflite",
	.switches = switches,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_CALLS, .text = repro_tflite, .package = "ai_edge_litert"},
	.calls = {.bound = 1},
};
