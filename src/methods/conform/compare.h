/* compare.h - outputs against expected ones. */
#ifndef METHODS_CONFORM_COMPARE_H
#define METHODS_CONFORM_COMPARE_H

#include "reference/reference.h"

/* A float may differ by rtol * |expected| + atol; in the noisy mode an element may also differ by this many times its
 * rounding noise.  Correct float32 libraries were seen up to 3 times away; noise itself is an estimate. */
#define COMPARE_NOISE 6.0

/* How to compare, and what came of it. */
struct compare {
	double rtol, atol;
	int values_differ;         /* types and shapes were as expected, values were not */
	int random;                /* an output is random by specification: only its type and shape were compared */
	unsigned char *random_ids; /* by wire id of the main graph: it depends on a random operator */
};

/* For the outputs of graph g, whose nodes are bound where their operators are known. */
int compare_start(struct compare *c, const struct graph *g, struct err *e);
void compare_end(struct compare *c);

/* ERR_INPUT with a message when the output of wire w is not as expected. */
int compare_output(struct compare *c, const struct wire *w, const struct ref_output *got, const struct value *want,
		   struct err *e);

#endif
