/* rule_separable.c - rule 5: depthwise and then pointwise convolution is one plain convolution with the product of both
 * filters. The pairs are in data/equiv/separable.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_separable = {5, "separable", "separable through depthwise and pointwise convolution",
					  NULL};
