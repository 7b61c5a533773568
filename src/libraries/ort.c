/* ort.c - ONNX Runtime, from outside. */
#include "libraries/internal.h"

static const char *const pass_names[] = {
#define PASS(name) #name,
#include "worker/ort_passes.def"
#undef PASS
	NULL,
};

const struct library_passes ort_passes = {"disable", pass_names, NULL};

static const struct library_switch switches[] = {
	{"", "O0", "graph optimization", &ort_passes},
	{"", "threads=1", "threads", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "O0", 0}, /* no graph optimization */
	{PAIR_OPTIMIZED, NULL, "O1", 0}, /* the basic level */
	{PAIR_OPTIMIZED, NULL, "O2", 0}, /* the extended level */
	{PAIR_OPTIMIZED, NULL, "O3", 0}, /* layouts as well, which "all" has, too: those of this processor */
	{PAIR_SAVED, NULL, "saved", 0},  /* the optimized model */
	{0},
};

const struct library library_ort = {
	.name = "ort",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_READS, .text = repro_ort, .package = "onnxruntime"},
	.script = {.text = equiv_ort, .before = equiv_onnx, .package = "onnx and onnxruntime"},
	.saves = SAVES_MODEL,
	.domain = "com.microsoft",
};
