/* optimizer.c - MXNet's optimizers: the operations that its Optimizer classes call for a step.
 *
 * They change their states in place, so they are given copies.  Parameters are float32 in them: only tensors of that
 * type are taken.  AdaGrad is not bound: MXNet adds epsilon within the root, ONNX beside it. */
#include "backends/bind/optimizer.h"
#include "backends/bind/record.h"
#include "backends/mxnet/mxnet.h"

/* A copy of a state that the record takes for the state itself. */
static void *copy_of(struct bind_call *c, void *state)
{
	struct mx *mx = c->ctx;
	struct record *record = mx->record;
	void *copy;

	mx->record = NULL;
	copy = mx_op1(c, "_copy", state);
	mx->record = record;
	record_alias(record, copy, state);
	return copy;
}

static int begin(struct bind_call *c, int states, struct bind_optimizer *o)
{
	const struct mx *mx = c->ctx;
	int rc = bind_optimizer(c, states, o);

	if (!rc && mx->tracing)
		rc = bind_unsupported(c, "mode=symbolic: an optimizer is no part of a graph");
	if (!rc && o->type != DT_FLOAT)
		rc = bind_unsupported(c, "the numbers that mxnet's optimizers are told are float32");
	return rc;
}

static int give_state(struct bind_call *c, const struct bind_optimizer *o, int k, int i, void *state)
{
	int out = bind_state_out(o, k, i);

	return call_wants(c->call, out) ? mx_give(c, out, state) : 0;
}

/* Without momentum there is no state: here it is the gradient that was taken. */
static int step_plain(struct bind_call *c, const struct bind_optimizer *o, int i)
{
	void *in[2] = {o->x[i], o->g[i]}, *g = o->g[i];
	int rc = mx_give(c, i, mx_op(c, "sgd_update", 2, in, "lr=%.9g;wd=%.9g", o->rate, o->norm));

	if (!rc && o->norm != 0 && call_wants(c->call, o->n + i))
		g = mx_op2(c, "elemwise_add", g, mx_scalar(c, "_mul_scalar", o->x[i], o->norm));
	return rc ? rc : give_state(c, o, 0, i, g);
}

/* MXNet's state is v = momentum * v - lr * g, which is -lr times that of ONNX. */
static int step_momentum(struct bind_call *c, const struct bind_optimizer *o, int i)
{
	double momentum = attr_float(c->node, "alpha");
	void *in[3] = {o->x[i], o->g[i], mx_scalar(c, "_mul_scalar", o->state[0][i], -o->rate)};
	const struct mx_invocation v = {.op = "sgd_mom_update", .n_in = 3, .in = in, .n_states = 1};
	void *x = NULL;
	int rc;

	rc = mx_ops(c, &v, &x, 1, "lr=%.9g;momentum=%.9g;wd=%.9g", o->rate, momentum, o->norm);
	if (!rc)
		rc = mx_give(c, i, x);
	if (!rc && call_wants(c->call, o->n + i))
		rc = give_state(c, o, 0, i, mx_scalar(c, "_div_scalar", in[2], -o->rate));
	return rc;
}

static int run_momentum(struct bind_call *c)
{
	double momentum = attr_float(c->node, "alpha");
	struct bind_optimizer o;
	int rc = begin(c, 1, &o);

	if (!rc && bind_momentum_beta(c, &o) != 1)
		rc = bind_unsupported(c, "mxnet's momentum has no factor beta of the gradient");
	if (!rc && attr_string(c->node, "mode")[0] == 'n')
		rc = bind_unsupported(c, "mxnet documents Nesterov's momentum for a gradient taken elsewhere");
	if (!rc && momentum != 0 && o.rate == 0)
		rc = bind_unsupported(c, "mxnet's momentum has the rate as a factor, which is 0");
	for (int i = 0; i < o.n && !rc; i++)
		rc = momentum != 0 ? step_momentum(c, &o, i) : step_plain(c, &o, i);
	return rc;
}

/* MXNet's own class of Adam corrects the rate before it calls this, as ONNX does. */
static int step_adam(struct bind_call *c, const struct bind_optimizer *o, int i)
{
	double post = attr_float(c->node, "norm_coefficient_post");
	void *in[4] = {o->x[i], o->g[i], copy_of(c, o->state[0][i]), copy_of(c, o->state[1][i])}, *x = NULL;
	const struct mx_invocation v = {.op = "adam_update", .n_in = 4, .in = in, .n_states = 2};
	int rc = mx_ops(c, &v, &x, 1, "lr=%.9g;beta1=%.9g;beta2=%.9g;epsilon=%.9g;wd=%.9g",
			o->rate * bind_adam_correction(c, o->count), attr_float(c->node, "alpha"),
			attr_float(c->node, "beta"), attr_float(c->node, "epsilon"), o->norm);

	if (!rc)
		rc = mx_give(c, i, post != 0 ? mx_scalar(c, "_mul_scalar", x, 1 - post) : x);
	for (int k = 0; k < 2 && !rc; k++)
		rc = give_state(c, o, k, i, in[2 + k]);
	return rc;
}

static int run_adam(struct bind_call *c)
{
	struct bind_optimizer o;
	int rc = begin(c, 2, &o);

	for (int i = 0; i < o.n && !rc; i++)
		rc = step_adam(c, &o, i);
	return rc;
}

const struct binding mx_rows_optimizer[] = {
	{"ai.onnx.preview.training:Momentum", run_momentum, "sgd_mom_update"},
	{"ai.onnx.preview.training:Adam", run_adam, "adam_update"},
	{0},
};
