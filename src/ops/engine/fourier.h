/* fourier.h - discrete Fourier transforms of one line, shared by DFT and STFT.
 *
 *     forward   y_k = Σ_j x_j e^{-2πi jk/N}            inverse   y_k = 1/N Σ_j x_j e^{+2πi jk/N}
 *
 * A line may be real or complex (real and imaginary parts in two arrays), longer than N (cut) or shorter (zeros).
 * Onesided and forward: bins 0 … N/2 of a real line.  Onesided and inverse: the real line of N whose bins 0 … N/2 are
 * given; the others are their conjugates. */
#ifndef OPS_ENGINE_FOURIER_H
#define OPS_ENGINE_FOURIER_H

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

/* What lines of n cost (op.work) that have `elements` together: a length is halved while it is even, of the rest each
 * element is a sum over all. */
double fourier_work(double elements, int64_t n);

void fourier_run(const struct fourier *f, const struct fourier_line *in, const struct fourier_line *out);

/* The transposed map: from gradients of the output to those of the input, which are stored, not added. */
void fourier_back(const struct fourier *f, const struct fourier_line *dout, const struct fourier_line *din);

/* What rounding may move element k of the output by: `sum`, the sum of magnitudes times the growth of rounding and that
 * of an angle below 2π, and k times `angle`.  Libraries that add the sum itself round its angles 2πjk/N as they are,
 * not modulo 2π: that of term j is off by u · 2πjk/N, one way or the other. */
struct fourier_size {
	double sum, angle;
};
struct fourier_size fourier_scale(const struct fourier *f, const struct fourier_line *in);

#endif
