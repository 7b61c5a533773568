/* update.c - see update.h. */
#include "methods/swap/update.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define DOMAIN "ai.onnx.preview.training"
#define OPSET 17

/* ---- the network ------------------------------------------------------------------------------------------------- */

static const char *const states[] = {"first:", "second:"}, *const next_states[] = {"next_first:", "next_second:"};

static int add_input(struct graph *g, const char *prefix, const struct wire *parameter, const struct tensor *like,
		     struct wire **out, struct err *e)
{
	struct type type = TYPE_INIT;
	char name[1024];

	snprintf(name, sizeof name, "%s%.900s", prefix, parameter->name);
	type_set(&type, like->dtype, like->rank, like->dims);
	return graph_add_input(g, name, &type, out, e);
}

/* SGD is a Momentum that nothing is kept of: its state is always 0. */
static int add_zeros(struct graph *g, const struct wire *parameter, const struct tensor *like, struct wire **out,
		     struct err *e)
{
	struct tensor *zeros = tensor_zeros(like->dtype, like->rank, like->dims, e);
	char name[1024];

	snprintf(name, sizeof name, "zeros:%.900s", parameter->name);
	return zeros ? graph_add_init(g, name, zeros, out, e) : e->code;
}

static int set_attributes(struct node *n, const struct optimizer *rule, struct err *e)
{
	int rc = node_set_float(n, "alpha", rule->alpha, e);

	if (!rc)
		rc = node_set_float(n, "beta", rule->beta, e);
	if (!rc)
		rc = node_set_float(n, "norm_coefficient", 0, e);
	if (!rc && rule->epsilon > 0)
		return node_set_float(n, "epsilon", rule->epsilon, e);
	return rc ? rc : node_set_string(n, "mode", "standard", e);
}

/* x' and the new states are outputs, in this order. */
static int add_step(struct graph *g, const struct trajectory *t, const struct wire *parameter, size_t i,
		    struct wire *const common[2], struct err *e)
{
	struct wire *in[6] = {common[0], common[1]};
	char name[3][1024];
	const char *outs[3] = {name[0], name[1], name[2]};
	int kept = t->rule->moments, rc = add_input(g, "", parameter, t->at[i], &in[2], e);
	struct node_spec spec = {.name = parameter->name,
				 .op_type = t->rule->op,
				 .domain = DOMAIN,
				 .in = in,
				 .n_in = kept ? 4 + kept : 5,
				 .out = outs,
				 .n_out = 1 + kept};
	struct node *n;

	snprintf(name[0], sizeof name[0], "next:%.900s", parameter->name);
	if (!rc)
		rc = add_input(g, "gradient:", parameter, t->at[i], &in[3], e);
	for (int k = 0; k < kept && !rc; k++) {
		snprintf(name[1 + k], sizeof name[1 + k], "%s%.900s", next_states[k], parameter->name);
		rc = add_input(g, states[k], parameter, t->at[i], &in[4 + k], e);
	}
	if (!rc && !kept)
		rc = add_zeros(g, parameter, t->at[i], &in[4], e);
	if (!rc)
		rc = graph_add_node(g, g->nodes.n, &spec, &n, e);
	if (!rc)
		rc = set_attributes(n, t->rule, e);
	for (int k = 0; k <= kept && !rc; k++)
		rc = graph_add_output(g, n->out[k], e);
	return rc;
}

static int build(struct model *m, const struct trajectory *t, struct wire *const *parameters, struct err *e)
{
	const struct opset training = {DOMAIN, 1};
	struct tensor *rate = tensor_scalar_f(DT_FLOAT, t->rate, e);
	struct graph *g = m->graph;
	struct type count = TYPE_INIT;
	struct wire *common[2];
	int rc = rate ? graph_add_init(g, "update.rate", rate, &common[0], e) : e->code;

	type_set(&count, DT_INT64, 0, NULL);
	if (!rc && vec_push(&m->opsets, training))
		rc = err_nomem(e, "a step", sizeof training);
	if (!rc)
		rc = graph_add_input(g, "update.step", &count, &common[1], e);
	for (size_t i = 0; i < t->n && !rc; i++)
		rc = add_step(g, t, parameters[i], i, common, e);
	return rc;
}

/* ---- its inputs -------------------------------------------------------------------------------------------------- */

/* Numbers in the type and shape of a parameter; f and t NULL: 0. */
static struct value *numbers(const struct tensor *like, const double *f, const struct tensor *t, struct err *e)
{
	struct tensor *made = tensor_zeros(like->dtype, like->rank, like->dims, e);

	if (!made)
		return NULL;
	for (size_t k = 0; k < made->count && (f || t); k++)
		made->f[k] = f ? f[k] : tensor_get(t, k);
	tensor_round(made);
	return value_tensor(made, e);
}

static struct value *count_of(const struct trajectory *t, struct err *e)
{
	struct tensor *count = tensor_scalar_i(DT_INT64, (int64_t)t->step + (t->rule->moments > 1), e);

	return count ? value_tensor(count, e) : NULL;
}

static size_t inputs_each(const struct trajectory *t)
{
	return 2 + (size_t)t->rule->moments;
}

/* From mem_array(); NULL on failure. */
static struct value **make_inputs(const struct trajectory *t, struct tensor *const *grads, struct err *e)
{
	size_t n = 1 + t->n * inputs_each(t), to = 0;
	struct value **in = mem_array(n, sizeof *in);

	if (!in) {
		err_nomem(e, "a step", n);
		return NULL;
	}
	in[to++] = count_of(t, e);
	for (size_t i = 0; i < t->n && in[to - 1]; i++) {
		in[to++] = numbers(t->at[i], NULL, t->at[i], e);
		if (in[to - 1])
			in[to++] = numbers(t->at[i], NULL, grads ? grads[i] : NULL, e);
		for (int k = 0; k < t->rule->moments && in[to - 1]; k++)
			in[to++] = numbers(t->at[i], k ? t->v[i] : t->m[i], NULL, e);
	}
	if (in[to - 1])
		return in;
	while (to > 0)
		value_unref(in[--to]);
	mem_free(in);
	return NULL;
}

int update_make(const struct trajectory *t, struct wire *const *parameters, uint64_t seed, struct trial *out,
		struct err *e)
{
	struct value **in;
	struct model *m;
	int rc;

	for (size_t i = 0; i < t->n; i++)
		if (t->at[i]->dtype != DT_FLOAT && t->at[i]->dtype != DT_DOUBLE)
			return err_set(e, ERR_UNSUPPORTED, "ONNX has no optimizer for '%.200s', which is %s",
				       parameters[i]->name, dtype_name(t->at[i]->dtype));
	rc = model_new(OPSET, &m, e);
	if (rc)
		return rc;
	rc = build(m, t, parameters, e);
	in = rc ? NULL : make_inputs(t, NULL, e);
	if (in)
		return trial_init(out, m, in, seed, e);
	model_free(m);
	return e->code;
}

int update_feed(struct trial *update, const struct trajectory *t, struct tensor *const *grads, struct err *e)
{
	struct value **in = make_inputs(t, grads, e);

	return in ? trial_set_inputs(update, in, e) : e->code;
}

/* ---- its outputs ------------------------------------------------------------------------------------------------- */

static size_t outputs_each(const struct trajectory *t)
{
	return 1 + (size_t)t->rule->moments;
}

size_t update_parameter(const struct trajectory *t, size_t output)
{
	return output / outputs_each(t);
}

/* The parameter and its states. */
static int take_one(struct trajectory *t, size_t i, struct value *const *outputs, struct err *e)
{
	for (int k = 0; k <= t->rule->moments; k++) {
		const struct value *v = outputs[k];
		struct tensor *made;

		if (!v || v->kind != VALUE_TENSOR || !tensor_same_shape(v->tensor, t->at[i]))
			return err_set(e, ERR_INPUT, "a step gave a parameter of another shape");
		made = tensor_zeros(t->at[i]->dtype, t->at[i]->rank, t->at[i]->dims, e);
		if (!made)
			return e->code;
		for (size_t j = 0; j < made->count; j++)
			made->f[j] = tensor_get(v->tensor, j);
		tensor_round(made);
		if (k)
			memcpy(k > 1 ? t->v[i] : t->m[i], made->f, made->count * sizeof *made->f);
		tensor_unref(k ? made : t->at[i]);
		if (!k)
			t->at[i] = made;
	}
	return 0;
}

int update_take(struct trajectory *t, struct value *const *outputs, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < t->n && !rc; i++)
		rc = take_one(t, i, outputs + i * outputs_each(t), e);
	t->step += !rc;
	return rc;
}
