/* openvino.c - OpenVINO, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"", "f32", "inference precision", NULL},
	{"", "threads=1", "threads", NULL},
	{0},
};

static const struct library_pair pairs[] = {{PAIR_SAVED, NULL, "saved", 0}, {0}}; /* IR, as the device exports it */

const struct library library_openvino = {
	.name = "openvino",
	.switches = switches,
	.blocks = 8,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_openvino, .package = "openvino"},
	.script = {.text = equiv_openvino, .before = equiv_onnx, .package = "onnx and openvino"},
	.saves = SAVES_KINDS,
	.whole_bits = 32, /* its CPU plugin makes int32 of int64, uint32 and uint64 */
};
