/* rule_formula.c - rule 7: an operation is the formula that its documentation gives, put together from simpler
 * operations.  The pairs are in data/equiv/formula.tsv; some libraries also say themselves what their operations are
 * made of. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_FORMULA};
const struct equiv_rule rule_formula = {7, "formula", "the documented formula", &every};
