/* jaxapi.c - JAX's documented functions, as people call them from Python, from outside. */
#include "libraries/internal.h"

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "jit", 0},      /* one program of XLA in place of one for each operation */
	{PAIR_OPTIMIZED, NULL, "constant", 0}, /* all tensors but the first are constants of it */
	{PAIR_OPTIMIZED, NULL, "folded", 0},   /* all are: XLA computes the result when it compiles */
	{PAIR_BATCHED, NULL, "vmap", 0},
	{PAIR_DERIVED, "reverse", "forward", 0},
	{PAIR_DERIVED, "reverse", "accumulated", 0},   /* two halves, one added to the other */
	{PAIR_DERIVED, "second", "second_forward", 1}, /* second derivatives */
	{PAIR_SAVED, "jit", "exported", 0},            /* jax.export, as bytes */
	{0},
};

static const struct dialect dialect_jaxapi = {.name = "jaxapi", .types = form_types, .forms = 1, .gradients = 1};

const struct library library_jaxapi = {
	.name = "jaxapi",
	.pairs = pairs,
	.promised = "jit",
	.rearranged = "jit constant folded", /* JAX's FAQ: jit changes the exact numerics of outputs */
	.folds = "constant folded", /* XLA says of itself that some programs take long to fold, and that it is no bug */
	/* JAX's FAQ: a gradient is NaN where 0 meets an infinity on the way back */
	.nan_steps = "forward accumulated second_forward",
	.dialect = &dialect_jaxapi,
	.repro = {.how = REPRO_NONE, .package = "jax", .why_not = "it runs no models: 'jax' does"},
	.patience = 12,
	.script = {.text = equiv_jaxapi, .before = equiv_forms, .package = "jax"},
};
