/* product.c - see product.h. */
#include "ops/engine/product.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "ops/noise/drift.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

#define LARGE 1e7 /* multiplications of a matrix that threads share; of smaller ones they share the batches */

struct batches {
	const struct product *p;
	const void *a, *b;
	void *y;
};

static void batches_f64(void *arg, size_t first, size_t end)
{
	const struct batches *all = arg;
	const struct product *p = all->p;

	for (size_t i = first; i < end; i++)
		gemm_f64(&p->shape, (const double *)all->a + p->at_a[i], (const double *)all->b + p->at_b[i],
			 (double *)all->y + i * p->shape.m * p->shape.n);
}

static void batches_f32(void *arg, size_t first, size_t end)
{
	const struct batches *all = arg;
	const struct product *p = all->p;

	for (size_t i = first; i < end; i++)
		gemm_f32(&p->shape, (const float *)all->a + p->at_a[i], (const float *)all->b + p->at_b[i],
			 (float *)all->y + i * p->shape.m * p->shape.n);
}

static void batches_i64(void *arg, size_t first, size_t end)
{
	const struct batches *all = arg;
	const struct gemm_shape *s = &all->p->shape;
	int64_t *y = (int64_t *)all->y + first * s->m * s->n;

	for (size_t batch = first; batch < end; batch++)
		for (size_t i = 0; i < s->m; i++)
			for (size_t j = 0; j < s->n; j++) {
				const int64_t *x = (const int64_t *)all->a + all->p->at_a[batch];
				const int64_t *z = (const int64_t *)all->b + all->p->at_b[batch];
				uint64_t sum = 0; /* unsigned: overflow wraps, as in the dtype */

				for (size_t k = 0; k < s->k; k++)
					sum += (uint64_t)x[s->ta ? k * s->lda + i : i * s->lda + k] *
					       (uint64_t)z[s->tb ? j * s->ldb + k : k * s->ldb + j];
				*y++ = (int64_t)sum;
			}
}

static void share_batches(const struct batches *all, parallel_fn *fn)
{
	const struct gemm_shape *s = &all->p->shape;
	double work = (double)s->m * (double)s->n * (double)s->k;

	if (work >= LARGE)
		fn((void *)all, 0, all->p->batches);
	else
		parallel_for(all->p->batches, work / 8 + 16, fn, (void *)all);
}

void product_f64(const struct product *p, const double *a, const double *b, double *y)
{
	share_batches(&(struct batches){p, a, b, y}, batches_f64);
}

void product_i64(const struct product *p, const int64_t *a, const int64_t *b, int64_t *y)
{
	share_batches(&(struct batches){p, a, b, y}, batches_i64);
}

static void product_f32(const struct product *p, const float *a, const float *b, float *y)
{
	share_batches(&(struct batches){p, a, b, y}, batches_f32);
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

/* How many neighbours along the sum differ in all of one operand; `inside`: its rows lie along the sum. */
static size_t operand_changes(const double *x, size_t size, size_t k, int inside, size_t most)
{
	size_t rows = k ? size / k : 0;

	return drift_changes((struct reals){.f64 = x}, inside ? rows : 1, k, inside ? 1 : rows, most);
}

/* A sum of equal terms: both operands are the same all along it.  Of batches the first stands for all; without any, an
 * operand may have no elements, however long the sums are. */
static double product_growth(struct call *c, const struct product *p, const double *a, const double *b)
{
	const struct gemm_shape *s = &p->shape;
	size_t most = drift_limit(s->k), changes;

	if (!p->batches)
		return 1;
	changes = operand_changes(a, s->m * s->k, s->k, !s->ta, most);
	if (changes <= most)
		changes += operand_changes(b, s->n * s->k, s->k, s->tb, most);
	return drift_growth(c, s->k, changes);
}

int product_scale(struct call *c, const struct product *p, const double *a, const double *b, const double *y, double *s)
{
	size_t n = p->batches * p->shape.m * p->shape.n;
	float *fa = gemm_narrow((struct reals){.f64 = a}, p->size_a, 1),
	      *fb = gemm_narrow((struct reals){.f64 = b}, p->size_b, 1), *size = mem_aligned(n * sizeof *size);
	double growth = product_growth(c, p, a, b), in_order = noise_growth_in_order((double)p->shape.k);
	int rc = fa && fb && size ? 0 : call_nomem(c, n * sizeof *size);

	if (!rc)
		product_f32(p, fa, fb, size);
	for (size_t i = 0; i < n && !rc; i++)
		s[i] = fmax(growth * (double)size[i], in_order * fabs(y[i]));
	mem_free(fa);
	mem_free(fb);
	mem_free(size);
	return rc;
}

struct left {
	const struct gemm_shape *s;
	struct gemm_shape row;
	size_t lanes;
	const float *da, *b;
	float *out;
};

static void left_rows(void *arg, size_t first, size_t end)
{
	const struct left *l = arg;
	const struct gemm_shape *s = l->s;

	for (size_t i = first; i < end; i++)
		gemm_f32(&l->row, l->b, l->da + (s->ta ? i : i * s->lda) * l->lanes, l->out + i * s->n * l->lanes);
}

/* dA B for one batch.  The lanes of an element lie side by side, so row i of dA is a matrix [k, lanes] and
 * out[i] = op(B)ᵀ dA[i], an [n, lanes] matrix. */
static void delta_left(const struct gemm_shape *s, size_t lanes, const float *da, const float *b, float *out)
{
	struct left l = {.s = s, .lanes = lanes, .da = da, .b = b, .out = out};

	l.row = (struct gemm_shape){s->n, lanes, s->k, !s->tb, 0, s->ldb, s->ta ? s->lda * lanes : lanes, lanes, 0};
	parallel_for(s->m, (double)s->n * (double)s->k * (double)lanes / 8, left_rows, &l);
}

/* A dB for one batch: B as it is has n * lanes columns; transposed, column j of it is a matrix [k, lanes]. */
static void delta_right(const struct gemm_shape *s, size_t lanes, int add, const float *a, const float *db, float *out)
{
	struct gemm_shape g = {s->m, s->n * lanes, s->k, s->ta, 0, s->lda, s->ldb * lanes, s->n * lanes, add};

	if (!s->tb) {
		gemm_f32(&g, a, db, out);
		return;
	}
	g.n = g.ldb = lanes;
	for (size_t j = 0; j < s->n; j++)
		gemm_f32(&g, a, db + j * s->ldb * lanes, out + j * lanes);
}

/* (A + dA)(B + dB) - AB = dA B + A dB; the product of two roundings is far below the accuracy that is wanted. */
enum delta_result product_delta(struct call *c, const struct product *p, const double *a, const double *b,
				const float *da, const float *db, float *out)
{
	float *fa = db ? gemm_narrow((struct reals){.f64 = a}, p->size_a, 0) : NULL,
	      *fb = da ? gemm_narrow((struct reals){.f64 = b}, p->size_b, 0) : NULL;
	size_t lanes = (size_t)c->lanes, step = p->shape.m * p->shape.n * lanes;
	int rc = (!db || fa) && (!da || fb) ? 0 : call_nomem(c, p->size_a * sizeof *fa);

	for (size_t i = 0; i < p->batches && !rc; i++, out += step) {
		if (da)
			delta_left(&p->shape, lanes, da + p->at_a[i] * lanes, fb + p->at_b[i], out);
		if (db)
			delta_right(&p->shape, lanes, da != NULL, fa + p->at_a[i], db + p->at_b[i] * lanes, out);
	}
	mem_free(fa);
	mem_free(fb);
	return rc ? DELTA_FAILED : DELTA_DONE;
}

/* With A stored [m,k] or [k,m], gradients come out in the stored layout:
 *   gA = gY op(B)ᵀ, or its transpose op(B) gYᵀ; gB likewise. */
void product_grad(const struct product *p, const double *a, const double *b, const double *gy, double *ga, double *gb)
{
	const struct gemm_shape *s = &p->shape;

	for (size_t i = 0; i < p->batches; i++, gy += s->m * s->n) {
		const double *bi = b + p->at_b[i], *ai = a + p->at_a[i];

		if (ga && !s->ta) {
			struct gemm_shape g = {s->m, s->k, s->n, 0, !s->tb, s->n, s->ldb, s->lda, 1};

			gemm_f64(&g, gy, bi, ga + p->at_a[i]);
		} else if (ga) {
			struct gemm_shape g = {s->k, s->m, s->n, s->tb, 1, s->ldb, s->n, s->lda, 1};

			gemm_f64(&g, bi, gy, ga + p->at_a[i]);
		}
		if (gb && !s->tb) {
			struct gemm_shape g = {s->k, s->n, s->m, !s->ta, 0, s->lda, s->n, s->ldb, 1};

			gemm_f64(&g, ai, gy, gb + p->at_b[i]);
		} else if (gb) {
			struct gemm_shape g = {s->n, s->k, s->m, 1, s->ta, s->n, s->lda, s->ldb, 1};

			gemm_f64(&g, gy, ai, gb + p->at_b[i]);
		}
	}
}
