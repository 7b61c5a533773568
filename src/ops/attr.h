/* attr.h - what an attribute of a node is, said or left out.
 *
 * Defaults stand in the tables of the operators (struct op_attr) and count by since-version: a bound node's own, else
 * the one that its opset selects.  Here a node is asked for an attribute that it has or whose default is known; to ask
 * for another is a fault of the caller and ends the program.  checksrc looks at the names, tests run the calls.  What
 * an operator does when an attribute without a default is left out is its own affair: see node_attr() and the like. */
#ifndef OPS_ATTR_H
#define OPS_ATTR_H

#include "ops/op.h"

int64_t attr_int(const struct node *n, const char *name);
double attr_float(const struct node *n, const char *name);
const char *attr_string(const struct node *n, const char *name);
/* For what several operators share: 0 where this one has no such attribute. */
int64_t attr_int_or_0(const struct node *n, const char *name);
/* A list that is given, or a default that is a list (OP_INTS_LIST). */
const int64_t *attr_ints(const struct node *n, const char *name, size_t *count);

/* The row that counts for an attribute in a since-version; NULL: the operator has none of that name. */
const struct op_attr *attr_row(const struct op *op, const char *name, int version);
/* The same for a node, when it has a default; NULL: there is none. */
const struct op_attr *attr_default(const struct node *n, const char *name);
/* Element types that the operator's first input has in later versions only. */
uint32_t attr_types_to_come(const struct op_row *row, int version);

/* Whether ONNX has an attribute of the operator in the node's version, too. */
int attr_is_of_version(const struct node *n, const char *name);

/* Whether the attribute says what leaving it out would say as well. */
int attr_is_default(const struct node *n, const struct attr *a);

#endif
