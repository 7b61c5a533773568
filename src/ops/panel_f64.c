/* panel_f64.c - products of doubles with AVX-512, over columns that lie in panels.
 *
 * A convolution writes the columns of its windows straight into the layout that this loop reads, so that nothing is
 * packed twice as it is in front of a general matrix product. */
#include "ops/panel_f64.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define ROWS 12 /* of A at once: 12 × 2 sums, 2 columns of B and a broadcast fit the 32 registers */
#define CHUNK_STEP (CHUNK + 8)
#define CHUNK 256 /* of k: a block of A stays in the first-level cache */
#define TARGET __attribute__((target("avx512f")))

/* `rows` rows of C for one panel: c[i][0…15] (+)= Σ_k a[i][k] · panel[k][0…15], rows of a CHUNK_STEP apart.  rows is a
 * constant where this is inlined, and the loops over it are unrolled, so that the sums become registers. */
TARGET static inline __attribute__((always_inline)) void block(int rows, size_t k, const double *a, const double *panel,
							       int add, double *c, size_t ldc)
{
	__m512d lo[ROWS], hi[ROWS];

#pragma GCC unroll 12
	for (int i = 0; i < rows; i++) {
		lo[i] = add ? _mm512_loadu_pd(c + (size_t)i * ldc) : _mm512_setzero_pd();
		hi[i] = add ? _mm512_loadu_pd(c + (size_t)i * ldc + 8) : _mm512_setzero_pd();
	}
	for (size_t p = 0; p < k; p++, panel += PANEL_F64) {
		__m512d b0 = _mm512_loadu_pd(panel), b1 = _mm512_loadu_pd(panel + 8);

#pragma GCC unroll 12
		for (int i = 0; i < rows; i++) {
			__m512d x = _mm512_set1_pd(a[i * CHUNK_STEP + p]);

			lo[i] = _mm512_fmadd_pd(x, b0, lo[i]);
			hi[i] = _mm512_fmadd_pd(x, b1, hi[i]);
		}
	}
#pragma GCC unroll 12
	for (int i = 0; i < rows; i++) {
		_mm512_storeu_pd(c + (size_t)i * ldc, lo[i]);
		_mm512_storeu_pd(c + (size_t)i * ldc + 8, hi[i]);
	}
}

#define BLOCK(n)                                                                                                     \
	TARGET static void block_##n(size_t k, const double *a, const double *panel, int add, double *c, size_t ldc) \
	{                                                                                                            \
		block(n, k, a, panel, add, c, ldc);                                                                  \
	}
BLOCK(1)
BLOCK(2)
BLOCK(4)
BLOCK(8)
BLOCK(12)

typedef void block_fn(size_t k, const double *a, const double *panel, int add, double *c, size_t ldc);

static const struct {
	size_t rows;
	block_fn *run;
} blocks[] = {{12, block_12}, {8, block_8}, {4, block_4}, {2, block_2}, {1, block_1}};

/* One chunk of k, all panels.  The last panel goes through a buffer when it is not full. */
static void chunk_of_c(size_t rows, block_fn *run, size_t n, size_t k, size_t chunk, const double *a,
		       const double *panels, int add, double *c, size_t ldc)
{
	double edge[ROWS * PANEL_F64] = {0};

	for (size_t j = 0; j < n; j += PANEL_F64, panels += k * PANEL_F64) {
		size_t columns = n - j < PANEL_F64 ? n - j : PANEL_F64;

		if (columns == PANEL_F64) {
			run(chunk, a, panels, add, c + j, ldc);
			continue;
		}
		for (size_t i = 0; add && i < rows; i++)
			memcpy(edge + i * PANEL_F64, c + i * ldc + j, columns * sizeof *c);
		run(chunk, a, panels, add, edge, PANEL_F64);
		for (size_t i = 0; i < rows; i++)
			memcpy(c + i * ldc + j, edge + i * PANEL_F64, columns * sizeof *c);
	}
}

/* A block of rows of C.  The rows of A are copied, a chunk of k at a time: rows a power of two apart would all fall
 * into one set of the first-level cache. */
static void rows_of_c(size_t rows, block_fn *run, size_t n, size_t k, const double *a, const double *panels, double *c,
		      size_t ldc)
{
	double near[ROWS * CHUNK_STEP];

	for (size_t first = 0; first < k; first += CHUNK) {
		size_t chunk = k - first < CHUNK ? k - first : CHUNK;

		for (size_t i = 0; i < rows; i++)
			memcpy(near + i * CHUNK_STEP, a + i * k + first, chunk * sizeof *near);
		chunk_of_c(rows, run, n, k, chunk, near, panels + first * PANEL_F64, first > 0, c, ldc);
	}
}

void panel_f64_gemm(size_t m, size_t n, size_t k, const double *a, const double *panels, double *c, size_t ldc)
{
	for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
		for (; m >= blocks[b].rows; m -= blocks[b].rows) {
			rows_of_c(blocks[b].rows, blocks[b].run, n, k, a, panels, c, ldc);
			a += blocks[b].rows * k;
			c += blocks[b].rows * ldc;
		}
}

/* Every block size, and a last panel that is not full, against plain loops. */
static int selftest(void)
{
	enum { M = 27, N = 21, K = CHUNK + 19 };
	static double a[M * K], panels[2 * K * PANEL_F64], c[M * N];

	if (!__builtin_cpu_supports("avx512f"))
		return 0;
	for (int i = 0; i < M * K; i++)
		a[i] = sin(1.0 + 0.37 * i);
	for (int k = 0; k < K; k++)
		for (int j = 0; j < N; j++)
			panels[(j / PANEL_F64 * K + k) * PANEL_F64 + j % PANEL_F64] = cos(2.0 + 0.73 * (k * N + j));
	panel_f64_gemm(M, N, K, a, panels, c, N);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < K; k++)
				sum += a[i * K + k] * cos(2.0 + 0.73 * (k * N + j));
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

void panel_f64_gemm(size_t m, size_t n, size_t k, const double *a, const double *panels, double *c, size_t ldc)
{
	(void)m, (void)n, (void)k, (void)a, (void)panels, (void)c, (void)ldc;
}

#endif
