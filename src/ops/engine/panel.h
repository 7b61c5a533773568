/* panel.h - matrix products of bfloat16 numbers in AMX tiles, for the differences of the noisy mode.
 *
 * Differences need a relative accuracy of 1e-2: their spread over eight lanes is a statistic with an error of a
 * quarter. It is used only where the engine has `tiles` (engine.h). */
#ifndef OPS_ENGINE_PANEL_H
#define OPS_ENGINE_PANEL_H

#include "ops/kit/reals.h"

#define PANEL_ROWS 32 /* of A in a block */
#define PANEL_COLS 32 /* of B in a panel */
#define PANEL_K 32    /* k is rounded up to a multiple of this */

/* 1: the processor has the instructions, the system lends the registers, and products are right.  Not to be called
 * twice at once: engine.h keeps the answer. */
int panel_selftest(void);

/* Numbers (of two bytes) that A [m,k] and B [k,n] take when packed. */
size_t panel_size_a(size_t m, size_t k);
size_t panel_size_b(size_t n, size_t k);

/* A [m,k], or |A|, into blocks. */
void panel_pack_a(size_t m, size_t k, struct reals a, int absolute, uint16_t *to);

/* B [k,n] in float, rows ldb apart, into panels. */
void panel_pack_b(size_t n, size_t k, const float *b, size_t ldb, uint16_t *to);

/* The columns of windows go another way, so that what windows share is narrowed once.  k counts the channels of one
 * offset into the kernel after those of another, so that two neighbours of k are two channels at one place; the number
 * of channels is a multiple of PANEL_K.
 *
 *   panel_pack_weights   W [m, channels, kernel], or |W|, into blocks of such an A
 *   panel_pairs          X [rows, n] into [rows / 2, n] of pairs, the numbers of two rows side by side
 *   panel_put_pairs      a row of pairs into its place in the panels of B [k,n]: rows `row` and row + 1 */
void panel_pack_weights(size_t m, size_t channels, size_t kernel, const float *w, int absolute, uint16_t *to);
void panel_pairs(size_t rows, size_t n, const float *x, uint32_t *to);
void panel_put_pairs(size_t n, size_t k, size_t row, const uint32_t *pairs, uint16_t *to);

/* C [m,n] in float, rows ldc apart. */
void panel_gemm(size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b, float *c, size_t ldc);

#endif
