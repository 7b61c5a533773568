/* mxnet.c - Apache MXNet, from outside. */
#include "libraries/internal.h"
#include "libraries/role.h"

static const struct library_switch switches[] = {
	{"mode=symbolic", "imperative", "symbolic mode", NULL},
	{"mode=imperative", "symbolic", "imperative mode", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "symbolic", 0}, /* the executor of a symbol */
	{PAIR_SAVED, "symbolic", "saved", 0},  /* the symbol's JSON */
	{0},
};

static const struct dialect_type types[] = {
	{"NDArray-or-Symbol[]", PARAMETER_TENSORS},
	{"NDArray", PARAMETER_TENSOR},
	{"Symbol", PARAMETER_TENSOR},
	{"int", PARAMETER_INT},
	{"long", PARAMETER_INT},
	{"float", PARAMETER_FLOAT},
	{"double", PARAMETER_FLOAT},
	{"boolean", PARAMETER_BOOL},
	{"Shape", PARAMETER_INTS},
	{"tuple of <float>", PARAMETER_FLOATS},
	{"tuple", PARAMETER_INTS},
	{0},
};

static const struct role roles[] = {
#include "libraries/mxnet_roles.def"
	{0},
};

static const struct dialect dialect_mxnet = {
	.name = "mxnet",
	.types = types,
	.roles = roles,
	.underscores = 1,
	.inputs_unsaid = 1,
	.gradients = 1,
};

const struct library library_mxnet = {
	.name = "mxnet",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_mxnet,
	.repro = {.how = REPRO_CALLS, .text = repro_mxnet, .package = "mxnet"},
	.script = {.text = equiv_mxnet, .package = "mxnet"},
	.calls = {.bound = 1, .eager = "mode=imperative"},
};
