/* defaults.h - what attributes are when a node does not say. */
#ifndef OPS_DEFAULTS_H
#define OPS_DEFAULTS_H

#include "model/model.h"

/* The default of a node's attribute as text ("1", "0.2", "NOTSET"; of a list: of each element), by the node's version
 * (its opset where it is not bound); NULL when it has none that is a constant. */
const char *attr_default(const struct node *n, const char *name);

/* Whether the attribute says what leaving it out would say as well. */
int attr_is_default(const struct node *n, const struct attr *a);

#endif
