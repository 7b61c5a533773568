/* batch_norm.c - BatchNormalization, in all its versions.
 *
 *     test      y = (x - mean) / sqrt(var + epsilon) * scale + B      with the given mean and var
 *     training  the same with the batch's own mean and population variance, and
 *               running = given * momentum + batch * (1 - momentum)
 *
 * X is [N, C, D…]; statistics are per channel, or, in versions 1 to 7 with spatial = 0, per element of [C, D…].
 * Which mode it is: version 14 on: attribute training_mode, without it as the run says; 7 and 9: training when more
 * than Y is asked for; 1 and 6: the same, unless is_test is set. */
#include <math.h>

#include "base/clones.h"
#include "base/parallel.h"
#include "ops/kit/domain.h"
#include "ops/noise/rounding.h"
#include "ops/noise/step.h"
#include "ops/norm/norm.h"
#include "ops/norm/samplers.h"

enum { IN_X, IN_SCALE, IN_B, IN_MEAN, IN_VAR };
enum { OUT_Y, OUT_RUNNING_MEAN, OUT_RUNNING_VAR, OUT_SAVED_MEAN, OUT_SAVED_VAR };

static int is_training(const struct call *c)
{
	if (c->version >= 14) /* whoever trains a model takes a node that does not say as one to train */
		return node_int(c->node, "training_mode", c->env && c->env->training) != 0;
	if (attr_int(c->node, "is_test"))
		return 0;
	for (int i = OUT_RUNNING_MEAN; i <= OUT_SAVED_VAR; i++)
		if (call_wants(c, i))
			return 1;
	return 0;
}

static int is_spatial(const struct call *c)
{
	return c->version >= 9 || attr_int(c->node, "spatial") != 0;
}

/* Elements of a statistic: C, or C * D1 * … when not spatial. */
static int check_param(struct call *c, int i, const struct type *x)
{
	const struct type *p = call_shape(c, i);
	int rank = is_spatial(c) ? 1 : x->rank - 1;

	if (!p)
		return 0;
	if (p->rank != rank)
		return call_bad(c, "input %d has rank %d, wanted %d", i, p->rank, rank);
	for (int d = 0; d < rank; d++) {
		int64_t want = x->rank == 1 ? 1 : x->dims[1 + d];

		if (p->dims[d] >= 0 && want >= 0 && p->dims[d] != want)
			return call_bad(c, "input %d has %lld along axis %d, wanted %lld as X has", i,
					(long long)p->dims[d], d, (long long)want);
	}
	return 0;
}

static int batch_normalization_infer(struct call *c)
{
	const struct type *x = call_shape(c, IN_X);
	int rc = 0;

	if (x && x->rank < 1)
		return call_bad(c, "X is a scalar, wanted at least one axis");
	for (int i = IN_SCALE; x && !rc && i <= IN_VAR; i++)
		rc = check_param(c, i, x);
	if (rc)
		return rc;
	for (int i = OUT_RUNNING_MEAN; i <= OUT_SAVED_VAR; i++) {
		if (!call_wants(c, i))
			continue;
		if (!is_training(c) || (c->version >= 14 && i > OUT_RUNNING_VAR))
			return call_bad(c, "output %d is only there in training mode%s", i,
					i > OUT_RUNNING_VAR ? " of versions before 14" : "");
		call_out_like(c, i, i == OUT_RUNNING_VAR || i == OUT_SAVED_VAR ? IN_VAR : IN_MEAN);
	}
	call_out_like(c, OUT_Y, IN_X);
	return 0;
}

/* X as [batch, channels, inner]: one statistic a channel. */
struct batch_layout {
	size_t batch, channels, inner;
};

static struct batch_layout layout_of(const struct call *c)
{
	const struct tensor *x = c->in[IN_X];
	struct batch_layout l = {(size_t)x->dims[0], 1, 1};

	if (x->rank > 1 && is_spatial(c)) {
		l.channels = (size_t)x->dims[1];
		l.inner = dims_product(x->dims, 2, x->rank);
	} else if (x->rank > 1) {
		l.channels = dims_product(x->dims, 1, x->rank);
	}
	return l;
}

static double epsilon(const struct call *c)
{
	return attr_float(c->node, "epsilon");
}

/* Lines of the training mode: a line is a channel. */
static int training_norm(struct call *c, struct norm *n)
{
	struct batch_layout l = layout_of(c);
	int64_t dims[3] = {(int64_t)l.batch, (int64_t)l.channels, (int64_t)l.inner};
	static const int64_t strides[3] = {0, 1, 0};
	int rc;

	norm_init(n, 3, dims, 1u << 0 | 1u << 2, epsilon(c));
	rc = norm_set_param(c, n, &n->scale, c->in[IN_SCALE]->f, strides);
	return rc ? rc : norm_set_param(c, n, &n->bias, c->in[IN_B]->f, strides);
}

static int training_eval(struct call *c)
{
	double momentum = attr_float(c->node, "momentum");
	size_t channels = layout_of(c).channels;
	struct norm n;
	struct norm_moments m = {call_scratch(c, channels, sizeof(double)), call_scratch(c, channels, sizeof(double)),
				 NULL};
	int rc;

	if (!m.mean || !m.var)
		return ERR_MEMORY;
	rc = training_norm(c, &n);
	if (!rc)
		rc = norm_forward(c, &n, c->in[IN_X]->f, c->out[OUT_Y]->f, &m);
	if (rc)
		return rc;
	for (int i = OUT_RUNNING_MEAN; i <= OUT_SAVED_VAR; i++) {
		int var = i == OUT_RUNNING_VAR || i == OUT_SAVED_VAR;
		const double *batch = var ? m.var : m.mean, *given = c->in[var ? IN_VAR : IN_MEAN]->f;

		if (!call_wants(c, i))
			continue;
		for (size_t k = 0; k < channels; k++)
			c->out[i]->f[k] =
				i >= OUT_SAVED_MEAN ? batch[k] : given[k] * momentum + batch[k] * (1 - momentum);
	}
	return 0;
}

/* What a kernel does to one run of `inner` elements of a channel: y and x are at `at`, p has the channel's numbers. */
struct channel {
	double gain, mean, bias, inv; /* gain = scale * inv */
};

static struct channel channel_of(const struct call *c, size_t k)
{
	struct channel p;

	p.inv = 1 / sqrt(c->in[IN_VAR]->f[k] + epsilon(c));
	p.gain = c->in[IN_SCALE]->f[k] * p.inv;
	p.mean = c->in[IN_MEAN]->f[k];
	p.bias = c->in[IN_B]->f[k];
	return p;
}

/* ---- test mode, in pieces ---------------------------------------------------------------------------------------- */

struct test_mode {
	struct batch_layout layout;
	struct channel *channels;
};

/* Whether nothing but X moves. */
static int only_x_moves(const struct call *c)
{
	for (int i = IN_SCALE; i <= IN_VAR && c->in_delta; i++)
		if (c->in_delta[i])
			return 0;
	return 1;
}

static int prepare_test(struct step *s)
{
	struct call *c = s->call;
	struct test_mode *t = call_scratch(c, 1, sizeof *t);

	if (!t)
		return ERR_MEMORY;
	t->layout = layout_of(c);
	t->channels = call_scratch(c, t->layout.channels, sizeof *t->channels);
	for (size_t k = 0; t->channels && k < t->layout.channels; k++)
		t->channels[k] = channel_of(c, k);
	s->state = t;
	return t->channels ? 0 : ERR_MEMORY;
}

static int prepare_step(struct step *s)
{
	return !is_training(s->call) && s->from == IN_X && only_x_moves(s->call) && !prepare_test(s);
}

/* The part of [first, first + n) that lies in one channel, and that channel. */
static struct channel next_channel(const struct test_mode *t, size_t first, size_t n, size_t *part)
{
	size_t run = first / t->layout.inner, rest = (run + 1) * t->layout.inner - first;

	*part = n < rest ? n : rest;
	return t->channels[run % t->layout.channels];
}

CLONES static void eval_piece(const struct step *s, size_t first, size_t n, const double *x, double *y)
{
	for (size_t part; n; n -= part, first += part, x += part, y += part) {
		struct channel ch = next_channel(s->state, first, n, &part);

		for (size_t j = 0; j < part; j++)
			y[j] = (x[j] - ch.mean) * ch.gain + ch.bias;
	}
}

/* Libraries compute (x - mean) * gain + B or x * gain + (B - mean * gain): terms x * gain, mean * gain, B. */
CLONES static void scale_piece(const struct step *s, size_t first, size_t n, const double *x, double *scale)
{
	for (size_t part; n; n -= part, first += part, x += part, scale += part) {
		struct channel ch = next_channel(s->state, first, n, &part);
		double gain = fabs(ch.gain), rest = gain * fabs(ch.mean) + fabs(ch.bias), growth = noise_growth(3);

		for (size_t j = 0; j < part; j++)
			scale[j] = (gain * fabs(x[j]) + rest) * growth;
	}
}

CLONES static void scale_lanes(const struct step *s, size_t first, size_t n, const float *in, float *out)
{
	size_t lanes = (size_t)s->call->lanes;

	for (size_t part; n; n -= part, first += part, in += part * lanes, out += part * lanes) {
		float gain = (float)next_channel(s->state, first, n, &part).gain;

		for (size_t j = 0; j < part * lanes; j++)
			out[j] = in[j] * gain;
	}
}

static void delta_piece(const struct step *s, size_t first, size_t n, const double *x, float *d)
{
	(void)x;
	scale_lanes(s, first, n, d, d);
}

static const struct op_step batch_normalization_step = {prepare_step, eval_piece, scale_piece, delta_piece};

/* All of X in pieces that threads share. */
struct whole {
	struct step s;
	void (*piece)(const struct step *s, size_t first, size_t n, const double *x, double *to);
	double *to;
};

static void do_piece(void *arg, size_t first, size_t end)
{
	const struct whole *w = arg;

	w->piece(&w->s, first, end - first, w->s.call->in[IN_X]->f + first, w->to + first);
}

static int do_whole(struct whole *w)
{
	int rc = prepare_test(&w->s);

	if (!rc)
		parallel_for(w->s.call->in[IN_X]->count, 2, do_piece, w);
	return rc;
}

static int batch_normalization_eval(struct call *c)
{
	struct whole w = {{.call = c}, eval_piece, c->out[OUT_Y]->f};

	return is_training(c) ? training_eval(c) : do_whole(&w);
}

static int test_scale(struct call *c, double *scale)
{
	struct whole w = {{.call = c}, scale_piece, scale};

	return do_whole(&w);
}

static int training_scale(struct call *c, int out, double *s)
{
	double momentum = out >= OUT_SAVED_MEAN ? 0 : attr_float(c->node, "momentum");
	int var = out == OUT_RUNNING_VAR || out == OUT_SAVED_VAR;
	struct norm_moments m = {out && !var ? s : NULL, out && var ? s : NULL, NULL};
	struct norm n;
	int rc = training_norm(c, &n);

	if (!rc)
		rc = norm_noise(c, &n, c->in[IN_X]->f, out ? NULL : s, &m);
	for (size_t k = 0; !rc && out && k < n.lines.count; k++)
		s[k] = fabs(1 - momentum) * s[k] + fabs(momentum * c->in[var ? IN_VAR : IN_MEAN]->f[k]);
	return rc;
}

static int batch_normalization_scale(struct call *c, int out, double *s)
{
	return is_training(c) ? training_scale(c, out, s) : test_scale(c, s);
}

/* dL/d(batch mean or var) per channel from the gradients of the running and the saved statistic, and the share of the
 * given one; NULL when there is none. */
static int statistic_grad(struct call *c, int running, int saved, int given, double **out)
{
	double momentum = attr_float(c->node, "momentum");
	const struct tensor *gr = call_wants(c, running) ? c->out_grad[running] : NULL;
	const struct tensor *gs = call_wants(c, saved) ? c->out_grad[saved] : NULL;
	size_t channels = layout_of(c).channels;

	*out = NULL;
	if (!gr && !gs)
		return 0;
	*out = call_scratch(c, channels, sizeof **out);
	if (!*out)
		return ERR_MEMORY;
	for (size_t k = 0; k < channels; k++)
		(*out)[k] = (gr ? gr->f[k] * (1 - momentum) : 0) + (gs ? gs->f[k] : 0);
	for (size_t k = 0; gr && c->in_grad[given] && k < channels; k++)
		c->in_grad[given]->f[k] += gr->f[k] * momentum;
	return 0;
}

static double *wanted(const struct call *c, int i)
{
	return c->in_grad[i] ? c->in_grad[i]->f : NULL;
}

static int training_grad(struct call *c)
{
	double *mean, *var;
	struct norm_grads g = {0};
	struct norm n;
	int rc = training_norm(c, &n);

	if (!rc)
		rc = statistic_grad(c, OUT_RUNNING_MEAN, OUT_SAVED_MEAN, IN_MEAN, &mean);
	if (!rc)
		rc = statistic_grad(c, OUT_RUNNING_VAR, OUT_SAVED_VAR, IN_VAR, &var);
	if (rc)
		return rc;
	g.y = c->out_grad[OUT_Y] ? c->out_grad[OUT_Y]->f : NULL;
	g.mean = mean;
	g.var = var;
	g.x = wanted(c, IN_X);
	g.scale = wanted(c, IN_SCALE);
	g.bias = wanted(c, IN_B);
	return norm_backward(c, &n, c->in[IN_X]->f, &g);
}

/* The test mode is linear in x, scale, B and mean, and dy/dvar = -(x - mean) * gain * inv^2 / 2. */
static int batch_normalization_grad(struct call *c)
{
	struct batch_layout l = layout_of(c);
	const double *x = c->in[IN_X]->f, *gy;
	double *gx = wanted(c, IN_X), *sums[IN_VAR + 1];

	if (is_training(c))
		return training_grad(c);
	if (!c->out_grad[OUT_Y])
		return 0;
	gy = c->out_grad[OUT_Y]->f;
	for (int i = IN_SCALE; i <= IN_VAR; i++)
		sums[i] = wanted(c, i);
	for (size_t run = 0; run < l.batch * l.channels; run++) {
		size_t k = run % l.channels;
		struct channel ch = channel_of(c, k);
		double sum = 0, dot = 0;

		for (size_t j = run * l.inner; j < (run + 1) * l.inner; j++) {
			sum += gy[j];
			dot += gy[j] * (x[j] - ch.mean);
			if (gx)
				gx[j] += gy[j] * ch.gain;
		}
		if (sums[IN_SCALE])
			sums[IN_SCALE][k] += dot * ch.inv;
		if (sums[IN_B])
			sums[IN_B][k] += sum;
		if (sums[IN_MEAN])
			sums[IN_MEAN][k] -= sum * ch.gain;
		if (sums[IN_VAR])
			sums[IN_VAR][k] -= dot * ch.gain * ch.inv * ch.inv / 2;
	}
	return 0;
}

#define PIECE 512 /* elements whose lanes stay in the first-level cache */

/* Pieces are rounded while they are at hand. */
static void delta_elements(void *arg, size_t first, size_t end)
{
	const struct step *s = arg;
	const struct call *c = s->call;
	size_t lanes = (size_t)c->lanes, n;

	for (size_t i = first; i < end; i += n) {
		float *out = c->out_delta[OUT_Y] + i * lanes;

		n = end - i < PIECE ? end - i : PIECE;
		scale_lanes(s, i, n, c->in_delta[IN_X] + i * lanes, out);
		if (c->rounding && c->rounding[OUT_Y].sizes)
			rounding_move(&c->rounding[OUT_Y], out, i, n, lanes, 1);
	}
}

/* Test mode with only X moved. */
static enum delta_result batch_normalization_delta(struct call *c)
{
	struct step s = {.call = c};

	if (is_training(c) || !c->in_delta[IN_X] || !only_x_moves(c))
		return DELTA_DECLINED;
	if (prepare_test(&s))
		return DELTA_FAILED;
	parallel_for(c->in[IN_X]->count, 2 * (double)c->lanes, delta_elements, &s);
	if (c->rounding)
		c->rounding[OUT_Y].done = 1;
	return DELTA_DONE;
}

static const struct op_attr batch_normalization_attrs[] = {
	OP_ATTR("consumed_inputs", ATTR_INTS),
	OP_FLOAT("epsilon", 1e-5f),
	OP_INT("is_test", 0),
	OP_FLOAT("momentum", 0.9f),
	OP_INT("spatial", 1),
	OP_INT("training_mode", 0),
	{0},
};

const struct op op_batch_normalization = {
	.samples = SAMPLES({.by = &sampler_batch_norm, .types = T_F32 | T_F64}),
	.rules = RULES({.broken = domain_not_positive, .port = 4},
		       {.broken = domain_attr_not_positive, .attr = "epsilon"}),
	.in = {{"X", T_FLOAT, 'T', 0},
	       {"scale", T_FLOAT, 'S', 0},
	       {"B", T_FLOAT, 'S', 0},
	       {"input_mean", T_FLOAT, 'U', PORT_UNTRAINED},
	       {"input_var", T_FLOAT, 'U', PORT_UNTRAINED}},
	.out = {{"Y", T_FLOAT, 'T', 0},
		{"running_mean", T_FLOAT, 'U', PORT_OPTIONAL},
		{"running_var", T_FLOAT, 'U', PORT_OPTIONAL},
		{"saved_mean", T_FLOAT, 'U', PORT_OPTIONAL},
		{"saved_var", T_FLOAT, 'U', PORT_OPTIONAL}},
	.attrs = batch_normalization_attrs,
	.infer = batch_normalization_infer,
	.eval = batch_normalization_eval,
	.grad = batch_normalization_grad,
	.scale = batch_normalization_scale,
	.delta = batch_normalization_delta,
	.step = &batch_normalization_step,
	.flags = OP_IN_PLACE,
};
