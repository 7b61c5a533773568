/* join.h - several models as one: their graphs side by side, with nothing between them. */
#ifndef MODEL_JOIN_H
#define MODEL_JOIN_H

#include "model/model.h"

/* Whether two models may stand side by side: of one graph each, in the same opsets, without symbols of sizes. */
int model_joins(const struct model *a, const struct model *b);

/* Inputs, nodes and outputs are in the order of the parts, which all join with the first; the names of part k begin
 * with "k_".  Tensors are shared. */
int model_join(struct model *const *parts, size_t n, struct model **out, struct err *e);

#endif
