/* rule_sparse.c - rule 8: an operation on the parts of a sparse tensor (indices, values, shape) is the one on the dense
 * tensor. The pairs are in data/equiv/sparse.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_sparse = {8, "sparse", "sparse as dense", NULL};
