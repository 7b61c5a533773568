/* training_form.c - see training_form.h. */
#include "methods/swap/training_form.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "ops/attr.h"
#include "ops/op.h"

static double ratio_of(const struct node *n)
{
	if (n->version < 12)
		return attr_float(n, "ratio");
	return n->n_in > 1 && n->in[1] && n->in[1]->init ? tensor_get(n->in[1]->init, 0) : 0.5;
}

/* A mask needs a float tensor of a known shape, and nobody may ask for the node's own mask. */
static int can_mask(const struct graph *g, const struct node *n)
{
	const struct type *t = &n->in[0]->type;

	if (t->kind != VALUE_TENSOR || t->dtype != DT_FLOAT || t->rank < 1)
		return 0;
	for (int i = 0; i < t->rank; i++)
		if (t->dims[i] < 1)
			return 0;
	return n->n_out < 2 || !n->out[1] || (!graph_reads(g, n->out[1]) && !graph_has_output(g, n->out[1]));
}

/* x · mask in the place of a Dropout. */
static int put_mask(struct graph *g, struct node *n, struct training_masks *out, struct err *e)
{
	char input[64], product[64];
	struct training_mask *mask = &out->at[out->n];
	struct wire *in[2] = {n->in[0], NULL};
	const char *names[] = {product};
	struct node_spec spec = {.op_type = "Mul", .in = in, .n_in = 2, .out = names, .n_out = 1};
	struct node *mul;
	int rc;

	*mask = (struct training_mask){n->in[0]->type, ratio_of(n)};
	snprintf(input, sizeof input, "training.mask%zu", out->n);
	snprintf(product, sizeof product, "training.masked%zu", out->n);
	if (graph_wire(g, input) || graph_wire(g, product))
		return err_set(e, ERR_INPUT, "the network has a tensor '%s' of its own", input);
	rc = graph_add_input(g, input, &mask->type, &in[1], e);
	if (!rc)
		rc = graph_add_node(g, (size_t)n->index, &spec, &mul, e);
	if (!rc)
		rc = graph_replace_uses(g, n->out[0], mul->out[0]);
	if (!rc)
		rc = graph_remove_node(g, n, e);
	out->n += !rc;
	return rc;
}

int training_form(struct model *m, struct training_masks *out, struct err *e)
{
	struct graph *g = m->graph;
	int rc = 0;

	out->n = out->normalizations = 0;
	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		struct node *n = g->nodes.at[i];

		if (!strcmp(n->op_type, "BatchNormalization") && n->version >= 14) {
			rc = node_set_int(n, "training_mode", 1, e);
			out->normalizations += !rc;
		} else if (!strcmp(n->op_type, "Dropout") && (out->n == TRAINING_MOST_MASKS || !can_mask(g, n))) {
			rc = err_set(e, ERR_UNSUPPORTED, "no mask can be given to Dropout '%.200s'", n->name);
		} else if (!strcmp(n->op_type, "Dropout")) {
			rc = put_mask(g, n, out, e);
		}
	}
	if (!rc && !out->n && !out->normalizations)
		rc = err_set(e, ERR_UNSUPPORTED, "no operator of the network is otherwise in training");
	return rc;
}

struct value *training_form_mask(const struct training_masks *masks, size_t i, uint64_t seed, size_t step,
				 struct err *e)
{
	const struct training_mask *mask = &masks->at[i];
	struct tensor *t = tensor_new_packed(DT_FLOAT, mask->type.rank, mask->type.dims, e);
	struct rng root, rng;

	if (!t)
		return NULL;
	rng_init(&root, seed);
	rng = rng_split(&root, (uint64_t)step * TRAINING_MOST_MASKS + i);
	for (size_t k = 0; k < t->count; k++)
		((float *)t->data)[k] = rng_unit(&rng) < mask->ratio ? 0 : (float)(1 / (1 - mask->ratio));
	return value_tensor(t, e);
}
