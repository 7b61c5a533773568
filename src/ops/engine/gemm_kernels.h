/* gemm_kernels.h - products of matrices for one set of instructions each, behind gemm.h. */
#ifndef OPS_ENGINE_GEMM_KERNELS_H
#define OPS_ENGINE_GEMM_KERNELS_H

#include "ops/engine/gemm.h"

struct gemm_kernels {
	const char *name;
	void (*f64)(const struct gemm_shape *s, const double *a, const double *b, double *c);
	void (*f32)(const struct gemm_shape *s, const float *a, const float *b, float *c);
	void (*panels)(const struct gemm_panels *p);
};

/* Those that this processor can run, the fastest first; the last one is for any. */
#define GEMM_SETS 3
size_t gemm_sets(const struct gemm_kernels *sets[GEMM_SETS]);

/* Makes the kernels known that gemm_core.h has defined. */
#define GEMM_SET(set)                                         \
	static void set##_panels(const struct gemm_panels *p) \
	{                                                     \
		struct sweep_f64 x = {.m = p->m,              \
				      .n = p->n,              \
				      .k = p->k,              \
				      .a = p->a.f64,          \
				      .narrow = p->a.f32,     \
				      .lda = p->lda,          \
				      .panels = p->panels,    \
				      .add = p->add,          \
				      .c = p->c,              \
				      .ldc = p->ldc};         \
                                                              \
		sweep_f64(&x);                                \
	}                                                     \
	const struct gemm_kernels gemm_##set = {              \
		.name = #set, .f64 = multiply_f64, .f32 = multiply_f32, .panels = set##_panels};

extern const struct gemm_kernels gemm_plain, gemm_avx2, gemm_avx512; /* the latter two: on x86-64 */

#endif
