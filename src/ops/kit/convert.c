/* convert.c - numbers from one type to another, as Cast does. */
#include "ops/kit/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- integers and floats ----------------------------------------------------------------------------------------- */

#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

int64_t convert_float_to_int(double x)
{
	uint64_t magnitude;

	if (!isfinite(x))
		return 0;
	if (fabs(x) < TWO_63)
		return (int64_t)x;
	magnitude = (uint64_t)fmod(fabs(x), TWO_64);
	return (int64_t)(x < 0 ? 0 - magnitude : magnitude);
}

int64_t convert_float_to(double x, enum dtype to)
{
	if (to == DT_BOOL)
		return x != 0;
	return convert_float_to_int(x);
}

int convert_fits(double x, enum dtype to)
{
	double high = dtype_max(to) + 1; /* of 64 bits as a float the largest is that already */
	double low = dtype_is_unsigned(to) ? 0 : -high;

	return trunc(x) >= low && trunc(x) < high;
}

double convert_int_to_double(enum dtype from, int64_t x)
{
	return from == DT_UINT64 ? (double)(uint64_t)x : (double)x;
}

/* Rounding to double first and to the type then may round twice.  So the magnitude's bits below the top 53 are folded
 * into one sticky bit, with which double holds it exactly; the types in question have less than 53 - 2 bits. */
double convert_int_to_float(enum dtype from, int64_t x, enum dtype to)
{
	int negative = x < 0 && from != DT_UINT64;
	uint64_t u = negative ? 0 - (uint64_t)x : (uint64_t)x;

	if (to == DT_DOUBLE)
		return convert_int_to_double(from, x);
	if (u >> 53)
		u = (u & ~UINT64_C(0x7ff)) | (u & 0x7ff ? 0x800 : 0);
	return convert_float(negative ? -(double)u : (double)u, to, 1, CONVERT_UP);
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

int convert_is_exact(enum dtype from, enum dtype to)
{
	return from == to ||
	       (from != DT_FLOAT8E8M0 && to != DT_FLOAT8E8M0 && dtype_roundoff(to) <= dtype_roundoff(from) &&
		dtype_max(to) >= dtype_max(from) && dtype_smallest(to) <= dtype_smallest(from));
}

/* Powers of two from 2^-127 to 2^127, and NaN.  Negative numbers are left open by ONNX: NaN. */
static double to_e8m0(double x, int saturate, enum convert_round round)
{
	const double least = 0x1p-127, most = 0x1p127;
	double fraction;
	int exponent;

	if (isnan(x) || x < 0)
		return (double)NAN;
	if (x < least || x > most)
		return !saturate ? (double)NAN : x < least ? least : most;
	fraction = frexp(x, &exponent); /* x = fraction * 2^exponent, fraction in [1/2, 1) */
	if (fraction == 0.5 || round == CONVERT_DOWN || (round == CONVERT_NEAREST && fraction < 0.75))
		exponent--;
	return ldexp(1, exponent);
}

double convert_float(double x, enum dtype to, int saturate, enum convert_round round)
{
	size_t bits = dtype_bits(to);

	if (to == DT_FLOAT8E8M0)
		return to_e8m0(x, saturate, round);
	if (bits > 8)
		return dtype_round(to, x, 0);
	if (bits < 8) /* `saturate` does not speak of them, and they have neither infinity nor NaN */
		saturate = 1;
	if (saturate && isinf(x))
		return copysign(dtype_max(to), x);
	return dtype_round(to, x, saturate);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static int special_text(const char *text, double *out)
{
	const char *word = *text == '+' || *text == '-' ? text + 1 : text;

	if (!strcasecmp(word, "inf"))
		*out = *text == '-' ? (double)-INFINITY : (double)INFINITY;
	else if (!strcasecmp(word, "nan"))
		*out = (double)NAN;
	else
		return -1;
	return 0;
}

int convert_text_to_float(struct bytes text, double *out)
{
	char *end;
	double x;

	if (!text.n || memchr(text.p, 0, text.n))
		return -1;
	if (!special_text(text.p, out))
		return 0;
	/* strtod() would also take hexadecimal numbers, leading blanks and "infinity" */
	if (strspn(text.p, "+-.0123456789eE") != text.n)
		return -1;
	x = strtod(text.p, &end);
	if (end != text.p + text.n)
		return -1;
	*out = x;
	return 0;
}

int convert_text_to_int(struct bytes text, enum dtype to, int64_t *out)
{
	double x;
	char *end;
	int64_t whole;

	if (convert_text_to_float(text, &x))
		return -1;
	errno = 0;
	if (to == DT_UINT64 && text.p[0] != '-')
		whole = (int64_t)strtoull(text.p, &end, 10);
	else
		whole = strtoll(text.p, &end, 10);
	if (!errno && end == text.p + text.n)
		*out = to == DT_BOOL ? whole != 0 : whole;
	else
		*out = convert_float_to(x, to);
	return 0;
}

/* digits "d…" with the point after the first one, times 10^exponent, in plain notation */
static size_t plain_text(int negative, const char *digits, int exponent, char *out, size_t size)
{
	const char *sign = negative ? "-" : "";
	char zeros[CONVERT_TEXT_SIZE];
	int n = (int)strlen(digits), len;

	memset(zeros, '0', sizeof zeros);
	if (exponent < 0)
		len = snprintf(out, size, "%s0.%.*s%s", sign, -exponent - 1, zeros, digits);
	else if (exponent >= n - 1)
		len = snprintf(out, size, "%s%s%.*s", sign, digits, exponent - n + 1, zeros);
	else
		len = snprintf(out, size, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
	return (size_t)len;
}

size_t convert_float_to_text(double x, enum dtype t, char *out, size_t size)
{
	char text[40], digits[20];
	size_t n = 0;

	if (!isfinite(x))
		return (size_t)snprintf(out, size, "%s", isnan(x) ? "NaN" : x < 0 ? "-INF" : "INF");
	for (int precision = 0; precision < 17; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, fabs(x));
		if (dtype_round(t, strtod(text, NULL), 0) == fabs(x))
			break;
	}
	for (const char *p = text; *p != 'e'; p++)
		if (*p != '.')
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = 0;
	return plain_text(signbit(x) != 0, digits, (int)strtol(strchr(text, 'e') + 1, NULL, 10), out, size);
}

size_t convert_int_to_text(int64_t x, enum dtype t, char *out, size_t size)
{
	if (t == DT_UINT64)
		return (size_t)snprintf(out, size, "%" PRIu64, (uint64_t)x);
	return (size_t)snprintf(out, size, "%" PRId64, x);
}
