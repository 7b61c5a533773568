/* gemm.c - see gemm.h. */
#include "ops/engine/gemm.h"

#include <math.h>

#include "base/clones.h"
#include "base/mem.h"
#include "ops/engine/engine.h"
#include "ops/engine/gemm_kernels.h"

struct gemm_shape gemm_dense(size_t m, size_t n, size_t k, int ta, int tb)
{
	return (struct gemm_shape){m, n, k, ta, tb, ta ? m : k, tb ? k : n, n, 0};
}

void gemm_f64(const struct gemm_shape *s, const double *a, const double *b, double *c)
{
	engine_init()->gemm->f64(s, a, b, c);
}

void gemm_f32(const struct gemm_shape *s, const float *a, const float *b, float *c)
{
	engine_init()->gemm->f32(s, a, b, c);
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

float *gemm_narrow(struct reals x, size_t n, int absolute)
{
	float *y = mem_aligned(n * sizeof *y);

	if (y && x.f64)
		narrow(x.f64, n, absolute, y);
	else if (y)
		copy_floats(x.f32, n, absolute, y);
	return y;
}
