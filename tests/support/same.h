/* same.h - are two models the same?  For round trips and copies. */
#ifndef TESTS_SUPPORT_SAME_H
#define TESTS_SUPPORT_SAME_H

#include "model/model.h"

/* NULL when both have the same inputs, outputs, nodes, attributes, types and tensors under the same names, else a text
 * that says where they differ (overwritten by the next call). */
const char *same_model(const struct model *a, const struct model *b);

int same_tensor(const struct tensor *a, const struct tensor *b);

/* Are index, id, producer and names of all graphs of m as model.h promises?  NULL or a text as above. */
const char *check_invariants(const struct model *m);

#endif
