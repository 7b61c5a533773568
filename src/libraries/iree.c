/* iree.c - IREE, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"opt=O1", "O0", "opt-level=O1", NULL},
	{"opt=O2", "O0", "opt-level=O2", NULL},
	{"opt=O3", "O0", "opt-level=O3", NULL},
	{0},
};

const struct library library_iree = {
	.name = "iree",
	.switches = switches,
	.dialect = &dialect_onnx,
	.blocks = 6,
	.repro = {.how = REPRO_READS, .text = repro_iree, .package = "iree"},
};
