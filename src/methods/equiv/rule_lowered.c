/* rule_lowered.c - a rule of assay's own: what a library computes in a lower precision of its own choice (autocast) is
 * what it computes in the types of the call, but for roundings to the lower type (library_pair.lower).  Numbers are at
 * no edge: the lower type may have no place for them. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {
	.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_LOWERED, .plain = 1};
const struct equiv_rule rule_lowered = {26, "lowered", "in a lower precision as in that of the types", &every};
