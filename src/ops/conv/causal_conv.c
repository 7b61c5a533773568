/* causal_conv.c - CausalConvWithState: each channel is convolved with its own kernel of k taps, over the k - 1 values
 * before it and itself; the last k - 1 values are handed on as the state of the next call.
 *
 *     e = past_state ++ input        z[l] = bias + Σ_j w[j] e[l + j]        y = z, or z sigmoid(z)
 *
 * input (B, C, L), weight (C, 1, k), bias (C), states (B, C, k - 1). */
#include <math.h>
#include <string.h>

#include "ops/kit/dims.h"

enum { IN_X, IN_W, IN_BIAS, IN_PAST };

struct causal {
	int64_t batch, channels, length, taps; /* negative: not known */
	int silu;
};

static int read_dims(struct call *c, int in, int rank, int64_t *const *sizes)
{
	const struct type *t = call_shape(c, in);
	int rc = 0;

	if (t && t->rank != rank)
		return call_bad(c, "input %d has rank %d, wanted %d", in, t->rank, rank);
	for (int i = 0; t && !rc && i < rank; i++)
		rc = dim_unify(c, sizes[i], t->dims[i], "a dimension");
	return rc;
}

static int causal_read(struct call *c, struct causal *p)
{
	const char *activation = attr_string(c->node, "activation");
	int64_t one = 1, state = DIM_UNKNOWN;
	int rc;

	*p = (struct causal){-1, -1, -1, -1, strcmp(activation, "none") != 0};
	if (p->silu && strcmp(activation, "silu") && strcmp(activation, "swish"))
		return call_bad(c, "activation '%s' is not one of none, silu, swish", activation);
	rc = read_dims(c, IN_X, 3, (int64_t *[]){&p->batch, &p->channels, &p->length});
	if (!rc)
		rc = read_dims(c, IN_W, 3, (int64_t *[]){&p->channels, &one, &p->taps});
	if (!rc)
		rc = read_dims(c, IN_BIAS, 1, (int64_t *[]){&p->channels});
	if (!rc && p->taps == 0)
		return call_bad(c, "the kernel is empty");
	if (p->taps > 0)
		state = p->taps - 1;
	return rc ? rc : read_dims(c, IN_PAST, 3, (int64_t *[]){&p->batch, &p->channels, &state});
}

static int causal_infer(struct call *c)
{
	struct causal p;
	enum dtype t = c->in_type[IN_X].dtype;
	int rc = causal_read(c, &p);

	if (rc)
		return rc;
	call_out(c, 0, t, 3, (int64_t[]){p.batch, p.channels, p.length});
	call_out(c, 1, t, 3, (int64_t[]){p.batch, p.channels, p.taps < 0 ? DIM_UNKNOWN : p.taps - 1});
	return 0;
}

/* ---- one channel ------------------------------------------------------------------------------------------------- */

/* Channel k (of all batches together) of a tensor with `size` elements a channel; NULL stays NULL. */
static double *channel(double *x, size_t k, size_t size)
{
	return x ? x + k * size : NULL;
}

struct channel_run {
	size_t channels, length, taps;
	const double *w;
	double bias;
	double *e; /* [taps - 1 + length] */
};

static void open_channel(const struct call *c, const struct causal *p, size_t k, struct channel_run *r)
{
	size_t of = k % (size_t)p->channels, state = r->taps - 1;

	r->w = c->in[IN_W]->f + of * r->taps;
	r->bias = call_has(c, IN_BIAS) ? c->in[IN_BIAS]->f[of] : 0;
	for (size_t j = 0; j < state; j++)
		r->e[j] = call_has(c, IN_PAST) ? c->in[IN_PAST]->f[k * state + j] : 0;
	memcpy(r->e + state, c->in[IN_X]->f + k * r->length, r->length * sizeof *r->e);
}

static double convolve(const struct channel_run *r, size_t l)
{
	double z = r->bias;

	for (size_t j = 0; j < r->taps; j++)
		z += r->w[j] * r->e[l + j];
	return z;
}

static double sigmoid(double z)
{
	double e = exp(-fabs(z));

	return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static double silu_slope(double z)
{
	return sigmoid(z) * (1 + z * sigmoid(-z));
}

/* Calls fn for every channel. */
typedef void channel_fn(struct call *c, const struct causal *p, const struct channel_run *r, size_t k, double *out);

static int for_each_channel(struct call *c, channel_fn *fn, double *out)
{
	struct causal p;
	struct channel_run r;
	int rc = causal_read(c, &p);

	if (rc)
		return rc;
	r.channels = (size_t)p.channels, r.length = (size_t)p.length, r.taps = (size_t)p.taps;
	r.e = call_scratch(c, r.taps - 1 + r.length, sizeof *r.e);
	if (!r.e)
		return ERR_MEMORY;
	for (size_t k = 0; k < (size_t)p.batch * r.channels; k++) {
		open_channel(c, &p, k, &r);
		fn(c, &p, &r, k, out);
	}
	return 0;
}

static void channel_values(struct call *c, const struct causal *p, const struct channel_run *r, size_t k, double *out)
{
	(void)out;
	for (size_t l = 0; c->out[0] && l < r->length; l++) {
		double z = convolve(r, l);

		c->out[0]->f[k * r->length + l] = p->silu ? z * sigmoid(z) : z;
	}
	if (call_wants(c, 1))
		memcpy(c->out[1]->f + k * (r->taps - 1), r->e + r->length, (r->taps - 1) * sizeof *r->e);
}

static void channel_scales(struct call *c, const struct causal *p, const struct channel_run *r, size_t k, double *out)
{
	(void)c;
	for (size_t l = 0; l < r->length; l++) {
		double z = convolve(r, l), size = fabs(r->bias);

		for (size_t j = 0; j < r->taps; j++)
			size += fabs(r->w[j] * r->e[l + j]);
		size *= noise_growth((double)r->taps);
		out[k * r->length + l] = p->silu ? fabs(silu_slope(z)) * size + 3 * fabs(z * sigmoid(z)) : size;
	}
}

/* Gradient of e[i], to whichever tensor it came from. */
static void add_to_sequence(struct call *c, const struct channel_run *r, size_t k, size_t i, double d)
{
	size_t state = r->taps - 1;
	double *dx = c->in_grad[IN_X] ? channel(c->in_grad[IN_X]->f, k, r->length) : NULL;
	double *dpast = c->n_in > IN_PAST && c->in_grad[IN_PAST] ? channel(c->in_grad[IN_PAST]->f, k, state) : NULL;

	if (i >= state && dx)
		dx[i - state] += d;
	else if (i < state && dpast)
		dpast[i] += d;
}

static void channel_gradients(struct call *c, const struct causal *p, const struct channel_run *r, size_t k,
			      double *out)
{
	size_t of = k % r->channels;
	double *dw = c->in_grad[IN_W] ? channel(c->in_grad[IN_W]->f, of, r->taps) : NULL;
	double *db = c->n_in > IN_BIAS && c->in_grad[IN_BIAS] ? c->in_grad[IN_BIAS]->f + of : NULL;

	(void)out;
	for (size_t l = 0; c->out_grad[0] && l < r->length; l++) {
		double dz = c->out_grad[0]->f[k * r->length + l] * (p->silu ? silu_slope(convolve(r, l)) : 1);

		if (db)
			*db += dz;
		for (size_t j = 0; j < r->taps; j++) {
			if (dw)
				dw[j] += dz * r->e[l + j];
			add_to_sequence(c, r, k, l + j, dz * r->w[j]);
		}
	}
	for (size_t j = 0; c->n_out > 1 && c->out_grad[1] && j + 1 < r->taps; j++)
		add_to_sequence(c, r, k, r->length + j, c->out_grad[1]->f[k * (r->taps - 1) + j]);
}

/* ---- operator ---------------------------------------------------------------------------------------------------- */

static int causal_eval(struct call *c)
{
	return for_each_channel(c, channel_values, NULL);
}

static int causal_grad(struct call *c)
{
	return for_each_channel(c, channel_gradients, NULL);
}

static int causal_scale(struct call *c, int out, double *s)
{
	if (out == 0)
		return for_each_channel(c, channel_scales, s);
	memset(s, 0, c->out[out]->count * sizeof *s);
	return 0;
}

static const struct op_attr causal_attrs[] = {OP_STRING("activation", "none"), {0}};

const struct op op_causal_conv_with_state = {
	.in = {{"input", T_FLOAT, 'T', 0},
	       {"weight", T_FLOAT, 'T', 0},
	       {"bias", T_FLOAT, 'T', PORT_OPTIONAL},
	       {"past_state", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"output", T_FLOAT, 'T', 0}, {"present_state", T_FLOAT, 'T', 0}},
	.attrs = causal_attrs,
	.flags = OP_PRODUCTS,
	.infer = causal_infer,
	.eval = causal_eval,
	.grad = causal_grad,
	.scale = causal_scale,
};
