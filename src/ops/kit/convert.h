/* convert.h - numbers from one type to another, as Cast does.
 *
 * ONNX leaves conversions of floats that do not fit an integer open.  Here they are defined, and the same everywhere:
 * the fraction is dropped and the integer wraps as two's complement; NaN and infinities give 0. */
#ifndef OPS_KIT_CONVERT_H
#define OPS_KIT_CONVERT_H

#include "tensor/dtype.h"

int64_t convert_float_to_int(double x);

/* The same for a given type; what does not fit is left to be wrapped. */
int64_t convert_float_to(double x, enum dtype to);

/* Is x, its fraction dropped, a number of the integer type?  NaN and infinities are none. */
int convert_fits(double x, enum dtype to);

/* x of integer type `from`, rounded once to the float type `to`. */
double convert_int_to_float(enum dtype from, int64_t x, enum dtype to);

/* x exactly as far as double can hold it (uint64 read as unsigned). */
double convert_int_to_double(enum dtype from, int64_t x);

/* True when every value of float type `from` is a value of `to`. */
int convert_is_exact(enum dtype from, enum dtype to);

enum convert_round { CONVERT_UP, CONVERT_DOWN, CONVERT_NEAREST };

/* The nearest value of float type `to`; saturate as Cast says it of the 8-bit types, where infinities too become the
 * largest finite value.  `round` is for float8e8m0 only. */
double convert_float(double x, enum dtype to, int saturate, enum convert_round round);

/* A number from text: decimal or scientific notation, or "INF", "+INF", "-INF", "NaN" in any case.  -1: no number. */
int convert_text_to_float(struct bytes text, double *out);
/* The same for an integer type: exact for integers, otherwise as a float whose fraction is dropped. */
int convert_text_to_int(struct bytes text, enum dtype to, int64_t *out);

#define CONVERT_TEXT_SIZE 384 /* a double in plain notation: sign, "0.", 323 zeros, 17 digits */

/* The shortest plain decimal notation ("314.15926", "1", "-INF") that reads back as the same value of type t. */
size_t convert_float_to_text(double x, enum dtype t, char *out, size_t size);
size_t convert_int_to_text(int64_t x, enum dtype t, char *out, size_t size);

#endif
