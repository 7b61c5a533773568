/* adapt.h - values from files whose format lacks their type. */
#ifndef MODEL_ADAPT_H
#define MODEL_ADAPT_H

#include "model/model.h"

/* Replaces *v by a value of the declared type where its file format could not say that type: bfloat16 comes as the
 * bits of uint16 from .pb, the small floats as float32 and integers of less than eight bits as int8 or uint8 from
 * .npy. */
int adapt_value(struct value **v, const struct type *declared, struct err *e);

/* ERR_INPUT unless a value is of the kind, type and sizes that its graph input declares.  The inputs of a subgraph are
 * what the node around it gives it: a shape that was declared otherwise does no harm and is a complaint. */
int adapt_check_input(const struct wire *w, const struct value *v, struct err *e);
/* Whether a tensor is of a declared type: element type, rank and the sizes that are not open. */
int adapt_fits(const struct type *declared, const struct tensor *t);

#endif
