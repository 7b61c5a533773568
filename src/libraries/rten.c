/* rten.c - rten, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"", "plain", "graph optimizations", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "plain", 0},
	{0},
};

const struct library library_rten = {
	.name = "rten",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_rten, .needs = "cargo, with the crate rten"},
};
