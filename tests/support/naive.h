/* naive.h - plain float32 formulas, by hand: other honest ways to compute what some operators do.
 *
 * Kernels of the reference in single precision (single/single.h) take care of what cancels; libraries often write the
 * specification's formula down as it stands, and they sum in other orders.  Nothing here knows what operators state. */
#ifndef TESTS_SUPPORT_NAIVE_H
#define TESTS_SUPPORT_NAIVE_H

#include <stddef.h>

#define NAIVE_INPUTS 3

struct naive_in {
	const float *x[NAIVE_INPUTS]; /* the graph inputs of the line */
	size_t rows, n;               /* the first is [rows, n] */
};

struct naive {
	const char *line; /* a case (model/case.h) with one output */
	const char *how;
	void (*fn)(const struct naive_in *in, float *y);
};

extern const struct naive naives[]; /* up to the first without a line */

#endif
