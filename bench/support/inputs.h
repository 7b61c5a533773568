/* inputs.h - inputs for models that come from files. */
#ifndef BENCH_SUPPORT_INPUTS_H
#define BENCH_SUPPORT_INPUTS_H

#include "model/model.h"

/* One value for each input of the graph, those without a file or with an initializer NULL; bench_inputs_free().
 *
 * Of test_data_set_0 in a folder of the ONNX backend tests; unless seed is 0, floats that are not whole are scaled. */
int bench_inputs_read(const char *folder, const struct graph *g, uint64_t seed, struct value ***out, struct err *e);
/* Made up for a network: floats from 0 to 1, open dimensions 1. */
int bench_inputs_make(const struct graph *g, uint64_t seed, struct value ***out, struct err *e);

void bench_inputs_free(struct value **in, size_t n); /* NULL is fine */

#endif
