/* jax.c - JAX, from outside. */
#include "libraries/internal.h"

static const struct library_switch switches[] = {{"mode=jit", "eager", "jit", NULL}, {0}};

const struct library library_jax = {
	.name = "jax",
	.switches = switches,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_CALLS, .text = repro_jax, .package = "jax"},
	.blocks = 8,
	.patience = 6,
	.calls = {.bound = 1, .eager = "mode=eager"},
	.tells_lines = 1,
};
