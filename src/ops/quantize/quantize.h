/* quantize.h - how real numbers become quantized ones, shared by all operators that quantize.
 *
 * The specification's formula y = saturate(round(x / scale) + zero point) is arithmetic in the scale's type: a library
 * divides float32 by float32, and a quotient that lies next to a tie may land on it.  So the quotient is rounded to
 * that type here even in exact mode: quantizing is a conversion by meaning.  Division in double and then rounding to
 * float32 (24 bits) gives the same as dividing in float32, since double has more than twice as many bits. */
#ifndef OPS_QUANTIZE_QUANTIZE_H
#define OPS_QUANTIZE_QUANTIZE_H

#include "ops/call.h"

/* Type in which x / scale is computed for a scale of type t: t itself, but float32 for integer scales and for
 * float8e8m0, which only holds powers of two. */
enum dtype quant_precision(enum dtype t);

/* More of struct call's `ties`: each quotient that is next to a half is n steps beyond it, up or down by a coin.  No
 * library does so, but the sum of many that go either way may be as far off; see ref_options. */
#define QUANT_TIES_FAR(n) (OP_TIES_CHANCE + (n))

/* The quotient q as `ties` wants it, when it may be off by `room`. */
double quant_tied(const struct call *c, double q, double room);

/* The same for a quotient by a scale: libraries that multiply by 1 / scale, or with several scales one after the other,
 * are off by three roundings at most; with powers of two by none. */
double quant_quotient(const struct call *c, double q, double scale, enum dtype precision);

/* saturate(round half to even (q) + zero) for integer type t; NaN, which the specification leaves open, gives the zero
 * point. */
int64_t quant_int(enum dtype t, double q, int64_t zero);

/* Stores the quantized q as element i of y, an integer or a small float type; zero NULL: 0, else its element k. */
void quant_store(struct tensor *y, size_t i, double q, const struct tensor *zero, size_t k, enum dtype precision,
		 int saturate);

/* DynamicQuantizeLinear: y[count of x] (NULL: not wanted) in 0 … 255, with the scale and zero point that fit x. */
void quant_dynamic(const struct call *c, const struct tensor *x, int64_t *y, double *scale, int64_t *zero);

/* Which element of the scale (and zero point) belongs to an element of x:
 * x[o, a, i] of [outer, dim, inner] takes scale[o * by_outer + a / block * by_axis + i * by_inner]. */
struct grain {
	size_t outer, dim, inner;
	size_t block, by_outer, by_axis, by_inner;
};

/* Shapes of x (input 0), scale (input 1) and zero point (input 2) fit: per tensor, per axis, or in blocks. */
int quant_check_shapes(struct call *c);
int quant_grain(struct call *c, struct grain *g);

/* How many elements behind each other take the same one. */
static inline size_t grain_line(const struct grain *g)
{
	return g->by_inner ? 1 : g->inner;
}

static inline size_t grain_at(const struct grain *g, size_t o, size_t a, size_t i)
{
	return o * g->by_outer + a / g->block * g->by_axis + i * g->by_inner;
}

#endif
