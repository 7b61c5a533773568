/* smallfloat.c - see smallfloat.h.
 *
 * Doubles are taken apart and put together by their bits: that is exact, keeps the sign and the payload of NaN, and is
 * several times faster than frexp() and ldexp(). */
#include "tensor/smallfloat.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DOUBLE_MBITS 52
#define DOUBLE_BIAS 1023
#define DOUBLE_EXP_MASK 0x7ffu

static const struct smallfloat formats[DT_COUNT] = {
	[DT_FLOAT] = {SMALLFLOAT_IEEE, 8, 23, 127, FLT_MAX},  [DT_DOUBLE] = {SMALLFLOAT_IEEE, 11, 52, 1023, DBL_MAX},
	[DT_FLOAT16] = {SMALLFLOAT_IEEE, 5, 10, 15, 65504},   [DT_BFLOAT16] = {SMALLFLOAT_IEEE, 8, 7, 127, 0x1.fep127},
	[DT_FLOAT8E4M3FN] = {SMALLFLOAT_FN, 4, 3, 7, 448},    [DT_FLOAT8E4M3FNUZ] = {SMALLFLOAT_FNUZ, 4, 3, 8, 240},
	[DT_FLOAT8E5M2] = {SMALLFLOAT_IEEE, 5, 2, 15, 57344}, [DT_FLOAT8E5M2FNUZ] = {SMALLFLOAT_FNUZ, 5, 2, 16, 57344},
	[DT_FLOAT4E2M1] = {SMALLFLOAT_FINITE, 2, 1, 1, 6},    [DT_FLOAT6E2M3] = {SMALLFLOAT_FINITE, 2, 3, 1, 7.5},
	[DT_FLOAT6E3M2] = {SMALLFLOAT_FINITE, 3, 2, 3, 28},   [DT_FLOAT8E8M0] = {SMALLFLOAT_SCALE, 8, 0, 127, 0x1p127},
};

const struct smallfloat *smallfloat_of(enum dtype t)
{
	return (unsigned)t < DT_COUNT && formats[t].ebits ? &formats[t] : NULL;
}

static uint64_t bits_of(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof u);
	return u;
}

static double from_bits(uint64_t u)
{
	double x;

	memcpy(&x, &u, sizeof x);
	return x;
}

/* 2^k for k in -1022 … 1023. */
static double pow2(int k)
{
	return from_bits((uint64_t)(k + DOUBLE_BIAS) << DOUBLE_MBITS);
}

/* Exponent of the smallest normal value. */
static int min_exponent(const struct smallfloat *f)
{
	return f->kind == SMALLFLOAT_SCALE ? -f->bias : 1 - f->bias;
}

double smallfloat_smallest(const struct smallfloat *f)
{
	return pow2(min_exponent(f));
}

double smallfloat_roundoff(const struct smallfloat *f)
{
	return pow2(-f->mbits - 1);
}

/* A finite a >= 0 to the nearest multiple of its unit in the last place, ties to the even multiple, as if exponents had
 * no upper end.  Both scalings are by powers of two and exact, so this rounds once. */
static double quantise(const struct smallfloat *f, double a)
{
	int e = (int)((bits_of(a) >> DOUBLE_MBITS) & DOUBLE_EXP_MASK) - DOUBLE_BIAS;
	int unit;

	if (e < min_exponent(f))
		e = min_exponent(f);
	unit = e - f->mbits;
	return rint(a * pow2(-unit)) * pow2(unit);
}

/* A value that is out of range at the upper end. */
static double overflowed(const struct smallfloat *f, int saturate)
{
	if (saturate || f->kind == SMALLFLOAT_FINITE)
		return f->max;
	return f->kind == SMALLFLOAT_IEEE ? INFINITY : NAN;
}

double smallfloat_round(const struct smallfloat *f, double x, int saturate)
{
	double a = fabs(x);

	if (isnan(x)) /* formats without NaN take it to negative zero, as the ml_dtypes package of ONNX does */
		return f->kind == SMALLFLOAT_FINITE ? -0.0 : x;
	if (f->kind == SMALLFLOAT_SCALE) {
		if (x < 0)
			return NAN;
		if (a < smallfloat_smallest(f)) /* 0 too: table of Cast, FLOAT8E8M0 */
			return saturate ? smallfloat_smallest(f) : NAN;
	}
	if (!isinf(a))
		a = quantise(f, a);
	if (a > f->max)
		a = overflowed(f, saturate);
	if (f->kind == SMALLFLOAT_FNUZ && a == 0)
		return 0;
	return copysign(a, x);
}

/* IEEE: the top mbits of the payload, and never the code of infinity. */
static uint32_t nan_code(const struct smallfloat *f, double x)
{
	int magnitude_bits = f->ebits + f->mbits;
	uint32_t sign = (uint32_t) !!signbit(x) << magnitude_bits;
	uint32_t all = (UINT32_C(1) << magnitude_bits) - 1;
	uint32_t payload;

	switch (f->kind) {
	case SMALLFLOAT_FNUZ:
		return all + 1;
	case SMALLFLOAT_SCALE:
		return all;
	case SMALLFLOAT_IEEE:
		payload = (uint32_t)(bits_of(x) >> (DOUBLE_MBITS - f->mbits)) & ((UINT32_C(1) << f->mbits) - 1);
		if (!payload)
			payload = UINT32_C(1) << (f->mbits - 1);
		return sign | (all >> f->mbits << f->mbits) | payload;
	default:
		return sign | all;
	}
}

uint32_t smallfloat_encode(const struct smallfloat *f, double x)
{
	double r = smallfloat_round(f, x, 0);
	double a = fabs(r);
	int magnitude_bits = f->ebits + f->mbits;
	uint32_t sign = (uint32_t) !!signbit(r) << magnitude_bits;

	if (isnan(r))
		return nan_code(f, r);
	if (isinf(r))
		return sign | ((UINT32_C(1) << f->ebits) - 1) << f->mbits;
	if (a < smallfloat_smallest(f))
		return sign | (uint32_t)(a * pow2(f->mbits - min_exponent(f)));
	/* a fits the format, so the low bits of its mantissa are zero; only the bias differs */
	return sign |
	       (uint32_t)((bits_of(a) >> (DOUBLE_MBITS - f->mbits)) - ((uint64_t)(DOUBLE_BIAS - f->bias) << f->mbits));
}

/* NaN and infinity: 1 and *out when the code is one of them. */
static int decode_special(const struct smallfloat *f, uint32_t sign, uint32_t magnitude, double *out)
{
	uint32_t all = (UINT32_C(1) << (f->ebits + f->mbits)) - 1;
	uint64_t bits = (uint64_t)sign << 63 | (uint64_t)DOUBLE_EXP_MASK << DOUBLE_MBITS;
	uint64_t quiet = UINT64_C(1) << (DOUBLE_MBITS - 1);

	switch (f->kind) {
	case SMALLFLOAT_IEEE:
		if (magnitude >> f->mbits != (UINT32_C(1) << f->ebits) - 1)
			return 0;
		bits |= (uint64_t)(magnitude & ((UINT32_C(1) << f->mbits) - 1)) << (DOUBLE_MBITS - f->mbits);
		break;
	case SMALLFLOAT_FNUZ:
		if (!sign || magnitude)
			return 0;
		bits |= quiet;
		break;
	case SMALLFLOAT_FN:
	case SMALLFLOAT_SCALE:
		if (magnitude != all)
			return 0;
		bits |= quiet;
		break;
	default:
		return 0;
	}
	*out = from_bits(bits);
	return 1;
}

double smallfloat_decode(const struct smallfloat *f, uint32_t code)
{
	int magnitude_bits = f->ebits + f->mbits;
	uint32_t sign = f->kind == SMALLFLOAT_SCALE ? 0 : code >> magnitude_bits & 1;
	uint32_t magnitude = code & ((UINT32_C(1) << magnitude_bits) - 1);
	uint64_t bits;
	double special;

	if (decode_special(f, sign, magnitude, &special))
		return special;
	if (magnitude >> f->mbits || f->kind == SMALLFLOAT_SCALE)
		bits = (magnitude + ((uint64_t)(DOUBLE_BIAS - f->bias) << f->mbits)) << (DOUBLE_MBITS - f->mbits);
	else
		bits = bits_of(magnitude * pow2(min_exponent(f) - f->mbits));
	return from_bits(bits | (uint64_t)sign << 63);
}
