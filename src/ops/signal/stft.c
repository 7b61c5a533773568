/* stft.c - STFT: the DFT of every windowed frame of a signal.
 *
 *     y[b, t, k] = Σ_j w_j x[b, t * step + j] e^{-2πi jk/N}        frames t < (L - N) / step + 1
 *
 * signal (B, L, 1 or 2), window (N), output (B, frames, N or N/2 + 1, 2).  A real signal (B, L) breaks the rules;
 * exporters write it and libraries take it. */
#include <math.h>
#include <string.h>

#include "ops/engine/fourier.h"
#include "ops/signal/samplers.h"

enum { IN_SIGNAL, IN_STEP, IN_WINDOW, IN_LENGTH };

struct stft {
	int64_t length, step; /* negative: not known */
	int64_t batch, signal, parts;
	int onesided;
};

static int positive_scalar(struct call *c, int in, int64_t *x)
{
	const struct tensor *t = c->in[in];

	*x = DIM_UNKNOWN;
	if (!t)
		return 0;
	if (t->count != 1 || t->i[0] < 1)
		return call_bad(c, "input %d must be one positive integer", in);
	*x = t->i[0];
	return 0;
}

static int stft_read(struct call *c, struct stft *p)
{
	const struct type *x = call_shape(c, IN_SIGNAL), *w = call_shape(c, IN_WINDOW);
	int rc = positive_scalar(c, IN_STEP, &p->step);

	p->onesided = attr_int(c->node, "onesided") != 0;
	p->batch = x ? x->dims[0] : DIM_UNKNOWN;
	p->signal = x && x->rank > 1 ? x->dims[1] : DIM_UNKNOWN;
	p->parts = !x ? DIM_UNKNOWN : x->rank == 3 ? x->dims[2] : 1;
	p->length = DIM_UNKNOWN;
	if (x && x->rank != 3 && x->rank != 2)
		return call_bad(c, "the signal has rank %d, wanted 3", x->rank);
	if (x && x->rank == 2 && !rc)
		rc = call_complain(c, "the signal has rank 2, wanted 3");
	if (w && w->rank != 1)
		return call_bad(c, "the window has rank %d, wanted 1", w->rank);
	if (!rc && call_has(c, IN_LENGTH))
		rc = positive_scalar(c, IN_LENGTH, &p->length);
	else if (!call_has(c, IN_WINDOW))
		p->length = p->signal;
	if (rc)
		return rc;
	if (w && w->dims[0] >= 0 && p->length >= 0 && w->dims[0] != p->length)
		return call_bad(c, "the window has length %lld, frame_length is %lld", (long long)w->dims[0],
				(long long)p->length);
	if (w && w->dims[0] >= 0)
		p->length = w->dims[0];
	if (p->length == 0 || (p->signal >= 0 && p->length > p->signal))
		return call_bad(c, "frames of %lld do not fit a signal of %lld", (long long)p->length,
				(long long)p->signal);
	if (p->parts >= 0 && p->parts != 1 && p->parts != 2)
		return call_bad(c, "the last dimension is %lld, wanted 1 (real) or 2 (complex)", (long long)p->parts);
	return 0;
}

static int stft_infer(struct call *c)
{
	struct stft p;
	int64_t dims[4];
	int rc = stft_read(c, &p);

	if (rc)
		return rc;
	if (p.onesided && p.parts == 2)
		return call_bad(c, "a onesided transform takes a real signal");
	dims[0] = p.batch;
	dims[1] = p.signal >= 0 && p.length >= 0 && p.step >= 0 ? (p.signal - p.length) / p.step + 1 : DIM_UNKNOWN;
	dims[2] = p.length < 0 ? DIM_UNKNOWN : p.onesided ? p.length / 2 + 1 : p.length;
	dims[3] = 2;
	call_out(c, 0, c->in_type[0].dtype, 4, dims);
	return 0;
}

/* One frame in and its spectrum out. */
struct stft_frame {
	struct stft p;
	struct fourier f;
	size_t frames, bins, length, parts;
	double *re, *im, *out_re, *out_im;
};

static int frame_open(struct call *c, struct stft_frame *k)
{
	int rc = stft_read(c, &k->p);

	if (rc)
		return rc;
	k->length = (size_t)k->p.length;
	k->parts = (size_t)k->p.parts;
	k->frames = (size_t)((k->p.signal - k->p.length) / k->p.step + 1);
	k->bins = k->p.onesided ? k->length / 2 + 1 : k->length;
	rc = fourier_open(c, &k->f, k->length, k->length, 0, k->p.onesided);
	k->re = call_scratch(c, k->length, sizeof(double));
	k->im = call_scratch(c, k->length, sizeof(double));
	k->out_re = call_scratch(c, k->length, sizeof(double));
	k->out_im = call_scratch(c, k->length, sizeof(double));
	return rc || !k->re || !k->im || !k->out_re || !k->out_im ? ERR_MEMORY : 0;
}

/* First sample of frame t of signal b. */
static size_t frame_start(const struct stft_frame *k, size_t b, size_t t)
{
	return (b * (size_t)k->p.signal + t * (size_t)k->p.step) * k->parts;
}

static double window_at(const struct call *c, size_t j)
{
	return call_has(c, IN_WINDOW) ? c->in[IN_WINDOW]->f[j] : 1;
}

static struct fourier_line frame_input(const struct call *c, const struct stft_frame *k, size_t b, size_t t)
{
	const double *x = c->in[IN_SIGNAL]->f + frame_start(k, b, t);

	for (size_t j = 0; j < k->length; j++) {
		k->re[j] = window_at(c, j) * x[j * k->parts];
		k->im[j] = k->parts == 2 ? window_at(c, j) * x[j * k->parts + 1] : 0;
	}
	return (struct fourier_line){k->re, k->im};
}

/* Calls fn for every frame with the place of its spectrum in the output. */
typedef void frame_fn(struct call *c, struct stft_frame *k, size_t b, size_t t, size_t at, double *out);

static int for_each_frame(struct call *c, frame_fn *fn, double *out)
{
	struct stft_frame k;
	int rc = frame_open(c, &k);

	for (size_t b = 0; !rc && b < (size_t)k.p.batch; b++)
		for (size_t t = 0; t < k.frames; t++)
			fn(c, &k, b, t, (b * k.frames + t) * k.bins * 2, out);
	return rc;
}

static void frame_value(struct call *c, struct stft_frame *k, size_t b, size_t t, size_t at, double *out)
{
	struct fourier_line in = frame_input(c, k, b, t), y = {k->out_re, k->out_im};

	fourier_run(&k->f, &in, &y);
	for (size_t j = 0; j < k->bins; j++) {
		out[at + 2 * j] = y.re[j];
		out[at + 2 * j + 1] = y.im[j];
	}
}

static void frame_rounding(struct call *c, struct stft_frame *k, size_t b, size_t t, size_t at, double *out)
{
	struct fourier_line in = frame_input(c, k, b, t);
	struct fourier_size size = fourier_scale(&k->f, &in);

	for (size_t j = 0; j < 2 * k->bins; j++) /* the product with the window rounds too */
		out[at + j] = 2 * size.sum + (double)(j / 2) * size.angle;
}

/* dx = w ⊙ Fᵀ dy, dw = x ⊙ Fᵀ dy (real and imaginary parts together) */
static void frame_gradient(struct call *c, struct stft_frame *k, size_t b, size_t t, size_t at, double *out)
{
	size_t start = frame_start(k, b, t);
	const double *x = c->in[IN_SIGNAL]->f + start, *g = c->out_grad[0]->f + at;
	double *dx = c->in_grad[IN_SIGNAL] ? c->in_grad[IN_SIGNAL]->f + start : NULL;
	int windowed = call_has(c, IN_WINDOW) && c->in_grad[IN_WINDOW];
	struct fourier_line dy = {k->out_re, k->out_im}, d = {k->re, k->im};

	(void)out;
	for (size_t j = 0; j < k->bins; j++) {
		dy.re[j] = g[2 * j];
		dy.im[j] = g[2 * j + 1];
	}
	fourier_back(&k->f, &dy, &d);
	for (size_t j = 0; j < k->length; j++)
		for (size_t p = 0; p < k->parts; p++) {
			double dj = p ? d.im[j] : d.re[j];

			if (dx)
				dx[j * k->parts + p] += window_at(c, j) * dj;
			if (windowed)
				c->in_grad[IN_WINDOW]->f[j] += x[j * k->parts + p] * dj;
		}
}

static int stft_eval(struct call *c)
{
	return for_each_frame(c, frame_value, c->out[0]->f);
}

static int stft_grad(struct call *c)
{
	return c->out_grad[0] ? for_each_frame(c, frame_gradient, NULL) : 0;
}

static int stft_scale(struct call *c, int out, double *s)
{
	(void)out;
	return for_each_frame(c, frame_rounding, s);
}

static double stft_work(const struct call *c)
{
	struct call again = *c;
	struct stft p;

	return stft_read(&again, &p) ? 0 : fourier_work(call_elements(&c->out_type[0]), p.length);
}

static const struct op_attr stft_attrs[] = {OP_INT("onesided", 1), {0}};

const struct op op_stft = {
	.samples = SAMPLES({.by = &sampler_stft}),
	.in = {{"signal", T_FLOAT, 'T', 0},
	       {"frame_step", T_INDEX, 'I', 0},
	       {"window", T_FLOAT, 'T', PORT_OPTIONAL},
	       {"frame_length", T_INDEX, 'I', PORT_OPTIONAL}},
	.out = {{"output", T_FLOAT, 'T', 0}},
	.attrs = stft_attrs,
	.infer = stft_infer,
	.eval = stft_eval,
	.grad = stft_grad,
	.scale = stft_scale,
	.work = stft_work,
};
