/* ortweb.c - ONNX Runtime Web, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {
	{"", "O0", "graph optimizations", NULL},
	{"", "O1", "extended graph optimizations", NULL},
	{"", "O2", "layout optimizations", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "O0", 0},
	{0},
};

const struct library library_ortweb = {
	.name = "ortweb",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.patience = 6, /* the first session of a process compiles the program */
	.repro = {.how = REPRO_READS, .text = repro_ortweb, .needs = "node with the npm package onnxruntime-web"},
};
