/* rule_written.c - a rule of assay's own: a result that is written into a tensor that there is, an argument or the
 * one that out= names, is what a new tensor would hold. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {
	.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_WRITTEN, .same_type = 1};
const struct equiv_rule rule_written = {22, "written", "into a given tensor as into a new one", &every};
