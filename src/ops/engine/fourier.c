/* fourier.c - see fourier.h.  Radix-2 steps while the length is even, then the sum itself: exact enough in double for
 * any length, fast for the lengths in use. */
#include "ops/engine/fourier.h"

#include <math.h>
#include <string.h>

#define TERM_WORK 16 /* a complex product, and not from a cache */
#define PI 3.14159265358979323846

int fourier_open(struct call *c, struct fourier *f, size_t n, size_t n_in, int inverse, int onesided)
{
	f->n = n;
	f->n_in = n_in;
	f->n_out = onesided && !inverse ? n / 2 + 1 : n;
	f->inverse = inverse;
	f->onesided = onesided;
	f->twiddle = call_scratch(c, n, 2 * sizeof(double));
	f->x = call_scratch(c, n, 2 * sizeof(double));
	f->y = call_scratch(c, n, 2 * sizeof(double));
	if (!f->twiddle || !f->x || !f->y)
		return ERR_MEMORY;
	for (size_t k = 0; k < n; k++) {
		f->twiddle[2 * k] = cos(2 * PI * (double)k / (double)n);
		f->twiddle[2 * k + 1] = -sin(2 * PI * (double)k / (double)n);
	}
	return 0;
}

double fourier_work(double elements, int64_t n)
{
	double terms = 0;

	if (n < 1)
		return 0;
	for (; n % 2 == 0; n /= 2)
		terms++;
	return TERM_WORK * elements * (terms + (double)n);
}

/* y_k = Σ_j x_j w^{jk} over n elements, each a pair, x with a stride; w^k is twiddle[k * step]. */
static void direct_sum(const struct fourier *f, const double *x, size_t stride, size_t n, double *y, size_t step)
{
	for (size_t k = 0; k < n; k++) {
		double re = 0, im = 0;
		size_t jk = 0; /* j * k mod n */

		for (size_t j = 0; j < n; j++) {
			const double *w = f->twiddle + 2 * jk * step, *p = x + 2 * j * stride;

			re += p[0] * w[0] - p[1] * w[1];
			im += p[0] * w[1] + p[1] * w[0];
			jk = jk + k >= n ? jk + k - n : jk + k;
		}
		y[2 * k] = re;
		y[2 * k + 1] = im;
	}
}

static void transform(const struct fourier *f, const double *x, size_t stride, size_t n, double *y, size_t step)
{
	size_t half = n / 2;

	if (n % 2) {
		direct_sum(f, x, stride, n, y, step);
		return;
	}
	transform(f, x, 2 * stride, half, y, 2 * step);
	transform(f, x + 2 * stride, 2 * stride, half, y + 2 * half, 2 * step);
	for (size_t k = 0; k < half; k++) {
		const double *w = f->twiddle + 2 * k * step;
		double *a = y + 2 * k, *b = y + 2 * (k + half);
		double re = b[0] * w[0] - b[1] * w[1], im = b[0] * w[1] + b[1] * w[0];

		b[0] = a[0] - re;
		b[1] = a[1] - im;
		a[0] += re;
		a[1] += im;
	}
}

/* Fills f->x from n elements of a line, zeros after them; sign -1 conjugates, which turns the transform around. */
static void load(const struct fourier *f, const struct fourier_line *in, size_t n, double sign)
{
	memset(f->x, 0, 2 * f->n * sizeof *f->x);
	for (size_t k = 0; k < n && k < f->n; k++) {
		f->x[2 * k] = in->re[k];
		f->x[2 * k + 1] = in->im ? sign * in->im[k] : 0;
	}
}

static void unload(const struct fourier *f, const struct fourier_line *out, size_t n, double factor, double sign)
{
	for (size_t k = 0; k < n; k++) {
		out->re[k] = k < f->n ? factor * f->y[2 * k] : 0;
		if (out->im)
			out->im[k] = k < f->n ? sign * factor * f->y[2 * k + 1] : 0;
	}
}

/* True when bin k of N stands for its conjugate twin N - k too. */
static int has_twin(const struct fourier *f, size_t k)
{
	return k > 0 && 2 * k < f->n;
}

/* Bins above N/2 from those below. */
static void complete_spectrum(const struct fourier *f)
{
	for (size_t k = f->n / 2 + 1; k < f->n; k++) {
		f->x[2 * k] = f->x[2 * (f->n - k)];
		f->x[2 * k + 1] = -f->x[2 * (f->n - k) + 1];
	}
}

void fourier_run(const struct fourier *f, const struct fourier_line *in, const struct fourier_line *out)
{
	/* The inverse is the forward transform of the conjugate, conjugated. */
	double sign = f->inverse ? -1 : 1;

	load(f, in, f->n_in, sign);
	if (f->inverse && f->onesided)
		complete_spectrum(f);
	transform(f, f->x, 1, f->n, f->y, 1);
	unload(f, out, f->n_out, f->inverse ? 1 / (double)f->n : 1, sign);
}

void fourier_back(const struct fourier *f, const struct fourier_line *dout, const struct fourier_line *din)
{
	/* The transpose of a transform, seen as a map of real pairs, turns the other way and keeps the factor. */
	double sign = f->inverse ? 1 : -1, factor = f->inverse ? 1 / (double)f->n : 1;

	load(f, dout, f->n_out, sign);
	transform(f, f->x, 1, f->n, f->y, 1);
	unload(f, din, f->n_in, factor, sign);
	for (size_t k = 0; f->inverse && f->onesided && k < f->n_in; k++) {
		double weight = has_twin(f, k) ? 2 : 2 * k <= f->n ? 1 : 0;

		din->re[k] *= weight;
		if (din->im)
			din->im[k] *= weight;
	}
}

struct fourier_size fourier_scale(const struct fourier *f, const struct fourier_line *in)
{
	double sum = 0, squares = 0, n = (double)f->n, factor = f->inverse ? 1 / n : 1;

	for (size_t j = 0; j < f->n_in && j < f->n; j++) {
		double x = (fabs(in->re[j]) + (in->im ? fabs(in->im[j]) : 0)) *
			   (f->inverse && f->onesided && has_twin(f, j) ? 2 : 1);

		sum += x;
		squares += x * x * (double)j * (double)j;
	}
	return (struct fourier_size){sum * (noise_growth(n) + PI) * factor, 2 * PI / n * sqrt(squares) * factor};
}
