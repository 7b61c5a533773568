/* det.c - Det (11, 22): determinants of the matrices [M, M] in the last two axes.
 *
 * Gaussian elimination with complete pivoting, P A Q = L U, gives the determinant and the cofactors.  The derivative of
 * a determinant is its matrix of cofactors, which exists for singular matrices too, so it is not made from the inverse:
 *
 *   adj(A) = det(P) det(Q) · Q adj(U) L⁻¹ P             (adj(XY) = adj(Y) adj(X); det(L) = 1)
 *
 *   U = [U1 v; 0 d]:   adj(U) = det(U1) · [d U1⁻¹  -U1⁻¹ v; 0  1]
 *
 * Only the last pivot d may be zero here, and nothing is divided by it.  Complete pivoting leaves zero pivots for last:
 * when one comes earlier, two rows depend on others and all cofactors are 0. */
#include <math.h>
#include <string.h>

#include "ops/kit/dims.h"
#include "ops/linear/samplers.h"

struct factors {
	size_t n;
	double *lu;         /* [n, n]: L below the diagonal, which is 1 and not kept, and U */
	size_t *row, *col;  /* lu[i, j] stands for A[row[i], col[j]] */
	double sign;        /* det(P) det(Q) */
	double *adj, *work; /* [n, n] */
};

static int det_infer(struct call *c)
{
	const struct type *t = call_shape(c, 0);
	int rc = t ? dims_check_square(c, t) : 0;

	if (t && !rc)
		call_out(c, 0, c->out_type[0].dtype, t->rank - 2, t->dims);
	else if (!rc)
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
	return rc;
}

static int factors_init(struct call *c, struct factors *f)
{
	size_t n = (size_t)c->in[0]->dims[c->in[0]->rank - 1];

	f->n = n;
	f->lu = call_scratch(c, 3 * n * n, sizeof *f->lu); /* n * n is within the input's count */
	f->row = f->lu ? call_scratch(c, 2 * n, sizeof *f->row) : NULL;
	if (!f->row)
		return c->err->code;
	f->col = f->row + n;
	f->adj = f->lu + n * n;
	f->work = f->adj + n * n;
	return 0;
}

/* Brings the largest element of the trailing block to its corner [k, k]; NaN counts as largest, so that it is seen. */
static void pivot(struct factors *f, size_t k)
{
	size_t n = f->n, r = k, q = k, t;
	double x;

	for (size_t i = k; i < n; i++)
		for (size_t j = k; j < n; j++)
			if (!(fabs(f->lu[i * n + j]) <= fabs(f->lu[r * n + q])) && !isnan(f->lu[r * n + q])) {
				r = i;
				q = j;
			}
	for (size_t j = 0; j < n && r != k; j++) {
		x = f->lu[k * n + j];
		f->lu[k * n + j] = f->lu[r * n + j];
		f->lu[r * n + j] = x;
	}
	for (size_t i = 0; i < n && q != k; i++) {
		x = f->lu[i * n + k];
		f->lu[i * n + k] = f->lu[i * n + q];
		f->lu[i * n + q] = x;
	}
	t = f->row[k];
	f->row[k] = f->row[r];
	f->row[r] = t;
	t = f->col[k];
	f->col[k] = f->col[q];
	f->col[q] = t;
	f->sign *= (r != k) != (q != k) ? -1 : 1;
}

/* P A Q = L U; returns det(A). */
static double factorize(struct factors *f, const double *a)
{
	size_t n = f->n;
	double *lu = f->lu, det;

	memcpy(lu, a, n * n * sizeof *lu);
	f->sign = 1;
	for (size_t k = 0; k < n; k++)
		f->row[k] = f->col[k] = k;
	for (size_t k = 0; k < n; k++) {
		pivot(f, k);
		for (size_t i = k + 1; i < n && lu[k * n + k] != 0; i++) {
			double m = lu[i * n + k] / lu[k * n + k];

			lu[i * n + k] = m;
			for (size_t j = k + 1; j < n; j++)
				lu[i * n + j] -= m * lu[k * n + j];
		}
	}
	det = f->sign;
	for (size_t k = 0; k < n; k++)
		det *= lu[k * n + k];
	return det;
}

/* work = adj(U); 0 when all of it is zero. */
static int adjugate_upper(const struct factors *f)
{
	size_t n = f->n, m = n - 1;
	const double *u = f->lu;
	double *x = f->work, det = 1, d = u[n * n - 1];

	for (size_t k = 0; k < m; k++)
		det *= u[k * n + k];
	if (det == 0)
		return 0;
	memset(x, 0, n * n * sizeof *x);
	x[n * n - 1] = det;
	/* Back substitution: columns j < m of d·det·U1⁻¹, and column m of -det·U1⁻¹ v. */
	for (size_t j = 0; j < n; j++)
		for (size_t i = j < m ? j + 1 : m; i-- > 0;) {
			double sum = j < m ? (i == j ? d * det : 0) : -det * u[i * n + m];

			for (size_t k = i + 1; k < m; k++)
				sum -= u[i * n + k] * x[k * n + j];
			x[i * n + j] = sum / u[i * n + i];
		}
	return 1;
}

/* adj = adj(U) L⁻¹, so row by row of the transposed system: adj[i, j] = x[i, j] - Σ_{k > j} adj[i, k] L[k, j].
 * The cofactor of A[row[j], col[i]] is then sign · adj[i, j]. */
static void adjugate(const struct factors *f)
{
	size_t n = f->n;

	memset(f->adj, 0, n * n * sizeof *f->adj);
	if (!n || !adjugate_upper(f))
		return;
	for (size_t i = 0; i < n; i++)
		for (size_t j = n; j-- > 0;) {
			double sum = f->work[i * n + j];

			for (size_t k = j + 1; k < n; k++)
				sum -= f->adj[i * n + k] * f->lu[k * n + j];
			f->adj[i * n + j] = sum;
		}
}

static int det_eval(struct call *c)
{
	struct factors f;
	int rc = factors_init(c, &f);

	for (size_t i = 0; i < c->out[0]->count && !rc; i++)
		c->out[0]->f[i] = factorize(&f, c->in[0]->f + i * f.n * f.n);
	return rc;
}

static double square(double x)
{
	return x * x;
}

/* Elimination in floats gives the exact factors of A + E: an element of E is the sum of the roundings of the terms of
 * L U that it is made of.  Each moves the determinant by its cofactor, one way or the other, so that squares add up;
 * the product of the pivots rounds n times more. */
static int det_scale(struct call *c, int out, double *s)
{
	struct factors f;
	int rc = factors_init(c, &f);

	(void)out;
	for (size_t b = 0; b < c->out[0]->count && !rc; b++) {
		size_t n = f.n;
		double det = factorize(&f, c->in[0]->f + b * n * n), squares = 0;

		adjugate(&f);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++) {
				double lu = i <= j ? square(f.lu[i * n + j]) : 0;

				for (size_t k = 0; k < i && k <= j; k++)
					lu += square(f.lu[i * n + k] * f.lu[k * n + j]);
				squares += lu * square(f.adj[j * n + i]);
			}
		/* Of a single number, too: libraries take the exponential of a logarithm. */
		s[b] = (n < 2 ? 0 : sqrt(squares)) + (double)n * fabs(det);
	}
	return rc;
}

/* gX = gY · cofactors */
static int det_grad(struct call *c)
{
	struct factors f;
	int rc = c->in_grad[0] ? factors_init(c, &f) : 0;

	for (size_t b = 0; c->in_grad[0] && b < c->out[0]->count && !rc; b++) {
		double g = c->out_grad[0]->f[b], *gx = c->in_grad[0]->f + b * f.n * f.n;

		factorize(&f, c->in[0]->f + b * f.n * f.n);
		adjugate(&f);
		for (size_t i = 0; i < f.n; i++)
			for (size_t j = 0; j < f.n; j++)
				gx[f.row[j] * f.n + f.col[i]] += g * f.sign * f.adj[i * f.n + j];
	}
	return rc;
}

const struct op op_det = {
	.samples = SAMPLES({.by = &sampler_det}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.infer = det_infer,
	.eval = det_eval,
	.grad = det_grad,
	.scale = det_scale,
};
