/* rule_pipeline.c - rule 11: an operation mapped over a data set gives what it gives directly.  No rows yet: handles of
 * data sets live inside the library and do not pass through INVOKE. The pairs are in data/equiv/pipeline.tsv. */
#include "methods/equiv/equiv.h"

const struct rule rule_pipeline = {11, "pipeline", "a data-set pipeline as the operation itself", NULL};
