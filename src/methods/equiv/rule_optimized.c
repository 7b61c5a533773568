/* rule_optimized.c - rule 1: an operation on the library as it comes, and compiled, or with its optimizations off. */
#include "methods/equiv/equiv.h"

static const struct rule_set sets[] = {
	{"tf", NULL, "onednn0"},     /* kernels without oneDNN */
	{"tf", NULL, "graph"},       /* a session, with its optimizer (grappler) */
	{"tf", NULL, "noopt"},       /* a session without it */
	{"torch", NULL, "jit"},      /* TorchScript */
	{"mxnet", NULL, "symbolic"}, /* the executor of a symbol */
	{"ort", NULL, "O0"},         /* no graph optimization */
	{"ort", NULL, "O1"},         /* the basic level */
	{"ort", NULL, "O2"},         /* the extended level */
	{0},
};

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = sets};
const struct equiv_rule rule_optimized = {1, "optimized", "optimized as plain", &every};
