/* iree.c - IREE, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"opt=O1", "O0", "opt-level=O1", NULL},
	{"opt=O2", "O0", "opt-level=O2", NULL},
	{"opt=O3", "O0", "opt-level=O3", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "O3", 1}, /* the highest level in place of none, which fuses and moves sums */
	{0},
};

const struct library library_iree = {
	.name = "iree",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.blocks = 6,
	.patience = 6,
	.repro = {.how = REPRO_READS, .text = repro_iree, .package = "iree"},
};
