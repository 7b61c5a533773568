/* ortsaved.c - ONNX Runtime as a rewriter, from outside: the models that it saves after optimizing. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"", "O0", "graph optimization", &ort_passes},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "O0", 0}, /* the model as it came, read and saved again */
	{0},
};

const struct library library_ortsaved = {
	.name = "ortsaved",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_ortsaved, .package = "onnxruntime"},
	.domain = "com.microsoft",
};
