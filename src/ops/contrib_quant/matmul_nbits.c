/* matmul_nbits.c - MatMulNBits of com.microsoft: weights of 2, 4 or 8 bits, each block of them with a scale.
 *
 *   A [batch…, m, K]   W [N, K]   bias [N]   Y [batch…, m, N] = A Wᵀ + bias
 *   W[n, k] = (q[n, k] - zero[n, g]) · scale[n, g],   g = g_idx[k], else k / block_size
 *
 * q lies in bytes, the first number in the lowest bits; a block begins with a new byte, a row of zero points too.
 *
 * accuracy_level says how coarse A may become inside: float16, bfloat16, or blocks of int8 with a scale of their own.
 * The reference does not follow any of that.  It computes with A as it is, and what such an A is off by is noise. */
#include <math.h>

#include "ops/engine/product.h"
#include "ops/kit/domain.h"

enum { A, B, SCALES, ZEROS, GROUPS, BIAS };
enum { LEVEL_HALF = 2, LEVEL_BFLOAT, LEVEL_INT8 };

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

struct nbits {
	int64_t n, k, bits, block, level;
	int64_t blocks; /* of a row of W */
	int64_t blob;   /* bytes of a block */
	int64_t row;    /* bytes of a row of packed zero points */
};

static int read_attrs(struct call *c, struct nbits *z)
{
	*z = (struct nbits){.n = attr_int(c->node, "N"),
			    .k = attr_int(c->node, "K"),
			    .bits = attr_int(c->node, "bits"),
			    .block = attr_int(c->node, "block_size"),
			    .level = attr_int(c->node, "accuracy_level")};
	if (z->n < 1 || z->k < 1 || z->n > INT32_MAX || z->k > INT32_MAX)
		return call_bad(c, "N is %lld and K is %lld, wanted 1 to %d", (long long)z->n, (long long)z->k,
				INT32_MAX);
	if (z->bits != 2 && z->bits != 4 && z->bits != 8)
		return call_bad(c, "bits is %lld, wanted 2, 4 or 8", (long long)z->bits);
	if (z->block < 16 || z->block > INT32_MAX || z->block & (z->block - 1))
		return call_bad(c, "block_size is %lld, wanted a power of two from 16 on", (long long)z->block);
	if (z->level < 0 || z->level > LEVEL_INT8)
		return call_bad(c, "accuracy_level is %lld, wanted 0 to 4", (long long)z->level);
	if (attr_int(c->node, "weight_prepacked"))
		return call_unsupported(c, "weights in the order of a device are not supported");
	z->blocks = (z->k + z->block - 1) / z->block;
	z->blob = z->block * z->bits / 8;
	z->row = (z->blocks * z->bits + 7) / 8;
	return 0;
}

/* Input i has one of the ranks least … most, and `count` elements. */
static int check_count(struct call *c, int i, int least, int most, int64_t count)
{
	const struct type *t = call_shape(c, i);
	int64_t have = 1;

	if (!t)
		return 0;
	if (t->rank < least || t->rank > most)
		return call_bad(c, "input %d has rank %d, wanted %d", i, t->rank, most);
	for (int d = 0; d < t->rank; d++) {
		if (t->dims[d] < 0)
			return 0;
		if (__builtin_mul_overflow(have, t->dims[d], &have))
			return call_bad(c, "input %d has too many elements", i);
	}
	return have == count
		       ? 0
		       : call_bad(c, "input %d has %lld elements, wanted %lld", i, (long long)have, (long long)count);
}

static int check_groups(struct call *c, const struct nbits *z)
{
	const struct type *t = call_shape(c, GROUPS);

	if (!t)
		return 0;
	if (t->rank != 1 || (t->dims[0] >= 0 && t->dims[0] != z->k && t->dims[0] != z->blocks * z->block))
		return call_bad(c, "g_idx does not have one element for each of the %lld rows", (long long)z->k);
	for (size_t k = 0; c->in[GROUPS] && k < c->in[GROUPS]->count; k++)
		if (c->in[GROUPS]->i[k] < 0 || c->in[GROUPS]->i[k] >= z->blocks)
			return call_bad(c, "g_idx has %lld, wanted 0 to %lld", (long long)c->in[GROUPS]->i[k],
					(long long)z->blocks - 1);
	return 0;
}

static int matmul_nbits_infer(struct call *c)
{
	const struct type *a = call_shape(c, A);
	int64_t dims[TENSOR_MAX_RANK];
	struct nbits z;
	int rc = read_attrs(c, &z);

	if (!rc)
		rc = check_count(c, B, 3, 3, z.n * z.blocks * z.blob);
	if (!rc)
		rc = check_count(c, SCALES, 1, 2, z.n * z.blocks);
	if (!rc && call_has(c, ZEROS))
		rc = check_count(c, ZEROS, 1, 2, z.n * (c->in_type[ZEROS].dtype == DT_UINT8 ? z.row : z.blocks));
	if (!rc)
		rc = check_groups(c, &z);
	if (!rc)
		rc = check_count(c, BIAS, 1, 1, z.n);
	if (rc)
		return rc;
	if (call_has(c, ZEROS) && c->in_type[ZEROS].dtype && c->in_type[ZEROS].dtype != DT_UINT8 &&
	    c->in_type[ZEROS].dtype != c->in_type[A].dtype)
		return call_bad(c, "zero points are neither packed nor of the type of A");
	if (!a) {
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
		return 0;
	}
	if (!a->rank || (a->dims[a->rank - 1] >= 0 && a->dims[a->rank - 1] != z.k))
		return call_bad(c, "A does not have %lld columns", (long long)z.k);
	for (int i = 0; i < a->rank; i++)
		dims[i] = i < a->rank - 1 ? a->dims[i] : z.n;
	call_out(c, 0, c->out_type[0].dtype, a->rank, dims);
	return 0;
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* Number i of `bits` bits behind byte `first`. */
static double unpack(const struct tensor *t, size_t first, size_t i, int64_t bits)
{
	size_t bit = i * (size_t)bits;

	return (double)(t->i[first + bit / 8] >> bit % 8 & ((1 << bits) - 1));
}

static double zero_at(const struct call *c, const struct nbits *z, size_t n, size_t group)
{
	const struct tensor *t = call_has(c, ZEROS) ? c->in[ZEROS] : NULL;

	if (!t)
		return (double)(1 << (z->bits - 1));
	if (t->dtype != DT_UINT8)
		return t->f[n * (size_t)z->blocks + group];
	return unpack(t, n * (size_t)z->row, group, z->bits);
}

/* W [N, K] in scratch. */
static double *weights(struct call *c, const struct nbits *z)
{
	size_t rows = (size_t)z->n, cols = (size_t)z->k, block = (size_t)z->block, blocks = (size_t)z->blocks;
	double *w = call_scratch(c, rows * cols, sizeof *w);

	for (size_t n = 0; w && n < rows; n++)
		for (size_t k = 0; k < cols; k++) {
			size_t group = call_has(c, GROUPS) ? (size_t)c->in[GROUPS]->i[k] : k / block;
			size_t first = (n * blocks + k / block) * (size_t)z->blob;

			w[n * cols + k] = (unpack(c->in[B], first, k % block, z->bits) - zero_at(c, z, n, group)) *
					  c->in[SCALES]->f[n * blocks + group];
		}
	return w;
}

/* ---- the product ------------------------------------------------------------------------------------------------- */

static const size_t only_batch;

/* A is one matrix, of all rows that it has. */
static int open_product(struct call *c, struct nbits *z, struct product *p, double **w)
{
	int rc = read_attrs(c, z);

	if (rc)
		return rc;
	*w = weights(c, z);
	*p = (struct product){.shape = gemm_dense(c->in[A]->count / (size_t)z->k, (size_t)z->n, (size_t)z->k, 0, 1),
			      .batches = 1,
			      .at_a = (size_t *)&only_batch,
			      .at_b = (size_t *)&only_batch,
			      .size_a = c->in[A]->count,
			      .size_b = (size_t)(z->n * z->k)};
	return *w ? 0 : c->err->code;
}

static double bias_at(const struct call *c, size_t i)
{
	return call_has(c, BIAS) ? c->in[BIAS]->f[i % c->in[BIAS]->count] : 0.0;
}

static int matmul_nbits_eval(struct call *c)
{
	double *y = c->out[0]->f, *w;
	struct product p;
	struct nbits z;
	int rc = open_product(c, &z, &p, &w);

	if (rc)
		return rc;
	product_f64(&p, c->in[A]->f, w, y);
	for (size_t i = 0; i < c->out[0]->count; i++)
		y[i] += bias_at(c, i);
	return 0;
}

/* How far an element of A may be off inside, in the root of the mean square: half floats by their roundoff, int8 by
 * the step of its block, uniform within half of it. */
static double coarseness(const struct nbits *z, const double *row, size_t k)
{
	size_t first = k / (size_t)z->block * (size_t)z->block, end = first + (size_t)z->block;
	double most = 0;

	if (z->level != LEVEL_INT8)
		return fabs(row[k]) * dtype_roundoff(z->level == LEVEL_HALF ? DT_FLOAT16 : DT_BFLOAT16);
	for (size_t i = first; i < end && i < (size_t)z->k; i++)
		most = fmax(most, fabs(row[i]));
	return most / 127 / sqrt(12.0);
}

/* s += what a coarse A makes of it: √Σ (w · coarseness)², in roundoffs. */
static int add_coarse(struct call *c, const struct nbits *z, const double *w, double *s)
{
	size_t cols = (size_t)z->k, n = (size_t)z->n, rows = c->in[A]->count / cols;
	double *off = call_scratch(c, cols, sizeof *off), u = dtype_roundoff(c->out[0]->dtype);

	for (size_t m = 0; off && m < rows; m++) {
		for (size_t k = 0; k < cols; k++)
			off[k] = coarseness(z, c->in[A]->f + m * cols, k);
		for (size_t j = 0; j < n; j++) {
			double sum = 0;

			for (size_t k = 0; k < cols; k++)
				sum += pow(off[k] * w[j * cols + k], 2);
			s[m * n + j] += sqrt(sum) / u;
		}
	}
	return off ? 0 : c->err->code;
}

static int matmul_nbits_scale(struct call *c, int out, double *s)
{
	size_t count = c->out[out]->count;
	double *y = call_scratch(c, count, sizeof *y), *w;
	struct product p;
	struct nbits z;
	int rc = y ? open_product(c, &z, &p, &w) : c->err->code;

	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++)
		y[i] = c->out[out]->f[i] - bias_at(c, i);
	rc = product_scale(c, &p, c->in[A]->f, w, y, s);
	for (size_t i = 0; i < count && !rc; i++)
		s[i] += fabs(bias_at(c, i));
	return rc || z.level < LEVEL_HALF ? rc : add_coarse(c, &z, w, s);
}

static enum delta_result matmul_nbits_delta(struct call *c)
{
	struct product p;
	struct nbits z;
	double *w;

	for (int i = 1; i < c->n_in; i++)
		if (c->in_delta[i])
			return DELTA_DECLINED;
	if (open_product(c, &z, &p, &w))
		return DELTA_FAILED;
	return product_delta(c, &p, c->in[A]->f, w, c->in_delta[A], NULL, c->out_delta[0]);
}

#define T_REAL (TM(DT_FLOAT) | TM(DT_FLOAT16) | TM(DT_BFLOAT16))

const struct op op_matmul_nbits = {
	.in = {{"A", T_REAL, 'T', 0},
	       {"B", TM(DT_UINT8), 0, 0},
	       {"scales", T_REAL, 'T', 0},
	       {"zero_points", T_REAL | TM(DT_UINT8), 0, PORT_OPTIONAL},
	       {"g_idx", T_I32, 0, PORT_OPTIONAL},
	       {"bias", T_REAL, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_REAL, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_NEEDS("K", ATTR_INT),
					  OP_NEEDS("N", ATTR_INT),
					  OP_INT("bits", 4),
					  OP_NEEDS("block_size", ATTR_INT),
					  OP_INT("accuracy_level", 0),
					  OP_INT("weight_prepacked", 0),
					  {0}},
	.infer = matmul_nbits_infer,
	.eval = matmul_nbits_eval,
	.scale = matmul_nbits_scale,
	.delta = matmul_nbits_delta,
};
