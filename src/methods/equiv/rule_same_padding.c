/* rule_same_padding.c - rule 2: padding chosen by the library ("same", auto_pad, pads of a convolution) is what an
 * explicit pad followed by the operation without padding gives. The pairs are in data/equiv/same_padding.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_same_padding = {2, "same_padding", "SAME padding as a pad of its own", NULL};
