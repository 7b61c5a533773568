/* quantize.c - QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.  See quantize.h for rounding. */
#include "ops/quantize/quantize.h"

#include <math.h>

#include "base/rng.h"
#include "ops/kit/domain.h"
#include "ops/quantize/samplers.h"

#define T_QUANT                                                                                                      \
	(TM(DT_INT8) | TM(DT_UINT8) | TM(DT_INT16) | TM(DT_UINT16) | T_INT4 | TM(DT_FLOAT8E4M3FN) |                  \
	 TM(DT_FLOAT8E4M3FNUZ) | TM(DT_FLOAT8E5M2) | TM(DT_FLOAT8E5M2FNUZ) | TM(DT_FLOAT4E2M1) | TM(DT_FLOAT6E2M3) | \
	 TM(DT_FLOAT6E3M2))
#define T_REAL (TM(DT_FLOAT) | TM(DT_FLOAT16) | TM(DT_BFLOAT16))

/* ---- shared ------------------------------------------------------------------------------------------------------ */

enum dtype quant_precision(enum dtype t)
{
	return dtype_is_float(t) && t != DT_FLOAT8E8M0 ? t : DT_FLOAT;
}

double quant_tied(const struct call *c, double q, double room)
{
	if (c->ties < OP_TIES_CHANCE)
		return q + c->ties * copysign(room, q);
	room = fmax(room, c->near);
	if (!c->env || rint(q - room) == rint(q + room))
		return q;
	c->env->ties++;
	room += c->ties - OP_TIES_CHANCE;
	return rng_u64(c->env->rng) >> 63 ? q + room : q - room;
}

static int is_power_of_two(double x)
{
	int exponent;

	return frexp(fabs(x), &exponent) == 0.5;
}

/* How far a quotient may be off, times its size. */
static double quant_room(enum dtype precision)
{
	return 3 * dtype_roundoff(precision);
}

double quant_quotient(const struct call *c, double q, double scale, enum dtype precision)
{
	return is_power_of_two(scale) && !(c->near > 0) ? q : quant_tied(c, q, fabs(q) * quant_room(precision));
}

static inline int64_t quant_clamp(double q, double zero, double lowest, double highest)
{
	double r = (isnan(q) ? 0.0 : rint(q)) + zero;

	return (int64_t)(r < lowest ? lowest : r > highest ? highest : r);
}

int64_t quant_int(enum dtype t, double q, int64_t zero)
{
	return quant_clamp(q, (double)zero, dtype_lowest(t), dtype_max(t));
}

void quant_store(struct tensor *y, size_t i, double q, const struct tensor *zero, size_t k, enum dtype precision,
		 int saturate)
{
	if (dtype_is_float(y->dtype))
		y->f[i] = dtype_round(y->dtype, dtype_round(precision, q + (zero ? zero->f[k] : 0.0), 0), saturate);
	else
		y->i[i] = quant_int(y->dtype, q, zero ? zero->i[k] : 0);
}

/* A single element may be written as [] or as [1], also in one node. */
static int is_single(const struct type *t)
{
	return t->rank == 0 || (t->rank == 1 && t->dims[0] == 1);
}

static int same_dims(struct call *c, const struct type *scale, const struct type *zero)
{
	int same = scale->rank == zero->rank;

	if (is_single(scale) && is_single(zero))
		return 0;
	for (int d = 0; same && d < scale->rank; d++)
		same = scale->dims[d] < 0 || zero->dims[d] < 0 || scale->dims[d] == zero->dims[d];
	return same ? 0 : call_bad(c, "scale and zero point differ in shape");
}

/* Blocks: as x, but ceil(D / block) along the axis. */
static int check_blocks(struct call *c, const struct type *x, const struct type *scale, int axis, int64_t block)
{
	if (scale->rank != x->rank)
		return call_bad(c, "the scale of blocked quantization has rank %d, wanted %d", scale->rank, x->rank);
	for (int d = 0; d < x->rank; d++) {
		int64_t want = x->dims[d];

		if (d == axis && want >= 0)
			want = want / block + (want % block != 0);
		if (want >= 0 && scale->dims[d] >= 0 && scale->dims[d] != want)
			return call_bad(c, "dimension %d of the scale is %lld, wanted %lld", d,
					(long long)scale->dims[d], (long long)want);
	}
	return 0;
}

/* One scale for the whole tensor: a scalar, or a single element that is no block. */
static int is_per_tensor(const struct type *scale, int64_t block)
{
	return scale->rank == 0 || (!block && is_single(scale));
}

int quant_check_shapes(struct call *c)
{
	const struct type *x = call_shape(c, 0), *scale = call_shape(c, 1), *zero = call_shape(c, 2);
	int64_t block = attr_int_or_0(c->node, "block_size");
	int axis, rc = 0;

	if (block < 0)
		return call_bad(c, "block_size is %lld", (long long)block);
	if (scale && zero)
		rc = same_dims(c, scale, zero);
	if (rc || !x || !scale || is_per_tensor(scale, block))
		return rc;
	if (c->version < 13)
		return call_bad(c, "the scale is not a scalar, which opset 10 to 12 want");
	rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);
	if (rc)
		return rc;
	if (block)
		return check_blocks(c, x, scale, axis, block);
	if (scale->rank != 1)
		return call_bad(c, "the scale has rank %d, wanted 0 or 1", scale->rank);
	if (scale->dims[0] >= 0 && x->dims[axis] >= 0 && scale->dims[0] != x->dims[axis])
		return call_bad(c, "the scale has %lld elements for axis %d of %lld", (long long)scale->dims[0], axis,
				(long long)x->dims[axis]);
	return 0;
}

int quant_grain(struct call *c, struct grain *g)
{
	const struct tensor *x = c->in[0], *scale = c->in[1];
	int64_t block = attr_int_or_0(c->node, "block_size");
	int axis, rc;

	*g = (struct grain){.outer = 1, .dim = 1, .inner = x->count, .block = 1};
	if (!x->count || is_per_tensor(&c->in_type[1], block))
		return 0;
	rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);
	if (rc)
		return rc;
	g->outer = dims_product(x->dims, 0, axis);
	g->dim = (size_t)x->dims[axis];
	g->inner = dims_product(x->dims, axis + 1, x->rank);
	g->by_axis = 1;
	if (block) {
		g->block = (size_t)block;
		g->by_axis = g->inner;
		g->by_inner = 1;
		g->by_outer = (size_t)scale->dims[axis] * g->inner;
	}
	return 0;
}

/* ---- QuantizeLinear ---------------------------------------------------------------------------------------------- */

static const struct op_attr quantize_attrs[] = {
	OP_INT("axis", 1),         OP_INT("saturate", 1),  OP_INT("block_size", 0),
	OP_INT("output_dtype", 0), OP_INT("precision", 0), {0},
};

/* An attribute that names a dtype of `allowed`; DT_UNDEFINED when it is 0, the default. */
static int dtype_attr(struct call *c, const char *name, uint32_t allowed, enum dtype *t)
{
	int64_t code = attr_int_or_0(c->node, name);

	*t = code ? dtype_from_code(code) : DT_UNDEFINED;
	if (code && (*t == DT_UNDEFINED || !(allowed & TM(*t))))
		return call_bad(c, "%s %lld is not allowed here", name, (long long)code);
	return 0;
}

static int quantize_linear_infer(struct call *c)
{
	enum dtype t, precision, zero = c->out_type[0].dtype;
	int rc = dtype_attr(c, "output_dtype", T_QUANT, &t);

	if (!rc)
		rc = dtype_attr(c, "precision", T_REAL, &precision);
	if (!rc && t && zero && t != zero)
		rc = call_bad(c, "output_dtype is %s, but the zero point is %s", dtype_name(t), dtype_name(zero));
	if (!rc)
		rc = quant_check_shapes(c);
	if (rc)
		return rc;
	if (!t)
		t = zero || call_has(c, 2) ? zero : DT_UINT8;
	call_out(c, 0, t, c->in_type[0].rank, c->in_type[0].dims);
	return 0;
}

/* What elements with one scale have in common, so that it is not asked for again with each of them. */
struct quantizer {
	double scale, room, lowest, highest, zero;
	enum dtype precision;
	int exact, saturate, is_float;
};

static struct quantizer quantizer_of(const struct call *c, size_t k, enum dtype precision, int saturate)
{
	const struct tensor *zero = call_has(c, 2) ? c->in[2] : NULL;
	enum dtype t = c->out[0]->dtype;
	double scale = tensor_get(c->in[1], k);

	return (struct quantizer){.scale = scale,
				  .room = quant_room(precision),
				  .lowest = dtype_lowest(t),
				  .highest = dtype_max(t),
				  .zero = zero ? tensor_get(zero, k) : 0.0,
				  .precision = precision,
				  .exact = is_power_of_two(scale) && !(c->near > 0),
				  .saturate = saturate,
				  .is_float = dtype_is_float(t)};
}

static inline double round_to(enum dtype t, double x)
{
	return t == DT_FLOAT ? (double)(float)x : dtype_round(t, x, 0);
}

/* y = saturate(round(x / scale) + zero point) for elements from `at` on, of one scale */
static void quantize_line(const struct call *c, const struct quantizer *q, size_t at, size_t n)
{
	const struct tensor *x = c->in[0];
	struct tensor *y = c->out[0];
	int differs = x->dtype != q->precision, is_real = dtype_wide(x->dtype) == WIDE_F64;

	for (size_t end = at + n; at < end; at++) {
		double v = is_real ? x->f[at] : (double)x->i[at],
		       quotient = (differs ? round_to(q->precision, v) : v) / q->scale;

		if (!q->exact)
			quotient = quant_tied(c, quotient, q->room * fabs(quotient));
		v = round_to(q->precision, quotient);
		if (q->is_float)
			y->f[at] = dtype_round(y->dtype, round_to(q->precision, v + q->zero), q->saturate);
		else
			y->i[at] = quant_clamp(v, q->zero, q->lowest, q->highest);
	}
}

static int quantize_linear_eval(struct call *c)
{
	int saturate = attr_int_or_0(c->node, "saturate") != 0;
	enum dtype p;
	struct grain g;
	size_t at = 0;
	int rc = dtype_attr(c, "precision", T_REAL, &p);

	if (!rc)
		rc = quant_grain(c, &g);
	if (rc)
		return rc;
	if (!p)
		p = quant_precision(c->in[1]->dtype);
	for (size_t o = 0; o < g.outer; o++)
		for (size_t a = 0; a < g.dim; a++)
			for (size_t i = 0, n = grain_line(&g); i < g.inner; i += n, at += n) {
				struct quantizer q = quantizer_of(c, grain_at(&g, o, a, i), p, saturate);

				quantize_line(c, &q, at, n);
			}
	return 0;
}

/* x / scale is NaN, and becomes an integer: x is, or both are 0. */
static int quantize_is_open(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	struct op_rule of_x = {.port = 0}, of_scale = {.port = 1};

	(void)r;
	if (!n->out[0] || !dtype_is_int(n->out[0]->type.dtype))
		return 0;
	return domain_has_nan(n, in, r) || (domain_has_zero(n, in, &of_x) && domain_has_zero(n, in, &of_scale));
}

const struct op op_quantize_linear = {
	.samples = SAMPLES({.name = "QuantizeDequantize", .by = &sampler_quantize},
			   {.name = "QuantizedConv", .by = &sampler_qdq_conv},
			   {.name = "QuantizedMatMul", .by = &sampler_qdq_matmul}),
	.rules =
		RULES({.broken = domain_not_positive, .port = 1}, {.broken = domain_is_lone, .port = 1, .attr = "axis"},
		      {.broken = domain_is_lone, .port = 2, .attr = "axis"},
		      {.broken = quantize_is_open, .open = "NaN is quantized"}),
	.in = {{"x", T_REAL | TM(DT_INT32), 0, 0},
	       {"y_scale", T_REAL | TM(DT_INT32) | TM(DT_FLOAT8E8M0), 0, 0},
	       {"y_zero_point", T_QUANT, 'Q', PORT_OPTIONAL}},
	.out = {{"y", T_QUANT, 'Q', 0}},
	.attrs = quantize_attrs,
	.infer = quantize_linear_infer,
	.eval = quantize_linear_eval,
};

/* ---- DequantizeLinear -------------------------------------------------------------------------------------------- */

static const struct op_attr dequantize_attrs[] = {
	OP_INT("axis", 1),
	OP_INT("block_size", 0),
	OP_INT("output_dtype", 0),
	{0},
};

static int dequantize_linear_infer(struct call *c)
{
	enum dtype t;
	int rc = dtype_attr(c, "output_dtype", T_REAL, &t);

	if (!rc)
		rc = quant_check_shapes(c);
	if (rc)
		return rc;
	if (!t)
		t = c->in_type[1].dtype;
	if (t == DT_FLOAT8E8M0)
		return call_bad(c, "output_dtype is missing, and the scale's type is not an output type");
	call_out(c, 0, t, c->in_type[0].rank, c->in_type[0].dims);
	return 0;
}

/* y = (x - zero point) * scale */
static int dequantize_linear_eval(struct call *c)
{
	const struct tensor *x = c->in[0], *scale = c->in[1], *zero = call_has(c, 2) ? c->in[2] : NULL;
	int is_real = dtype_wide(x->dtype) == WIDE_F64;
	struct grain g;
	size_t at = 0;
	int rc = quant_grain(c, &g);

	if (rc)
		return rc;
	for (size_t o = 0; o < g.outer; o++)
		for (size_t a = 0; a < g.dim; a++)
			for (size_t i = 0, n = grain_line(&g); i < g.inner; i += n) {
				size_t k = grain_at(&g, o, a, i);
				double s = scale->f[k], z = zero ? tensor_get(zero, k) : 0.0;

				for (size_t end = at + n; at < end; at++)
					c->out[0]->f[at] = ((is_real ? x->f[at] : (double)x->i[at]) - z) * s;
			}
	return 0;
}

/* dx = dy * scale, dscale = Σ dy * (x - zero point), dzero = -Σ dy * scale; the first and last only for float types. */
static int dequantize_linear_grad(struct call *c)
{
	const struct tensor *x = c->in[0], *scale = c->in[1], *zero = call_has(c, 2) ? c->in[2] : NULL;
	struct tensor *dx = c->in_grad[0], *ds = c->in_grad[1], *dz = c->n_in > 2 ? c->in_grad[2] : NULL;
	const struct tensor *dy = c->out_grad[0];
	struct grain g;
	size_t at = 0;
	int rc = dy ? quant_grain(c, &g) : 0;

	if (rc || !dy)
		return rc;
	for (size_t o = 0; o < g.outer; o++)
		for (size_t a = 0; a < g.dim; a++)
			for (size_t i = 0; i < g.inner; i++, at++) {
				size_t k = grain_at(&g, o, a, i);

				if (dx)
					dx->f[at] += dy->f[at] * scale->f[k];
				if (ds)
					ds->f[k] +=
						dy->f[at] * (tensor_get(x, at) - (zero ? tensor_get(zero, k) : 0.0));
				if (dz)
					dz->f[k] -= dy->f[at] * scale->f[k];
			}
	return 0;
}

/* The product; and the conversion of an int32, which need not fit.  A library that has a pair of quantizing and
 * dequantizing as one operation on reals gives low + step · n: what it is off by goes by the range, and not by y. */
static int dequantize_linear_scale(struct call *c, int out, double *s)
{
	const struct tensor *x = c->in[0], *scale = c->in[1];
	double range = dtype_bits(x->dtype) <= 16 ? dtype_max(x->dtype) - dtype_lowest(x->dtype) : 0;
	struct grain g;
	size_t at = 0;
	int rc = quant_grain(c, &g);

	for (size_t o = 0; !rc && o < g.outer; o++)
		for (size_t a = 0; a < g.dim; a++)
			for (size_t i = 0; i < g.inner; i++, at++)
				s[at] = 1.5 * fabs(c->out[out]->f[at]) +
					c->absolute * range * fabs(scale->f[grain_at(&g, o, a, i)]);
	return rc;
}

const struct op op_dequantize_linear = {
	.drawn_with = "QuantizeLinear",
	.rules =
		RULES({.broken = domain_not_positive, .port = 1}, {.broken = domain_is_lone, .port = 1, .attr = "axis"},
		      {.broken = domain_is_lone, .port = 2, .attr = "axis"}),
	.in = {{"x", T_QUANT | TM(DT_INT32), 'Q', 0},
	       {"x_scale", T_REAL | TM(DT_FLOAT8E8M0), 0, 0},
	       {"x_zero_point", T_QUANT | TM(DT_INT32), 'Q', PORT_OPTIONAL}},
	.out = {{"y", T_REAL, 0, 0}},
	.attrs = dequantize_attrs,
	.infer = dequantize_linear_infer,
	.eval = dequantize_linear_eval,
	.grad = dequantize_linear_grad,
	.scale = dequantize_linear_scale,
};

/* ---- DynamicQuantizeLinear --------------------------------------------------------------------------------------- */

static int dynamic_quantize_linear_infer(struct call *c)
{
	call_out(c, 0, DT_UINT8, c->in_type[0].rank, c->in_type[0].dims);
	call_out(c, 1, DT_FLOAT, 0, NULL);
	call_out(c, 2, DT_UINT8, 0, NULL);
	return 0;
}

static double f32(double x)
{
	return dtype_round(DT_FLOAT, x, 0);
}

/*   scale = (max(0, x) - min(0, x)) / 255
 *   zero  = round(saturate(0 - min / scale))
 *   y     = saturate(round(x / scale) + zero)
 *
 * in float32 step by step, since each step decides how the next one rounds.  All zeros give scale 0: 0 / 0 is left open
 * by the specification, and y = zero = 0 here. */
void quant_dynamic(const struct call *c, const struct tensor *x, int64_t *y, double *scale, int64_t *zero)
{
	double low = 0, high = 0;

	for (size_t i = 0; i < x->count; i++) {
		low = fmin(low, x->f[i]);
		high = fmax(high, x->f[i]);
	}
	*scale = f32(f32(f32(high) - f32(low)) / 255.0);
	*zero = quant_int(DT_UINT8, *scale > 0 ? f32(0.0 - f32(f32(low) / *scale)) : 0.0, 0);
	for (size_t i = 0; i < x->count && y; i++)
		y[i] = quant_int(DT_UINT8, f32(quant_quotient(c, f32(x->f[i]) / *scale, *scale, DT_FLOAT)), *zero);
}

static int dynamic_quantize_linear_eval(struct call *c)
{
	double scale;
	int64_t zero;

	quant_dynamic(c, c->in[0], c->out[0] ? c->out[0]->i : NULL, &scale, &zero);
	if (call_wants(c, 1))
		c->out[1]->f[0] = scale;
	if (call_wants(c, 2))
		c->out[2]->i[0] = zero;
	return 0;
}

/* The formula divides by a scale that is 0 where all numbers are, and has no scale where some are not finite. */
static int dynamic_quantize_is_open(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *x = in[0];

	for (size_t i = 0; x && i < x->count; i++)
		if (x && tensor_get(x, i) != 0)
			return domain_not_finite(n, in, r);
	return x != NULL;
}

const struct op op_dynamic_quantize_linear = {
	.samples = SAMPLES({.by = &sampler_dynamic_quantize}),
	.rules = RULES(
		{.broken = dynamic_quantize_is_open, .open = "the scale that numbers are divided by is 0 or NaN"}),
	.in = {{"x", TM(DT_FLOAT), 0, 0}},
	.out = {{"y", TM(DT_UINT8), 0, 0}, {"y_scale", TM(DT_FLOAT), 0, 0}, {"y_zero_point", TM(DT_UINT8), 0, 0}},
	.infer = dynamic_quantize_linear_infer,
	.eval = dynamic_quantize_linear_eval,
	.ulps = 2,
};
