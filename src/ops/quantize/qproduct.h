/* qproduct.h - products of quantized matrices, shared by all operators that have one.
 *
 *   acc[…, m, n] = Σ_k (A[…, m, k] - a_zero[m]) · (B[…, k, n] - b_zero[n])
 *
 * with numpy's rules for vectors and for broadcasting the axes in front.  Parameters are one number, one for each row
 * of A or column of B, or one for each row or column of each matrix. */
#ifndef OPS_QUANTIZE_QPRODUCT_H
#define OPS_QUANTIZE_QPRODUCT_H

#include "ops/call.h"

/* Shape of output 0, the product of inputs `a` and `b`; its dtype is as preset. */
int quant_product_infer(struct call *c, int a, int b);

/* One side of the product: the caller fills in what stands first. */
struct quant_side {
	const struct tensor *t, *scale, *zero; /* scale, zero: may be NULL */
	int is_b, transposed;                  /* transposed: t has the matrix with rows and columns exchanged */
	size_t rows, cols, lines;              /* lines: rows of A, columns of B: what parameters run over */
};

/* Sizes of a side; checks its parameters against them. */
int quant_side_open(struct call *c, struct quant_side *s);

/* Takes element i of the output: its sum, and the product of both scales. */
typedef void quant_store_fn(struct call *c, size_t i, double acc, double scale);

int quant_product(struct call *c, const struct quant_side *a, const struct quant_side *b, quant_store_fn *store);

#endif
