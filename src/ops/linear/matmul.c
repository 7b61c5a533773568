/* matmul.c - MatMul (1, 9, 13): numpy's matmul.
 *
 *   A [batch…, m, k]   B [batch…, k, n]   Y [batch…, m, n]     batches broadcast; a 1-D operand is a row (A) or column
 * (B)
 */
#include <string.h>

#include "ops/engine/product.h"
#include "ops/linear/samplers.h"

/* Operand dims as a stack of matrices: a vector gets a dimension of 1, which the output loses again. */
static int as_matrices(struct call *c, int i, int64_t *dims)
{
	const struct type *t = &c->in_type[i];

	if (t->rank == 0)
		return call_bad(c, "input %d is a scalar", i);
	if (t->rank == 1 && i == 0) {
		dims[0] = 1;
		dims[1] = t->dims[0];
	} else if (t->rank == 1) {
		dims[0] = t->dims[0];
		dims[1] = 1;
	} else {
		memcpy(dims, t->dims, (size_t)t->rank * sizeof *dims);
	}
	return t->rank == 1 ? 2 : t->rank;
}

static int matmul_infer(struct call *c)
{
	const struct type *ta = call_shape(c, 0), *tb = call_shape(c, 1);
	int64_t a[TENSOR_MAX_RANK], b[TENSOR_MAX_RANK], y[TENSOR_MAX_RANK];
	int ra, rb, rank, n = 0;

	if (!ta || !tb) {
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
		return 0;
	}
	ra = as_matrices(c, 0, a);
	rb = ra < 0 ? ra : as_matrices(c, 1, b);
	if (rb < 0)
		return rb;
	if (a[ra - 1] >= 0 && b[rb - 2] >= 0 && a[ra - 1] != b[rb - 2])
		return call_bad(c, "inner dimensions differ: %lld and %lld", (long long)a[ra - 1],
				(long long)b[rb - 2]);
	rank = ra > rb ? ra : rb;
	for (int i = 0; i < rank - 2; i++) {
		int64_t x = i >= rank - ra ? a[i - (rank - ra)] : 1, z = i >= rank - rb ? b[i - (rank - rb)] : 1;

		if (x >= 0 && z >= 0 && x != z && x != 1 && z != 1)
			return call_bad(c, "batch dimensions do not broadcast: %lld and %lld", (long long)x,
					(long long)z);
		y[n++] = x == 1 ? z : z == 1 || x == z || x >= 0 ? x : z >= 0 ? z : DIM_UNKNOWN;
	}
	if (ta->rank > 1)
		y[n++] = a[ra - 2];
	if (tb->rank > 1)
		y[n++] = b[rb - 1];
	call_out(c, 0, c->out_type[0].dtype, n, y);
	return 0;
}

/* Offsets of each batch in one operand: batch dims of the output against the operand's own. */
static void batch_offsets(const int64_t *dims, int rank, const int64_t *batch, int n, size_t matrix, size_t count,
			  size_t *at)
{
	int skip = n - (rank - 2);

	for (size_t i = 0; i < count; i++) {
		size_t rest = i, step = matrix, offset = 0;

		for (int d = n - 1; d >= skip; d--) {
			size_t index = rest % (size_t)batch[d];

			rest /= (size_t)batch[d];
			if (dims[d - skip] != 1)
				offset += index * step;
			step *= (size_t)dims[d - skip];
		}
		at[i] = offset;
	}
}

static int matmul_plan(struct call *c, struct product *p)
{
	int64_t a[TENSOR_MAX_RANK], b[TENSOR_MAX_RANK];
	int ra = as_matrices(c, 0, a), rb = as_matrices(c, 1, b), rank = ra > rb ? ra : rb;
	const int64_t *batch = c->out[0]->dims;

	p->shape = gemm_dense((size_t)a[ra - 2], (size_t)b[rb - 1], (size_t)a[ra - 1], 0, 0);
	p->batches = dims_product(batch, 0, rank - 2);
	p->size_a = c->in[0]->count;
	p->size_b = c->in[1]->count;
	p->at_a = call_scratch(c, p->batches, sizeof *p->at_a);
	p->at_b = call_scratch(c, p->batches, sizeof *p->at_b);
	if (!p->at_a || !p->at_b)
		return c->err->code;
	batch_offsets(a, ra, batch, rank - 2, p->shape.m * p->shape.k, p->batches, p->at_a);
	batch_offsets(b, rb, batch, rank - 2, p->shape.k * p->shape.n, p->batches, p->at_b);
	return 0;
}

static int matmul_eval(struct call *c)
{
	struct product p;
	int rc = matmul_plan(c, &p);

	if (rc)
		return rc;
	if (dtype_is_float(c->in[0]->dtype))
		product_f64(&p, c->in[0]->f, c->in[1]->f, c->out[0]->f);
	else
		product_i64(&p, c->in[0]->i, c->in[1]->i, c->out[0]->i);
	return 0;
}

static int matmul_scale(struct call *c, int out, double *s)
{
	struct product p;
	int rc = matmul_plan(c, &p);

	(void)out;
	return rc ? rc : product_scale(c, &p, c->in[0]->f, c->in[1]->f, c->out[0]->f, s);
}

static enum delta_result matmul_delta(struct call *c)
{
	struct product p;

	if (matmul_plan(c, &p))
		return DELTA_FAILED;
	return product_delta(c, &p, c->in[0]->f, c->in[1]->f, c->in_delta[0], c->in_delta[1], c->out_delta[0]);
}

static int matmul_grad(struct call *c)
{
	struct product p;
	int rc = matmul_plan(c, &p);

	if (!rc)
		product_grad(&p, c->in[0]->f, c->in[1]->f, c->out_grad[0]->f, c->in_grad[0] ? c->in_grad[0]->f : NULL,
			     c->in_grad[1] ? c->in_grad[1]->f : NULL);
	return rc;
}

static double matmul_work(const struct call *c)
{
	const struct type *a = &c->in_type[0];

	return a->rank > 0 ? call_elements(&c->out_type[0]) * (double)a->dims[a->rank - 1] : 0;
}

const struct op op_matmul = {
	.samples = SAMPLES({.by = &sampler_matmul, .in = 1, .in_max = 2}),
	.in = {{"A", T_FLOAT | T_WIDE, 'T', 0}, {"B", T_FLOAT | T_WIDE, 'T', 0}},
	.out = {{"Y", T_FLOAT | T_WIDE, 'T', 0}},
	.infer = matmul_infer,
	.eval = matmul_eval,
	.flags = OP_MONOMIALS | OP_PRODUCTS,
	.grad = matmul_grad,
	.scale = matmul_scale,
	.delta = matmul_delta,
	.work = matmul_work,
};
