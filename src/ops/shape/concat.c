/* concat.c - Concat and Split: tensors joined and taken apart along one axis. */
#include <inttypes.h>

#include "ops/kit/dims.h"
#include "ops/kit/move.h"
#include "ops/shape/samplers.h"

/* The block that is the part [at, at + n) of `axis` in a tensor of dims `whole`, and all of a tensor of its own. */
static void part_block(struct strided *s, int rank, const int64_t *whole, int axis, int64_t at, int64_t n,
		       int part_is_source)
{
	int64_t outer = (int64_t)dims_product(whole, 0, axis), inner = (int64_t)dims_product(whole, axis + 1, rank);
	int64_t step_whole = whole[axis] * inner, step_part = n * inner;

	strided_init(s, part_is_source ? at * inner : 0, part_is_source ? 0 : at * inner);
	strided_axis(s, outer, part_is_source ? step_whole : step_part, part_is_source ? step_part : step_whole);
	strided_axis(s, n * inner, 1, 1);
}

/* ---- Concat ------------------------------------------------------------------------------------------------------ */

static int concat_axis(struct call *c, int rank, int *axis)
{
	if (rank == 0)
		return call_bad(c, "cannot concatenate scalars");
	return call_axis(c, attr_int(c->node, "axis"), rank, axis);
}

/* Adds input i to dims, the output so far. */
static int concat_add(struct call *c, int i, int axis, int rank, int64_t *dims)
{
	const struct type *in = call_shape(c, i);
	int rc = 0;

	if (!in) {
		dims[axis] = DIM_UNKNOWN;
		return 0;
	}
	if (in->rank != rank)
		return call_bad(c, "input %d has rank %d, input before it %d", i, in->rank, rank);
	for (int a = 0; a < rank && !rc; a++)
		if (a == axis)
			rc = dim_add(c, dims[a], in->dims[a], &dims[a]);
		else
			rc = dim_unify(c, &dims[a], in->dims[a], "a dimension beside the axis");
	return rc;
}

static int concat_infer(struct call *c)
{
	int64_t dims[TENSOR_MAX_RANK];
	const struct type *first = NULL;
	int unknown = 0, axis, rc;

	for (int i = 0; i < c->n_in; i++) {
		if (!call_has(c, i))
			return call_bad(c, "input %d is left out", i);
		if (!first)
			first = call_shape(c, i);
		unknown |= !call_shape(c, i);
	}
	if (!first) {
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
		return 0;
	}
	if ((rc = concat_axis(c, first->rank, &axis)))
		return rc;
	for (int a = 0; a < first->rank; a++)
		dims[a] = a == axis ? 0 : DIM_UNKNOWN;
	for (int i = 0; i < c->n_in; i++)
		if ((rc = concat_add(c, i, axis, first->rank, dims)))
			return rc;
	if (unknown)
		dims[axis] = DIM_UNKNOWN;
	call_out(c, 0, c->out_type[0].dtype, first->rank, dims);
	return 0;
}

static int concat_move(struct mover *m)
{
	const struct type *out = &m->c->out_type[0];
	int64_t at = 0;
	int axis, rc = concat_axis(m->c, out->rank, &axis);

	for (int i = 0; i < m->c->n_in && !rc; i++) {
		int64_t n = m->c->in[i]->dims[axis];
		struct strided s;

		part_block(&s, out->rank, out->dims, axis, at, n, 1);
		rc = move_strided(m, 0, i, &s);
		at += n;
	}
	return rc;
}
MOVE_DEFINE(concat, MOVE_ALL_INPUTS)

static const struct op_attr concat_attrs[] = {OP_INT("axis", 1), OP_NEEDS_SINCE(4, "axis", ATTR_INT), {0}};

const struct op op_concat = {
	.samples = SAMPLES({.by = &sampler_concat, .in = 2, .in_max = 6}),
	.in = {{"inputs", T_ANY, 'T', PORT_VARIADIC}},
	.out = {{"concat_result", T_ANY, 'T', 0}},
	.attrs = concat_attrs,
	.infer = concat_infer,
	MOVE_FUNCTIONS(concat),
};

/* ---- Split ------------------------------------------------------------------------------------------------------- */

/* The length of each output, DIM_UNKNOWN where it cannot be told.  Three ways to say it: a list (attribute or input),
 * num_outputs (18+; the last part may be smaller), or equal parts for all outputs of the node. */
static int split_lengths(struct call *c, int64_t dim, int64_t *len)
{
	int64_t n_parts = node_int(c->node, "num_outputs", c->n_out), sum = 0, part; /* no constant */
	const int64_t *list;
	size_t n;
	enum ints_found found;
	int rc;

	if ((rc = call_ints(c, c->version < 13 ? "split" : NULL, c->version < 13 && c->version > 1 ? -1 : 1, &list, &n,
			    &found)))
		return rc;
	if (found == INTS_GIVEN) {
		if (n != (size_t)c->n_out)
			return call_bad(c, "%zu lengths for %d outputs", n, c->n_out);
		for (size_t k = 0; k < n; k++) {
			len[k] = list[k];
			if (list[k] < 0 || __builtin_add_overflow(sum, list[k], &sum))
				return call_bad(c, "split has a length of %" PRId64, list[k]);
		}
		if (dim_known(dim) && sum != dim)
			return call_bad(c, "the lengths sum to %" PRId64 ", the axis has %" PRId64, sum, dim);
		return 0;
	}
	if (found == INTS_ABSENT && n_parts != c->n_out)
		return call_bad(c, "num_outputs is %" PRId64 " for %d outputs", n_parts, c->n_out);
	if (found == 0 && dim_known(dim) && dim % n_parts && c->version < 18)
		return call_bad(c, "an axis of %" PRId64 " does not split into %" PRId64 " equal parts", dim, n_parts);
	for (int k = 0; k < c->n_out; k++)
		len[k] = DIM_UNKNOWN;
	if (found || !dim_known(dim))
		return 0;
	part = dim / n_parts + (dim % n_parts != 0);
	for (int k = 0; k < c->n_out; k++, dim -= part < dim ? part : dim)
		len[k] = part < dim ? part : dim;
	return 0;
}

static int split_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK], *len = call_scratch(c, (size_t)c->n_out, sizeof *len);
	int axis, rc;

	if (!len)
		return c->err->code;
	if (!in) {
		for (int k = 0; k < c->n_out; k++)
			call_out_rank(c, k, c->in_type[0].dtype, -1);
		return 0;
	}
	if ((rc = call_axis(c, attr_int(c->node, "axis"), in->rank, &axis)) ||
	    (rc = split_lengths(c, in->dims[axis], len)))
		return rc;
	for (int k = 0; k < c->n_out; k++) {
		for (int a = 0; a < in->rank; a++)
			dims[a] = a == axis ? len[k] : in->dims[a];
		call_out(c, k, c->in_type[0].dtype, in->rank, dims);
	}
	return 0;
}

static int split_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0];
	int64_t at = 0, *len = call_scratch(m->c, (size_t)m->c->n_out, sizeof *len);
	int axis, rc;

	if (!len)
		return m->c->err->code;
	rc = call_axis(m->c, attr_int(m->c->node, "axis"), x->rank, &axis);
	if (!rc)
		rc = split_lengths(m->c, x->dims[axis], len);
	for (int k = 0; k < m->c->n_out && !rc; k++) {
		struct strided s;

		part_block(&s, x->rank, x->dims, axis, at, len[k], 0);
		rc = move_strided(m, k, 0, &s);
		at += len[k];
	}
	return rc;
}
MOVE_DEFINE(split, MOVE_INPUT_0)

static const struct op_attr split_attrs[] = {
	OP_INT("axis", 0),
	OP_ATTR("split", ATTR_INTS),
	OP_ATTR("num_outputs", ATTR_INT),
	{0},
};

const struct op op_split = {
	.samples = SAMPLES({.by = &sampler_split}),
	.in = {{"input", T_ANY, 'T', 0}, {"split", T_ANY, 0, PORT_OPTIONAL}},
	.out = {{"outputs", T_ANY, 'T', PORT_VARIADIC}},
	.attrs = split_attrs,
	.infer = split_infer,
	MOVE_FUNCTIONS(split),
};
