/* inverse.c - Inverse of com.microsoft: the inverses of the matrices [M, M] in the last two axes.
 *
 * Gauss-Jordan elimination with row pivoting, in double.  A matrix that has no inverse is an error.
 *
 *   A⁻¹ of A + E is A⁻¹ - A⁻¹ E A⁻¹, so an element moves by |A⁻¹| |E| |A⁻¹|, with |E| some roundings of |A|
 *   gA = -A⁻ᵀ gY A⁻ᵀ */
#include <math.h>
#include <string.h>

#include "ops/contrib/contrib.h"
#include "ops/kit/dims.h"

static int inverse_infer(struct call *c)
{
	const struct type *t = call_shape(c, 0);
	int rc = t ? dims_check_square(c, t) : 0;

	if (t && !rc)
		call_out(c, 0, c->out_type[0].dtype, t->rank, t->dims);
	else if (!rc)
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
	return rc;
}

/* The row from k on with the largest element in column k. */
static size_t pivot_row(const double *a, size_t n, size_t k)
{
	size_t best = k;

	for (size_t i = k + 1; i < n; i++)
		if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
			best = i;
	return best;
}

static void swap_rows(double *a, size_t n, size_t i, size_t k)
{
	for (size_t j = 0; j < n && i != k; j++) {
		double x = a[i * n + j];

		a[i * n + j] = a[k * n + j];
		a[k * n + j] = x;
	}
}

/* row i -= by * row k */
static void take_row(double *a, size_t n, size_t i, size_t k, double by)
{
	for (size_t j = 0; j < n; j++)
		a[i * n + j] -= by * a[k * n + j];
}

/* x = a⁻¹; a is lost.  0: there is none. */
static int invert(double *a, double *x, size_t n)
{
	memset(x, 0, n * n * sizeof *x);
	for (size_t i = 0; i < n; i++)
		x[i * n + i] = 1;
	for (size_t k = 0; k < n; k++) {
		size_t r = pivot_row(a, n, k);
		double by;

		swap_rows(a, n, r, k);
		swap_rows(x, n, r, k);
		by = a[k * n + k];
		if (by == 0)
			return 0;
		for (size_t j = 0; j < n; j++) {
			a[k * n + j] /= by;
			x[k * n + j] /= by;
		}
		for (size_t i = 0; i < n; i++) {
			by = a[i * n + k];
			if (i == k || by == 0)
				continue;
			take_row(a, n, i, k, by);
			take_row(x, n, i, k, by);
		}
	}
	return 1;
}

static size_t side_of(const struct call *c)
{
	return (size_t)c->in[0]->dims[c->in[0]->rank - 1];
}

static int inverse_eval(struct call *c)
{
	size_t n = side_of(c), size = n * n;
	double *a = call_scratch(c, size + 1, sizeof *a);

	if (!a)
		return c->err->code;
	for (size_t at = 0; size && at < c->in[0]->count; at += size) {
		memcpy(a, c->in[0]->f + at, size * sizeof *a);
		if (!invert(a, c->out[0]->f + at, n))
			return call_bad(c, "matrix %zu has no inverse", at / size);
	}
	return 0;
}

static double magnitude(const double *x, size_t i)
{
	return fabs(x[i]);
}

static double value(const double *x, size_t i)
{
	return x[i];
}

/* out = op(a) op(b), n x n, either transposed. */
static void multiply(const double *a, int turn_a, const double *b, int turn_b, double *out, size_t n,
		     double (*of)(const double *x, size_t i))
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += of(a, turn_a ? k * n + i : i * n + k) * of(b, turn_b ? j * n + k : k * n + j);
			out[i * n + j] = sum;
		}
}

static int inverse_scale(struct call *c, int out, double *s)
{
	size_t n = side_of(c), size = n * n;
	double *part = call_scratch(c, size + 1, sizeof *part);

	(void)out;
	for (size_t at = 0; part && size && at < c->in[0]->count; at += size) {
		const double *x = c->out[0]->f + at;

		multiply(x, 0, c->in[0]->f + at, 0, part, n, magnitude);
		multiply(part, 0, x, 0, s + at, n, magnitude);
		for (size_t i = 0; i < size; i++)
			s[at + i] *= noise_growth((double)n);
	}
	return part ? 0 : c->err->code;
}

static int inverse_grad(struct call *c)
{
	size_t n = side_of(c), size = n * n;
	double *part = call_scratch(c, 2 * size + 1, sizeof *part);

	for (size_t at = 0; part && size && c->in_grad[0] && at < c->in[0]->count; at += size) {
		const double *x = c->out[0]->f + at;

		multiply(x, 1, c->out_grad[0]->f + at, 0, part, n, value);
		multiply(part, 0, x, 1, part + size, n, value);
		for (size_t i = 0; i < size; i++)
			c->in_grad[0]->f[at + i] -= part[size + i];
	}
	return part ? 0 : c->err->code;
}

#define T_INVERSE (TM(DT_FLOAT16) | TM(DT_FLOAT) | TM(DT_DOUBLE))

const struct op op_inverse = {
	.undrawn = "a matrix drawn by chance may have next to no inverse",
	.in = {{"X", T_INVERSE, 'T', 0}},
	.out = {{"Y", T_INVERSE, 'T', 0}},
	.infer = inverse_infer,
	.eval = inverse_eval,
	.grad = inverse_grad,
	.scale = inverse_scale,
};
