/* onnxfloat16.c - the conversion to float16 of onnxconverter-common, a rewriter, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"", "noinfer", "shape inference", NULL},
	{0},
};

const struct library library_onnxfloat16 = {
	.name = "onnxfloat16",
	.switches = switches,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_onnxfloat16, .package = "onnxconverter_common"},
};
