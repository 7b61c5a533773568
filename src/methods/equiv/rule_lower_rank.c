/* rule_lower_rank.c - rule 3: an operation in one or two dimensions is the one with a dimension more, whose size is 1.
 * The pairs are in data/equiv/lower_rank.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_lower_rank = {3, "lower_rank", "two dimensions through three", NULL};
