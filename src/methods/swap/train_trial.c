/* train_trial.c - a network whose parameters can change from run to run (declared in train.h).
 *
 * As inputs they need no new session for each step. */
#include "base/mem.h"
#include "methods/swap/train.h"
#include "ops/op.h"

/* Was an input given a value?  Old models list initializers among the inputs too. */
static int is_given(const struct trial *t, const struct wire *w)
{
	const struct graph *g = t->model->graph;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (g->inputs.at[i] == w)
			return t->inputs[i] != NULL;
	return 0;
}

/* A single number is a setting (an exponent, a factor) more often than a parameter, and libraries want to know those
 * when they load. */
static int is_parameter(const struct trial *t, const struct wire *w)
{
	return w->init && w->init->count > 1 && !is_given(t, w);
}

/* The inputs that were given, then the parameters. */
static size_t list_ends(const struct trial *t, struct wire **from, size_t *n_parameters)
{
	const struct graph *g = t->model->graph;
	size_t n = 0;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (t->inputs[i])
			from[n++] = g->inputs.at[i];
	*n_parameters = 0;
	for (size_t i = 0; i < t->n_grads; i++)
		if (is_parameter(t, t->grad_wires[i])) {
			from[n++] = t->grad_wires[i];
			++*n_parameters;
		}
	return n;
}

static struct value *value_of(const struct trial *t, const struct wire *w, struct err *e)
{
	const struct graph *g = t->model->graph;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (g->inputs.at[i] == w && t->inputs[i])
			return value_ref(t->inputs[i]);
	return value_tensor(tensor_ref(w->init), e);
}

static int build(struct trial *t, struct wire *const *from, size_t n, struct trial *out, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct value **in = mem_array(n, sizeof *in);
	struct model *m = NULL;
	int rc = in ? graph_extract(g, from, n, g->outputs.at, g->outputs.n, &m, e) : err_nomem(e, "inputs", n);

	for (size_t i = 0; i < n && !rc; i++) {
		struct wire *w = m->graph->inputs.at[i];

		in[i] = value_of(t, from[i], e);
		if (!in[i])
			rc = e->code;
		else if (in[i]->kind == VALUE_TENSOR)
			type_set(&w->type, in[i]->tensor->dtype, in[i]->tensor->rank, in[i]->tensor->dims);
	}
	if (!rc)
		rc = ops_bind(m, e);
	if (!rc)
		rc = ops_infer(m, e);
	if (!rc)
		return trial_init(out, m, in, t->seed, e);
	for (size_t i = 0; in && i < n; i++)
		value_unref(in[i]);
	mem_free(in);
	model_free(m);
	return rc;
}

int train_make_trial(struct trial *t, struct trial *out, size_t *n, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct wire **from;
	size_t n_from;
	int rc = trial_seed_gradients(t, e);

	if (!rc && t->invalid)
		return err_set(e, ERR_INPUT, "the model is not valid: %.800s", t->why.msg);
	if (!rc)
		rc = trial_truth_gradients(t, e);
	if (rc)
		return rc;
	from = mem_array(g->inputs.n + t->n_grads + 1, sizeof *from);
	if (!from)
		return err_nomem(e, "parameters", t->n_grads);
	n_from = list_ends(t, from, n);
	rc = *n ? build(t, from, n_from, out, e)
		: err_set(e, ERR_UNSUPPORTED, "no output depends on a float initializer of more than one number");
	mem_free(from);
	return rc;
}
