/* rule_batched.c - a rule of assay's own: a function that the library maps over a batch gives for each item what it
 * gives by itself. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_BATCHED};
const struct equiv_rule rule_batched = {21, "batched", "mapped over a batch as by itself", &every};
