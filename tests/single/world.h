/* world.h - put in front of every file of the reference that is compiled for single precision; see single.h.
 *
 * System headers come first: what is defined below is not for them. */
#ifndef TESTS_SINGLE_WORLD_H
#define TESTS_SINGLE_WORLD_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No vector kernels and no clones, which know double only: plain loops. */
#undef __x86_64__

/* Functions of libm in float32. */
#define SINGLE_1(f, x) ((double)f((float)(x)))
#define SINGLE_2(f, x, y) ((double)f((float)(x), (float)(y)))
#define acos(x) SINGLE_1(acosf, x)
#define acosh(x) SINGLE_1(acoshf, x)
#define asin(x) SINGLE_1(asinf, x)
#define asinh(x) SINGLE_1(asinhf, x)
#define atan(x) SINGLE_1(atanf, x)
#define atanh(x) SINGLE_1(atanhf, x)
#define cos(x) SINGLE_1(cosf, x)
#define cosh(x) SINGLE_1(coshf, x)
#define erf(x) SINGLE_1(erff, x)
#define erfc(x) SINGLE_1(erfcf, x)
#define exp(x) SINGLE_1(expf, x)
#define expm1(x) SINGLE_1(expm1f, x)
#define fma(x, y, z) ((double)fmaf((float)(x), (float)(y), (float)(z)))
#define hypot(x, y) SINGLE_2(hypotf, x, y)
#define log(x) SINGLE_1(logf, x)
#define log10(x) SINGLE_1(log10f, x)
#define log1p(x) SINGLE_1(log1pf, x)
#define log2(x) SINGLE_1(log2f, x)
#define pow(x, y) SINGLE_2(powf, x, y)
#define sin(x) SINGLE_1(sinf, x)
#define sinh(x) SINGLE_1(sinhf, x)
#define tan(x) SINGLE_1(tanf, x)
#define tanh(x) SINGLE_1(tanhf, x)

#endif
