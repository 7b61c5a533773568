/* rule_declared.c - a rule of assay's own: results have the shape and element type that the library says before it
 * computes them.  Both sides are that, as whole numbers. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {
	.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_DECLARED, .plain = 1};
const struct equiv_rule rule_declared = {25, "declared", "shape and type as declared", &every};
