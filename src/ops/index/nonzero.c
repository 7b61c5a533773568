/* nonzero.c - NonZero, Compress, OneHot: places to values and back. */
#include <inttypes.h>
#include <math.h>

#include "ops/index/samplers.h"
#include "ops/kit/dims.h"
#include "ops/kit/move.h"

/* ---- NonZero ----------------------------------------------------------------------------------------------------- */

/* Output [rank, n]: column j has the coordinates of the j-th element that is not zero, in row-major order.  A scalar
 * has no coordinates: [0, n]. */
static int nonzero_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t dims[2] = {x ? x->rank : DIM_UNKNOWN, DIM_UNKNOWN};

	call_out(c, 0, DT_INT64, 2, dims);
	return 0;
}

static int is_nonzero(const struct tensor *x, size_t i)
{
	switch (dtype_wide(x->dtype)) {
	case WIDE_F64:
		return x->f[i] != 0;
	case WIDE_C64:
		return x->f[2 * i] != 0 || x->f[2 * i + 1] != 0;
	case WIDE_STR:
		return x->s[i].n != 0;
	default:
		return x->i[i] != 0;
	}
}

static int nonzero_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	int64_t dims[2] = {x->rank, 0};
	struct tensor *y;
	size_t j = 0;

	for (size_t i = 0; i < x->count; i++)
		dims[1] += is_nonzero(x, i);
	if (!(y = call_alloc(c, 0, DT_INT64, 2, dims)))
		return c->err->code;
	for (size_t i = 0; i < x->count; i++) {
		size_t rest = i;

		if (!is_nonzero(x, i))
			continue;
		for (int a = x->rank - 1; a >= 0; a--) {
			y->i[(size_t)a * (size_t)dims[1] + j] = (int64_t)(rest % (size_t)x->dims[a]);
			rest /= (size_t)x->dims[a];
		}
		j++;
	}
	return 0;
}

const struct op op_non_zero = {
	.samples = SAMPLES({.by = &sampler_non_zero}),
	.in = {{"X", T_ANY, 0, 0}},
	.out = {{"Y", T_I64, 0, 0}},
	.flags = OP_OWN_OUTPUTS,
	.infer = nonzero_infer,
	.eval = nonzero_eval,
};

/* ---- Compress ---------------------------------------------------------------------------------------------------- */

/* x seen as [outer, n, inner], n the axis that the condition is about; without an axis x is flat. */
static int compress_axis(struct call *c, int rank, const int64_t *dims, int64_t *outer, int64_t *n, int64_t *inner,
			 int *axis)
{
	int rc;

	*axis = -1;
	*outer = *inner = 1;
	if (!node_has(c->node, "axis"))
		return dim_product(c, dims, 0, rank, n);
	if ((rc = call_axis(c, node_attr(c->node, "axis")->i, rank, axis)) ||
	    (rc = dim_product(c, dims, 0, *axis, outer)) || (rc = dim_product(c, dims, *axis + 1, rank, inner)))
		return rc;
	*n = dims[*axis];
	return 0;
}

static int compress_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *cond = call_shape(c, 1);
	int64_t dims[TENSOR_MAX_RANK], outer, n, inner, kept = 0;
	int axis, rc;

	if (cond && cond->rank != 1)
		return call_bad(c, "condition has rank %d, wanted 1", cond->rank);
	if (!x) {
		call_out_rank(c, 0, c->in_type[0].dtype, node_has(c->node, "axis") ? -1 : 1);
		return 0;
	}
	if ((rc = compress_axis(c, x->rank, x->dims, &outer, &n, &inner, &axis)))
		return rc;
	for (size_t i = 0; c->in[1] && i < c->in[1]->count; i++) {
		kept += c->in[1]->i[i] != 0;
		if (c->in[1]->i[i] && dim_known(n) && (int64_t)i >= n)
			return call_bad(c, "condition keeps element %zu of %" PRId64, i, n);
	}
	for (int a = 0; a < x->rank; a++)
		dims[a] = x->dims[a];
	dims[axis < 0 ? 0 : axis] = c->in[1] ? kept : DIM_UNKNOWN;
	call_out(c, 0, c->in_type[0].dtype, axis < 0 ? 1 : x->rank, dims);
	return 0;
}

static int compress_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0], *cond = m->c->in[1];
	int64_t outer, n, inner;
	size_t to = 0;
	int axis, rc;

	if ((rc = compress_axis(m->c, x->rank, x->dims, &outer, &n, &inner, &axis)))
		return rc;
	for (int64_t o = 0; o < outer; o++)
		for (size_t i = 0; i < cond->count && !rc; i++) {
			if (!cond->i[i])
				continue;
			rc = move_run(m, 0, to, 0, (size_t)(o * n + (int64_t)i) * (size_t)inner, (size_t)inner);
			to += (size_t)inner;
		}
	return rc;
}
MOVE_DEFINE(compress, MOVE_INPUT_0)

static const struct op_attr compress_attrs[] = {OP_ATTR("axis", ATTR_INT), {0}};

const struct op op_compress = {
	.samples = SAMPLES({.by = &sampler_compress}),
	.in = {{"input", T_ANY, 'T', 0}, {"condition", T_BOOL, 0, 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = compress_attrs,
	.infer = compress_infer,
	MOVE_FUNCTIONS(compress),
};

/* ---- OneHot ------------------------------------------------------------------------------------------------------ */

/* Element i as an integer, as a cast to int64 gives it; what is out of range becomes INT64_MIN. */
static int64_t whole_number(const struct tensor *t, size_t i)
{
	if (!dtype_is_float(t->dtype))
		return t->dtype == DT_UINT64 && t->i[i] < 0 ? INT64_MIN : t->i[i];
	return fabs(t->f[i]) < 0x1p63 ? (int64_t)t->f[i] : INT64_MIN;
}

/* The new axis; *depth is DIM_UNKNOWN when its value is. */
static int one_hot_axis(struct call *c, int rank, int *axis, int64_t *depth)
{
	int rc = dims_check_rank(c, rank + 1);

	if (rc || (rc = call_axis(c, attr_int(c->node, "axis"), rank + 1, axis)))
		return rc;
	*depth = DIM_UNKNOWN;
	if (!c->in[1])
		return 0;
	if (c->in[1]->rank > 1 || c->in[1]->count != 1)
		return call_bad(c, "depth is not a scalar");
	*depth = whole_number(c->in[1], 0);
	return *depth < 0 ? call_bad(c, "depth is %" PRId64, *depth) : 0;
}

static int one_hot_infer(struct call *c)
{
	const struct type *index = call_shape(c, 0), *values = call_shape(c, 2);
	int64_t dims[TENSOR_MAX_RANK], depth;
	int axis, rc;

	if (values && (values->rank != 1 || (dim_known(values->dims[0]) && values->dims[0] != 2)))
		return call_bad(c, "values must be two: off and on");
	if (!index) {
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
		return 0;
	}
	if ((rc = one_hot_axis(c, index->rank, &axis, &depth)))
		return rc;
	for (int a = 0, from = 0; a <= index->rank; a++)
		dims[a] = a == axis ? depth : index->dims[from++];
	call_out(c, 0, c->out_type[0].dtype, index->rank + 1, dims);
	return 0;
}

/* y[outer, d, inner] = values[1] where d is the index at [outer, inner], else values[0] */
static int one_hot_move(struct mover *m)
{
	const struct tensor *index = m->c->in[0];
	int64_t depth;
	size_t inner;
	int axis, rc;

	if ((rc = one_hot_axis(m->c, index->rank, &axis, &depth)))
		return rc;
	inner = dims_product(index->dims, axis, index->rank);
	for (size_t i = 0; i < index->count; i++) {
		int64_t hot = whole_number(index, i);
		size_t at = i / inner * (size_t)depth * inner + i % inner;

		hot += hot < 0 && hot >= -depth ? depth : 0;
		for (int64_t d = 0; d < depth && !rc; d++)
			rc = move_run(m, 0, at + (size_t)d * inner, 2, d == hot, 1);
	}
	return rc;
}
MOVE_DEFINE(one_hot, 1u << 2)

static const struct op_attr one_hot_attrs[] = {OP_INT("axis", -1), {0}};

const struct op op_one_hot = {
	.samples = SAMPLES({.by = &sampler_one_hot}),
	.in = {{"indices", T_NUM, 0, 0}, {"depth", T_NUM, 0, PORT_SETTING}, {"values", T_ANY, 'T', PORT_UNTRAINED}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = one_hot_attrs,
	.infer = one_hot_infer,
	MOVE_FUNCTIONS(one_hot),
};
