/* unpool.c - MaxUnpool: puts each x where its index says, zeros elsewhere.
 *
 * Indices count through the shape that strides, pads and kernel give, (in - 1) * stride - pads + kernel along each
 * axis; a larger output_shape adds zeros behind it, as the specification's own test has it.  When an index comes twice,
 * the last element wins. */
#include <string.h>

#include "ops/call.h"
#include "ops/kit/spatial.h"
#include "ops/pool/samplers.h"

enum { IN_X, IN_INDEX, IN_SHAPE };

/* The shape that the indices count through; unknown sizes stay unknown. */
static int natural_shape(struct call *c, int rank, const int64_t *in, int64_t *out)
{
	struct spatial s;
	int rc;

	if (rank < 3)
		return call_bad(c, "X has rank %d, wanted at least 3", rank);
	rc = spatial_attrs(c, &s, rank - 2, NULL);
	if (rc)
		return rc;
	for (int i = 0; i < rank; i++)
		out[i] = in[i];
	for (int i = 0; i < s.n; i++) {
		int64_t x = in[i + 2];

		if (x > INT32_MAX)
			return call_bad(c, "X has %lld elements along axis %d", (long long)x, i + 2);
		out[i + 2] = x < 0 ? DIM_UNKNOWN : (x - 1) * s.stride[i] - s.pad_begin[i] - s.pad_end[i] + s.kernel[i];
		if (x >= 0 && out[i + 2] < 0)
			return call_bad(c, "padding leaves nothing along axis %d", i + 2);
	}
	return 0;
}

static int max_unpool_infer(struct call *c)
{
	const struct type *x = call_shape(c, IN_X), *index = call_shape(c, IN_INDEX);
	int64_t natural[TENSOR_MAX_RANK];
	const int64_t *shape;
	size_t count;
	enum ints_found found;
	int rc;

	if (!x) {
		call_out_rank(c, 0, c->in_type[IN_X].dtype, -1);
		return 0;
	}
	rc = natural_shape(c, x->rank, x->dims, natural);
	if (!rc)
		rc = call_ints(c, NULL, IN_SHAPE, &shape, &count, &found);
	if (rc)
		return rc;
	for (int i = 0; index && i < x->rank; i++)
		if (index->rank != x->rank || (index->dims[i] >= 0 && x->dims[i] >= 0 && index->dims[i] != x->dims[i]))
			return call_bad(c, "indices have another shape than X");
	if (found == INTS_UNKNOWN) {
		call_out_rank(c, 0, x->dtype, x->rank);
		return 0;
	}
	if (found == INTS_GIVEN && count != (size_t)x->rank)
		return call_bad(c, "output_shape has %zu numbers, wanted %d", count, x->rank);
	for (int i = 0; found == INTS_GIVEN && i < x->rank; i++)
		if (shape[i] < 0 || shape[i] < natural[i] || (i < 2 && natural[i] >= 0 && shape[i] != natural[i]))
			return call_bad(c, "output_shape has %lld along axis %d, which unpooling makes %lld",
					(long long)shape[i], i, (long long)natural[i]);
	call_out(c, 0, x->dtype, x->rank, found == INTS_GIVEN ? shape : natural);
	return 0;
}

/* where[e] = index in the output of element e. */
static int places(struct call *c, size_t **where)
{
	const struct tensor *x = c->in[IN_X], *y = c->out[0];
	int64_t natural[TENSOR_MAX_RANK], strides[TENSOR_MAX_RANK];
	int rc = natural_shape(c, x->rank, x->dims, natural);
	size_t total = dims_product(natural, 0, x->rank);

	if (rc)
		return rc;
	dims_strides(y->rank, y->dims, strides);
	*where = call_scratch(c, x->count, sizeof **where);
	if (!*where)
		return ERR_MEMORY;
	for (size_t e = 0; e < x->count; e++) {
		int64_t index = c->in[IN_INDEX]->i[e];

		if (index < 0 || (size_t)index >= total)
			return call_bad(c, "index %lld is outside of %zu elements", (long long)index, total);
		for (int i = x->rank - 1; i >= 0; i--) {
			(*where)[e] += (size_t)(index % natural[i] * strides[i]);
			index /= natural[i];
		}
	}
	return 0;
}

static int max_unpool_eval(struct call *c)
{
	size_t *where;
	int rc = places(c, &where);

	if (rc)
		return rc;
	memset(c->out[0]->f, 0, c->out[0]->count * sizeof(double));
	for (size_t e = 0; e < c->in[IN_X]->count; e++)
		c->out[0]->f[where[e]] = c->in[IN_X]->f[e];
	return 0;
}

static int max_unpool_grad(struct call *c)
{
	size_t *where, *owner;
	int rc;

	if (!c->in_grad[IN_X] || !c->out_grad[0])
		return 0;
	rc = places(c, &where);
	if (rc)
		return rc;
	owner = call_scratch(c, c->out[0]->count, sizeof *owner);
	if (!owner)
		return ERR_MEMORY;
	for (size_t e = 0; e < c->in[IN_X]->count; e++)
		owner[where[e]] = e;
	for (size_t e = 0; e < c->in[IN_X]->count; e++)
		if (owner[where[e]] == e)
			c->in_grad[IN_X]->f[e] += c->out_grad[0]->f[where[e]];
	return 0;
}

static const struct op_attr max_unpool_attrs[] = {
	OP_NEEDS("kernel_shape", ATTR_INTS),
	OP_INTS("pads", 0),
	OP_INTS("strides", 1),
	{0},
};

const struct op op_max_unpool = {
	.samples = SAMPLES({.by = &sampler_unpool}),
	.in = {{"X", T_FLOAT, 'T', 0}, {"I", T_I64, 0, 0}, {"output_shape", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"output", T_FLOAT, 'T', 0}},
	.attrs = max_unpool_attrs,
	.infer = max_unpool_infer,
	.eval = max_unpool_eval,
	.grad = max_unpool_grad,
};
