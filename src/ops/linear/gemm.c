/* gemm.c - Gemm (1, 6, 7, 9, 11, 13).
 *
 *   A [m,k] or [k,m]   B [k,n] or [n,k]   C broadcasts to [m,n]   Y = alpha op(A) op(B) + beta C
 */
#include <math.h>
#include <string.h>

#include "ops/engine/product.h"
#include "ops/kit/broadcast.h"
#include "ops/linear/samplers.h"

static int fits_output(struct call *c, const int64_t *y)
{
	const struct type *t = call_shape(c, 2);

	if (!t)
		return 0;
	if (t->rank > 2)
		return call_bad(c, "C has rank %d, wanted at most 2", t->rank);
	for (int i = 0; i < t->rank; i++) {
		int64_t have = t->dims[i], want = y[2 - t->rank + i];

		if (have >= 0 && want >= 0 && have != want && have != 1)
			return call_bad(c, "C does not broadcast to the product: dimension %d is %lld, wanted %lld", i,
					(long long)have, (long long)want);
	}
	return 0;
}

static int gemm_infer(struct call *c)
{
	const struct type *a = call_shape(c, 0), *b = call_shape(c, 1);
	int ta = attr_int(c->node, "transA") != 0, tb = attr_int(c->node, "transB") != 0, rc;
	int64_t y[2] = {DIM_UNKNOWN, DIM_UNKNOWN};

	if (c->version < 11 && !call_has(c, 2))
		return call_bad(c, "C is missing, which may be left out only from opset 11 on");
	if ((a && a->rank != 2) || (b && b->rank != 2))
		return call_bad(c, "A and B must have rank 2");
	if (a)
		y[0] = a->dims[ta];
	if (b)
		y[1] = b->dims[!tb];
	if (a && b && a->dims[!ta] >= 0 && b->dims[tb] >= 0 && a->dims[!ta] != b->dims[tb])
		return call_bad(c, "inner dimensions differ: %lld and %lld", (long long)a->dims[!ta],
				(long long)b->dims[tb]);
	rc = fits_output(c, y);
	if (!rc)
		call_out(c, 0, c->out_type[0].dtype, 2, y);
	return rc;
}

static const size_t no_offset; /* one batch at 0 */

static struct product gemm_plan(const struct call *c)
{
	const struct tensor *a = c->in[0], *b = c->in[1];
	int ta = attr_int(c->node, "transA") != 0, tb = attr_int(c->node, "transB") != 0;
	struct product p = {.batches = 1, .at_a = (size_t *)&no_offset, .at_b = (size_t *)&no_offset};

	p.shape = gemm_dense((size_t)a->dims[ta], (size_t)b->dims[!tb], (size_t)a->dims[!ta], ta, tb);
	p.size_a = a->count;
	p.size_b = b->count;
	return p;
}

static const struct tensor *bias_of(const struct call *c)
{
	return c->n_in > 2 ? c->in[2] : NULL;
}

/* y = alpha y + beta C; `absolute` for magnitudes. */
static void add_bias(struct call *c, double *y, int absolute)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	const struct tensor *bias = bias_of(c);
	struct bcast b;

	if (absolute)
		alpha = fabs(alpha);
	for (size_t i = 0; alpha != 1.0 && i < c->out[0]->count; i++)
		y[i] *= alpha;
	if (!bias)
		return;
	bcast_tensors(&b, c->out[0], &bias, 1);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			double term = beta * bias->f[b.at[0] + k * b.stride[0]];

			y[b.out + k] += absolute ? fabs(term) : term;
		}
}

/* Integers: alpha and beta scale in double and are truncated, as far as the specification says anything. */
static void add_bias_i64(struct call *c, int64_t *y)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	const struct tensor *bias = bias_of(c);
	struct bcast b;

	for (size_t i = 0; alpha != 1.0 && i < c->out[0]->count; i++)
		y[i] = (int64_t)(alpha * (double)y[i]);
	if (!bias)
		return;
	bcast_tensors(&b, c->out[0], &bias, 1);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			int64_t term = bias->i[b.at[0] + k * b.stride[0]];

			term = beta == 1.0 ? term : (int64_t)(beta * (double)term);
			y[b.out + k] = (int64_t)((uint64_t)y[b.out + k] + (uint64_t)term);
		}
}

static int gemm_eval(struct call *c)
{
	struct product p = gemm_plan(c);

	if (dtype_is_float(c->in[0]->dtype)) {
		product_f64(&p, c->in[0]->f, c->in[1]->f, c->out[0]->f);
		add_bias(c, c->out[0]->f, 0);
	} else {
		product_i64(&p, c->in[0]->i, c->in[1]->i, c->out[0]->i);
		add_bias_i64(c, c->out[0]->i);
	}
	return 0;
}

static int gemm_scale(struct call *c, int out, double *s)
{
	double alpha = attr_float(c->node, "alpha"), *product;
	size_t n = c->out[out]->count;
	struct product p = gemm_plan(c);
	int rc;

	product = call_scratch(c, n, sizeof *product);
	if (!product)
		return ERR_MEMORY;
	memset(product, 0, n * sizeof *product);
	add_bias(c, product, 0);
	for (size_t i = 0; i < n; i++) /* the output without the bias */
		product[i] = alpha != 0 ? (c->out[out]->f[i] - product[i]) / alpha : 0;
	rc = product_scale(c, &p, c->in[0]->f, c->in[1]->f, product, s);
	if (!rc)
		add_bias(c, s, 1);
	return rc;
}

static enum delta_result gemm_delta(struct call *c)
{
	struct product p = gemm_plan(c);
	float alpha = (float)attr_float(c->node, "alpha");
	size_t n = c->out[0]->count * (size_t)c->lanes;
	enum delta_result r;

	if (c->n_in > 2 && c->in_delta[2])
		return DELTA_DECLINED;
	r = product_delta(c, &p, c->in[0]->f, c->in[1]->f, c->in_delta[0], c->in_delta[1], c->out_delta[0]);
	for (size_t i = 0; alpha != 1.0f && i < n && r == DELTA_DONE; i++)
		c->out_delta[0][i] *= alpha;
	return r;
}

static int gemm_grad(struct call *c)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	const struct tensor *gy = c->out_grad[0];
	struct product p = gemm_plan(c);
	double *g = call_scratch(c, gy->count, sizeof *g);

	if (!g)
		return c->err->code;
	for (size_t i = 0; i < gy->count; i++)
		g[i] = alpha * gy->f[i];
	product_grad(&p, c->in[0]->f, c->in[1]->f, g, c->in_grad[0] ? c->in_grad[0]->f : NULL,
		     c->in_grad[1] ? c->in_grad[1]->f : NULL);
	if (c->n_in < 3 || !c->in_grad[2])
		return 0;
	for (size_t i = 0; i < gy->count; i++)
		g[i] = beta * gy->f[i];
	bcast_sum_into(bcast_shape_of(gy), g, bcast_shape_of(c->in_grad[2]), c->in_grad[2]->f);
	return 0;
}

static double gemm_work(const struct call *c)
{
	const struct type *a = &c->in_type[0];

	return a->rank == 2 ? call_elements(&c->out_type[0]) * (double)a->dims[attr_int(c->node, "transA") ? 0 : 1] : 0;
}

const struct op op_gemm = {
	.samples = SAMPLES({.by = &sampler_gemm}),
	.in = {{"A", T_FLOAT | T_WIDE, 'T', 0},
	       {"B", T_FLOAT | T_WIDE, 'T', 0},
	       {"C", T_FLOAT | T_WIDE, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT | T_WIDE, 'T', 0}},
	.attrs =
		(const struct op_attr[]){
			OP_FLOAT("alpha", 1),
			OP_FLOAT("beta", 1),
			OP_INT("broadcast", 0), /* before 7; broadcasting is always allowed here */
			OP_INT("transA", 0),
			OP_INT("transB", 0),
			{0},
		},
	.infer = gemm_infer,
	.eval = gemm_eval,
	.flags = OP_MONOMIALS | OP_PRODUCTS,
	.grad = gemm_grad,
	.scale = gemm_scale,
	.delta = gemm_delta,
	.work = gemm_work,
};
