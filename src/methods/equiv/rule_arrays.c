/* rule_arrays.c - a rule of assay's own: a library that computes with several array libraries gives the same with each
 * of them.  Numbers are at no edge: what becomes of NaN, and of numbers that are too large, each array library says. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {
	.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_ARRAYS, .plain = 1};
const struct equiv_rule rule_arrays = {24, "arrays", "with one array library as with another", &every};
