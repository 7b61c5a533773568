/* rule_depthwise.c - rule 4: a depthwise or grouped convolution is one plain convolution for each group.
 * The pairs are in data/equiv/depthwise.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_depthwise = {4, "depthwise", "depthwise through plain convolution", NULL};
