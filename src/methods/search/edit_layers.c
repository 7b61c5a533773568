/* edit_layers.c - edits of the structure: a layer more, a layer less, another of its family. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "methods/search/internal.h"
#include "ops/attr.h"

#define MAX_INPUTS 8

/* A name that the graph has not. */
static void fresh_name(const struct graph *g, const char *stem, char *out, size_t size)
{
	unsigned k = 1;

	do
		snprintf(out, size, "%.200s_%u", stem, k++);
	while (graph_wire(g, out));
}

static int replace_uses(struct graph *g, struct wire *old, struct wire *by, struct err *e)
{
	int rc = graph_replace_uses(g, old, by);

	return rc ? err_set(e, rc, "'%s' cannot take the place of '%s'", by->name, old->name) : 0;
}

/* Parameters of a new layer are the first values of its row. */
static int set_first_values(struct editing *x, struct node *n, const struct layer *l, struct err *e)
{
	int rc = 0;

	for (unsigned i = 0; i < l->n_parameters && !rc; i++) {
		const struct layer_parameter *p = &l->parameters[i];
		struct layer_parameter alone = *p;

		alone.values.n = 0; /* no mixed lists */
		if (p->kind != LAYER_SIZE && p->kind != LAYER_OPTIONAL && p->values.n &&
		    strcmp(p->name, "auto_pad") != 0)
			rc = edit_set(x, n, &alone, p->values.at[0], e);
	}
	return rc;
}

/* ---- add --------------------------------------------------------------------------------------------------------- */

static int is_float_tensor(const struct wire *w)
{
	return w && w->type.kind == VALUE_TENSOR && dtype_is_float(w->type.dtype) && w->type.rank >= 2;
}

static int makes_floats(const struct editing *x, const struct node *n)
{
	(void)x;
	return n->n_out && is_float_tensor(n->out[0]);
}

static const struct layer *pick_insertable(struct editing *x, int rank)
{
	const struct layer *found = NULL;
	uint64_t seen = 0;

	for (unsigned i = 0; i < x->layers->n; i++) {
		const struct layer *l = &x->layers->at[i];

		if (l->insert && (!l->rank || l->rank == rank) && !rng_below(&x->rng, ++seen))
			found = l;
	}
	return found;
}

/* How many inputs the operator must have. */
static int required_inputs(const char *name)
{
	const struct op_row *row = ops_find("", name);
	int n = 0;

	while (row && n < MAX_INPUTS && row->op->in[n].name && !(row->op->in[n].flags & PORT_OPTIONAL))
		n++;
	return n;
}

/* A layer behind a node, in the place of what it gave. */
static int add_layer(struct editing *x, const struct node *before, const struct layer *l, struct node **made,
		     struct err *e)
{
	struct wire *in[MAX_INPUTS] = {NULL};
	struct node_spec spec;
	struct node *n;
	char name[256];
	const char *out = name;
	int rc;

	fresh_name(x->model->graph, l->name, name, sizeof name);
	in[0] = before->out[0];
	spec = (struct node_spec){
		.op_type = l->operator, .in = in, .n_in = required_inputs(l->operator), .out = &out, .n_out = 1};
	rc = graph_add_node(x->model->graph, (size_t)before->index + 1, &spec, &n, e);
	if (rc)
		return rc;
	n->out[0]->type = in[0]->type; /* it keeps the shape, which the values of what follows may hang on */
	*made = n;
	rc = set_first_values(x, n, l, e);
	if (!rc)
		rc = repair_new_node(n, &x->rng, e);
	return rc ? rc : replace_uses(x->model->graph, in[0], n->out[0], e);
}

static enum edit_result apply_add(struct editing *x, struct err *e)
{
	struct node *before = edit_pick(x, makes_floats), *n = NULL;
	const struct layer *l = before ? pick_insertable(x, before->out[0]->type.rank) : NULL;
	int rc;

	if (!l)
		return EDIT_IMPOSSIBLE;
	rc = add_layer(x, before, l, &n, e);
	if (!rc && l->then)
		rc = add_layer(x, n, layer_find(x->layers, l->then), &n, e);
	snprintf(x->said, SEARCH_SAID, "%s added after '%s'", l->name, PLAIN(before->name));
	return rc ? EDIT_FAILED : EDIT_DONE;
}

const struct edit edit_add = {
	.summary = "a layer that keeps the shape, after another",
	.share = 3,
	.apply = apply_add,
};

/* ---- remove ------------------------------------------------------------------------------------------------------ */

static int same_type(const struct wire *a, const struct wire *b)
{
	if (!is_float_tensor(a) || !is_float_tensor(b) || a->type.dtype != b->type.dtype ||
	    a->type.rank != b->type.rank)
		return 0;
	for (int i = 0; i < a->type.rank; i++)
		if (a->type.dims[i] != b->type.dims[i])
			return 0;
	return 1;
}

/* Outputs of the network stay what they are. */
static int keeps_shape(const struct editing *x, const struct node *n)
{
	(void)x;
	return n->n_in && n->n_out && n->in[0] && !n->in[0]->init && same_type(n->in[0], n->out[0]) &&
	       !graph_has_output(n->graph, n->out[0]);
}

static enum edit_result apply_remove(struct editing *x, struct err *e)
{
	struct node *n = edit_pick(x, keeps_shape);
	int rc;

	if (!n)
		return EDIT_IMPOSSIBLE;
	snprintf(x->said, SEARCH_SAID, "%s '%s' removed", n->op_type, PLAIN(n->name));
	rc = replace_uses(x->model->graph, n->out[0], n->in[0], e);
	if (!rc)
		rc = graph_remove_node(x->model->graph, n, e);
	return rc ? EDIT_FAILED : EDIT_DONE;
}

const struct edit edit_remove = {
	.summary = "a layer less, where the shape stays",
	.share = 2,
	.apply = apply_remove,
};

/* ---- replace ----------------------------------------------------------------------------------------------------- */

static const char *family_of(const struct editing *x, const struct node *n)
{
	for (unsigned i = 0; i < x->layers->n; i++)
		if (x->layers->at[i].family && layer_matches(&x->layers->at[i], n))
			return x->layers->at[i].family;
	return NULL;
}

static int has_family(const struct editing *x, const struct node *n)
{
	return family_of(x, n) && n->n_in <= MAX_INPUTS;
}

static const struct layer *pick_relative(struct editing *x, const struct node *n)
{
	const char *family = family_of(x, n);
	const struct layer *found = NULL;
	uint64_t seen = 0;

	for (unsigned i = 0; i < x->layers->n; i++) {
		const struct layer *l = &x->layers->at[i];

		if (l->family && !strcmp(l->family, family) && strcmp(l->operator, n->op_type) != 0 &&
		    !rng_below(&x->rng, ++seen))
			found = l;
	}
	return found;
}

static int knows_attribute(const struct op *op, const char *name)
{
	return attr_row(op, name, INT_MAX) != NULL;
}

static int lists(const struct layer *l, const char *name)
{
	for (unsigned i = 0; i < l->n_parameters; i++)
		if (!strcmp(l->parameters[i].name, name))
			return 1;
	return 0;
}

/* A parameter of the old layer that the new one's row leaves out: its operator may not have it in this opset. */
static int is_left_out(const struct editing *x, const struct node *n, const struct layer *l, const char *name)
{
	for (unsigned i = 0; i < x->layers->n; i++)
		if (layer_matches(&x->layers->at[i], n) && lists(&x->layers->at[i], name))
			return !lists(l, name);
	return 0;
}

/* What both operators call by the same name goes over: kernels and strides, the hidden size. */
static void carry_attributes(const struct editing *x, struct node *n, const struct layer *l, const struct op *op)
{
	int recurrent = node_has(n, "hidden_size"); /* each has activations for its own gates */

	for (int i = n->n_attrs - 1; i >= 0; i--) {
		const char *name = n->attrs[i].name;

		if (!knows_attribute(op, name) || is_left_out(x, n, l, name) ||
		    (recurrent && !strcmp(name, "activations")))
			node_remove_attr(n, name);
	}
}

/* Inputs that the new operator does not have go, constants that its row names come. */
static int fit_inputs(struct editing *x, struct node *n, const struct layer *l, const struct op *op, struct err *e)
{
	int ports = 0, rc = 0;

	while (ports < OP_MAX_PORTS && op->in[ports].name)
		ports++;
	if (n->n_in > ports)
		n->n_in = ports;
	for (unsigned i = 0; i < l->n_parameters && !rc; i++)
		if (l->parameters[i].kind == LAYER_NUMBER && l->parameters[i].values.n)
			rc = edit_set(x, n, &l->parameters[i], l->parameters[i].values.at[0], e);
	return rc;
}

static enum edit_result apply_replace(struct editing *x, struct err *e)
{
	struct node *n = edit_pick(x, has_family);
	const struct layer *l = n ? pick_relative(x, n) : NULL;
	const struct op_row *row = l ? ops_find("", l->operator) : NULL;
	char *name;

	if (!row)
		return EDIT_IMPOSSIBLE;
	snprintf(x->said, SEARCH_SAID, "%s '%s' becomes %s", n->op_type, PLAIN(n->name), l->name);
	name = arena_strdup(&x->model->arena, l->operator);
	if (!name) {
		err_nomem(e, "a node", 0);
		return EDIT_FAILED;
	}
	carry_attributes(x, n, l, row->op);
	n->op_type = name;
	n->op = NULL;
	return fit_inputs(x, n, l, row->op, e) ? EDIT_FAILED : EDIT_DONE;
}

const struct edit edit_replace = {
	.summary = "another layer of its family in its place",
	.share = 3,
	.apply = apply_replace,
};
