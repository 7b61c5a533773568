/* ops_attributes.h - assay ops --attributes: the attributes of operators and their defaults. */
#ifndef CLI_OPS_ATTRIBUTES_H
#define CLI_OPS_ATTRIBUTES_H

#include <jansson.h>
#include <stdio.h>

#include "ops/op.h"

void attributes_head(FILE *out);
/* One line for each row of the operator's table; returns how many. */
size_t attributes_print(FILE *out, const struct op_row *row);

/* The same, added to a list. */
void attributes_add(json_t *list, const struct op_row *row);
/* What recurrent operators take where `activations` and its parameters are left out. */
json_t *attributes_recurrent(void);

#endif
