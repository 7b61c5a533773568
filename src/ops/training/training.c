/* training.c - one step of an optimizer: Adagrad, Adam, Momentum (ai.onnx.preview.training).
 *
 * Inputs are R (learning rate), T (update count), then for each of n tensors X: all X, all gradients G, and one or two
 * kinds of state; outputs are all new X, then the new states.  G' = norm_coefficient * X + G everywhere.
 *
 * Gradient, the fourth operator of this domain, asks for the derivative of another part of the graph; that is what
 * ref_backward() is for, and the operator is not known here. */
#include <math.h>
#include <string.h>

#include "ops/call.h"

#define T_REAL (TM(DT_FLOAT) | TM(DT_DOUBLE))

/* One element of the tensors that belong together. */
struct element {
	double x, g;     /* g: already with the regularization */
	double state[2]; /* as they are; the step replaces them */
};

struct training_optimizer {
	double rate, count;
	double alpha, beta, epsilon, post;
	int nesterov;
};

typedef void step_fn(const struct training_optimizer *o, struct element *e);

/* ---- shared ------------------------------------------------------------------------------------------------------ */

/* Number of tensors that are optimized, with `states` states each. */
static int group_count(struct call *c, int states, int *n)
{
	int rest = c->n_in - 2;

	if (rest <= 0 || rest % (2 + states))
		return call_bad(c, "has %d inputs: wanted 2, then %d for each tensor", c->n_in, 2 + states);
	*n = rest / (2 + states);
	if (c->n_out > *n * (1 + states))
		return call_bad(c, "has %d outputs, wanted %d", c->n_out, *n * (1 + states));
	return 0;
}

static int check_same(struct call *c, int a, int b)
{
	const struct type *x = call_shape(c, a), *y = call_shape(c, b);

	if (!call_has(c, a) || !call_has(c, b))
		return call_bad(c, "inputs %d and %d must be there", a, b);
	if (c->in_type[a].dtype && c->in_type[b].dtype && c->in_type[a].dtype != c->in_type[b].dtype)
		return call_bad(c, "inputs %d and %d differ in type", a, b);
	if (!x || !y)
		return 0;
	if (x->rank != y->rank)
		return call_bad(c, "inputs %d and %d differ in rank", a, b);
	for (int d = 0; d < x->rank; d++)
		if (x->dims[d] >= 0 && y->dims[d] >= 0 && x->dims[d] != y->dims[d])
			return call_bad(c, "inputs %d and %d differ in dimension %d", a, b, d);
	return 0;
}

static int optimizer_infer(struct call *c, int states)
{
	int n, rc = group_count(c, states, &n);

	for (int i = 0; i < n && !rc; i++)
		for (int k = 1; k < 2 + states && !rc; k++)
			rc = check_same(c, 2 + i, 2 + k * n + i);
	for (int i = 0; i < c->n_out && !rc; i++)
		call_out_like(c, i, 2 + i % n);
	return rc;
}

static int read_scalar(struct call *c, int in, double *x)
{
	if (c->in[in]->count != 1)
		return call_bad(c, "input %d has %zu elements, wanted 1", in, c->in[in]->count);
	*x = tensor_get(c->in[in], 0);
	return 0;
}

static int optimizer_eval(struct call *c, int states, struct training_optimizer *o, step_fn *step)
{
	double norm = attr_float(c->node, "norm_coefficient");
	int n, rc = group_count(c, states, &n);

	if (!rc)
		rc = read_scalar(c, 0, &o->rate);
	if (!rc)
		rc = read_scalar(c, 1, &o->count);
	for (int i = 0; i < n && !rc; i++) {
		struct tensor **in = c->in + 2 + i;

		for (size_t k = 0; k < in[0]->count; k++) {
			struct element e = {.x = in[0]->f[k], .g = norm * in[0]->f[k] + in[n]->f[k]};

			for (int s = 0; s < states; s++)
				e.state[s] = in[(2 + s) * n]->f[k];
			step(o, &e);
			if (call_wants(c, i))
				c->out[i]->f[k] = e.x;
			for (int s = 0; s < states; s++)
				if (call_wants(c, (1 + s) * n + i))
					c->out[(1 + s) * n + i]->f[k] = e.state[s];
		}
	}
	return rc;
}

/* Every result is a short sum of terms that may cancel; with R and T as single numbers it is enough to take the larger
 * of what goes in and what comes out as their size. */
static int optimizer_scale(struct call *c, int out, double *s, int states)
{
	int n, rc = group_count(c, states, &n);
	const struct tensor *x, *g;

	if (rc)
		return rc;
	x = c->in[2 + out % n];
	g = c->in[2 + n + out % n];
	for (size_t k = 0; k < x->count; k++) {
		double own = out < n ? x->f[k] : c->in[2 + n + out]->f[k];

		s[k] = 4 * (fabs(c->out[out]->f[k]) + fabs(own) + (out < n ? 0.0 : fabs(g->f[k])));
	}
	return 0;
}

#define PORTS                                                                                               \
	.in = {{"R", T_REAL, 0, 0}, {"T", T_I64, 0, 0}, {"inputs", T_REAL, 0, PORT_VARIADIC | PORT_MIXED}}, \
	.out = {{"outputs", T_REAL, 0, PORT_VARIADIC | PORT_MIXED}}

/* ---- Adagrad ----------------------------------------------------------------------------------------------------- */

/* H += G'²;  X -= R / (1 + T * decay) * G' / (sqrt(H) + epsilon) */
static void step_adagrad(const struct training_optimizer *o, struct element *e)
{
	e->state[0] += e->g * e->g;
	e->x -= o->rate / (1 + o->count * o->alpha) * e->g / (sqrt(e->state[0]) + o->epsilon);
}

static int adagrad_infer(struct call *c)
{
	return optimizer_infer(c, 1);
}

static int adagrad_eval(struct call *c)
{
	struct training_optimizer o = {.alpha = attr_float(c->node, "decay_factor"),
				       .epsilon = attr_float(c->node, "epsilon")};

	return optimizer_eval(c, 1, &o, step_adagrad);
}

static int adagrad_scale(struct call *c, int out, double *s)
{
	return optimizer_scale(c, out, s, 1);
}

static const struct op_attr adagrad_attrs[] = {
	OP_FLOAT("norm_coefficient", 0),
	OP_FLOAT("decay_factor", 0),
	OP_FLOAT("epsilon", 1e-6f),
	{0},
};

const struct op op_adagrad = {
	.undrawn = "a step of training: no model that is run has one",
	PORTS,
	.attrs = adagrad_attrs,
	.infer = adagrad_infer,
	.eval = adagrad_eval,
	.scale = adagrad_scale,
};

/* ---- Adam -------------------------------------------------------------------------------------------------------- */

/* V = alpha V + (1 - alpha) G';  H = beta H + (1 - beta) G'²
 * X = (1 - post) (X - R' V / (sqrt(H) + epsilon)),  R' = R sqrt(1 - beta^T) / (1 - alpha^T), or R when T is 0 */
static void step_adam(const struct training_optimizer *o, struct element *e)
{
	double rate = o->rate;

	if (o->count > 0)
		rate *= sqrt(1 - pow(o->beta, o->count)) / (1 - pow(o->alpha, o->count));
	e->state[0] = o->alpha * e->state[0] + (1 - o->alpha) * e->g;
	e->state[1] = o->beta * e->state[1] + (1 - o->beta) * e->g * e->g;
	e->x = (1 - o->post) * (e->x - rate * e->state[0] / (sqrt(e->state[1]) + o->epsilon));
}

static int adam_infer(struct call *c)
{
	return optimizer_infer(c, 2);
}

static int adam_eval(struct call *c)
{
	struct training_optimizer o = {.alpha = attr_float(c->node, "alpha"),
				       .beta = attr_float(c->node, "beta"),
				       .epsilon = attr_float(c->node, "epsilon"),
				       .post = attr_float(c->node, "norm_coefficient_post")};

	return optimizer_eval(c, 2, &o, step_adam);
}

/* The rate has 1 - alpha^T and 1 - beta^T, which keep few digits while T is small: they move the step, which is what X
 * changed by, by that much. */
static int adam_scale(struct call *c, int out, double *s)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	double post = attr_float(c->node, "norm_coefficient_post"), count, lost;
	int n, rc = group_count(c, 2, &n);

	if (!rc)
		rc = optimizer_scale(c, out, s, 2);
	if (!rc)
		rc = read_scalar(c, 1, &count);
	if (rc || out >= n || count <= 0)
		return rc;
	lost = 1 / (1 - pow(alpha, count)) + 0.5 / (1 - pow(beta, count));
	for (size_t k = 0; k < c->out[out]->count; k++)
		s[k] += lost * fabs((1 - post) * c->in[2 + out]->f[k] - c->out[out]->f[k]);
	return 0;
}

static const struct op_attr adam_attrs[] = {
	OP_FLOAT("alpha", 0.9f),
	OP_FLOAT("beta", 0.999f),
	OP_FLOAT("epsilon", 1e-6f),
	OP_FLOAT("norm_coefficient", 0),
	OP_FLOAT("norm_coefficient_post", 0),
	{0},
};

const struct op op_adam = {
	.undrawn = "a step of training: no model that is run has one",
	PORTS,
	.attrs = adam_attrs,
	.infer = adam_infer,
	.eval = adam_eval,
	.scale = adam_scale,
};

/* ---- Momentum ---------------------------------------------------------------------------------------------------- */

/* V = alpha V + beta' G' (beta' = 1 in the first iteration);  X -= R V, or R (G' + alpha V) with Nesterov's momentum */
static void step_momentum(const struct training_optimizer *o, struct element *e)
{
	e->state[0] = o->alpha * e->state[0] + (o->count > 0 ? o->beta : 1.0) * e->g;
	e->x -= o->rate * (o->nesterov ? e->g + o->alpha * e->state[0] : e->state[0]);
}

static int momentum_infer(struct call *c)
{
	const char *mode = attr_string(c->node, "mode");

	if (strcmp(mode, "nesterov") != 0 && strcmp(mode, "standard") != 0)
		return call_bad(c, "mode '%s' is not known", mode);
	return optimizer_infer(c, 1);
}

static int momentum_eval(struct call *c)
{
	struct training_optimizer o = {.alpha = attr_float(c->node, "alpha"),
				       .beta = attr_float(c->node, "beta"),
				       .nesterov = !strcmp(attr_string(c->node, "mode"), "nesterov")};

	return optimizer_eval(c, 1, &o, step_momentum);
}

static const struct op_attr momentum_attrs[] = {
	OP_NEEDS("alpha", ATTR_FLOAT),
	OP_NEEDS("beta", ATTR_FLOAT),
	OP_NEEDS("mode", ATTR_STRING),
	OP_NEEDS("norm_coefficient", ATTR_FLOAT),
	{0},
};

const struct op op_momentum = {
	.undrawn = "a step of training: no model that is run has one",
	PORTS,
	.attrs = momentum_attrs,
	.infer = momentum_infer,
	.eval = momentum_eval,
	.scale = adagrad_scale, /* the same layout: one state */
};
