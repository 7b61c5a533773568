/* blas.h - matrix products, row major, on one thread.
 *
 * OpenBLAS does the work once it has shown on first use that it agrees with plain loops (sums, transposes, strides, NaN
 * and infinities); if it does not, plain loops serve. */
#ifndef OPS_BLAS_H
#define OPS_BLAS_H

#include "ops/kit/reals.h"

struct gemm_shape {
	size_t m, n, k;       /* C[m,n] = A[m,k] B[k,n] */
	int ta, tb;           /* A is stored as [k,m]; B as [n,k] */
	size_t lda, ldb, ldc; /* row strides of what is stored */
	int add;              /* C += instead of C = */
};

void blas_gemm_f64(const struct gemm_shape *s, const double *a, const double *b, double *c);
void blas_gemm_f32(const struct gemm_shape *s, const float *a, const float *b, float *c);

/* Contiguous operands: strides from the shape. */
struct gemm_shape gemm_dense(size_t m, size_t n, size_t k, int ta, int tb);

/* x (or |x|) as floats: where the size of a rounding is wanted, not its value.  NULL when there is no memory; free with
 * mem_free(). */
float *blas_narrow(struct reals x, size_t n, int absolute);

/* 1: OpenBLAS passed its self-test; 0: plain loops are used. */
int blas_trusted(void);

#endif
