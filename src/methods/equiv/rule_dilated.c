/* rule_dilated.c - rule 6: a dilated convolution is a plain one with zeros between the taps of its filter.
 * The pairs are in data/equiv/dilated.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_dilated = {6, "dilated", "dilated through plain convolution", NULL};
