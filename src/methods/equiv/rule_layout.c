/* rule_layout.c - a rule of assay's own: the same tensors, lying otherwise in memory: with gaps between elements, or
 * the channels last. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_LAYOUT};
const struct equiv_rule rule_layout = {20, "layout", "other strides as contiguous", &every};
