/* rule_pipeline.c - rule 11: an operation mapped over a data set gives what it gives directly; TensorFlow
 * alone has operations on data sets.  Batches and shuffling of documented data sets are in
 * data/equiv/pipeline.tsv. */
#include "methods/equiv/equiv.h"

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .sets = PAIR_PIPELINE};
const struct equiv_rule rule_pipeline = {11, "pipeline", "a data-set pipeline as the operation itself", &every};
