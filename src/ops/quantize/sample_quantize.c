/* sample_quantize.c - eight-bit numbers: there and back, operators that compute with them, and operators between
 * DequantizeLinear and QuantizeLinear as quantizing tools leave them.
 *
 * Scales are powers of two where the case is to be exact.  Parameters of the last quantization are often used again, as
 * in networks whose layers share them: libraries have ways of their own for that. */
#include <math.h>

#include "ops/quantize/samplers.h"
#include "ops/sample/maker.h"

#define NEWER 0.4  /* share of what opset 19 and later ones brought */
#define BLOCKS 0.2 /* … of weights in blocks */

static enum dtype draw_byte(struct maker *m)
{
	return make_chance(m, 0.5) ? DT_UINT8 : DT_INT8;
}

/* One number, or one for each of `channels` (0: one). */
static struct wire *draw_scale(struct maker *m, int64_t channels)
{
	if (channels)
		return make_random(m, DT_FLOAT, 1, &channels, m->fill == FILL_EXACT ? 1 : 0.0625, 2);
	return make_scalar(m, DT_FLOAT, 0.0625 * (double)make_between(m, 1, 16));
}

/* Of what operators on bytes give: a power of two, so that the product of the other scales divided by it is exact in
 * float32, and halves are halves in any library. */
static struct wire *draw_result_scale(struct maker *m)
{
	return make_scalar(m, DT_FLOAT, ldexp(1, (int)make_between(m, -4, 0)));
}

static struct wire *draw_zero(struct maker *m, enum dtype t, int64_t channels)
{
	int64_t low = t == DT_INT8 ? -100 : 0;

	if (channels)
		return make_random(m, t, 1, &channels, (double)low, 100);
	return make_scalar(m, t, make_chance(m, 0.3) ? 0 : (double)make_between(m, low, 100));
}

static struct wire *bytes(struct maker *m, enum dtype t, int rank, const int64_t *dims)
{
	return make_random(m, t, rank, dims, t == DT_UINT8 ? 0 : -128, t == DT_UINT8 ? 255 : 127);
}

/* ---- there and back ---------------------------------------------------------------------------------------------- */

static struct quant_scheme draw_scheme(struct maker *m)
{
	struct quant_scheme s = {.axis = -1};

	if (m->last_scale && make_chance(m, 0.5)) {
		s.scale = m->last_scale;
		s.zero = m->last_zero;
		return s;
	}
	s.scale = m->last_scale = draw_scale(m, 0);
	s.zero = m->last_zero = draw_zero(m, draw_byte(m), 0);
	return s;
}

static struct wire *sample_quantize(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0];
	struct quant_scheme s;

	(void)n;
	if (m->opset >= QUANT_NEWER && (x->type.dtype == DT_INT32 || make_chance(m, NEWER)))
		return quant_sample_newer(m, x);
	if (x->type.rank && m->opset >= 13 && make_chance(m, 0.3)) {
		s = (struct quant_scheme){.axis = (int)make_between(m, 0, x->type.rank - 1)};
		s.from_end = make_chance(m, 0.4);
		s.scale = draw_scale(m, x->type.dims[s.axis]);
		s.zero = draw_zero(m, draw_byte(m), x->type.dims[s.axis]);
	} else {
		s = draw_scheme(m);
	}
	return quant_sample_back(m, quant_sample_there(m, x, &s), &s);
}

const struct sampler sampler_quantize = {
	.summary = "QuantizeLinear and DequantizeLinear",
	.types = T_F32 | T_I32,
	.make = sample_quantize,
};

/* With -100 and 100 the scale is 200 / 255, and 100 lies halfway between two steps: how the scale is rounded decides.
 * Numbers are moved away from there. */
static struct wire *sample_dynamic_quantize(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_op2(m, "Add", make_calm(m, in[0], 100), make_scalar(m, DT_FLOAT, 0.0371)), *q;

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "DynamicQuantizeLinear", &x, 1, 3);
	q = make_done(m);
	if (m->b.rc)
		return NULL;
	make_begin(m, "DequantizeLinear", (struct wire *[]){q, m->b.last->out[1], m->b.last->out[2]}, 3, 1);
	return make_set_bound(m, make_done(m), 256);
}

const struct sampler sampler_dynamic_quantize = {
	.summary = "DynamicQuantizeLinear and back",
	.types = T_F32,
	.make = sample_dynamic_quantize,
};

/* ---- between DequantizeLinear and QuantizeLinear ----------------------------------------------------------------- */

static struct wire *quantized_input(struct maker *m, struct wire *x)
{
	struct quant_scheme s = draw_scheme(m);

	return quant_sample_back(m, quant_sample_there(m, x, &s), &s);
}

/* Weights of bytes; the scheme's axis counts in them. */
static struct wire *quantized_weights(struct maker *m, int rank, const int64_t *dims, int axis)
{
	int64_t channels = axis >= 0 && m->opset >= 13 && make_chance(m, 0.4) ? dims[axis] : 0;
	enum dtype t = draw_byte(m);
	struct quant_scheme s = {.axis = channels ? axis : -1};

	if (m->opset >= QUANT_BLOCKS && make_chance(m, BLOCKS))
		return quant_sample_blocks(m, rank, dims, !axis);
	s.scale = draw_scale(m, channels);
	if (make_chance(m, 0.5) || t == DT_UINT8)
		s.zero = draw_zero(m, t, channels);
	return make_set_bound(m, quant_sample_back(m, bytes(m, t, rank, dims), &s), 512);
}

/* Its scale is not always the product of the others, as it should be. */
static struct wire *quantized_bias(struct maker *m, int64_t n)
{
	struct quant_scheme s = {.scale = draw_scale(m, 0), .axis = -1};

	return quant_sample_back(m, make_random(m, DT_INT32, 1, &n, -1000, 1000), &s);
}

static struct wire *sample_qdq_conv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_rank(m, in[0], 4), 100), *w, *bias = NULL;
	int64_t out = make_between(m, 1, 4), h = make_between(m, 1, 3), k = make_between(m, 1, 3);

	(void)n;
	x = m->b.rc ? NULL : quantized_input(m, x);
	if (m->b.rc)
		return NULL;
	w = quantized_weights(m, 4, (int64_t[]){out, x->type.dims[1], h, k}, 0);
	if (make_chance(m, 0.6))
		bias = quantized_bias(m, out);
	make_begin(m, "Conv", (struct wire *[]){x, w, bias}, bias ? 3 : 2, 1);
	build_ints(&m->b, "pads", (int64_t[]){h - 1, 0, 0, k - 1}, 4);
	return quantized_input(m, make_set_bound(m, make_done(m), MAKE_LARGE));
}

const struct sampler sampler_qdq_conv = {
	.summary = "Conv between DequantizeLinear and QuantizeLinear",
	.types = T_F32,
	.make = sample_qdq_conv,
};

static struct wire *sample_qdq_matmul(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_rank(m, in[0], 2), 100), *w;

	(void)n;
	x = m->b.rc ? NULL : quantized_input(m, x);
	if (m->b.rc)
		return NULL;
	w = quantized_weights(m, 2, (int64_t[]){x->type.dims[1], make_between(m, 1, 6)}, 1);
	return quantized_input(m, make_set_bound(m, make_op2(m, "MatMul", x, w), MAKE_LARGE));
}

const struct sampler sampler_qdq_matmul = {
	.summary = "MatMul between DequantizeLinear and QuantizeLinear",
	.types = T_F32,
	.make = sample_qdq_matmul,
};

/* ---- operators on bytes ------------------------------------------------------------------------------------------ */

static struct wire *sample_qlinear_conv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_rank(m, in[0], 4), *bias = NULL;
	enum dtype t = in[0]->type.dtype, wt = t == DT_UINT8 ? draw_byte(m) : DT_INT8;
	int64_t out = make_between(m, 1, 4), h = make_between(m, 1, 3), k = make_between(m, 1, 3),
		channels = make_chance(m, 0.5) ? out : 0;

	(void)n;
	if (m->b.rc)
		return NULL;
	if (make_chance(m, 0.5))
		bias = make_random(m, DT_INT32, 1, &out, -1000, 1000);
	make_begin(m, "QLinearConv",
		   (struct wire *[]){x, draw_scale(m, 0), draw_zero(m, t, 0),
				     bytes(m, wt, 4, (int64_t[]){out, x->type.dims[1], h, k}), draw_scale(m, channels),
				     draw_zero(m, wt, channels), draw_result_scale(m), draw_zero(m, t, 0), bias},
		   bias ? 9 : 8, 1);
	build_ints(&m->b, "pads", (int64_t[]){h - 1, 0, 0, k - 1}, 4);
	return make_set_bound(m, make_done(m), 255);
}

const struct sampler sampler_qlinear_conv = {
	.summary = "QLinearConv",
	.types = TM(DT_UINT8) | TM(DT_INT8),
	.make = sample_qlinear_conv,
};

static struct wire *sample_qlinear_matmul(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank < 2 ? make_rank(m, in[0], 2) : in[0];
	enum dtype t = in[0]->type.dtype, wt = t == DT_UINT8 ? draw_byte(m) : DT_INT8;
	int64_t k;

	(void)n;
	if (m->b.rc)
		return NULL;
	k = x->type.dims[x->type.rank - 1];
	make_begin(m, "QLinearMatMul",
		   (struct wire *[]){x, draw_scale(m, 0), draw_zero(m, t, 0),
				     bytes(m, wt, 2, (int64_t[]){k, make_between(m, 1, 6)}), draw_scale(m, 0),
				     draw_zero(m, wt, 0), draw_result_scale(m), draw_zero(m, t, 0)},
		   8, 1);
	return make_set_bound(m, make_done(m), 255);
}

const struct sampler sampler_qlinear_matmul = {
	.summary = "QLinearMatMul",
	.types = TM(DT_UINT8) | TM(DT_INT8),
	.make = sample_qlinear_matmul,
};

static struct wire *sample_matmul_integer(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank < 2 ? make_rank(m, in[0], 2) : in[0], *a = NULL, *b = NULL;
	enum dtype t = in[0]->type.dtype, wt = t == DT_UINT8 ? draw_byte(m) : DT_INT8;
	int64_t k, columns = make_between(m, 1, 6);

	(void)n;
	if (m->b.rc)
		return NULL;
	k = x->type.dims[x->type.rank - 1];
	if (make_chance(m, 0.6))
		a = draw_zero(m, t, 0);
	if (make_chance(m, 0.6))
		b = draw_zero(m, wt, make_chance(m, 0.3) ? columns : 0);
	make_begin(m, "MatMulInteger", (struct wire *[]){x, bytes(m, wt, 2, (int64_t[]){k, columns}), a, b},
		   b   ? 4
		   : a ? 3
		       : 2,
		   1);
	return make_set_bound(m, make_done(m), 65536 * (double)k);
}

const struct sampler sampler_matmul_integer = {
	.summary = "MatMulInteger",
	.types = TM(DT_UINT8) | TM(DT_INT8),
	.make = sample_matmul_integer,
};

static struct wire *sample_conv_integer(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_rank(m, in[0], 4), *a = NULL, *b = NULL;
	enum dtype t = in[0]->type.dtype, wt = t == DT_UINT8 ? draw_byte(m) : DT_INT8;
	int64_t dims[4] = {make_between(m, 1, 4), 1, make_between(m, 1, 3), make_between(m, 1, 3)};

	(void)n;
	if (m->b.rc)
		return NULL;
	dims[1] = x->type.dims[1];
	if (make_chance(m, 0.6))
		a = draw_zero(m, t, 0);
	if (make_chance(m, 0.6))
		b = draw_zero(m, wt, make_chance(m, 0.3) ? dims[0] : 0);
	make_begin(m, "ConvInteger", (struct wire *[]){x, bytes(m, wt, 4, dims), a, b}, b ? 4 : a ? 3 : 2, 1);
	build_ints(&m->b, "pads", (int64_t[]){dims[2] - 1, 0, 0, dims[3] - 1}, 4);
	return make_set_bound(m, make_done(m), 65536 * (double)(dims[1] * dims[2] * dims[3]));
}

const struct sampler sampler_conv_integer = {
	.summary = "ConvInteger",
	.types = TM(DT_UINT8) | TM(DT_INT8),
	.make = sample_conv_integer,
};
