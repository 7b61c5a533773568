/* qconv.c - ConvInteger and QLinearConv.
 *
 *   acc[n, m, o] = Σ_{c,k} (W[m, c, k] - w_zero[m]) · (X[n, c, o·stride - pad + k·dilation] - x_zero)
 *
 * Padding is the zero point, so it adds nothing.  Products of 8-bit numbers are summed in double, which is exact up to
 * 2^37 terms. */
#include "ops/quantize/qconv.h"
#include "ops/conv/conv.h"
#include "ops/kit/domain.h"
#include "ops/quantize/quantize.h"
#include "ops/quantize/samplers.h"

#define T_8BIT (TM(DT_INT8) | TM(DT_UINT8))

static const struct op_attr conv_attrs[] = {
	OP_CONV_ATTRS,
	{0},
};

/* ---- shared ------------------------------------------------------------------------------------------------------ */

/* Input i is one number, or, with filters >= 0, one for each filter. */
static int check_params(struct call *c, int i, int64_t filters)
{
	const struct type *t = call_shape(c, i);

	if (!t || t->rank == 0 || (t->rank == 1 && (t->dims[0] < 0 || t->dims[0] == 1)))
		return 0;
	if (t->rank == 1 && filters != -1 && (filters < 0 || t->dims[0] == filters))
		return 0;
	return call_bad(c, "input %d must be a scalar%s", i, filters == -1 ? "" : " or have one element a filter");
}

/* The filters of W as far as known; -2 when not, so that check_params() still takes a list. */
static int64_t filters_of(const struct call *c, int w)
{
	const struct type *t = call_shape(c, w);

	return t && t->rank > 0 && t->dims[0] >= 0 ? t->dims[0] : -2;
}

static int64_t param_int(const struct tensor *t, size_t filter)
{
	return !t ? 0 : t->i[t->count > 1 ? filter : 0];
}

/* t - zero, as doubles; zero has one element, or one for each of the `rows` equal parts of t. */
static double *centered(struct call *c, const struct tensor *t, const struct tensor *zero, size_t rows)
{
	double *x = call_scratch(c, t->count + 1, sizeof *x);
	size_t row = rows ? t->count / rows : 0;

	for (size_t r = 0; x && r < rows; r++)
		for (size_t i = r * row; i < (r + 1) * row; i++)
			x[i] = (double)(t->i[i] - param_int(zero, r));
	return x;
}

/* One output element: x is the sample's group of channels, w one filter, o the output position. */
static double window_sum(const struct conv_plan *p, const double *x, const double *w, const int64_t *o)
{
	const struct spatial *s = &p->spatial;
	int64_t k[SPATIAL_MAX] = {0};
	double sum = 0;

	for (size_t i = 0; i < p->kernel_size; i++, conv_next_offset(s, k)) {
		size_t offset = 0;
		int inside = 1;

		for (int d = 0; d < s->n && inside; d++) {
			int64_t at = o[d] * s->stride[d] - s->pad_begin[d] + k[d] * s->dilation[d];

			inside = at >= 0 && at < s->in[d];
			offset = offset * (size_t)s->in[d] + (size_t)at;
		}
		for (size_t ch = 0; ch < p->group_in && inside; ch++)
			sum += x[ch * p->in_size + offset] * w[ch * p->kernel_size + i];
	}
	return sum;
}

static void next_position(const struct spatial *s, int64_t *o)
{
	for (int d = s->n - 1; d >= 0; d--) {
		if (++o[d] < s->out[d])
			return;
		o[d] = 0;
	}
}

/* acc[N, M, out…] into scratch; NULL with the error set. */
static double *accumulate(struct call *c, struct conv_plan *p, int xi, const struct tensor *x_zero, int wi,
			  const struct tensor *w_zero)
{
	double *x, *w, *acc;
	size_t at = 0;

	if (conv_plan_init(c, p, xi, wi))
		return NULL;
	x = centered(c, c->in[xi], x_zero, 1);
	w = centered(c, c->in[wi], w_zero, p->filters);
	acc = call_scratch(c, c->out[0]->count + 1, sizeof *acc);
	if (!x || !w || !acc)
		return NULL;
	for (size_t n = 0; n < p->batch && c->out[0]->count; n++)
		for (size_t m = 0; m < p->filters; m++) {
			size_t first = n * p->channels + m / p->group_out * p->group_in;
			int64_t o[SPATIAL_MAX] = {0};

			for (size_t i = 0; i < p->out_size; i++, next_position(&p->spatial, o))
				acc[at++] =
					window_sum(p, x + first * p->in_size, w + m * p->group_in * p->kernel_size, o);
		}
	return acc;
}

/* ---- ConvInteger ------------------------------------------------------------------------------------------------- */

static int conv_integer_infer(struct call *c)
{
	int rc = check_params(c, 2, -1);

	if (!rc)
		rc = check_params(c, 3, filters_of(c, 1));
	c->out_type[0].dtype = DT_INT32;
	return rc ? rc : conv_infer_at(c, 0, 1, c->n_in);
}

static int conv_integer_eval(struct call *c)
{
	struct conv_plan p;
	const double *acc = accumulate(c, &p, 0, call_has(c, 2) ? c->in[2] : NULL, 1, call_has(c, 3) ? c->in[3] : NULL);

	if (!acc)
		return c->err->code;
	for (size_t i = 0; i < c->out[0]->count; i++)
		c->out[0]->i[i] = (int64_t)acc[i];
	return 0;
}

const struct op op_conv_integer = {
	.samples = SAMPLES({.by = &sampler_conv_integer}),
	.rules = RULES({.broken = domain_is_lone, .port = 3, .of = 1}),
	.in = {{"x", T_8BIT, 'X', 0},
	       {"w", T_8BIT, 'W', 0},
	       {"x_zero_point", T_8BIT, 'X', PORT_OPTIONAL},
	       {"w_zero_point", T_8BIT, 'W', PORT_OPTIONAL}},
	.out = {{"y", TM(DT_INT32), 0, 0}},
	.attrs = conv_attrs,
	.infer = conv_integer_infer,
	.eval = conv_integer_eval,
};

/* ---- QLinearConv ------------------------------------------------------------------------------------------------- */

enum { X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS };

static int qlinear_conv_infer(struct call *c)
{
	static const int scalars[] = {X_SCALE, X_ZERO, Y_SCALE, Y_ZERO};
	int rc = 0;

	for (size_t i = 0; i < sizeof scalars / sizeof *scalars && !rc; i++)
		rc = check_params(c, scalars[i], -1);
	if (!rc)
		rc = check_params(c, W_SCALE, filters_of(c, W));
	if (!rc)
		rc = check_params(c, W_ZERO, filters_of(c, W));
	return rc ? rc : conv_infer_at(c, X, W, BIAS);
}

/* y = saturate(round((acc + B) · x_scale · w_scale[m] / y_scale) + y_zero) */
static int qlinear_conv_eval(struct call *c)
{
	const struct tensor *bias = call_has(c, BIAS) ? c->in[BIAS] : NULL, *w_scale = c->in[W_SCALE];
	struct conv_plan p;
	const double *acc = accumulate(c, &p, X, c->in[X_ZERO], W, c->in[W_ZERO]);

	if (!acc)
		return c->err->code;
	for (size_t i = 0; i < c->out[0]->count; i++) {
		size_t m = i / p.out_size % p.filters;
		double scale = c->in[X_SCALE]->f[0] * w_scale->f[w_scale->count > 1 ? m : 0];
		double real = (acc[i] + (bias ? (double)bias->i[m] : 0.0)) * scale, by = c->in[Y_SCALE]->f[0];
		double q = quant_quotient(c, real / by, scale / by, DT_FLOAT);

		c->out[0]->i[i] = quant_int(c->out[0]->dtype, q, c->in[Y_ZERO]->i[0]);
	}
	return 0;
}

const struct op op_qlinear_conv = {
	.samples = SAMPLES({.by = &sampler_qlinear_conv}),
	QLINEAR_CONV_PORTS,
	.attrs = conv_attrs,
	.infer = qlinear_conv_infer,
	.eval = qlinear_conv_eval,
};
