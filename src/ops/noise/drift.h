/* drift.h - how rounding errors grow in sums of equal terms.
 *
 * Roundings of a sum are taken for independent of each other: their errors grow with the root of their number, less in
 * the trees that libraries add in (noise_growth()).  When the same number is added again and again they are not: each
 * addition rounds in the same direction until the sum reaches the next power of two.  For m equal terms, one after the
 * other, half of the additions are behind the last power of two that is passed, and each is off by the same r, uniform
 * in half a unit in the last place: m/2 · r, in the root of the mean square 0.2 m roundings of the sum; m / 4 is
 * taken.  Of several runs of equal terms each has an r of its own.
 *
 * Networks of constant weights are made of such sums, and their channels drift alike, as far as the library adds them
 * in the same way.  c->drifts says that the sizes of roundings are drifts: half of the variance is then common to all
 * elements, which does not average out in the next sum, and half is each one's own, which does not cancel in a Softmax;
 * their sizes vary, for signs alone would leave half of the elements equal. */
#ifndef OPS_NOISE_DRIFT_H
#define OPS_NOISE_DRIFT_H

#include "ops/call.h"
#include "ops/kit/reals.h"

/* How many neighbours of x[outer][length][inner] along the middle axis differ, in the outer part that has most; more
 * than `most` are not counted.  Numbers that are the same to 2^-30 do not differ. */
size_t drift_changes(struct reals x, size_t outer, size_t length, size_t inner, size_t most);

/* The most changes along n terms that leave runs long enough to matter. */
size_t drift_limit(size_t n);

/* Growth of a sum of n terms, `changes` of whose neighbours differ; sets c->drifts when it is a drift. */
double drift_growth(struct call *c, size_t n, size_t changes);

/* The same without call, and for terms that stand side by side. */
double drift_growth_runs(size_t n, size_t changes);
double drift_growth_of(const double *x, size_t n);

#endif
