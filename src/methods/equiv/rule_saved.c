/* rule_saved.c - rule 16: a model that was saved and loaded again gives the same.  No rows yet: single operations have
 * nothing to save. The pairs are in data/equiv/saved.tsv. */
#include "methods/equiv/equiv.h"

const struct rule rule_saved = {16, "saved", "saved and loaded as it was", NULL};
