/* qmatmul.c - MatMulInteger and QLinearMatMul.
 *
 *   acc[…, m, n] = Σ_k (A[…, m, k] - a_zero[m]) · (B[…, k, n] - b_zero[n])
 *
 * with numpy's rules for vectors and for broadcasting the axes in front.  Parameters are one number, one for each row
 * of A or column of B, or one for each row or column of each matrix. */
#include "ops/kit/domain.h"
#include "ops/quantize/quantize.h"
#include "ops/quantize/samplers.h"

#define T_8BIT (TM(DT_INT8) | TM(DT_UINT8))
#define T_8BITS (T_8BIT | TM(DT_FLOAT8E4M3FN) | TM(DT_FLOAT8E4M3FNUZ) | TM(DT_FLOAT8E5M2) | TM(DT_FLOAT8E5M2FNUZ))
#define T_REAL (TM(DT_FLOAT) | TM(DT_FLOAT16) | TM(DT_BFLOAT16))

/* ---- shape ------------------------------------------------------------------------------------------------------- */

/* One dimension of the axes in front; 0 when they do not broadcast. */
static int join_dims(int64_t a, int64_t b, int64_t *out)
{
	*out = a == 1 ? b : b == 1 ? a : a >= 0 ? a : b;
	return a == 1 || b == 1 || a < 0 || b < 0 || a == b;
}

/* Dimension i of the axes in front of the matrix, out of n; 1 where the tensor has none. */
static int64_t front_dim(const struct type *t, int n, int i)
{
	int at = i - (n - (t->rank - 2));

	return at < 0 ? 1 : t->dims[at];
}

static int product_infer(struct call *c, int ai, int bi)
{
	const struct type *a = call_shape(c, ai), *b = call_shape(c, bi);
	int64_t dims[TENSOR_MAX_RANK], depth;
	int n, rank = 0;

	if (!a || !b) {
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
		return 0;
	}
	if (!a->rank || !b->rank)
		return call_bad(c, "a scalar cannot be multiplied as a matrix");
	depth = b->dims[b->rank > 1 ? b->rank - 2 : 0];
	if (a->dims[a->rank - 1] >= 0 && depth >= 0 && a->dims[a->rank - 1] != depth)
		return call_bad(c, "A has %lld columns, B has %lld rows", (long long)a->dims[a->rank - 1],
				(long long)depth);
	n = (a->rank > b->rank ? a->rank : b->rank) - 2;
	for (; rank < n; rank++)
		if (!join_dims(front_dim(a, n, rank), front_dim(b, n, rank), &dims[rank]))
			return call_bad(c, "dimension %d of A and B does not broadcast", rank);
	if (a->rank > 1)
		dims[rank++] = a->dims[a->rank - 2];
	if (b->rank > 1)
		dims[rank++] = b->dims[b->rank - 1];
	call_out(c, 0, c->out_type[0].dtype, rank, dims);
	return 0;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* One side of the product. */
struct side {
	const struct tensor *t, *scale, *zero; /* scale, zero: may be NULL */
	size_t rows, cols, lines;              /* lines: rows of A, columns of B: what parameters run over */
	int is_b;
};

/* Parameters fit: a scalar, one a line, or one a line of every matrix. */
static int check_params(struct call *c, const struct side *s, const struct tensor *p, const char *what)
{
	size_t matrix = s->rows * s->cols, all = matrix ? s->t->count / matrix * s->lines : 0;

	if (!p || p->count == 1 || (p->rank == 1 && p->count == s->lines) || (p->rank == s->t->rank && p->count == all))
		return 0;
	return call_bad(c, "%s has %zu elements, wanted 1 or one for each of the %zu %s", what, p->count, s->lines,
			s->is_b ? "columns" : "rows");
}

static double param_at(const struct tensor *p, double otherwise, size_t matrix, size_t lines, size_t line)
{
	if (!p)
		return otherwise;
	return tensor_get(p, p->count == 1 ? 0 : p->rank == 1 ? line : matrix * lines + line);
}

static int side_open(struct call *c, struct side *s, const struct tensor *t, const struct tensor *scale,
		     const struct tensor *zero, int is_b)
{
	int rc;

	*s = (struct side){.t = t, .scale = scale, .zero = zero, .is_b = is_b};
	s->rows = t->rank > 1 ? (size_t)t->dims[t->rank - 2] : is_b ? (size_t)t->dims[0] : 1;
	s->cols = t->rank > 1 || !is_b ? (size_t)t->dims[t->rank - 1] : 1;
	s->lines = is_b ? s->cols : s->rows;
	rc = check_params(c, s, zero, is_b ? "the zero point of B" : "the zero point of A");
	return rc ? rc : check_params(c, s, scale, is_b ? "the scale of B" : "the scale of A");
}

/* t - zero in double. */
static double *side_centered(struct call *c, const struct side *s)
{
	double *x = call_scratch(c, s->t->count + 1, sizeof *x);

	for (size_t i = 0; x && i < s->t->count; i++) {
		size_t line = s->is_b ? i % s->cols : i / s->cols % s->rows;

		x[i] = tensor_get(s->t, i) - param_at(s->zero, 0.0, i / (s->rows * s->cols), s->lines, line);
	}
	return x;
}

/* Which matrix of t belongs to matrix `index` of the output, whose n axes in front are dims. */
static size_t matrix_of(const struct tensor *t, const int64_t *dims, int n, size_t index)
{
	size_t at = 0, step = 1;

	for (int i = n - 1; i >= 0; i--) {
		size_t x = index % (size_t)dims[i];
		int d = i - (n - (t->rank - 2));

		index /= (size_t)dims[i];
		if (d < 0)
			continue;
		at += t->dims[d] == 1 ? 0 : x * step;
		step *= (size_t)t->dims[d];
	}
	return at;
}

/* ---- the product ------------------------------------------------------------------------------------------------- */

typedef void store_fn(struct call *c, size_t i, double acc, double scale);

/* Every element of the output goes through `store` with its sum and the product of both scales. */
static int product(struct call *c, const struct side *a, const struct side *b, store_fn *store)
{
	const double *x = side_centered(c, a), *w = side_centered(c, b);
	int n = (a->t->rank > b->t->rank ? a->t->rank : b->t->rank) - 2;
	size_t size = a->rows * b->cols, matrices = size ? c->out[0]->count / size : 0;

	if (!x || !w)
		return c->err->code;
	for (size_t m = 0; m < matrices; m++) {
		size_t am = matrix_of(a->t, c->out[0]->dims, n, m), bm = matrix_of(b->t, c->out[0]->dims, n, m);

		for (size_t i = 0; i < size; i++) {
			size_t row = i / b->cols, col = i % b->cols;
			const double *xr = x + (am * a->rows + row) * a->cols, *wc = w + bm * b->rows * b->cols + col;
			double acc = 0, scale = param_at(a->scale, 1.0, am, a->lines, row);

			for (size_t k = 0; k < a->cols; k++)
				acc += xr[k] * wc[k * b->cols];
			store(c, m * size + i, acc, scale * param_at(b->scale, 1.0, bm, b->lines, col));
		}
	}
	return 0;
}

/* ---- MatMulInteger ----------------------------------------------------------------------------------------------- */

static int matmul_integer_infer(struct call *c)
{
	c->out_type[0].dtype = DT_INT32;
	return product_infer(c, 0, 1);
}

static void store_integer(struct call *c, size_t i, double acc, double scale)
{
	(void)scale;
	c->out[0]->i[i] = (int64_t)acc;
}

static int matmul_integer_eval(struct call *c)
{
	struct side a, b;
	int rc = side_open(c, &a, c->in[0], NULL, call_has(c, 2) ? c->in[2] : NULL, 0);

	if (!rc)
		rc = side_open(c, &b, c->in[1], NULL, call_has(c, 3) ? c->in[3] : NULL, 1);
	return rc ? rc : product(c, &a, &b, store_integer);
}

const struct op op_matmul_integer = {
	.samples = SAMPLES({.by = &sampler_matmul_integer}),
	.rules = RULES({.broken = domain_is_lone, .port = 2, .of = 0, .axis = -2},
		       {.broken = domain_is_lone, .port = 3, .of = 1, .axis = -1}),
	.in = {{"A", T_8BIT, 'A', 0},
	       {"B", T_8BIT, 'B', 0},
	       {"a_zero_point", T_8BIT, 'A', PORT_OPTIONAL},
	       {"b_zero_point", T_8BIT, 'B', PORT_OPTIONAL}},
	.out = {{"Y", TM(DT_INT32), 0, 0}},
	.infer = matmul_integer_infer,
	.eval = matmul_integer_eval,
};

/* ---- QLinearMatMul ----------------------------------------------------------------------------------------------- */

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO };

static int qlinear_matmul_infer(struct call *c)
{
	return product_infer(c, A, B);
}

/* y = saturate(round(acc · a_scale · b_scale / y_scale) + y_zero) */
static void store_quantized(struct call *c, size_t i, double acc, double scale)
{
	enum dtype p = quant_precision(c->in[Y_SCALE]->dtype);
	double by = c->in[Y_SCALE]->f[0];

	quant_store(c->out[0], i, quant_quotient(c, acc * scale / by, scale / by, p), c->in[Y_ZERO], 0, p, 1);
}

static int qlinear_matmul_eval(struct call *c)
{
	struct side a, b;
	int rc = side_open(c, &a, c->in[A], c->in[A_SCALE], c->in[A_ZERO], 0);

	if (!rc)
		rc = side_open(c, &b, c->in[B], c->in[B_SCALE], c->in[B_ZERO], 1);
	if (!rc && (c->in[Y_SCALE]->count != 1 || c->in[Y_ZERO]->count != 1))
		rc = call_unsupported(c, "a scale of Y for each row is not supported");
	return rc ? rc : product(c, &a, &b, store_quantized);
}

const struct op op_qlinear_matmul = {
	.samples = SAMPLES({.by = &sampler_qlinear_matmul}),
	.rules = RULES({.broken = domain_not_positive, .port = 1}, {.broken = domain_not_positive, .port = 4},
		       {.broken = domain_not_positive, .port = 6},
		       {.broken = domain_is_lone, .port = 1, .of = 0, .axis = -2},
		       {.broken = domain_is_lone, .port = 2, .of = 0, .axis = -2},
		       {.broken = domain_is_lone, .port = 4, .of = 3, .axis = -1},
		       {.broken = domain_is_lone, .port = 5, .of = 3, .axis = -1}),
	.in = {{"a", T_8BITS, 'A', 0},
	       {"a_scale", T_REAL, 'S', 0},
	       {"a_zero_point", T_8BITS, 'A', 0},
	       {"b", T_8BITS, 'B', 0},
	       {"b_scale", T_REAL, 'S', 0},
	       {"b_zero_point", T_8BITS, 'B', 0},
	       {"y_scale", T_REAL, 'S', 0},
	       {"y_zero_point", T_8BITS, 'Y', 0}},
	.out = {{"y", T_8BITS, 'Y', 0}},
	.infer = qlinear_matmul_infer,
	.eval = qlinear_matmul_eval,
};
