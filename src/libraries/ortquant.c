/* ortquant.c - ONNX Runtime's quantizers, which are rewriters, from outside. */
#include "libraries/internal.h"

/* Operators that versions up to 1.31.1 quantize, statically or at run time. */
static const char *const operator_names[] = {
	"Add",
	"ArgMax",
	"Attention",
	"AveragePool",
	"BatchNormalization",
	"Clip",
	"Concat",
	"Conv",
	"ConvTranspose",
	"CumSum",
	"EmbedLayerNormalization",
	"Flatten",
	"Gather",
	"GatherElements",
	"Gemm",
	"GlobalAveragePool",
	"InstanceNormalization",
	"LSTM",
	"LayerNormalization",
	"LeakyRelu",
	"MatMul",
	"MaxPool",
	"Mul",
	"Pad",
	"Relu",
	"Reshape",
	"Resize",
	"Sigmoid",
	"Slice",
	"Softmax",
	"Split",
	"Squeeze",
	"TopK",
	"Transpose",
	"Unsqueeze",
	"Where",
	NULL,
};

static const struct library_passes operators = {"disable", operator_names, NULL};

static const struct library_switch switches[] = {
	{"", "none", "quantized operators", &operators},
	{"form=qoperator", "form=qdq", "the form with quantized operators", NULL},
	{"per_channel=1", "per_channel=0", "scales for each channel", NULL},
	{"activation=uint8", "activation=int8", "activations of uint8", NULL},
	{"weight=uint8", "weight=int8", "weights of uint8", NULL},
	{0},
};

const struct library library_ortquant = {
	.name = "ortquant",
	.switches = switches,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_ortquant, .package = "onnxruntime"},
	.domain = "com.microsoft",
};
