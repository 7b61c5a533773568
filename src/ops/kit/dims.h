/* dims.h - arithmetic on dimensions that may be unknown or symbolic, for infer functions. */
#ifndef OPS_KIT_DIMS_H
#define OPS_KIT_DIMS_H

#include "ops/call.h"

static inline int dim_known(int64_t d)
{
	return d >= 0;
}

/* A set of axes, as bits: 0 … n - 1.  There may be as many as there are bits. */
static inline uint32_t dims_first(int n)
{
	return n < 32 ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

/* a * b and a + b; DIM_UNKNOWN when it cannot be told.  ERR_INPUT on overflow. */
int dim_mul(struct call *c, int64_t a, int64_t b, int64_t *out);
int dim_add(struct call *c, int64_t a, int64_t b, int64_t *out);

/* dims[from … to-1] multiplied. */
int dim_product(struct call *c, const int64_t *dims, int from, int to, int64_t *out);

/* *into and d name the same dimension: keeps what says more.  call_bad, naming `what`, when both are known and differ.
 */
int dim_unify(struct call *c, int64_t *into, int64_t d, const char *what);

/* A rank that comes from the model: call_bad when it is above TENSOR_MAX_RANK. */
int dims_check_rank(struct call *c, int64_t rank);

/* Checks a list of axes against a rank and writes them, made >= 0, to out[n]; each may be named once only. */
int dims_axes(struct call *c, const int64_t *axes, size_t n, int rank, int *out);

/* call_bad unless the last two axes of a shape are those of square matrices, as far as they are known. */
int dims_check_square(struct call *c, const struct type *t);

/* The number of elements of the 1-D input i when known, else -1. */
int64_t dims_list_length(const struct call *c, int i);

#endif
