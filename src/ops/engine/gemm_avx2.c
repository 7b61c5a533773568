/* gemm_avx2.c - products of matrices with vectors of 32 bytes. */
#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#include "base/mem.h"
#include "ops/engine/gemm_kernels.h"

#define TARGET __attribute__((target("avx2,fma")))
#define ROWS 6 /* 6 × 2 sums, 2 vectors of B and two broadcast numbers fit the 16 registers */

/* Which of the lanes are among the first n. */
#define FIRST_4(n) _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(n)), _mm256_setr_epi64x(0, 1, 2, 3))
#define FIRST_8(n) _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))

#define REAL double
#define CORE(name) name##_f64
#define VEC __m256d
#define LANES 4
#define LOAD(p) _mm256_loadu_pd(p)
#define ALL(x) _mm256_set1_pd(x)
#define LOAD_FIRST(n, p) _mm256_maskload_pd(p, FIRST_4(n))
#define STORE_FIRST(n, p, x) _mm256_maskstore_pd(p, FIRST_4(n), x)
#define FUSED(a, b, c) _mm256_fmadd_pd(a, b, c)
#define FUSED_1(a, b, c) __builtin_fma(a, b, c)
#include "ops/engine/gemm_core.h"

#define REAL float
#define CORE(name) name##_f32
#define VEC __m256
#define LANES 8
#define LOAD(p) _mm256_loadu_ps(p)
#define ALL(x) _mm256_set1_ps(x)
#define LOAD_FIRST(n, p) _mm256_maskload_ps(p, FIRST_8(n))
#define STORE_FIRST(n, p, x) _mm256_maskstore_ps(p, FIRST_8(n), x)
#define FUSED(a, b, c) _mm256_fmadd_ps(a, b, c)
#define FUSED_1(a, b, c) __builtin_fmaf(a, b, c)
#include "ops/engine/gemm_core.h"

GEMM_SET(avx2)

#endif
