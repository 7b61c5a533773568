/* slice.c - Slice: a strided part of each axis, forwards or backwards. */
#include <inttypes.h>

#include "ops/kit/dims.h"
#include "ops/kit/move.h"
#include "ops/shape/samplers.h"

/* What is cut from each axis; n is DIM_UNKNOWN where it cannot be told, or a symbol where the axis stays whole. */
struct slice_cut {
	int64_t start[TENSOR_MAX_RANK], step[TENSOR_MAX_RANK], n[TENSOR_MAX_RANK];
};

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

/* Negative bounds count from the end, then both are clamped: forwards to [0, dim], backwards start to [0, dim - 1] and
 * end to [-1, dim - 1]. */
static void cut_axis(struct slice_cut *cut, int a, int64_t dim, int64_t start, int64_t end, int64_t step)
{
	int64_t lo = step < 0 ? -1 : 0, hi = step < 0 ? dim - 1 : dim;
	uint64_t stride = step < 0 ? -(uint64_t)step : (uint64_t)step;
	int64_t span;

	start = clamp(start < 0 ? start + dim : start, step < 0 && dim ? 0 : lo, hi);
	end = clamp(end < 0 ? end + dim : end, lo, hi);
	span = step < 0 ? start - end : end - start;
	cut->start[a] = start;
	cut->step[a] = step;
	cut->n[a] = span > 0 ? (int64_t)((uint64_t)(span - 1) / stride + 1) : 0;
	if (cut->n[a] <= 1) /* a huge step is never taken */
		cut->step[a] = 1;
}

/* The four lists: attributes in version 1, inputs from 10 on. */
struct slice_lists {
	const int64_t *starts, *ends, *axes, *steps;
	size_t n, n_axes; /* of starts and ends; of axes */
	int known, has_axes, has_steps;
};

static int slice_list(struct call *c, const char *attr, int input, const int64_t **list, size_t *n,
		      enum ints_found *found)
{
	return call_ints(c, c->version < 10 ? attr : NULL, c->version < 10 ? -1 : input, list, n, found);
}

static int slice_read(struct call *c, struct slice_lists *l)
{
	size_t n_ends, n_steps = 0;
	enum ints_found starts, ends, axes, steps = INTS_ABSENT;
	int rc;

	if ((rc = slice_list(c, "starts", 1, &l->starts, &l->n, &starts)) ||
	    (rc = slice_list(c, "ends", 2, &l->ends, &n_ends, &ends)) ||
	    (rc = slice_list(c, "axes", 3, &l->axes, &l->n_axes, &axes)) ||
	    (c->version >= 10 && (rc = slice_list(c, NULL, 4, &l->steps, &n_steps, &steps))))
		return rc;
	if (starts == INTS_ABSENT || ends == INTS_ABSENT)
		return call_bad(c, "starts or ends are missing");
	l->known = starts == INTS_GIVEN && ends == INTS_GIVEN && steps != INTS_UNKNOWN && axes != INTS_UNKNOWN;
	l->has_axes = axes == INTS_GIVEN;
	l->has_steps = steps == INTS_GIVEN;
	if (starts == INTS_GIVEN && ends == INTS_GIVEN && n_ends != l->n)
		return call_bad(c, "%zu starts but %zu ends", l->n, n_ends);
	if (starts == INTS_GIVEN && l->has_axes && l->n_axes != l->n)
		return call_bad(c, "%zu starts but %zu axes", l->n, l->n_axes);
	if (starts == INTS_GIVEN && l->has_steps && n_steps != l->n)
		return call_bad(c, "%zu starts but %zu steps", l->n, n_steps);
	return 0;
}

/* With some list unknown only the axes that are not named stay as they are. */
static int cut_unknown(struct call *c, const struct slice_lists *l, const int64_t *dims, int rank,
		       struct slice_cut *cut)
{
	int axes[TENSOR_MAX_RANK], rc;

	for (int a = 0; a < rank; a++)
		cut->n[a] = l->has_axes ? dims[a] : DIM_UNKNOWN;
	if (!l->has_axes)
		return 0;
	if ((rc = dims_axes(c, l->axes, l->n_axes, rank, axes)))
		return rc;
	for (size_t k = 0; k < l->n_axes; k++)
		cut->n[axes[k]] = DIM_UNKNOWN;
	return 0;
}

static int slice_cut(struct call *c, const int64_t *dims, int rank, struct slice_cut *cut)
{
	int axes[TENSOR_MAX_RANK], rc;
	struct slice_lists l = {0};

	if ((rc = slice_read(c, &l)))
		return rc;
	if (!l.known)
		return cut_unknown(c, &l, dims, rank, cut);
	for (int a = 0; a < rank; a++) {
		cut->start[a] = 0;
		cut->step[a] = 1;
		cut->n[a] = dims[a];
	}
	if (l.n > (size_t)rank)
		return call_bad(c, "%zu starts for rank %d", l.n, rank);
	for (size_t k = 0; k < l.n; k++)
		axes[k] = (int)k;
	if (l.has_axes && (rc = dims_axes(c, l.axes, l.n, rank, axes)))
		return rc;
	for (size_t k = 0; k < l.n; k++) {
		int64_t step = l.has_steps ? l.steps[k] : 1;

		if (step == 0)
			return call_bad(c, "a step is 0");
		if (dim_known(dims[axes[k]]))
			cut_axis(cut, axes[k], dims[axes[k]], l.starts[k], l.ends[k], step);
		else if (step != 1 || l.starts[k] != 0 || l.ends[k] < INT32_MAX)
			cut->n[axes[k]] = DIM_UNKNOWN;
	}
	return 0;
}

static int slice_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	struct slice_cut cut;
	int rc;

	if (!in) {
		call_out_rank(c, 0, c->in_type[0].dtype, -1);
		return 0;
	}
	if ((rc = slice_cut(c, in->dims, in->rank, &cut)))
		return rc;
	call_out(c, 0, c->in_type[0].dtype, in->rank, cut.n);
	return 0;
}

static int slice_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0];
	int64_t from[TENSOR_MAX_RANK], to[TENSOR_MAX_RANK];
	struct strided s;
	struct slice_cut cut;
	int rc;

	if ((rc = slice_cut(m->c, x->dims, x->rank, &cut)))
		return rc;
	dims_strides(x->rank, x->dims, from);
	dims_strides(x->rank, cut.n, to);
	strided_init(&s, 0, 0);
	for (int a = 0; a < x->rank; a++) {
		s.src += cut.start[a] * from[a];
		strided_axis(&s, cut.n[a], to[a], cut.step[a] * from[a]);
	}
	return move_strided(m, 0, 0, &s);
}
MOVE_DEFINE(slice, MOVE_INPUT_0)

static const struct op_attr slice_attrs[] = {
	OP_ATTR("starts", ATTR_INTS),
	OP_ATTR("ends", ATTR_INTS),
	OP_ATTR("axes", ATTR_INTS),
	{0},
};

const struct op op_slice = {
	.samples = SAMPLES({.by = &sampler_strided}, {.name = "PlainSlice", .by = &sampler_slice}),
	.in = {{"data", T_ANY, 'T', 0},
	       {"starts", T_INDEX, 'I', PORT_OPTIONAL},
	       {"ends", T_INDEX, 'I', PORT_OPTIONAL},
	       {"axes", T_INDEX, 'I', PORT_OPTIONAL},
	       {"steps", T_INDEX, 'I', PORT_OPTIONAL}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = slice_attrs,
	.infer = slice_infer,
	MOVE_FUNCTIONS(slice),
};
