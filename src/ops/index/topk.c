/* topk.c - TopK: the k largest or smallest elements of each line along an axis, with their places.
 *
 * Equal elements come with the lower index first.  The specification says nothing of NaN: here NaN is above every
 * number, so it leads among the largest and ends the smallest.  Where `sorted` is 0 any order is right; it is sorted
 * here too. */
#include <inttypes.h>
#include <stdlib.h>

#include "ops/index/samplers.h"
#include "ops/kit/dims.h"
#include "ops/kit/domain.h"
#include "ops/kit/order.h"

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static int topk_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK];
	const int64_t *k;
	size_t n;
	enum ints_found found;
	int axis, rc;

	if ((rc = call_ints(c, c->version < 10 ? "k" : NULL, c->version < 10 ? -1 : 1, &k, &n, &found)))
		return rc;
	if (found == INTS_ABSENT || (found == INTS_GIVEN && (n != 1 || k[0] < 0)))
		return call_bad(c, "k is not one number >= 0");
	if (!x) {
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
		call_out_rank(c, 1, DT_INT64, -1);
		return 0;
	}
	if ((rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	for (int a = 0; a < x->rank; a++)
		dims[a] = x->dims[a];
	if (found == INTS_GIVEN && dim_known(dims[axis]) && k[0] > dims[axis])
		return call_bad(c, "k is %" PRId64 " of %" PRId64 " elements", k[0], dims[axis]);
	dims[axis] = found == INTS_GIVEN ? k[0] : DIM_UNKNOWN;
	call_out(c, 0, c->out_type[0].dtype, x->rank, dims);
	call_out(c, 1, DT_INT64, x->rank, dims);
	return 0;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

struct topk_candidate {
	uint64_t key; /* the lower the better */
	size_t index;
};

static int by_key(const void *pa, const void *pb)
{
	const struct topk_candidate *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Sees every element chosen: its index along the axis, its place in the input and in the output. */
typedef void topk_fn(struct call *c, size_t index, size_t src, size_t dst);

static int topk_each(struct call *c, topk_fn *fn)
{
	const struct tensor *x = c->in[0];
	int largest = c->version < 11 || attr_int(c->node, "largest"), axis, rc;
	size_t n, k, outer, inner;
	struct topk_candidate *line;

	if ((rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	n = (size_t)x->dims[axis];
	k = (size_t)(c->version < 10 ? attr_int(c->node, "k") : c->in[1]->i[0]);
	outer = dims_product(x->dims, 0, axis);
	inner = dims_product(x->dims, axis + 1, x->rank);
	if (!(line = call_scratch(c, n, sizeof *line)))
		return c->err->code;
	for (size_t o = 0; o < outer * inner; o++) {
		size_t from = o / inner * n * inner + o % inner, to = o / inner * k * inner + o % inner;

		for (size_t i = 0; i < n; i++) {
			uint64_t key = order_key(x, from + i * inner);

			line[i] = (struct topk_candidate){largest ? ~key : key, i};
		}
		qsort(line, n, sizeof *line, by_key);
		for (size_t i = 0; i < k; i++)
			fn(c, line[i].index, from + line[i].index * inner, to + i * inner);
	}
	return 0;
}

static void topk_write(struct call *c, size_t index, size_t src, size_t dst)
{
	if (c->out[0] && dtype_is_float(c->in[0]->dtype))
		c->out[0]->f[dst] = c->in[0]->f[src];
	else if (c->out[0])
		c->out[0]->i[dst] = c->in[0]->i[src];
	if (call_wants(c, 1))
		c->out[1]->i[dst] = (int64_t)index;
}

static void topk_give_back(struct call *c, size_t index, size_t src, size_t dst)
{
	(void)index;
	c->in_grad[0]->f[src] += c->out_grad[0]->f[dst];
}

static int topk_eval(struct call *c)
{
	return topk_each(c, topk_write);
}

static int topk_grad(struct call *c)
{
	return c->in_grad[0] && c->out_grad[0] ? topk_each(c, topk_give_back) : 0;
}

static const struct op_attr topk_attrs[] = {
	OP_INT("axis", -1),   OP_NEEDS("k", ATTR_INT), OP_ATTR_SINCE(10, "k", ATTR_INT),
	OP_INT("largest", 1), OP_INT("sorted", 1),     {0},
};

const struct op op_top_k = {
	.samples = SAMPLES({.by = &sampler_top_k, .ordered = 1}),
	.rules = RULES(DOMAIN_NAN),
	.in = {{"X", T_NUM, 'T', 0}, {"K", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"Values", T_NUM, 'T', 0}, {"Indices", T_I64, 0, 0}},
	.attrs = topk_attrs,
	.infer = topk_infer,
	.eval = topk_eval,
	.grad = topk_grad,
};
