/* shape.c - operators that give the same elements another shape, or speak of the shape alone.
 *
 * Outputs are views: no element moves (eval aliases the input), and gradients and perturbations pass straight
 * through. */
#include <inttypes.h>

#include "ops/elementwise/samplers.h"
#include "ops/kit/dims.h"
#include "ops/kit/move.h"
#include "ops/shape/samplers.h"

static int view_eval(struct call *c)
{
	return call_alias(c, 0, 0, c->out_type[0].rank, c->out_type[0].dims);
}

#define VIEW_FUNCTIONS .flags = OP_OWN_OUTPUTS | OP_IN_PLACE, .eval = view_eval, .grad = view_grad, .delta = view_delta

/* ---- Reshape ----------------------------------------------------------------------------------------------------- */

/* How many elements are left for the -1 among dims, or DIM_UNKNOWN.  Symbols cancel when both sides have them. */
static int reshape_rest(struct call *c, const struct type *in, const int64_t *dims, int rank, int wild, int64_t *rest)
{
	int64_t whole = 1, part = 1, left[TENSOR_MAX_RANK];
	int n_left = 0, rc;

	for (int a = 0; a < in->rank; a++)
		if (!dim_known(in->dims[a]))
			left[n_left++] = in->dims[a];
		else if ((rc = dim_mul(c, whole, in->dims[a], &whole)))
			return rc;
	*rest = DIM_UNKNOWN;
	for (int a = 0; a < rank; a++) {
		int k = 0;

		if (a == wild)
			continue;
		if (dim_known(dims[a])) {
			if ((rc = dim_mul(c, part, dims[a], &part)))
				return rc;
			continue;
		}
		while (k < n_left && (left[k] != dims[a] || left[k] == DIM_UNKNOWN))
			k++;
		if (k == n_left)
			return 0;
		left[k] = left[--n_left];
	}
	if (n_left == 0) {
		if (part == 0 ? whole != 0 : whole % part != 0)
			return call_bad(c, "cannot reshape %" PRId64 " elements into rows of %" PRId64, whole, part);
		*rest = part ? whole / part : 0;
	} else if (n_left == 1 && whole == part) {
		*rest = left[0];
	}
	return 0;
}

/* Resolves 0 and -1 in dims; *wild is the axis of the -1, or -1. */
static int reshape_dims(struct call *c, const struct type *in, const int64_t *list, int rank, int64_t *dims, int *wild)
{
	int allow_zero = attr_int(c->node, "allowzero") != 0, zero = 0;

	*wild = -1;
	for (int a = 0; a < rank; a++) {
		dims[a] = list[a];
		if (list[a] < -1)
			return call_bad(c, "shape has a dimension of %" PRId64, list[a]);
		if (list[a] == -1) {
			if (*wild >= 0)
				return call_bad(c, "shape has more than one -1");
			*wild = a;
		} else if (list[a] == 0 && allow_zero) {
			zero = 1;
		} else if (list[a] == 0) {
			if (in && a >= in->rank)
				return call_bad(c, "shape copies dimension %d of an input of rank %d", a, in->rank);
			dims[a] = in ? in->dims[a] : DIM_UNKNOWN;
		}
	}
	if (zero && *wild >= 0)
		return call_bad(c, "shape has both 0 and -1 while allowzero is set");
	return 0;
}

static int reshape_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK], have, want;
	const int64_t *list;
	enum ints_found found;
	size_t n;
	int wild, rc;

	if ((rc = call_ints(c, c->version < 5 ? "shape" : NULL, c->version < 5 ? -1 : 1, &list, &n, &found)))
		return rc;
	if (found == INTS_ABSENT)
		return call_bad(c, "no shape is given");
	if (found == INTS_UNKNOWN) {
		int64_t rank = dims_list_length(c, 1);

		call_out_rank(c, 0, c->in_type[0].dtype, rank >= 0 && rank <= TENSOR_MAX_RANK ? (int)rank : -1);
		return 0;
	}
	if ((rc = dims_check_rank(c, (int64_t)n)) || (rc = reshape_dims(c, in, list, (int)n, dims, &wild)))
		return rc;
	if (wild >= 0) {
		dims[wild] = DIM_UNKNOWN;
		if (in && (rc = reshape_rest(c, in, dims, (int)n, wild, &dims[wild])))
			return rc;
	}
	if (in) {
		if ((rc = dim_product(c, in->dims, 0, in->rank, &have)) ||
		    (rc = dim_product(c, dims, 0, (int)n, &want)))
			return rc;
		if (dim_known(have) && dim_known(want) && have != want)
			return call_bad(c, "cannot reshape %" PRId64 " elements into %" PRId64, have, want);
	}
	call_out(c, 0, c->in_type[0].dtype, (int)n, dims);
	return 0;
}

static const struct op_attr reshape_attrs[] = {
	OP_ATTR("shape", ATTR_INTS),
	OP_ATTR("consumed_inputs", ATTR_INTS),
	OP_INT("allowzero", 0),
	{0},
};

const struct op op_reshape = {
	.samples = SAMPLES({.by = &sampler_reshape}),
	.in = {{"data", T_ANY, 'T', 0}, {"shape", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"reshaped", T_ANY, 'T', 0}},
	.attrs = reshape_attrs,
	.infer = reshape_infer,
	VIEW_FUNCTIONS,
};

/* ---- Flatten ----------------------------------------------------------------------------------------------------- */

/* [d0 * … * d(axis-1), d(axis) * …] */
static int flatten_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t axis = attr_int(c->node, "axis"), dims[2];
	int rc;

	if (!in) {
		call_out_rank(c, 0, c->in_type[0].dtype, 2);
		return 0;
	}
	if (axis < -in->rank || axis > in->rank || (axis < 0 && c->version < 11))
		return call_bad(c, "axis %" PRId64 " does not fit rank %d", axis, in->rank);
	if (axis < 0)
		axis += in->rank;
	if ((rc = dim_product(c, in->dims, 0, (int)axis, &dims[0])) ||
	    (rc = dim_product(c, in->dims, (int)axis, in->rank, &dims[1])))
		return rc;
	call_out(c, 0, c->in_type[0].dtype, 2, dims);
	return 0;
}

static const struct op_attr axis_attr[] = {OP_INT("axis", 1), {0}};

const struct op op_flatten = {
	.samples = SAMPLES({.by = &sampler_flatten}),
	.in = {{"input", T_ANY, 'T', 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = axis_attr,
	.infer = flatten_infer,
	VIEW_FUNCTIONS,
};

/* ---- Squeeze, Unsqueeze ------------------------------------------------------------------------------------------ */

static int squeeze_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	enum dtype t = c->in_type[0].dtype;
	int64_t dims[TENSOR_MAX_RANK], n_gone;
	int axes[TENSOR_MAX_RANK], gone[TENSOR_MAX_RANK] = {0}, rank = 0, given, rc;
	enum ints_found found;
	const int64_t *list;
	size_t n;

	if ((rc = call_ints(c, c->version < 13 ? "axes" : NULL, c->version < 13 ? -1 : 1, &list, &n, &found)))
		return rc;
	given = found == INTS_GIVEN;
	if (!in || found == INTS_UNKNOWN) {
		n_gone = found == INTS_UNKNOWN ? dims_list_length(c, 1) : given ? (int64_t)n : -1;
		call_out_rank(c, 0, t, in && n_gone >= 0 && n_gone <= in->rank ? in->rank - (int)n_gone : -1);
		return 0;
	}
	if (given && (rc = dims_axes(c, list, n, in->rank, axes)))
		return rc;
	for (size_t k = 0; given && k < n; k++) {
		if (dim_known(in->dims[axes[k]]) && in->dims[axes[k]] != 1)
			return call_bad(c, "cannot squeeze axis %d of %" PRId64 " elements", axes[k],
					in->dims[axes[k]]);
		gone[axes[k]] = 1;
	}
	for (int a = 0; a < in->rank; a++) {
		if (!given && !dim_known(in->dims[a])) {
			call_out_rank(c, 0, t, -1);
			return 0;
		}
		if (!gone[a] && (given || in->dims[a] != 1))
			dims[rank++] = in->dims[a];
	}
	call_out(c, 0, t, rank, dims);
	return 0;
}

static int unsqueeze_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK], n_new;
	int axes[TENSOR_MAX_RANK], is_new[TENSOR_MAX_RANK] = {0}, rank, rc;
	enum ints_found found;
	const int64_t *list;
	size_t n;

	if ((rc = call_ints(c, c->version < 13 ? "axes" : NULL, c->version < 13 ? -1 : 1, &list, &n, &found)))
		return rc;
	if (found == INTS_ABSENT)
		return call_bad(c, "no axes are given");
	n_new = found == INTS_UNKNOWN ? dims_list_length(c, 1) : (int64_t)n;
	if (n_new > TENSOR_MAX_RANK || (in && n_new > TENSOR_MAX_RANK - in->rank))
		return call_bad(c, "%" PRId64 " new axes are too many", n_new);
	if (!in || found == INTS_UNKNOWN) {
		call_out_rank(c, 0, c->in_type[0].dtype, in && n_new >= 0 ? in->rank + (int)n_new : -1);
		return 0;
	}
	rank = in->rank + (int)n;
	if ((rc = dims_axes(c, list, n, rank, axes)))
		return rc;
	for (size_t k = 0; k < n; k++)
		is_new[axes[k]] = 1;
	for (int a = 0, from = 0; a < rank; a++)
		dims[a] = is_new[a] ? 1 : in->dims[from++];
	call_out(c, 0, c->in_type[0].dtype, rank, dims);
	return 0;
}

static const struct op_attr axes_attr[] = {OP_ATTR("axes", ATTR_INTS), {0}};

const struct op op_squeeze = {
	.samples = SAMPLES({.by = &sampler_squeeze}),
	.in = {{"data", T_ANY, 'T', 0}, {"axes", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"squeezed", T_ANY, 'T', 0}},
	.attrs = axes_attr,
	.infer = squeeze_infer,
	VIEW_FUNCTIONS,
};

const struct op op_unsqueeze = {
	.samples = SAMPLES({.by = &sampler_unsqueeze}),
	.in = {{"data", T_ANY, 'T', 0}, {"axes", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"expanded", T_ANY, 'T', 0}},
	.attrs = axes_attr,
	.infer = unsqueeze_infer,
	VIEW_FUNCTIONS,
};

/* ---- Identity ---------------------------------------------------------------------------------------------------- */

static int identity_infer(struct call *c)
{
	c->out_type[0] = c->in_type[0];
	return 0;
}

static int identity_eval(struct call *c)
{
	if (c->in[0])
		return call_alias(c, 0, 0, c->in[0]->rank, c->in[0]->dims);
	c->out_value[0] = value_ref(c->in_value[0]);
	return 0;
}

const struct op op_identity = {
	.samples = SAMPLES({.by = &sampler_unary, .types = T_F32 | T_F64 | T_INT | T_BOOL}),
	.in = {{"input", T_ANY, 'T', PORT_ANY_KIND}},
	.out = {{"output", T_ANY, 'T', PORT_ANY_KIND}},
	.flags = OP_OWN_OUTPUTS,
	.infer = identity_infer,
	.eval = identity_eval,
	.grad = view_grad,
	.delta = view_delta,
};

/* ---- Shape, Size ------------------------------------------------------------------------------------------------- */

/* The range of axes [*from, *to) that `start` and `end` select, clamped as slices are. */
static void shape_range(const struct call *c, int rank, int *from, int *to)
{
	int64_t start = attr_int(c->node, "start"), end = node_int(c->node, "end", rank); /* no constant */

	start = start < -rank ? 0 : start < 0 ? start + rank : start > rank ? rank : start;
	end = end < -rank ? 0 : end < 0 ? end + rank : end > rank ? rank : end;
	*from = (int)start;
	*to = (int)(end < start ? start : end);
}

static int shape_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t n = DIM_UNKNOWN;
	int from, to;

	if (in) {
		shape_range(c, in->rank, &from, &to);
		n = to - from;
	}
	call_out(c, 0, DT_INT64, 1, &n);
	return 0;
}

static int shape_eval(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int from, to;

	if (!in)
		return call_bad(c, "the rank of the input is not known");
	shape_range(c, in->rank, &from, &to);
	for (int a = from; a < to; a++) {
		if (!dim_known(in->dims[a]))
			return call_bad(c, "dimension %d of the input is not known", a);
		c->out[0]->i[a - from] = in->dims[a];
	}
	return 0;
}

static const struct op_attr shape_attrs[] = {OP_INT("start", 0), OP_ATTR("end", ATTR_INT), {0}};

const struct op op_shape = {
	.samples = SAMPLES({.by = &sampler_shape}),
	.in = {{"data", T_ANY, 0, 0}},
	.out = {{"shape", T_I64, 0, 0}},
	.attrs = shape_attrs,
	.flags = OP_SHAPE_ONLY,
	.infer = shape_infer,
	.eval = shape_eval,
};

static int size_infer(struct call *c)
{
	call_out(c, 0, DT_INT64, 0, NULL);
	return 0;
}

static int size_eval(struct call *c)
{
	const struct type *in = call_shape(c, 0);

	if (!in || !type_is_static(in))
		return call_bad(c, "the shape of the input is not known");
	c->out[0]->i[0] = (int64_t)dims_product(in->dims, 0, in->rank);
	return 0;
}

const struct op op_size = {
	.samples = SAMPLES({.by = &sampler_size}),
	.in = {{"data", T_ANY, 0, 0}},
	.out = {{"size", T_I64, 0, 0}},
	.flags = OP_SHAPE_ONLY,
	.infer = size_infer,
	.eval = size_eval,
};
