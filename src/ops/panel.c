/* panel.c - see panel.h: products of bfloat16 tiles, summed in float.
 *
 * A tile is 16 rows of 64 bytes.  A is packed as tiles of 16 rows × 32 numbers of k; B as tiles of 16 pairs of k × 16
 * columns, the two numbers of a pair side by side.  A block of C is 2 × 2 tiles, 32 × 32. */
#include <math.h>
#include <string.h>

#include "ops/panel.h"

/* Tiles came with gcc 11 and clang 12 (which also says that it is gcc 4). */
#if defined(__x86_64__) && defined(__linux__) && (__GNUC__ >= 11 || __clang_major__ >= 12)

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TILE 16                    /* rows of a tile; also its floats in a row */
#define TILE_NUMBERS ((size_t)512) /* of two bytes: 16 × 32 */
#define CHUNK_STEPS ((size_t)16)   /* of PANEL_K numbers of k: 32 KiB of A */
#define TARGET_AMX __attribute__((target("amx-tile,amx-bf16,avx512f")))
#define TARGET_BF16 __attribute__((target("avx512f,avx512bf16,avx512bw,avx512vl")))

static size_t up(size_t x, size_t step)
{
	return (x + step - 1) / step * step;
}

size_t panel_size_a(size_t m, size_t k)
{
	return up(m, PANEL_ROWS) * up(k, PANEL_K);
}

size_t panel_size_b(size_t n, size_t k)
{
	return up(n, PANEL_COLS) * up(k, PANEL_K);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* 16 numbers from `at` on, or as many as there are, as bfloat16. */
TARGET_BF16 static inline __m256i row_piece(struct reals a, size_t at, size_t left, __m512i mask)
{
	__mmask16 some = left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1);
	__m512 x;

	if (a.f32) {
		x = _mm512_maskz_loadu_ps(some, a.f32 + at);
	} else {
		__m512d lo = _mm512_maskz_loadu_pd((__mmask8)some, a.f64 + at);
		__m512d hi = _mm512_maskz_loadu_pd((__mmask8)(some >> 8), a.f64 + at + 8);

		x = _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_castps_pd(_mm512_cvtpd_ps(lo))),
							_mm256_castps_pd(_mm512_cvtpd_ps(hi)), 1));
	}
	return (__m256i)_mm512_cvtneps_pbh(_mm512_castsi512_ps(_mm512_and_epi32(_mm512_castps_si512(x), mask)));
}

/* Block of 32 rows after block; in each, for every 32 of k, the upper tile and the lower one. */
TARGET_BF16 void panel_pack_a(size_t m, size_t k, struct reals a, int absolute, uint16_t *to)
{
	__m512i mask = _mm512_set1_epi32(absolute ? INT32_MAX : -1);

	for (size_t block = 0; block < m; block += PANEL_ROWS)
		for (size_t p = 0; p < k; p += PANEL_K)
			for (size_t i = block; i < block + PANEL_ROWS; i++, to += PANEL_K)
				for (size_t half = 0; half < PANEL_K; half += TILE) {
					size_t at = p + half;
					__m256i piece = i < m && at < k ? row_piece(a, i * k + at, k - at, mask)
									: _mm256_setzero_si256();

					_mm256_storeu_si256((__m256i *)(to + half), piece);
				}
}

/* 16 columns of rows k and k + 1 as pairs. */
TARGET_BF16 static inline __m512i column_pairs(const float *even, const float *odd, size_t left)
{
	__mmask16 mask = left >= TILE ? 0xffff : (__mmask16)((1u << left) - 1);
	__m512 x = even ? _mm512_maskz_loadu_ps(mask, even) : _mm512_setzero_ps();
	__m512 y = odd ? _mm512_maskz_loadu_ps(mask, odd) : _mm512_setzero_ps();
	__m512i lo = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(x));
	__m512i hi = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(y));

	return _mm512_or_si512(lo, _mm512_slli_epi32(hi, 16));
}

/* Panel of 32 columns after panel; in each, for every 32 of k, the left tile and the right one. */
TARGET_BF16 void panel_pack_b(size_t n, size_t k, const float *b, size_t ldb, uint16_t *to)
{
	for (size_t j = 0; j < n; j += PANEL_COLS)
		for (size_t p = 0; p < k; p += PANEL_K, to += 2 * TILE_NUMBERS)
			for (size_t pair = 0; pair < TILE; pair++) {
				size_t row = p + 2 * pair;
				const float *even = row < k ? b + row * ldb + j : NULL,
					    *odd = row + 1 < k ? even + ldb : NULL;
				size_t left = n - j;

				_mm512_storeu_si512(to + pair * 32, column_pairs(even, odd, left));
				if (left > TILE) {
					even = even ? even + TILE : NULL;
					odd = odd ? odd + TILE : NULL;
					_mm512_storeu_si512(to + TILE_NUMBERS + pair * 32,
							    column_pairs(even, odd, left - TILE));
				} else {
					_mm512_storeu_si512(to + TILE_NUMBERS + pair * 32, _mm512_setzero_si512());
				}
			}
}

/* ---- product ----------------------------------------------------------------------------------------------------- */

struct tile_config {
	uint8_t palette, start_row, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};

TARGET_AMX static void configure(void)
{
	struct tile_config c = {.palette = 1};

	for (int i = 0; i < 8; i++) {
		c.row_bytes[i] = 64;
		c.rows[i] = TILE;
	}
	_tile_loadconfig(&c);
}

/* c [32,32] (+)= Σ over `steps` steps of k. */
TARGET_AMX static void block(size_t steps, const uint16_t *a, const uint16_t *b, int add, float *c, size_t ldc)
{
	if (add) {
		_tile_loadd(0, c, ldc * sizeof *c);
		_tile_loadd(1, c + TILE, ldc * sizeof *c);
		_tile_loadd(2, c + TILE * ldc, ldc * sizeof *c);
		_tile_loadd(3, c + TILE * ldc + TILE, ldc * sizeof *c);
	} else {
		_tile_zero(0);
		_tile_zero(1);
		_tile_zero(2);
		_tile_zero(3);
	}
	for (; steps; steps--, a += 2 * TILE_NUMBERS, b += 2 * TILE_NUMBERS) {
		_tile_loadd(4, a, 64);
		_tile_loadd(5, a + TILE_NUMBERS, 64);
		_tile_loadd(6, b, 64);
		_tile_loadd(7, b + TILE_NUMBERS, 64);
		_tile_dpbf16ps(0, 4, 6);
		_tile_dpbf16ps(1, 4, 7);
		_tile_dpbf16ps(2, 5, 6);
		_tile_dpbf16ps(3, 5, 7);
	}
	_tile_stored(0, c, ldc * sizeof *c);
	_tile_stored(1, c + TILE, ldc * sizeof *c);
	_tile_stored(2, c + TILE * ldc, ldc * sizeof *c);
	_tile_stored(3, c + TILE * ldc + TILE, ldc * sizeof *c);
}

/* A block of C that is not whole goes through a buffer. */
static void edge_block(size_t rows, size_t cols, size_t steps, const uint16_t *a, const uint16_t *b, int add, float *c,
		       size_t ldc)
{
	float edge[PANEL_ROWS * PANEL_COLS] = {0};

	for (size_t r = 0; add && r < rows; r++)
		memcpy(edge + r * PANEL_COLS, c + r * ldc, cols * sizeof *c);
	block(steps, a, b, add, edge, PANEL_COLS);
	for (size_t r = 0; r < rows; r++)
		memcpy(c + r * ldc, edge + r * PANEL_COLS, cols * sizeof *c);
}

/* One block of rows: chunk after chunk of k, so that A stays in the first-level cache. */
static void rows_of_c(size_t rows, size_t n, size_t steps, const uint16_t *a, const uint16_t *b, float *c, size_t ldc)
{
	for (size_t first = 0; first < steps; first += CHUNK_STEPS) {
		size_t chunk = steps - first < CHUNK_STEPS ? steps - first : CHUNK_STEPS,
		       skip = first * 2 * TILE_NUMBERS;
		const uint16_t *panel = b + skip;

		for (size_t j = 0; j < n; j += PANEL_COLS, panel += steps * 2 * TILE_NUMBERS)
			if (rows == PANEL_ROWS && n - j >= PANEL_COLS)
				block(chunk, a + skip, panel, first > 0, c + j, ldc);
			else
				edge_block(rows, n - j < PANEL_COLS ? n - j : PANEL_COLS, chunk, a + skip, panel,
					   first > 0, c + j, ldc);
	}
}

TARGET_AMX void panel_gemm(size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b, float *c, size_t ldc)
{
	size_t steps = up(k, PANEL_K) / PANEL_K;

	configure();
	for (size_t i = 0; i < m; i += PANEL_ROWS, a += steps * 2 * TILE_NUMBERS)
		rows_of_c(m - i < PANEL_ROWS ? m - i : PANEL_ROWS, n, steps, a, b, c + i * ldc, ldc);
	_tile_release();
}

/* ---- self-test --------------------------------------------------------------------------------------------------- */

/* The kernel lends the large tile registers only to who asks. */
static int permitted(void)
{
	enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };

	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16") &&
	       syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

static int has_amx(void)
{
	unsigned a = 7, b = 0, c = 0, d = 0;

	__asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return (d >> 22 & 1) && (d >> 24 & 1); /* AMX-BF16, AMX-TILE */
}

static int selftest(void)
{
	enum { M = 45, N = 53, K = 519 }; /* more than one chunk */
	static double a[M * K];
	static float b[K * N], c[M * N];
	static uint16_t pa[64 * 544], pb[64 * 544];

	if (!has_amx() || !permitted() || panel_size_a(M, K) > 64 * 544 || panel_size_b(N, K) > 64 * 544)
		return 0;
	for (int i = 0; i < M * K; i++)
		a[i] = sin(1.0 + 0.37 * i);
	for (int i = 0; i < K * N; i++)
		b[i] = (float)cos(2.0 + 0.73 * i);
	panel_pack_a(M, K, (struct reals){.f64 = a}, 0, pa);
	panel_pack_b(N, K, b, N, pb);
	panel_gemm(M, N, K, pa, pb, c, N);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < K; k++)
				sum += a[i * K + k] * (double)b[k * N + j];
			if (!(fabs(sum - (double)c[i * N + j]) <= K * 0x1p-8)) /* two roundings of 2^-9 for each term */
				return 0;
		}
	return 1;
}

int panel_usable(void)
{
	static int usable = -1;

	if (usable < 0)
		usable = selftest();
	return usable;
}

#else

int panel_usable(void)
{
	return 0;
}

size_t panel_size_a(size_t m, size_t k)
{
	return m * k;
}

size_t panel_size_b(size_t n, size_t k)
{
	return n * k;
}

void panel_pack_a(size_t m, size_t k, struct reals a, int absolute, uint16_t *to)
{
	(void)m, (void)k, (void)a, (void)absolute, (void)to;
}

void panel_pack_b(size_t n, size_t k, const float *b, size_t ldb, uint16_t *to)
{
	(void)n, (void)k, (void)b, (void)ldb, (void)to;
}

void panel_gemm(size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b, float *c, size_t ldc)
{
	(void)m, (void)n, (void)k, (void)a, (void)b, (void)c, (void)ldc;
}

#endif
