/* onnxoptimizer.c - onnxoptimizer, a rewriter, from outside. */
#include "libraries/internal.h"

/* All that versions up to 0.4.2 take when none is named; names that a version does not have are passed over. */
static const char *const pass_names[] = {
	"eliminate_common_subexpression",
	"eliminate_consecutive_idempotent_ops",
	"eliminate_deadend",
	"eliminate_duplicate_initializer",
	"eliminate_identity",
	"eliminate_if_with_const_cond",
	"eliminate_nop_cast",
	"eliminate_nop_concat",
	"eliminate_nop_dropout",
	"eliminate_nop_expand",
	"eliminate_nop_flatten",
	"eliminate_nop_monotone_argmax",
	"eliminate_nop_pad",
	"eliminate_nop_reshape",
	"eliminate_nop_split",
	"eliminate_nop_transpose",
	"eliminate_nop_with_unit",
	"eliminate_shape_gather",
	"eliminate_shape_op",
	"eliminate_slice_after_shape",
	"eliminate_unused_initializer",
	"extract_constant_to_initializer",
	"fuse_add_bias_into_conv",
	"fuse_bn_into_conv",
	"fuse_concat_into_reshape",
	"fuse_consecutive_concats",
	"fuse_consecutive_log_softmax",
	"fuse_consecutive_reduce_unsqueeze",
	"fuse_consecutive_slices",
	"fuse_consecutive_squeezes",
	"fuse_consecutive_transposes",
	"fuse_consecutive_unsqueezes",
	"fuse_matmul_add_bias_into_gemm",
	"fuse_pad_into_conv",
	"fuse_pad_into_pool",
	"fuse_qkv",
	"fuse_transpose_into_gemm",
	"rewrite_where",
	NULL,
};

static const struct library_passes passes = {"disable", pass_names, "passes"};

static const struct library_switch switches[] = {
	{"", "none", "passes", &passes},
	{0},
};

const struct library_pair rewriter_pairs[] = {
	{PAIR_OPTIMIZED, NULL, "none", 0},
	{0},
};

const struct library library_onnxoptimizer = {
	.name = "onnxoptimizer",
	.switches = switches,
	.pairs = rewriter_pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_onnxoptimizer, .package = "onnxoptimizer"},
};
