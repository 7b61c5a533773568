/* rule_unpad.c - rule 14: what was padded and cut out again is what it was.
 * The pairs are in data/equiv/unpad.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_unpad = {14, "unpad", "unpad(pad(x)) is x", NULL};
