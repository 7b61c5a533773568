/* loss.c - see loss.h. */
#include "methods/swap/loss.h"

#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "methods/swap/training_form.h"
#include "ops/op.h"

#define TINY 1e-7 /* added to probabilities: the logarithm of 0 has no gradient */

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* An operator of one or two inputs; *out is what it makes. */
static int add_node(struct graph *g, const char *op, struct wire *a, struct wire *b, const char *name,
		    struct wire **out, struct err *e)
{
	struct wire *in[] = {a, b};
	struct node *n;
	int rc = graph_append_node(g, op, in, b ? 2 : 1, name, &n, e);

	if (!rc && !strncmp(op, "Reduce", 6))
		rc = node_set_int(n, "keepdims", 0, e);
	if (!rc && !strcmp(op, "LogSoftmax"))
		rc = node_set_int(n, "axis", 1, e);
	if (!rc)
		*out = n->out[0];
	return rc;
}

static int add_number(struct graph *g, const char *name, double x, struct wire **out, struct err *e)
{
	struct tensor *t = tensor_new_packed(DT_FLOAT, 0, NULL, e);

	if (!t)
		return e->code;
	*(float *)t->data = (float)x;
	return graph_add_init(g, name, t, out, e);
}

static int add_mse(struct graph *g, struct wire *y, struct wire *right, int64_t items, struct wire **out, struct err *e)
{
	struct wire *d, *square;
	int rc = add_node(g, "Sub", y, right, "loss.difference", &d, e);

	(void)items;
	if (!rc)
		rc = add_node(g, "Mul", d, d, "loss.square", &square, e);
	return rc ? rc : add_node(g, "ReduceMean", square, NULL, "loss", out, e);
}

static int add_logarithm(struct graph *g, struct wire *y, struct wire **out, struct err *e)
{
	struct wire *tiny, *above;
	int rc;

	if (!y->producer || strcmp(y->producer->op_type, "Softmax") != 0)
		return add_node(g, "LogSoftmax", y, NULL, "loss.log", out, e);
	rc = add_number(g, "loss.tiny", TINY, &tiny, e);
	if (!rc)
		rc = add_node(g, "Add", y, tiny, "loss.above", &above, e);
	return rc ? rc : add_node(g, "Log", above, NULL, "loss.log", out, e);
}

static int add_cross_entropy(struct graph *g, struct wire *y, struct wire *right, int64_t items, struct wire **out,
			     struct err *e)
{
	struct wire *log, *chosen, *sum, *factor;
	int rc = add_logarithm(g, y, &log, e);

	if (!rc)
		rc = add_node(g, "Mul", log, right, "loss.chosen", &chosen, e);
	if (!rc)
		rc = add_node(g, "ReduceSum", chosen, NULL, "loss.sum", &sum, e);
	if (!rc)
		rc = add_number(g, "loss.factor", -1.0 / (double)items, &factor, e);
	return rc ? rc : add_node(g, "Mul", sum, factor, "loss", out, e);
}

const struct loss_row loss_rows[] = {
	{"mse", 0, add_mse},
	{"cross-entropy", 1, add_cross_entropy},
	{0},
};

const struct loss_row *loss_find(const char *name, struct err *e)
{
	for (const struct loss_row *row = loss_rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	err_set(e, ERR_USAGE, "no loss '%s'%s", name, NEAR_HINT(name, loss_rows));
	return NULL;
}

/* ---- what is right ----------------------------------------------------------------------------------------------- */

/* Row of the data's targets, or the one-hot vector of the label; one score is the label itself. */
static int fill_item(const struct dataset *d, size_t item, size_t each, float *out, struct err *e)
{
	int64_t label = d->labels ? d->labels[item] : 0;

	if (d->targets) {
		for (size_t k = 0; k < each; k++)
			out[k] = (float)tensor_get(d->targets, item * each + k);
		return 0;
	}
	if (label < 0 || label >= (int64_t)(each > 1 ? each : 2))
		return err_set(e, ERR_INPUT, "label %lld of item %zu is none of the %zu classes", (long long)label,
			       item, each > 1 ? each : 2);
	out[each > 1 ? (size_t)label : 0] = each > 1 ? 1 : (float)label;
	return 0;
}

/* What the output of shape y should be on mini-batch k. */
static struct value *make_right(const struct dataset *d, size_t k, const struct tensor *y, struct err *e)
{
	size_t items = (size_t)y->dims[0], each = y->count / items;
	struct tensor *t = tensor_new_packed(DT_FLOAT, y->rank, y->dims, e);
	int rc = t ? 0 : e->code;

	if (t)
		memset(t->data, 0, y->count * sizeof(float));
	for (size_t i = 0; i < items && !rc; i++)
		rc = fill_item(d, k * items + i, each, (float *)t->data + i * each, e);
	if (!rc)
		return value_tensor(t, e);
	tensor_unref(t);
	return NULL;
}

static int check_data(const struct dataset *d, const struct tensor *y, struct err *e)
{
	size_t items = y->rank > 0 && y->dims[0] > 0 ? (size_t)y->dims[0] : 0;

	if (!d->labels && !d->targets)
		return err_set(e, ERR_USAGE, "--loss needs --data with --labels or --targets");
	if (!items || !y->count || items != d->batch || !dtype_is_float(y->dtype))
		return err_set(e, ERR_INPUT, "the first output has no item for each of the %zu of a run", d->batch);
	if (d->labels && d->labels_each != 1)
		return err_set(e, ERR_INPUT, "--loss takes one label an item");
	if (d->targets && d->targets->count < d->n * y->count)
		return err_set(e, ERR_INPUT, "%zu targets are too few for %zu outputs", d->targets->count,
			       d->n * y->count);
	return 0;
}

void loss_batches_release(struct loss_batches *b)
{
	for (size_t i = 0; b->at && i < b->n; i++)
		inputs_free(b->at[i], b->n_inputs);
	mem_free(b->at);
	*b = (struct loss_batches){0};
}

/* Items of the data, masks, and what is right. */
static int make_batch(const struct dataset *d, size_t k, const struct training_masks *masks, const struct tensor *y,
		      uint64_t seed, struct value **in, struct err *e)
{
	for (size_t i = 0; i < d->n_inputs; i++)
		in[i] = value_ref(d->runs[k][i]);
	for (size_t i = 0; i < masks->n; i++)
		if (!(in[d->n_inputs + i] = training_form_mask(masks, i, seed, k, e)))
			return e->code;
	in[d->n_inputs + masks->n] = make_right(d, k, y, e);
	return in[d->n_inputs + masks->n] ? 0 : e->code;
}

static int make_batches(const struct dataset *d, const struct training_masks *masks, const struct tensor *y,
			uint64_t seed, struct loss_batches *out, struct err *e)
{
	int rc = 0;

	out->n_inputs = d->n_inputs + masks->n + 1;
	out->at = mem_array(d->n + 1, sizeof *out->at);
	if (!out->at)
		return err_nomem(e, "mini-batches", d->n);
	while (out->n < d->n && !rc) {
		struct value **in = mem_array(out->n_inputs, sizeof *in);

		if (!in)
			return err_nomem(e, "mini-batches", d->n);
		out->at[out->n] = in;
		rc = make_batch(d, out->n++, masks, y, seed, in, e);
	}
	return rc;
}

/* ---- the network ------------------------------------------------------------------------------------------------- */

static int add_loss(struct model *m, const struct loss_row *loss, const struct tensor *y, struct err *e)
{
	struct graph *g = m->graph;
	struct type type = TYPE_INIT;
	struct wire *first = g->outputs.at[0], *right, *out;
	int rc;

	type_set(&type, DT_FLOAT, y->rank, y->dims);
	if (graph_wire(g, LOSS_RIGHT))
		return err_set(e, ERR_INPUT, "the network has a tensor '" LOSS_RIGHT "' of its own");
	rc = graph_add_input(g, LOSS_RIGHT, &type, &right, e);
	if (!rc)
		rc = loss->add(g, first, right, y->dims[0], &out, e);
	if (rc)
		return rc;
	while (g->outputs.n)
		graph_remove_output(g, g->outputs.at[g->outputs.n - 1]);
	rc = graph_add_output(g, out, e);
	if (!rc)
		rc = ops_bind(m, e);
	return rc ? rc : ops_infer(m, e);
}

/* The right answer gives the shape of the output. */
static int find_output(struct trial *t, const struct loss_row *loss, const struct dataset *d, const struct tensor **y,
		       struct err *e)
{
	int rc = trial_truth(t, e);

	if (!rc && t->invalid)
		rc = err_set(e, ERR_INPUT, "the model is not valid: %.800s", t->why.msg);
	if (!rc && t->truth.outputs[0].value->kind != VALUE_TENSOR)
		rc = err_set(e, ERR_INPUT, "the first output is not a tensor");
	if (rc)
		return rc;
	*y = t->truth.outputs[0].value->tensor;
	rc = check_data(d, *y, e);
	if (!rc && loss->of_classes && ((*y)->rank != 2 || (*y)->dims[1] < 2))
		rc = err_set(e, ERR_INPUT, "%s takes an output of items and two or more classes: use mse", loss->name);
	return rc;
}

int loss_make(struct trial *t, const struct loss_plan *plan, const struct dataset *d, struct trial *out,
	      struct loss_batches *batches, struct err *e)
{
	struct training_masks masks = {.n = 0};
	const struct tensor *y = NULL;
	struct value **in = NULL;
	struct model *m = NULL;
	int rc = find_output(t, plan->loss, d, &y, e);

	*batches = (struct loss_batches){0};
	if (!rc)
		rc = model_copy(t->model, &m, e);
	if (!rc && plan->training_form)
		rc = training_form(m, &masks, e);
	if (!rc)
		rc = make_batches(d, &masks, y, t->seed, batches, e);
	if (!rc && !(in = mem_array(batches->n_inputs, sizeof *in)))
		rc = err_nomem(e, "inputs", batches->n_inputs);
	if (!rc)
		rc = add_loss(m, plan->loss, y, e);
	if (rc) {
		model_free(m);
		mem_free(in);
		loss_batches_release(batches);
		return rc;
	}
	for (size_t i = 0; i < batches->n_inputs; i++)
		in[i] = value_ref(batches->at[0][i]);
	rc = trial_init(out, m, in, t->seed, e);
	if (rc)
		loss_batches_release(batches);
	return rc;
}
