/* rounding.c - see rounding.h. */
#include "ops/noise/rounding.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/rng.h"

#define NEVER_SEEN 1e-30 /* an absolute error that nobody sees */

/* 64 coins for a block of elements. */
static inline uint64_t coins_of(uint64_t seed, uint64_t block)
{
	return rng_mix(seed + block * RNG_STEP);
}

/* d[l] ± size for the lanes of one element: coin l, from the top, becomes the sign bit. */
static void move_lanes(float *d, float size, uint32_t coins, size_t lanes, int add)
{
	union {
		float f;
		uint32_t u;
	} exact = {.f = size}, move;

	for (size_t l = 0; l < lanes; l++) {
		move.u = exact.u ^ ((coins << l) & UINT32_C(0x80000000));
		d[l] = add ? d[l] + move.f : move.f;
	}
}

typedef float float16 __attribute__((vector_size(64)));
typedef uint32_t word16 __attribute__((vector_size(64)));

/* Elements 2p and 2p + 1 of a block of eight, the usual eight lanes each: bytes 2p and 2p + 1 of the coins. */
static inline __attribute__((always_inline)) void move_pair(float *d, const float *sizes, uint64_t coins, int add)
{
	const word16 shift = {24, 25, 26, 27, 28, 29, 30, 31, 16, 17, 18, 19, 20, 21, 22, 23};
	const float a = sizes[0], b = sizes[1];
	word16 sign = (((uint32_t)coins + (word16){0}) << shift) & UINT32_C(0x80000000);
	float16 size = {a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b}, move = (float16)((word16)size ^ sign), lanes;

	memcpy(&lanes, d, sizeof lanes);
	lanes = add ? lanes + move : move;
	memcpy(d, &lanes, sizeof lanes);
}

/* The usual eight lanes: eight elements share a draw. */
static inline __attribute__((always_inline)) void apply_8(uint64_t seed, const float *sizes, float *d, size_t first,
							  size_t n, int add)
{
	size_t i = first, end = first + n;

	while (i < end) {
		uint64_t coins = coins_of(seed, i / 8) >> (i % 8 * 8);
		size_t stop = i / 8 * 8 + 8 < end ? i / 8 * 8 + 8 : end;

		for (; i + 2 <= stop; i += 2, sizes += 2, d += 16, coins >>= 16)
			move_pair(d, sizes, coins, add);
		if (i < stop) {
			move_lanes(d, *sizes, (uint32_t)coins << 24, 8, add);
			i++, sizes++, d += 8;
		}
	}
}

static void apply_any(uint64_t seed, const float *sizes, float *d, size_t first, size_t n, size_t lanes, int add)
{
	for (size_t i = 0; i < n; i++)
		for (size_t l = 0; l < lanes; l += 32)
			move_lanes(d + i * lanes + l, sizes[i],
				   (uint32_t)(coins_of(seed, 2 * (first + i) + l / 32) >> 32),
				   lanes - l < 32 ? lanes - l : 32, add);
}

CLONES void rounding_apply(uint64_t seed, const float *sizes, float *d, size_t first, size_t n, size_t lanes, int add)
{
	if (lanes != 8)
		apply_any(seed, sizes, d, first, n, lanes, add);
	else if (add)
		apply_8(seed, sizes, d, first, n, 1);
	else
		apply_8(seed, sizes, d, first, n, 0);
}

CLONES void rounding_vary(float *sizes, size_t first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t fraction =
			(uint32_t)(first + i) * UINT32_C(2654435769); /* multiples of the golden ratio: evenly spread */

		sizes[i] *= 0.35f + 0.7f * ((float)(fraction >> 8) * 0x1p-24f);
	}
}

CLONES static void add_common(const float *sizes, const float *common, float *d, size_t n, size_t lanes)
{
	for (size_t i = 0; i < n; i++)
		for (size_t l = 0; l < lanes; l++)
			d[i * lanes + l] += sizes[i] * common[l];
}

/* The common part in pieces of lanes: uniform, of variance 1. */
static void drift_lanes(const struct rounding *r, const float *sizes, float *d, size_t n, size_t lanes)
{
	float common[64];

	for (size_t l = 0; l < lanes && l < sizeof common / sizeof *common; l++)
		common[l] = (float)((ldexp((double)(coins_of(~r->seed, l) >> 11), -52) - 1) * sqrt(3.0));
	add_common(sizes, common, d, n, lanes);
}

void rounding_move(const struct rounding *r, float *d, size_t first, size_t n, size_t lanes, int add)
{
	rounding_apply(r->seed, r->sizes + first, d, first, n, lanes, add);
	if (r->drifts)
		drift_lanes(r, r->sizes + first, d, n, lanes);
}

/* `lost`: numbers below may be taken for 0, and so may what is summed of such. */
CLONES static void sizes_from(const double *scale, double factor, const double least_lost[2], size_t n, float *sizes)
{
	double least = least_lost[0], lost = least_lost[1];

	for (size_t i = 0; i < n; i++) {
		double all = fabs(scale[i]), size = factor * all, gone = all < lost ? all : lost;

		size = size < gone && size > 0 ? gone : size;
		size = size < least && size > 0 ? least : size;
		sizes[i] = size <= FLT_MAX ? (float)size : 0.0f;
	}
}

void rounding_sizes(enum dtype t, double factor, const double *scale, size_t n, float *sizes)
{
	double u = dtype_roundoff(t), smallest = dtype_smallest(t), least = 2 * u * smallest;
	double least_lost[] = {least > FLT_TRUE_MIN ? least : FLT_TRUE_MIN, smallest < NEVER_SEEN ? smallest : 0};

	sizes_from(scale, u * factor, least_lost, n, sizes);
}

void rounding_add_floor(enum dtype t, double floor, size_t n, float *sizes)
{
	float size = (float)(floor * fmin(dtype_roundoff(t), dtype_roundoff(DT_FLOAT)));

	for (size_t i = 0; i < n; i++)
		sizes[i] += size;
}
