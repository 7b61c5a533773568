/* blas.c - see blas.h. */
#include "ops/engine/blas.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/mem.h"

#define SELFTEST_SIZE 37 /* odd, and larger than a register tile */

/* ---- the library ------------------------------------------------------------------------------------------------- */

/* OpenBLAS chooses its kernels when it is loaded, by a list of processor models: one newer than the list gets kernels
 * of 2004, fifteen times slower.  So it is opened here, on first use, with the kernels named by what the processor can
 * do, and with one thread: the same bits on every machine and with every --jobs. */

enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111, CBLAS_TRANS = 112 };

typedef void dgemm_fn(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
		      const double *b, int ldb, double beta, double *c, int ldc);
typedef void sgemm_fn(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
		      const float *b, int ldb, float beta, float *c, int ldc);

static struct {
	dgemm_fn *dgemm;
	sgemm_fn *sgemm;
} openblas;

static const char *kernel_set(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
		return "SkylakeX";
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return "Haswell";
#endif
	return NULL;
}

/* Sets a variable for the time of loading, unless the user has set it; says whether to take it back. */
static int lend_variable(const char *name, const char *value)
{
	return value && !getenv(name) && !setenv(name, value, 0);
}

static int open_library(void)
{
	int kernels = lend_variable("OPENBLAS_CORETYPE", kernel_set());
	int threads = lend_variable("OPENBLAS_NUM_THREADS", "1");
	void *handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	void *d = handle ? dlsym(handle, "cblas_dgemm") : NULL, *s = handle ? dlsym(handle, "cblas_sgemm") : NULL;

	if (kernels)
		unsetenv("OPENBLAS_CORETYPE");
	if (threads)
		unsetenv("OPENBLAS_NUM_THREADS");
	memcpy(&openblas.dgemm, &d, sizeof d);
	memcpy(&openblas.sgemm, &s, sizeof s);
	return d && s;
}

/* ---- products ---- */

struct gemm_shape gemm_dense(size_t m, size_t n, size_t k, int ta, int tb)
{
	return (struct gemm_shape){m, n, k, ta, tb, ta ? m : k, tb ? k : n, n, 0};
}

/* C[i,j] = Σ_k A[i,k] B[k,j] */
#define PLAIN_GEMM(NAME, TYPE)                                                                      \
	static void NAME(const struct gemm_shape *s, const TYPE *a, const TYPE *b, TYPE *c)         \
	{                                                                                           \
		for (size_t i = 0; i < s->m; i++)                                                   \
			for (size_t j = 0; j < s->n; j++) {                                         \
				double sum = s->add ? (double)c[i * s->ldc + j] : 0.0;              \
				for (size_t k = 0; k < s->k; k++)                                   \
					sum += (double)a[s->ta ? k * s->lda + i : i * s->lda + k] * \
					       (double)b[s->tb ? j * s->ldb + k : k * s->ldb + j];  \
				c[i * s->ldc + j] = (TYPE)sum;                                      \
			}                                                                           \
	}

PLAIN_GEMM(plain_f64, double)
PLAIN_GEMM(plain_f32, float)

#define FAST_GEMM(NAME, TYPE, FUNCTION)                                                                               \
	static void NAME(const struct gemm_shape *s, const TYPE *a, const TYPE *b, TYPE *c)                           \
	{                                                                                                             \
		FUNCTION(CBLAS_ROW_MAJOR, s->ta ? CBLAS_TRANS : CBLAS_NO_TRANS, s->tb ? CBLAS_TRANS : CBLAS_NO_TRANS, \
			 (int)s->m, (int)s->n, (int)s->k, 1, a, (int)s->lda, b, (int)s->ldb, s->add ? 1 : 0, c,       \
			 (int)s->ldc);                                                                                \
	}

FAST_GEMM(fast_f64, double, openblas.dgemm)
FAST_GEMM(fast_f32, float, openblas.sgemm)

/* ---- self-test --------------------------------------------------------------------------------------------------- */

static int close_enough(double got, double want)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : got == want;
	return fabs(got - want) <= 1e-11; /* terms are below 2 and there are SELFTEST_SIZE of them */
}

static int selftest_case(int ta, int tb, int add, int special)
{
	static double a[SELFTEST_SIZE * SELFTEST_SIZE], b[SELFTEST_SIZE * SELFTEST_SIZE];
	static double want[SELFTEST_SIZE * SELFTEST_SIZE], got[SELFTEST_SIZE * SELFTEST_SIZE];
	struct gemm_shape s = gemm_dense(SELFTEST_SIZE - 6, SELFTEST_SIZE - 14, SELFTEST_SIZE, ta, tb);

	for (int i = 0; i < SELFTEST_SIZE * SELFTEST_SIZE; i++) {
		a[i] = sin(1.0 + 0.37 * i);
		b[i] = cos(2.0 + 0.73 * i);
		want[i] = got[i] = add ? 0.25 * (i % 7) : (double)NAN;
	}
	if (special) { /* infinity, infinity times zero, NaN */
		a[5] = INFINITY;
		a[200] = NAN;
		for (int i = 0; i < SELFTEST_SIZE; i++)
			b[i * 3] = 0.0;
	}
	s.add = add;
	plain_f64(&s, a, b, want);
	fast_f64(&s, a, b, got);
	for (size_t i = 0; i < s.m * s.n; i++)
		if (!close_enough(got[i], want[i]))
			return 0;
	return 1;
}

static int selftest(void)
{
	if (!open_library())
		return 0;
	for (int i = 0; i < 16; i++)
		if (!selftest_case(i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3))
			return 0;
	return 1;
}

int blas_trusted(void)
{
	static int trusted = -1;

	if (trusted < 0)
		trusted = selftest();
	return trusted;
}

/* OpenBLAS counts with int, and wants strides of at least one. */
static int fits(const struct gemm_shape *s)
{
	return s->m <= INT32_MAX && s->n <= INT32_MAX && s->k <= INT32_MAX && s->lda <= INT32_MAX &&
	       s->ldb <= INT32_MAX && s->ldc <= INT32_MAX && s->m && s->n && s->k;
}

void blas_gemm_f64(const struct gemm_shape *s, const double *a, const double *b, double *c)
{
	if (fits(s) && blas_trusted())
		fast_f64(s, a, b, c);
	else
		plain_f64(s, a, b, c);
}

void blas_gemm_f32(const struct gemm_shape *s, const float *a, const float *b, float *c)
{
	if (fits(s) && blas_trusted())
		fast_f32(s, a, b, c);
	else
		plain_f32(s, a, b, c);
}

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

float *blas_narrow(struct reals x, size_t n, int absolute)
{
	float *y = mem_aligned(n * sizeof *y);

	if (y && x.f64)
		narrow(x.f64, n, absolute, y);
	else if (y)
		copy_floats(x.f32, n, absolute, y);
	return y;
}
