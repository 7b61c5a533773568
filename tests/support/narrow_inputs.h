/* narrow_inputs.h - inputs for small networks that are narrowed. */
#ifndef TESTS_SUPPORT_NARROW_INPUTS_H
#define TESTS_SUPPORT_NARROW_INPUTS_H

#include "methods/narrow/narrow.h"
#include "model/build.h"

#define NARROW_N 64
#define NARROW_INPUTS 2

extern const int64_t narrow_row[2]; /* the shape of an input */

/* Inputs of float32[1,NARROW_N] in [lo, hi). */
struct narrow_inputs {
	struct value *in[NARROW_INPUTS][1];
	struct value **runs[NARROW_INPUTS];
	struct narrow_data data;
};

void narrow_inputs_make(struct narrow_inputs *f, double lo, double hi);
void narrow_inputs_drop(struct narrow_inputs *f);

/* The model that ends in y. */
struct model *narrow_inputs_model(struct build *b, struct wire *y);

/* The default target. */
struct narrow_options narrow_inputs_options(enum narrow_type type);

#endif
