/* sample_scheme.c - nodes of QuantizeLinear and DequantizeLinear by their parameters, and what opset 19 and later ones
 * brought: float8, 4 bits, 16 bits and others, blocks, scales of other types, and attributes that name types.
 *
 * Where the arithmetic is not in float32, or the result is a small float type, scales are powers of two and numbers are
 * exact in the narrowest type of the node: then all orders of rounding give the same. */
#include <math.h>

#include "ops/quantize/samplers.h"
#include "ops/sample/maker.h"

#define SINCE_MIXED 23  /* x and the scale may be of two types, and output_dtype of DequantizeLinear */
#define SINCE_POWERS 24 /* scales of float8e8m0 */
#define HALF_MOST 1000  /* of what becomes float16 */

/* Of those of T_FLOAT8 the ones that may overflow. */
#define T_OVERFLOW (TM(DT_FLOAT8E4M3FN) | TM(DT_FLOAT8E4M3FNUZ) | TM(DT_FLOAT8E5M2) | TM(DT_FLOAT8E5M2FNUZ))

/* Types of quantized numbers, and the opset that has them. */
static const struct {
	int since;
	uint32_t types;
} newer[] = {
	{10, TM(DT_INT8) | TM(DT_UINT8)},
	{19, T_OVERFLOW},
	{21, TM(DT_INT16) | TM(DT_UINT16) | TM(DT_INT4) | TM(DT_UINT4)},
	{23, TM(DT_FLOAT4E2M1)},
	{25, TM(DT_INT2) | TM(DT_UINT2)},
	{28, TM(DT_FLOAT6E2M3) | TM(DT_FLOAT6E3M2)},
};

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void set_grain(struct maker *m, const struct wire *x, const struct quant_scheme *s)
{
	if (s->axis < 0 || m->b.rc)
		return;
	build_int(&m->b, "axis", s->axis - (s->from_end ? x->type.rank : 0));
	if (s->block)
		build_int(&m->b, "block_size", s->block);
}

struct wire *quant_sample_there(struct maker *m, struct wire *x, const struct quant_scheme *s)
{
	make_begin(m, "QuantizeLinear", (struct wire *[]){x, s->scale, s->zero}, s->lone && !s->zero ? 2 : 3, 1);
	set_grain(m, x, s);
	if (s->told)
		build_int(&m->b, "output_dtype", s->told);
	if (s->precision)
		build_int(&m->b, "precision", s->precision);
	if (s->overflows)
		build_int(&m->b, "saturate", 0);
	return make_set_bound(m, make_done(m), 255);
}

struct wire *quant_sample_back(struct maker *m, struct wire *q, const struct quant_scheme *s)
{
	make_begin(m, "DequantizeLinear", (struct wire *[]){q, s->scale, s->zero}, s->lone ? 2 : 3, 1);
	set_grain(m, q, s);
	if (s->real)
		build_int(&m->b, "output_dtype", s->real);
	return make_set_bound(m, make_done(m), 512);
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static enum dtype one_of(struct maker *m, uint32_t types)
{
	enum dtype list[DT_COUNT];
	int64_t n = 0;

	for (int t = 1; t < DT_COUNT; t++)
		if (types & TM(t))
			list[n++] = (enum dtype)t;
	return list[make_between(m, 0, n - 1)];
}

/* Those of an opset are drawn evenly, so that each family comes as often as another. */
static enum dtype draw_type(struct maker *m)
{
	int n = 0;

	while (n < (int)(sizeof newer / sizeof *newer) && newer[n].since <= m->opset)
		n++;
	return one_of(m, newer[make_between(m, 0, n - 1)].types);
}

/* Scales are powers of two in between: of few bits large ones, so that not all numbers are cut off; of float8 none that
 * takes a number out of float16. */
static int least_power(enum dtype t)
{
	return dtype_is_float(t) ? -7 : dtype_bits(t) > 8 ? -12 : dtype_bits(t) > 4 ? -6 : -3;
}

static int most_power(enum dtype t)
{
	return dtype_bits(t) > 8 ? -4 : 0;
}

static struct wire *draw_powers(struct maker *m, enum dtype t, int rank, const int64_t *dims, int least, int most)
{
	struct tensor *x = m->b.rc ? NULL : tensor_new(t, rank, dims, m->b.err);

	for (size_t i = 0; x && i < x->count; i++)
		x->f[i] = ldexp(1, (int)make_between(m, least, most));
	return make_const(m, x, ldexp(1, most));
}

/* 0 of small floats, which usually have none. */
static struct wire *draw_zero_of(struct maker *m, enum dtype t, int rank, const int64_t *dims)
{
	int64_t low = (int64_t)ceil(0.75 * dtype_lowest(t)), high = (int64_t)floor(0.75 * dtype_max(t));

	if (dtype_is_float(t) || make_chance(m, 0.2))
		low = high = 0;
	return make_random(m, t, rank, dims, (double)low, (double)high);
}

/* How many places of an axis share a scale: one, some, all, more than there are. */
static int64_t draw_block(struct maker *m, int64_t size)
{
	if (make_chance(m, 0.2))
		return size + make_between(m, 0, 2);
	if (size > 16 && make_chance(m, 0.6)) /* what fusions look for */
		return MAKE_ONE_OF(m, 16, 32);
	return make_between(m, 1, size);
}

/* The axis and block of x, and the shape of a scale that goes with them.  Gives its rank. */
static int draw_grain(struct maker *m, const struct type *x, struct quant_scheme *s, int64_t *dims)
{
	int blocks = m->opset >= QUANT_BLOCKS && make_chance(m, 0.5);

	s->axis = -1;
	if (!x->rank || (!blocks && make_chance(m, 0.6)))
		return 0;
	s->axis = (int)make_between(m, 0, x->rank - 1);
	s->from_end = make_chance(m, 0.5);
	dims[0] = x->dims[s->axis];
	if (!blocks)
		return 1;
	s->block = draw_block(m, x->dims[s->axis]);
	for (int d = 0; d < x->rank; d++)
		dims[d] = x->dims[d];
	dims[s->axis] = (dims[s->axis] + s->block - 1) / s->block;
	return x->rank;
}

/* The type is told by a zero point, an attribute, or both; bytes without sign need neither. */
static void draw_told(struct maker *m, enum dtype t, int rank, const int64_t *dims, struct quant_scheme *s)
{
	int told = m->opset >= QUANT_BLOCKS && make_chance(m, 0.4);
	int zero = t == DT_UINT8 || told ? make_chance(m, 0.5) : 1;

	s->told = told ? t : DT_UNDEFINED;
	s->zero = zero ? draw_zero_of(m, t, rank, dims) : NULL;
	s->lone = !zero || (dtype_is_float(t) && make_chance(m, 0.5));
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static struct wire *cast(struct maker *m, struct wire *w, enum dtype t)
{
	double bound = make_bound_of(m, w);

	if (m->b.rc || w->type.dtype == t)
		return w;
	make_begin_cast(m, w, t);
	return make_set_bound(m, make_done(m), bound);
}

/* The type that x and the scale are of, or one of them alone.  Only numbers of up to 8 bits are exact in all. */
static enum dtype draw_real(struct maker *m, const struct wire *x, enum dtype t)
{
	if (x->type.dtype != DT_FLOAT || dtype_bits(t) > 8 || make_chance(m, 0.65))
		return DT_FLOAT;
	if (m->opset >= SINCE_POWERS && make_chance(m, 0.25))
		return DT_FLOAT8E8M0;
	return make_chance(m, 0.75) ? DT_FLOAT16 : DT_BFLOAT16;
}

/* x as numbers of a narrow type, in that type or where it may be again in float32. */
static struct wire *narrowed(struct maker *m, struct wire *x, enum dtype real)
{
	if (real == DT_FLOAT || real == DT_FLOAT8E8M0)
		return x;
	x = cast(m, make_calm(m, x, HALF_MOST), real);
	return m->opset >= SINCE_MIXED && make_chance(m, 0.25) ? cast(m, x, DT_FLOAT) : x;
}

/* Where integers are divided by integers ONNX does not say how: by 1 there is one way. */
static struct wire *ones_like(struct maker *m, const struct wire *scale)
{
	return make_filled(m, DT_INT32, scale->type.rank, scale->type.dims, 1);
}

/* Attributes that name types: of the scale, or of one in which the numbers are as exact.  16 bits are so in float32
 * alone. */
static void draw_precision(struct maker *m, enum dtype t, enum dtype real, struct quant_scheme *s)
{
	int powers = real == DT_FLOAT8E8M0, wide = dtype_bits(t) > 8;

	if (m->opset < SINCE_MIXED)
		return;
	if (powers || make_chance(m, 0.3))
		s->precision = powers || make_chance(m, 0.5) ? DT_FLOAT : real;
	if (powers || make_chance(m, 0.3))
		s->real = !powers && make_chance(m, 0.5) ? real : wide || make_chance(m, 0.6) ? DT_FLOAT : DT_FLOAT16;
}

/* 1 in place of NaN and infinities, which overflowing left: neither is less than anything. */
static struct wire *made_finite(struct maker *m, struct wire *w, double bound)
{
	struct wire *plain = make_less(m, make_op1(m, "Abs", w), 2 * bound);

	make_begin(m, "Where", (struct wire *[]){plain, w, make_scalar(m, DT_FLOAT, 1)}, 3, 1);
	return make_set_bound(m, make_done(m), fmax(bound, 1));
}

struct wire *quant_sample_newer(struct maker *m, struct wire *x)
{
	enum dtype t = draw_type(m), real = draw_real(m, x, t);
	int64_t dims[MAKE_MAX_RANK];
	struct quant_scheme s = {0}, there;
	int rank = draw_grain(m, &x->type, &s, dims), plain;
	double bound = dtype_is_float(t) ? dtype_max(t) : dtype_max(t) - dtype_lowest(t);

	x = narrowed(m, x, real);
	if (m->b.rc)
		return NULL;
	draw_precision(m, t, real, &s);
	plain = real == DT_FLOAT && s.real != DT_FLOAT16 && !dtype_is_float(t) && dtype_bits(t) <= 8;
	if (!plain || make_chance(m, 0.5))
		s.scale = draw_powers(m, real, rank, dims, least_power(t), most_power(t));
	else
		s.scale = make_random(m, DT_FLOAT, rank, dims, m->fill == FILL_EXACT ? 1 : 0.0625, 2);
	draw_told(m, t, rank, dims, &s);
	s.overflows = (T_OVERFLOW & TM(t)) && make_chance(m, 0.4);
	there = s;
	if (x->type.dtype == DT_INT32 && (m->opset < SINCE_MIXED || make_chance(m, 0.3)) && !m->b.rc)
		there.scale = ones_like(m, s.scale);
	if (m->b.rc)
		return NULL;
	bound *= make_bound_of(m, s.scale);
	x = cast(m, quant_sample_back(m, quant_sample_there(m, x, &there), &s), DT_FLOAT);
	return s.overflows ? made_finite(m, x, bound) : make_set_bound(m, x, bound);
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

struct wire *quant_sample_blocks(struct maker *m, int rank, const int64_t *dims, int axis)
{
	enum dtype t = (enum dtype)MAKE_ONE_OF(m, DT_INT4, DT_UINT4, DT_INT4, DT_UINT4, DT_INT8, DT_UINT8, DT_INT16,
					       DT_UINT16);
	int bits = (int)dtype_bits(t), signless = dtype_is_unsigned(t);
	struct quant_scheme s = {.axis = axis, .from_end = make_chance(m, 0.3)};
	int64_t grain[MAKE_MAX_RANK];

	s.block = draw_block(m, dims[axis]);
	for (int d = 0; d < rank; d++)
		grain[d] = d == axis ? (dims[d] + s.block - 1) / s.block : dims[d];
	s.scale = draw_powers(m, DT_FLOAT, rank, grain, -bits, 1 - bits);
	if (signless || make_chance(m, 0.4))
		s.zero = make_filled(m, t, rank, grain, signless ? ldexp(1, bits - 1) : 0);
	s.lone = !s.zero && make_chance(m, 0.5);
	return make_set_bound(m, quant_sample_back(m, make_random(m, t, rank, dims, dtype_lowest(t), dtype_max(t)), &s),
			      1);
}
