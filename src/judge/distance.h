/* distance.h - how the published methods measure that two outputs differ.
 *
 * Tensors may be packed or wide, of any number type, and of the same shape (the caller has checked).  NaN in either
 * makes a distance NaN, so that it cannot pass for agreement: every comparison of the form `distance > limit` must be
 * written as `!(distance <= limit)`. */
#ifndef JUDGE_DISTANCE_H
#define JUDGE_DISTANCE_H

#include "tensor/tensor.h"

/* CRADLE, equation 3: mean absolute deviation, δ = Σ|a_i - b_i| / N; 0 for tensors without elements. */
double distance_mad(const struct tensor *a, const struct tensor *b);

/* CRADLE, equation 4: |δ(a, truth) - δ(b, truth)| / (δ(a, truth) + δ(b, truth)), from 0 to 1; 0 when both are exact. */
double distance_mad_based(const struct tensor *a, const struct tensor *b, const struct tensor *truth);

/* Rank of `label` among the `n` scores from element `first` on: 1 is the highest; equal scores rank by index. */
size_t distance_rank(const struct tensor *y, size_t first, size_t n, size_t label);

/* CRADLE, equations 1 and 2: |σ(a) - σ(b)| with σ = 2^(k - rank), 0 outside of the top k. */
#define DISTANCE_TOP_K 5
double distance_class(const struct tensor *a, const struct tensor *b, size_t first, size_t n, size_t label, int k);

/* EAGLE: the largest of |a_i - b_i| - (atol + rtol |b_i|); at most 0 when all elements are close.  Equal infinities are
 * close, as are two NaNs. */
double distance_beyond_tolerance(const struct tensor *a, const struct tensor *b, double atol, double rtol);

/* Graph-based fuzzing: share of elements whose relative error |a_i - b_i| / |b_i| is above `limit`. */
double distance_relative_share(const struct tensor *a, const struct tensor *b, double limit);

/* Index of the largest of the n scores from `first` on; the first of equal ones. */
size_t distance_argmax(const struct tensor *t, size_t first, size_t n);

/* Audee: true when the index of the largest of the n scores from `first` on differs. */
int distance_argmax_differs(const struct tensor *a, const struct tensor *b, size_t first, size_t n);

#endif
