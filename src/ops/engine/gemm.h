/* gemm.h - products of matrices, row major.
 *
 * Each element of C is one chain, c = fma(a[i,k], b[k,j], c) for k = 0, 1, …, whatever kernel computes it and however
 * the matrices are cut for the cache: the same bits in every thread, in every process and on all processors with fused
 * multiplication and addition.  Where there is none a product is rounded before it is added. */
#ifndef OPS_ENGINE_GEMM_H
#define OPS_ENGINE_GEMM_H

#include "ops/kit/reals.h"

struct gemm_shape {
	size_t m, n, k;       /* C[m,n] = A[m,k] B[k,n] */
	int ta, tb;           /* A is stored as [k,m]; B as [n,k] */
	size_t lda, ldb, ldc; /* row strides of what is stored */
	int add;              /* C += instead of C = */
};

void gemm_f64(const struct gemm_shape *s, const double *a, const double *b, double *c);
void gemm_f32(const struct gemm_shape *s, const float *a, const float *b, float *c);

/* Contiguous operands: strides from the shape. */
struct gemm_shape gemm_dense(size_t m, size_t n, size_t k, int ta, int tb);

/* A product whose B lies in panels of GEMM_PANEL columns: panel j holds B[0 … k-1][16 j … 16 j + 15], row after row,
 * missing columns zero.  A convolution writes the columns of its windows straight into them, so that nothing is packed
 * twice. */
#define GEMM_PANEL 16
#define GEMM_DEPTH ((size_t)192) /* the largest k: rows of A and a panel of B share the first-level cache */

struct gemm_panels {
	size_t m, n, k;
	struct reals a;
	size_t lda;
	const double *panels;
	int add; /* C += instead of C = */
	double *c;
	size_t ldc;
};

void gemm_panels(const struct gemm_panels *p);

/* x (or |x|) as floats: where the size of a rounding is wanted, not its value.  NULL when there is no memory; free with
 * mem_free(). */
float *gemm_narrow(struct reals x, size_t n, int absolute);

#endif
