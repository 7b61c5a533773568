/* panel_f64.c - products of doubles with AVX-512, over columns that lie in panels.
 *
 * A convolution writes the columns of its windows straight into the layout that this loop reads, so that nothing is
 * packed twice as it is in front of a general matrix product. */
#include "ops/engine/panel_f64.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define ROWS 12 /* of A at once: 12 × 2 sums, 2 columns of B and a broadcast fit the 32 registers */
#define ROW_STEP (PANEL_F64_K + 8)
#define AHEAD 8 /* steps of k: panels come from the second-level cache */
#define TARGET __attribute__((target("avx512f")))

/* `rows` rows of C for one panel: c[i][0…15] (+)= Σ_k a[i][k] · panel[k][0…15], rows of a ROW_STEP apart.  A panel of
 * at most 8 columns takes one vector.  rows and vectors are constants where this is inlined, and the loops over them
 * are unrolled, so that the sums become registers. */
TARGET static inline __attribute__((always_inline)) void block(int rows, int vectors, size_t k, const double *a,
							       const double *panel, int add, double *c, size_t ldc,
							       size_t columns)
{
	__mmask8 last = (__mmask8)(0xff >> ((size_t)vectors * 8 - columns));
	__mmask8 mask[2] = {vectors == 1 ? last : 0xff, last};
	__m512d sum[2 * ROWS];

#pragma GCC unroll 24
	for (int i = 0; i < rows * vectors; i++)
		sum[i] = add ? _mm512_maskz_loadu_pd(mask[i % vectors],
						     c + (size_t)(i / vectors) * ldc + i % vectors * 8)
			     : _mm512_setzero_pd();
	for (size_t p = 0; p < k; p++, panel += PANEL_F64) {
		__m512d b[2];

#pragma GCC unroll 2
		for (int v = 0; v < vectors; v++) {
			_mm_prefetch((const char *)(panel + AHEAD * PANEL_F64 + v * 8), _MM_HINT_T0);
			b[v] = _mm512_loadu_pd(panel + v * 8);
		}
#pragma GCC unroll 24
		for (int i = 0; i < rows * vectors; i++)
			sum[i] = _mm512_fmadd_pd(_mm512_set1_pd(a[i / vectors * ROW_STEP + p]), b[i % vectors], sum[i]);
	}
#pragma GCC unroll 24
	for (int i = 0; i < rows * vectors; i++)
		_mm512_mask_storeu_pd(c + (size_t)(i / vectors) * ldc + i % vectors * 8, mask[i % vectors], sum[i]);
}

#define BLOCK(n)                                                                                                     \
	TARGET static void block_##n(size_t k, const double *a, const double *panel, int add, double *c, size_t ldc, \
				     size_t columns)                                                                 \
	{                                                                                                            \
		if (columns > 8)                                                                                     \
			block(n, 2, k, a, panel, add, c, ldc, columns);                                              \
		else                                                                                                 \
			block(n, 1, k, a, panel, add, c, ldc, columns);                                              \
	}
BLOCK(1)
BLOCK(2)
BLOCK(4)
BLOCK(8)
BLOCK(12)

static const struct {
	size_t rows;
	void (*run)(size_t k, const double *a, const double *panel, int add, double *c, size_t ldc, size_t columns);
} blocks[] = {{12, block_12}, {8, block_8}, {4, block_4}, {2, block_2}, {1, block_1}};

/* Rows of A as doubles, close together: rows a power of two apart would all fall into one set of the cache. */
TARGET static void gather_rows(size_t rows, size_t k, struct reals a, size_t lda, double *near)
{
	for (size_t i = 0; i < rows; i++, near += ROW_STEP) {
		if (a.f64) {
			memcpy(near, a.f64 + i * lda, k * sizeof *near);
			continue;
		}
		for (size_t p = 0; p < k; p += 8) {
			__mmask16 left = (__mmask16)(k - p < 8 ? (1u << (k - p)) - 1 : 0xff);
			__m512 x = _mm512_maskz_loadu_ps(left, a.f32 + i * lda + p);

			_mm512_storeu_pd(near + p, _mm512_cvtps_pd(_mm512_castps512_ps256(x)));
		}
	}
}

/* A share of the rows that come next, into the second-level cache: rows are short, and far apart. */
static void prefetch_rows(size_t from, size_t to, size_t k, struct reals a, size_t lda)
{
	size_t item = a.f64 ? sizeof *a.f64 : sizeof *a.f32;

	for (size_t i = from; i < to; i++) {
		struct reals row = reals_at(a, i * lda);
		const char *p = row.f64 ? (const char *)row.f64 : (const char *)row.f32;

		for (size_t byte = 0; byte < k * item; byte += 64)
			_mm_prefetch(p + byte, _MM_HINT_T1);
	}
}

void panel_f64_gemm(size_t m, size_t n, size_t k, struct reals a, size_t lda, const double *panels, int add, double *c,
		    size_t ldc)
{
	double near[ROWS * ROW_STEP];
	size_t row = 0;

	for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
		for (; m - row >= blocks[b].rows; row += blocks[b].rows) {
			gather_rows(blocks[b].rows, k, reals_at(a, row * lda), lda, near);
			for (size_t j = 0; j < n; j += PANEL_F64) {
				size_t next = row + blocks[b].rows, left = m - next < ROWS ? m - next : ROWS;

				prefetch_rows(next + left * j / n,
					      next + left * (j + PANEL_F64 < n ? j + PANEL_F64 : n) / n, k, a, lda);
				blocks[b].run(k, near, panels + j * k, add, c + row * ldc + j, ldc,
					      n - j < PANEL_F64 ? n - j : PANEL_F64);
			}
		}
}

/* Every block size, a last panel that is not full, both kinds of A, against plain loops. */
static int selftest(void)
{
	enum { M = 27, N = 21, K = PANEL_F64_K - 3 };
	static float a[M * K];
	static double wide[M * K], panels[2 * K * PANEL_F64], c[M * N];

	if (!__builtin_cpu_supports("avx512f"))
		return 0;
	for (int i = 0; i < M * K; i++)
		wide[i] = (double)(a[i] = (float)sin(1.0 + 0.37 * i));
	for (int k = 0; k < K; k++)
		for (int j = 0; j < N; j++)
			panels[(j / PANEL_F64 * K + k) * PANEL_F64 + j % PANEL_F64] = cos(2.0 + 0.73 * (k * N + j));
	panel_f64_gemm(M, N, K, (struct reals){.f64 = wide}, K, panels, 0, c, N);
	panel_f64_gemm(M, N, K, (struct reals){.f32 = a}, K, panels, 1, c, N);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < K; k++)
				sum += 2 * wide[i * K + k] * cos(2.0 + 0.73 * (k * N + j));
			if (!(fabs(sum - c[i * N + j]) <= 1e-12))
				return 0;
		}
	return 1;
}

int panel_f64_usable(void)
{
	static int usable = -1;

	if (usable < 0)
		usable = selftest();
	return usable;
}

#else

int panel_f64_usable(void)
{
	return 0;
}

void panel_f64_gemm(size_t m, size_t n, size_t k, struct reals a, size_t lda, const double *panels, int add, double *c,
		    size_t ldc)
{
	(void)m, (void)n, (void)k, (void)a, (void)lda, (void)panels, (void)add, (void)c, (void)ldc;
}

#endif
