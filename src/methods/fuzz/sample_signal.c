/* sample_signal.c - Fourier transforms and the windows that go with them. */
#include <string.h>

#include "methods/fuzz/maker.h"

#define MAX_SIGNAL 24 /* samples: a transform's error grows with them */

/* [batch, samples, 1 or 2] */
static struct wire *signal(struct maker *m, struct wire *x, int64_t least, int64_t parts, int64_t *samples)
{
	int64_t dims[3] = {between(m, 1, 2), between(m, least, MAX_SIGNAL), parts};

	*samples = dims[1];
	return match(m, calm(m, x, 100), 3, dims);
}

/* Real or complex; one half of what comes of real ones, which the other half mirrors. */
static struct wire *make_dft(struct maker *m, struct wire *const *in, int n)
{
	int64_t samples, parts = between(m, 1, 2), length = 0;
	struct wire *x = signal(m, in[0], 1, parts, &samples), *size = NULL;
	int back = chance(m, 0.3), half = !back && parts == 1 && chance(m, 0.4);

	(void)n;
	if (chance(m, 0.4)) { /* cut, or filled up with zeros */
		length = between(m, 1, MAX_SIGNAL);
		size = const_scalar(m, DT_INT64, (double)length);
	}
	if (m->opset < 20)
		begin(m, "DFT", (struct wire *[]){x, size}, size ? 2 : 1, 1);
	else
		begin(m, "DFT", (struct wire *[]){x, size, const_scalar(m, DT_INT64, chance(m, 0.5) ? 1 : -2)}, 3, 1);
	if (m->opset < 20)
		build_int(&m->b, "axis", 1);
	if (back || chance(m, 0.3))
		build_int(&m->b, "inverse", back);
	if (half || chance(m, 0.3))
		build_int(&m->b, "onesided", half);
	return set_bound(m, done(m), MAX_SIGNAL * bound_of(m, x));
}

const struct sampler sampler_dft = {"DFT along one axis", TM(DT_FLOAT), make_dft, 0, 0};

static struct wire *make_stft(struct maker *m, struct wire *const *in, int n)
{
	int64_t samples, frame;
	struct wire *x = signal(m, in[0], 4, 1, &samples), *window = NULL, *length = NULL;

	(void)n;
	frame = between(m, 2, samples < 8 ? samples : 8);
	if (chance(m, 0.6))
		window = const_random(m, DT_FLOAT, 1, &frame, 0, 1);
	if (!window || chance(m, 0.5))
		length = const_scalar(m, DT_INT64, (double)frame);
	begin(m, "STFT", (struct wire *[]){x, const_scalar(m, DT_INT64, (double)between(m, 1, 4)), window, length},
	      length ? 4 : 3, 1);
	build_int(&m->b, "onesided", between(m, 0, 1)); /* said: the checker of ONNX takes 0 for the default */
	return set_bound(m, done(m), 8 * bound_of(m, x));
}

const struct sampler sampler_stft = {"STFT of a real signal", TM(DT_FLOAT), make_stft, 0, 0};

/* The input's last axis under a window as long as it is, lifted from 0: what is left of a window's ends is rounding.
 * One sample alone is open: 0 / 0 in the symmetric window, and libraries give 1 in any. */
static struct wire *make_window(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, ranked(m, in[0]), 1000), *size;
	int64_t dims[TENSOR_MAX_RANK];
	int last = m->b.rc ? 0 : x->type.rank - 1;

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[last] = dims[last] < 2 ? 2 : dims[last];
	x = match(m, x, last + 1, dims);
	size = const_scalar(m, chance(m, 0.5) ? DT_INT64 : DT_INT32, (double)dims[last]);
	begin(m, m->op->onnx, &size, 1, 1);
	if (chance(m, 0.6))
		build_int(&m->b, "periodic", between(m, 0, 1));
	size = op2(m, "Add", done(m), const_scalar(m, DT_FLOAT, 0.25));
	return set_bound(m, op2(m, "Mul", x, size), 2 * bound_of(m, x));
}

const struct sampler sampler_window = {"a window over the last axis", TM(DT_FLOAT), make_window, 0, 0};
