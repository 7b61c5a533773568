/* tinygrad.c - tinygrad, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"device=CPU", "python", "compiled code", NULL},
	{"", "plain", "optimization of kernels", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "plain", 0}, /* kernels as they are written */
	{PAIR_OPTIMIZED, NULL, "cpu", 1},   /* compiled by clang */
	{0},
};

const struct library library_tinygrad = {
	.name = "tinygrad",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.blocks = 4,
	.patience = 6, /* its worker gives the interpreter 20 s */
	.repro = {.how = REPRO_READS, .text = repro_tinygrad, .package = "tinygrad"},
	.tells_lines = 1,
};
