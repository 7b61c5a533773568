/* panel.h - matrix products of bfloat16 numbers in AMX tiles, for the differences of the noisy mode.
 *
 * Differences need a relative accuracy of 1e-2: their spread over eight lanes is a statistic with an error of a
 * quarter. The kernel is used only where the processor has the instructions, and after it agreed with plain loops. */
#ifndef OPS_PANEL_H
#define OPS_PANEL_H

#include "ops/reals.h"

#define PANEL_ROWS 32 /* of A in a block */
#define PANEL_COLS 32 /* of B in a panel */
#define PANEL_K 32    /* k is rounded up to a multiple of this */

int panel_usable(void);

/* Numbers (of two bytes) that A [m,k] and B [k,n] take when packed. */
size_t panel_size_a(size_t m, size_t k);
size_t panel_size_b(size_t n, size_t k);

/* A [m,k], or |A|, into blocks. */
void panel_pack_a(size_t m, size_t k, struct reals a, int absolute, uint16_t *to);

/* B [k,n] in float, rows ldb apart, into panels. */
void panel_pack_b(size_t n, size_t k, const float *b, size_t ldb, uint16_t *to);

/* C [m,n] in float, rows ldc apart. */
void panel_gemm(size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b, float *c, size_t ldc);

#endif
