/* rule_derived.c - a rule of assay's own: derivatives along a direction, in reverse mode and in another one: forward,
 * added up from two halves, and second derivatives.
 * Numbers are at no edge: where a function has a corner, each mode may choose one of its slopes. */
#include "methods/equiv/derive.h"
#include "methods/equiv/equiv.h"

static const struct rule_every every = {
	.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_DERIVED, .of_call = DERIVE_WEIGHED, .plain = 1};
const struct equiv_rule rule_derived = {23, "derived", "derivatives in one mode as in another", &every};
