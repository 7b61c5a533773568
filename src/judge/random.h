/* random.h - which values of a graph are random by specification: they are never compared. */
#ifndef JUDGE_RANDOM_H
#define JUDGE_RANDOM_H

#include "model/model.h"

/* (*out)[wire id] is 1 when a wire of main graph g depends on a random operator, those in subgraphs included; nodes are
 * bound where their operators are known.  `dropout`: Dropout that trains counts as well, whatever seed it is given. The
 * caller frees *out with mem_free(). */
int random_wires(const struct graph *g, int dropout, unsigned char **out, struct err *e);

#endif
