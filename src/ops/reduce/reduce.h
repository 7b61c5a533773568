/* reduce.h - what one reduction does to one line; the driver in reduce.c does the rest. */
#ifndef OPS_REDUCE_REDUCE_H
#define OPS_REDUCE_REDUCE_H

#include "ops/kit/lines.h"

struct reduce_line {
	int axes_input_since; /* version from which the axes are input 1, not an attribute */

	double (*real)(const double *x, size_t n);

	/* (optional) integers, modulo 2^64; when NULL, `real` runs on the values and its result is truncated. */
	int64_t (*integer)(const int64_t *x, size_t n, enum dtype t);

	/* dx[i] = g * ∂y/∂x_i */
	void (*grad)(const double *x, size_t n, double g, double *dx);

	/* (optional) see op.scale; NULL: only selects, no rounding. */
	double (*scale)(const double *x, size_t n);

	/* (optional) `real` in two steps: a sum, which a library holds in the type, and what is left to do with it. */
	double (*sum)(const double *x, size_t n);
	double (*rest)(double sum, size_t n);

	/* (optional) What a library may give whose numbers on the way leave the range of the type. */
	double (*held)(const struct call *c, const double *x, size_t n);
};

int reduce_infer(struct call *c, const struct reduce_line *r);
int reduce_eval(struct call *c, const struct reduce_line *r);
int reduce_grad(struct call *c, const struct reduce_line *r);
int reduce_scale(struct call *c, const struct reduce_line *r, double *s);

/* Infers output 0 of dtype t as the input's shape with the axes of the mask reduced; rank known. */
void reduce_out(struct call *c, enum dtype t, uint32_t axes, int keepdims);

/* Index of the first (or last) extremum of a line, sign 1: greatest, -1: least.  NaN wins over all numbers, as it does
 * in numpy and most libraries; the specification is silent.  n > 0. */
size_t extremum_real(const double *x, size_t n, int sign, int last);
size_t extremum_int(const int64_t *x, size_t n, enum dtype t, int sign, int last);

#endif
