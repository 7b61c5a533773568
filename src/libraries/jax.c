/* jax.c - JAX, from outside. */
#include "libraries/internal.h"

#define MODULES "jax_library jax_math jax_nn jax_rnn jax_shape " ONNX_MODULES

static const struct library_switch switches[] = {{"mode=jit", "eager", "jit", NULL}, {0}};

const struct library library_jax = {
	.name = "jax",
	.switches = switches,
	.dialect = &dialect_onnx,
	.repro = {.how = REPRO_BINDING, .text = repro_jax, .package = "jax", .modules = MODULES},
	.calls = {.bound = 1, .eager = "mode=eager"},
};
