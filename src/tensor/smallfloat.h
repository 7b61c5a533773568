/* smallfloat.h - binary floating-point formats described by parameters, and one codec for all of them.
 *
 * A code is, from the top: a sign bit (none in SMALLFLOAT_SCALE), ebits of exponent with a bias, mbits of mantissa.
 * With exponent field E and mantissa field M the value is
 *
 *     E > 0:  (1 + M / 2^mbits) * 2^(E - bias)          E = 0:  (M / 2^mbits) * 2^(1 - bias)
 *
 * apart from what the kind of the format takes out for infinities and NaN.  Rounding goes from double to the format in
 * one step: a detour through float32 would round twice. */
#ifndef TENSOR_SMALLFLOAT_H
#define TENSOR_SMALLFLOAT_H

#include <stdint.h>

#include "tensor/dtype.h"

enum smallfloat_kind {
	SMALLFLOAT_IEEE,   /* the highest exponent holds infinity and NaN */
	SMALLFLOAT_FN,     /* no infinity; NaN is the code with all bits but the sign set */
	SMALLFLOAT_FNUZ,   /* no infinity, no negative zero; NaN is the code where that would be */
	SMALLFLOAT_FINITE, /* neither infinity nor NaN: overflow always saturates */
	SMALLFLOAT_SCALE   /* powers of two only: no sign, no zero, no subnormals; NaN is the highest code */
};

struct smallfloat {
	enum smallfloat_kind kind;
	int ebits, mbits, bias;
	double max; /* largest finite value */
};

/* The format of a float type, float32 and float64 included; NULL for other types. */
const struct smallfloat *smallfloat_of(enum dtype t);

double smallfloat_smallest(const struct smallfloat *f); /* smallest positive normal value */
double smallfloat_roundoff(const struct smallfloat *f); /* half a unit in the last place of 1 */

/* The three below are not for float64, whose mantissa leaves no room to round in. */
double smallfloat_round(const struct smallfloat *f, double x, int saturate); /* as dtype_round() */
double smallfloat_decode(const struct smallfloat *f, uint32_t code);
uint32_t smallfloat_encode(const struct smallfloat *f, double x); /* rounds, does not saturate */

#endif
