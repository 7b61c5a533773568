/* qproduct.c - see qproduct.h. */
#include "ops/quantize/qproduct.h"

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

int quant_product_infer(struct call *c, int ai, int bi)
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

/* Parameters fit: a scalar, one a line, or one a line of every matrix. */
static int check_params(struct call *c, const struct quant_side *s, const struct tensor *p, const char *what)
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

int quant_side_open(struct call *c, struct quant_side *s)
{
	const struct tensor *t = s->t;
	int rc;

	s->rows = t->rank > 1 ? (size_t)t->dims[t->rank - 2] : s->is_b ? (size_t)t->dims[0] : 1;
	s->cols = t->rank > 1 || !s->is_b ? (size_t)t->dims[t->rank - 1] : 1;
	if (s->transposed) {
		size_t rows = s->rows;

		s->rows = s->cols;
		s->cols = rows;
	}
	s->lines = s->is_b ? s->cols : s->rows;
	rc = check_params(c, s, s->zero, s->is_b ? "the zero point of B" : "the zero point of A");
	return rc ? rc : check_params(c, s, s->scale, s->is_b ? "the scale of B" : "the scale of A");
}

/* Where element i of the matrices lies in t. */
static size_t element_of(const struct quant_side *s, size_t i)
{
	size_t size = s->rows * s->cols, in = i % size;

	return s->transposed ? i - in + in % s->cols * s->rows + in / s->cols : i;
}

/* t - zero in double, row after row. */
static double *side_centered(struct call *c, const struct quant_side *s)
{
	double *x = call_scratch(c, s->t->count + 1, sizeof *x);

	for (size_t i = 0; x && i < s->t->count; i++) {
		size_t line = s->is_b ? i % s->cols : i / s->cols % s->rows;

		x[i] = tensor_get(s->t, element_of(s, i)) -
		       param_at(s->zero, 0.0, i / (s->rows * s->cols), s->lines, line);
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

int quant_product(struct call *c, const struct quant_side *a, const struct quant_side *b, quant_store_fn *store)
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
