/* gemm.c - see gemm.h. */
#include "ops/engine/gemm.h"

#include <math.h>

#include "base/clones.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "ops/engine/engine.h"
#include "ops/engine/gemm_kernels.h"

struct gemm_shape gemm_dense(size_t m, size_t n, size_t k, int ta, int tb)
{
	return (struct gemm_shape){m, n, k, ta, tb, ta ? m : k, tb ? k : n, n, 0};
}

/* ---- a product in parts ------------------------------------------------------------------------------------------ */

#define PART_WORK (32 * parallel_steps()) /* multiplications of a part that is worth a thread */
#define READ_WORK 8                       /* what it takes to read a number of A or B, in multiplications */
#define PART_ROWS ((size_t)48)            /* parts begin at multiples, which all kernels take whole */
#define PART_COLUMNS ((size_t)64)
#define MOST_COLUMNS ((size_t)512) /* of B that kernels pack at a time */
#define MOST_ROWS ((size_t)384)
#define PARTS_ENOUGH 8

/* C in parts of `rows` × `columns`, `across` of them side by side. */
struct parts {
	const struct gemm_shape *s;
	size_t rows, columns, across;
	const double *a64, *b64; /* or */
	const float *a32, *b32;
	double *c64;
	float *c32;
};

static size_t round_up(size_t x, size_t step)
{
	return (x + step - 1) / step * step;
}

static size_t at_most(size_t x, size_t most)
{
	return x < most ? x : most;
}

/* How many lines of `each` multiplications make a part, in multiples of `step`. */
static size_t lines_of_part(double each, size_t step)
{
	return round_up((size_t)(PART_WORK / (each + 1)) + 1, step);
}

/* Few parts, the last ones smaller than the others, keep threads waiting: the columns of parts of `rows` rows are cut
 * as well, as far as a part is still worth a thread. */
static size_t columns_of_few(const struct gemm_shape *s, size_t rows, size_t columns)
{
	size_t down = (s->m + rows - 1) / rows,
	       least = lines_of_part((double)s->k * ((double)rows + READ_WORK), PART_COLUMNS);
	size_t enough = round_up(s->n * down / PARTS_ENOUGH + 1, PART_COLUMNS);

	enough = enough < least ? least : enough;
	return at_most(columns, enough);
}

/* How C is cut depends on its shape alone.  Parts of few rows would pack all of B again and again. */
static size_t cut(struct parts *p)
{
	const struct gemm_shape *s = p->s;
	size_t columns = at_most(s->n, MOST_COLUMNS), rows = round_up(s->m / 8 + 1, PART_ROWS);
	size_t least = lines_of_part((double)s->k * ((double)columns + READ_WORK), PART_ROWS);

	if (!s->m || !s->n)
		return 0;
	rows = rows < 2 * PART_ROWS ? 2 * PART_ROWS : at_most(rows, MOST_ROWS);
	rows = rows < least ? least : rows;
	if (rows >= s->m) { /* all rows, and fewer columns */
		rows = s->m;
		columns = lines_of_part((double)s->k * ((double)rows + READ_WORK), PART_COLUMNS);
	} else {
		columns = columns_of_few(s, rows, columns);
	}
	p->rows = rows;
	p->columns = at_most(s->n, columns);
	p->across = (s->n + p->columns - 1) / p->columns;
	return (s->m + rows - 1) / rows * p->across;
}

static void multiply_parts(void *arg, size_t first, size_t end)
{
	const struct parts *p = arg;
	const struct gemm_kernels *kernels = engine_init()->gemm;

	for (size_t i = first; i < end; i++) {
		size_t row = i / p->across * p->rows, column = i % p->across * p->columns;
		struct gemm_shape s = *p->s;
		size_t a = row * (s.ta ? 1 : s.lda), b = column * (s.tb ? s.ldb : 1), c = row * s.ldc + column;

		s.m = at_most(p->rows, s.m - row);
		s.n = at_most(p->columns, s.n - column);
		if (p->c64)
			kernels->f64(&s, p->a64 + a, p->b64 + b, p->c64 + c);
		else
			kernels->f32(&s, p->a32 + a, p->b32 + b, p->c32 + c);
	}
}

void gemm_f64(const struct gemm_shape *s, const double *a, const double *b, double *c)
{
	struct parts p = {.s = s, .a64 = a, .b64 = b, .c64 = c};

	parallel_pieces(cut(&p), 1, multiply_parts, &p);
}

void gemm_f32(const struct gemm_shape *s, const float *a, const float *b, float *c)
{
	struct parts p = {.s = s, .a32 = a, .b32 = b, .c32 = c};

	parallel_pieces(cut(&p), 1, multiply_parts, &p);
}

void gemm_panels(const struct gemm_panels *p)
{
	engine_init()->gemm->panels(p);
}

size_t gemm_sets(const struct gemm_kernels *sets[GEMM_SETS])
{
	size_t n = 0;

#if defined(__x86_64__) && defined(__GNUC__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
		sets[n++] = &gemm_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		sets[n++] = &gemm_avx2;
#endif
	sets[n++] = &gemm_plain;
	return n;
}

/* ---- numbers as floats ------------------------------------------------------------------------------------------- */

CLONES static void narrow(const double *x, size_t n, int absolute, float *y)
{
	for (size_t i = 0; i < n; i++) {
		float z = (float)x[i];

		y[i] = absolute ? fabsf(z) : z;
	}
}

CLONES static void copy_floats(const float *x, size_t n, int absolute, float *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] = absolute ? fabsf(x[i]) : x[i];
}

struct narrow_loop {
	struct reals x;
	int absolute;
	float *y;
};

static void narrow_piece(void *arg, size_t first, size_t end)
{
	const struct narrow_loop *w = arg;

	if (w->x.f64)
		narrow(w->x.f64 + first, end - first, w->absolute, w->y + first);
	else
		copy_floats(w->x.f32 + first, end - first, w->absolute, w->y + first);
}

float *gemm_narrow(struct reals x, size_t n, int absolute)
{
	struct narrow_loop w = {x, absolute, mem_aligned(n * sizeof *w.y)};

	if (w.y)
		parallel_for(n, 1, narrow_piece, &w);
	return w.y;
}
