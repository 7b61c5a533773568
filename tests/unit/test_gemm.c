/* test_gemm.c - products of matrices: every set of kernels that the processor runs gives the bits of plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ops/engine/engine.h"
#include "ops/engine/gemm_kernels.h"

#define MOST ((size_t)400 * 700)

/* By the set: gemm_plain has no fused addition. */
static int fused;

static double step_f64(double a, double b, double c)
{
	volatile double product = a * b;

	return fused ? fma(a, b, c) : product + c;
}

static float step_f32(float a, float b, float c)
{
	volatile float product = a * b;

	return fused ? fmaf(a, b, c) : product + c;
}

#define CHAIN(NAME, REAL, STEP)                                                                      \
	static void NAME(const struct gemm_shape *s, const REAL *a, const REAL *b, REAL *c)          \
	{                                                                                            \
		for (size_t i = 0; i < s->m; i++)                                                    \
			for (size_t j = 0; j < s->n; j++) {                                          \
				REAL sum = s->add ? c[i * s->ldc + j] : 0;                           \
				for (size_t k = 0; k < s->k; k++)                                    \
					sum = STEP(a[s->ta ? k * s->lda + i : i * s->lda + k],       \
						   b[s->tb ? j * s->ldb + k : k * s->ldb + j], sum); \
				c[i * s->ldc + j] = sum;                                             \
			}                                                                            \
	}
CHAIN(chain_f64, double, step_f64)
CHAIN(chain_f32, float, step_f32)

struct numbers {
	double a[MOST], b[MOST], got[MOST], want[MOST];
	float fa[MOST], fb[MOST], fgot[MOST], fwant[MOST];
};

static struct numbers *new_numbers(int special)
{
	struct numbers *x = malloc(sizeof *x);

	assert_non_null(x);
	for (size_t i = 0; i < MOST; i++) {
		x->a[i] = sin(1.0 + 0.37 * (double)i);
		x->b[i] = cos(2.0 + 0.73 * (double)i);
		if (special && i % 97 == 5)
			x->a[i] = i % 2 ? INFINITY : NAN;
		if (special && i % 13 == 0)
			x->b[i] = i % 2 ? 0.0 : -0.0;
		x->fa[i] = (float)x->a[i];
		x->fb[i] = (float)x->b[i];
	}
	return x;
}

/* A NaN has several forms of which the specification says nothing. */
static void check_same(const struct gemm_kernels *set, const struct gemm_shape *s, const struct numbers *x)
{
	for (size_t i = 0; i < s->m * s->ldc; i++) {
		int same = !memcmp(&x->got[i], &x->want[i], sizeof *x->got) || (isnan(x->got[i]) && isnan(x->want[i]));
		int fsame = !memcmp(&x->fgot[i], &x->fwant[i], sizeof *x->fgot) ||
			    (isnan(x->fgot[i]) && isnan(x->fwant[i]));

		if (!same || !fsame)
			fail_msg("%s, %zu x %zu x %zu, ta %d tb %d add %d, element %zu: %a, wanted %a; %a, wanted %a",
				 set->name, s->m, s->n, s->k, s->ta, s->tb, s->add, i, x->got[i], x->want[i],
				 (double)x->fgot[i], (double)x->fwant[i]);
	}
}

/* Strides are 3 more than they must be; what lies between stays as it is. */
static void check_shape(const struct gemm_kernels *set, size_t m, size_t n, size_t k, int how, struct numbers *x)
{
	int ta = how & 1, tb = how >> 1 & 1;
	struct gemm_shape s = {m, n, k, ta, tb, (ta ? m : k) + 3, (tb ? k : n) + 3, n + 3, how >> 2 & 1};

	assert_true((m + k) * (m + k) <= MOST && m * s.ldc <= MOST && s.lda * (ta ? k : m) <= MOST &&
		    s.ldb * (tb ? n : k) <= MOST);
	for (size_t i = 0; i < m * s.ldc; i++) {
		x->got[i] = x->want[i] = 0.25 * (double)(i % 7);
		x->fgot[i] = x->fwant[i] = 0.25f * (float)(i % 7);
	}
	fused = set != &gemm_plain;
	chain_f64(&s, x->a, x->b, x->want);
	chain_f32(&s, x->fa, x->fb, x->fwant);
	set->f64(&s, x->a, x->b, x->got);
	set->f32(&s, x->fa, x->fb, x->fgot);
	check_same(set, &s, x);
}

static void check_shapes(int special)
{
	static const size_t sizes[][3] = {{1, 1, 1},    {2, 3, 4},     {4, 16, 17},  {5, 7, 300},  {12, 32, 192},
					  {13, 33, 50}, {25, 47, 193}, {3, 600, 40}, {1, 90, 400}, {7, 530, 200},
					  {64, 8, 70},  {101, 5, 9},   {0, 4, 4},    {4, 0, 4},    {4, 4, 0},
					  {49, 17, 61}, {31, 31, 31},  {230, 8, 200}};
	const struct gemm_kernels *sets[GEMM_SETS];
	size_t n_sets = gemm_sets(sets);
	struct numbers *x = new_numbers(special);

	for (size_t set = 0; set < n_sets; set++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			for (int how = 0; how < 8; how++)
				check_shape(sets[set], sizes[i][0], sizes[i][1], sizes[i][2], how, x);
	free(x);
}

static void sets_give_the_bits_of_loops(void **state)
{
	(void)state;
	check_shapes(0);
}

static void infinities_and_nans_are_kept(void **state)
{
	(void)state;
	check_shapes(1);
}

static void a_product_without_memory_is_the_same(void **state)
{
	const struct gemm_kernels *sets[GEMM_SETS];
	size_t n_sets = gemm_sets(sets);
	struct numbers *x = new_numbers(0);

	(void)state;
	mem_fail_after(1, 1);
	for (size_t set = 0; set < n_sets; set++)
		check_shape(sets[set], 25, 47, 193, 0, x);
	mem_fail_after(0, 0);
	free(x);
}

/* B [k, n] as panels, in x->b. */
static void make_panels(struct numbers *x, size_t n, size_t k, const double *b)
{
	memset(x->b, 0, (n + GEMM_PANEL) * k * sizeof *x->b);
	for (size_t p = 0; p < k; p++)
		for (size_t j = 0; j < n; j++)
			x->b[(j / GEMM_PANEL * k + p) * GEMM_PANEL + j % GEMM_PANEL] = b[p * n + j];
}

static void panels_are_multiplied(void **state)
{
	enum { M = 27, N = 53, K = 189 };
	const struct gemm_kernels *sets[GEMM_SETS];
	size_t n_sets = gemm_sets(sets);
	struct numbers *x = new_numbers(0);
	double *b = malloc(K * N * sizeof *b);

	(void)state;
	assert_non_null(b);
	memcpy(b, x->b, K * N * sizeof *b);
	make_panels(x, N, K, b);
	for (size_t i = 0; i < M * K; i++)
		x->a[i] = (double)x->fa[i];
	for (size_t set = 0; set < n_sets; set++) {
		struct gemm_shape s = gemm_dense(M, N, K, 0, 0);
		struct gemm_panels p = {.m = M, .n = N, .k = K, .a = {.f64 = x->a}, .lda = K, .panels = x->b};

		p.c = x->got;
		p.ldc = N;
		fused = sets[set] != &gemm_plain;
		chain_f64(&s, x->a, b, x->want);
		sets[set]->panels(&p);
		assert_memory_equal(x->got, x->want, M * N * sizeof *x->got);
		s.add = p.add = 1;
		p.a = (struct reals){.f32 = x->fa};
		chain_f64(&s, x->a, b, x->want);
		sets[set]->panels(&p);
		assert_memory_equal(x->got, x->want, M * N * sizeof *x->got);
	}
	free(b);
	free(x);
}

static void the_engine_takes_the_first_set(void **state)
{
	const struct gemm_kernels *sets[GEMM_SETS];

	(void)state;
	gemm_sets(sets);
	assert_ptr_equal(engine_init()->gemm, sets[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_give_the_bits_of_loops),          cmocka_unit_test(infinities_and_nans_are_kept),
		cmocka_unit_test(a_product_without_memory_is_the_same), cmocka_unit_test(panels_are_multiplied),
		cmocka_unit_test(the_engine_takes_the_first_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
