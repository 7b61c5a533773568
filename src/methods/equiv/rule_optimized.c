/* rule_optimized.c - rule 1: an operation on the library as it comes, and compiled, or with its optimizations off:
 * libraries.h has the option sets. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_OPTIMIZED};
const struct equiv_rule rule_optimized = {1, "optimized", "optimized as plain", &every};
