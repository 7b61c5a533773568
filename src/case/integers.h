/* integers.h - the range that integers of an input are made up in: what the model does with them tells. */
#ifndef CASE_INTEGERS_H
#define CASE_INTEGERS_H

#include "model/model.h"

/* Which range to take, when the model did not run with the one before. */
enum integers_span { INTEGERS_USUAL, INTEGERS_SMALL, INTEGERS_ONE, INTEGERS_SPANS };

/* `longest` is the largest length among sizes that were made up, 0 when there is none. */
void integers_range(const struct graph *g, const struct wire *w, int64_t longest, enum integers_span span, double *lo,
		    double *hi);

#endif
