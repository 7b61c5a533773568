/* around_qdq.c - DequantizeLinear before a block and QuantizeLinear behind it, as quantizing tools leave models (see
 * around.h).
 *
 * Everything of float32 that leads into the block is quantized and comes back, weights are constants of bytes, biases
 * of int32 with the product of the other two scales, and so is what comes out.  Since opset 21 weights may have scales
 * for blocks, and what comes and goes 16 bits.  Parameters of the last quantization are
 * often used again: libraries have ways of their own for that.  Near misses are another type of bytes, one scale for
 * each place of an axis, a bias of another scale, and a result that is left as it is.  Some models are quantized, most
 * are not at all. */
#include <math.h>

#include "methods/fuzz/around.h"
#include "ops/quantize/samplers.h"

#define SINCE 10      /* QuantizeLinear is there */
#define SINCE_AXIS 13 /* … with scales for each place of an axis */
#define OFF 0.12      /* share of each near miss */
#define PER_AXIS 0.04 /* … of one that few libraries can load */
#define WORDS 0.15    /* … of 16 bits for bytes */
#define BLOCKS 0.1    /* … of weights in blocks */
#define FINEST 0.0625 /* scale */
#define WEIGHTS 64    /* bytes of weights are up to there */
#define MOST 100.0    /* zero points */

/* What the block takes of its first input: numbers on the grid of `scale` must not leave it. */
static int keeps_limits(const struct fuzz_op *op, double scale, double low, double high)
{
	if (op->low >= op->high)
		return 1;
	return fmod(op->low, scale) == 0 && fmod(op->high, scale) == 0 && high >= op->low && low <= op->high;
}

static int fits(struct maker *m, struct around_work *a, const struct wire *first)
{
	a->byte = m->bytes;
	if (m->bytes && m->opset >= QUANT_BLOCKS && make_chance(m, WORDS))
		a->byte = m->bytes == DT_INT8 ? DT_INT16 : DT_UINT16;
	a->no_zero = make_chance(m, OFF);
	return m->bytes && m->opset >= SINCE && first->type.dtype == DT_FLOAT && !m->special &&
	       keeps_limits(a->op, FINEST, 0, 0);
}

/* ---- wires ------------------------------------------------------------------------------------------------------- */

/* One scale and zero point for all, such that the block's limits hold for its first input. */
static struct quant_scheme draw_scheme(struct maker *m, struct around_work *a, int limited, double *bound)
{
	enum dtype t = make_chance(m, OFF) ? (a->byte == DT_INT8 ? DT_UINT8 : DT_INT8) : a->byte;
	double scale = FINEST * (double)(limited ? 1 : make_between(m, 1, 8)), zero = 0, low, high;
	struct quant_scheme s = {.axis = -1};

	if (!limited && m->last_zero && m->last_zero->type.dtype == t && make_chance(m, 0.4)) {
		s = (struct quant_scheme){.scale = m->last_scale, .zero = m->last_zero, .axis = -1};
		*bound = 512;
		return s;
	}
	if (a->no_zero)
		t = DT_UINT8;
	else if (make_chance(m, 0.7))
		zero = dtype_is_unsigned(t) ? ldexp(1, (int)dtype_bits(t) - 1) : (double)make_between(m, -20, 20);
	if (dtype_bits(t) > 8)
		scale /= 256;
	low = scale * (dtype_lowest(t) - zero);
	high = scale * (dtype_max(t) - zero);
	if (limited && !keeps_limits(a->op, scale, low, high))
		return s;
	*bound = fmax(fabs(low), fabs(high));
	s.scale = make_scalar(m, DT_FLOAT, scale);
	s.zero = a->no_zero ? NULL : make_scalar(m, t, zero);
	if (s.zero) {
		m->last_scale = s.scale;
		m->last_zero = s.zero;
	}
	a->input_scale = scale;
	return s;
}

/* One for each place of an axis. */
static struct quant_scheme draw_scales(struct maker *m, const struct around_work *a, const struct wire *w)
{
	struct quant_scheme s = {.axis = (int)make_between(m, 0, w->type.rank - 1), .from_end = make_chance(m, 0.4)};
	int64_t size = w->type.dims[s.axis];

	s.scale = make_random(m, DT_FLOAT, 1, &size, m->fill == FILL_EXACT ? 1 : 0.125, 1);
	s.zero = make_random(m, a->byte, 1, &size, dtype_is_unsigned(a->byte) ? 0 : -MOST, MOST);
	return s;
}

static struct wire *there_and_back(struct maker *m, struct around_work *a, struct wire *w, int limited)
{
	struct quant_scheme s;
	double bound = 512;

	if (m->b.rc || w->type.dtype != DT_FLOAT)
		return w;
	if (!limited && w->type.rank && m->opset >= SINCE_AXIS && make_chance(m, PER_AXIS))
		s = draw_scales(m, a, w);
	else
		s = draw_scheme(m, a, limited, &bound);
	if (!s.scale)
		return w;
	return make_set_bound(m, quant_sample_back(m, quant_sample_there(m, w, &s), &s), bound);
}

static struct wire *before(struct maker *m, struct around_work *a, struct wire *w, int number)
{
	return there_and_back(m, a, w, !number && a->op->low < a->op->high);
}

static struct wire *after(struct maker *m, struct around_work *a, struct wire *w)
{
	return make_chance(m, OFF) ? w : there_and_back(m, a, w, 0);
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* int32 with the product of the other scales, mostly. */
static struct wire *bias(struct maker *m, const struct around_work *a, struct wire *w)
{
	struct quant_scheme s = {.axis = -1};
	double scale = a->input_scale * a->weights_scale;

	if (scale <= 0 || make_chance(m, OFF))
		return w;
	s.scale = make_scalar(m, DT_FLOAT, make_chance(m, OFF) ? 2 * scale : scale);
	m->has_unused = 1;
	return make_set_bound(m, quant_sample_back(m, make_random(m, DT_INT32, 1, w->type.dims, -1000, 1000), &s),
			      2000);
}

static struct wire *weights(struct maker *m, struct wire *w, void *work)
{
	struct around_work *a = work;
	enum dtype t = make_chance(m, 0.7) || dtype_bits(a->byte) > 8 ? DT_INT8 : a->byte;
	double scale = ldexp(1, (int)make_between(m, -7, -5)), zero = t == DT_UINT8 ? 128 : 0;
	struct quant_scheme s = {.axis = -1};
	int64_t size;

	if (w->type.dtype != DT_FLOAT || !w->type.rank || w->graph->parent)
		return w;
	if (w->type.rank == 1)
		return bias(m, a, w);
	if (m->opset >= QUANT_BLOCKS && make_chance(m, BLOCKS)) {
		m->has_unused = 1;
		return quant_sample_blocks(m, w->type.rank, w->type.dims, w->type.rank > 2);
	}
	zero += t == DT_INT8 && make_chance(m, OFF) ? 3 : 0;
	a->weights_scale = scale;
	if (m->opset >= SINCE_AXIS && make_chance(m, 0.4)) {
		s.axis = w->type.rank > 2 ? 0 : (int)make_between(m, 0, 1);
		size = w->type.dims[s.axis];
		s.scale = make_filled(m, DT_FLOAT, 1, &size, scale);
		s.zero = make_filled(m, t, 1, &size, zero);
	} else {
		s.scale = make_scalar(m, DT_FLOAT, scale);
		s.zero = zero == 0 && make_chance(m, 0.05) ? NULL : make_scalar(m, t, zero);
	}
	m->has_unused = 1;
	w = make_random(m, s.zero ? t : DT_INT8, w->type.rank, w->type.dims, zero - WEIGHTS, zero + WEIGHTS);
	return make_set_bound(m, quant_sample_back(m, w, &s), 2);
}

const struct around around_qdq = {.summary = "DequantizeLinear before, QuantizeLinear behind",
				  .block = "QuantizeDequantize",
				  .share = 0.35,
				  .fits = fits,
				  .before = before,
				  .after = after,
				  .weights = weights};
