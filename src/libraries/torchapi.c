/* torchapi.c - PyTorch's documented functions, as people call them from Python, from outside. */
#include "libraries/internal.h"

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "trace", 0},           /* TorchScript */
	{PAIR_OPTIMIZED, NULL, "frozen", 0},          /* the same, all tensors but the first constant: it folds */
	{PAIR_OPTIMIZED, NULL, "export", 0},          /* torch.export, run as it comes */
	{PAIR_OPTIMIZED, NULL, "aot", 0},             /* torch.compile without a code generator */
	{PAIR_OPTIMIZED, "aot", "dynamic", 0},        /* the same of sizes that are not known yet */
	{PAIR_OPTIMIZED, NULL, "inductor", 0},        /* torch.compile */
	{PAIR_OPTIMIZED, "export", "aotinductor", 0}, /* compiled ahead, by way of a file */
	{PAIR_FORMULA, NULL, "decomposed", 0},        /* the formulas of torch._decomp */
	{PAIR_LAYOUT, NULL, "strided", 0},
	{PAIR_LAYOUT, NULL, "channels_last", 0},
	{PAIR_BATCHED, NULL, "vmap", 0},
	{PAIR_WRITTEN, NULL, "out", 0},
	{PAIR_WRITTEN, NULL, "in_place", 0},
	{PAIR_DERIVED, "reverse", "forward", 0},
	{PAIR_DERIVED, "reverse", "accumulated", 0},   /* two halves, one added to the other */
	{PAIR_DERIVED, "second", "second_forward", 1}, /* second derivatives */
	{PAIR_SAVED, "trace", "saved_trace", 0},       /* torch.jit.save */
	{PAIR_SAVED, "export", "saved_export", 0},     /* torch.export.save */
	{PAIR_SAVED, NULL, "saved", 0},                /* torch.save of a module */
	{PAIR_SAVED, NULL, "saved_old", 0},            /* in the format before 1.6 */
	{PAIR_SAVED, NULL, "state_dict", 0},           /* a file of weights, read by a module with other weights */
	{PAIR_SAVED, "trained", "resumed", 0},         /* a checkpoint: weights and the optimizer's state */
	{PAIR_BATCH, NULL, "items", 0},
	{PAIR_LOWERED, NULL, "autocast", 0}, /* torch.autocast */
	{0},
};

const struct dialect_type form_types[] = {{"form", PARAMETER_FORM}, {"tensors", PARAMETER_TENSORS}, {0}};
static const struct dialect dialect_torchapi = {.name = "torchapi", .types = form_types, .forms = 1};

const struct library library_torchapi = {
	.name = "torchapi",
	.pairs = pairs,
	.promised = "aot inductor",
	.lower = DT_BFLOAT16,
	.of_objects = "saved saved_old state_dict resumed items",
	.dialect = &dialect_torchapi,
	.overflows = 1, /* its notes on numerical accuracy, "Extremal values" */
	.repro = {.how = REPRO_NONE, .package = "torch", .why_not = "it runs no models: 'torch' does"},
	.patience = 12,
	.script = {.text = equiv_torchapi, .before = equiv_forms, .package = "torch"},
};
