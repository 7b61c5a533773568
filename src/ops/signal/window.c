/* window.c - windows and filter banks of signal processing: HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix.
 *
 *     w_n = a0 - a1 cos(2πn/M) + a2 cos(4πn/M)        M = size, or size - 1 when the window is symmetric */
#include <math.h>
#include <string.h>

#include "ops/call.h"
#include "ops/signal/samplers.h"

#define TAU 6.28318530717958647693

struct cosine_window {
	double a0, a1, a2;
};

/* Constants of the functions in the specification. */
static const struct cosine_window hann = {0.5, 0.5, 0};
static const struct cosine_window hamming = {25.0 / 46, 21.0 / 46, 0};
static const struct cosine_window blackman = {0.42, 0.5, 0.08};

/* ---- shared ------------------------------------------------------------------------------------------------------ */

static int output_dtype(struct call *c, enum dtype *t)
{
	int64_t code = attr_int(c->node, "output_datatype");

	*t = dtype_from_code(code);
	if (*t == DT_UNDEFINED || !(TM(*t) & T_NUM))
		return call_bad(c, "output_datatype %lld is not a type of numbers", (long long)code);
	return 0;
}

/* Stores x as the output's type: integers are cut, as Cast does. */
static void store(struct tensor *y, size_t i, double x)
{
	if (dtype_is_float(y->dtype))
		y->f[i] = x;
	else
		y->i[i] = isnan(x) ? 0 : (int64_t)x;
}

/* The one number in input i as an integer of at least `least`; DIM_UNKNOWN when not known yet. */
static int size_input(struct call *c, int i, int64_t least, int64_t *x)
{
	const struct tensor *t = c->in[i];

	*x = DIM_UNKNOWN;
	if (!t)
		return 0;
	if (t->count != 1 || t->i[0] < least)
		return call_bad(c, "input %d must be one integer of at least %lld", i, (long long)least);
	*x = t->i[0];
	return 0;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static int window_infer(struct call *c)
{
	enum dtype t;
	int64_t size;
	int rc = output_dtype(c, &t);

	if (!rc)
		rc = size_input(c, 0, 0, &size);
	if (!rc)
		call_out(c, 0, t, 1, &size);
	return rc;
}

static double window_period(struct call *c)
{
	return (double)(c->in[0]->i[0] - (attr_int(c->node, "periodic") ? 0 : 1));
}

static int window_eval(struct call *c, const struct cosine_window *w)
{
	double period = window_period(c);

	for (size_t n = 0; n < c->out[0]->count; n++) {
		double angle = TAU * (double)n / period;

		store(c->out[0], n, w->a0 - w->a1 * cos(angle) + w->a2 * cos(2 * angle));
	}
	return 0;
}

/* Three terms that may cancel, and an angle that is rounded before its cosine is taken. */
static int window_scale(struct call *c, const struct cosine_window *w, double *s)
{
	double period = window_period(c);

	for (size_t n = 0; n < c->out[0]->count; n++) {
		double angle = TAU * (double)n / period;

		s[n] = w->a0 + w->a1 + w->a2 +
		       2 * angle * (w->a1 * fabs(sin(angle)) + 2 * w->a2 * fabs(sin(2 * angle)));
	}
	return 0;
}

static const struct op_attr window_attrs[] = {OP_INT("output_datatype", DT_FLOAT), OP_INT("periodic", 1), {0}};

#define WINDOW(id)                                                \
	static int id##_eval(struct call *c)                      \
	{                                                         \
		return window_eval(c, &id);                       \
	}                                                         \
	static int id##_scale(struct call *c, int out, double *s) \
	{                                                         \
		(void)out;                                        \
		return window_scale(c, &id, s);                   \
	}                                                         \
	const struct op op_##id##_window = {                      \
		.samples = SAMPLES({.by = &sampler_window}),      \
		.in = {{"size", T_INDEX, 0, 0}},                  \
		.out = {{"output", T_NUM, 0, 0}},                 \
		.attrs = window_attrs,                            \
		.infer = window_infer,                            \
		.eval = id##_eval,                                \
		.scale = id##_scale,                              \
	}

WINDOW(hann);
WINDOW(hamming);
WINDOW(blackman);

/* ---- MelWeightMatrix --------------------------------------------------------------------------------------------- */

enum { IN_BINS, IN_DFT, IN_RATE, IN_LOW, IN_HIGH };

static int mel_infer(struct call *c)
{
	enum dtype t;
	int64_t bins, length, rate;
	int rc = output_dtype(c, &t);

	if (!rc)
		rc = size_input(c, IN_BINS, 1, &bins);
	if (!rc)
		rc = size_input(c, IN_DFT, 1, &length);
	if (!rc)
		rc = size_input(c, IN_RATE, 1, &rate);
	for (int i = IN_LOW; !rc && i <= IN_HIGH; i++)
		if (c->in[i] && c->in[i]->count != 1)
			return call_bad(c, "input %d must be one number", i);
	if (!rc)
		call_out(c, 0, t, 2, (int64_t[]){length < 0 ? DIM_UNKNOWN : length / 2 + 1, bins});
	return rc;
}

static double mel_of(double hertz)
{
	return 2595 * log10(1 + hertz / 700);
}

static double hertz_of(double mel)
{
	return 700 * (pow(10, mel / 2595) - 1);
}

/* Spectrogram bin of band edge i: edges are equally spaced on the mel scale and fall on bins, rounded down.  The text
 * does not say how edges fall on bins; this is what the specification's own tests expect. */
static double edge_bin(const struct call *c, int64_t i)
{
	double low = mel_of(c->in[IN_LOW]->f[0]), high = mel_of(c->in[IN_HIGH]->f[0]);
	double step = (high - low) / (double)(c->in[IN_BINS]->i[0] + 2);
	double hertz = hertz_of(low + (double)i * step);

	return floor(((double)c->in[IN_DFT]->i[0] + 1) * hertz / (double)c->in[IN_RATE]->i[0]);
}

/* Band i is a triangle over bins: 0 at its left edge, 1 at its centre, 0 at its right edge. */
static int mel_band(struct call *c, int64_t band, size_t bins, size_t bands)
{
	double edge[3];
	size_t left, centre, right;

	for (int k = 0; k < 3; k++) {
		edge[k] = edge_bin(c, band + k);
		if (!(edge[k] >= 0 && edge[k] <= (double)(k == 2 ? bins : bins - 1)))
			return call_bad(c, "band %lld reaches outside of the spectrum", (long long)band);
	}
	if (edge[0] > edge[1] || edge[1] > edge[2])
		return call_bad(c, "lower_edge_hertz is above upper_edge_hertz");
	left = (size_t)edge[0], centre = (size_t)edge[1], right = (size_t)edge[2];
	if (left == centre)
		store(c->out[0], centre * bands + (size_t)band, 1);
	for (size_t j = left; left < centre && j <= centre; j++)
		store(c->out[0], j * bands + (size_t)band, (double)(j - left) / (double)(centre - left));
	for (size_t j = centre; j < right; j++)
		store(c->out[0], j * bands + (size_t)band, (double)(right - j) / (double)(right - centre));
	return 0;
}

static int mel_eval(struct call *c)
{
	size_t bins = (size_t)c->out[0]->dims[0], bands = (size_t)c->out[0]->dims[1];

	for (size_t i = 0; i < c->out[0]->count; i++)
		store(c->out[0], i, 0);
	for (size_t band = 0; band < bands; band++) {
		int rc = mel_band(c, (int64_t)band, bins, bands);

		if (rc)
			return rc;
	}
	return 0;
}

static const struct op_attr mel_attrs[] = {OP_INT("output_datatype", DT_FLOAT), {0}};

const struct op op_mel_weight_matrix = {
	.undrawn = "rounding decides which bin a frequency falls into",
	.in = {{"num_mel_bins", T_INDEX, 'I', 0},
	       {"dft_length", T_INDEX, 'I', 0},
	       {"sample_rate", T_INDEX, 'I', 0},
	       {"lower_edge_hertz", T_FLOAT, 'F', 0},
	       {"upper_edge_hertz", T_FLOAT, 'F', 0}},
	.out = {{"output", T_NUM, 0, 0}},
	.attrs = mel_attrs,
	.infer = mel_infer,
	.eval = mel_eval,
	.ulps = 1,
};
