/* product.h - batched matrix products behind MatMul, Gemm and their noise.
 *
 *   Y[b] = op(A[b]) op(B[b]),   op: as it is, or transposed; A and B repeat over batches where their step is 0. */
#ifndef OPS_ENGINE_PRODUCT_H
#define OPS_ENGINE_PRODUCT_H

#include "ops/call.h"
#include "ops/engine/gemm.h"

struct product {
	struct gemm_shape shape;
	size_t batches;
	size_t *at_a, *at_b;   /* element offset of each batch */
	size_t size_a, size_b; /* elements of A and B as a whole */
};

/* y = product, in double. */
void product_f64(const struct product *p, const double *a, const double *b, double *y);
/* The same in int64 with wrap-around. */
void product_i64(const struct product *p, const int64_t *a, const int64_t *b, int64_t *y);
/* s = |A||B| · noise_growth(k), or |y| · noise_growth_in_order(k) where that is more, y the product; 0 or ERR_MEMORY.
 */
int product_scale(struct call *c, const struct product *p, const double *a, const double *b, const double *y,
		  double *s);
/* Lanes: out = (A + dA)(B + dB) - AB to first order; dA or dB may be NULL. */
enum delta_result product_delta(struct call *c, const struct product *p, const double *a, const double *b,
				const float *da, const float *db, float *out);
/* gA += gY Bᵀ and gB += Aᵀ gY (with the transposes that `shape` says); ga or gb may be NULL. */
void product_grad(const struct product *p, const double *a, const double *b, const double *gy, double *ga, double *gb);

#endif
