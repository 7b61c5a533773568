/* gather.c - Gather, GatherElements, GatherND: elements picked by index.
 *
 * Indices may be negative, counting from the end; one outside of its axis is an error. */
#include <inttypes.h>

#include "ops/index/gather.h"
#include "ops/index/samplers.h"
#include "ops/kit/dims.h"
#include "ops/kit/move.h"

int gather_index(struct call *c, int64_t index, int64_t dim, int64_t *out)
{
	if (index < -dim || index >= dim)
		return call_bad(c, "index %" PRId64 " is outside of an axis of %" PRId64, index, dim);
	*out = index < 0 ? index + dim : index;
	return 0;
}

/* Checks every index whose value is known already. */
static int check_indices(struct call *c, int input, int64_t dim)
{
	const struct tensor *t = c->in[input];
	int64_t at;
	int rc = 0;

	for (size_t i = 0; t && dim_known(dim) && i < t->count && !rc; i++)
		rc = gather_index(c, t->i[i], dim, &at);
	return rc;
}

static const struct op_attr axis_attr[] = {OP_INT("axis", 0), {0}};

/* ---- Gather ------------------------------------------------------------------------------------------------------ */

/* y[outer…, indices…, inner…] = x[outer…, index, inner…] */
static int gather_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *index = call_shape(c, 1);
	int64_t dims[TENSOR_MAX_RANK];
	int axis, rank = 0, rc;

	if (!x || !index) {
		call_out_rank(c, 0, c->in_type[0].dtype, -1);
		return 0;
	}
	if ((rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis)) ||
	    (rc = dims_check_rank(c, x->rank + index->rank - 1)) || (rc = check_indices(c, 1, x->dims[axis])))
		return rc;
	for (int a = 0; a < axis; a++)
		dims[rank++] = x->dims[a];
	for (int a = 0; a < index->rank; a++)
		dims[rank++] = index->dims[a];
	for (int a = axis + 1; a < x->rank; a++)
		dims[rank++] = x->dims[a];
	call_out(c, 0, c->in_type[0].dtype, rank, dims);
	return 0;
}

static int gather_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0], *index = m->c->in[1];
	int axis, rc = call_axis(m->c, attr_int(m->c->node, "axis"), x->rank, &axis);
	size_t outer, inner, n;

	if (rc)
		return rc;
	outer = dims_product(x->dims, 0, axis);
	inner = dims_product(x->dims, axis + 1, x->rank);
	n = (size_t)x->dims[axis];
	for (size_t o = 0; o < outer; o++)
		for (size_t i = 0; i < index->count; i++) {
			int64_t at = 0;

			if ((rc = gather_index(m->c, index->i[i], x->dims[axis], &at)) ||
			    (rc = move_run(m, 0, (o * index->count + i) * inner, 0, (o * n + (size_t)at) * inner,
					   inner)))
				return rc;
		}
	return 0;
}
MOVE_DEFINE(gather, MOVE_INPUT_0)

const struct op op_gather = {
	.samples = SAMPLES({.by = &sampler_gather}),
	.in = {{"data", T_ANY, 'T', 0}, {"indices", T_INDEX, 0, 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = axis_attr,
	.infer = gather_infer,
	MOVE_FUNCTIONS(gather),
};

/* ---- GatherElements ---------------------------------------------------------------------------------------------- */

static int gather_elements_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *index = call_shape(c, 1);
	int axis, rc;

	if (x && index) {
		if (x->rank != index->rank)
			return call_bad(c, "data has rank %d, indices %d", x->rank, index->rank);
		if ((rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis)) ||
		    (rc = check_indices(c, 1, x->dims[axis])))
			return rc;
		for (int a = 0; a < x->rank; a++)
			if (a != axis && dim_known(x->dims[a]) && index->dims[a] > x->dims[a])
				return call_bad(c, "dimension %d is %" PRId64 " in indices but %" PRId64 " in data", a,
						index->dims[a], x->dims[a]);
	}
	if (index)
		call_out(c, 0, c->in_type[0].dtype, index->rank, index->dims);
	else
		call_out_rank(c, 0, c->in_type[0].dtype, x ? x->rank : -1);
	return 0;
}

int gather_element_positions(struct call *c, const struct tensor *x, const struct tensor *index, int axis, size_t *pos)
{
	int64_t step[TENSOR_MAX_RANK], at[TENSOR_MAX_RANK] = {0};

	dims_strides(x->rank, x->dims, step);
	for (size_t i = 0; i < index->count; i++) {
		int64_t k = 0, p = 0;
		int rc = gather_index(c, index->i[i], x->dims[axis], &k);

		if (rc)
			return rc;
		for (int a = 0; a < x->rank; a++)
			p += (a == axis ? k : at[a]) * step[a];
		pos[i] = (size_t)p;
		for (int a = x->rank - 1; a >= 0 && ++at[a] == index->dims[a]; a--)
			at[a] = 0;
	}
	return 0;
}

/* y[i0, …] = x[i0, …, indices[i0, …], …] */
static int gather_elements_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0], *index = m->c->in[1];
	size_t *pos = call_scratch(m->c, index->count, sizeof *pos);
	int axis, rc;

	if (!pos)
		return m->c->err->code;
	if ((rc = call_axis(m->c, attr_int(m->c->node, "axis"), x->rank, &axis)) ||
	    (rc = gather_element_positions(m->c, x, index, axis, pos)))
		return rc;
	for (size_t i = 0; i < index->count && !rc; i++)
		rc = move_run(m, 0, i, 0, pos[i], 1);
	return rc;
}
MOVE_DEFINE(gather_elements, MOVE_INPUT_0)

const struct op op_gather_elements = {
	.samples = SAMPLES({.by = &sampler_gather_elements}),
	.in = {{"data", T_ANY, 'T', 0}, {"indices", T_INDEX, 0, 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = axis_attr,
	.infer = gather_elements_infer,
	MOVE_FUNCTIONS(gather_elements),
};

/* ---- GatherND ---------------------------------------------------------------------------------------------------- */

static int gather_nd_batch(struct call *c, int rank, int index_rank, int *batch)
{
	int64_t b = attr_int(c->node, "batch_dims");

	if (rank < 1 || index_rank < 1)
		return call_bad(c, "data has rank %d, indices %d, wanted at least 1", rank, index_rank);
	if (b < 0 || b >= rank || b >= index_rank)
		return call_bad(c, "batch_dims is %" PRId64 " for ranks %d and %d", b, rank, index_rank);
	*batch = (int)b;
	return 0;
}

static int gather_nd_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *index = call_shape(c, 1);
	int64_t dims[TENSOR_MAX_RANK], depth;
	int batch, rank = 0, rc;

	if (index && index->rank == 0)
		return call_bad(c, "indices are a scalar, wanted at least rank 1");
	if (!x || !index || !dim_known(index->dims[index->rank - 1])) {
		call_out_rank(c, 0, c->in_type[0].dtype, -1);
		return 0;
	}
	if ((rc = gather_nd_batch(c, x->rank, index->rank, &batch)))
		return rc;
	depth = index->dims[index->rank - 1];
	if (depth < 1 || depth > x->rank - batch)
		return call_bad(c, "indices name %" PRId64 " axes of %d", depth, x->rank - batch);
	if ((rc = dims_check_rank(c, index->rank - 1 + x->rank - batch - depth)))
		return rc;
	for (int a = 0; a < index->rank - 1; a++)
		dims[rank++] = index->dims[a];
	for (int a = 0; a < batch; a++)
		if ((rc = dim_unify(c, &dims[a], x->dims[a], "a batch dimension of data")))
			return rc;
	for (int a = batch + (int)depth; a < x->rank; a++)
		dims[rank++] = x->dims[a];
	call_out(c, 0, c->in_type[0].dtype, rank, dims);
	return 0;
}

int gather_nd_position(struct call *c, const struct tensor *x, int axis, const int64_t *index, int depth, size_t *pos)
{
	int64_t step[TENSOR_MAX_RANK], p = 0, k = 0;

	dims_strides(x->rank, x->dims, step);
	for (int d = 0; d < depth; d++) {
		int rc = gather_index(c, index[d], x->dims[axis + d], &k);

		if (rc)
			return rc;
		p += k * step[axis + d];
	}
	*pos = (size_t)p;
	return 0;
}

/* Each row of indices, `depth` long, names a slice of x within its batch. */
static int gather_nd_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0], *index = m->c->in[1];
	int depth = (int)index->dims[index->rank - 1], batch, rc;
	size_t per_batch, rows, run;

	if ((rc = gather_nd_batch(m->c, x->rank, index->rank, &batch)))
		return rc;
	per_batch = dims_product(x->dims, batch, x->rank);
	rows = dims_product(index->dims, batch, index->rank - 1);
	run = dims_product(x->dims, batch + depth, x->rank);
	for (size_t i = 0; i < index->count / (size_t)depth; i++) {
		size_t pos;

		if ((rc = gather_nd_position(m->c, x, batch, index->i + i * (size_t)depth, depth, &pos)) ||
		    (rc = move_run(m, 0, i * run, 0, i / rows * per_batch + pos, run)))
			return rc;
	}
	return 0;
}
MOVE_DEFINE(gather_nd, MOVE_INPUT_0)

static const struct op_attr gather_nd_attrs[] = {OP_INT("batch_dims", 0), {0}};

const struct op op_gather_nd = {
	.samples = SAMPLES({.by = &sampler_gather_nd}),
	.in = {{"data", T_ANY, 'T', 0}, {"indices", T_I64, 0, 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = gather_nd_attrs,
	.infer = gather_nd_infer,
	MOVE_FUNCTIONS(gather_nd),
};
