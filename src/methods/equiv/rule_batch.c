/* rule_batch.c - rule 15: items in one batch give what they give alone.
 * The pairs are in data/equiv/batch.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_batch = {15, "batch", "a batch as its items", NULL};
