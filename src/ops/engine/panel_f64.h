/* panel_f64.h - C[m,n] = A[m,k] B[k,n] in double, B in panels of PANEL_F64 columns: panel j holds
 * B[0 … k-1][16 j … 16 j + 15], row after row, missing columns zero.
 *
 * Used only where the processor has AVX-512, and after it agreed with plain loops. */
#ifndef OPS_PANEL_F64_H
#define OPS_PANEL_F64_H

#include "ops/kit/reals.h"

#define PANEL_F64 16
#define PANEL_F64_K 192 /* the largest k: 12 rows of A and a panel of B share the first-level cache */

int panel_f64_usable(void);

/* k at most PANEL_F64_K; rows of A are lda apart; panels: ceil(n / 16) of them, each k * 16 numbers; rows of C are ldc
 * apart; `add`: to what is there. */
void panel_f64_gemm(size_t m, size_t n, size_t k, struct reals a, size_t lda, const double *panels, int add, double *c,
		    size_t ldc);

#endif
