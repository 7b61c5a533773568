/* onnxsim.c - onnxsim, a rewriter, from outside. */
#include "libraries/internal.h"

/* Passes of versions up to 0.8.1, found in the library, and two of simplify()'s own; names that a version does not have
 * are passed over. */
static const char *const pass_names[] = {
	"constant_folding",
	"eliminate_common_subexpression",
	"eliminate_consecutive_idempotent_ops",
	"eliminate_deadend",
	"eliminate_duplicate_initializer",
	"eliminate_identity",
	"eliminate_if_with_const_cond",
	"eliminate_loop_with_const_trip_count",
	"eliminate_nop_cast",
	"eliminate_nop_concat",
	"eliminate_nop_dropout",
	"eliminate_nop_expand",
	"eliminate_nop_flatten",
	"eliminate_nop_monotone_argmax",
	"eliminate_nop_pad",
	"eliminate_nop_reduce",
	"eliminate_nop_reshape",
	"eliminate_nop_softmax",
	"eliminate_nop_split",
	"eliminate_nop_transpose",
	"eliminate_nop_with_unit",
	"eliminate_optional_get_element",
	"eliminate_optional_has_element",
	"eliminate_reshape_around_elementwise",
	"eliminate_reshape_family_on_constant",
	"eliminate_sequence_at_construct",
	"eliminate_sequence_length_construct",
	"eliminate_shape_gather",
	"eliminate_shape_op",
	"eliminate_slice_after_shape",
	"eliminate_unused_initializer",
	"extract_constant_to_initializer",
	"fuse_add_bias_into_conv",
	"fuse_attention",
	"fuse_bn_into_conv",
	"fuse_concat_into_reshape",
	"fuse_consecutive_concats",
	"fuse_consecutive_log_softmax",
	"fuse_consecutive_mul",
	"fuse_consecutive_reduce",
	"fuse_consecutive_reduce_unsqueeze",
	"fuse_consecutive_reshapes",
	"fuse_consecutive_slices",
	"fuse_consecutive_squeeze_unsqueeze",
	"fuse_consecutive_squeezes",
	"fuse_consecutive_transposes",
	"fuse_consecutive_unsqueezes",
	"fuse_gelu",
	"fuse_gqa",
	"fuse_layer_norm",
	"fuse_lp_normalization",
	"fuse_matmul_add_bias_into_gemm",
	"fuse_mul_into_conv",
	"fuse_pad_into_conv",
	"fuse_pad_into_pool",
	"fuse_preceding_mul_into_conv",
	"fuse_qkv",
	"fuse_reshape_family",
	"fuse_rms_norm",
	"fuse_rope",
	"fuse_split_gather_concat",
	"fuse_transpose_into_gemm",
	"rewrite_arg_reduce_select_last_index",
	"rewrite_bool_where",
	"rewrite_where",
	"shape_inference",
	NULL,
};

static const struct library_passes passes = {"disable", pass_names};

static const struct library_switch switches[] = {
	{"", "none", "passes", &passes},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "none", 0}, /* the model as it came, read and written again */
	{0},
};

const struct library library_onnxsim = {
	.name = "onnxsim",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_onnxsim, .package = "onnxsim"},
};
