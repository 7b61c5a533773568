/* optimizer.c - TensorFlow's optimizers: the operations that change variables (ResourceApply...), which all of its
 * optimizers end in.
 *
 * A variable is made for each tensor that the operation changes, given its value, read when the operation has run, and
 * taken away.  In the record stands the operation alone, with values in place of its variables, which are its results:
 *
 *     v5 = op("ResourceApplyMomentum", v0, v1, v2, v3, v4, use_nesterov=False)
 *
 * What is eager is so; a graph would be built anew for every step. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/bind/optimizer.h"
#include "backends/bind/record.h"
#include "backends/tf/tf.h"

#define MOST_VARIABLES 3 /* of one operation */
#define MOST_INPUTS 12

/* One operation: first the values of its variables, then its other inputs, all borrowed. */
struct tf_step {
	struct bind_call *c;
	const char *op;
	struct tf_value *in[MOST_INPUTS];
	int n_variables, n_in;
	const char *flag; /* (optional) the name of an attribute, … */
	int on;           /* … which is true or false */
	struct TFE_TensorHandle *variables[MOST_VARIABLES];
	struct tf_value *out[MOST_VARIABLES]; /* the variables' values after it */
};

/* ---- variables --------------------------------------------------------------------------------------------------- */

static struct TFE_Op *new_op(struct tf_step *s, const char *name)
{
	struct tf *t = tf_of(s->c);
	struct TFE_Op *op;

	if (tf_failed(s->c))
		return NULL;
	op = t->api.TFE_NewOp(t->eager, name, t->status);
	return tf_check(t, name, s->c->err) ? NULL : op;
}

static void add(struct tf_step *s, struct TFE_Op *op, struct TFE_TensorHandle *h)
{
	struct tf *t = tf_of(s->c);

	if (!op || !h || tf_failed(s->c))
		return;
	t->api.TFE_OpAddInput(op, h, t->status);
	tf_check(t, "add an input", s->c->err);
}

static void add_value(struct tf_step *s, struct TFE_Op *op, struct tf_value *v)
{
	if (op && v && !tf_failed(s->c))
		add(s, op, tf_value_handle(tf_of(s->c), v, s->c->err));
}

/* Runs an operation with one result or none, and ends it. */
static struct TFE_TensorHandle *execute(struct tf_step *s, struct TFE_Op *op, const char *name)
{
	struct TFE_TensorHandle *h[1] = {NULL};
	struct tf *t = tf_of(s->c);
	int n = 1;

	if (op && !tf_failed(s->c)) {
		t->api.TFE_Execute(op, h, &n, t->status);
		if (tf_check(t, name, s->c->err))
			h[0] = NULL;
	}
	if (op)
		t->api.TFE_DeleteOp(op);
	return h[0];
}

/* Its name is free again when the step is over. */
static void make_variable(struct tf_step *s, int i)
{
	struct TFE_Op *op = new_op(s, "VarHandleOp");
	struct tf *t = tf_of(s->c);
	const struct tf_value *v = s->in[i];
	char name[32];

	if (!op)
		return;
	snprintf(name, sizeof name, "assay%d", i);
	t->api.TFE_OpSetAttrString(op, "shared_name", name, strlen(name));
	t->api.TFE_OpSetAttrType(op, "dtype", tf_type_code(v->dtype));
	t->api.TFE_OpSetAttrShape(op, "shape", v->dims, v->rank, t->status);
	tf_check(t, "VarHandleOp", s->c->err);
	s->variables[i] = execute(s, op, "VarHandleOp");
	op = new_op(s, "AssignVariableOp");
	add(s, op, s->variables[i]);
	add_value(s, op, s->in[i]);
	execute(s, op, "AssignVariableOp");
}

static void read_variable(struct tf_step *s, int i)
{
	struct TFE_Op *op = new_op(s, "ReadVariableOp");
	struct tf *t = tf_of(s->c);
	struct TFE_TensorHandle *h;

	if (!op)
		return;
	t->api.TFE_OpSetAttrType(op, "dtype", tf_type_code(s->in[i]->dtype));
	add(s, op, s->variables[i]);
	h = execute(s, op, "ReadVariableOp");
	if (h)
		s->out[i] = tf_value_from_handle(t, h, s->c->err);
	if (s->out[i])
		record_made_part(t->record, s->out[i], (size_t)i);
}

/* Also after a failure, whose message stays. */
static void end_variable(struct tf_step *s, int i)
{
	struct err failed = *s->c->err;
	struct tf *t = tf_of(s->c);

	if (!s->variables[i])
		return;
	err_clear(s->c->err);
	{
		struct TFE_Op *op = new_op(s, "DestroyResourceOp");

		add(s, op, s->variables[i]);
		execute(s, op, "DestroyResourceOp");
	}
	t->api.TFE_DeleteTensorHandle(s->variables[i]);
	if (failed.code)
		*s->c->err = failed;
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

static void write_down(struct tf_step *s)
{
	struct record *r = tf_of(s->c)->record;

	record_op(r, s->op);
	for (int i = 0; i < s->n_in; i++)
		record_value(r, s->in[i]);
	if (s->flag) {
		record_key(r, s->flag);
		record_word(r, s->on ? "True" : "False");
	}
	record_run(r);
}

/* s->out: what became of the variables. */
static void run_step(struct tf_step *s)
{
	struct tf *t = tf_of(s->c);
	struct TFE_Op *op;

	for (int i = 0; i < s->n_in; i++)
		if (!s->in[i])
			return;
	for (int i = 0; i < s->n_variables; i++)
		make_variable(s, i);
	op = new_op(s, s->op);
	for (int i = 0; i < s->n_variables; i++)
		add(s, op, s->variables[i]);
	for (int i = s->n_variables; i < s->n_in; i++)
		add_value(s, op, s->in[i]);
	if (op && s->flag)
		t->api.TFE_OpSetAttrBool(op, s->flag, s->on != 0);
	if (op && !tf_failed(s->c))
		write_down(s);
	execute(s, op, s->op);
	for (int i = 0; i < s->n_variables; i++)
		read_variable(s, i);
	for (int i = 0; i < s->n_variables; i++)
		end_variable(s, i);
}

/* ---- the operators ----------------------------------------------------------------------------------------------- */

static int begin(struct bind_call *c, int states, struct bind_optimizer *o)
{
	if (tf_of(c)->graph)
		return bind_unsupported(c, "an optimizer's step is bound to the eager mode alone");
	return bind_optimizer(c, states, o);
}

/* G + norm_coefficient * X: TensorFlow's optimizers have no such term, it comes with the loss. */
static struct tf_value *gradient(struct bind_call *c, const struct bind_optimizer *o, int i)
{
	if (o->norm == 0)
		return o->g[i];
	return tf_2(c, "AddV2", o->g[i], tf_2(c, "Mul", o->x[i], tf_scalar(c, o->type, o->norm)));
}

static int give(struct bind_call *c, const struct bind_optimizer *o, int i, struct tf_value *const *out)
{
	int rc = tf_failed(c) ? c->err->code : tf_out(c, i, out[0]);

	for (int k = 0; k < o->states && !rc; k++)
		if (call_wants(c->call, bind_state_out(o, k, i)))
			rc = tf_out(c, bind_state_out(o, k, i), out[1 + k]);
	return rc;
}

/* Without momentum there is no state: here it is the gradient that was taken. */
static int step_momentum(struct bind_call *c, const struct bind_optimizer *o, double momentum, int i)
{
	struct tf_value *rate = tf_scalar(c, o->type, o->rate), *g = gradient(c, o, i);
	struct tf_step s = {.c = c,
			    .op = "ResourceApplyMomentum",
			    .in = {o->x[i], o->state[0][i], rate, g, tf_scalar(c, o->type, momentum)},
			    .n_variables = 2,
			    .n_in = 5,
			    .flag = "use_nesterov",
			    .on = attr_string(c->node, "mode")[0] == 'n'};

	if (momentum == 0 && !s.on) {
		s = (struct tf_step){.c = c,
				     .op = "ResourceApplyGradientDescent",
				     .in = {o->x[i], rate, g},
				     .n_variables = 1,
				     .n_in = 3};
		s.out[1] = g;
	}
	run_step(&s);
	return give(c, o, i, s.out);
}

static int run_momentum(struct bind_call *c)
{
	double momentum = attr_float(c->node, "alpha");
	struct bind_optimizer o;
	int rc = begin(c, 1, &o);

	if (!rc && bind_momentum_beta(c, &o) != 1)
		rc = bind_unsupported(c, "TensorFlow's momentum has no factor beta of the gradient");
	for (int i = 0; i < o.n && !rc; i++)
		rc = step_momentum(c, &o, momentum, i);
	return rc;
}

/* As ONNX has it: epsilon beside √v.  T = 0, no correction, is that of powers that are 0 already. */
static int step_adam(struct bind_call *c, const struct bind_optimizer *o, int i)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	double post = attr_float(c->node, "norm_coefficient_post");
	struct tf_step s = {.c = c,
			    .op = "ResourceApplyAdam",
			    .in = {o->x[i], o->state[0][i], o->state[1][i],
				   tf_scalar(c, o->type, o->count > 0 ? pow(alpha, o->count) : 0),
				   tf_scalar(c, o->type, o->count > 0 ? pow(beta, o->count) : 0),
				   tf_scalar(c, o->type, o->rate), tf_scalar(c, o->type, alpha),
				   tf_scalar(c, o->type, beta), tf_scalar(c, o->type, attr_float(c->node, "epsilon")),
				   gradient(c, o, i)},
			    .n_variables = 3,
			    .n_in = 10};

	run_step(&s);
	if (post != 0 && !tf_failed(c))
		s.out[0] = tf_2(c, "Mul", s.out[0], tf_scalar(c, o->type, 1 - post));
	return give(c, o, i, s.out);
}

static int run_adam(struct bind_call *c)
{
	struct bind_optimizer o;
	int rc = begin(c, 2, &o);

	for (int i = 0; i < o.n && !rc; i++)
		rc = step_adam(c, &o, i);
	return rc;
}

/* TensorFlow's rate does not decay by itself: it is given the rate of this step. */
static int run_adagrad(struct bind_call *c)
{
	struct bind_optimizer o;
	int rc = begin(c, 1, &o);

	for (int i = 0; i < o.n && !rc; i++) {
		double rate = o.rate / (1 + o.count * attr_float(c->node, "decay_factor"));
		struct tf_step s = {.c = c,
				    .op = "ResourceApplyAdagradV2",
				    .in = {o.x[i], o.state[0][i], tf_scalar(c, o.type, rate),
					   tf_scalar(c, o.type, attr_float(c->node, "epsilon")), gradient(c, &o, i)},
				    .n_variables = 2,
				    .n_in = 5};

		run_step(&s);
		rc = give(c, &o, i, s.out);
	}
	return rc;
}

const struct binding tf_rows_optimizer[] = {
	{"ai.onnx.preview.training:Momentum", run_momentum, "ResourceApplyMomentum"},
	{"ai.onnx.preview.training:Adam", run_adam, "ResourceApplyAdam"},
	{"ai.onnx.preview.training:Adagrad", run_adagrad, "ResourceApplyAdagradV2"},
	{0},
};
