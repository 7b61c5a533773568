/* optimizer.c - PyTorch's optimizers: the operators that torch.optim.SGD, Adam and Adagrad run with fused=True.
 *
 * They take lists of tensors and are called for one after the other here, so that each has a call of its own.  The
 * forms without an underscore at their end leave the tensors that they are given as they are.  What torch.optim's
 * constructors refuse, the operators are not asked. */
#include <math.h>

#include "backends/bind/optimizer.h"
#include "backends/torch/th.h"

static int begin(struct bind_call *c, int states, struct bind_optimizer *o)
{
	const struct th *th = c->ctx;
	int rc = bind_optimizer(c, states, o);

	if (!rc && th->jit)
		rc = bind_unsupported(c, "torch.jit: an optimizer is no part of a program");
	if (!rc && o->norm < 0)
		rc = bind_unsupported(c, "torch.optim takes no negative weight_decay");
	return rc;
}

/* The results are new x, the gradient, new states. */
static void give(struct bind_call *c, const struct bind_optimizer *o, int i, void *const *out)
{
	th_out(c, i, out[0]);
	for (int k = 0; k < o->states; k++)
		if (th_wants(c, bind_state_out(o, k, i)))
			th_out(c, bind_state_out(o, k, i), out[2 + k]);
}

/* Without momentum torch.optim.SGD keeps no state: here it is the gradient that was taken. */
static void step_plain(struct bind_call *c, const struct bind_optimizer *o, int i)
{
	void *out[3] = {NULL, NULL, o->g[i]};

	th_ops(c, "_fused_sgd", out, 2, "TTTffffbbb", &o->x[i], 1, &o->g[i], 1, NULL, 0, o->norm, 0.0, o->rate, 0.0, 0,
	       0, 0);
	if (o->norm != 0 && th_wants(c, bind_state_out(o, 0, i)))
		out[2] = th_op(c, "add.Tensor", "ttf", o->g[i], o->x[i], o->norm);
	give(c, o, i, out);
}

/* buf = momentum * buf + (1 - dampening) * g; in the first step of training the library makes buf itself. */
static void step_momentum(struct bind_call *c, const struct bind_optimizer *o, int first, int i)
{
	double dampening = 1 - bind_momentum_beta(c, o);
	int nesterov = attr_string(c->node, "mode")[0] == 'n';
	void *out[3];

	th_ops(c, "_fused_sgd", out, 3, "TTTffffbbb", &o->x[i], 1, &o->g[i], 1, &o->state[0][i], 1, o->norm,
	       attr_float(c->node, "alpha"), o->rate, dampening, nesterov, 0, first);
	give(c, o, i, out);
}

static int run_momentum(struct bind_call *c)
{
	double momentum = attr_float(c->node, "alpha");
	struct bind_optimizer o;
	int first, rc = begin(c, 1, &o);

	if (rc)
		return rc;
	if (momentum < 0)
		return bind_unsupported(c, "torch.optim.SGD takes no negative momentum");
	if ((momentum == 0 || attr_string(c->node, "mode")[0] == 'n') && bind_momentum_beta(c, &o) != 1)
		return bind_unsupported(c, "torch.optim.SGD has dampening (1 - beta) with plain momentum only");
	if (momentum == 0 && attr_string(c->node, "mode")[0] == 'n')
		return bind_unsupported(c, "torch.optim.SGD takes no Nesterov momentum of 0");
	first = o.count <= 0 && bind_state_is_zero(c, &o, 0);
	for (int i = 0; i < o.n; i++)
		if (momentum == 0)
			step_plain(c, &o, i);
		else
			step_momentum(c, &o, first, i);
	return th_done(c);
}

/* torch has epsilon beside √(v / (1 - beta^T)), ONNX beside √v: it is divided by √(1 - beta^T) here.  torch always
 * corrects: the T = 0 of ONNX, which does not, is a first step with another rate. */
static void step_adam(struct bind_call *c, const struct bind_optimizer *o, int i)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	double post = attr_float(c->node, "norm_coefficient_post"), count = o->count > 0 ? o->count : 1;
	double epsilon = attr_float(c->node, "epsilon") / sqrt(1 - pow(beta, count));
	double rate = o->count > 0 ? o->rate : o->rate / bind_adam_correction(c, count);
	void *out[4], *step = th_number(c, DT_FLOAT, count);

	th_ops(c, "_fused_adam", out, 4, "TTTTTTfffffbb", &o->x[i], 1, &o->g[i], 1, &o->state[0][i], 1, &o->state[1][i],
	       1, NULL, 0, &step, 1, rate, alpha, beta, o->norm, epsilon, 0, 0);
	if (post != 0)
		out[0] = th_op(c, "mul.Scalar", "tf", out[0], 1 - post);
	give(c, o, i, out);
}

static int run_adam(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	struct bind_optimizer o;
	int rc = begin(c, 2, &o);

	if (rc)
		return rc;
	if (alpha < 0 || alpha >= 1 || beta < 0 || beta >= 1 || attr_float(c->node, "epsilon") < 0)
		return bind_unsupported(c, "torch.optim.Adam takes betas from 0 to below 1 and no negative eps");
	for (int i = 0; i < o.n; i++)
		step_adam(c, &o, i);
	return th_done(c);
}

/* torch counts the step before it takes it, and divides the rate by 1 + (step - 1) * lr_decay. */
static int run_adagrad(struct bind_call *c)
{
	double decay = attr_float(c->node, "decay_factor"), epsilon = attr_float(c->node, "epsilon");
	struct bind_optimizer o;
	int rc = begin(c, 1, &o);

	if (rc)
		return rc;
	if (decay < 0 || epsilon < 0)
		return bind_unsupported(c, "torch.optim.Adagrad takes no negative lr_decay or eps");
	for (int i = 0; i < o.n; i++) {
		void *out[3], *step = th_number(c, DT_FLOAT, o.count + 1);

		th_ops(c, "_fused_adagrad", out, 3, "TTTTffffb", &o.x[i], 1, &o.g[i], 1, &o.state[0][i], 1, &step, 1,
		       o.rate, decay, o.norm, epsilon, 0);
		give(c, &o, i, out);
	}
	return th_done(c);
}

const struct binding th_rows_optimizer[] = {
	{"ai.onnx.preview.training:Momentum", run_momentum, "_fused_sgd"},
	{"ai.onnx.preview.training:Adam", run_adam, "_fused_adam"},
	{"ai.onnx.preview.training:Adagrad", run_adagrad, "_fused_adagrad"},
	{0},
};
