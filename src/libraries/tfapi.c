/* tfapi.c - TensorFlow's documented functions, as people call them from Python, from outside. */
#include "libraries/internal.h"

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "graph", 0},      /* tf.function */
	{PAIR_OPTIMIZED, NULL, "constant", 0},   /* all tensors but the first are constants of it */
	{PAIR_OPTIMIZED, NULL, "folded", 0},     /* all are: its optimizer computes the result */
	{PAIR_OPTIMIZED, "graph", "dynamic", 0}, /* the same of sizes that are not known yet */
	{PAIR_OPTIMIZED, NULL, "xla", 0},        /* tf.function(jit_compile=True) */
	{PAIR_OPTIMIZED, NULL, "onednn0", 1},    /* kernels without oneDNN, in a process of their own */
	{PAIR_BATCHED, NULL, "mapped", 0},       /* tf.vectorized_map */
	{PAIR_DERIVED, "reverse", "forward", 0},
	{PAIR_DERIVED, "reverse", "accumulated", 0},   /* two halves, one added to the other */
	{PAIR_DERIVED, "second", "second_forward", 1}, /* second derivatives */
	{PAIR_SAVED, "graph", "saved", 0},             /* SavedModel */
	{0},
};

static const struct dialect dialect_tfapi = {
	.name = "tfapi", .types = form_types, .forms = 1, .gradients = 1, .whole_apart = 1};

const struct library library_tfapi = {
	.name = "tfapi",
	.pairs = pairs,
	.promised = "graph constant folded",
	.checked = "graph constant folded",
	.dialect = &dialect_tfapi,
	.repro = {.how = REPRO_NONE, .package = "tensorflow", .why_not = "it runs no models: 'tf' does"},
	.patience = 12,
	.script = {.text = equiv_tfapi, .before = equiv_forms, .package = "tensorflow"},
};
