/* sample_signal.c - Fourier transforms and the windows that go with them. */
#include <string.h>

#include "ops/sample/maker.h"
#include "ops/signal/samplers.h"

#define MAX_SIGNAL 24 /* samples: a transform's error grows with them */

/* [batch, samples, 1 or 2] */
static struct wire *draw_signal(struct maker *m, struct wire *x, int64_t least, int64_t parts, int64_t *samples)
{
	int64_t dims[3] = {make_between(m, 1, 2), make_between(m, least, MAX_SIGNAL), parts};

	*samples = dims[1];
	return make_match(m, make_calm(m, x, 100), 3, dims);
}

/* [samples] along any of up to three axes, then 1 or 2. */
static struct wire *draw_signals(struct maker *m, struct wire *x, int64_t parts, int64_t *axis, int *rank)
{
	int64_t dims[4];

	*rank = (int)make_between(m, 2, 4);
	*axis = make_between(m, 0, *rank - 2);
	for (int i = 0; i < *rank - 1; i++)
		dims[i] = i == *axis ? make_between(m, 1, MAX_SIGNAL) : make_between(m, 1, 3);
	dims[*rank - 1] = parts;
	return make_match(m, make_calm(m, x, 100), *rank, dims);
}

/* Real or complex; one half of what comes of real ones, which the other half mirrors.  Cut, or filled up with zeros. */
static struct wire *sample_dft(struct maker *m, struct wire *const *in, int n)
{
	int64_t samples, parts = make_between(m, 1, 2), axis = 1;
	int back = make_chance(m, 0.3), half = !back && parts == 1 && make_chance(m, 0.4), rank = 3;
	struct wire *x = m->wide && make_chance(m, 0.4) ? draw_signals(m, in[0], parts, &axis, &rank)
							: draw_signal(m, in[0], 1, parts, &samples),
		    *size = NULL, *along;

	(void)n;
	if (make_chance(m, 0.4))
		size = make_index(m, make_between(m, 1, MAX_SIGNAL));
	axis = make_chance(m, 0.5) ? axis : axis - rank;
	along = axis == -2 && m->wide && m->opset >= 20 && make_chance(m, 0.3) /* the default */
			? NULL
			: make_scalar(m, DT_INT64, (double)axis);
	make_begin(m, "DFT", (struct wire *[]){x, size, along}, along ? 3 : size ? 2 : 1, 1);
	if (back || make_chance(m, 0.3))
		build_int(&m->b, "inverse", back);
	if (half || make_chance(m, 0.3))
		build_int(&m->b, "onesided", half);
	return make_set_bound(m, make_done(m), MAX_SIGNAL * make_bound_of(m, x));
}

const struct sampler sampler_dft = {
	.summary = "DFT along one axis",
	.types = T_F32,
	.make = sample_dft,
};

static struct wire *sample_stft(struct maker *m, struct wire *const *in, int n)
{
	int64_t samples, frame, parts = m->wide && make_chance(m, 0.3) ? 2 : 1;
	enum dtype t = make_index_type(m);
	struct wire *x = draw_signal(m, in[0], 4, parts, &samples), *window = NULL, *length = NULL;

	(void)n;
	frame = make_between(m, m->wide ? 1 : 2, m->wide || samples < 8 ? samples : 8);
	if (make_chance(m, 0.6))
		window = make_random(m, DT_FLOAT, 1, &frame, 0, 1);
	if (!window || make_chance(m, 0.5))
		length = make_scalar(m, t, (double)frame);
	make_begin(m, "STFT", (struct wire *[]){x, make_scalar(m, t, (double)make_between(m, 1, 4)), window, length},
		   length ? 4 : 3, 1);
	/* Said: the checker of ONNX takes 0 for the default.  Complex signals have no half that mirrors the other. */
	build_int(&m->b, "onesided", parts == 1 ? make_between(m, 0, 1) : 0);
	return make_set_bound(m, make_done(m), MAX_SIGNAL * make_bound_of(m, x));
}

const struct sampler sampler_stft = {
	.summary = "STFT of a real or complex signal",
	.types = T_F32,
	.make = sample_stft,
};

/* The input's last axis under a window as long as it is, lifted from 0: what is left of a window's ends is rounding.
 * One sample alone is open: 0 / 0 in the symmetric window, and libraries give 1 in any. */
static struct wire *sample_window(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_ranked(m, in[0]), 1000), *size;
	int64_t dims[TENSOR_MAX_RANK];
	int last = m->b.rc ? 0 : x->type.rank - 1;

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[last] = dims[last] < 2 ? 2 : dims[last];
	x = make_match(m, x, last + 1, dims);
	size = make_scalar(m, make_chance(m, 0.5) ? DT_INT64 : DT_INT32, (double)dims[last]);
	make_begin(m, m->row->name, &size, 1, 1);
	if (make_chance(m, 0.6))
		build_int(&m->b, "periodic", make_between(m, 0, 1));
	size = make_op2(m, "Add", make_done(m), make_scalar(m, DT_FLOAT, 0.25));
	return make_set_bound(m, make_op2(m, "Mul", x, size), 2 * make_bound_of(m, x));
}

const struct sampler sampler_window = {
	.summary = "a window over the last axis",
	.types = T_F32,
	.make = sample_window,
};
