/* unique.c - Unique: the different elements of a tensor, or its different slices along an axis.
 *
 * Slices are sorted by value and then by place, so that equal ones stand together and the first of each group is its
 * first occurrence.  NaNs are equal to each other, as in numpy. */
#include <stdlib.h>

#include "ops/index/samplers.h"
#include "ops/kit/dims.h"
#include "ops/kit/domain.h"
#include "ops/kit/move.h"
#include "ops/kit/order.h"

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static int unique_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK] = {DIM_UNKNOWN}, unknown = DIM_UNKNOWN, n = DIM_UNKNOWN;
	int has_axis = node_has(c->node, "axis"), axis = 0, rc;

	if (x && !has_axis && (rc = dim_product(c, x->dims, 0, x->rank, &n)))
		return rc;
	if (x && has_axis) {
		if ((rc = call_axis(c, node_attr(c->node, "axis")->i, x->rank, &axis)))
			return rc;
		n = x->dims[axis];
		for (int a = 0; a < x->rank; a++)
			dims[a] = a == axis ? DIM_UNKNOWN : x->dims[a];
	}
	if (has_axis && !x)
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
	else
		call_out(c, 0, c->out_type[0].dtype, has_axis ? x->rank : 1, dims);
	call_out(c, 1, DT_INT64, 1, &unknown);
	call_out(c, 2, DT_INT64, 1, &n);
	call_out(c, 3, DT_INT64, 1, &unknown);
	return 0;
}

/* ---- grouping ---------------------------------------------------------------------------------------------------- */

/* x as [outer, n, inner]; slice k is x[:, k, :]. */
struct slices {
	const struct tensor *x;
	size_t outer, n, inner;
};

struct slice {
	const struct slices *all;
	size_t k;     /* its place in the input */
	size_t group; /* which different slice it is */
};

/* The different ones: `first` is where it occurs first. */
struct unique_group {
	size_t first, count, index;
};

static int by_value(const struct slice *a, const struct slice *b)
{
	const struct slices *s = a->all;
	int order = 0;

	for (size_t o = 0; o < s->outer && !order; o++)
		for (size_t i = 0; i < s->inner && !order; i++)
			order = order_compare(s->x, (o * s->n + a->k) * s->inner + i, (o * s->n + b->k) * s->inner + i);
	return order;
}

static int by_value_and_place(const void *pa, const void *pb)
{
	const struct slice *a = pa, *b = pb;
	int order = by_value(a, b);

	return order ? order : (a->k > b->k) - (a->k < b->k);
}

static int by_first(const void *pa, const void *pb)
{
	const struct unique_group *a = pa, *b = pb;

	return (a->first > b->first) - (a->first < b->first);
}

/* Sorts the slices and counts the groups; returns how many there are. */
static size_t find_groups(struct slice *slices, size_t n, struct unique_group *groups)
{
	size_t n_groups = 0;

	qsort(slices, n, sizeof *slices, by_value_and_place);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || by_value(&slices[i - 1], &slices[i])) {
			groups[n_groups] = (struct unique_group){slices[i].k, 0, n_groups};
			n_groups++;
		}
		groups[n_groups - 1].count++;
		slices[i].group = n_groups - 1;
	}
	return n_groups;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

static int write_values(struct call *c, const struct slices *s, const struct unique_group *groups, size_t n_groups,
			int axis)
{
	int64_t dims[TENSOR_MAX_RANK] = {0};
	struct mover m = {.c = c, .mode = MOVE_EVAL, .elem = dtype_wide_size(s->x->dtype)};
	int rank = axis < 0 ? 1 : s->x->rank, rc = 0;

	m.strings = dtype_wide(s->x->dtype) == WIDE_STR;
	for (int a = 0; a < rank && axis >= 0; a++)
		dims[a] = s->x->dims[a];
	dims[axis < 0 ? 0 : axis] = (int64_t)n_groups;
	if (!call_alloc(c, 0, s->x->dtype, rank, dims))
		return c->err->code;
	for (size_t o = 0; o < s->outer; o++)
		for (size_t g = 0; g < n_groups && !rc; g++)
			rc = move_run(&m, 0, (o * n_groups + g) * s->inner, 0, (o * s->n + groups[g].first) * s->inner,
				      s->inner);
	return rc;
}

/* The three lists of integers, each where wanted. */
static int write_lists(struct call *c, const struct slice *slices, size_t n, const struct unique_group *groups,
		       size_t n_groups, const size_t *place)
{
	int64_t lengths[4] = {0, (int64_t)n_groups, (int64_t)n, (int64_t)n_groups};

	for (int out = 1; out < 4; out++)
		if (call_wants(c, out) && !call_alloc(c, out, DT_INT64, 1, &lengths[out]))
			return c->err->code;
	for (size_t g = 0; g < n_groups; g++) {
		if (call_wants(c, 1))
			c->out[1]->i[g] = (int64_t)groups[g].first;
		if (call_wants(c, 3))
			c->out[3]->i[g] = (int64_t)groups[g].count;
	}
	for (size_t i = 0; call_wants(c, 2) && i < n; i++)
		c->out[2]->i[slices[i].k] = (int64_t)place[slices[i].group];
	return 0;
}

static int unique_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	struct slices s = {x, 1, x->count, 1};
	struct slice *slices;
	struct unique_group *groups;
	size_t *place, n_groups;
	int axis = -1, rc;

	if (node_has(c->node, "axis")) {
		if ((rc = call_axis(c, node_attr(c->node, "axis")->i, x->rank, &axis)))
			return rc;
		s.outer = dims_product(x->dims, 0, axis);
		s.n = (size_t)x->dims[axis];
		s.inner = dims_product(x->dims, axis + 1, x->rank);
	}
	if (!(slices = call_scratch(c, s.n, sizeof *slices)) || !(groups = call_scratch(c, s.n, sizeof *groups)) ||
	    !(place = call_scratch(c, s.n, sizeof *place)))
		return c->err->code;
	for (size_t k = 0; k < s.n; k++)
		slices[k] = (struct slice){&s, k, 0};
	n_groups = find_groups(slices, s.n, groups);
	if (!attr_int(c->node, "sorted"))
		qsort(groups, n_groups, sizeof *groups, by_first);
	for (size_t g = 0; g < n_groups; g++)
		place[groups[g].index] = g;
	if ((rc = write_values(c, &s, groups, n_groups, axis)))
		return rc;
	return write_lists(c, slices, s.n, groups, n_groups, place);
}

static const struct op_attr unique_attrs[] = {OP_ATTR("axis", ATTR_INT), OP_INT("sorted", 1), {0}};

const struct op op_unique = {
	.samples = SAMPLES({.by = &sampler_unique}),
	.rules = RULES(DOMAIN_NAN_IN),
	.in = {{"X", T_ANY, 'T', 0}},
	.out = {{"Y", T_ANY, 'T', 0},
		{"indices", T_I64, 0, PORT_OPTIONAL},
		{"inverse_indices", T_I64, 0, PORT_OPTIONAL},
		{"counts", T_I64, 0, PORT_OPTIONAL}},
	.attrs = unique_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = unique_infer,
	.eval = unique_eval,
};
