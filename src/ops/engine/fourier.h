/* fourier.h - discrete Fourier transforms of one line, shared by DFT and STFT.
 *
 *     forward   y_k = Σ_j x_j e^{-2πi jk/N}            inverse   y_k = 1/N Σ_j x_j e^{+2πi jk/N}
 *
 * A line may be real or complex (real and imaginary parts in two arrays), longer than N (cut) or shorter (zeros).
 * Onesided and forward: bins 0 … N/2 of a real line.  Onesided and inverse: the real line of N whose bins 0 … N/2 are
 * given; the others are their conjugates. */
#ifndef OPS_FOURIER_H
#define OPS_FOURIER_H

#include "ops/call.h"

struct fourier {
	size_t n;           /* N */
	size_t n_in, n_out; /* elements of a line before and after */
	int inverse, onesided;
	double *twiddle; /* e^{-2πi k/N}, k < N, in pairs */
	double *x, *y;   /* [N] pairs, scratch */
};

/* A line: im may be NULL (real input; output whose imaginary part is not wanted). */
struct fourier_line {
	double *re, *im;
};

/* n > 0.  0 or ERR_MEMORY. */
int fourier_open(struct call *c, struct fourier *f, size_t n, size_t n_in, int inverse, int onesided);

void fourier_run(const struct fourier *f, const struct fourier_line *in, const struct fourier_line *out);

/* The transposed map: from gradients of the output to those of the input, which are stored, not added. */
void fourier_back(const struct fourier *f, const struct fourier_line *dout, const struct fourier_line *din);

/* Sum of magnitudes behind any element of the output, times the growth of rounding and that of an angle: cos and sin of
 * 2πkj/n, which is rounded before, and no larger than 2π where kj is taken modulo n. */
double fourier_scale(const struct fourier *f, const struct fourier_line *in);

#endif
