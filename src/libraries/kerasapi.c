/* kerasapi.c - Keras's documented functions and layers, as people call them from Python, from outside. */
#include "libraries/internal.h"

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "functional", 0},       /* as a part of a functional model */
	{PAIR_OPTIMIZED, "jax", "jit", 0},             /* jax.jit */
	{PAIR_OPTIMIZED, "tensorflow", "function", 0}, /* tf.function */
	{PAIR_OPTIMIZED, "tensorflow", "xla", 0},      /* tf.function(jit_compile=True) */
	{PAIR_BATCH, "whole", "predict", 0},           /* Model.predict, one item after the other */
	{PAIR_SAVED, "whole", "saved", 0},             /* a file .keras */
	{PAIR_SAVED, "whole", "saved_h5", 0},          /* the older format, .h5 */
	{PAIR_SAVED, "whole", "weights", 0},           /* a file .weights.h5, read by a layer with other weights */
	{PAIR_SAVED, "whole", "config", 0},            /* the configuration, and the weights by hand */
	{PAIR_SAVED, "tensorflow", "exported", 0},     /* a SavedModel, read by keras.layers.TFSMLayer */
	{PAIR_SAVED, "tensorflow", "to_litert", 1},    /* exports, run by other programs */
	{PAIR_SAVED, "torch", "to_onnx", 1},
	{PAIR_SAVED, "tensorflow", "to_openvino", 1},
	{PAIR_SAVED, "trained", "resumed", 0}, /* a compiled model in a file .keras, and training goes on */
	{PAIR_SAVED, "trained", "resumed_h5", 0},
	{PAIR_ARRAYS, NULL, "torch", 1},
	{PAIR_ARRAYS, NULL, "tensorflow", 1},
	{PAIR_ARRAYS, NULL, "openvino", 1},
	{PAIR_ARRAYS, NULL, "jax", 1}, /* last: it compiles each operation */
	{PAIR_DECLARED, "found", "declared", 0},
	{0},
};

static const struct dialect dialect_kerasapi = {.name = "kerasapi", .types = form_types, .forms = 1};

const struct library library_kerasapi = {
	.name = "kerasapi",
	.pairs = pairs,
	.of_objects = "predict saved saved_h5 weights config exported to_litert to_onnx to_openvino resumed "
		      "resumed_h5",
	.dialect = &dialect_kerasapi,
	.repro = {.how = REPRO_NONE, .package = "keras", .why_not = "it runs no models: 'keras' does"},
	.patience = 60, /* it builds, traces and writes whole networks */
	.script = {.text = equiv_kerasapi, .before = equiv_forms, .package = "keras"},
};
