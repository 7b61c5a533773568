/* rule_time_major.c - rule 10: a recurrent or sequence operation gives the same whichever of time and batch comes
 * first. The pairs are in data/equiv/time_major.tsv. */
#include "methods/equiv/equiv.h"

const struct equiv_rule rule_time_major = {10, "time_major", "time-major as batch-major", NULL};
