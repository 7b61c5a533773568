/* rule_saved.c - rule 16: what was saved and loaded again gives the same.  The worker writes the graph that it built of
 * a call, reads it again, and runs what it read.  Side a is the same graph as it was built.  Of layers and networks
 * there are files of several formats, and checkpoints from which training goes on. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_SAVED};
const struct equiv_rule rule_saved = {16, "saved", "saved and loaded as it was", &every};
