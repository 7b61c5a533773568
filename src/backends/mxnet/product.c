/* product.c - products of matrices. */
#include <string.h>

#include "backends/mxnet/mxnet.h"

#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

/* [1, …] in front of (or, for B, behind) a vector. */
static void *as_matrix(struct bind_call *c, int i, const struct type *t, int first, int64_t *dims, int *rank)
{
	*rank = t->rank;
	memcpy(dims, t->dims, sizeof t->dims);
	if (t->rank != 1)
		return c->in[i];
	dims[first ? 1 : 0] = t->dims[0];
	dims[first ? 0 : 1] = 1;
	*rank = 2;
	return mx_reshape(c, c->in[i], 2, dims);
}

/* The last two axes of a, the others broadcast to batch[n] and made one. */
static void *as_batch(struct bind_call *c, void *a, int rank, const int64_t *dims, const int64_t *batch, int n)
{
	int64_t to[TENSOR_MAX_RANK + 2], flat[3] = {1};

	for (int i = 0; i < n; i++) {
		to[i] = batch[i];
		flat[0] *= batch[i];
	}
	to[n] = flat[1] = dims[rank - 2];
	to[n + 1] = flat[2] = dims[rank - 1];
	return mx_reshape(c, mx_broadcast(c, a, n + 2, to), 3, flat);
}

static int run_matmul(struct bind_call *c)
{
	const struct type *a = bind_type(c, 0), *b = bind_type(c, 1), *t = mx_out_type(c, 0);
	int64_t a_dims[TENSOR_MAX_RANK], b_dims[TENSOR_MAX_RANK], batch[TENSOR_MAX_RANK];
	int a_rank, b_rank, n, rc = mx_only(c, FLOATS);
	void *x, *y;

	if (rc || !a || !b || !t)
		return c->err->code;
	x = as_matrix(c, 0, a, 1, a_dims, &a_rank);
	y = as_matrix(c, 1, b, 0, b_dims, &b_rank);
	if (a_rank == 2 && b_rank == 2)
		return mx_give(c, 0, mx_reshape(c, mx_op2(c, "dot", x, y), t->rank, t->dims));
	if (t->dtype == DT_FLOAT16)
		return bind_unsupported(c, "several products of float16 matrices at once");
	n = (a_rank > b_rank ? a_rank : b_rank) - 2;
	for (int i = 0; i < n; i++) {
		int64_t p = i + a_rank - 2 - n >= 0 ? a_dims[i + a_rank - 2 - n] : 1;
		int64_t q = i + b_rank - 2 - n >= 0 ? b_dims[i + b_rank - 2 - n] : 1;

		batch[i] = p == 1 ? q : p;
	}
	x = as_batch(c, x, a_rank, a_dims, batch, n);
	y = as_batch(c, y, b_rank, b_dims, batch, n);
	return mx_give(c, 0, mx_reshape(c, mx_op2(c, "batch_dot", x, y), t->rank, t->dims));
}

/* α A' B' + β C.  What networks have (α = β = 1, B transposed, a bias for each column) is the library's
 * FullyConnected. */
static int run_gemm(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	int ta = attr_int(c->node, "transA") != 0, tb = attr_int(c->node, "transB") != 0;
	const struct type *w = bind_type(c, 1), *bias = bind_has(c, 2) ? bind_type(c, 2) : NULL, *t = mx_out_type(c, 0);
	int rc = mx_only(c, FLOATS);
	void *y;

	if (rc || !w || !t || (bind_has(c, 2) && !bias))
		return c->err->code;
	if (!ta && tb && alpha == 1.0 && beta == 1.0 && bias && bias->rank == 1 && bias->dims[0] == w->dims[0])
		return mx_give(
			c, 0, mx_op(c, "FullyConnected", 3, c->in, "num_hidden=%lld;flatten=0", (long long)w->dims[0]));
	y = mx_op(c, "dot", 2, c->in, "transpose_a=%d;transpose_b=%d", ta, tb);
	if (alpha != 1.0)
		y = mx_scalar(c, "_mul_scalar", y, alpha);
	if (bias)
		y = mx_op2(c, "broadcast_add", y, beta == 1.0 ? c->in[2] : mx_scalar(c, "_mul_scalar", c->in[2], beta));
	return mx_give(c, 0, y);
}

static int run_einsum(struct bind_call *c)
{
	const char *equation = attr_string(c->node, "equation");
	char *compact = arena_strdup(c->tmp, equation);
	size_t n = 0;

	if (!compact)
		return err_nomem(c->err, "an equation", strlen(equation));
	for (; *equation; equation++)
		if (*equation != ' ')
			compact[n++] = *equation;
	compact[n] = '\0';
	if (strchr(compact, ';') || strchr(compact, '='))
		return err_set(c->err, ERR_INPUT, "equation '%s'", compact);
	return mx_give(c, 0, mx_op(c, c->row->native, c->n_in, c->in, "num_args=%d;subscripts=%s", c->n_in, compact));
}

const struct binding mx_rows_product[] = {
	{"MatMul", run_matmul, NULL},
	{"Gemm", run_gemm, NULL},
	{"Einsum", run_einsum, "_npi_einsum"},
	{0},
};
