/* noisy.h - rounding noise of operators that feed their own results back, step after step.
 *
 * There is no closed form for how far rounding moves the last step, so such an operator is run some times with a random
 * rounding after every operation inside, and the spread of its outputs is their scale. */
#ifndef OPS_NOISE_NOISY_H
#define OPS_NOISE_NOISY_H

#include "base/rng.h"
#include "ops/call.h"

struct noisy {
	int on;
	double roundoff;
	struct rng rng;
};

/* x, moved by `size` roundoffs up or down when noise is on. */
double noisy_move(struct noisy *n, double x, double size);

/* The same, relative: by roundoffs * |x|. */
double noisy_round(struct noisy *n, double x, double roundoffs);

/* Computes an output into y, using the functions above on everything that libraries round. */
typedef int noisy_fn(struct call *c, struct noisy *n, int out, double *y, void *arg);

/* Fills s as op.scale wants: the root mean square of the differences in roundoffs, plus the last rounding. */
int noisy_scale(struct call *c, int out, noisy_fn *fn, void *arg, double *s);

#endif
