/* ortapi.c - ONNX Runtime's optimizers, on graphs that they rewrite, from outside. */
#include "libraries/internal.h"

/* Names of option sets: one optimizer, where it changes the graph. */
#define ONLY(name) "only=" #name

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, "O0", "O1", 1}, /* fused nodes have kernels of their own */
	{PAIR_OPTIMIZED, "O0", "O2", 1},
	{PAIR_OPTIMIZED, "O0", "O3", 1},
	{PAIR_OPTIMIZED, "O0", "O99", 1},
#define PASS(name) {PAIR_OPTIMIZED, "O0", ONLY(name), 1},
#include "worker/ort_passes.def"
#undef PASS
	{0},
};

static const struct library_switch switches[] = {{"", "O0", "graph optimization", &ort_passes}, {0}};

static const struct dialect dialect_ortapi = {.name = "ortapi", .types = form_types, .forms = 1};

const struct library library_ortapi = {
	.name = "ortapi",
	.switches = switches,
	.pairs = pairs,
	/* its page on graph optimizations: they preserve semantics */
	.promised = "O1 O2 O3 O99"
#define PASS(name) " " ONLY(name)
#include "worker/ort_passes.def"
#undef PASS
	,
	.dialect = &dialect_ortapi,
	.repro = {.how = REPRO_NONE, .package = "onnxruntime", .why_not = "it runs no models: 'ort' does"},
	.patience = 4,
	.script = {.text = equiv_ortapi, .before = equiv_forms, .package = "onnx and onnxruntime"},
};
