/* rule_derived.c - a rule of assay's own: derivatives along a direction, in forward mode and in reverse mode.
 * Numbers are at no edge: where a function has a corner, each mode may choose one of its slopes. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {
	.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_DERIVED, .plain = 1};
const struct equiv_rule rule_derived = {23, "derived", "forward mode as reverse mode", &every};
