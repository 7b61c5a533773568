/* rule_decode.c - rule 13: what was encoded and decoded again is what it was.
 * The pairs are in data/equiv/decode.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_decode = {13, "decode", "decode(encode(x)) is x", NULL};
