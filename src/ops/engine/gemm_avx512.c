/* gemm_avx512.c - products of matrices with vectors of 64 bytes. */
#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#include "base/mem.h"
#include "ops/engine/gemm_kernels.h"

#define TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,fma")))
#define ROWS 12 /* 12 × 2 sums, 2 vectors of B and a broadcast number fit the 32 registers */

#define REAL double
#define CORE(name) name##_f64
#define VEC __m512d
#define LANES 8
#define LOAD(p) _mm512_loadu_pd(p)
#define ALL(x) _mm512_set1_pd(x)
#define LOAD_FIRST(n, p) _mm512_maskz_loadu_pd((__mmask8)(0xff >> (8 - (n))), p)
#define STORE_FIRST(n, p, x) _mm512_mask_storeu_pd(p, (__mmask8)(0xff >> (8 - (n))), x)
#define FUSED(a, b, c) _mm512_fmadd_pd(a, b, c)
#define FUSED_1(a, b, c) __builtin_fma(a, b, c)
#include "ops/engine/gemm_core.h"

#define REAL float
#define CORE(name) name##_f32
#define VEC __m512
#define LANES 16
#define LOAD(p) _mm512_loadu_ps(p)
#define ALL(x) _mm512_set1_ps(x)
#define LOAD_FIRST(n, p) _mm512_maskz_loadu_ps((__mmask16)(0xffff >> (16 - (n))), p)
#define STORE_FIRST(n, p, x) _mm512_mask_storeu_ps(p, (__mmask16)(0xffff >> (16 - (n))), x)
#define FUSED(a, b, c) _mm512_fmadd_ps(a, b, c)
#define FUSED_1(a, b, c) __builtin_fmaf(a, b, c)
#include "ops/engine/gemm_core.h"

GEMM_SET(avx512)

#endif
