/* panel.c - see panel.h: products of bfloat16 tiles, summed in float.
 *
 * A tile is 16 rows of 64 bytes.  A is packed as tiles of 16 rows × 32 numbers of k; B as tiles of 16 pairs of k × 16
 * columns, the two numbers of a pair side by side.  A block of C is 2 × 2 tiles, 32 × 32. */
#include <math.h>
#include <string.h>

#include "ops/engine/panel.h"

/* Tiles came with gcc 11 and clang 12 (which also says that it is gcc 4). */
#if defined(__x86_64__) && defined(__linux__) && (__GNUC__ >= 11 || __clang_major__ >= 12)

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TILE 16                    /* rows of a tile; also its floats in a row */
#define TILE_NUMBERS ((size_t)512) /* of two bytes: 16 × 32 */
#define CHUNK_STEPS ((size_t)16)   /* of PANEL_K numbers of k: 32 KiB of A */
#define AHEAD (4 * TILE_NUMBERS)   /* panels come from the second-level cache */
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

/* 16 floats `stride` apart as bfloat16. */
TARGET_BF16 static inline __m256i spaced_piece(const float *a, int stride, __m512i mask)
{
	__m512i at = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
					_mm512_set1_epi32(stride));
	__m512i x = _mm512_castps_si512(_mm512_i32gather_ps(at, a, sizeof *a));

	return (__m256i)_mm512_cvtneps_pbh(_mm512_castsi512_ps(_mm512_and_epi32(x, mask)));
}

TARGET_BF16 void panel_pack_weights(size_t m, size_t channels, size_t kernel, const float *w, int absolute,
				    uint16_t *to)
{
	__m512i mask = _mm512_set1_epi32(absolute ? INT32_MAX : -1);
	size_t offset_step = channels / PANEL_K * 2 * TILE_NUMBERS; /* from one offset into the kernel to the next */

	for (size_t block = 0; block < m; block += PANEL_ROWS, to += kernel * offset_step)
		for (size_t c = 0; c < channels; c += TILE)
			for (size_t row = 0; row < PANEL_ROWS; row++) {
				const float *from = w + ((block + row) * channels + c) * kernel;
				uint16_t *piece = to + c / PANEL_K * 2 * TILE_NUMBERS + row * PANEL_K + c % PANEL_K;

				for (size_t k = 0; k < kernel; k++, piece += offset_step)
					_mm256_storeu_si256((__m256i *)piece,
							    block + row < m ? spaced_piece(from + k, (int)kernel, mask)
									    : _mm256_setzero_si256());
			}
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

TARGET_BF16 void panel_pairs(size_t rows, size_t n, const float *x, uint32_t *to)
{
	for (size_t row = 0; row < rows; row += 2, x += 2 * n, to += n)
		for (size_t j = 0; j < n; j += TILE) {
			__mmask16 some = n - j >= TILE ? 0xffff : (__mmask16)((1u << (n - j)) - 1);

			_mm512_mask_storeu_epi32(to + j, some, column_pairs(x + j, x + n + j, n - j));
		}
}

/* A right tile without columns stays as it is: so do the columns of C that it would give. */
void panel_put_pairs(size_t n, size_t k, size_t row, const uint32_t *pairs, uint16_t *to)
{
	uint16_t *at = to + row / PANEL_K * 2 * TILE_NUMBERS + row % PANEL_K / 2 * PANEL_K;

	for (size_t j = 0; j < n; j += TILE) {
		uint16_t *piece = at + j / PANEL_COLS * k * PANEL_COLS + j % PANEL_COLS / TILE * TILE_NUMBERS;

		if (n - j >= TILE) {
			memcpy(piece, pairs + j, TILE * sizeof *pairs);
			continue;
		}
		memset(piece, 0, TILE * sizeof *pairs);
		memcpy(piece, pairs + j, (n - j) * sizeof *pairs);
	}
}

/* ---- product ----------------------------------------------------------------------------------------------------- */

struct tile_config {
	uint8_t palette, start_row, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};

/* Static: compilers believe that _tile_loadconfig() reads a few bytes only, and may not write the others of a local. */
static const struct tile_config all_tiles = {
	.palette = 1,
	.row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
	.rows = {TILE, TILE, TILE, TILE, TILE, TILE, TILE, TILE},
};

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
#pragma GCC unroll 32
		for (size_t row = 0; row < 2 * TILE; row++)
			_mm_prefetch((const char *)(b + AHEAD + row * PANEL_K), _MM_HINT_T0);
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

/* A block of C that is not whole. */
struct edge {
	float *c;
	size_t ldc, rows, cols;
};

/* It goes through a buffer. */
static void edge_block(size_t steps, const uint16_t *a, const uint16_t *b, int add, const struct edge *to)
{
	float whole[PANEL_ROWS * PANEL_COLS] = {0};

	for (size_t r = 0; add && r < to->rows; r++)
		memcpy(whole + r * PANEL_COLS, to->c + r * to->ldc, to->cols * sizeof *to->c);
	block(steps, a, b, add, whole, PANEL_COLS);
	for (size_t r = 0; r < to->rows; r++)
		memcpy(to->c + r * to->ldc, whole + r * PANEL_COLS, to->cols * sizeof *to->c);
}

/* One block of rows: chunk after chunk of k, so that A stays in the first-level cache. */
static void rows_of_c(size_t rows, size_t n, size_t steps, const uint16_t *a, const uint16_t *b, float *c, size_t ldc)
{
	for (size_t first = 0; first < steps; first += CHUNK_STEPS) {
		size_t chunk = steps - first < CHUNK_STEPS ? steps - first : CHUNK_STEPS,
		       skip = first * 2 * TILE_NUMBERS;
		const uint16_t *panel = b + skip;

		for (size_t j = 0; j < n; j += PANEL_COLS, panel += steps * 2 * TILE_NUMBERS) {
			const struct edge part = {
				.c = c + j, .ldc = ldc, .rows = rows, .cols = n - j < PANEL_COLS ? n - j : PANEL_COLS};

			if (rows == PANEL_ROWS && part.cols == PANEL_COLS)
				block(chunk, a + skip, panel, first > 0, c + j, ldc);
			else
				edge_block(chunk, a + skip, panel, first > 0, &part);
		}
	}
}

TARGET_AMX void panel_gemm(size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b, float *c, size_t ldc)
{
	size_t steps = up(k, PANEL_K) / PANEL_K;

	_tile_loadconfig(&all_tiles);
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

enum { TEST_M = 35, TEST_N = 37, TEST_K = 519, TEST_SIZE = 64 * 544 }; /* more than one chunk */

/* Too large for the stack of a host's thread; engine_init() runs the test once. */
static struct {
	double a[TEST_M * TEST_K];
	float b[TEST_K * TEST_N], c[TEST_M * TEST_N], w[TEST_M * TEST_K];
	uint32_t pairs[TEST_K / 2 * TEST_N];
	uint16_t pa[TEST_SIZE], pb[TEST_SIZE];
} test;

/* C = A B with A [m, k], or W [m, channels, kernel] and k = channels · kernel. */
static int agrees(size_t channels, size_t kernel)
{
	size_t k = channels * kernel;

	for (size_t i = 0; i < TEST_M; i++)
		for (size_t j = 0; j < TEST_N; j++) {
			double sum = 0, got = (double)test.c[i * TEST_N + j];

			for (size_t p = 0; p < k; p++)
				sum += test.a[i * k + p % channels * kernel + p / channels] *
				       (double)test.b[p * TEST_N + j];
			if (!(fabs(sum - got) <= (double)k * 0x1p-8)) /* twice 2^-9 each term */
				return 0;
		}
	return 1;
}

/* The way of windows: as many channels and offsets as there are numbers for. */
static int selftest_pairs(void)
{
	enum { CHANNELS = 2 * PANEL_K, KERNEL = TEST_K / CHANNELS, K = CHANNELS * KERNEL };

	for (size_t i = 0; i < TEST_M * K; i++)
		test.w[i] = (float)test.a[i];
	panel_pack_weights(TEST_M, CHANNELS, KERNEL, test.w, 0, test.pa);
	panel_pairs(K, TEST_N, test.b, test.pairs);
	for (size_t row = 0; row < K; row += 2)
		panel_put_pairs(TEST_N, K, row, test.pairs + row / 2 * TEST_N, test.pb);
	panel_gemm(TEST_M, TEST_N, K, test.pa, test.pb, test.c, TEST_N);
	return agrees(CHANNELS, KERNEL);
}

int panel_selftest(void)
{
	if (!has_amx() || !permitted() || panel_size_a(TEST_M, TEST_K) > TEST_SIZE ||
	    panel_size_b(TEST_N, TEST_K) > TEST_SIZE)
		return 0;
	for (int i = 0; i < TEST_M * TEST_K; i++)
		test.a[i] = sin(1.0 + 0.37 * i);
	for (int i = 0; i < TEST_K * TEST_N; i++)
		test.b[i] = (float)cos(2.0 + 0.73 * i);
	panel_pack_a(TEST_M, TEST_K, (struct reals){.f64 = test.a}, 0, test.pa);
	panel_pack_b(TEST_N, TEST_K, test.b, TEST_N, test.pb);
	panel_gemm(TEST_M, TEST_N, TEST_K, test.pa, test.pb, test.c, TEST_N);
	return agrees(TEST_K, 1) && selftest_pairs();
}

#else

int panel_selftest(void)
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

void panel_pack_weights(size_t m, size_t channels, size_t kernel, const float *w, int absolute, uint16_t *to)
{
	(void)m, (void)channels, (void)kernel, (void)w, (void)absolute, (void)to;
}

void panel_pairs(size_t rows, size_t n, const float *x, uint32_t *to)
{
	(void)rows, (void)n, (void)x, (void)to;
}

void panel_put_pairs(size_t n, size_t k, size_t row, const uint32_t *pairs, uint16_t *to)
{
	(void)n, (void)k, (void)row, (void)pairs, (void)to;
}

void panel_gemm(size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b, float *c, size_t ldc)
{
	(void)m, (void)n, (void)k, (void)a, (void)b, (void)c, (void)ldc;
}

#endif
