/* gemm_plain.c - products of matrices in plain C, for any processor. */
#include <string.h>

#include "base/mem.h"
#include "ops/engine/gemm_kernels.h"

/* Two doubles or four floats: what any processor of 64 bits has. */
typedef double two_f64 __attribute__((vector_size(16)));
typedef float four_f32 __attribute__((vector_size(16)));

#define TARGET
#define ROWS 4

#define REAL double
#define CORE(name) name##_f64
#define VEC two_f64
#define LANES 2
#define LOAD(p) load_f64(p)
#define ALL(x) ((two_f64){x, x})
#define LOAD_FIRST(n, p) load_first_f64(n, p)
#define STORE_FIRST(n, p, x) memcpy(p, &(x), (n) * sizeof(double))
#define FUSED(a, b, c) ((a) * (b) + (c))
#define FUSED_1(a, b, c) ((a) * (b) + (c))

static inline two_f64 load_first_f64(size_t n, const double *p)
{
	two_f64 x = {0};

	memcpy(&x, p, n * sizeof *p);
	return x;
}

static inline two_f64 load_f64(const double *p)
{
	two_f64 x;

	memcpy(&x, p, sizeof x);
	return x;
}

#include "ops/engine/gemm_core.h"

#define REAL float
#define CORE(name) name##_f32
#define VEC four_f32
#define LANES 4
#define LOAD(p) load_f32(p)
#define ALL(x) ((four_f32){x, x, x, x})
#define LOAD_FIRST(n, p) load_first_f32(n, p)
#define STORE_FIRST(n, p, x) memcpy(p, &(x), (n) * sizeof(float))
#define FUSED(a, b, c) ((a) * (b) + (c))
#define FUSED_1(a, b, c) ((a) * (b) + (c))

static inline four_f32 load_first_f32(size_t n, const float *p)
{
	four_f32 x = {0};

	memcpy(&x, p, n * sizeof *p);
	return x;
}

static inline four_f32 load_f32(const float *p)
{
	four_f32 x;

	memcpy(&x, p, sizeof x);
	return x;
}

#include "ops/engine/gemm_core.h"

GEMM_SET(plain)
