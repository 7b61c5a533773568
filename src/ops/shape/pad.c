/* pad.c - Pad and CenterCropPad: elements added or cut at the ends of axes.
 *
 * Along one axis the output is a row of segments: stretches that read the input forwards, backwards (reflect), again
 * and again (edge), or not at all (constant).  The output is the product of the segments of all its axes, and each
 * element of the product is one strided block. */
#include <inttypes.h>
#include <string.h>

#include "ops/kit/dims.h"
#include "ops/kit/move.h"
#include "ops/shape/samplers.h"

enum pad_mode { PAD_CONSTANT, PAD_REFLECT, PAD_EDGE, PAD_WRAP };

struct padding {
	enum pad_mode mode;
	int64_t begin[TENSOR_MAX_RANK], end[TENSOR_MAX_RANK]; /* negative: cut */
};

/* Output [dst, dst + n) of an axis reads src, src + step, …; `fill`: the constant. */
struct pad_segment {
	int64_t dst, src, n, step;
	int fill;
};

struct segments {
	struct pad_segment *at;
	size_t n;
};

/* ---- segments of one axis ---------------------------------------------------------------------------------------- */

static int64_t above_zero(int64_t x)
{
	return x > 0 ? x : 0;
}

/* Checks one axis of `dim` elements; *out is its new length. */
static int pad_check(struct call *c, const struct padding *p, int a, int64_t dim, int64_t *out)
{
	int64_t added = above_zero(p->begin[a]), more = above_zero(p->end[a]), core = -1;

	if (p->begin[a] >= -dim && p->end[a] >= -dim)
		core = dim - above_zero(-p->begin[a]) - above_zero(-p->end[a]);
	if (core < 0)
		return call_bad(c, "pads %" PRId64 " and %" PRId64 " cut more than the %" PRId64 " elements of axis %d",
				p->begin[a], p->end[a], dim, a);
	if (core == 0 && p->mode != PAD_CONSTANT && (added || more))
		return call_bad(c, "axis %d has no element to pad with", a);
	if (__builtin_add_overflow(core, added, out) || __builtin_add_overflow(*out, more, out))
		return call_bad(c, "pads %" PRId64 " and %" PRId64 " are too large", p->begin[a], p->end[a]);
	return 0;
}

static void segment_add(struct segments *s, int64_t dst, int64_t src, int64_t n, int64_t step, int fill)
{
	if (n > 0)
		s->at[s->n++] = (struct pad_segment){dst, src, n, step, fill};
}

/* Copies that follow each other with a period of `period` elements: each forwards (wrap), or forwards and backwards in
 * turn (reflect).  Positions count from the first kept element, lo: [-added, length - added). */
static void segments_periodic(struct segments *s, int64_t lo, int64_t period, int64_t added, int64_t length,
			      int reflect)
{
	int64_t k = -((added + period - 1) / period);

	for (int64_t at = k * period; at < length - added; at += period, k++) {
		int64_t from = at < -added ? -added : at;
		int64_t to = at + period > length - added ? length - added : at + period;

		if (reflect && k % 2)
			segment_add(s, from + added, lo + period - (from - at), to - from, -1, 0);
		else
			segment_add(s, from + added, lo + (from - at), to - from, 1, 0);
	}
}

static int pad_segments(struct call *c, const struct padding *p, int a, int64_t dim, struct segments *s)
{
	int64_t added = above_zero(p->begin[a]), more = above_zero(p->end[a]), lo = above_zero(-p->begin[a]);
	int64_t core = dim - lo - above_zero(-p->end[a]), period = p->mode == PAD_WRAP ? core : core - 1;
	int periodic = (p->mode == PAD_WRAP || p->mode == PAD_REFLECT) && core > 1;

	s->n = 0;
	s->at = call_scratch(c, periodic ? (size_t)((added + core + more) / period + 3) : 3, sizeof *s->at);
	if (!s->at)
		return c->err->code;
	if (periodic && (added || more)) {
		segments_periodic(s, lo, period, added, added + core + more, p->mode == PAD_REFLECT);
		return 0;
	}
	segment_add(s, 0, lo, added, 0, p->mode == PAD_CONSTANT);
	segment_add(s, added, lo, core, 1, 0);
	segment_add(s, added + core, lo + core - 1, more, 0, p->mode == PAD_CONSTANT);
	return 0;
}

/* ---- the product of all axes ------------------------------------------------------------------------------------- */

/* Moves the block that segment which[a] of each axis a makes; a constant comes from input fill_in or MOVE_FILL. */
static int pad_block(struct mover *m, const struct segments *segs, const size_t *which, int fill_in)
{
	const struct tensor *x = m->c->in[0];
	int64_t from[TENSOR_MAX_RANK], to[TENSOR_MAX_RANK];
	struct strided s;
	int fill = 0;

	dims_strides(x->rank, x->dims, from);
	dims_strides(x->rank, m->c->out_type[0].dims, to);
	strided_init(&s, 0, 0);
	for (int a = 0; a < x->rank; a++) {
		const struct pad_segment *g = &segs[a].at[which[a]];

		s.dst += g->dst * to[a];
		s.src += g->src * from[a];
		strided_axis(&s, g->n, to[a], g->step * from[a]);
		fill |= g->fill;
	}
	if (!fill)
		return move_strided(m, 0, 0, &s);
	s.src = 0;
	for (int a = 0; a < x->rank; a++)
		s.src_step[a] = 0;
	return move_strided(m, 0, fill_in, &s);
}

static int pad_blocks(struct mover *m, const struct padding *p, int fill_in)
{
	const struct tensor *x = m->c->in[0];
	struct segments segs[TENSOR_MAX_RANK];
	size_t which[TENSOR_MAX_RANK] = {0};
	int a, rc;

	if (!dims_product(m->c->out_type[0].dims, 0, x->rank))
		return 0;
	for (a = 0; a < x->rank; a++)
		if ((rc = pad_segments(m->c, p, a, x->dims[a], &segs[a])))
			return rc;
	do {
		if ((rc = pad_block(m, segs, which, fill_in)))
			return rc;
		for (a = x->rank - 1; a >= 0 && ++which[a] == segs[a].n; a--)
			which[a] = 0;
	} while (a >= 0);
	return 0;
}

/* New dims of an input; what cannot be told stays unknown. */
static int pad_dims(struct call *c, const struct type *in, const struct padding *p, int64_t *dims)
{
	for (int a = 0; a < in->rank; a++) {
		int rc = 0;

		if (dim_known(in->dims[a]))
			rc = pad_check(c, p, a, in->dims[a], &dims[a]);
		else
			dims[a] = p->begin[a] || p->end[a] ? DIM_UNKNOWN : in->dims[a];
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- Pad --------------------------------------------------------------------------------------------------------- */

static int pad_mode(struct call *c, enum pad_mode *mode)
{
	static const char *const names[] = {"constant", "reflect", "edge", "wrap"};
	const char *name = attr_string(c->node, "mode");
	int n = c->version >= 19 ? 4 : 3;

	for (int i = 0; i < n; i++)
		if (!strcmp(name, names[i])) {
			*mode = (enum pad_mode)i;
			return 0;
		}
	return call_bad(c, "mode '%s' is not known", name);
}

/* Reads pads and axes: attributes in versions 1 (named paddings) and 2, inputs from 11 on; *known: they can be read
 * yet.
 */
static int pad_read(struct call *c, int rank, struct padding *p, int *known)
{
	const int64_t *pads, *list = NULL;
	enum ints_found found, found_axes;
	int axes[TENSOR_MAX_RANK], rc;
	size_t n, n_axes = (size_t)rank;

	memset(p, 0, sizeof *p);
	if (c->version < 18 && call_has(c, 3))
		return call_bad(c, "axes are an input from version 18 on");
	if ((rc = pad_mode(c, &p->mode)) ||
	    (rc = call_ints(c,
			    c->version < 2    ? "paddings"
			    : c->version < 11 ? "pads"
					      : NULL,
			    c->version < 11 ? -1 : 1, &pads, &n, &found)) ||
	    (rc = call_ints(c, NULL, c->version < 18 ? -1 : 3, &list, &n_axes, &found_axes)))
		return rc;
	if (found == INTS_ABSENT)
		return call_bad(c, "no pads are given");
	*known = found == INTS_GIVEN && found_axes != INTS_UNKNOWN;
	if (!*known)
		return 0;
	for (int a = 0; a < rank; a++)
		axes[a] = a;
	if (found_axes == INTS_GIVEN && (rc = dims_axes(c, list, n_axes, rank, axes)))
		return rc;
	if (n != 2 * n_axes)
		return call_bad(c, "%zu pads for %zu axes", n, n_axes);
	for (size_t k = 0; k < n_axes; k++) {
		p->begin[axes[k]] = pads[k];
		p->end[axes[k]] = pads[n_axes + k];
		if (pads[k] == INT64_MIN || pads[n_axes + k] == INT64_MIN)
			return call_bad(c, "a pad of %" PRId64, INT64_MIN);
	}
	return 0;
}

static int pad_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0), *value = call_shape(c, 2);
	int64_t dims[TENSOR_MAX_RANK];
	struct padding p;
	int known, rc;

	if (value && (value->rank > 1 || (value->rank == 1 && dim_known(value->dims[0]) && value->dims[0] != 1)))
		return call_bad(c, "constant_value is not a scalar");
	if (c->version < 11 && !dtype_is_float(c->in_type[0].dtype) && c->in_type[0].dtype != DT_UNDEFINED)
		return call_bad(c, "input 0 is %s, wanted floats in this version", dtype_name(c->in_type[0].dtype));
	if (!in) {
		call_out_rank(c, 0, c->in_type[0].dtype, -1);
		return 0;
	}
	if ((rc = pad_read(c, in->rank, &p, &known)))
		return rc;
	if (!known) {
		call_out_rank(c, 0, c->in_type[0].dtype, in->rank);
		return 0;
	}
	if ((rc = pad_dims(c, in, &p, dims)))
		return rc;
	call_out(c, 0, c->in_type[0].dtype, in->rank, dims);
	return 0;
}

static int pad_move(struct mover *m)
{
	struct call *c = m->c;
	struct tensor *value = NULL;
	struct padding p;
	int known, rc;

	if ((rc = pad_read(c, c->in[0]->rank, &p, &known)))
		return rc;
	if (c->version < 11 && m->mode == MOVE_EVAL) {
		value = tensor_scalar_f(c->in[0]->dtype, attr_float(c->node, "value"), c->err);
		if (!value)
			return c->err->code;
		m->fill = value;
	}
	rc = pad_blocks(m, &p, c->version >= 11 && call_has(c, 2) ? 2 : MOVE_FILL);
	tensor_unref(value);
	return rc;
}
MOVE_DEFINE(pad, MOVE_INPUT_0 | 1u << 2)

static const struct op_attr pad_attrs[] = {
	OP_STRING("mode", "constant"),
	OP_ATTR("pads", ATTR_INTS),
	OP_ATTR("paddings", ATTR_INTS),
	OP_FLOAT("value", 0),
	{0},
};

const struct op op_pad = {
	.samples = SAMPLES({.by = &sampler_pad}),
	.in = {{"data", T_ANY, 'T', 0},
	       {"pads", T_I64, 0, PORT_OPTIONAL},
	       {"constant_value", T_ANY, 'T', PORT_OPTIONAL | PORT_UNTRAINED},
	       {"axes", T_INDEX, 0, PORT_OPTIONAL}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = pad_attrs,
	.infer = pad_infer,
	MOVE_FUNCTIONS(pad),
};

/* ---- CenterCropPad ----------------------------------------------------------------------------------------------- */

/* The difference between the wanted and the present length, half of it (rounded towards zero) at the beginning. */
static int center_read(struct call *c, const int64_t *dims, int rank, struct padding *p, int64_t *out, int *known)
{
	const int64_t *shape, *list = NULL;
	enum ints_found found, found_axes;
	int axes[TENSOR_MAX_RANK], rc;
	size_t n, n_axes = (size_t)rank;

	memset(p, 0, sizeof *p);
	if ((rc = call_ints(c, NULL, 1, &shape, &n, &found)) ||
	    (rc = call_ints(c, "axes", -1, &list, &n_axes, &found_axes)))
		return rc;
	*known = found == INTS_GIVEN;
	for (int a = 0; a < rank; a++) {
		axes[a] = a;
		out[a] = dims[a];
	}
	if (found_axes == INTS_GIVEN && (rc = dims_axes(c, list, n_axes, rank, axes)))
		return rc;
	if (*known && n != n_axes)
		return call_bad(c, "shape has %zu dimensions for %zu axes", n, n_axes);
	for (size_t k = 0; k < n_axes; k++) {
		int64_t more;

		out[axes[k]] = *known ? shape[k] : DIM_UNKNOWN;
		if (*known && shape[k] < 0)
			return call_bad(c, "shape has a dimension of %" PRId64, shape[k]);
		if (!*known || !dim_known(dims[axes[k]]))
			continue;
		more = shape[k] - dims[axes[k]];
		p->begin[axes[k]] = more / 2;
		p->end[axes[k]] = more - more / 2;
	}
	return 0;
}

static int center_crop_pad_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK];
	struct padding p;
	int known, rc;

	if (!in) {
		call_out_rank(c, 0, c->in_type[0].dtype, -1);
		return 0;
	}
	if ((rc = center_read(c, in->dims, in->rank, &p, dims, &known)))
		return rc;
	call_out(c, 0, c->in_type[0].dtype, in->rank, dims);
	return 0;
}

static int center_crop_pad_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0];
	int64_t dims[TENSOR_MAX_RANK];
	struct padding p;
	int known, rc;

	if ((rc = center_read(m->c, x->dims, x->rank, &p, dims, &known)))
		return rc;
	return pad_blocks(m, &p, MOVE_FILL);
}
MOVE_DEFINE(center_crop_pad, MOVE_INPUT_0)

static const struct op_attr center_crop_pad_attrs[] = {OP_ATTR("axes", ATTR_INTS), {0}};

const struct op op_center_crop_pad = {
	.samples = SAMPLES({.by = &sampler_crop_pad}),
	.in = {{"input_data", T_ANY, 'T', 0}, {"shape", T_INDEX, 0, 0}},
	.out = {{"output_data", T_ANY, 'T', 0}},
	.attrs = center_crop_pad_attrs,
	.infer = center_crop_pad_infer,
	MOVE_FUNCTIONS(center_crop_pad),
};
