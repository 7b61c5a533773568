/* rule_formula.c - rule 7: an operation is the formula that its documentation gives, put together from simpler
 * operations. The pairs are in data/equiv/formula.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_formula = {7, "formula", "the documented formula", NULL};
