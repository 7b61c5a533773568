/* onnxslim.c - OnnxSlim, a rewriter, from outside. */
#include "libraries/internal.h"

/* Optimizations, and patterns of graph fusion, of versions up to 0.1.98. */
static const char *const pass_names[] = {
	"EliminationConcat",
	"EliminationReshape",
	"EliminationReshapeAs",
	"EliminationSlice",
	"EliminationTranspose",
	"EliminationTransposeAsReshape",
	"EliminationTransposeViewTranspose",
	"EliminationUnsqueeze",
	"FusionConcatReshape",
	"FusionConvAdd",
	"FusionConvBN",
	"FusionConvMul",
	"FusionConvTransposeAdd",
	"FusionConvTransposeBN",
	"FusionConvTransposeMul",
	"FusionGemm",
	"FusionGemmAdd",
	"FusionGemmMul",
	"FusionPadConv",
	"FusionReduce",
	"constant_folding",
	"dead_node_elimination",
	"subexpression_elimination",
	"weight_tying",
	NULL,
};

static const struct library_passes passes = {"disable", pass_names, NULL};

static const struct library_switch switches[] = {
	{"", "none", "optimizations", &passes},
	{0},
};

const struct library library_onnxslim = {
	.name = "onnxslim",
	.switches = switches,
	.pairs = rewriter_pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_onnxslim, .package = "onnxslim"},
	.tells_lines = 1,
};
