/* stats.h - summaries of tensors for people: what `assay run` prints. */
#ifndef TENSOR_STATS_H
#define TENSOR_STATS_H

#include "tensor/tensor.h"

struct tensor_stats {
	size_t count, nan, pos_inf, neg_inf, zero; /* counts of elements */
	double min, max, mean, std;                /* over finite elements; NaN when there are none */
	size_t arg_max;                            /* index of the first largest finite element */
};

void tensor_stats(const struct tensor *t, struct tensor_stats *out);

/* "[[0.1 0.2 …] …]": at most `edge` items at each end of each axis, as numpy prints; NUL-terminated within size.  Where
 * all that is shown is one number and others are hidden, the farthest of those follows: "[0 … 0]; element 41 is 7". */
void tensor_preview(const struct tensor *t, int edge, char *out, size_t size);

/* How many elements are not the first one, and which of them is the farthest from it, NaN before all; 0 when there is
 * none. Strings are all the same here. */
size_t tensor_odd(const struct tensor *t, size_t *count);

/* Fills a wide tensor: floats uniform in [lo, hi), ints uniform in [lo, hi], bools fair coins, strings "s0", "s1", …
 * with the elements of each tensor different from one another where the range allows. */
int tensor_fill_random(struct tensor *t, struct rng *r, double lo, double hi, struct err *e);

#endif
