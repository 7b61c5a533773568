/* mxapi.c - MXNet's documented functions, as people call them from Python, from outside. */
#include "libraries/internal.h"

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "hybrid", 0},         /* a hybridized block: one graph for all of a call */
	{PAIR_OPTIMIZED, NULL, "static", 0},         /* likewise, with memory that is planned once and used again */
	{PAIR_OPTIMIZED, NULL, "recorded", 0},       /* while autograd records */
	{PAIR_DERIVED, "reverse", "accumulated", 0}, /* grad_req="add", twice a half */
	{PAIR_SAVED, "hybrid", "saved", 0},          /* a graph and parameters, as a block exports them */
	{PAIR_ARRAYS, NULL, "numpy", 1},             /* by NumPy, whose functions those of mx.np are */
	{0},
};

static const struct dialect dialect_mxapi = {.name = "mxapi", .types = form_types, .forms = 1, .whole_apart = 1};

const struct library library_mxapi = {
	.name = "mxapi",
	.pairs = pairs,
	.dialect = &dialect_mxapi,
	.repro = {.how = REPRO_NONE, .package = "mxnet", .why_not = "it runs no models: 'mxnet' does"},
	.patience = 4,
	.script = {.text = equiv_mxapi, .before = equiv_forms, .package = "mxnet"},
};
