/* rule_batch.c - rule 15: items in one batch give what they give alone.  The pairs are in data/equiv/batch.tsv; where a
 * library has layers, all of them. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_BATCH};
const struct equiv_rule rule_batch = {15, "batch", "a batch as its items", &every};
