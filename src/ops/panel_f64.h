/* panel_f64.h - C[m,n] = A[m,k] B[k,n] in double, B in panels of PANEL_F64 columns: panel j holds
 * B[0 … k-1][16 j … 16 j + 15], row after row, missing columns zero.
 *
 * Used only where the processor has AVX-512, and after it agreed with plain loops. */
#ifndef OPS_PANEL_F64_H
#define OPS_PANEL_F64_H

#include <stddef.h>

#define PANEL_F64 16

int panel_f64_usable(void);

/* a: [m,k], dense; panels: ceil(n / 16) of them, each k * 16 numbers; rows of C are ldc apart. */
void panel_f64_gemm(size_t m, size_t n, size_t k, const double *a, const double *panels, double *c, size_t ldc);

#endif
