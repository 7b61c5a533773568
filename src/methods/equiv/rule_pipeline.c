/* rule_pipeline.c - rule 11: an operation mapped over a data set gives what it gives directly.  TensorFlow's worker
 * makes a function of the call and maps it over a data set of one element; no other library has such operations. */
#include "methods/equiv/equiv.h"

static const struct rule_set sets[] = {{"tf", NULL, "pipeline"}, {0}};

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = sets};
const struct equiv_rule rule_pipeline = {11, "pipeline", "a data-set pipeline as the operation itself", &every};
