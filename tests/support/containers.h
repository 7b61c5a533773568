/* containers.h - models around operators that a line of data/cases cannot say: those on sequences and optionals, and
 * those that run graphs.  What such an operator takes is read from its descriptor; bodies are made for it. */
#ifndef TESTS_SUPPORT_CONTAINERS_H
#define TESTS_SUPPORT_CONTAINERS_H

#include "ops/op.h"

#define CONTAINER_MAX_INPUTS 16
#define CONTAINER_OPSET 23 /* of the nodes around the operator */

struct container_case {
	struct model *model;
	struct value *inputs[CONTAINER_MAX_INPUTS]; /* one for each of the model's */
	char what[80];
};

/* Whether an operator takes or gives anything but tensors, or runs graphs. */
int container_wanted(const struct op *op);

/* Case number k of an operator's version: sequences and optionals are made by a node or given, full or empty; bodies
 * are plain ones, grow their states, or have graphs inside.  Gives 0 when there are not so many; 1 with a case, which
 * container_release() releases, else.  What fails ends the program: an operator that runs graphs in a way that is not
 * known here, say. */
int container_make(const struct op_row *row, int version, size_t k, struct container_case *out);
void container_release(struct container_case *c);

#endif
