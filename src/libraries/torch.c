/* torch.c - PyTorch, from outside. */
#include <string.h>

#include "base/arena.h"
#include "libraries/internal.h"
#include "libraries/role.h"

static const struct library_switch switches[] = {
	{"mode=jit", "eager", "TorchScript", NULL},
	{"", "threads=1", "threads", NULL},
	{0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "jit", 0}, /* TorchScript */
	{PAIR_SAVED, "jit", "saved", 0},  /* a TorchScript file */
	{0},
};

static const struct dialect_type types[] = {
	{"Tensor[]", PARAMETER_TENSORS}, {"Tensor?[]", PARAMETER_UNKNOWN}, {"Tensor", PARAMETER_TENSOR},
	{"int[", PARAMETER_INTS},        {"SymInt[", PARAMETER_INTS},      {"int", PARAMETER_INT},
	{"SymInt", PARAMETER_INT},       {"float[", PARAMETER_FLOATS},     {"float", PARAMETER_FLOAT},
	{"Scalar[]", PARAMETER_UNKNOWN}, {"ScalarType", PARAMETER_DTYPE},  {"Scalar", PARAMETER_FLOAT},
	{"bool[", PARAMETER_UNKNOWN},    {"bool", PARAMETER_BOOL},         {0},
};

static const struct role roles[] = {
#include "libraries/torch_texts.def"
	{0},
};

/* "aten::add_.Tensor", which writes into its first argument, as "aten::add.Tensor". */
static const char *new_form(struct arena *a, const char *name)
{
	const char *dot = strchr(name, '.');
	size_t n = dot ? (size_t)(dot - name) : strlen(name);

	if (n < 8 || strncmp(name, "aten::", 6) || name[n - 1] != '_' || name[n - 2] == '_')
		return NULL;
	return arena_printf(a, "%.*s%s", (int)(n - 1), name, dot ? dot : "");
}

static const char *const gradient_marks[] = {"_backward", NULL};

static const struct dialect dialect_torch = {
	.name = "torch",
	.types = types,
	.roles = roles,
	.texts_alone = 1,
	.new_form = new_form,
	.gradient_marks = gradient_marks,
	.gradients = 1,
};

const struct library library_torch = {
	.name = "torch",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_torch,
	.overflows = 1, /* its notes on numerical accuracy, "Extremal values" */
	.repro = {.how = REPRO_CALLS, .text = repro_torch, .package = "torch"},
	.script = {.text = equiv_torch, .package = "torch"},
	.calls = {.bound = 1, .eager = "mode=eager"},
};
