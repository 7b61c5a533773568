/* told_sizes.h - the sizes that a model's inputs have in a run, and which of them nobody gave.
 *
 *     [{"name", "dtype", "dims": [{"name", "size", "made_up"}]}]
 *
 * "name" of a dimension is what --dim calls it; it is null where the model fixes the size. */
#ifndef CASE_TOLD_SIZES_H
#define CASE_TOLD_SIZES_H

#include <jansson.h>

#include "base/buf.h"
#include "case/inputs.h"

/* Bit k of out[i]: neither the model, --dim nor a file says the size of axis k of input i.  Call it before the inputs
 * that no file gives are made up; out: graph->inputs.n of them. */
void told_sizes_find_open(const struct graph *g, const struct input_options *o, struct value *const *in, unsigned *out);

json_t *told_sizes_json(const struct graph *g, struct value *const *in, const unsigned *made_up);

/* "x: float32[N=1, 3, H=32, W=32]; H and W were made up: --dim H=…", a line for each input with such a size.  A batch
 * of one is not worth a line. */
void told_sizes_text(const json_t *sizes, struct buf *out);

#endif
