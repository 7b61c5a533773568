/* onnxscript.c - ONNX Script's optimizer, a rewriter, from outside. */
#include "libraries/internal.h"

/* The default rules of versions up to 0.7.2; "RewriteRule" are those that have no name. */
static const char *const rule_names[] = {
	"CastCast",
	"CastIdentity",
	"ExpandIdentity",
	"Flatten2Reshape",
	"FuseBatchNormIntoConv",
	"FuseBatchNormIntoConvTranspose",
	"FuseBatchNormIntoGemm",
	"FuseConvIntegerPad",
	"FuseConvPad",
	"FuseMaxMinToClip",
	"FuseMinMaxToClip",
	"FuseSuccessiveClip",
	"FuseSuccessiveClipRelu",
	"FuseSuccessiveMax",
	"FuseSuccessiveMin",
	"FuseSuccessiveRelu",
	"FuseSuccessiveReluClip",
	"MaterializeReshapeShape",
	"NormalizePadFormatConv",
	"NormalizePadFormatConvInteger",
	"RemoveOptionalBiasFromConv",
	"RemoveOptionalBiasFromConvTranspose",
	"RemoveOptionalBiasFromGemm",
	"RemoveOptionalBiasFromQLinearConv",
	"ReshapeReshape",
	"RewriteRule",
	"ScatterAllDynamic",
	"ScatterAllStatic",
	"SlicesSplit",
	"SqueezeReshape1d",
	"TransposeIdentity",
	"TransposeTranspose",
	"UnsqueezeUnsqueeze",
	NULL,
};

static const struct library_passes rules = {"disable", rule_names, NULL};

static const struct library_switch switches[] = {
	{"", "norules", "rewrite rules", &rules},
	{"", "disable=constant_folding", "constant folding", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "norules", 0},
	{0},
};

const struct library library_onnxscript = {
	.name = "onnxscript",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_onnxscript, .package = "onnxscript"},
	.tells_lines = 1,
};
