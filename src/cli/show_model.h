/* show_model.h - a model as lines of text. */
#ifndef CLI_SHOW_MODEL_H
#define CLI_SHOW_MODEL_H

#include <stdio.h>

#include "model/model.h"

/* Inputs, constants and nodes, one a line, wrapped at `columns`:
 *
 *     x: float32[1,2,5,5]
 *     y = AveragePool(x) ceil_mode=1 kernel_shape=[2,2]
 *
 * Of more than `max` nodes the first ones are shown, and how many there are. */
void show_model(FILE *out, const struct model *m, size_t max, size_t indent, size_t columns);

#endif
