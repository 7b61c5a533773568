/* tvm.c - Apache TVM, from outside. */
#include "libraries/internal.h"

/* PASSES of workers/python/tvm_worker.py */
static const char *const pass_names[] = {
	"AdjustMatmulOrder",      "CanonicalizeBindings",
	"CombineParallelMatmul",  "ConvertLayout",
	"DeadCodeElimination",    "DecomposeOpsForInference",
	"EliminateCommonSubexpr", "ExpandMatmulOfSum",
	"FoldBatchnormToConv2D",  "FuseTransposeMatmul",
	"RemoveRedundantReshape", "ReorderPermuteDimsAfterConcat",
	"ReorderTakeAfterMatmul", NULL,
};

static const struct library_passes passes = {"disable", pass_names, NULL};

static const struct library_switch switches[] = {
	{"passes=1", "passes=0", "passes", &passes},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "passes", 0},
	{0},
};

const struct library library_tvm = {
	.name = "tvm",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.saves = SAVES_KINDS,
	.blocks = 6,
	.patience = 6,
	.repro = {.how = REPRO_READS, .text = repro_tvm, .package = "tvm"},
};
